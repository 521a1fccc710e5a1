//! What to know before a task, as Markdown that fits a budget of tokens.

use model::{Caller, Kind, Memory, MemoryFilter, Order, Paging, Scope, SortKey};
use rank::keep::harmless;

use super::recall::{Query, Within, recall};
use super::{access, list};
use crate::{Engine, Result, tokens, trust};

/// What is told must be this likely to be what was asked for.
const RELEVANCE_MIN: f64 = 0.5;

/// No more memories than this are looked at.
const CANDIDATES_MAX: usize = 500;

/// What every text begins with.
const TITLE: &str = "## Relevant Memories";

/// The shortest line that tells something costs at least this.
const LINE_TOKENS_MIN: usize = 8;

/// What to know before a task.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Briefing {
    /// The text; empty if there is nothing to tell.
    pub text: String,
    /// How many tokens it costs.
    pub tokens: usize,
    /// How many memories it tells.
    pub memories: usize,
    /// How many of them are golden rules.
    pub golden_rules: usize,
}

/// The most relevant memories in these places, or without a question the surest and newest, as far
/// as they fit the budget. One that does not fit is left out, and a later one may take its place.
pub fn context(
    engine: &Engine,
    caller: &Caller,
    query: Option<&str>,
    scopes: Vec<Scope>,
    budget: usize,
) -> Result<Briefing> {
    let candidates = match query {
        Some(text) => relevant(engine, caller, text, scopes)?,
        None => surest(engine, caller, scopes)?,
    };
    let candidates = trust::told(engine, candidates)?;
    let mut taken = pack(&candidates, budget);
    loop {
        let text = render(&taken);
        let tokens = tokens(&text);
        if tokens <= budget {
            let golden_rules = taken.iter().filter(|memory| memory.is_golden()).count();
            access::touch_later(engine, taken.iter().map(|memory| memory.id).collect());
            return Ok(Briefing { text, tokens, memories: taken.len(), golden_rules });
        }
        // Lines can cost a little more together than one by one.
        taken.pop();
    }
}

fn relevant(
    engine: &Engine,
    caller: &Caller,
    text: &str,
    scopes: Vec<Scope>,
) -> Result<Vec<Memory>> {
    let query = Query {
        text: text.to_owned(),
        within: Within::Scopes(scopes),
        tags_any: Vec::new(),
        floor: RELEVANCE_MIN,
        limit: CANDIDATES_MAX,
    };
    let hits = recall(engine, caller, &query)?.hits;
    Ok(hits.into_iter().map(|hit| hit.memory).collect())
}

fn surest(engine: &Engine, caller: &Caller, scopes: Vec<Scope>) -> Result<Vec<Memory>> {
    let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
    let limit = CANDIDATES_MAX as u64;
    let paging = Paging { key: SortKey::Confidence, order: Order::Descending, offset: 0, limit };
    Ok(list(engine, caller, filter, paging)?.items)
}

/// Those that fit, line by line, in their order.
fn pack(candidates: &[Memory], budget: usize) -> Vec<&Memory> {
    let mut left = budget.saturating_sub(tokens(TITLE));
    let mut sections = Vec::new();
    let mut taken = Vec::new();
    for memory in candidates {
        if left < LINE_TOKENS_MIN {
            break;
        }
        let section = Section::of(memory);
        let heading = if sections.contains(&section) { 0 } else { tokens(&section.heading()) };
        let needed = heading + tokens(&line(memory));
        if needed <= left {
            left -= needed;
            taken.push(memory);
            if heading > 0 {
                sections.push(section);
            }
        }
    }
    taken
}

/// A part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    GoldenRules,
    Of(Kind),
}

impl Section {
    /// All of them, in reading order.
    const ALL: [Self; 6] = [
        Self::GoldenRules,
        Self::Of(Kind::Preference),
        Self::Of(Kind::Decision),
        Self::Of(Kind::Pattern),
        Self::Of(Kind::Fact),
        Self::Of(Kind::Session),
    ];

    fn of(memory: &Memory) -> Self {
        if memory.is_golden() { Self::GoldenRules } else { Self::Of(memory.kind) }
    }

    fn heading(self) -> String {
        let title = match self {
            Self::GoldenRules | Self::Of(Kind::GoldenRule) => "Golden Rules (High Confidence)",
            Self::Of(Kind::Preference) => "Preferences",
            Self::Of(Kind::Decision) => "Decisions",
            Self::Of(Kind::Pattern) => "Patterns",
            Self::Of(Kind::Fact) => "Facts",
            Self::Of(Kind::Session) => "Sessions",
        };
        format!("\n\n### {title}")
    }
}

/// A memory in one line, however many its text has.
fn line(memory: &Memory) -> String {
    format!("\n- {} [confidence: {}]", harmless(&memory.content), memory.confidence)
}

fn render(memories: &[&Memory]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let mut text = TITLE.to_owned();
    for section in Section::ALL {
        let mut lines = memories.iter().filter(|memory| Section::of(memory) == section).peekable();
        if lines.peek().is_some() {
            text.push_str(&section.heading());
            lines.for_each(|memory| text.push_str(&line(memory)));
        }
    }
    text
}
