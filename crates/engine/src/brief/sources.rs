//! Where notes come from: knowledge, memories, the ledger.

use std::collections::HashSet;
use std::sync::Arc;

use model::{
    Caller, Item, ItemKind, ItemStatus, Layer, Memory, MemoryFilter, Namespace, Order, Paging,
    Scope, SortKey, Status, time,
};
use rank::keep;

use super::render::{Note, Section};
use crate::embedders::By;
use crate::knowledge::{self, Trusted};
use crate::memory::{self, Query, Within, recall_by};
use crate::record::{self, Mode, Reading, RecordFilter, StoredRecord};
use crate::{Engine, Result, scope, trust};

/// What is told to a prompt must be this likely to have to do with it.
const RELEVANCE_MIN: f64 = 0.7;

/// For a golden rule less will do.
const RELEVANCE_OF_GOLDEN_MIN: f64 = 0.5;

/// No more of a prompt than this is looked at.
const PROMPT_BYTES_MAX: usize = 64 << 10;

/// A prompt is asked as a whole up to so many characters; beyond that, by its sentences.
const QUESTION_CHARS_MAX: usize = 400;

/// So many of its sentences are asked one by one.
const SENTENCES_MAX: usize = 8;

/// A sentence that is asked has at least so many words that mean something.
const TERMS_MIN: usize = 2;

/// So many rules that bind are told at the most.
const BINDING_MAX: usize = 8;

/// So many golden rules.
const GOLDEN_MAX: usize = 10;

/// So many decisions.
const DECISIONS_MAX: usize = 6;

/// So many memories.
const MEMORIES_MAX: usize = 10;

/// So many times as many are looked at as are told: some may not be.
const LOOKED_AT: usize = 4;

/// From here on a memory matters more than most.
const IMPORTANCE_HIGH: f64 = 0.7;

/// What has to do with a prompt.
pub(super) fn for_prompt(engine: &Engine, caller: &Caller, prompt: &str) -> Result<Vec<Note>> {
    let questions = questions(prompt);
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let mut notes = items_for(engine, caller, &questions)?;
    let found = recalled(engine, caller, &questions)?;
    let golden = found.iter().filter(|(memory, _)| memory.is_golden());
    notes.extend(golden.take(GOLDEN_MAX).map(|(memory, _)| of_memory(memory)));
    notes.extend(records_for(engine, caller, &questions)?.iter().map(of_record));
    let is_likely = |found: &&(Memory, f64)| !found.0.is_golden() && found.1 >= RELEVANCE_MIN;
    let others = found.iter().filter(is_likely);
    notes.extend(others.take(MEMORIES_MAX).map(|(memory, _)| of_memory(memory)));
    Ok(notes)
}

/// What is good to know in any case.
pub(super) fn at_start(engine: &Engine, caller: &Caller) -> Result<Vec<Note>> {
    let accepted = knowledge::Query {
        statuses: vec![ItemStatus::Accepted],
        limit: usize::MAX,
        ..knowledge::Query::default()
    };
    let mut binding = knowledge::query(engine, caller, &accepted)?.items;
    binding.retain(|item| is_binding(item));
    binding.sort_by_key(|item| std::cmp::Reverse(weight(item)));
    let binding = Trusted::look(engine, caller).told(&binding, BINDING_MAX)?;
    let mut notes: Vec<Note> = binding.iter().map(|item| of_item(item)).collect();
    let everywhere = scope::own(engine, caller)?;
    let mut surest = listed(engine, caller, &everywhere, SortKey::Confidence, GOLDEN_MAX)?;
    surest.retain(Memory::is_golden);
    notes.extend(surest.iter().map(of_memory));
    for namespace in namespaces(caller) {
        let (kind, target, status) = (None, None, Some(Status::Active));
        let filter = RecordFilter { namespace, kind, status, target };
        let (newest, _) = record::get(engine, None, &filter, DECISIONS_MAX as u64)?;
        notes.extend(told(engine, newest)?.iter().map(of_record));
    }
    let mut others = listed(engine, caller, &own(caller), SortKey::Importance, MEMORIES_MAX)?;
    others.retain(|memory| memory.importance >= IMPORTANCE_HIGH);
    others.extend(listed(engine, caller, &own(caller), SortKey::CreatedAt, MEMORIES_MAX)?);
    let mut told: HashSet<_> = surest.iter().map(|memory| memory.id).collect();
    notes.extend(others.iter().filter(|memory| told.insert(memory.id)).map(of_memory));
    Ok(notes)
}

/// What a prompt asks, as searches take it: the whole where it is short, and its sentences.
fn questions(prompt: &str) -> Vec<String> {
    let said = keep::clean(keep::beginning(prompt, PROMPT_BYTES_MAX));
    if keep::is_trivial(&said) {
        return Vec::new();
    }
    let whole = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_short = whole.chars().count() <= QUESTION_CHARS_MAX;
    let parts = said.split(['.', '!', '?', '\n', ';']).map(str::trim);
    let telling = |part: &&str| rank::terms::query_terms(part).len() >= TERMS_MIN;
    let mut parts = model::memory::distinct(parts.filter(telling).map(str::to_owned).collect());
    if parts.len() > SENTENCES_MAX {
        // What is wanted stands at the beginning or at the end.
        parts.drain(SENTENCES_MAX / 2..parts.len() - SENTENCES_MAX / 2);
    }
    if parts.len() == 1 && is_short {
        parts.clear();
    }
    Some(whole).filter(|_| is_short).into_iter().chain(parts).collect()
}

/// Memories that have to do with the questions, the most relevant first.
fn recalled(engine: &Engine, caller: &Caller, questions: &[String]) -> Result<Vec<(Memory, f64)>> {
    let mut found: Vec<(Memory, f64)> = Vec::new();
    for text in questions {
        let query = Query {
            text: text.clone(),
            within: Within::Scopes(scope::own(engine, caller)?),
            tags_any: Vec::new(),
            floor: RELEVANCE_OF_GOLDEN_MIN,
            limit: GOLDEN_MAX + MEMORIES_MAX,
        };
        for hit in recall_by(engine, caller, &query, By::Serving)?.hits {
            match found.iter_mut().find(|(memory, _)| memory.id == hit.memory.id) {
                Some((_, relevance)) => *relevance = relevance.max(hit.relevance),
                None => found.push((hit.memory, hit.relevance)),
            }
        }
    }
    found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut told = Vec::with_capacity(found.len());
    for (memory, relevance) in found {
        if trust::is_told(engine, &memory)? {
            told.push((memory, relevance));
        }
    }
    Ok(told)
}

/// Knowledge that has to do with the questions: what binds, and what was decided or is recommended.
fn items_for(engine: &Engine, caller: &Caller, questions: &[String]) -> Result<Vec<Note>> {
    let mut items: Vec<Arc<Item>> = Vec::new();
    for text in questions {
        let query = knowledge::Query {
            text: Some(text.clone()),
            statuses: vec![ItemStatus::Accepted],
            limit: BINDING_MAX * LOOKED_AT,
            ..knowledge::Query::default()
        };
        for item in knowledge::query(engine, caller, &query)?.items {
            if !items.iter().any(|known| known.id == item.id) {
                items.push(item);
            }
        }
    }
    let (binding, others): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| is_binding(item));
    let trusted = Trusted::look(engine, caller);
    let mut told = trusted.told(&binding, BINDING_MAX)?;
    told.extend(trusted.told(&others, DECISIONS_MAX)?);
    Ok(told.iter().map(|item| of_item(item)).collect())
}

/// Records that have to do with the questions.
fn records_for(
    engine: &Engine,
    caller: &Caller,
    questions: &[String],
) -> Result<Vec<StoredRecord>> {
    let mut found: Vec<record::Hit> = Vec::new();
    for namespace in namespaces(caller) {
        for text in questions {
            let query = record::Query {
                text: text.clone(),
                namespace: namespace.clone(),
                kind: None,
                target: None,
                mode: Mode::Balanced,
                limit: DECISIONS_MAX,
            };
            let hits = record::search(engine, caller, &query)?.hits.into_iter();
            for hit in hits.filter(|hit| hit.relevance >= RELEVANCE_MIN) {
                let id = hit.stored.record.id;
                match found.iter_mut().find(|known| known.stored.record.id == id) {
                    Some(known) => known.relevance = known.relevance.max(hit.relevance),
                    None => found.push(hit),
                }
            }
        }
    }
    found.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
    let found = told(engine, found.into_iter().map(|hit| hit.stored).collect())?;
    Ok(found.into_iter().take(DECISIONS_MAX).collect())
}

/// The records that an agent is told unasked.
fn told(engine: &Engine, records: Vec<StoredRecord>) -> Result<Vec<StoredRecord>> {
    let mut told = Vec::with_capacity(records.len());
    for stored in records {
        if trust::is_record_told(engine, &stored)? {
            told.push(stored);
        }
    }
    Ok(told)
}

/// Where decisions of the caller's lie: for all, and of the project, as far as they are open.
pub(crate) fn namespaces(caller: &Caller) -> Vec<Reading> {
    let both = [Some(Namespace::default()), Namespace::of_project(&caller.identity)];
    let both = both.into_iter().flatten().map(|namespace| record::read_in(caller, Some(namespace)));
    both.filter(|namespace| namespace.open().is_some()).collect()
}

/// What is the user's and the project's.
fn own(caller: &Caller) -> Vec<Scope> {
    let identity = &caller.identity;
    let layers = [Layer::Project, Layer::User].map(|layer| identity.scope(layer));
    layers.into_iter().chain([identity.default_scope()]).flatten().collect()
}

/// The first of these places by a key, greatest first.
fn listed(
    engine: &Engine,
    caller: &Caller,
    scopes: &[Scope],
    key: SortKey,
    max: usize,
) -> Result<Vec<Memory>> {
    // None would mean all that are the caller's.
    if scopes.is_empty() {
        return Ok(Vec::new());
    }
    let filter = MemoryFilter { scopes: scopes.to_vec(), ..MemoryFilter::default() };
    let limit = (max * LOOKED_AT) as u64;
    let paging = Paging { key, order: Order::Descending, offset: 0, limit };
    let mut listed = trust::told(engine, memory::list(engine, caller, filter, paging)?.items)?;
    listed.truncate(max);
    Ok(listed)
}

/// Whether who works here has to follow it.
fn is_binding(item: &Item) -> bool {
    item.is_binding() && (item.kind == ItemKind::Policy || !item.constraints.is_empty())
}

/// How much the weightiest of its constraints weighs.
fn weight(item: &Item) -> model::Severity {
    let of_constraints = item.constraints.iter().map(|constraint| item.severity_of(constraint));
    of_constraints.max().unwrap_or(item.severity)
}

fn of_item(item: &Item) -> Note {
    let section = if is_binding(item) { Section::Binding } else { Section::Decision };
    let text = match item.summary.trim() {
        "" => item.title.clone(),
        summary => format!("{}: {summary}", item.title),
    };
    let since = item.updated_at.or(item.created_at);
    let since = since.map(|at| format!(", {}", time::day(at))).unwrap_or_default();
    let source = format!("{}, {} of {}{since}", item.id, item.kind.name(), item.layer.name());
    Note { section, text, source }
}

fn of_memory(memory: &Memory) -> Note {
    let section = if memory.is_golden() { Section::Golden } else { Section::Memory };
    let source = format!("{}, {}", memory.id.prefixed(), time::day(memory.updated_at));
    Note { section, text: memory.content.clone(), source }
}

fn of_record(stored: &StoredRecord) -> Note {
    let record = &stored.record;
    let text = format!("{} ({}): {}", record.title, record.kind.name(), record.rationale);
    let source = format!("{}, {}", record.id, time::day(record.updated_at));
    Note { section: Section::Decision, text, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_asked_whole_and_by_its_sentences() {
        assert_eq!(questions("yes, go on"), Vec::<String>::new());
        assert_eq!(questions("Which database do we use?"), ["Which database do we use?"]);
        let two = questions("Fix the login form.\nWe store passwords in Argon2.");
        assert_eq!(two.len(), 3, "{two:?}");
        assert_eq!(two[1..], ["Fix the login form", "We store passwords in Argon2"]);
        let long: String =
            (0..30).map(|n| format!("The parser {n} reads words from files. ")).collect();
        let long = questions(&long);
        assert_eq!(long.len(), SENTENCES_MAX);
        assert_eq!(long.last().unwrap(), "The parser 29 reads words from files");
    }
}
