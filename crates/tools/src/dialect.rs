//! One kind of error, five accents. Only this file knows how a system words its failures.

use engine::{Error, ErrorKind};
use serde_json::{Value, json};

/// Whose contract a tool belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Layered memory and knowledge.
    Aeterna,
    /// Notes.
    AgentMemory,
    /// Graph, files and web.
    Gromozeka,
    /// Decisions.
    LedgerMind,
    /// Documents and learning.
    Theo,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 5] =
        [Self::Aeterna, Self::AgentMemory, Self::Gromozeka, Self::LedgerMind, Self::Theo];

    /// The system's name as a drop-in profile.
    pub const fn system(self) -> &'static str {
        match self {
            Self::Aeterna => "aeterna",
            Self::AgentMemory => "agent-memory",
            Self::Gromozeka => "gromozeka",
            Self::LedgerMind => "ledgermind",
            Self::Theo => "theo",
        }
    }

    /// `error` as this system words it.
    pub fn error(self, error: &Error) -> Value {
        match self {
            Self::Aeterna => aeterna(error),
            Self::AgentMemory => json!({
                "error": {"code": agent_memory_code(error.kind), "message": error.message}
            }),
            Self::LedgerMind => ledgermind(error),
            Self::Gromozeka | Self::Theo => json!({"success": false, "error": error.message}),
        }
    }
}

fn aeterna(error: &Error) -> Value {
    let (code, retryable) = aeterna_code(error.kind);
    let mut body = json!({"success": false, "errorCode": code, "message": error.message});
    if let Some(details) = &error.details {
        body["details"] = details.clone();
    }
    body["retryable"] = retryable.into();
    body
}

fn ledgermind(error: &Error) -> Value {
    let (code, status) = ledgermind_code(error.kind);
    let mut details = match &error.details {
        Some(Value::Object(details)) => details.clone(),
        _ => serde_json::Map::new(),
    };
    details.insert("status".into(), status.into());
    json!({"error": {"code": code, "message": error.message, "details": details}})
}

const fn aeterna_code(kind: ErrorKind) -> (&'static str, bool) {
    match kind {
        ErrorKind::MissingField | ErrorKind::InvalidValue => ("INVALID_INPUT", false),
        ErrorKind::NotFound => ("NOT_FOUND", false),
        ErrorKind::Conflict => ("CONFLICT", true),
        ErrorKind::Forbidden => ("UNAUTHORIZED", false),
        ErrorKind::Limit => ("RATE_LIMITED", true),
        ErrorKind::Timeout => ("TIMEOUT", true),
        ErrorKind::Outside | ErrorKind::Storage => ("PROVIDER_ERROR", true),
        ErrorKind::Damaged | ErrorKind::Internal => ("PROVIDER_ERROR", false),
    }
}

const fn agent_memory_code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::MissingField | ErrorKind::InvalidValue => "INVALID_INPUT",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::Conflict | ErrorKind::Storage => "STORAGE_ERROR",
        ErrorKind::Forbidden => "PERMISSION_ERROR",
        ErrorKind::Limit => "LIMIT_EXCEEDED",
        ErrorKind::Timeout | ErrorKind::Outside | ErrorKind::Internal => "INTERNAL_ERROR",
        ErrorKind::Damaged => "CORRUPTED_DATA",
    }
}

const fn ledgermind_code(kind: ErrorKind) -> (&'static str, u16) {
    match kind {
        ErrorKind::MissingField => ("BAD_REQUEST", 400),
        ErrorKind::InvalidValue => ("UNPROCESSABLE_ENTITY", 422),
        ErrorKind::NotFound => ("NOT_FOUND", 404),
        ErrorKind::Conflict => ("CONFLICT", 409),
        ErrorKind::Forbidden => ("FORBIDDEN", 403),
        ErrorKind::Limit => ("TOO_MANY_REQUESTS", 429),
        ErrorKind::Timeout => ("GATEWAY_TIMEOUT", 504),
        ErrorKind::Outside => ("SERVICE_UNAVAILABLE", 503),
        ErrorKind::Storage | ErrorKind::Damaged | ErrorKind::Internal => {
            ("INTERNAL_SERVER_ERROR", 500)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_word_in_every_dialect() {
        let table: Vec<String> = ErrorKind::ALL
            .into_iter()
            .map(|kind| {
                let (aeterna, retryable) = aeterna_code(kind);
                let (ledgermind, status) = ledgermind_code(kind);
                let agent_memory = agent_memory_code(kind);
                format!("{kind:?} {aeterna} {retryable} {agent_memory} {ledgermind} {status}\n")
            })
            .collect();
        expect_test::expect![[r#"
            MissingField INVALID_INPUT false INVALID_INPUT BAD_REQUEST 400
            InvalidValue INVALID_INPUT false INVALID_INPUT UNPROCESSABLE_ENTITY 422
            NotFound NOT_FOUND false NOT_FOUND NOT_FOUND 404
            Conflict CONFLICT true STORAGE_ERROR CONFLICT 409
            Forbidden UNAUTHORIZED false PERMISSION_ERROR FORBIDDEN 403
            Limit RATE_LIMITED true LIMIT_EXCEEDED TOO_MANY_REQUESTS 429
            Timeout TIMEOUT true INTERNAL_ERROR GATEWAY_TIMEOUT 504
            Outside PROVIDER_ERROR true INTERNAL_ERROR SERVICE_UNAVAILABLE 503
            Storage PROVIDER_ERROR true STORAGE_ERROR INTERNAL_SERVER_ERROR 500
            Damaged PROVIDER_ERROR false CORRUPTED_DATA INTERNAL_SERVER_ERROR 500
            Internal PROVIDER_ERROR false INTERNAL_ERROR INTERNAL_SERVER_ERROR 500
        "#]]
        .assert_eq(&table.concat());
    }

    #[test]
    fn the_same_failure_in_five_accents() {
        let mut error = Error::new(ErrorKind::NotFound, "gone");
        error.details = Some(json!({"requestedId": "x"}));
        let words: Vec<String> =
            Dialect::ALL.into_iter().map(|d| format!("{}\n", d.error(&error))).collect();
        expect_test::expect![[r#"
            {"success":false,"errorCode":"NOT_FOUND","message":"gone","details":{"requestedId":"x"},"retryable":false}
            {"error":{"code":"NOT_FOUND","message":"gone"}}
            {"success":false,"error":"gone"}
            {"error":{"code":"NOT_FOUND","message":"gone","details":{"requestedId":"x","status":404}}}
            {"success":false,"error":"gone"}
        "#]]
        .assert_eq(&words.concat());
    }
}
