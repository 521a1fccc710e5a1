//! `lorekeep bench recall`: how much of what answers a question the search brings back.
//!
//! The data set is LoCoMo's `locomo10.json` (long conversations, and questions with the turns that
//! answer them). Its licence does not let us ship it; the user brings the file. Each conversation
//! is a project of its own, each turn a memory with its date; a question is a search in it, asked as an
//! agent asks it: through the tools.

mod locomo;

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::Engine;
use engine::memory::{self, NewMemory, Place, Query, Within};
use model::{Caller, Importance, Kind, Layer, MemoryId, Metadata, Origin};
use serde_json::{Map, Value, json};
use tools::{Catalogue, Selection};

use crate::cli::RecallArgs;
use crate::embedder::Setting;
use crate::settings::{self, Settings};
use crate::{output, wiring};
use locomo::{Conversation, Question};

/// How far down the list is looked.
const DEPTHS: [usize; 4] = [5, 10, 25, 50];

/// The questions of this category have no answer; finding nothing is right, so recall says nothing.
const UNANSWERABLE: u64 = 5;

/// The rankings that are compared, by name: plain BM25, and the tools that agents ask.
const RANKINGS: [&str; 3] = ["plain BM25", RECALL, SEARCH];

const RECALL: &str = "memory_recall";
const SEARCH: &str = "search_with_filters";

/// The most results that both tools give.
const RESULTS: usize = 50;

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
    let catalogue = Catalogue::new(Selection::all());
    let mut results = Results::new();
    for conversation in conversations {
        let project = conversation.id.parse().map_err(anyhow::Error::msg)?;
        let mut caller = wiring::caller(settings);
        caller.identity = caller.identity.with(Layer::Project, project);
        let turns = store(&engine, &caller, conversation)?;
        for question in &conversation.questions {
            let asked = Asked { engine: &engine, caller: &caller, catalogue: &catalogue };
            ask(&asked, question, &turns, &mut results)?;
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

/// Who is asked, and by whom.
struct Asked<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    catalogue: &'a Catalogue,
}

impl Asked<'_> {
    /// The ids of the memories that a tool finds in the conversation, best first.
    fn tool(&self, tool: &str, list: &str, query: &str) -> Result<Vec<MemoryId>> {
        let definition = self.catalogue.find(tool).context("a tool is missing")?;
        let project = self.caller.identity.id(Layer::Project).context("no project")?;
        let namespace = format!("project:{}", project.as_str());
        let filters = json!({"namespace": namespace});
        let arguments = match tool {
            RECALL => json!({"query": query, "n_results": RESULTS, "namespace": namespace}),
            _ => json!({"query": query, "n_results": RESULTS, "filters": filters}),
        };
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let reply = definition.call(arguments, &tools::Context::new(self.engine, self.caller));
        let found = reply.value["data"][list].as_array();
        let found = found.with_context(|| format!("{tool} answered {}", reply.value))?;
        let ids = found.iter().filter_map(|hit| hit["id"].as_str()?.parse().ok());
        Ok(ids.collect())
    }

    /// The ids of all that holds a word of the query, by BM25 alone.
    fn plain(&self, query: &str, limit: usize) -> Result<Vec<MemoryId>> {
        let query = Query {
            text: query.to_owned(),
            within: Within::Layers(vec![Layer::Project]),
            tags_any: Vec::new(),
            floor: 0.0,
            limit,
        };
        let mut hits = memory::recall(self.engine, self.caller, &query)?.hits;
        hits.sort_by(|a, b| b.evidence.bm25.total_cmp(&a.evidence.bm25));
        Ok(hits.into_iter().map(|hit| hit.memory.id).collect())
    }
}

fn ask(
    asked: &Asked<'_>,
    question: &Question,
    turns: &HashMap<MemoryId, String>,
    results: &mut Results,
) -> Result<()> {
    let evidence: Vec<&str> = question.evidence.iter().map(String::as_str).collect();
    if evidence.is_empty() || question.category == UNANSWERABLE {
        return Ok(());
    }
    let rankings = [
        asked.plain(&question.text, turns.len())?,
        asked.tool(RECALL, "memories", &question.text)?,
        asked.tool(SEARCH, "results", &question.text)?,
    ];
    for (ranking, ids) in rankings.iter().enumerate() {
        let ranked: Vec<&str> =
            ids.iter().filter_map(|id| turns.get(id)).map(String::as_str).collect();
        for category in [0, question.category] {
            results.entry((ranking, category)).or_default().add(&evidence, &ranked);
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
