//! One error for all verbs: a kind, what happened, and what to do next.

use store::StoreError;

/// The result of a verb.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of error it is; each dialect has its own word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A field that must be there is not.
    MissingField,
    /// A value is not of the kind or outside its bounds.
    InvalidValue,
    /// There is no such thing, or not for this caller.
    NotFound,
    /// It stands against something that is there.
    Conflict,
    /// The caller may not do that.
    Forbidden,
    /// There is no room, or too much at once.
    Limit,
    /// It took too long.
    Timeout,
    /// A service outside failed.
    Outside,
    /// The store failed.
    Storage,
    /// What is stored is broken.
    Damaged,
    /// A fault of ours.
    Internal,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::MissingField,
        Self::InvalidValue,
        Self::NotFound,
        Self::Conflict,
        Self::Forbidden,
        Self::Limit,
        Self::Timeout,
        Self::Outside,
        Self::Storage,
        Self::Damaged,
        Self::Internal,
    ];
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of error it is.
    pub kind: Kind,
    /// What happened, to which thing, and what to do next.
    pub message: String,
    /// More, for programs.
    pub details: Option<serde_json::Value>,
}

impl Error {
    /// An error of `kind` without details.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: None }
    }

    /// Whether somebody was refused what they may not have or leave here: the audit log tells.
    pub fn is_denial(&self) -> bool {
        self.kind == Kind::Forbidden || crate::secrets::is_refusal(self)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let kind = match () {
            () if error.is_damage() => Kind::Damaged,
            () if error.is_time_out() => Kind::Timeout,
            () => Kind::Storage,
        };
        Self::new(kind, error.to_string())
    }
}
