//! `lorekeep search`: what is found, and with `--explain` and `--why-not`, why.

use std::process::ExitCode;

use anyhow::Result;
use engine::find::{self, Found, FoundKind, Thing, Wanted};
use engine::knowledge::Trusted;
use engine::memory::{
    self, Evidence, Explained, Explanation, Query, Reasons, Recalled, Verdict, WhyNot, Within,
    WordOf,
};
use engine::{Engine, trust};
use model::{Caller, Layer, MemoryId};
use serde_json::{Map, Value, json};

use super::memo;
use crate::cli::SearchArgs;
use crate::output::{self, STRONG, cut, one_line, styled};
use crate::wiring;

pub(crate) fn run(args: &SearchArgs) -> Result<ExitCode> {
    let settings = super::settings(&args.store)?;
    super::refuse_missing(&settings)?;
    let engine = wiring::open_to_read(&settings)?;
    let caller = wiring::caller(&settings);
    let query = Query {
        text: args.query.join(" "),
        within: if args.layers.is_empty() {
            Within::Own
        } else {
            Within::Layers(args.layers.clone())
        },
        tags_any: args.tags.clone(),
        floor: args.threshold,
        limit: usize::try_from(args.limit)?,
    };
    if args.explain || args.why_not.is_some() {
        let explanation = memory::explain(&engine, &caller, &query, args.why_not)?;
        if args.json {
            output::json(&describe_explanation(&engine, &explanation, &query))?;
        } else {
            print_explanation(&engine, &explanation, &query, args.explain);
        }
        wiring::leave_index(&engine);
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = Wanted {
        layers: args.layers.clone(),
        tags_any: args.tags.clone(),
        kinds: if args.kinds.is_empty() { FoundKind::ALL.to_vec() } else { args.kinds.clone() },
        floor: args.threshold,
        ..Wanted::anything(query.text.clone(), query.limit)
    };
    let findings = find::find(&engine, &caller, &wanted)?;
    let shown = findings.found.iter().map(|found| Shown::of(&engine, &caller, found));
    if args.json {
        let hits: Vec<Value> = (1..).zip(shown).map(|(rank, hit)| hit.describe(rank)).collect();
        let layers = names(&layers(&caller, &args.layers));
        output::json(&json!({"hits": hits, "total": findings.total, "searched_layers": layers}))?;
    } else {
        shown.for_each(|hit| hit.print());
        print_rest(findings.found.len(), findings.total, &query);
    }
    wiring::leave_index(&engine);
    Ok(ExitCode::SUCCESS)
}

/// The caller's layers that were searched, strongest first.
fn layers(caller: &Caller, wanted: &[Layer]) -> Vec<Layer> {
    let mut layers: Vec<Layer> = caller.identity.scopes().iter().map(|scope| scope.layer).collect();
    layers.retain(|layer| wanted.is_empty() || wanted.contains(layer));
    layers.sort_unstable();
    layers.dedup();
    layers
}

/// Something that was found, as it is shown.
struct Shown {
    relevance: f64,
    kind: &'static str,
    layer: Option<Layer>,
    /// An id, or a file and its lines.
    id: String,
    content: String,
    tags: Vec<String>,
    caution: Option<String>,
}

impl Shown {
    fn of(engine: &Engine, caller: &Caller, found: &Found) -> Self {
        let content = found.thing.text().into_owned();
        let (layer, id, tags, caution) = match &found.thing {
            Thing::Memory(memory) => {
                let caution = trust::caution(engine, memory).told();
                (Some(memory.scope.layer), memory.id.prefixed(), memory.tags.clone(), caution)
            }
            Thing::Chunk(chunk) => {
                let place = format!("{}:{}", chunk.path, chunk.chunk.start_line);
                (None, place, Vec::new(), trust::text_caution(engine, &content).told())
            }
            Thing::Record(stored) => {
                let caution = trust::record_caution(engine, stored).told();
                (None, stored.record.id.to_string(), Vec::new(), caution)
            }
            Thing::Item(item, _) => {
                let caution = Trusted::look(engine, caller).caution(item).told();
                (Some(item.layer), item.id.clone(), item.tags.clone(), caution)
            }
        };
        let (relevance, kind) = (found.relevance, found.thing.kind().name());
        Self { relevance, kind, layer, id, content, tags, caution }
    }

    /// A line for a person; columns between tabs for a program. A memory is of a layer, anything else of
    /// a kind.
    fn print(&self) {
        let is_memory = self.kind == FoundKind::Memory.name();
        let of = self.layer.filter(|_| is_memory).map_or(self.kind, Layer::name);
        let (relevance, id) = (format!("{:.2}", self.relevance), output::one_line(&self.id));
        let text = one_line(&self.content);
        let caution = self.caution.as_ref().map(|caution| format!(" [{}]", one_line(caution)));
        let text = text + &caution.unwrap_or_default();
        let Some(width) = output::width() else {
            output::line([relevance, of.to_owned(), id, text].join("\t"));
            return;
        };
        let head = format!("{relevance}  {of:<9}  {id}  ");
        let room = width.saturating_sub(head.chars().count());
        output::line(format!("{}{}", head, styled(STRONG, cut(&text, Some(room)))));
    }

    fn describe(&self, rank: usize) -> Value {
        json!({
            "rank": rank,
            "relevance": self.relevance,
            "kind": self.kind,
            "layer": self.layer.map(Layer::name),
            "id": self.id,
            "content": self.content,
            "tags": self.tags,
            "caution": self.caution,
        })
    }
}

fn names(layers: &[Layer]) -> Vec<&'static str> {
    layers.iter().map(|layer| layer.name()).collect()
}

fn print_rest(shown: usize, total: usize, query: &Query) {
    let floor = query.floor;
    if total == 0 && floor > 0.0 {
        output::note(format!("nothing reaches {floor}; --threshold 0 shows what comes nearest"));
    } else if total == 0 {
        output::note("nothing here has to do with the query");
    } else if total > shown {
        output::note(format!("{shown} of {total} that reach {floor}; --limit shows more"));
    }
}

fn print_explanation(engine: &Engine, explanation: &Explanation, query: &Query, with_hits: bool) {
    if with_hits {
        print_head(explanation, query);
        for (rank, found) in (1..).zip(&explanation.hits) {
            let Explained { hit, reasons } = found;
            let text = memo::cautioned(engine, &hit.memory, &one_line(&hit.memory.content));
            let (layer, id) = (hit.memory.scope.layer.name(), hit.memory.id.prefixed());
            let head = format!("{rank}. {:.4}  {layer}  {id}", hit.relevance);
            output::line(format!("\n{}", styled(STRONG, head)));
            output::line(cut(&format!("   {text}"), output::width()));
            print_reasons(hit.fused, &hit.evidence, reasons);
        }
        print_rest(explanation.hits.len(), explanation.total, query);
    }
    if let Some(about) = &explanation.asked_about {
        if with_hits {
            output::line("");
        }
        output::line(sentence(about, explanation, query));
        if let Some(scored) = &about.scored {
            print_reasons(scored.fused, &scored.evidence, &scored.reasons);
        }
    }
}

fn print_head(explanation: &Explanation, query: &Query) {
    let Explanation { allowed, candidates, total, .. } = explanation;
    let term = |(word, stem): &(String, String)| {
        if word == stem { word.clone() } else { format!("{word} ({stem})") }
    };
    let terms: Vec<String> = explanation.terms.iter().map(term).collect();
    let model = explanation.model.as_deref().unwrap_or("none: by words alone");
    let line = |name: &str, text: String| output::line(format!("{name:<11} {text}"));
    line("model", model.to_owned());
    line("terms", terms.join(", "));
    line("layers", names(&explanation.layers).join(", "));
    line("allowed", format!("{allowed} memories"));
    line("candidates", format!("{candidates}; {total} different texts reach {}", query.floor));
}

fn print_reasons(fused: f32, evidence: &Evidence, reasons: &Reasons) {
    let Evidence { coverage, likeness, bm25, cosine, lent, .. } = evidence;
    let rank = |rank: Option<usize>| rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
    let cosine = cosine.map_or_else(|| "–".to_owned(), |cosine| format!("{cosine:.3}"));
    let line = |text: String| output::line(format!("   {text}"));
    line(format!("fused    {fused:.3}"));
    line(format!(
        "words    rank {}  bm25 {bm25:.3}  coverage {coverage:.2}  likeness {likeness:.2}  {}",
        rank(reasons.rank_by_words),
        words(&reasons.words)
    ));
    line(format!("meaning  rank {}  cosine {cosine}", rank(reasons.rank_by_meaning)));
    line(format!("lent     {lent:.3} by a neighbour"));
}

/// Which of the query's words a text holds, which it says otherwise, and which it lacks.
fn words(words: &[WordOf]) -> String {
    let listed = |name: &str, words: Vec<String>| {
        (!words.is_empty()).then(|| format!("{name} {}", words.join(", ")))
    };
    let (held, others): (Vec<_>, Vec<_>) = words.iter().partition(|word| word.is_held);
    let (meant, lacking): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|word| word.likeness > 0.0);
    let name = |word: &WordOf| word.word.clone();
    let near = |word: &WordOf| format!("{} {:.2}", word.word, word.likeness);
    let parts = [
        listed("holds", held.into_iter().map(name).collect()),
        listed("by meaning", meant.into_iter().map(near).collect()),
        listed("lacks", lacking.into_iter().map(name).collect()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What became of the memory, in one sentence.
fn sentence(about: &WhyNot, explanation: &Explanation, query: &Query) -> String {
    let id = about.id.prefixed();
    match &about.verdict {
        Verdict::Unknown => format!("there is no memory {id}"),
        Verdict::Archived => format!("memory {id} is archived; a search leaves it out"),
        Verdict::OtherLayer(layer) => {
            format!("memory {id} lies in layer {}, which was not searched", layer.name())
        }
        Verdict::NoTag => format!("memory {id} has no tag of {}", query.tags_any.join(", ")),
        Verdict::NothingSpeaks => format!(
            "nothing speaks for memory {id}: it holds no word of the query, and its meaning is not near"
        ),
        Verdict::NoCandidate(evidence) => {
            let Evidence { coverage, cosine, .. } = evidence;
            let cosine = cosine.map_or_else(String::new, |cosine| format!(", cosine {cosine:.3}"));
            let Explanation { allowed, candidates, .. } = explanation;
            format!(
                "memory {id} was no candidate: {candidates} of {allowed} memories were, \
                 and had more to say than coverage {coverage:.2}{cosine}"
            )
        }
        Verdict::Below { relevance, floor } => {
            format!("memory {id} has relevance {relevance:.4}, below the threshold {floor}")
        }
        Verdict::SameText { id: other, place } => {
            format!("memory {id} has the same text as {}, at place {place}", other.prefixed())
        }
        Verdict::Beyond { place, limit } => {
            format!("memory {id} is at place {place}, beyond the limit of {limit}")
        }
        Verdict::Hit { place } => format!("memory {id} is among the hits, at place {place}"),
    }
}

fn describe_explanation(engine: &Engine, explanation: &Explanation, query: &Query) -> Value {
    let hits = (1..).zip(&explanation.hits).map(|(rank, found)| {
        let mut hit = describe(engine, rank, &found.hit);
        let Recalled { fused, evidence, .. } = &found.hit;
        hit.insert("reasons".to_owned(), describe_reasons(*fused, evidence, &found.reasons));
        Value::Object(hit)
    });
    let term = |(word, stem): &(String, String)| json!({"word": word, "stem": stem});
    let mut all = json!({
        "model": explanation.model,
        "terms": explanation.terms.iter().map(term).collect::<Vec<_>>(),
        "searched_layers": names(&explanation.layers),
        "allowed": explanation.allowed,
        "candidates": explanation.candidates,
        "total": explanation.total,
        "hits": hits.collect::<Vec<_>>(),
    });
    if let Some(about) = &explanation.asked_about {
        let reasons = about.scored.as_ref().map(|scored| {
            let mut reasons = describe_reasons(scored.fused, &scored.evidence, &scored.reasons);
            reasons["relevance"] = json!(scored.relevance);
            reasons
        });
        let (word, place, same_as) = verdict(&about.verdict);
        all["why_not"] = json!({
            "id": about.id.prefixed(),
            "verdict": word,
            "place": place,
            "same_as": same_as.map(|id| id.prefixed()),
            "text": sentence(about, explanation, query),
            "reasons": reasons,
        });
    }
    all
}

/// A verdict for a program: its word, the place it names, the memory it names.
fn verdict(verdict: &Verdict) -> (&'static str, Option<usize>, Option<MemoryId>) {
    match verdict {
        Verdict::Unknown => ("unknown", None, None),
        Verdict::Archived => ("archived", None, None),
        Verdict::OtherLayer(_) => ("other_layer", None, None),
        Verdict::NoTag => ("no_tag", None, None),
        Verdict::NothingSpeaks => ("nothing_speaks", None, None),
        Verdict::NoCandidate(_) => ("no_candidate", None, None),
        Verdict::Below { .. } => ("below", None, None),
        Verdict::SameText { id, place } => ("same_text", Some(*place), Some(*id)),
        Verdict::Beyond { place, .. } => ("beyond", Some(*place), None),
        Verdict::Hit { place } => ("hit", Some(*place), None),
    }
}

fn describe(engine: &Engine, rank: usize, hit: &Recalled) -> Map<String, Value> {
    let memory = &hit.memory;
    let pairs = [
        ("rank", json!(rank)),
        ("relevance", json!(hit.relevance)),
        ("layer", json!(memory.scope.layer.name())),
        ("id", json!(memory.id.prefixed())),
        ("content", json!(memory.content)),
        ("tags", json!(memory.tags)),
        ("caution", json!(trust::caution(engine, memory).told())),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn describe_reasons(fused: f32, evidence: &Evidence, reasons: &Reasons) -> Value {
    let word = |word: &WordOf| {
        json!({"word": word.word, "share": number(word.share), "held": word.is_held,
               "likeness": number(word.likeness)})
    };
    json!({
        "fused": number(fused),
        "rank_by_words": reasons.rank_by_words,
        "bm25": number(evidence.bm25),
        "coverage": number(evidence.coverage),
        "likeness": number(evidence.likeness),
        "rank_by_meaning": reasons.rank_by_meaning,
        "cosine": evidence.cosine.map(number),
        "lent": number(evidence.lent),
        "words": reasons.words.iter().map(word).collect::<Vec<_>>(),
    })
}

/// A number with as many digits as mean something.
fn number(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}
