//! Who calls, and what that lets them do.

use std::path::PathBuf;
use std::str::FromStr;

use crate::provenance::Actor;
use crate::record::Namespace;
use crate::scope::{Identity, Layer};

/// What a caller may do, least first: `guest` reads, `user` also writes, `admin` also destroys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Guest,
    /// Reads and writes.
    User,
    /// Everything.
    Admin,
}

impl Role {
    /// All roles, least first.
    pub const ALL: [Self; 3] = [Self::Guest, Self::User, Self::Admin];

    /// The role's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guest => "guest",
            Self::User => "user",
            Self::Admin => "admin",
        }
    }
}

/// Reads a role's name in any case: documents write `ADMIN`.
impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| format!("role {text:?} is unknown; it takes guest, user or admin"))
    }
}

/// Which namespaces of the ledger are open to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ledgers {
    /// All of them: who is at the machine has the files, too.
    All,
    /// These alone. Where none is named, the first is meant.
    Only(Vec<Namespace>),
}

impl Ledgers {
    /// That of the project and no other; none without a project.
    pub fn of_project(identity: &Identity) -> Self {
        Self::Only(Namespace::of_project(identity).into_iter().collect())
    }

    /// Whether this one is open.
    pub fn has(&self, namespace: &Namespace) -> bool {
        match self {
            Self::All => true,
            Self::Only(open) => open.contains(namespace),
        }
    }

    /// The one that is meant where none is named.
    pub fn usual(&self) -> Option<Namespace> {
        match self {
            Self::All => Some(Namespace::default()),
            Self::Only(open) => open.first().cloned(),
        }
    }
}

/// Who a call comes from: an identity, a role, and a place on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose memories the call works on.
    pub identity: Identity,
    /// Who acts, and by what.
    pub actor: Actor,
    /// What the call may do.
    pub role: Role,
    /// The root of the project that the caller works in, if it is on this machine.
    pub here: Option<PathBuf>,
    /// The folders whose files the caller may read and change, if it names any.
    pub roots: Vec<PathBuf>,
    /// Whether documents are read for it only from below the roots: it is not at this machine, whose
    /// files are none of its business.
    pub confined: bool,
    /// Whether a person names the paths, at a command line: documents are then read from anywhere on
    /// this machine. An agent's are bound to the roots.
    pub names_paths: bool,
    /// The namespaces of the ledger that it reads and writes.
    pub ledgers: Ledgers,
}

impl Caller {
    /// Somebody at this machine, at no place of it yet.
    pub fn new(identity: Identity, role: Role) -> Self {
        let who = identity.id(Layer::User).map_or("unknown", |user| user.as_str());
        let (actor, ledgers) = (Actor::agent_of(who), Ledgers::All);
        let (here, roots) = (None, Vec::new());
        let (confined, names_paths) = (false, false);
        Self { identity, actor, role, here, roots, confined, names_paths, ledgers }
    }

    /// Somebody who is not at this machine: none of its files is theirs, nor is its project, and of the
    /// ledger the namespace of their own project alone.
    pub fn from_afar(identity: Identity, role: Role) -> Self {
        let ledgers = Ledgers::of_project(&identity);
        Self { confined: true, ledgers, ..Self::new(identity, role) }
    }

    /// The same by this program, if it is known.
    #[must_use]
    pub fn by(mut self, client: Option<String>) -> Self {
        self.actor.client = client;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_in_any_case() {
        for (text, role) in [("ADMIN", Role::Admin), ("User", Role::User), ("guest", Role::Guest)] {
            assert_eq!(text.parse(), Ok(role), "{text}");
        }
        let why = "root".parse::<Role>().unwrap_err();
        assert_eq!(why, "role \"root\" is unknown; it takes guest, user or admin");
    }
}
