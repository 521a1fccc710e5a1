//! Lists and counts.

use model::{Caller, Memory, MemoryFilter, Page, Paging, Scope};
use store::{Census, MemoryStats, TagCount};

use super::access;
use crate::{Engine, Result, scope};

/// How many tags the statistics name.
const TOP_TAGS_MAX: u64 = 10;

/// A page of what the caller may see and `filter` lets through. Scopes in the filter are narrowed
/// to those that are open to the caller; none means all that are its own.
pub fn list(
    engine: &Engine,
    caller: &Caller,
    filter: MemoryFilter,
    paging: Paging,
) -> Result<Page<Memory>> {
    Ok(engine.store.list_memories(&visible(engine, caller, filter)?, paging)?)
}

/// The same page, as it was before this reading; the reading counts.
pub fn consult(
    engine: &Engine,
    caller: &Caller,
    filter: MemoryFilter,
    paging: Paging,
) -> Result<Page<Memory>> {
    if paging.offset == 0 {
        access::settle(engine);
    }
    let page = list(engine, caller, filter, paging)?;
    access::touch(engine, &page.items);
    Ok(page)
}

/// The same page, as it is once the readings so far are counted; this one does not count.
pub fn browse(
    engine: &Engine,
    caller: &Caller,
    filter: MemoryFilter,
    paging: Paging,
) -> Result<Page<Memory>> {
    if paging.offset == 0 {
        access::settle(engine);
    }
    list(engine, caller, filter, paging)
}

/// How many memories the caller may see that are in the filter's scopes, of its kinds.
pub fn count(engine: &Engine, caller: &Caller, filter: MemoryFilter) -> Result<u64> {
    Ok(engine.store.count_memories(&visible(engine, caller, filter)?)?)
}

/// Counts what the caller may see.
pub fn stats(engine: &Engine, caller: &Caller) -> Result<MemoryStats> {
    access::settle(engine);
    let filter = visible(engine, caller, MemoryFilter::default())?;
    Ok(engine.store.memory_stats(&filter, TOP_TAGS_MAX)?)
}

/// How many memories lie in these places, archived ones aside.
pub fn census(engine: &Engine, scopes: &[Scope]) -> Result<Census> {
    Ok(engine.store.census(scopes)?)
}

/// The caller's most used tags that begin with `prefix`.
pub fn complete_tags(
    engine: &Engine,
    caller: &Caller,
    prefix: &str,
    max: u64,
) -> Result<Vec<TagCount>> {
    let filter = visible(engine, caller, MemoryFilter::default())?;
    Ok(engine.store.tags_beginning(&filter, prefix, max)?)
}

fn visible(engine: &Engine, caller: &Caller, filter: MemoryFilter) -> Result<MemoryFilter> {
    let mut scopes = filter.scopes;
    if scopes.is_empty() {
        scopes = scope::own(engine, caller)?;
    }
    scopes.retain(|scope| caller.identity.sees(scope));
    Ok(MemoryFilter { scopes, ..filter })
}
