//! What came of it, for people and for programs.

use std::time::Duration;

use anyhow::Result;
use engine::document::{FailedFile, FolderReport};
use serde_json::{Value, json};

use crate::output::{self, STRONG, WARN, styled};

/// So many files that failed are shown to a person; a program gets all.
const FAILED_SHOWN_MAX: usize = 20;

/// What came of all paths together.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The sum.
    pub(crate) report: FolderReport,
    /// Whether one of the paths could not be read, or nothing of it.
    pub(crate) is_refused: bool,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Summary {
    /// Adds what came of a path.
    pub(crate) fn add(&mut self, new: FolderReport) {
        let read = new.files_indexed + new.files_known + new.files_removed;
        self.is_refused |= read == 0 && !new.failed.is_empty();
        let sum = &mut self.report;
        sum.files_indexed += new.files_indexed;
        sum.chunks += new.chunks;
        sum.files_known += new.files_known;
        sum.files_read += new.files_read;
        sum.bytes_read += new.bytes_read;
        sum.files_removed += new.files_removed;
        sum.secrets += new.secrets;
        sum.failed.extend(new.failed);
        sum.plain.extend(new.plain);
        sum.is_cut_off |= new.is_cut_off;
    }

    /// Adds a path that could not be read.
    pub(crate) fn refuse(&mut self, path: &str, why: String) {
        self.is_refused = true;
        self.report.failed.push(FailedFile { path: path.to_owned(), why });
    }

    /// Prints it: what failed goes to standard error.
    pub(crate) fn print(&self, is_json: bool) -> Result<()> {
        if is_json {
            return output::json(&self.describe());
        }
        let report = &self.report;
        if report.is_cut_off {
            let text = "it was told to end; what is stored stays, and the next run goes on";
            output::note(styled(WARN, text));
        }
        output::line(self.done());
        output::line(format!(
            "unchanged {}, removed {}, failed {}",
            count(report.files_known),
            count(report.files_removed),
            count(report.failed.len()),
        ));
        self.print_secrets();
        self.print_files();
        Ok(())
    }

    /// Prints what a round of many changed, on one line.
    pub(crate) fn print_round(&self, is_json: bool) -> Result<()> {
        if is_json {
            return output::json(&self.describe());
        }
        let FolderReport { files_indexed, chunks, files_removed, .. } = self.report;
        let (indexed, chunks) = (files(files_indexed), count(chunks));
        output::line(format!(
            "indexed {indexed} ({chunks} chunks), removed {}, failed {}",
            count(files_removed),
            count(self.report.failed.len()),
        ));
        self.print_secrets();
        self.print_files();
        Ok(())
    }

    fn done(&self) -> String {
        let FolderReport { files_indexed, chunks, bytes_read, .. } = self.report;
        let (megabytes, seconds) = (bytes_read as f64 / 1e6, self.took.as_secs_f64());
        let head = styled(STRONG, format!("indexed {}", files(files_indexed)));
        let mut text = format!("{head}, {} chunks in {seconds:.1} s", count(chunks));
        if megabytes >= 0.1 {
            let rate = megabytes / seconds.max(1e-3);
            text += &format!(" ({megabytes:.1} MB read, {rate:.1} MB/s)");
        }
        text
    }

    fn print_secrets(&self) {
        if self.report.secrets > 0 {
            output::line(format!("secrets: {} redacted", count(self.report.secrets)));
        }
    }

    fn print_files(&self) {
        for (what, files) in [("failed", &self.report.failed), ("plain text", &self.report.plain)] {
            for FailedFile { path, why } in files.iter().take(FAILED_SHOWN_MAX) {
                output::note(format!("{}: {path}: {why}", styled(WARN, what)));
            }
            if let Some(more) = files.len().checked_sub(FAILED_SHOWN_MAX).filter(|more| *more > 0) {
                output::note(format!("… and {} more; --json names them", count(more)));
            }
        }
    }

    fn describe(&self) -> Value {
        let report = &self.report;
        let failed = |failed: &FailedFile| json!({"path": failed.path, "why": failed.why});
        json!({
            "files_indexed": report.files_indexed,
            "chunks": report.chunks,
            "files_unchanged": report.files_known,
            "files_removed": report.files_removed,
            "files_read": report.files_read,
            "bytes_read": report.bytes_read,
            "secrets_redacted": report.secrets,
            "failed": report.failed.iter().map(failed).collect::<Vec<_>>(),
            "plain_text": report.plain.iter().map(failed).collect::<Vec<_>>(),
            "cut_off": report.is_cut_off,
            "seconds": self.took.as_secs_f64(),
        })
    }
}

fn files(number: usize) -> String {
    format!("{} {}", count(number), if number == 1 { "file" } else { "files" })
}

/// A number as people read it: 12,345.
fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (digit, left) in digits.chars().zip((0..digits.len()).rev()) {
        text.push(digit);
        if left > 0 && left % 3 == 0 {
            text.push(',');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_in_groups_of_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(files(1), "1 file");
    }

    #[test]
    fn a_path_of_which_nothing_could_be_read_is_refused() {
        let failed = vec![FailedFile { path: "a.pdf".into(), why: "broken".into() }];
        let mut summary = Summary::default();
        let some =
            FolderReport { files_known: 1, failed: failed.clone(), ..FolderReport::default() };
        summary.add(some);
        assert!(!summary.is_refused, "the rest of the folder is there");
        summary.add(FolderReport { failed, ..FolderReport::default() });
        assert!(summary.is_refused);
        assert_eq!(summary.report.failed.len(), 2);
    }
}
