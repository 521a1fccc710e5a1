//! Which secrets the rules see in files and folders, to judge them by: `--example secrets PATH…`.
//!
//! What it prints is cut to a few characters of each; it is a tool for who works on the rules.

#![allow(clippy::print_stdout, reason = "it prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn files(path: &Path, all: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        all.push(path.to_owned());
        return;
    };
    entries.flatten().for_each(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => files(&entry.path(), all),
        Ok(kind) if kind.is_file() => all.push(entry.path()),
        _ => {}
    });
}

fn main() {
    let mut all = Vec::new();
    std::env::args().skip(1).for_each(|path| files(Path::new(&path), &mut all));
    let (mut bytes, mut seconds, mut texts, mut hit, mut hits) = (0, 0.0, 0, 0, 0);
    let mut kinds = BTreeMap::<&str, usize>::new();
    for path in &all {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let start = Instant::now();
        let found = rank::keep::secrets::find(&text);
        seconds += start.elapsed().as_secs_f64();
        (texts, bytes) = (texts + 1, bytes + text.len());
        (hit, hits) = (hit + usize::from(!found.is_empty()), hits + found.len());
        for secret in found {
            *kinds.entry(secret.kind).or_default() += 1;
            let line = text[..secret.range.start].matches('\n').count() + 1;
            let shown: String = text[secret.range].chars().take(40).collect();
            println!("{}:{line}: {} {shown:?}", path.display(), secret.kind);
        }
    }
    println!(
        "{hits} in {hit} of {texts} texts, {bytes} bytes, {:.0} MB/s",
        bytes as f64 / seconds / 1e6
    );
    kinds.iter().for_each(|(kind, count)| println!("{count:>6} {kind}"));
}
