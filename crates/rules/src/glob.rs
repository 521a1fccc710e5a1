//! Globs on paths: what they mean, and many of them asked at once.

mod characters;

use std::borrow::Cow;
use std::sync::OnceLock;

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex_automata::meta::Regex;

/// A glob has no more characters than this.
const CHARS_MAX: usize = 10_000;

/// So many globs are tried at once; more of them could be too large together.
const TOGETHER_MAX: usize = 1_000;

/// A glob of so many bytes is small when it is made.
const SHORT_BYTES_MAX: usize = 500;

/// A list of globs; an empty one matches all paths.
///
/// `*` and `?` stay within a folder, `**` does not; `{a,b}` and `[…]` work. A glob without `/` is for
/// the file name in any folder, one with `/` for the whole path, one that ends with `/` for all below.
#[derive(Debug)]
pub struct Globs {
    pool: Pool,
}

impl Globs {
    /// Takes these globs; the error names the first that is none, and why.
    pub fn new(globs: &[String]) -> Result<Self, String> {
        let (pool, errors) = Pool::new(globs);
        match errors.into_iter().flatten().next() {
            Some(error) => Err(error),
            None => Ok(Self { pool }),
        }
    }

    /// Whether one of them matches the path, or there are none.
    pub fn matches(&self, path: &str) -> bool {
        self.pool.count == 0 || self.pool.matches(&clean(path)).contains(&true)
    }
}

/// A path as it is looked at: with `/` between folders and without `./` before it.
pub fn clean(path: &str) -> Cow<'_, str> {
    if path.contains('\\') {
        return Cow::Owned(without_dot(&path.replace('\\', "/")).to_owned());
    }
    Cow::Borrowed(without_dot(path))
}

fn without_dot(mut path: &str) -> &str {
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path
}

/// Many globs, asked at once.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    parsed: Vec<(usize, Glob)>,
    /// Globs that ask for single characters, which `globset` takes for bytes.
    of_characters: Vec<(usize, Regex)>,
    /// Sets of globs, with the places of these globs among all; made when they are asked first, because
    /// that takes longer than all else, and who only wants to know whether they are globs never asks.
    sets: OnceLock<Vec<(GlobSet, Vec<usize>)>>,
    count: usize,
}

impl Pool {
    /// Takes the globs, and says of each what is wrong with it.
    pub(crate) fn new(globs: &[String]) -> (Self, Vec<Option<String>>) {
        let mut errors = vec![None; globs.len()];
        let mut pool = Self { count: globs.len(), ..Self::default() };
        for (at, glob) in globs.iter().enumerate() {
            if let Err(error) = pool.add(at, glob) {
                errors[at] = Some(error);
            }
        }
        (pool, errors)
    }

    fn add(&mut self, at: usize, glob: &str) -> Result<(), String> {
        let whole = whole(glob)?;
        let parsed = measured(at, parse(glob, &whole)?)?;
        if glob.contains(['?', '[']) {
            let regex = characters::regex(&whole).map_err(|why| refusal(glob, &why))?;
            self.of_characters.push((at, regex));
        } else {
            self.parsed.push(parsed);
        }
        Ok(())
    }

    fn sets(&self) -> &[(GlobSet, Vec<usize>)] {
        self.sets.get_or_init(|| {
            let mut sets = Vec::new();
            for some in self.parsed.chunks(TOGETHER_MAX) {
                add(&mut sets, some);
            }
            sets
        })
    }

    /// Which of the globs match a clean path.
    pub(crate) fn matches(&self, path: &str) -> Vec<bool> {
        let mut matches = vec![false; self.count];
        let candidate = Candidate::new(path);
        let mut found = Vec::new();
        for (set, places) in self.sets() {
            set.matches_candidate_into(&candidate, &mut found);
            for at in &found {
                matches[places[*at]] = true;
            }
        }
        for (at, regex) in &self.of_characters {
            matches[*at] = regex.is_match(path);
        }
        matches
    }
}

/// Adds the globs in one set, or in halves if they are too large together; each can be made by itself.
fn add(sets: &mut Vec<(GlobSet, Vec<usize>)>, globs: &[(usize, Glob)]) {
    match (set(globs), globs) {
        (Ok(set), _) => sets.push((set, globs.iter().map(|(at, _)| *at).collect())),
        (Err(_), [_]) => {}
        (Err(_), _) => {
            let (some, others) = globs.split_at(globs.len() / 2);
            add(sets, some);
            add(sets, others);
        }
    }
}

fn set(globs: &[(usize, Glob)]) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    for (_, glob) in globs {
        builder.add(glob.clone());
    }
    builder.build()
}

/// Refuses a long glob that is too large when it is made; what is short is small.
fn measured(at: usize, glob: Glob) -> Result<(usize, Glob), String> {
    let one = [(at, glob)];
    if one[0].1.glob().len() > SHORT_BYTES_MAX
        && let Err(error) = set(&one)
    {
        return Err(refusal(one[0].1.glob(), &error.kind().to_string()));
    }
    let [one] = one;
    Ok(one)
}

fn refusal(glob: &str, why: &str) -> String {
    let glob: String = glob.chars().take(100).collect();
    format!("`{glob}` is no glob: {why}")
}

/// The glob for the whole path that a glob stands for.
fn whole(glob: &str) -> Result<String, String> {
    if glob.is_empty() {
        return Err(refusal(glob, "it is empty; `**` would match all paths"));
    }
    if glob.chars().count() > CHARS_MAX {
        return Err(refusal(glob, &format!("it has more than {CHARS_MAX} characters")));
    }
    let mut rest = glob;
    while let Some(below) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = below;
    }
    let folders = if glob.contains('/') { "" } else { "**/" };
    let below = if rest.is_empty() || rest.ends_with('/') { "**" } else { "" };
    Ok(format!("{folders}{rest}{below}"))
}

fn parse(glob: &str, whole: &str) -> Result<Glob, String> {
    GlobBuilder::new(whole)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| refusal(glob, &error.kind().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        Globs::new(&[glob.to_owned()]).unwrap().matches(path)
    }

    #[test]
    fn globs_match_what_they_should_and_no_more() {
        for (glob, path, expected) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("*.rs", "src/a.rst", false),
            ("*.rs", "src/a.RS", false),
            ("Dockerfile", "ops/Dockerfile", true),
            ("Dockerfile", "Dockerfile/x", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/*.rs", "x/src/a.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/b/c/a.rs", true),
            ("**/src/*.rs", "x/src/a.rs", true),
            ("**/src/*.rs", "src/a.rs", true),
            ("src/**", "src/b/c", true),
            ("src/**", "src", false),
            ("src/", "src/b/c.txt", true),
            ("src/", "x/src/b", false),
            ("src/", "srcs/b", false),
            ("/README.md", "README.md", true),
            ("/README.md", "docs/README.md", false),
            ("./README.md", "README.md", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("*.{js,ts}", "x/y.ts", true),
            ("*.{js,ts}", "x/y.tsx", false),
            ("a{,b}.c", "a.c", true),
            ("[ab].c", "b.c", true),
            ("[!ab].c", "b.c", false),
            ("**", "any/thing", true),
            ("/", "any/thing", true),
            ("{src,lib}/**", "lib/x.rs", true),
            ("src/*.rs", ".\\src\\a.rs", true),
            ("src/*.rs", "././src/a.rs", true),
            (r"\*.c", "*.c", true),
            (r"\*.c", "a.c", false),
            ("a[!x]c", "a/c", false),
            ("a[^x]c", "a/c", false),
            ("a[!x]c", "abc", true),
            ("a[^x]c", "axc", false),
            ("src[!x]a.rs", "src/a.rs", false),
            ("a[.-0]c", "a/c", false),
            ("a?c", "aéc", true),
            ("a?c", "a\u{1f600}c", true),
            ("a??c", "aéc", false),
            ("a[é]c", "aéc", true),
            ("a[à-ü]c", "aéc", true),
            ("a[!é]c", "aüc", true),
            ("[[:alpha:]][[:digit:]].c", "b7.c", true),
            ("[[:alpha:]].c", "7.c", false),
            ("[![:alpha:]].c", "7.c", true),
            ("[]a].c", "].c", true),
            ("[!]a].c", "].c", false),
            ("[a-].c", "-.c", true),
            ("[a&&b~~[].c", "&.c", true),
            (r"[\]].c", "].c", true),
            ("**/[ab]?/**/c", "x/a1/y/z/c", true),
            ("**/[ab]?/**/c", "a1/c", true),
            ("[ab]/**", "a", false),
            ("{[ab],c?}.rs", "cd.rs", true),
            ("{[ab],c?}.rs", "c.rs", false),
            (r"\[a?", "[ab", true),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn no_globs_match_all_and_several_match_what_one_of_them_does() {
        assert!(Globs::new(&[]).unwrap().matches("any/path"));
        let globs = Globs::new(&["*.a".to_owned(), "b/*".to_owned()]).unwrap();
        assert!(globs.matches("x.a") && globs.matches("b/x") && !globs.matches("x.b"));
    }

    #[test]
    fn a_broken_glob_is_named() {
        let error = Globs::new(&["*.rs".to_owned(), "src/[a".to_owned()]).unwrap_err();
        assert!(error.starts_with("`src/[a` is no glob: "), "{error}");
        for (glob, why) in [("[[:letter:]]", "[:letter:]"), ("[b-a]", "range")] {
            let error = Globs::new(&[glob.to_owned()]).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(Globs::new(&[String::new()]).is_err());
        assert!(Globs::new(&["a".repeat(10_001)]).is_err());
    }

    #[test]
    fn thousands_of_globs_are_asked_at_once() {
        let globs: Vec<String> = (0..5_000).map(|n| format!("src/*{n}/**/x?{n}[ab].*")).collect();
        let (pool, errors) = Pool::new(&globs);
        assert!(errors.iter().all(Option::is_none));
        let matches = pool.matches("src/m77/x/y/xz77a.rs");
        let found: Vec<usize> = (0..globs.len()).filter(|at| matches[*at]).collect();
        assert_eq!(found, [77]);
    }
}
