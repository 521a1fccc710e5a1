//! Candidates: sentences that may be worth keeping, and wait for a person to say so.

use crate::episode::EpisodeId;
use crate::id::ContentHash;
use crate::memory::Kind;
use crate::record::names;
use crate::scope::Scope;
use crate::time::Timestamp;

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CandidateState {
    /// It waits.
    Pending,
    /// It is a memory.
    Kept,
    /// It went into a memory that was there.
    Merged,
    /// It is not wanted, and never comes again.
    Dropped,
}

names!(CandidateState {
    Pending => "pending",
    Kept => "kept",
    Merged => "merged",
    Dropped => "dropped",
});

/// A sentence that may be worth keeping, as it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCandidate {
    /// Whose it is.
    pub scope: Scope,
    /// What it says.
    pub text: String,
    /// By which the same sentence is known again, however it is written.
    pub hash: ContentHash,
    /// What it is about.
    pub kind: Kind,
    /// The project that it was said in, if that is known.
    pub project: Option<String>,
    /// The client it came by.
    pub client: String,
    /// The session it was said in.
    pub session: Option<String>,
    /// What happened when it was said.
    pub episode: EpisodeId,
    /// When.
    pub at: Timestamp,
}

/// A candidate as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its number.
    pub id: i64,
    /// What was found.
    pub found: NewCandidate,
    /// What became of it.
    pub state: CandidateState,
    /// When that was decided.
    pub decided_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let all = CandidateState::ALL;
        assert!(all.iter().all(|state| CandidateState::named(state.name()) == Some(*state)));
    }
}
