//! A prompt or an answer without what nobody said: notes that were injected, boot files, tool output,
//! pasted floods, encoded bytes.

use super::seen::is_hidden;
use super::{begins_at, brackets_at};

/// A text that is kept has no more characters than this.
pub const CHARS_MAX: usize = 4_000;

/// Blocks that programs put into prompts.
const BLOCKS: [&str; 16] = [
    "lorekeep-notes",
    "hook_context",
    "session_context",
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "environment_context",
    "user_instructions",
    "instructions",
    "ide_opened_file",
    "ide_selection",
    "task-notification",
];

/// Files that an agent reads when it starts.
const BOOT_FILES: [&str; 6] =
    ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules", "MEMORY.md"];

/// A fenced block, or lines without a gap, of more than this are a paste.
const LINES_MAX: usize = 40;

/// So many lines in a row that look like the output of a program are one.
const OUTPUT_LINES_MIN: usize = 12;

/// So many characters without a gap, as base64 has them, are encoded bytes.
const ENCODED_MIN: usize = 160;

/// A text without what nobody said, in no more than [`CHARS_MAX`] characters.
pub fn clean(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !is_hidden(*c) && *c != '\r').collect();
    let said = without_boot_files(&without_blocks(&visible)).to_owned();
    let said = without_floods(&said);
    let lines = said.lines().map(without_encoded);
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    let mut tidy = String::new();
    let mut is_gap = true;
    for line in lines {
        if !(is_gap && line.is_empty()) {
            tidy.push_str(&line);
            tidy.push('\n');
        }
        is_gap = line.is_empty();
    }
    shortened(tidy.trim())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CHARS_MAX) {
        None => text.to_owned(),
        Some(_) => text.chars().take(CHARS_MAX - 1).chain(['…']).collect(),
    }
}

/// The text without the blocks of programs. One that is not closed goes to the end.
fn without_blocks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find(['<', '&', '\\']).map(|found| at + found) {
        kept.push_str(&text[at..found]);
        at = block_at(text, found).unwrap_or_else(|| {
            kept.push_str(&text[found..=found]);
            found + 1
        });
    }
    kept.push_str(&text[at..]);
    kept
}

/// The end of the block that opens here; of a mark that only closes one, its own.
fn block_at(text: &str, at: usize) -> Option<usize> {
    let (open, close) = brackets_at(text, at)?;
    let inside = at + open.len();
    let is_closing = text[inside..].starts_with('/');
    let from = inside + usize::from(is_closing);
    // A block of another program that somebody writes about in escaped form is what was said.
    let names = if open == "<" { &BLOCKS[..] } else { &BLOCKS[..1] };
    let name = names.iter().find(|name| {
        let behind = from + name.len();
        let after = text.as_bytes().get(behind);
        let is_whole = after.is_none_or(|b| b" \n\t".contains(b)) || begins_at(text, behind, close);
        begins_at(text, from, name) && is_whole
    })?;
    let behind = from + name.len();
    let end_of_mark = |at: usize| find(text, at, close).map_or(text.len(), |end| end + close.len());
    if is_closing {
        return Some(end_of_mark(behind));
    }
    let closing = find(text, behind, &format!("{open}/{name}"));
    Some(closing.map_or(text.len(), end_of_mark))
}

/// Where this stands at or behind a byte, whatever the case of its ASCII letters.
fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    let mut starts = text[from..].match_indices(&what[..1]).map(|(at, _)| from + at);
    starts.find(|at| begins_at(text, *at, what))
}

/// The text up to where the contents of a boot file begin.
fn without_boot_files(text: &str) -> &str {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if is_boot_line(line.trim()) {
            return &text[..start];
        }
        start += line.len();
    }
    text
}

/// Whether a line stands above the contents of a boot file.
fn is_boot_line(line: &str) -> bool {
    let names = |line: &str| BOOT_FILES.iter().any(|name| line.contains(name));
    let heading = line.trim_start_matches(['#', '-', '=', ' ']);
    let is_heading = heading.len() < line.len();
    let opens = |line: &str| BOOT_FILES.iter().any(|name| line.starts_with(name));
    line.starts_with("Contents of ") && names(line)
        || is_heading && line.starts_with(['#', '-', '=']) && opens(heading)
        || line.starts_with("Codebase and user instructions are shown below")
}

/// The text without long fenced blocks, long pastes and the output of programs.
fn without_floods(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<&str> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let (end, is_flood) = part(&lines, at);
        if !is_flood {
            kept.extend(&lines[at..end]);
        }
        at = end;
    }
    kept.join("\n")
}

/// The part that begins at a line: where it ends, and whether it is a flood.
fn part(lines: &[&str], at: usize) -> (usize, bool) {
    let rest = &lines[at..];
    let fence = ["```", "~~~"].into_iter().find(|fence| rest[0].trim_start().starts_with(fence));
    if let Some(fence) = fence {
        let closes = |line: &&str| line.trim() == fence;
        let inside = rest[1..].iter().position(closes).unwrap_or(rest.len() - 1);
        return ((at + inside + 2).min(lines.len()), inside > LINES_MAX);
    }
    if is_output(rest[0]) {
        let run = rest.iter().take_while(|line| is_output(line) || line.is_empty()).count();
        return (at + run, run >= OUTPUT_LINES_MIN);
    }
    let is_end = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with("```");
    let run = rest.iter().position(is_end).unwrap_or(rest.len());
    if run > LINES_MAX {
        return (at + run, true);
    }
    (at + 1, false)
}

/// Whether a line looks like the output of a program: a log, a trace, a difference, a table.
fn is_output(line: &str) -> bool {
    let line = line.trim_start();
    let starts = [
        "at ",
        "File \"",
        "Traceback",
        "+++",
        "---",
        "@@",
        "error[",
        "warning:",
        "error:",
        "INFO",
        "DEBUG",
        "WARN",
        "ERROR",
        "TRACE",
        "test ",
        "$ ",
        "> ",
        "│",
        "├",
        "└",
        "|",
        "[",
        "Compiling",
        "Downloading",
        "npm ",
        "PASS",
        "FAIL",
    ];
    let numbered = |line: &str| {
        let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < line.len() && behind.starts_with([':', '-', '|', '\t', '/'])
    };
    let changed = |line: &str| line.starts_with(['+', '-']) && !line[1..].starts_with(' ');
    starts.iter().any(|start| line.starts_with(start)) || numbered(line) || changed(line)
}

/// A line without encoded bytes.
fn without_encoded(line: &str) -> String {
    if line.len() < ENCODED_MIN {
        return line.to_owned();
    }
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-');
    let mut kept = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let run = rest.find(|c| !is_code(c)).unwrap_or(rest.len());
        if run < ENCODED_MIN {
            kept.push_str(&rest[..run]);
        }
        let gap = rest[run..].find(is_code).unwrap_or(rest.len() - run);
        kept.push_str(&rest[run..run + gap]);
        rest = &rest[run + gap..];
    }
    kept
}

/// Words that only say: go on.
const NODS: [&str; 48] = [
    "a", "all", "alright", "and", "apply", "approved", "carry", "confirm", "continue", "correct",
    "do", "done", "exactly", "fine", "go", "going", "good", "great", "it", "just", "keep", "lgtm",
    "looks", "next", "nice", "no", "nope", "now", "ok", "okay", "on", "perfect", "please",
    "proceed", "ready", "right", "same", "ship", "so", "sure", "thank", "thanks", "that", "them",
    "yeah", "yep", "yes", "you",
];

/// So many characters say something.
const TELLING_CHARS_MIN: usize = 12;

/// Whether a prompt says nothing of its own: an order to the client, or only that it may go on.
pub fn is_trivial(prompt: &str) -> bool {
    let prompt = prompt.trim();
    let is_order = prompt.starts_with(['/', '!', '#'])
        && !prompt.contains('\n')
        && prompt[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    is_order
        || prompt.chars().count() < TELLING_CHARS_MIN
        || words.all(|word| NODS.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_programs_put_into_a_prompt_goes() {
        for (text, kept) in [
            ("a <lorekeep-notes>\n- x\n</lorekeep-notes> b", "a  b"),
            ("<system-reminder>x</system-reminder>\n\nfix it", "fix it"),
            ("a <LOREKEEP-NOTES>x</lorekeep-notes > b", "a  b"),
            ("a <lorekeep-notes> never closed", "a"),
            ("a </lorekeep-notes> b", "a  b"),
            ("a &lt;lorekeep-notes&gt;\n- x < y\n&lt;/lorekeep-notes&gt; b", "a  b"),
            ("a &#x3C;lorekeep-notes&#x3E;x&#x3c;/lorekeep-notes&#x3e; b", "a  b"),
            ("a \\u003clorekeep-notes\\u003ex\\u003c/lorekeep-notes\\u003e b", "a  b"),
            ("a &amp;lt;lorekeep-notes&amp;gt;x", "a"),
            ("a &lt;lorekeep-notes&gt;x</lorekeep-notes> y", "a"),
            (
                "<hook_context>&lt;lorekeep-notes&gt;x&lt;/lorekeep-notes&gt;</hook_context>\n\na",
                "a",
            ),
            ("&lt;instructions&gt; is &amp; \\d", "&lt;instructions&gt; is &amp; \\d"),
            ("<command-name>/x</command-name><command-args></command-args>", ""),
            ("if a <b && c> d <system> e", "if a <b && c> d <system> e"),
            ("a\u{200b}b", "ab"),
        ] {
            assert_eq!(clean(text), kept, "{text}");
        }
    }

    #[test]
    fn boot_files_go_with_all_that_follows() {
        for line in [
            "Contents of ./CLAUDE.md (project instructions, checked into the codebase):",
            "# AGENTS.md instructions for ./web",
            "## CLAUDE.md",
            "--- GEMINI.md ---",
        ] {
            assert_eq!(clean(&format!("do this\n{line}\n\n- always x\n")), "do this", "{line}");
        }
        let asked = "Please add a section on tests to CLAUDE.md";
        assert_eq!(clean(asked), asked);
    }

    #[test]
    fn floods_go_and_what_was_said_around_them_stays() {
        let lines = |count: usize, line: &str| vec![line; count].join("\n");
        let fenced = format!("why?\n```\n{}\n```\nthanks a lot", lines(41, "x = 1"));
        assert_eq!(clean(&fenced), "why?\nthanks a lot");
        let short = format!("why?\n```\n{}\n```", lines(3, "x = 1"));
        assert_eq!(clean(&short), short);
        let log = format!("it fails:\n{}\nwhat now", lines(30, "2026-01-01 INFO started"));
        assert_eq!(clean(&log), "it fails:\nwhat now");
        let list = "we need:\n- tests\n- docs\n- speed";
        assert_eq!(clean(list), list);
        let paste = format!("see\n\n{}\n\nend", lines(60, "some words of a long document"));
        assert_eq!(clean(&paste), "see\n\nend");
    }

    #[test]
    fn encoded_bytes_go_and_the_rest_is_bounded() {
        let image = format!("look: data:image/png;base64,{} ok", "iVBORw0KGgo".repeat(40));
        assert_eq!(clean(&image), "look: data:image/png;base64, ok");
        let long = "word ".repeat(3_000);
        assert_eq!(clean(&long).chars().count(), CHARS_MAX);
    }

    #[test]
    fn nods_and_orders_to_the_client_say_nothing() {
        for text in [
            "yes",
            "Yes, continue.",
            "ok go on please",
            "/compact now please",
            "LGTM, ship it!",
            "",
        ] {
            assert!(is_trivial(text), "{text}");
        }
        for text in ["we deploy on Fridays", "/src/main.rs is broken\nfix it", "no, use tabs there"]
        {
            assert!(!is_trivial(text), "{text}");
        }
    }

    #[test]
    fn many_marks_take_no_longer_than_their_length() {
        let escaped = "&lt;lorekeep-notes&gt;&lt;/";
        for part in ["<instructions", "</", "<lorekeep-notes></", escaped, "&lt;", "```\n", "- \n"]
        {
            assert!(clean(&part.repeat(20_000)).chars().count() <= CHARS_MAX);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_and_nothing_of_a_block_is_left(
            before in "[a-z ]{0,20}", inside in "[^<]{0,60}", after in "[a-z ]{0,20}",
        ) {
            let text = format!("{before}<lorekeep-notes>{inside}</lorekeep-notes>{after}");
            prop_assert_eq!(clean(&text), clean(&format!("{before}{after}")));
        }

        #[test]
        fn any_text_is_taken_and_bounded(text in "\\PC{0,200}|[a-z<>/\n` #-]{0,200}") {
            let text = text.repeat(30);
            prop_assert!(clean(&text).chars().count() <= CHARS_MAX);
        }
    }
}
