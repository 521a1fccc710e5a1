//! Ids of git's objects: SHA-1 of a header and the content.

use std::fmt;
use std::str::FromStr;

use sha1::{Digest, Sha1};

/// The id of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Oid(pub(crate) [u8; 20]);

/// The id of a commit: 40 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommitId(pub(crate) Oid);

/// The text is no id of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACommitId;

/// What an object is; the number is the one of packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Commit = 1,
    Tree = 2,
    Blob = 3,
}

impl Kind {
    /// As git writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }
}

/// The id of the tree without entries.
pub(crate) fn empty_tree() -> Oid {
    Oid::of(Kind::Tree, b"")
}

impl Oid {
    /// The id of an object of this kind and content.
    pub(crate) fn of(kind: Kind, content: &[u8]) -> Self {
        let header = format!("{} {}\0", kind.name(), content.len());
        sha1(&[header.as_bytes(), content])
    }

    /// The id in the first 20 bytes, if there are as many.
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.get(..20)?.try_into().ok().map(Self)
    }

    /// As gix has it.
    pub(crate) fn to_gix(self) -> gix::ObjectId {
        gix::ObjectId::Sha1(self.0)
    }
}

/// SHA-1 of all the parts together. Not by gix: its hasher looks for collision attacks, which makes
/// it slower, and fallible; what we hash is text that we hold already.
pub(crate) fn sha1(parts: &[&[u8]]) -> Oid {
    let mut hasher = Sha1::new();
    parts.iter().for_each(|part| hasher.update(part));
    Oid(hasher.finalize().into())
}

/// Git's id of a file with this content.
pub fn blob_id(content: &[u8]) -> String {
    Oid::of(Kind::Blob, content).to_string()
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(40);
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Oid {
    type Err = NotACommitId;

    fn from_str(text: &str) -> Result<Self, NotACommitId> {
        let digit = |b: u8| match b {
            b'0'..=b'9' => Some(b - b'0'),
            b'a'..=b'f' => Some(b - b'a' + 10),
            _ => None,
        };
        let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks_exact(2).map(pair).collect();
        let whole = bytes.filter(|_| text.len() == 40);
        whole.and_then(|bytes| Self::from_slice(&bytes)).ok_or(NotACommitId)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({})", self.0)
    }
}

impl FromStr for CommitId {
    type Err = NotACommitId;

    fn from_str(text: &str) -> Result<Self, NotACommitId> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(blob_id(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_id(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(empty_tree().to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }

    #[test]
    fn a_commit_id_has_one_spelling() {
        let text = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(text.parse::<CommitId>().map(|id| id.to_string()).as_deref(), Ok(text));
        for text in ["", "4b825dc6", &text.to_uppercase(), &format!("{text}00"), &"é".repeat(20)] {
            assert_eq!(text.parse::<CommitId>(), Err(NotACommitId), "{text}");
        }
    }
}
