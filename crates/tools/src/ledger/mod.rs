//! Decisions with reasons, evidence and a trail in git, as LedgerMind's contract has them.

mod accept_proposal;
mod bridge_context;
mod bridge_record;
mod forget;
mod get_context_for_prompt;
mod get_decision_history;
mod get_decisions;
mod get_recent_events;
mod link_evidence;
mod record_decision;
mod reject_proposal;
mod search_decisions;
mod supersede_decision;
mod sync_git;
mod update_decision;
mod words;

use crate::tool::Spec;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<bridge_context::BridgeContext>(),
    Spec::of::<bridge_record::BridgeRecord>(),
    Spec::of::<get_context_for_prompt::GetContextForPrompt>(),
    Spec::of::<record_decision::RecordDecision>(),
    Spec::of::<supersede_decision::SupersedeDecision>(),
    Spec::of::<accept_proposal::AcceptProposal>(),
    Spec::of::<reject_proposal::RejectProposal>(),
    Spec::of::<search_decisions::SearchDecisions>(),
    Spec::of::<get_decisions::GetDecisions>(),
    Spec::of::<get_decision_history::GetDecisionHistory>(),
    Spec::of::<get_recent_events::GetRecentEvents>(),
    Spec::of::<link_evidence::LinkEvidence>(),
    Spec::of::<update_decision::UpdateDecision>(),
    Spec::of::<sync_git::SyncGit>(),
    Spec::of::<forget::Forget>(),
];
