//! Printing, for people and for programs.

use std::io::{IsTerminal, stdout};

use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};

/// What is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is worth a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What stands out.
pub(crate) const STRONG: Style = Style::new().bold();

/// Prints a line; colours are left out where nobody sees them.
pub(crate) fn line(text: impl std::fmt::Display) {
    anstream::println!("{text}");
}

/// `text` in `style`.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints an error with its causes.
pub(crate) fn complain(error: &anyhow::Error) {
    anstream::eprintln!("{}: {error:#}", styled(BAD, "error"));
}

/// Prints a message that is not part of the answer.
pub(crate) fn note(text: impl std::fmt::Display) {
    anstream::eprintln!("{text}");
}

/// Prints JSON: spread out for a person, on one line for a program.
pub(crate) fn json(value: &serde_json::Value) -> anyhow::Result<()> {
    let text = if stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        value.to_string()
    };
    line(text);
    Ok(())
}

/// A table: with rules for a person, columns between tabs for a program.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) {
    if !stdout().is_terminal() {
        for row in rows {
            line(row.join("\t"));
        }
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head);
    for row in rows {
        table.add_row(row);
    }
    line(table);
}
