//! How many functions that fit one chunk are cut: `cargo run --release -p rank --example cut_functions PATH…`.
//!
//! A function is what the grammar calls one, without its comments and decorators, as Python's own `ast` counts it. All
//! files below the paths are read whose language is known.

#![allow(clippy::print_stdout, reason = "an example that prints figures")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rank::chunk::{
    CHUNK_CHARS_MAX, CHUNK_TOKENS_MAX, Chunk, Format, Language as Code, chunk, decode,
};
use rank::embed::count_tokens;
use tree_sitter::{Language, Parser};

/// Counts over the files of one ending.
#[derive(Default)]
struct Counts {
    files: usize,
    chunks: usize,
    fitting: usize,
    cut: Vec<String>,
}

fn main() {
    let mut counts = BTreeMap::<String, Counts>::new();
    for path in std::env::args().skip(1) {
        visit(Path::new(&path), &mut counts);
    }
    for (ending, Counts { files, chunks, fitting, cut }) in &counts {
        println!(
            "{ending:<5} {files:6} files {chunks:8} chunks {fitting:8} functions that fit {:6} cut",
            cut.len()
        );
        cut.iter().take(5).for_each(|place| println!("      {place}"));
    }
}

fn visit(path: &Path, counts: &mut BTreeMap<String, Counts>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().filter(|path| !path.is_symlink()).for_each(|path| visit(path, counts));
        return;
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let Some(Format::Code(code)) = Format::of_extension(ending) else { return };
    let Some((language, kinds)) = grammar(code) else { return };
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(text) = decode(&bytes) else { return };
    let of_ending = counts.entry(ending.to_owned()).or_default();
    of_ending.files += 1;
    let chunks = chunk(Format::Code(code), &text);
    of_ending.chunks += chunks.len();
    let places = places(&text, &chunks);
    for function in functions(&language, kinds, &text) {
        let own = &text[function.clone()];
        if own.chars().count() > CHUNK_CHARS_MAX || count_tokens(own) > CHUNK_TOKENS_MAX {
            continue;
        }
        of_ending.fitting += 1;
        let is_whole =
            |place: &Range<usize>| place.start <= function.start && function.end <= place.end;
        if !places.iter().any(is_whole) {
            let line = 1 + text[..function.start].matches('\n').count();
            of_ending.cut.push(format!("{}:{line}", path.display()));
        }
    }
}

/// Where the chunks stand in the text.
fn places(text: &str, chunks: &[Chunk]) -> Vec<Range<usize>> {
    let mut at = 0;
    let place = |chunk: &Chunk| {
        let start = at + text[at..].find(&chunk.text)?;
        at = start + chunk.text.len();
        Some(start..at)
    };
    chunks.iter().filter_map(place).collect()
}

fn functions(language: &Language, kinds: &[&str], text: &str) -> Vec<Range<usize>> {
    let mut parser = Parser::new();
    if parser.set_language(language).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(text, None) else { return Vec::new() };
    let (mut found, mut ahead) = (Vec::new(), vec![tree.root_node()]);
    while let Some(node) = ahead.pop() {
        // What stands in something that does not parse may be anything.
        if kinds.contains(&node.kind()) && !node.has_error() {
            let range = node.byte_range();
            found.push(range.start..range.start + text[range].trim_end().len());
        }
        ahead.extend(node.children(&mut node.walk()));
    }
    found
}

/// The grammar of a language, and what it calls functions.
fn grammar(code: Code) -> Option<(Language, &'static [&'static str])> {
    const SCRIPT: &[&str] =
        &["function_declaration", "method_definition", "generator_function_declaration"];
    Some(match code {
        Code::Python => (tree_sitter_python::LANGUAGE.into(), &["function_definition"]),
        Code::Rust => (tree_sitter_rust::LANGUAGE.into(), &["function_item"]),
        Code::JavaScript => (tree_sitter_javascript::LANGUAGE.into(), SCRIPT),
        Code::TypeScript => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), SCRIPT),
        Code::Tsx => (tree_sitter_typescript::LANGUAGE_TSX.into(), SCRIPT),
        Code::Go => {
            (tree_sitter_go::LANGUAGE.into(), &["function_declaration", "method_declaration"])
        }
        Code::Java => {
            (tree_sitter_java::LANGUAGE.into(), &["method_declaration", "constructor_declaration"])
        }
        Code::C => (tree_sitter_c::LANGUAGE.into(), &["function_definition"]),
        Code::Cpp => (tree_sitter_cpp::LANGUAGE.into(), &["function_definition"]),
        Code::Ruby => (tree_sitter_ruby::LANGUAGE.into(), &["method", "singleton_method"]),
        Code::Bash => return None,
    })
}
