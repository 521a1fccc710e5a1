//! Places by their names.

use model::{Caller, Layer, Memory, Scope};

use crate::{Engine, Error, ErrorKind, Result, knowledge};

/// What stands before the id of a project.
pub(crate) const PROJECT: &str = "project:";

/// Everywhere that is the caller's own, strongest layer first: the namespaces that the user gave names
/// to are among it.
pub fn own(engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
    let mut scopes = caller.identity.scopes();
    if let Some(user) = caller.identity.id(Layer::User) {
        let named = engine.store.user_places(user)?;
        let at = scopes.partition_point(|scope| scope.layer <= Layer::User);
        let new: Vec<Scope> = named.into_iter().filter(|scope| !scopes.contains(scope)).collect();
        scopes.splice(at..at, new);
    }
    Ok(scopes)
}

/// Everywhere the caller may look: what is its own and, where every project is open to it, all that
/// there are.
pub fn open(engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
    let mut scopes = own(engine, caller)?;
    if caller.identity.has_all_projects() {
        let others =
            engine.store.projects()?.into_iter().filter(|project| !scopes.contains(project));
        let others: Vec<Scope> = others.collect();
        scopes.extend(others);
    }
    Ok(scopes)
}

/// The place that a namespace names: `default`, `global`, `project:<id>`, a name of the user's own, or
/// any other that is open to the caller. It need not be there yet.
pub fn named(engine: &Engine, caller: &Caller, namespace: &str) -> Result<Scope> {
    let named = |scope: &Scope| scope.namespace() == namespace;
    let known = || Ok::<_, Error>(open(engine, caller)?.into_iter().find(named));
    if let Some(scope) = caller.identity.own(namespace).map_or_else(known, |own| Ok(Some(own)))? {
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
                "Invalid namespace: {namespace}; it takes default, global, \
                 project:<letters, digits, _ and -> or a name of 1 to 128 letters, digits and _.:/@- \
                 that begins with a letter or digit and with no layer's name and a colon"
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

/// Where memories lie that point to knowledge which is open to the caller.
pub(crate) fn pointers(engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
    let mut places = engine.store.pointer_places()?;
    places.retain(|place| caller.identity.sees(place));
    Ok(places)
}

/// Refuses to change a memory that points to knowledge, or follows a fact.
pub(crate) fn changeable(memory: &Memory) -> Result<()> {
    if memory.scope.is_facts() {
        let why = format!(
            "memory {} follows a fact: change the graph by add_memory_link, update_memory_object, \
             invalidate_memory_link or delete_memory_object",
            memory.id.prefixed()
        );
        return Err(Error::new(ErrorKind::Forbidden, why));
    }
    if model::knowledge::pointer_place(&memory.scope).is_none() {
        return Ok(());
    }
    let item = knowledge::item_of(memory).unwrap_or("?");
    let why = format!(
        "memory {} points to the knowledge item {item:?} and follows it: change the item's file",
        memory.id.prefixed()
    );
    Err(Error::new(ErrorKind::Forbidden, why))
}

/// Where a search looks: the place that a namespace names, or else everywhere the caller may look and
/// at what points to knowledge.
pub fn searched(engine: &Engine, caller: &Caller, namespace: Option<&str>) -> Result<Vec<Scope>> {
    let mut scopes = within(engine, caller, namespace)?;
    if namespace.is_none() {
        scopes.extend(pointers(engine, caller)?);
    }
    Ok(scopes)
}

/// The place that a namespace names, or everywhere the caller may look if none is given.
pub fn within(engine: &Engine, caller: &Caller, namespace: Option<&str>) -> Result<Vec<Scope>> {
    match namespace {
        Some(namespace) => Ok(vec![named(engine, caller, namespace)?]),
        None => open(engine, caller),
    }
}
