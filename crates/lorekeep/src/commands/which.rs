//! What a person means by an id: in any spelling, or by its first digits.

use engine::record::StoredRecord;
use engine::{Engine, Error, ErrorKind, Result, document, fact, knowledge, memory, record};
use model::record::bare_id;
use model::{Caller, ChunkId, Memory, MemoryId, Namespace, StoredChunk};

use crate::output::{cut, one_line};

/// So many digits name something, if nothing else begins with them.
const DIGITS_MIN: usize = 6;

/// So many are named where several could be meant.
const CANDIDATES_SHOWN: usize = 10;

/// So many columns of each text are shown there.
const CANDIDATE_COLUMNS: usize = 60;

/// What an id names.
pub(super) enum Found {
    Memory(Box<Memory>),
    Record(Box<StoredRecord>),
    Chunk(Box<StoredChunk>),
}

/// The memory, decision or part of a document that `text` names.
pub(super) fn thing(
    engine: &Engine,
    caller: &Caller,
    namespace: &Namespace,
    text: &str,
) -> Result<Found> {
    let text = text.trim();
    if text.starts_with(ChunkId::PREFIX) {
        return chunk(engine, caller, text);
    }
    let Some(digits) = digits(text) else { return Err(elsewhere(engine, caller, text)) };
    long_enough(text, &digits)?;
    let memories = memory::beginning(engine, caller, &digits)?;
    // What is spelt as a memory's id is no decision's.
    let mut records = match text.starts_with(MemoryId::PREFIX) {
        true => Vec::new(),
        false => {
            let namespace = record::read_in(caller, Some(namespace.clone()));
            record::beginning(engine, &namespace, &digits)?
        }
    };
    // The whole id of a decision may be the beginning of a memory's.
    if let Some(at) = records.iter().position(|found| found.record.id.to_string() == digits) {
        return Ok(Found::Record(Box::new(records.swap_remove(at))));
    }
    let told = |id: String, text: &str| {
        format!("\n  {id}  {}", cut(&one_line(text), Some(CANDIDATE_COLUMNS)))
    };
    let of_memories = memories.iter().map(|memory| told(memory.id.prefixed(), &memory.content));
    let of_records =
        records.iter().map(|found| told(found.record.id.to_string(), &found.record.title));
    let candidates: Vec<String> = of_memories.chain(of_records).collect();
    if candidates.len() > 1 {
        return Err(ambiguous(text, &candidates));
    }
    let memory = memories.into_iter().next().map(|memory| Found::Memory(Box::new(memory)));
    let record = records.into_iter().next().map(|record| Found::Record(Box::new(record)));
    memory.or(record).ok_or_else(|| elsewhere(engine, caller, text))
}

/// The memory that `text` names; what else it may name is told with what to type for it.
pub(super) fn memory(engine: &Engine, caller: &Caller, text: &str) -> Result<Memory> {
    match thing(engine, caller, &Namespace::default(), text)? {
        Found::Memory(memory) => Ok(*memory),
        Found::Record(stored) => {
            let id = stored.record.id;
            let why = format!(
                "{id} is a decision: `lorekeep decide TITLE --supersedes {id}` puts another in its place"
            );
            Err(Error::new(ErrorKind::InvalidValue, why))
        }
        Found::Chunk(chunk) => {
            let (id, path) = (chunk.id, &chunk.path);
            let why = format!(
                "{id} is a part of {path}: change that file, then `lorekeep index` it again"
            );
            Err(Error::new(ErrorKind::InvalidValue, why))
        }
    }
}

fn chunk(engine: &Engine, caller: &Caller, text: &str) -> Result<Found> {
    let unknown = || {
        let why = format!("there is no {text}; `lorekeep index PATH` reads files into the store");
        Error::new(ErrorKind::NotFound, why)
    };
    let id: ChunkId = text.parse().map_err(|_| unknown())?;
    match document::chunk(engine, caller, id) {
        Err(error) if error.kind == ErrorKind::NotFound => Err(unknown()),
        found => Ok(Found::Chunk(Box::new(found?))),
    }
}

/// The digits of an id or of its beginning, in any spelling; none if it is no such thing.
fn digits(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let text = bare_id(&text);
    let digits = text.strip_prefix(MemoryId::PREFIX).unwrap_or(text).replace('-', "");
    let is_id = (1..=32).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then_some(digits)
}

fn long_enough(text: &str, digits: &str) -> Result<()> {
    if digits.len() >= DIGITS_MIN {
        return Ok(());
    }
    let why = format!("{text:?} is too short for an id; it takes {DIGITS_MIN} digits or more");
    Err(Error::new(ErrorKind::InvalidValue, why))
}

fn ambiguous(text: &str, candidates: &[String]) -> Error {
    let (count, shown) = (candidates.len(), candidates.iter().take(CANDIDATES_SHOWN));
    let shown: String = shown.map(String::as_str).collect();
    let why =
        format!("{text} is the beginning of {count} ids; more digits tell them apart:{shown}");
    Error::new(ErrorKind::InvalidValue, why)
}

/// What is no memory and no decision: which command shows it, or what shows what there is.
fn elsewhere(engine: &Engine, caller: &Caller, text: &str) -> Error {
    if knowledge::show(engine, caller, text, false).is_ok() {
        let why = format!("{text} is a knowledge item: `lorekeep knowledge show {text}` shows it");
        return Error::new(ErrorKind::InvalidValue, why);
    }
    if fact::look(engine, caller, text, None).is_ok() {
        let why = format!("{text} is a thing of the graph: `lorekeep graph {text:?}` shows it");
        return Error::new(ErrorKind::InvalidValue, why);
    }
    let why = format!("there is no memory {text}; `lorekeep list` shows what there is");
    Error::new(ErrorKind::NotFound, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spelling_of_an_id_has_the_same_digits() {
        for text in ["mem_07F4BE", "07f4be", "07f4-be"] {
            assert_eq!(digits(text).as_deref(), Some("07f4be"), "{text}");
        }
        assert_eq!(digits("Heron"), None);
        assert_eq!(digits("mem_"), None);
        assert_eq!(digits(&"a".repeat(33)), None);
    }
}
