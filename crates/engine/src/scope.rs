//! Places by their names.

use model::{Caller, Scope};

use crate::{Engine, Error, ErrorKind, Result};

/// What stands before the id of a project.
const PROJECT: &str = "project:";

/// Everywhere the caller may look: what is its own and, where every project is open to it, all that
/// there are.
pub fn open(engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
    let mut scopes = caller.identity.scopes();
    if caller.identity.has_all_projects() {
        let others =
            engine.store.projects()?.into_iter().filter(|project| !scopes.contains(project));
        let others: Vec<Scope> = others.collect();
        scopes.extend(others);
    }
    Ok(scopes)
}

/// The place that a namespace names: `default`, `global`, `project:<id>`, or any other that is
/// open to the caller. A project need not be there yet.
pub fn named(engine: &Engine, caller: &Caller, namespace: &str) -> Result<Scope> {
    let named = |scope: &Scope| scope.namespace() == namespace;
    if let Some(scope) = open(engine, caller)?.into_iter().find(named) {
        return Ok(scope);
    }
    let is_id = |id: &&str| {
        !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let project = namespace.strip_prefix(PROJECT).filter(is_id).map(Scope::project);
    match project {
        Some(project) => opened(caller, &project).map(|()| project),
        None => Err(Error::new(
            ErrorKind::InvalidValue,
            format!(
                "Invalid namespace: {namespace}; it takes default, global or \
                 project:<letters, digits, _ and ->"
            ),
        )),
    }
}

/// Refuses a place that is closed to the caller.
pub(crate) fn opened(caller: &Caller, scope: &Scope) -> Result<()> {
    if caller.identity.sees(scope) {
        return Ok(());
    }
    let namespace = scope.namespace();
    let why = format!("namespace {namespace} is closed to this caller");
    Err(Error::new(ErrorKind::Forbidden, why))
}

/// The place that a namespace names, or everywhere the caller may look if none is given.
pub fn within(engine: &Engine, caller: &Caller, namespace: Option<&str>) -> Result<Vec<Scope>> {
    match namespace {
        Some(namespace) => Ok(vec![named(engine, caller, namespace)?]),
        None => open(engine, caller),
    }
}
