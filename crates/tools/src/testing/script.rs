//! A transcript's text into steps.

use engine::Limits;
use model::{Caller, Identity, Layer, Role, Trust};
use serde_json::Value;

/// Words for files, and the folder of the data directory that they lie in.
const FOLDERS: [(&str, &str); 2] = [("file", "knowledge"), ("work", super::WORK)];

/// One step of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Sets the scene.
    Direct(Directive),
    /// Calls a tool.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Expects an answer.
    Expect {
        /// Where it stands.
        line: usize,
        /// Whether an error is expected.
        is_error: bool,
        /// What is expected.
        pattern: Value,
    },
}

/// What sets the scene.
#[derive(Debug, Clone, PartialEq)]
pub enum Directive {
    /// Who calls from here on.
    Caller(Box<Caller>),
    /// Starts over with these limits.
    Limits(Limits),
    /// Starts over with a ledger that is this far open to tools.
    Trust(Trust),
    /// Writes a file below the data directory; without a text it goes.
    File(String, Option<String>),
}

impl Directive {
    /// Writes or removes the file that it tells of, below a data directory; whether it tells of one.
    pub fn write_file(&self, dir: &std::path::Path) -> bool {
        let Self::File(path, text) = self else { return false };
        let file = dir.join(path);
        match text {
            Some(text) => {
                let folder = file.parent().expect("a folder");
                std::fs::create_dir_all(folder).expect("a folder");
                std::fs::write(&file, text).expect("a file");
            }
            None => std::fs::remove_file(&file).expect("a file that can go"),
        }
        true
    }
}

/// The steps of a transcript.
///
/// # Panics
/// With the line, where it is no transcript.
pub fn parse(text: &str) -> Vec<Step> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(['>', '<', '@']) {
            entries.push((number + 1, line.to_owned()));
        } else if let Some((_, entry)) = entries.last_mut() {
            entry.push('\n');
            entry.push_str(line);
        } else {
            panic!("line {}: a transcript starts with >, < or @", number + 1);
        }
    }
    entries.into_iter().map(|(line, entry)| step(line, &entry)).collect()
}

fn step(line: usize, entry: &str) -> Step {
    let json = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|why| panic!("line {line}: {why}: {text}"))
    };
    if let Some(call) = entry.strip_prefix('>') {
        let (tool, arguments) = call.trim().split_once(' ').unwrap_or((call.trim(), "{}"));
        Step::Call { tool: tool.to_owned(), arguments: json(arguments) }
    } else if let Some(pattern) = entry.strip_prefix("<!") {
        Step::Expect { line, is_error: true, pattern: json(pattern) }
    } else if let Some(pattern) = entry.strip_prefix('<') {
        Step::Expect { line, is_error: false, pattern: json(pattern) }
    } else {
        Step::Direct(directive(line, entry.trim_start_matches('@').trim()))
    }
}

fn directive(line: usize, text: &str) -> Directive {
    let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
    for (word, folder) in FOLDERS {
        let path = |rest: &str| format!("{folder}/{}", rest.trim());
        if let Some(rest) = first.strip_prefix(&format!("{word} ")) {
            return Directive::File(path(rest), Some(file_text(line, lines)));
        }
        if let Some(rest) = first.strip_prefix(&format!("no {word} ")) {
            return Directive::File(path(rest), None);
        }
    }
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default();
    if kind == "trust" {
        let trust = words.next().and_then(Trust::named);
        return Directive::Trust(trust.expect("trust open|human_only"));
    }
    let pairs =
        words.map(|word| word.split_once('=').unwrap_or_else(|| panic!("line {line}: k=v")));
    match kind {
        "caller" => {
            let mut caller = Caller::new(Identity::default(), Role::Admin);
            for (key, value) in pairs {
                match Layer::named(key) {
                    Some(layer) => {
                        let id = value.parse().expect("a legal id");
                        caller.identity = caller.identity.with(layer, id);
                    }
                    None => caller.role = value.parse().expect("role=guest|user|admin"),
                }
            }
            Directive::Caller(Box::new(caller))
        }
        "limits" => {
            let mut limits = Limits::default();
            for (key, value) in pairs {
                let max = value.parse().expect("a number");
                match key {
                    "core" => limits.notes_core_max = max,
                    "learning" => limits.notes_learning_max = max,
                    "task" => limits.notes_task_max = max,
                    "event-days" => limits.event_days = max,
                    _ => panic!("line {line}: limits take core, learning, task, event-days"),
                }
            }
            Directive::Limits(limits)
        }
        _ => panic!("line {line}: @ takes caller, limits, trust, file, work, no file or no work"),
    }
}

/// The text behind the bars.
fn file_text(line: usize, lines: &str) -> String {
    let text = |text: &str| {
        let text = text.strip_prefix('|').unwrap_or_else(|| panic!("line {line}: `| text`"));
        format!("{}\n", text.strip_prefix(' ').unwrap_or(text))
    };
    lines.lines().map(text).collect()
}
