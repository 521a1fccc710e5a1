//! The options of `audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use model::audit::Deed;

use super::StoreArgs;

/// Options of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// What to do
    #[command(subcommand)]
    pub what: AuditWhat,
}

/// What `audit` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditWhat {
    /// Check that no entry was changed, taken out or put in
    Verify(VerifyArgs),
    /// Show the newest entries
    Show(ShowAuditArgs),
    /// Move the oldest entries to a file
    Archive(ArchiveAuditArgs),
}

/// Options of `audit verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Write the newest entry's NUMBER:HASH down where nobody who can write to the store can change it. Given
back later by --expect, it tells whether the log was made anew or cut off since.")]
pub(crate) struct VerifyArgs {
    /// The number and the hash of an entry as an earlier check told them
    #[arg(long, value_name = "NUMBER:HASH", value_parser = head)]
    pub expect: Option<(i64, [u8; 32])>,
    /// A file that `audit archive` wrote; again for the next, the oldest first
    #[arg(long, value_name = "FILE")]
    pub archive: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `audit archive`.
#[derive(Debug, Args)]
#[command(after_help = "\
The entries are written to FILE, one a line, read back and checked, and only then taken out of the store,
with an entry that carries the last hash. `audit verify --archive FILE` checks both together.")]
pub(crate) struct ArchiveAuditArgs {
    /// A file that is not there yet
    pub file: PathBuf,
    /// So many of the newest entries stay
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    pub keep: u64,
    /// What is not older than this stays, e.g. 12h, 90d or 52w
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub older_than: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Options of `audit show`.
#[derive(Debug, Args)]
pub(crate) struct ShowAuditArgs {
    /// Only what this person or token did
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
    /// Only what was done by this tool or command
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Only what was written, denied or read
    #[arg(long, value_name = "DEED", value_parser = deed)]
    pub deed: Option<Deed>,
    /// Only what happened within this time, e.g. 90s, 15m, 12h, 7d or 2w
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub since: Option<Duration>,
    /// How many entries at the most
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

fn deed(text: &str) -> Result<Deed, String> {
    Deed::named(text).ok_or_else(|| "it takes written, denied or read".to_owned())
}

/// A number and what it counts, into a span of time.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "it takes a number and s, m, h, d or w, e.g. 7d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// `NUMBER:HASH`, the hash in 64 hex digits.
fn head(text: &str) -> Result<(i64, [u8; 32]), String> {
    let wrong = || "it takes NUMBER:HASH with a hash of 64 hex digits".to_owned();
    let (number, digits) = text.split_once(':').ok_or_else(wrong)?;
    let number = number.parse().map_err(|_| wrong())?;
    let hash = model::of_hex(&digits.to_ascii_lowercase()).ok_or_else(wrong)?;
    Ok((number, hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        assert_eq!(span("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(span("7d"), Ok(Duration::from_secs(7 * 86_400)));
        assert_eq!(span("4294967295w").map(|span| span.as_secs()), Ok(4_294_967_295 * 604_800));
        for wrong in ["", "7", "d", "-1d", "7 d", "1.5h", "7y", "7ü"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_head_is_a_number_and_a_whole_hash() {
        assert_eq!(head(&format!("12:{}", "0a".repeat(32))), Ok((12, [10; 32])));
        for wrong in
            [String::new(), "12".to_owned(), "12:0a".to_owned(), format!("x:{}", "0a".repeat(32))]
        {
            assert!(head(&wrong).is_err(), "{wrong}");
        }
        assert!(head(&format!("12:{}", "+a".repeat(32))).is_err());
    }
}
