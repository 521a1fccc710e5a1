//! An index in one piece of bytes, so that a start need not read every row.
//!
//! A snapshot is a cache of what the rows say: it is only taken for what it is if its version, its
//! model and its checksum are right, and thrown away otherwise. Numbers are little-endian; a list is
//! its length and its items.

use model::{ChunkId, Layer, MemoryId, Noun, RecordId, Scope, Subject};

use super::postings::{List, Postings};
use super::{ARCHIVED, Index, NONE, Slot};
use crate::vector::Vectors;

/// Goes up whenever terms, vectors or this format change.
pub const SNAPSHOT_VERSION: u32 = 3;

const MAGIC: [u8; 8] = *b"LKINDEX\0";

/// Which index a snapshot holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The model of its vectors.
    pub model: String,
    /// Up to which change of the store it goes.
    pub at: i64,
    /// That change's mark, by which the store's history is recognised.
    pub mark: i64,
}

impl Index {
    /// The index as bytes.
    pub fn to_bytes(&self, header: &Header) -> Vec<u8> {
        let mut out = Out(Vec::new());
        out.0.extend(MAGIC);
        out.0.extend(SNAPSHOT_VERSION.to_le_bytes());
        out.text(&header.model);
        out.0.extend(header.at.to_le_bytes());
        out.0.extend(header.mark.to_le_bytes());
        out.number(self.vectors.dimensions());
        self.write_places(&mut out);
        self.write_postings(&mut out);
        out.list(&self.words, |word| word.to_le_bytes());
        out.list(&self.word_ends, |end| end.to_le_bytes());
        let (codes, scales) = self.vectors.as_parts();
        out.number(codes.len());
        out.0.extend(codes.iter().map(|code| code.to_le_bytes()[0]));
        out.list(scales, |scale| scale.to_le_bytes());
        let sum = checksum(&out.0);
        out.0.extend(sum.to_le_bytes());
        out.0
    }

    fn write_places(&self, out: &mut Out) {
        out.number(self.homes.len());
        for (scope, noun) in &self.homes {
            out.text(scope.layer.name());
            out.text(&scope.owner);
            out.text(noun.name());
        }
        let mut tags: Vec<(&str, u32)> =
            self.tag_ids.iter().map(|(tag, id)| (&**tag, *id)).collect();
        tags.sort_unstable_by_key(|(_, id)| *id);
        out.number(tags.len());
        tags.iter().for_each(|(tag, _)| out.text(tag));
        out.list(&self.places, |place| place.to_le_bytes());
        for slot in &self.slots {
            out.0.extend(slot.key.to_le_bytes());
            out.subject(slot.subject);
            out.0.extend(slot.hash);
            out.0.extend(slot.created.to_le_bytes());
            out.0.extend(slot.thread.to_le_bytes());
            out.0.extend(slot.before.to_le_bytes());
            out.0.extend(slot.after.to_le_bytes());
        }
        self.tags.iter().for_each(|tags| out.list(tags, |tag| tag.to_le_bytes()));
    }

    fn write_postings(&self, out: &mut Out) {
        let postings = &self.postings;
        out.number(postings.ids.len());
        for (term, id) in &postings.ids {
            let list = &postings.lists[*id as usize];
            out.text(term);
            out.0.extend(id.to_le_bytes());
            out.list(&list.slots, |slot| slot.to_le_bytes());
            out.0.extend(&list.counts);
            out.0.extend(list.holding.to_le_bytes());
        }
        out.list(&postings.ends, |end| end.to_le_bytes());
        out.list(&postings.terms, |term| term.to_le_bytes());
        out.list(&postings.lengths, |length| length.to_le_bytes());
        out.0.extend(postings.live.to_le_bytes());
        out.0.extend(postings.live_length.to_le_bytes());
    }

    /// Whose index lies in these bytes, whether or not the rest is whole.
    pub fn header(bytes: &[u8]) -> Option<Header> {
        In(bytes).header()
    }

    /// The index of `bytes`; none if they are not such a thing, or not whole.
    pub fn from_bytes(bytes: &[u8]) -> Option<(Self, Header)> {
        let (rest, sum) = bytes.split_last_chunk()?;
        if checksum(rest) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut input = In(rest);
        let header = input.header()?;
        let dimensions = input.number()?;
        let mut index = Self::new(dimensions);
        index.read_places(&mut input)?;
        index.postings = read_postings(&mut input)?;
        index.words = input.list(u16::from_le_bytes)?;
        index.word_ends = input.list(u64::from_le_bytes)?;
        let length = input.number()?;
        let codes = input.take(length)?.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        let scales = input.list(f32::from_le_bytes)?;
        index.vectors = Vectors::from_parts(dimensions, codes, scales)?;
        if !index.is_consistent() {
            return None;
        }
        index.count();
        Some((index, header))
    }

    fn read_places(&mut self, input: &mut In<'_>) -> Option<()> {
        for _ in 0..input.number()? {
            let layer = Layer::named(input.text()?)?;
            let scope = Scope { layer, owner: input.text()?.to_owned() };
            self.home_id(&scope, Noun::named(input.text()?)?);
        }
        for _ in 0..input.number()? {
            self.tag_id(input.text()?);
        }
        self.places = input.list(u32::from_le_bytes)?;
        let count = self.places.len();
        self.slots.reserve(count);
        self.tags.reserve(count);
        self.by_key.reserve(count);
        for at in 0..self.places.len() {
            let slot = Slot {
                key: i64::from_le_bytes(input.array()?),
                subject: input.subject()?,
                hash: input.array()?,
                created: i64::from_le_bytes(input.array()?),
                thread: u64::from_le_bytes(input.array()?),
                before: u32::from_le_bytes(input.array()?),
                after: u32::from_le_bytes(input.array()?),
            };
            if self.places[at] != NONE {
                self.by_key.insert(slot.key, at as u32);
                if slot.after == NONE {
                    self.lasts.insert(slot.thread, at as u32);
                }
            }
            self.slots.push(slot);
        }
        for at in 0..self.places.len() {
            let tags = input.list(u32::from_le_bytes)?;
            for tag in &tags {
                self.tagged.get_mut(*tag as usize)?.push(at as u32);
            }
            self.tags.push(tags.into());
        }
        Some(())
    }

    /// Whether every number that points somewhere points at something.
    fn is_consistent(&self) -> bool {
        let count = self.slots.len();
        let is_slot = |slot: u32| slot == NONE || (slot as usize) < count;
        let is_home =
            |place: u32| place == NONE || ((place & !ARCHIVED) as usize) < self.homes.len();
        let postings = &self.postings;
        self.places.iter().all(|place| is_home(*place))
            && self.vectors.len() == count
            && postings.lengths.len() == count
            && are_ends(&postings.ends, count, postings.terms.len())
            && are_ends(&self.word_ends, count, self.words.len())
            && postings.terms.iter().all(|term| (*term as usize) < postings.lists.len())
            && self.slots.iter().all(|slot| is_slot(slot.before) && is_slot(slot.after))
    }
}

/// Whether these are the ends of `count` parts of something so long.
fn are_ends(ends: &[u64], count: usize, length: usize) -> bool {
    ends.len() == count && ends.is_sorted() && ends.last().copied().unwrap_or(0) == length as u64
}

fn read_postings(input: &mut In<'_>) -> Option<Postings> {
    let mut postings = Postings::default();
    let terms = input.number()?;
    let room = terms.min(input.0.len());
    postings.lists.resize(room, List::default());
    // They are written in order, and a tree that is made of all at once is made faster.
    let mut ids: Vec<(Box<str>, u32)> = Vec::with_capacity(room);
    for _ in 0..terms {
        let term = input.text()?;
        let id = u32::from_le_bytes(input.array()?);
        let slots = input.list(u32::from_le_bytes)?;
        let counts = input.take(slots.len())?.to_vec();
        let holding = u32::from_le_bytes(input.array()?);
        *postings.lists.get_mut(id as usize)? = List { slots, counts, holding };
        ids.push((term.into(), id));
    }
    postings.ids = ids.into_iter().collect();
    postings.ends = input.list(u64::from_le_bytes)?;
    postings.terms = input.list(u32::from_le_bytes)?;
    postings.lengths = input.list(u32::from_le_bytes)?;
    postings.live = u64::from_le_bytes(input.array()?);
    postings.live_length = u64::from_le_bytes(input.array()?);
    Some(postings)
}

/// Bytes that grow.
struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, number: usize) {
        self.0.extend((number as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }

    fn subject(&mut self, subject: Subject) {
        match subject {
            Subject::Memory(id) => {
                self.0.push(0);
                self.0.extend(id.as_bytes());
            }
            Subject::Chunk(id) => {
                self.0.push(1);
                self.0.extend(id.0.to_le_bytes());
            }
            Subject::Record(id) => {
                self.0.push(2);
                self.0.extend(id.0);
            }
        }
    }

    fn list<T, const N: usize>(&mut self, items: &[T], bytes: impl Fn(&T) -> [u8; N]) {
        self.number(items.len());
        self.0.extend(items.iter().flat_map(bytes));
    }
}

/// Bytes that are left to be read.
struct In<'a>(&'a [u8]);

impl<'a> In<'a> {
    fn header(&mut self) -> Option<Header> {
        let is_ours = self.array()? == MAGIC && self.array()? == SNAPSHOT_VERSION.to_le_bytes();
        let model = is_ours.then(|| self.text())??.to_owned();
        let at = i64::from_le_bytes(self.array()?);
        Some(Header { model, at, mark: i64::from_le_bytes(self.array()?) })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn subject(&mut self) -> Option<Subject> {
        match self.array()? {
            [0] => Some(Subject::Memory(MemoryId::from_bytes(self.array()?)?)),
            [1] => Some(Subject::Chunk(ChunkId(u64::from_le_bytes(self.array()?)))),
            [2] => Some(Subject::Record(RecordId(self.array()?))),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn list<T, const N: usize>(&mut self, item: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let bytes = self.number()?.checked_mul(N)?;
        Some(self.take(bytes)?.as_chunks::<N>().0.iter().map(|bytes| item(*bytes)).collect())
    }
}

/// Tells a whole file from a torn one: FNV-1a over words of 8 bytes. It protects nothing.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0100_0000_01B3).rotate_left(23);
    let sum =
        words.iter().fold(0xCBF2_9CE4_8422_2325, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}
