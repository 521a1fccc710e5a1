//! The story: what is called, what was acknowledged, and what must be there afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tools::testing::Captures;

use crate::support::{Stdio1, reply};

/// A question and what its answer must have.
#[derive(Debug, Clone)]
struct Check {
    tool: String,
    arguments: Value,
    is_error: bool,
    has: Vec<String>,
    lacks: Vec<String>,
}

/// One step of the story.
#[derive(Debug)]
struct Step {
    subject: String,
    tool: String,
    arguments: Value,
    answer: Value,
    check: Check,
}

/// What is known of a subject: one of these holds. Nothing is known if it is empty.
type Known = Vec<Check>;

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Acknowledged,
    Refused,
    /// The server ended before it answered.
    Unanswered,
    /// It rests on a step that was not acknowledged.
    Skipped,
}

/// A story as it was told to a server.
pub(super) struct Told {
    captures: Captures,
    ends: Vec<End>,
    steps: Vec<Step>,
    /// What a server said when it refused.
    pub(super) refusals: Vec<String>,
}

fn steps() -> Vec<Step> {
    let text = include_str!("story.txt");
    let begin = text.find("\n== ").expect("a first step");
    text[begin..].split("\n== ").filter(|block| !block.trim().is_empty()).map(step).collect()
}

fn step(block: &str) -> Step {
    let (subject, lines) = block.split_once('\n').expect("lines");
    let json = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|why| panic!("{subject}: {why}: {text}"))
    };
    let call = |line: &str| {
        let (tool, arguments) = line.trim().split_once(' ').expect("a tool and its arguments");
        (tool.to_owned(), json(arguments))
    };
    let all = |mark: &str| -> Vec<String> {
        lines.lines().filter_map(|line| Some(line.strip_prefix(mark)?.trim().to_owned())).collect()
    };
    let one = |mark: &str| all(mark).pop();
    let (tool, arguments) = call(&one("> ").expect("a call"));
    let (asked, is_error) = match one("?! ") {
        Some(asked) => (asked, true),
        None => (one("? ").expect("a question"), false),
    };
    let (ask, asking) = call(&asked);
    let check = Check { tool: ask, arguments: asking, is_error, has: all("~ "), lacks: all("!~ ") };
    assert!(check.has.len() + check.lacks.len() > 0, "{subject} is held against nothing");
    let answer = json(&one("< ").expect("an answer"));
    Step { subject: subject.to_owned(), tool, arguments, answer, check }
}

/// Whether something in it was never captured.
fn is_open(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with('$'),
        Value::Array(list) => list.iter().any(is_open),
        Value::Object(map) => map.values().any(is_open),
        _ => false,
    }
}

/// Tells the story to a server. Whatever it answers must be an answer of the tool, or an error in its words.
pub(super) fn tell(server: &mut Stdio1) -> Told {
    tell_part(server, usize::MAX, Duration::ZERO)
}

/// Tells the first steps of the story, with a pause after every fourth.
pub(super) fn tell_part(server: &mut Stdio1, steps_max: usize, pause: Duration) -> Told {
    let steps = steps();
    let mut told =
        Told { captures: Captures::default(), ends: Vec::new(), steps, refusals: Vec::new() };
    let mut uncertain: BTreeSet<String> = BTreeSet::new();
    for at in 0..told.steps.len() {
        if at % 4 == 3 {
            std::thread::sleep(pause);
        }
        let arguments = told.captures.fill(told.steps[at].arguments.clone());
        let subject = told.steps[at].subject.clone();
        let end = if at >= steps_max || is_open(&arguments) || uncertain.contains(&subject) {
            End::Skipped
        } else {
            told.take(at, call(server, &told.steps[at].tool, &arguments))
        };
        if end != End::Acknowledged {
            uncertain.insert(subject);
        }
        told.ends.push(end);
    }
    told
}

/// The answer to a call; none if the server has ended. The number of the request is that of the answer.
fn call(server: &mut Stdio1, tool: &str, arguments: &Value) -> Option<Value> {
    let call = json!({"name": tool, "arguments": arguments});
    let id = server.try_ask("tools/call", &call)?;
    loop {
        let message = server.receive()?;
        if message["id"] == id {
            return Some(message);
        }
    }
}

impl Told {
    fn take(&mut self, at: usize, answer: Option<Value>) -> End {
        let Some(answer) = answer else { return End::Unanswered };
        let step = &self.steps[at];
        let said = reply(&answer);
        if said.is_error {
            let text = said.value.to_string();
            self.refusals.push(format!("{}: {text}", step.tool));
            return End::Refused;
        }
        if let Err(why) = self.captures.compare(&step.answer, &said.value) {
            panic!("{}: {why}: {answer}", step.tool);
        }
        End::Acknowledged
    }

    /// Every step was acknowledged.
    pub(super) fn assert_whole(&self) {
        assert_eq!(self.refusals, Vec::<String>::new());
        assert!(self.ends.iter().all(|end| *end == End::Acknowledged), "{:?}", self.ends);
    }

    /// The server answered to the end.
    pub(super) fn is_answered(&self) -> bool {
        !self.ends.contains(&End::Unanswered)
    }

    /// How many steps were acknowledged.
    pub(super) fn acknowledged(&self) -> usize {
        self.ends.iter().filter(|end| **end == End::Acknowledged).count()
    }

    /// The tools that were called.
    pub(super) fn tools(&self) -> BTreeSet<&str> {
        self.steps.iter().map(|step| step.tool.as_str()).collect()
    }

    /// What must be there when the first `acknowledged` steps were, and perhaps the next.
    fn known(&self, acknowledged: usize) -> BTreeMap<&str, Known> {
        let mut known: BTreeMap<&str, Known> = BTreeMap::new();
        for (at, (step, end)) in self.steps.iter().zip(&self.ends).enumerate() {
            let checks = known.entry(&step.subject).or_default();
            let is_first = !self.steps[..at].iter().any(|before| before.subject == step.subject);
            let end = match end {
                End::Acknowledged if at > acknowledged => End::Skipped,
                End::Acknowledged if at == acknowledged => End::Unanswered,
                end => *end,
            };
            match end {
                End::Acknowledged => *checks = vec![step.check.clone()],
                // Nothing was known before, and nothing is now.
                End::Refused | End::Unanswered if is_first => {}
                End::Refused | End::Unanswered => checks.push(step.check.clone()),
                End::Skipped => {}
            }
        }
        known
    }

    /// What a server does not know any more, although it was acknowledged: of the first so many steps, or
    /// of all; subjects in `but` may be anyhow.
    pub(super) fn lost(
        &self,
        server: &mut Stdio1,
        acknowledged: Option<usize>,
        but: &[&str],
    ) -> Vec<String> {
        let mut lost = Vec::new();
        for (subject, checks) in self.known(acknowledged.unwrap_or(usize::MAX)) {
            if but.contains(&subject) {
                continue;
            }
            let whys: Vec<String> =
                checks.iter().filter_map(|check| self.fault(server, check)).collect();
            if !checks.is_empty() && whys.len() == checks.len() {
                lost.push(format!("{subject}: {}", whys.join("; or ")));
            }
        }
        lost
    }

    /// Why a check does not hold, if so.
    fn fault(&self, server: &mut Stdio1, check: &Check) -> Option<String> {
        let arguments = self.captures.fill(check.arguments.clone());
        let answer = call(server, &check.tool, &arguments).expect("an answer");
        let said = reply(&answer);
        let text = said.value.to_string();
        let filled = |text: &String| match self.captures.fill(json!(text)) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let missing = check.has.iter().map(filled).find(|part| !text.contains(part));
        let left = check.lacks.iter().map(filled).find(|part| text.contains(part));
        let why = match (missing, left) {
            (Some(missing), _) => format!("{missing:?} is missing"),
            (None, Some(left)) => format!("{left:?} is there"),
            _ if said.is_error != check.is_error => "it is an error, or none".to_owned(),
            _ => return None,
        };
        Some(format!("{why} in {} {arguments}: {text}", check.tool))
    }
}
