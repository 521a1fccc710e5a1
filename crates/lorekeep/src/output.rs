//! Printing, for people and for programs.

use std::borrow::Cow;
use std::io::{IsTerminal, stdout};
use std::process::ExitCode;
use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is worth a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What stands out.
pub(crate) const STRONG: Style = Style::new().bold();

/// What stands back.
pub(crate) const DIM: Style = Style::new().dimmed();

/// How wide a terminal is taken to be that does not say.
const WIDTH_UNKNOWN: usize = 80;

/// Prints a line, without what a terminal would take for an order: what is stored and names of files may
/// hold anything. Our own colours stay where somebody sees them.
pub(crate) fn line(text: impl std::fmt::Display) {
    exact(coloured(&text.to_string()));
}

/// Prints a line that holds nothing but what we wrote ourselves, or made visible in another way.
pub(crate) fn exact(text: impl std::fmt::Display) {
    anstream::println!("{text}");
}

/// `text` in `style`.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints an error with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    anstream::eprintln!("{}: {}", styled(BAD, "error"), lines(&format!("{error:#}")));
}

/// Tells what is wrong with the command line, or the help that was asked for. What is wrong may repeat
/// what was typed.
pub(crate) fn misuse(error: &clap::Error) -> ExitCode {
    let text = error.render();
    match rank::keep::visible(&text.to_string()) {
        Cow::Borrowed(_) => error.exit(),
        Cow::Owned(shown) => anstream::eprint!("{shown}"),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints a message that is not part of the answer, as [`line()`] does.
pub(crate) fn note(text: impl std::fmt::Display) {
    anstream::eprintln!("{}", coloured(&text.to_string()));
}

/// A text with all its lines and our own colours, and no other order to a terminal.
pub(crate) fn coloured(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let (mut from, mut at) = (0, 0);
    while let Some(next) = text[at..].find('\u{1b}').map(|next| at + next) {
        at = next + 1;
        if let Some(code) = colour(&text[next..]) {
            shown.push_str(&lines(&text[from..next]));
            shown.push_str(code);
            at = next + code.len();
            from = at;
        }
    }
    shown.push_str(&lines(&text[from..]));
    shown
}

/// Which of our own colours begins or ends here.
fn colour(text: &str) -> Option<&'static str> {
    static CODES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let codes = |style: Style| [format!("{style}"), format!("{style:#}")];
        [GOOD, WARN, BAD, STRONG, DIM].into_iter().flat_map(codes).collect()
    });
    let codes = CODES.iter().map(String::as_str).filter(|code| text.starts_with(code));
    codes.max_by_key(|code| code.len())
}

/// Prints JSON: spread out for a person, on one line for a program. What cannot be seen is escaped, so
/// that who reads it sees it, and a program gets it as it is.
pub(crate) fn json(value: &serde_json::Value) -> anyhow::Result<()> {
    let text = if stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        value.to_string()
    };
    exact(rank::keep::escaped(&text));
    Ok(())
}

/// A table: with rules for a person, columns between tabs for a program.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) {
    let text = tabled(head, rows);
    if !text.is_empty() {
        line(text);
    }
}

/// The lines of such a table.
pub(crate) fn tabled<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    if !stdout().is_terminal() {
        return rows.iter().map(|row| row.join("\t")).collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head);
    for row in rows {
        table.add_row(row);
    }
    table.to_string()
}

/// How many columns a line has; none where no terminal shows it.
pub(crate) fn width() -> Option<usize> {
    let known = terminal_size::terminal_size_of(stdout());
    let width = known.map_or(WIDTH_UNKNOWN, |(width, _)| usize::from(width.0));
    stdout().is_terminal().then_some(width)
}

/// A text on one line, without what a terminal would take for an order.
pub(crate) fn one_line(text: &str) -> String {
    let spaced: String =
        rank::keep::visible(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with all its lines, without what a terminal would take for an order.
pub(crate) fn lines(text: &str) -> String {
    rank::keep::visible(text).into_owned()
}

/// As much of a text as has room in so many columns; whole where there is no limit.
pub(crate) fn cut(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|columns| text.width() > *columns) else {
        return text.to_owned();
    };
    let mut room = columns.saturating_sub(1);
    let fits = |c: &char| {
        let left = room.checked_sub(c.width().unwrap_or(0));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_the_columns_it_takes() {
        assert_eq!(cut("short", Some(5)), "short");
        assert_eq!(cut("longer", Some(5)), "long…");
        assert_eq!(cut("日本語", Some(5)), "日本…");
        assert_eq!(cut("日本語", Some(4)), "日…");
        assert_eq!(cut("anything", None), "anything");
    }

    #[test]
    fn a_note_keeps_our_colours_and_no_order_of_a_file_name() {
        let name = "bad\u{1b}]0;PWNED\u{7}\u{1b}[2J\u{202e}\rSAFE.pdf";
        let told = coloured(&format!("{}: {name}", styled(WARN, "failed")));
        assert_eq!(told, format!("{}: bad␛]0;PWNED␇␛[2J⟨U+202E⟩␍SAFE.pdf", styled(WARN, "failed")));
    }

    #[test]
    fn a_line_gives_a_terminal_no_orders() {
        assert_eq!(one_line("two\n lines\t and \u{1b}[31m red"), "two lines and ␛[31m red");
        assert_eq!(lines("two\n\tlines \u{1b}[31m \u{202e}red"), "two\n\tlines ␛[31m ⟨U+202E⟩red");
    }
}
