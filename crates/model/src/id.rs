//! Identities: how a memory is named, and how a text is recognised again.

use std::fmt;
use std::str::FromStr;

use uuid::{Uuid, Variant};

use crate::record::RecordId;

/// The identity of a memory: a version 4 UUID.
///
/// It has two spellings: the plain UUID (`7f1c…-…`), which [`fmt::Display`] writes, and `mem_` with
/// the 32 hex digits. Every tool that takes an id takes both, and what lies between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(Uuid);

impl MemoryId {
    /// The prefix of the second spelling.
    pub const PREFIX: &'static str = "mem_";

    /// A memory id from random bytes; the version and variant bits are set here.
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// The id stored as these bytes, if they are a version 4 UUID.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        Some(Uuid::from_bytes(bytes)).filter(is_version_4).map(Self)
    }

    /// The bytes the store keeps.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The spelling with the prefix: `mem_` and 32 hex digits.
    pub fn prefixed(&self) -> String {
        format!("{}{}", Self::PREFIX, self.0.simple())
    }
}

fn is_version_4(uuid: &Uuid) -> bool {
    uuid.get_version_num() == 4 && uuid.get_variant() == Variant::RFC4122
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// The text is no spelling of a memory id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAMemoryId;

impl FromStr for MemoryId {
    type Err = NotAMemoryId;

    fn from_str(text: &str) -> Result<Self, NotAMemoryId> {
        let digits = text.strip_prefix(Self::PREFIX).unwrap_or(text);
        let plain =
            matches!(digits.len(), 32 | 36) && !digits.bytes().any(|b| b.is_ascii_uppercase());
        let uuid = Uuid::try_parse(digits).map_err(|_| NotAMemoryId)?;
        if plain && is_version_4(&uuid) { Ok(Self(uuid)) } else { Err(NotAMemoryId) }
    }
}

/// The identity of a chunk: a number that is given once. It is written as `chunk_` and hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId(pub u64);

impl ChunkId {
    /// What stands before the digits.
    pub const PREFIX: &'static str = "chunk_";

    /// How many digits are written.
    const DIGITS: usize = 12;
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:0width$x}", Self::PREFIX, self.0, width = Self::DIGITS)
    }
}

/// The text is no spelling of a chunk's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAChunkId;

impl FromStr for ChunkId {
    type Err = NotAChunkId;

    fn from_str(text: &str) -> Result<Self, NotAChunkId> {
        let number = text
            .strip_prefix(Self::PREFIX)
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(Self);
        // One chunk has one spelling.
        number.filter(|id| id.to_string() == text).ok_or(NotAChunkId)
    }
}

/// What kind of thing a search can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Noun {
    /// A memory.
    Memory,
    /// A part of a document.
    Document,
    /// A record of the ledger.
    Record,
}

impl Noun {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Document, Self::Record];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Document => "document",
            Self::Record => "record",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|noun| noun.name() == name)
    }
}

/// Something that a search can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// A memory.
    Memory(MemoryId),
    /// A part of a document.
    Chunk(ChunkId),
    /// A record of the ledger.
    Record(RecordId),
}

impl Subject {
    /// What kind of thing it is.
    pub const fn noun(self) -> Noun {
        match self {
            Self::Memory(_) => Noun::Memory,
            Self::Chunk(_) => Noun::Document,
            Self::Record(_) => Noun::Record,
        }
    }

    /// The memory's id, if it is one.
    pub fn memory(self) -> Option<MemoryId> {
        match self {
            Self::Memory(id) => Some(id),
            Self::Chunk(_) | Self::Record(_) => None,
        }
    }

    /// The chunk's id, if it is one.
    pub fn chunk(self) -> Option<ChunkId> {
        match self {
            Self::Chunk(id) => Some(id),
            Self::Memory(_) | Self::Record(_) => None,
        }
    }

    /// The record's id, if it is one.
    pub fn record(self) -> Option<RecordId> {
        match self {
            Self::Record(id) => Some(id),
            Self::Memory(_) | Self::Chunk(_) => None,
        }
    }
}

/// SHA-256 of a content after trimming: how the same text is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_name_the_same_memory() {
        let id = MemoryId::from_random([7; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.prefixed().parse(), Ok(id));
        assert_eq!(MemoryId::from_bytes(*id.as_bytes()), Some(id));
        assert_eq!(id.prefixed().len(), 36);
    }

    #[test]
    fn what_is_no_version_4_uuid_is_no_id() {
        for text in [
            "",
            "mem_",
            "mem_abc123",
            "07070707-0707-1707-8707-070707070707",
            "07070707-0707-4707-0707-070707070707",
            "07070707-0707-4707-8707-07070707070",
            "07070707-0707-4707-8707-07070707070A",
            "mem_mem_07070707070747078707070707070707",
            "{07070707-0707-4707-8707-070707070707}",
        ] {
            assert_eq!(text.parse::<MemoryId>(), Err(NotAMemoryId), "{text}");
        }
        for text in [
            "07070707-0707-4707-8707-070707070707",
            "07070707070747078707070707070707",
            "mem_07070707-0707-4707-8707-070707070707",
            "mem_07070707070747078707070707070707",
        ] {
            assert_eq!(text.parse(), Ok(MemoryId::from_random([7; 16])), "{text}");
        }
    }
}
