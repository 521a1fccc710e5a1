//! Episodes: what happened, in order. Nothing changes or takes back an episode; one that no record is
//! linked with may be dropped when it is old.

use std::fmt;
use std::str::FromStr;

use crate::hex::of_hex;
use crate::memory::Metadata;
use crate::record::{Namespace, RecordId, RecordKind, names};
use crate::time::Timestamp;

/// The identity of an episode: `evt_` and 16 lowercase hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EpisodeId(pub [u8; 8]);

impl EpisodeId {
    /// What stands before the digits.
    pub const PREFIX: &'static str = "evt_";
}

impl fmt::Display for EpisodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", Self::PREFIX, u64::from_be_bytes(self.0))
    }
}

/// The text is no id of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnEpisodeId;

impl FromStr for EpisodeId {
    type Err = NotAnEpisodeId;

    fn from_str(text: &str) -> Result<Self, NotAnEpisodeId> {
        text.strip_prefix(Self::PREFIX).and_then(of_hex).map(Self).ok_or(NotAnEpisodeId)
    }
}

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EpisodeKind {
    /// A tool was called.
    ToolCall,
    /// An agent did something.
    AgentAction,
    /// Something was seen.
    Observation,
    /// Something failed.
    Error,
    /// A person did something.
    UserAction,
    /// The system did something.
    SystemEvent,
    /// A decision was made, changed or forgotten.
    DecisionChange,
    /// The same of a proposal.
    ProposalChange,
    /// The same of a constraint.
    ConstraintChange,
    /// A goal was set or reached.
    GoalState,
    /// A confidence was set.
    ConfidenceUpdate,
    /// Evidence was linked.
    EvidenceLink,
    /// The system said something.
    SystemMessage,
    /// A procedure was made.
    ProceduralGenerated,
}

names!(EpisodeKind {
    ToolCall => "tool_call",
    AgentAction => "agent_action",
    Observation => "observation",
    Error => "error",
    UserAction => "user_action",
    SystemEvent => "system_event",
    DecisionChange => "decision_change",
    ProposalChange => "proposal_change",
    ConstraintChange => "constraint_change",
    GoalState => "goal_state",
    ConfidenceUpdate => "confidence_update",
    EvidenceLink => "evidence_link",
    SystemMessage => "system_message",
    ProceduralGenerated => "procedural_generated",
});

impl EpisodeKind {
    /// The change of a record of this kind.
    pub const fn change_of(kind: RecordKind) -> Self {
        match kind {
            RecordKind::Decision => Self::DecisionChange,
            RecordKind::Proposal => Self::ProposalChange,
            RecordKind::Constraint => Self::ConstraintChange,
        }
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// Its identity.
    pub id: EpisodeId,
    /// Where it belongs.
    pub namespace: Namespace,
    /// What kind of thing.
    pub kind: EpisodeKind,
    /// In words.
    pub description: String,
    /// More, for programs.
    pub metadata: Metadata,
    /// When.
    pub at: Timestamp,
    /// The records it has to do with.
    pub linked: Vec<RecordId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_read_back() {
        assert!(EpisodeKind::ALL.iter().all(|one| EpisodeKind::named(one.name()) == Some(*one)));
        let id = EpisodeId([0, 1, 2, 3, 4, 5, 6, 0xff]);
        assert_eq!(id.to_string(), "evt_00010203040506ff");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("evt_1".parse::<EpisodeId>(), Err(NotAnEpisodeId));
        assert_eq!("00010203040506ff".parse::<EpisodeId>(), Err(NotAnEpisodeId));
    }
}
