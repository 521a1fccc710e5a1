//! `package.json`.
//!
//! Whether it is JSON at all is asked first; what then goes through it for the places of the names
//! can rely on it.

use serde::de::IgnoredAny;

use super::{Flaw, Found};

/// The objects that hold dependencies.
const KINDS: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
/// The lists of dependencies that are packed in.
const LISTS: [&str; 2] = ["bundledDependencies", "bundleDependencies"];

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) -> Result<(), Flaw> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| flaw(text, &error))?;
    let mut walk = Walk { text, at: 0 };
    if walk.next() != Some(b'{') {
        return Err(Flaw::new(walk.at, "a manifest should be an object: `{…}`"));
    }
    walk.at += 1;
    while let Some((_, key)) = walk.key()? {
        let (at, first) = (walk.at, walk.next());
        match (key.as_str(), first) {
            (kind, Some(b'{')) if KINDS.contains(&kind) => entries(&mut walk, found)?,
            (kind, Some(b'[')) if LISTS.contains(&kind) => {
                walk.at += 1;
                while let Some((at, name)) = walk.item()? {
                    if let Some(name) = name {
                        found.add(at..walk.at, &name, None);
                    }
                }
            }
            // npm takes an empty list for an empty object.
            (kind, Some(b'[')) if KINDS.contains(&kind) && walk.peek_behind() == Some(b']') => {
                walk.pass();
            }
            (kind, Some(_)) if KINDS.contains(&kind) => {
                return Err(Flaw::new(at, format!("`{kind}` should be an object: `{{…}}`")));
            }
            _ => walk.pass(),
        }
    }
    Ok(())
}

fn flaw(text: &str, error: &serde_json::Error) -> Flaw {
    let before: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let why = error.to_string();
    let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
    Flaw::new(before, why)
}

/// Reads the object of dependencies that the walk is before.
fn entries(walk: &mut Walk<'_>, found: &mut Found) -> Result<(), Flaw> {
    walk.at += 1;
    while let Some((at, name)) = walk.key()? {
        if walk.next() != Some(b'"') {
            walk.pass();
            found.add(at..walk.at, &name, None);
            continue;
        }
        let value = walk.string()?;
        let (name, version) = resolved(&name, &value);
        found.add(at..walk.at, name, version);
    }
    Ok(())
}

/// The real name and the version of what a manifest says of `name`.
fn resolved<'a>(name: &'a str, value: &'a str) -> (&'a str, Option<&'a str>) {
    let value = value.trim();
    if let Some(alias) = value.strip_prefix("npm:") {
        // The first character may be the `@` of a scope.
        let split = alias.char_indices().skip(1).filter(|(_, c)| *c == '@').last();
        return match split {
            Some((at, _)) => (&alias[..at], Some(&alias[at + 1..])),
            None => (alias, None),
        };
    }
    if let Some(version) = value.strip_prefix("workspace:") {
        return (name, Some(version).filter(|version| version.contains(char::is_numeric)));
    }
    // A place to get it from says nothing of the version.
    (name, Some(value).filter(|value| !value.contains([':', '/'])))
}

/// Goes through JSON that is known to be right.
#[derive(Debug)]
struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl Walk<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes what separates values; the byte that the next one begins with.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b':')) {
            self.at += 1;
        }
        self.byte()
    }

    /// The first byte in the object or list that the walk is before.
    fn peek_behind(&self) -> Option<u8> {
        Walk { text: self.text, at: self.at + 1 }.next()
    }

    /// The next key of the object and where it stands; none at the object's end, which is passed.
    fn key(&mut self) -> Result<Option<(usize, String)>, Flaw> {
        if self.next() != Some(b'"') {
            self.at += 1;
            return Ok(None);
        }
        let at = self.at;
        let key = self.string()?;
        self.next();
        Ok(Some((at, key)))
    }

    /// The next item of the list, if it is a text, and where it stands; none at the list's end.
    fn item(&mut self) -> Result<Option<(usize, Option<String>)>, Flaw> {
        let first = self.next();
        let at = self.at;
        match first {
            Some(b'"') => Ok(Some((at, Some(self.string()?)))),
            None | Some(b']') => {
                self.at += 1;
                Ok(None)
            }
            Some(_) => {
                self.pass();
                Ok(Some((at, None)))
            }
        }
    }

    /// The text that the walk is before.
    fn string(&mut self) -> Result<String, Flaw> {
        let start = self.at;
        self.pass_string();
        let written = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(written).map_err(|error| {
            let why = error.to_string();
            let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
            Flaw::new(start, why)
        })
    }

    fn pass_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    /// Passes the value that the walk is before, with all that is in it.
    fn pass(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.next() {
            match byte {
                b'"' => self.pass_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => {
                    while self.byte().is_some_and(|byte| !b" \t\r\n,:}]".contains(&byte)) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }
}
