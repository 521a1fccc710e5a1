//! The embedder's table, read where it lies: names of tokens, their rows, classes of characters.
//!
//! `scripts/make-embedding-table` writes it. Numbers are little-endian, nothing is aligned:
//!
//! | part | size | what |
//! |---|---|---|
//! | magic | 8 | `LKSEMB\0\1` |
//! | header | 8 × u32 | version, tokens, dimensions, slots, bytes of names, longest name, unknown token, ranges |
//! | ranges | 8 each | u32: first character, its class in the upper 8 bits; u32: last character; ascending |
//! | slots | u16 each | a hash table over the names (FNV-1a, then the next slot): token + 1, or 0 if free |
//! | ends | u32 each | where the name of each token ends in the names |
//! | names | | UTF-8, one behind the other; what continues a word has `##` in front |
//! | rows | 4 + 256 each | f32 scale, then an i8 for each dimension |
//!
//! The table is taken apart while compiling: a file of another shape does not build, and at run time
//! there is nothing to load. No text is folded here, and nothing is summed.

use super::DIMENSIONS;

const MAGIC: [u8; 8] = *b"LKSEMB\0\x01";
const VERSION: usize = 1;
const HEADER_BYTES: usize = 8 + 8 * 4;
const ROW_BYTES: usize = 4 + DIMENSIONS;

/// How many slots the hash table has.
const SLOTS: usize = 1 << 16;

/// No name of a token is longer than this.
const NAME_BYTES_MAX: usize = 32;

/// A token's number, which is its row.
pub(crate) type Token = u16;

/// What the tokenizer does with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing: it is part of a word.
    Plain,
    /// Control characters and the like vanish.
    Dropped,
    /// Accents vanish once they stand alone.
    Mark,
    /// It is a word of its own.
    Punctuation,
    /// It is set apart before it is folded.
    Ideograph,
}

/// The parts of the table.
pub(crate) struct Table {
    ranges: &'static [[u8; 8]],
    slots: &'static [[u8; 2]; SLOTS],
    ends: &'static [[u8; 4]],
    names: &'static [u8],
    rows: &'static [[u8; ROW_BYTES]],
    name_bytes_max: usize,
    unknown: Token,
}

/// One token's vector: `scale` times each code, which is an i8.
pub(crate) struct Row<'a> {
    pub(crate) scale: f32,
    pub(crate) codes: &'a [u8],
}

impl Table {
    /// Takes the table apart; panics, which is to say does not compile, if it has another shape.
    pub(crate) const fn over(bytes: &'static [u8]) -> Table {
        let (header, rest) = bytes.split_at(HEADER_BYTES);
        let mut at = 0;
        while at < MAGIC.len() {
            assert!(header[at] == MAGIC[at], "not an embedding table");
            at += 1;
        }
        assert!(header_number(header, 0) == VERSION, "another version of the format");
        assert!(header_number(header, 2) == DIMENSIONS, "another number of dimensions");
        let (tokens, slots) = (header_number(header, 1), header_number(header, 3));
        assert!(tokens < slots && slots == SLOTS, "slots are numbered by the lower 16 bits");
        let (ranges, rest) = rest.split_at(header_number(header, 7) * 8);
        let (slots, rest) = rest.split_at(slots * 2);
        let (ends, rest) = rest.split_at(tokens * 4);
        let (names, rows) = rest.split_at(header_number(header, 4));
        assert!(rows.len() == tokens * ROW_BYTES, "the rows are not as long as they should be");
        let name_bytes_max = header_number(header, 5);
        assert!(name_bytes_max <= NAME_BYTES_MAX, "a longer name than any");
        Table {
            ranges: ranges.as_chunks().0,
            slots: match slots.as_chunks().0.first_chunk() {
                Some(slots) => slots,
                None => panic!("another number of slots"),
            },
            ends: ends.as_chunks().0,
            names,
            rows: rows.as_chunks().0,
            name_bytes_max,
            unknown: header_number(header, 6) as Token,
        }
    }

    /// What stands for a word that is not in the table.
    pub(crate) fn unknown(&self) -> Token {
        self.unknown
    }

    /// What the tokenizer does with a character.
    pub(crate) fn class(&self, c: char) -> Class {
        if c.is_ascii_alphanumeric() || c == ' ' {
            return Class::Plain;
        }
        let bounds = |range: &[u8; 8]| {
            let [a, b, c, class, last @ ..] = *range;
            (u32::from_le_bytes([a, b, c, 0]), u32::from_le_bytes(last), class)
        };
        let at = self.ranges.partition_point(|range| bounds(range).1 < u32::from(c));
        match self.ranges.get(at).map(bounds) {
            Some((first, _, class)) if first <= u32::from(c) => match class {
                1 => Class::Dropped,
                2 => Class::Mark,
                3 => Class::Punctuation,
                _ => Class::Ideograph,
            },
            _ => Class::Plain,
        }
    }

    /// The token with the longest name that is `prefix` and a beginning of `text`, and how many
    /// bytes of `text` that is.
    pub(crate) fn longest(&self, prefix: &str, text: &str) -> Option<(Token, usize)> {
        let longest = text.len().min(self.name_bytes_max.saturating_sub(prefix.len()));
        let mut hashes = [0; NAME_BYTES_MAX + 1];
        hashes[0] = fnv1a(FNV_START, prefix.as_bytes());
        for (at, byte) in text.bytes().take(longest).enumerate() {
            hashes[at + 1] = fnv1a(hashes[at], &[byte]);
        }
        let ends = (1..=longest).rev().filter(|end| text.is_char_boundary(*end));
        ends.map(|end| (self.find(hashes[end], prefix, &text[..end]), end))
            .find_map(|(token, end)| Some((token?, end)))
    }

    /// The token that is called `prefix` and `text`, if there is one; `hash` is FNV-1a over both.
    pub(crate) fn find(&self, hash: u32, prefix: &str, text: &str) -> Option<Token> {
        for step in 0..SLOTS {
            let slot = self.slots[(hash as usize).wrapping_add(step) % SLOTS];
            let token = u16::from_le_bytes(slot).checked_sub(1)?;
            let name = self.name(token);
            // Most names that lie here by chance have another length.
            if name.len() == prefix.len() + text.len()
                && name.starts_with(prefix.as_bytes())
                && name.ends_with(text.as_bytes())
            {
                return Some(token);
            }
        }
        None
    }

    /// All tokens.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = Token> {
        (0..self.rows.len()).map(|token| token as Token)
    }

    /// The names of all tokens, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static [u8]> {
        self.tokens().map(|token| self.name(token))
    }

    fn name(&self, token: Token) -> &'static [u8] {
        let end = |token: usize| u32::from_le_bytes(self.ends[token]) as usize;
        let token = usize::from(token);
        let start = token.checked_sub(1).map_or(0, end);
        &self.names[start..end(token)]
    }

    /// A token's vector.
    pub(crate) fn row(&self, token: Token) -> Row<'static> {
        let [a, b, c, d, codes @ ..] = &self.rows[usize::from(token)];
        Row { scale: f32::from_le_bytes([*a, *b, *c, *d]), codes }
    }
}

/// The number at a place of the header.
const fn header_number(header: &[u8], place: usize) -> usize {
    let at = MAGIC.len() + place * 4;
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize
}

pub(crate) const FNV_START: u32 = 0x811C_9DC5;

/// FNV-1a, continued over more bytes.
pub(crate) fn fnv1a(hash: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{BYTES, TABLE};
    use sha2::{Digest, Sha256};

    fn manifest() -> serde_json::Value {
        serde_json::from_str(include_str!("../../assets/potion-base-8M.json")).expect("manifest")
    }

    #[test]
    fn the_table_is_the_one_of_the_manifest() {
        let manifest = manifest();
        let sum: String = Sha256::digest(BYTES).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(manifest["output"]["sha256"], sum);
        assert_eq!(manifest["output"]["bytes"], BYTES.len());
        assert_eq!(manifest["tokens"], TABLE.rows.len());
        assert_eq!(manifest["dimensions"], DIMENSIONS);
        assert_eq!(manifest["model"], crate::embed::MODEL_ID);
        assert_eq!(manifest["tokenizer"]["unknown_token"], TABLE.unknown());
    }

    #[test]
    fn every_token_is_found_by_its_name() {
        for token in 0..TABLE.rows.len() as Token {
            let name = std::str::from_utf8(TABLE.name(token)).expect("names are UTF-8");
            let (prefix, text) = name.split_at(if name.starts_with("##") { 2 } else { 0 });
            assert_eq!(TABLE.longest(prefix, text), Some((token, text.len())), "{name}");
        }
    }

    #[test]
    fn ranges_ascend() {
        let number = |bytes: &[u8]| {
            bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let ranges: Vec<_> =
            TABLE.ranges.iter().map(|r| (number(&r[..3]), number(&r[4..]))).collect();
        assert!(ranges.iter().all(|(first, last)| first <= last));
        assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn characters_have_classes() {
        for (class, chars) in [
            (Class::Plain, "aZ9 \n\u{a0}é√🙂"),
            (Class::Dropped, "\0\u{1b}\u{85}\u{200b}\u{fffd}\u{e000}"),
            (Class::Mark, "\u{301}\u{94d}"),
            (Class::Punctuation, "!$+<~_«…、"),
            (Class::Ideograph, "漢㐀豈"),
        ] {
            for c in chars.chars() {
                assert_eq!(TABLE.class(c), class, "{c:?}");
            }
        }
    }
}
