//! `lorekeep bench calibration`: what a threshold keeps and drops, on the pairs that we made.
//!
//! Half of the topics are fitted, the other half is asked. Each query is asked among few memories
//! and among many; a hit is right if it answers the query, and wrong if it merely shares its topic.

use std::process::ExitCode;

use anyhow::Result;
use engine::{BuiltIn, Meaning, index};
use rank::calibrate::{Asking, Calibration, Exam, data, fit_exam};
use serde_json::{Value, json};

use crate::cli::CalibrationArgs;
use crate::embedder::Setting;
use crate::output;

/// The thresholds of the contracts: fuzzy, balanced, the usual one, strict.
const THRESHOLDS: [f64; 4] = [0.4, 0.6, 0.7, 0.8];

/// Among how many memories is asked.
const SIZES: [Option<usize>; 4] = [Some(10), Some(50), Some(200), None];

/// What a threshold kept.
#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    right: usize,
    wrong: usize,
    /// Of the wrong ones, those that share the topic.
    on_topic: usize,
    /// How many would have been right.
    answers: usize,
}

impl Kept {
    fn of(asked: &[Asking], threshold: f64) -> Self {
        let mut kept = Self::default();
        for asking in asked {
            kept.answers += asking.answers;
            let reached = asking.found.iter().filter(|(hit, ..)| hit.relevance >= threshold);
            for (_, is_answer, is_on_topic) in reached {
                kept.right += usize::from(*is_answer);
                kept.wrong += usize::from(!is_answer);
                kept.on_topic += usize::from(!is_answer && *is_on_topic);
            }
        }
        kept
    }

    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.answers.max(1) as f64
    }
}

pub(crate) fn run(args: &CalibrationArgs) -> Result<ExitCode> {
    let pairs = data::built_in();
    let embedder = match Setting::of(args.embedder.as_deref(), None)?.open()? {
        Meaning::Model(model) => model,
        Meaning::BuiltIn | Meaning::Words => Box::new(BuiltIn),
    };
    let (memories, queries) = index::embed_pairs(&*embedder, &pairs)?;
    let exam = Exam::of(&pairs, &memories, &queries);
    let fitted = fit_exam(&exam, |topic| topic % 2 == 0);
    let mut rows = Vec::new();
    for size in SIZES {
        let mut asked = exam.ask(size, &fitted);
        asked.retain(|asking| asking.topic % 2 == 1);
        let entries = asked.first().map_or(0, |asking| asking.entries);
        rows.extend(THRESHOLDS.map(|threshold| (entries, threshold, Kept::of(&asked, threshold))));
    }
    let whole = fit_exam(&exam, |_| true);
    let words = rank::calibrate::fit(&pairs, &vec![None; memories.len()], &[]);
    if args.json {
        let rows: Vec<Value> = rows.iter().map(describe).collect();
        output::json(
            &json!({"thresholds": rows, "fitted": whole.to_string(), "words_alone": words.to_string()}),
        )?;
    } else {
        let rows: Vec<[String; 6]> = rows.iter().map(row).collect();
        let head = ["memories", "threshold", "precision", "recall", "wrong", "of them on topic"];
        output::table(head, &rows);
        output::line(format!("fitted on all: {whole}\nin use:        {}", Calibration::BUILT_IN));
        output::line(format!("words alone:   {words}\nin use:        {}", Calibration::LEXICAL));
    }
    Ok(ExitCode::SUCCESS)
}

fn describe((entries, threshold, kept): &(usize, f64, Kept)) -> Value {
    json!({"memories": entries, "threshold": threshold, "precision": kept.precision(),
           "recall": kept.recall(), "wrong": kept.wrong, "wrong_on_topic": kept.on_topic})
}

fn row((entries, threshold, kept): &(usize, f64, Kept)) -> [String; 6] {
    [
        entries.to_string(),
        threshold.to_string(),
        format!("{:.2}", kept.precision()),
        format!("{:.2}", kept.recall()),
        kept.wrong.to_string(),
        kept.on_topic.to_string(),
    ]
}
