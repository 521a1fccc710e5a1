//! The door to the ledger. Whoever reads or writes comes in here with who they are, and every verb
//! takes what it gives out, so that none can forget to ask.
//!
//! A namespace that is closed to a caller reads like an empty one. To write there is refused, whether
//! or not anything is there.

use model::{Caller, Ledgers, Namespace};

use crate::{Error, ErrorKind, Result};

/// A namespace that somebody reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    namespace: Namespace,
    is_open: bool,
}

impl Reading {
    /// The namespace; none if it is closed to who reads.
    pub(crate) fn open(&self) -> Option<&Namespace> {
        Some(&self.namespace).filter(|_| self.is_open)
    }

    /// What it is called, for messages.
    pub fn named(&self) -> &Namespace {
        &self.namespace
    }
}

/// A namespace that somebody writes to; it is open to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writing(Namespace);

impl Writing {
    /// The namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.0
    }

    /// The same, to be read.
    pub fn reading(&self) -> Reading {
        Reading { namespace: self.0.clone(), is_open: true }
    }
}

/// The namespace that a caller reads; without a name, their usual one.
pub fn read_in(caller: &Caller, named: Option<Namespace>) -> Reading {
    let namespace = named.or_else(|| caller.ledgers.usual()).unwrap_or_default();
    Reading { is_open: caller.ledgers.has(&namespace), namespace }
}

/// The namespace that a caller writes to; without a name, their usual one.
pub fn write_in(caller: &Caller, named: Option<Namespace>) -> Result<Writing> {
    let Reading { namespace, is_open } = read_in(caller, named);
    if is_open {
        return Ok(Writing(namespace));
    }
    let open = match &caller.ledgers {
        Ledgers::Only(open) if !open.is_empty() => {
            let names: Vec<&str> = open.iter().map(Namespace::as_str).collect();
            format!("open are: {}", names.join(", "))
        }
        _ => "none is open".to_owned(),
    };
    let name = namespace.as_str();
    let why = format!(
        "namespace {name} of the ledger is closed to this caller ({open}); a token opens others that \
         is made with `lorekeep token new --namespaces {name}`"
    );
    Err(Error::new(ErrorKind::Forbidden, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Identity, Layer, Role};

    fn named(name: &str) -> Option<Namespace> {
        Some(name.parse().unwrap())
    }

    #[test]
    fn who_is_at_the_machine_reads_and_writes_everything() {
        let here = Caller::new(Identity::default(), Role::Admin);
        assert_eq!(write_in(&here, None).unwrap().namespace().as_str(), "default");
        assert_eq!(write_in(&here, named("x")).unwrap().reading(), read_in(&here, named("x")));
        assert!(read_in(&here, named("x")).open().is_some());
    }

    #[test]
    fn who_is_not_has_the_namespace_of_the_project_and_no_other() {
        let web = Identity::default().with(Layer::Project, "web".parse().unwrap());
        let afar = Caller::from_afar(web, Role::Admin);
        assert_eq!(write_in(&afar, None).unwrap().namespace().as_str(), "web");
        assert!(read_in(&afar, named("web")).open().is_some());
        assert!(read_in(&afar, named("default")).open().is_none());
        let why = write_in(&afar, named("api")).unwrap_err();
        assert_eq!(why.kind, ErrorKind::Forbidden);
        assert!(why.message.contains("open are: web") && why.message.contains("--namespaces api"));
        let nobody = Caller::from_afar(Identity::default(), Role::Admin);
        assert!(read_in(&nobody, None).open().is_none());
        assert!(write_in(&nobody, None).unwrap_err().message.contains("none is open"));
    }
}
