//! `package.json`.
//!
//! What is no JSON is told by a parser; what goes through it for the names and their places skips what
//! it does not understand, so that one slip hides no other entry.

use serde::de::IgnoredAny;

use super::Found;

/// The objects that hold dependencies.
const KINDS: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
/// The lists of dependencies that are packed in.
const LISTS: [&str; 2] = ["bundledDependencies", "bundleDependencies"];

/// Reads a manifest.
pub(super) fn read(text: &str, found: &mut Found) {
    let error = serde_json::from_str::<IgnoredAny>(text).err();
    let mut walk = Walk { text, at: 0, found };
    if walk.next() == Some(b'{') {
        walk.at += 1;
        walk.manifest();
    } else if error.is_none() {
        walk.found.flaw(walk.at, "a manifest should be an object: `{…}`");
    }
    if let Some(error) = error {
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        found.flaw(lines.map(str::len).sum(), without_place(&error));
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let why = error.to_string();
    why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why).to_owned()
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

/// Goes through JSON, or what should be.
#[derive(Debug)]
struct Walk<'a, 'f> {
    text: &'a str,
    at: usize,
    found: &'f mut Found,
}

impl Walk<'_, '_> {
    /// Reads the object that the walk is in.
    fn manifest(&mut self) {
        while let Some((_, key)) = self.key() {
            let (at, first) = (self.at, self.next());
            let (is_kind, is_list) = (KINDS.contains(&&*key), LISTS.contains(&&*key));
            match first {
                Some(b'{') if is_kind => self.entries(),
                Some(b'[') if is_list => self.names(),
                // npm takes an empty list for an empty object.
                Some(b'[') if is_kind && self.is_empty_list() => self.pass(),
                Some(_) if is_kind => {
                    self.found.flaw(at, format!("`{key}` should be an object: `{{…}}`"));
                    self.pass();
                }
                _ => self.pass(),
            }
        }
    }

    /// Reads the object of dependencies that the walk is before.
    fn entries(&mut self) {
        self.at += 1;
        while let Some((at, name)) = self.key() {
            let value = match self.next() {
                Some(b'"') => self.string(),
                _ => {
                    self.pass();
                    None
                }
            };
            let (name, version) = value.as_ref().map_or((&*name, None), |it| resolved(&name, it));
            self.found.add(at..self.at, name, version);
        }
    }

    /// Reads the list of names that the walk is before.
    fn names(&mut self) {
        self.at += 1;
        loop {
            match self.next() {
                Some(b'"') => {
                    let at = self.at;
                    if let Some(name) = self.string() {
                        self.found.add(at..self.at, &name, None);
                    }
                }
                Some(b',' | b':' | b'}') => self.at += 1,
                Some(b']') | None => {
                    self.at += 1;
                    return;
                }
                Some(_) => self.pass(),
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes the space before the next sign.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.byte()
    }

    fn is_empty_list(&self) -> bool {
        self.text.get(self.at + 1..).is_some_and(|rest| rest.trim_start().starts_with(']'))
    }

    /// The next key of the object and where it stands, with its colon passed; none at the object's
    /// end, which is passed.
    fn key(&mut self) -> Option<(usize, String)> {
        loop {
            match self.next()? {
                b'"' => {
                    let at = self.at;
                    let key = self.string();
                    if self.next() == Some(b':') {
                        self.at += 1;
                        if let Some(key) = key {
                            self.next();
                            return Some((at, key));
                        }
                    }
                }
                b'}' => {
                    self.at += 1;
                    return None;
                }
                _ => self.at += 1,
            }
        }
    }

    /// The text that the walk is before; none if it is none.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.pass_string();
        let written = self.text.get(start..self.at).unwrap_or_default();
        let read = serde_json::from_str(written);
        read.map_err(|error| self.found.flaw(start, without_place(&error))).ok()
    }

    /// Passes a text; one that does not end in its line ends there.
    fn pass_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte().filter(|byte| *byte != b'\n') {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    /// Passes the value that the walk is before, if there is one, with all that is in it.
    fn pass(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.next() {
            match byte {
                b'}' | b']' | b',' | b':' if depth == 0 => return,
                b'"' => self.pass_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
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
