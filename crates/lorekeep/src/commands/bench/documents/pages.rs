//! A folder of Markdown that nobody wrote.

use std::fmt::Write;
use std::fs::{File, create_dir_all};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use crate::commands::bench::sentences::Sentences;

/// How long a file is, about.
const FILE_BYTES: usize = 8 << 10;

/// How many files a folder has.
const FOLDER_FILES: u64 = 100;

/// How many sentences a paragraph has, and how many paragraphs stand under a heading.
const PARAGRAPH: u64 = 4;
const SECTION: u64 = 3;

/// How old the files look: old enough not to be looked at twice.
const AGE: Duration = Duration::from_secs(3600);

/// Writes so many megabytes below `dir`; how many sentences they are.
pub(super) fn write(dir: &Path, sentences: &Sentences, megabytes: u64) -> Result<u64> {
    let (mut said, mut bytes, mut number) = (0, 0, 0_u64);
    let modified = SystemTime::now() - AGE;
    while bytes < megabytes * 1_000_000 {
        let folder = dir.join(format!("part-{}", number / FOLDER_FILES));
        if number.is_multiple_of(FOLDER_FILES) {
            create_dir_all(&folder)?;
        }
        let page = page(sentences, number, &mut said)?;
        bytes += page.len() as u64;
        let mut file = File::create(folder.join(format!("page-{number}.md")))?;
        file.write_all(page.as_bytes())?;
        file.set_modified(modified)?;
        number += 1;
    }
    Ok(said)
}

/// A page with headings and paragraphs, of sentences that no other page has.
fn page(sentences: &Sentences, number: u64, said: &mut u64) -> Result<String> {
    let mut page = format!("# Page {number}\n");
    while page.len() < FILE_BYTES {
        write!(page, "\n## {}\n", sentences.keywords(*said))?;
        for _ in 0..SECTION {
            for _ in 0..PARAGRAPH {
                write!(page, "\n{}", sentences.sentence(*said))?;
                *said += 1;
            }
            page.push('\n');
        }
    }
    Ok(page)
}
