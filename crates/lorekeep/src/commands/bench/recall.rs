//! `lorekeep bench recall`: how much of what answers a question the search brings back.
//!
//! The data set is LoCoMo's `locomo10.json` (long conversations, and questions with the turns that
//! answer them). Its licence does not let us ship it; the user brings the file. Each conversation
//! is a project of its own, each turn a memory with its date; a question is a search in it.

mod locomo;

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::Engine;
use engine::memory::{self, NewMemory, Place, Query, Recalled, Within};
use model::{Caller, Importance, Kind, Layer, MemoryId, Metadata, Origin};
use serde_json::{Value, json};

use crate::cli::RecallArgs;
use crate::embedder::Setting;
use crate::settings::{self, Settings};
use crate::{output, wiring};
use locomo::{Conversation, Question};

/// How far down the list is looked.
const DEPTHS: [usize; 4] = [5, 10, 25, 50];

/// The questions of this category have no answer; finding nothing is right, so recall says nothing.
const UNANSWERABLE: u64 = 5;

/// The rankings that are compared, by name.
const RANKINGS: [&str; 2] = ["plain BM25", "lorekeep"];

/// The sum of the recalls at each depth, and of how many questions.
#[derive(Debug, Clone, Copy, Default)]
struct Recall {
    sums: [f64; DEPTHS.len()],
    questions: u32,
}

impl Recall {
    fn add(&mut self, evidence: &[&str], ranked: &[&str]) {
        self.questions += 1;
        for (sum, depth) in self.sums.iter_mut().zip(DEPTHS) {
            let top = &ranked[..depth.min(ranked.len())];
            let found = evidence.iter().filter(|turn| top.contains(turn)).count();
            *sum += found as f64 / evidence.len() as f64;
        }
    }

    fn percents(&self) -> [f64; DEPTHS.len()] {
        self.sums.map(|sum| 100.0 * sum / f64::from(self.questions.max(1)))
    }
}

/// For each ranking and category (0: all of them), what was found.
type Results = BTreeMap<(usize, u64), Recall>;

pub(crate) fn run(args: &RecallArgs) -> Result<ExitCode> {
    let conversations = locomo::load(&args.locomo)?;
    let scratch = tempfile::tempdir()?;
    let mut settings = settings::scratch(scratch.path())?;
    settings.embedder = Setting::of(args.embedder.as_deref(), None)?;
    let results = measure(&conversations, &settings)?;
    if args.json {
        let rows: Vec<Value> = results.iter().map(describe).collect();
        output::json(&json!({"depths": DEPTHS, "recall": rows}))?;
    } else {
        let rows: Vec<[String; 7]> = results.iter().map(row).collect();
        output::table(["ranking", "category", "questions", "R@5", "R@10", "R@25", "R@50"], &rows);
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(conversations: &[Conversation], settings: &Settings) -> Result<Results> {
    let engine = wiring::open_once(settings)?;
    // A model is searched once it is complete, which it is while there is nothing yet.
    engine::index::complete(&engine, |_, _| true)?;
    let mut results = Results::new();
    for conversation in conversations {
        let project = conversation.id.parse().map_err(anyhow::Error::msg)?;
        let mut caller = wiring::caller(settings);
        caller.identity = caller.identity.with(Layer::Project, project);
        let turns = store(&engine, &caller, conversation)?;
        for question in &conversation.questions {
            ask(&engine, &caller, question, &turns, &mut results)?;
        }
    }
    Ok(results)
}

/// Stores the turns in order; which memory is which turn.
fn store(
    engine: &Engine,
    caller: &Caller,
    conversation: &Conversation,
) -> Result<HashMap<MemoryId, String>> {
    let mut turns = HashMap::new();
    for turn in &conversation.turns {
        let new = NewMemory {
            origin: Origin::Layers,
            place: Place::Layer(Layer::Project),
            kind: Kind::Session,
            content: turn.text.clone(),
            category: None,
            tags: Vec::new(),
            importance: Importance::Medium.value(),
            metadata: Metadata::from_iter([("session".to_owned(), turn.session.into())]),
        };
        let memory = memory::remember(engine, caller, new).context(turn.id.clone())?;
        turns.insert(memory.id, turn.id.clone());
    }
    Ok(turns)
}

fn ask(
    engine: &Engine,
    caller: &Caller,
    question: &Question,
    turns: &HashMap<MemoryId, String>,
    results: &mut Results,
) -> Result<()> {
    let evidence: Vec<&str> = question.evidence.iter().map(String::as_str).collect();
    if evidence.is_empty() || question.category == UNANSWERABLE {
        return Ok(());
    }
    let query = Query {
        text: question.text.clone(),
        within: Within::Layers(vec![Layer::Project]),
        tags_any: Vec::new(),
        floor: 0.0,
        limit: turns.len(),
    };
    let ours = memory::recall(engine, caller, &query)?.hits;
    let mut plain: Vec<&Recalled> = ours.iter().collect();
    plain.sort_by(|a, b| b.evidence.bm25.total_cmp(&a.evidence.bm25));
    let names = |hits: Vec<&Recalled>| -> Vec<&str> {
        hits.into_iter().filter_map(|hit| turns.get(&hit.memory.id)).map(String::as_str).collect()
    };
    for (ranking, ranked) in [names(plain), names(ours.iter().collect())].iter().enumerate() {
        for category in [0, question.category] {
            results.entry((ranking, category)).or_default().add(&evidence, ranked);
        }
    }
    Ok(())
}

fn describe((key, recall): (&(usize, u64), &Recall)) -> Value {
    json!({"ranking": RANKINGS[key.0], "category": category(key.1),
           "questions": recall.questions, "percent": recall.percents()})
}

fn row((key, recall): (&(usize, u64), &Recall)) -> [String; 7] {
    let [a, b, c, d] = recall.percents().map(|percent| format!("{percent:.1}"));
    [RANKINGS[key.0].into(), category(key.1).into(), recall.questions.to_string(), a, b, c, d]
}

/// LoCoMo's categories by name.
fn category(number: u64) -> &'static str {
    match number {
        0 => "all",
        1 => "multi-hop",
        2 => "temporal",
        3 => "open domain",
        4 => "single-hop",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_the_share_of_the_evidence_within_the_depth() {
        let ranked: Vec<String> = (0..60).map(|n| format!("t{n}")).collect();
        let ranked: Vec<&str> = ranked.iter().map(String::as_str).collect();
        let mut recall = Recall::default();
        recall.add(&["t0", "t7", "t49", "nowhere"], &ranked);
        assert_eq!(recall.percents(), [25.0, 50.0, 50.0, 75.0]);
        recall.add(&["t0"], &["t0"]);
        assert_eq!(recall.percents(), [62.5, 75.0, 75.0, 87.5]);
    }

    #[test]
    fn a_small_conversation_is_stored_asked_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("small.json");
        std::fs::write(&file, locomo::SMALL).unwrap();
        let settings = settings::scratch(&dir.path().join("store")).unwrap();
        let results = measure(&locomo::load(&file).unwrap(), &settings).unwrap();
        let all = results[&(1, 0)];
        assert_eq!(all.questions, 2, "the unanswerable one does not count");
        assert_eq!(all.percents()[0], 75.0, "one of two turns, and one of one");
    }
}
