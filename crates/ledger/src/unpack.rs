//! A pack of ours, read whole.
//!
//! Only what we write is understood: commits, blobs, trees, and trees told by what differs from an
//! earlier one of the same pack. Anything else is none of ours, and none is returned.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use flate2::{Decompress, FlushDecompress, Status};

use crate::oid::{Kind, Oid, sha1};
use crate::pack::OFS_DELTA;

/// Where the ids begin in an index: behind its header and 256 counts.
const IDS: usize = 8 + 256 * 4;

/// What one byte of a squeezed stream can stand for at most: 258 bytes for every two bits.
const SQUEEZED_MAX: usize = 258 * 4;

/// A pack and what lies in it, in the order of the pack.
pub(crate) struct Unpacked<'a> {
    bytes: &'a [u8],
    pub(crate) items: Vec<Item>,
    /// Trees that later ones are told by, and by how many.
    awaited: HashMap<usize, usize>,
    trees: HashMap<usize, Rc<[u8]>>,
}

/// An object of a pack.
#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) id: Oid,
    pub(crate) kind: Kind,
    /// How long what is squeezed in it is.
    pub(crate) length: usize,
    offset: usize,
    base: Option<usize>,
    body: Range<usize>,
}

/// Whether the last 20 bytes are the checksum of the others.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    bytes.split_last_chunk::<20>().is_some_and(|(content, sum)| sha1(&[content]).0 == *sum)
}

impl<'a> Unpacked<'a> {
    pub(crate) fn read(bytes: &'a [u8], index: &[u8]) -> Option<Self> {
        if !is_whole(bytes) || !is_whole(index) || !bytes.starts_with(b"PACK\0\0\0\x02") {
            return None;
        }
        let places = places(index)?;
        let ends = places.iter().skip(1).map(|(offset, _)| *offset).chain([bytes.len() - 20]);
        let mut awaited = HashMap::new();
        let mut items = Vec::with_capacity(places.len());
        for ((offset, id), end) in places.iter().zip(ends) {
            let item = item(bytes, *offset, end, *id)?;
            if let Some(base) = item.base {
                *awaited.entry(base).or_default() += 1;
            }
            items.push(item);
        }
        Some(Self { bytes, items, awaited, trees: HashMap::new() })
    }

    /// The zlib stream of an object that is told whole.
    pub(crate) fn body(&self, item: &Item) -> &'a [u8] {
        &self.bytes[item.body.clone()]
    }

    /// Whether it is told whole, and not squeezed: by the first block of the stream.
    pub(crate) fn is_stored(&self, item: &Item) -> bool {
        item.base.is_none() && self.body(item).get(2).is_some_and(|block| block & 0b110 == 0)
    }

    /// What an object that is told whole says.
    pub(crate) fn content(&self, item: &Item) -> Option<Vec<u8>> {
        inflate(self.body(item), item.length)
    }

    /// What a tree says. They must be asked for one after the other: what no later one needs is
    /// forgotten.
    pub(crate) fn tree(&mut self, item: &Item) -> Option<Rc<[u8]>> {
        let told = self.content(item)?;
        let content: Rc<[u8]> = match item.base {
            None => told.into(),
            Some(base) => {
                let content = apply(self.trees.get(&base)?, &told)?;
                let left = self.awaited.get_mut(&base)?;
                *left -= 1;
                if *left == 0 {
                    self.trees.remove(&base);
                }
                content.into()
            }
        };
        if self.awaited.contains_key(&item.offset) {
            self.trees.insert(item.offset, Rc::clone(&content));
        }
        Some(content)
    }
}

/// Where objects lie by the index of a pack, in the order of the pack.
pub(crate) fn places(index: &[u8]) -> Option<Vec<(usize, Oid)>> {
    if !index.starts_with(b"\xfftOc\0\0\0\x02") {
        return None;
    }
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let count = number(IDS - 4)? as usize;
    let place = |at: usize| {
        let id = Oid::from_slice(index.get(IDS + at * 20..)?)?;
        // The first bit stands for a place beyond 2 GB.
        let offset = number(IDS + count * 24 + at * 4).filter(|offset| offset >> 31 == 0)?;
        Some((offset as usize, id))
    };
    let mut places: Vec<(usize, Oid)> = (0..count).map(place).collect::<Option<_>>()?;
    places.sort_unstable();
    Some(places)
}

fn item(bytes: &[u8], offset: usize, end: usize, id: Oid) -> Option<Item> {
    let mut at = offset;
    let mut next = || {
        at += 1;
        bytes.get(at - 1).copied()
    };
    let mut byte = next()?;
    let number = byte >> 4 & 7;
    let (mut length, mut shift) = (usize::from(byte & 15), 4);
    while byte & 0x80 != 0 {
        byte = next()?;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
    }
    let mut base = None;
    let kind = match number {
        1 => Kind::Commit,
        2 => Kind::Tree,
        3 => Kind::Blob,
        OFS_DELTA => {
            let mut byte = next()?;
            let mut back = usize::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next()?;
                back = (back + 1).checked_mul(128)? | usize::from(byte & 0x7f);
            }
            base = Some(offset.checked_sub(back)?);
            Kind::Tree
        }
        _ => return None,
    };
    bytes.get(at..end)?;
    Some(Item { id, kind, length, offset, base, body: at..end })
}

fn inflate(stream: &[u8], length: usize) -> Option<Vec<u8>> {
    // What is stored in one block needs no machine; its checksum is part of the pack's.
    if let [_, _, 1, low, high, _, _, rest @ ..] = stream
        && usize::from(u16::from_le_bytes([*low, *high])) == length
    {
        return rest.get(..length).map(<[u8]>::to_vec);
    }
    // The length is only told, and memory is asked for by it.
    if length > stream.len().saturating_mul(SQUEEZED_MAX) {
        return None;
    }
    let mut content = Vec::with_capacity(length + 1);
    let done = Decompress::new(true)
        .decompress_vec(stream, &mut content, FlushDecompress::Finish)
        .is_ok_and(|status| status == Status::StreamEnd);
    (done && content.len() == length).then_some(content)
}

/// Does to `base` what a difference says.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    if length(&mut rest)? != base.len() {
        return None;
    }
    let to = length(&mut rest)?;
    // No more than what seems right: the length is only told.
    let mut out = Vec::with_capacity(to.min(base.len() + delta.len()));
    while let Some(step) = next(&mut rest) {
        if step & 0x80 == 0 {
            let (new, behind) = rest.split_at_checked(usize::from(step))?;
            out.extend_from_slice(new);
            rest = behind;
            continue;
        }
        let (mut offset, mut count) = (0, 0);
        for bit in (0..4).filter(|bit| step & 1 << bit != 0) {
            offset |= usize::from(next(&mut rest)?) << (8 * bit);
        }
        for bit in (0..3).filter(|bit| step & 0x10 << bit != 0) {
            count |= usize::from(next(&mut rest)?) << (8 * bit);
        }
        let count = if count == 0 { 0x1_0000 } else { count };
        out.extend_from_slice(base.get(offset..offset.checked_add(count)?)?);
        if out.len() > to {
            return None;
        }
    }
    (out.len() == to).then_some(out)
}

fn next(rest: &mut &[u8]) -> Option<u8> {
    let (first, behind) = rest.split_first()?;
    *rest = behind;
    Some(*first)
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let (mut length, mut shift) = (0, 0);
    loop {
        let byte = next(rest)?;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length of 2 to the power of 62.
    const HUGE: [u8; 9] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40];

    #[test]
    fn no_memory_is_asked_for_by_a_length_that_is_only_told() {
        let told = length(&mut &HUGE[..]).expect("a length");
        assert!(told > 1 << 60);
        assert_eq!(inflate(b"\x78\x01\x03\0\0\0\0\x01", told), None);
        let delta = [&[3][..], &HUGE, &[0x90, 3]].concat();
        assert_eq!(apply(b"abc", &delta), None);
    }

    #[test]
    fn what_is_squeezed_most_is_read() {
        use std::io::Write;
        let zeros = vec![0; 1 << 20];
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&zeros).expect("written");
        assert_eq!(inflate(&encoder.finish().expect("squeezed"), zeros.len()), Some(zeros));
    }
}
