//! Showing a text that may be longer than the screen.

use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::process::{Command, Stdio};

use anstream::{AutoStream, ColorChoice};
use anyhow::Result;

use crate::output;

/// What pages for a person who named nothing.
const PAGER_USUAL: &str = "less -FRX";

/// What `less` needs to know to show colours and to leave a short text standing.
const LESS_OPTIONS: &str = "FRX";

/// Shows a text, as visible as [`output::line`] does: page by page if it is longer than the screen and `paged` allows that. Who stops
/// reading early has seen enough.
pub(crate) fn show(text: &str, paged: bool) -> Result<()> {
    let text = &output::coloured(text);
    if paged && is_longer_than_the_screen(text) && in_pages(text) {
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

fn is_longer_than_the_screen(text: &str) -> bool {
    let size = terminal_size::terminal_size_of(stdout());
    let height = size.map(|(_, height)| usize::from(height.0));
    stdout().is_terminal() && height.is_some_and(|height| text.lines().count() >= height)
}

/// Shows it by the person's pager; false if there is none that starts.
fn in_pages(text: &str) -> bool {
    let Some(pager) = pager(std::env::var("PAGER").ok()) else { return false };
    let mut words = pager.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS_OPTIONS);
    }
    let Ok(mut started) = command.spawn() else { return false };
    if let Some(mut input) = started.stdin.take() {
        let is_plain = AutoStream::choice(&stdout()) == ColorChoice::Never;
        let plain = is_plain.then(|| anstream::adapter::strip_str(text).to_string());
        // Who leaves the pager has seen enough.
        let _ = input.write_all(plain.as_deref().unwrap_or(text).as_bytes());
    }
    started.wait().is_ok()
}

/// What pages, by what `PAGER` says; none if a person wants no pager.
fn pager(named: Option<String>) -> Option<String> {
    let named = named.unwrap_or_else(|| PAGER_USUAL.to_owned());
    Some(named).filter(|named| !matches!(named.trim(), "" | "cat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_the_one_that_was_named_else_less() {
        assert_eq!(pager(None).as_deref(), Some("less -FRX"));
        assert_eq!(pager(Some("most -w".to_owned())).as_deref(), Some("most -w"));
        assert_eq!(pager(Some(" ".to_owned())), None);
        assert_eq!(pager(Some("cat".to_owned())), None);
    }
}
