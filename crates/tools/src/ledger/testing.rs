//! Steps that the transcripts of this toolset have in common.

/// A decision about the database.
pub(super) const POSTGRES: &str = r#"{"title": "Use PostgreSQL for production", "target": "database",
    "rationale": "ACID compliance and proven reliability under load."}"#;

/// Records something, `name` from then on.
pub(super) fn recorded(name: &str, arguments: &str) -> String {
    format!(
        "> record_decision {arguments}\n< {{\"fid\": \"{name}\", \"status\": \"created\", \
         \"message\": \"Decision recorded successfully\", \"conflicts\": []}}\n"
    )
}

/// Something that happened and has to do with no record, `name` from then on.
pub(super) fn happened(name: &str) -> String {
    format!(
        "> bridge-record {{\"prompt\": \"zzyzx\", \"response\": \"qwghlm\"}}\n\
         < {{\"event_id\": \"{name}\", \"linked_decisions\": []}}\n"
    )
}

/// A call that is refused with this status.
pub(super) fn refused(tool: &str, arguments: &str, status: u16) -> String {
    let code = match status {
        400 => "BAD_REQUEST",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        409 => "CONFLICT",
        _ => "UNPROCESSABLE_ENTITY",
    };
    format!(
        "> {tool} {arguments}\n<! {{\"error\": {{\"code\": \"{code}\", \"message\": \"$*\", \
         \"details\": {{\"status\": {status}}}}}}}\n"
    )
}

/// There are this many records and events.
pub(super) fn counted(records: usize, events: usize) -> String {
    format!(
        "> get_decisions {{}}\n< {{\"total\": {records}, \"...\": 0}}\n\
         > get_recent_events {{}}\n< {{\"total\": {events}, \"...\": 0}}\n"
    )
}
