//! Packs: the objects of one call as one file and its index (`.idx`, version 2).
//!
//! Nothing is squeezed that is small: the time it takes is worth more than the bytes, and `tidy`
//! does it later. Of a folder that changes several times in one pack, only what changed is told.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::oid::{Kind, Oid, sha1};

/// Contents that are longer are squeezed, if they are text.
const STORED_BYTES_MAX: usize = 4096;

/// How long a chain of differences gets before the whole is told again.
pub(crate) const CHAIN_MAX: usize = 40;

/// A number of packs: an object that tells what differs from one before it.
pub(crate) const OFS_DELTA: u8 = 6;

/// A pack in the making.
pub(crate) struct Pack {
    bytes: Vec<u8>,
    objects: Vec<Packed>,
    known: HashMap<Oid, u64>,
}

#[derive(Clone, Copy)]
struct Packed {
    id: Oid,
    crc: u32,
    offset: u64,
}

/// A pack as it goes to the disk.
pub(crate) struct Finished {
    pub(crate) name: Oid,
    pub(crate) pack: Vec<u8>,
    pub(crate) index: Vec<u8>,
}

impl Pack {
    pub(crate) fn new() -> Self {
        Self::with_capacity(64 * 1024)
    }

    /// With room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        let mut bytes = Vec::with_capacity(bytes);
        // Where the number of objects will be is left open.
        bytes.extend_from_slice(b"PACK\0\0\0\x02\0\0\0\0");
        Self { bytes, objects: Vec::new(), known: HashMap::new() }
    }

    /// Adds an object and says where it lies. What is there already is not added again.
    pub(crate) fn add(&mut self, kind: Kind, id: Oid, content: &[u8]) -> u64 {
        if let Some(offset) = self.known.get(&id) {
            return *offset;
        }
        let squeezed = kind == Kind::Blob && content.len() > STORED_BYTES_MAX;
        let offset = self.bytes.len();
        header(&mut self.bytes, kind as u8, content.len());
        if !squeezed || !squeeze(&mut self.bytes, content) {
            store(&mut self.bytes, content);
        }
        self.note(id, offset)
    }

    /// Adds a tree by what differs from `base`, which lies at `base_offset`.
    pub(crate) fn add_delta(&mut self, id: Oid, base: &[u8], base_offset: u64, to: &[u8]) -> u64 {
        if let Some(offset) = self.known.get(&id) {
            return *offset;
        }
        let offset = self.bytes.len();
        let delta = delta(base, to);
        header(&mut self.bytes, OFS_DELTA, delta.len());
        distance(&mut self.bytes, offset as u64 - base_offset);
        store(&mut self.bytes, &delta);
        self.note(id, offset)
    }

    /// Whether an object is there already.
    pub(crate) fn has(&self, id: Oid) -> bool {
        self.known.contains_key(&id)
    }

    /// Adds an object that is not there yet as the zlib stream it is in another pack.
    pub(crate) fn add_stream(&mut self, kind: Kind, id: Oid, length: usize, stream: &[u8]) -> u64 {
        let offset = self.bytes.len();
        header(&mut self.bytes, kind as u8, length);
        self.bytes.extend_from_slice(stream);
        self.note(id, offset)
    }

    fn note(&mut self, id: Oid, offset: usize) -> u64 {
        let crc = crc32fast::hash(&self.bytes[offset..]);
        let offset = offset as u64;
        self.objects.push(Packed { id, crc, offset });
        self.known.insert(id, offset);
        offset
    }

    pub(crate) fn finish(mut self) -> Finished {
        let count = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        self.bytes[8..12].copy_from_slice(&count.to_be_bytes());
        let name = sha1(&[&self.bytes]);
        self.bytes.extend_from_slice(&name.0);
        self.objects.sort_unstable_by_key(|object| object.id);
        let index = index(&self.objects, name);
        Finished { name, pack: self.bytes, index }
    }
}

/// The index of a pack: how many ids start with up to each byte, ids, checksums, places.
fn index(objects: &[Packed], pack: Oid) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1100 + objects.len() * 28);
    bytes.extend_from_slice(b"\xfftOc\0\0\0\x02");
    let mut at = 0;
    for first in 0..=u8::MAX {
        while objects.get(at).is_some_and(|object| object.id.0[0] <= first) {
            at += 1;
        }
        bytes.extend_from_slice(&u32::try_from(at).unwrap_or(u32::MAX).to_be_bytes());
    }
    objects.iter().for_each(|object| bytes.extend_from_slice(&object.id.0));
    objects.iter().for_each(|object| bytes.extend_from_slice(&object.crc.to_be_bytes()));
    let mut far: Vec<u64> = Vec::new();
    for object in objects {
        let near = u32::try_from(object.offset).ok().filter(|offset| offset >> 31 == 0);
        let told = near.unwrap_or_else(|| {
            far.push(object.offset);
            1 << 31 | u32::try_from(far.len() - 1).unwrap_or_default()
        });
        bytes.extend_from_slice(&told.to_be_bytes());
    }
    far.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_be_bytes()));
    bytes.extend_from_slice(&pack.0);
    let checksum = sha1(&[&bytes]);
    bytes.extend_from_slice(&checksum.0);
    bytes
}

/// Kind and length of an object.
fn header(out: &mut Vec<u8>, kind: u8, length: usize) {
    let mut byte = kind << 4 | (length & 15) as u8;
    let mut rest = length >> 4;
    while rest > 0 {
        out.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    out.push(byte);
}

/// How far back the base of a difference lies.
fn distance(out: &mut Vec<u8>, mut back: u64) {
    let mut digits = vec![(back & 0x7f) as u8];
    while back >> 7 > 0 {
        back = (back >> 7) - 1;
        digits.push((back & 0x7f) as u8 | 0x80);
    }
    out.extend(digits.iter().rev());
}

/// zlib's frame around bytes as they are.
fn store(out: &mut Vec<u8>, content: &[u8]) {
    const BLOCK_BYTES_MAX: usize = u16::MAX as usize;
    out.extend_from_slice(&[0x78, 0x01]);
    let blocks = content.len().div_ceil(BLOCK_BYTES_MAX).max(1);
    for at in 0..blocks {
        let start = at * BLOCK_BYTES_MAX;
        let block = &content[start..content.len().min(start + BLOCK_BYTES_MAX)];
        let length = block.len() as u16;
        out.push(u8::from(at + 1 == blocks));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend_from_slice(&simd_adler32::adler32(&content).to_be_bytes());
}

/// The same, squeezed. False, and nothing is written, if that failed.
fn squeeze(out: &mut Vec<u8>, content: &[u8]) -> bool {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let bytes = encoder.write_all(content).and_then(|()| encoder.finish());
    bytes.map(|bytes| out.extend_from_slice(&bytes)).is_ok()
}

/// What must be done to `from` to get `to`: what both begin and end with is copied.
fn delta(from: &[u8], to: &[u8]) -> Vec<u8> {
    let same = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let (rest_from, rest_to) = (&from[same..], &to[same..]);
    let end = rest_from.iter().rev().zip(rest_to.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut out = Vec::with_capacity(64);
    length(&mut out, from.len());
    length(&mut out, to.len());
    copy(&mut out, 0, same);
    for new in rest_to[..rest_to.len() - end].chunks(0x7f) {
        out.push(new.len() as u8);
        out.extend_from_slice(new);
    }
    copy(&mut out, from.len() - end, end);
    out
}

fn length(out: &mut Vec<u8>, mut length: usize) {
    while length > 0x7f {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Copies `count` bytes at `offset`, in steps of what one instruction can say.
fn copy(out: &mut Vec<u8>, mut offset: usize, mut count: usize) {
    const COPIED_MAX: usize = 0xffff;
    while count > 0 {
        let now = count.min(COPIED_MAX);
        let place = out.len();
        out.push(0x80);
        for (bit, byte) in (offset as u32).to_le_bytes().into_iter().enumerate() {
            if byte != 0 {
                out[place] |= 1 << bit;
                out.push(byte);
            }
        }
        for (bit, byte) in (now as u16).to_le_bytes().into_iter().enumerate() {
            if byte != 0 {
                out[place] |= 0x10 << bit;
                out.push(byte);
            }
        }
        (offset, count) = (offset + now, count - now);
    }
}
