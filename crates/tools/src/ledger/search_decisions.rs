//! `search_decisions`.

use engine::Result;
use engine::record::{self, Hit, Query};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Kind, Mode, Ns, Said, score, target};
use crate::caution;
use crate::hint;
use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{DateTime, Int};

/// Search for decisions by words and meaning.
///
/// # When to use
/// To find what was decided about a topic. To list by status or kind, use `get_decisions`.
///
/// # Usage
/// ```json
/// {"query": "database migration strategy", "limit": 5, "target": "database", "namespace": "backend"}
/// ```
///
/// # Returns
/// `results`, best first, with a calibrated `score` of 0..1 (strict wants 0.8, balanced 0.6, fuzzy
/// 0.4), and `total` of all that pass. What is superseded, rejected or deprecated is left out.
/// Where nothing passes but something came near, `hint` says how near, and which mode shows it (contract:
/// ours).
///
/// # Errors
/// BAD_REQUEST for an empty query; UNPROCESSABLE_ENTITY for a wrong filter.
///
/// # Related
/// `record::search`: `get_decisions` shows some by id, `record_decision` makes one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchDecisions {
    /// Search query
    query: Said,
    /// Maximum results
    #[serde(default)]
    limit: Int<1, 50, 10>,
    /// Search mode
    #[serde(default)]
    mode: Mode,
    /// Filter by kind
    kind: Option<Kind>,
    /// Filter by target
    target: Option<String>,
    /// Memory namespace
    #[serde(default)]
    namespace: Ns,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DecisionsFound {
    results: Vec<HitView>,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    hint: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HitView {
    fid: String,
    title: String,
    target: String,
    kind: &'static str,
    status: &'static str,
    phase: &'static str,
    confidence: f64,
    score: f64,
    rationale: String,
    created_at: DateTime,
    updated_at: DateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    caution: Option<String>,
}

impl HitView {
    fn of(cx: &Context<'_>, hit: Hit) -> Self {
        let caution = caution::of_record(cx, &hit.stored);
        let record = hit.stored.record;
        Self {
            fid: record.id.to_string(),
            title: record.title,
            target: record.target,
            kind: record.kind.name(),
            status: record.status.name(),
            phase: record.phase.name(),
            confidence: record.confidence,
            score: score(hit.relevance),
            rationale: record.rationale,
            created_at: record.created_at.into(),
            updated_at: record.updated_at.into(),
            caution,
        }
    }
}

impl Tool for SearchDecisions {
    const NAME: &'static str = "search_decisions";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::Guest;
    const PACE: Pace = Pace::Quick;
    type Response = DecisionsFound;

    fn call(self, cx: &Context<'_>) -> Result<DecisionsFound> {
        let query = Query {
            text: self.query.text("query")?,
            namespace: self.namespace.read(cx.caller),
            kind: self.kind.map(Into::into),
            target: target(self.target)?,
            mode: self.mode.into(),
            limit: self.limit.0 as usize,
        };
        let found = record::search(cx.engine, cx.caller, &query)?;
        let hint = hint::join([hint::below_mode(Self::NAME, query.mode, &found.near)]);
        let results = found.hits.into_iter().map(|hit| HitView::of(cx, hit)).collect();
        Ok(DecisionsFound { results, total: found.total, hint })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{POSTGRES, recorded, refused};
    use crate::testing::{Bench, Speaker, check, text};

    const BACKUPS: &str = r#"{"title": "Take nightly backups of the database", "target": "database",
        "rationale": "A lost disk must not cost us more than a day of data."}"#;

    fn scene() -> String {
        [
            recorded("$pg", POSTGRES),
            recorded("$backups", BACKUPS),
            recorded("$retry", r#"{"title": "Retry failed requests with exponential backoff",
                "target": "api_client", "rationale": "Prevents overwhelming the server during outages."}"#),
            recorded("$tests", r#"{"kind": "constraint", "title": "Tests never talk to the production database",
                "target": "tests", "rationale": "A test once deleted the orders of a day."}"#),
            recorded("$sqlite", r#"{"kind": "proposal", "title": "Use SQLite as the database of the tests",
                "target": "tests", "rationale": "It needs no server and starts at once."}"#),
        ]
        .concat()
    }

    fn found(bench: &mut Bench, arguments: Value) -> Vec<(String, f64)> {
        let answer = bench.call("search_decisions", arguments).value;
        let results = answer["results"].as_array().unwrap();
        assert_eq!(answer["total"], results.len());
        let hit =
            |hit: &Value| (hit["fid"].as_str().unwrap().to_owned(), hit["score"].as_f64().unwrap());
        results.iter().map(hit).collect()
    }

    #[test]
    fn a_stricter_mode_finds_part_of_what_a_looser_one_finds() {
        let mut bench = Bench::new();
        bench.run(&scene());
        let mut counts = [0, 0, 0];
        for query in [
            "database",
            "PostgreSQL for production",
            "backups every night",
            "try again later",
            "transactions",
            "crash of the hard drive",
            "what if a request fails?",
            "which database do the tests use?",
            "server",
            "gardening in the rain",
        ] {
            let modes = [("strict", 0.8), ("balanced", 0.6), ("fuzzy", 0.4)];
            let [strict, balanced, fuzzy] = modes.map(|(mode, floor)| {
                let found = found(&mut bench, json!({"query": query, "mode": mode}));
                assert!(found.iter().all(|hit| (floor..=1.0).contains(&hit.1)), "{mode} {found:?}");
                assert!(found.is_sorted_by(|one, other| one.1 >= other.1), "{found:?}");
                found
            });
            assert!(balanced.starts_with(&strict) && fuzzy.starts_with(&balanced), "{query}");
            assert_eq!(found(&mut bench, json!({"query": query})), balanced);
            let lengths = [strict.len(), balanced.len(), fuzzy.len()];
            counts = std::array::from_fn(|at| counts[at] + lengths[at]);
        }
        assert!(counts[0] > 0 && counts[0] < counts[1] && counts[1] < counts[2], "{counts:?}");
    }

    #[test]
    fn an_empty_answer_names_the_strictest_mode_that_finds_something() {
        let mut bench = Bench::new();
        bench.run(&scene());
        let mut hints = 0;
        for query in
            ["database", "try again later", "crash of the hard drive", "a day of data", "roses"]
        {
            for (tool, named, list) in [
                ("search_decisions", "query", "results"),
                ("bridge-context", "query", "memories"),
                ("get_context_for_prompt", "prompt", "memories"),
            ] {
                let mut ask = |mode: &str| {
                    let arguments = json!({named: query, "mode": mode, "limit": 20});
                    let answer = bench.call(tool, arguments).value;
                    (answer[list].as_array().unwrap().len(), answer["hint"].clone())
                };
                let [strict, balanced, fuzzy] = ["strict", "balanced", "fuzzy"].map(&mut ask);
                let expected = match (strict.0, balanced.0, fuzzy.0) {
                    (0, 0, 0) | (1.., ..) => None,
                    (0, 0, count) => Some((count, "fuzzy")),
                    (0, count, _) => Some((count, "balanced")),
                };
                let hint = strict.1.as_str().unwrap_or_default();
                match expected {
                    None => assert_eq!(hint, "", "{query}"),
                    Some((count, mode)) => {
                        let call = format!("To see them: {tool} with \"mode\": \"{mode}\".");
                        assert!(
                            hint.contains(&format!("({count} result")),
                            "{query} {count}: {hint}"
                        );
                        assert!(hint.ends_with(&call), "{query}: {hint}");
                        hints += 1;
                    }
                }
                assert_eq!(fuzzy.1, Value::Null);
            }
        }
        assert!(hints >= 6, "{hints}");
    }

    #[test]
    fn a_hit_tells_what_it_is() {
        let scene = scene();
        check(&format!(
            r#"{scene}
            > search_decisions {{"query": "Use PostgreSQL for production", "limit": 1, "mode": "strict"}}
            < {{"results": [{{"fid": "$pg", "title": "Use PostgreSQL for production", "target": "database",
                "kind": "decision", "status": "active", "phase": "pattern", "confidence": 0.8, "score": "$*",
                "rationale": "ACID compliance and proven reliability under load.",
                "created_at": "$at", "updated_at": "$at"}}], "total": "$*"}}
            > search_decisions {{"query": "gardening in the rain", "mode": "fuzzy"}}
            < {{"results": [], "total": 0}}
            "#
        ));
    }

    #[test]
    fn filters_apply_before_the_cut() {
        let scene = scene();
        check(&format!(
            r#"{scene}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "limit": 1}}
            < {{"results": [{{"fid": "$sqlite", "status": "draft", "...": 0}}], "total": "$all"}}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "limit": 1, "kind": "constraint"}}
            < {{"results": [{{"fid": "$tests", "...": 0}}], "total": 1}}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "limit": 1, "target": "database"}}
            < {{"results": [{{"target": "database", "...": 0}}], "total": "$*"}}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "kind": "proposal", "target": "tests"}}
            < {{"results": [{{"fid": "$sqlite", "...": 0}}], "total": 1}}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "kind": "proposal", "target": "database"}}
            < {{"results": [], "total": 0}}
            > search_decisions {{"query": "database of the tests", "mode": "fuzzy", "kind": null, "target": null, "x": 1}}
            < {{"total": "$all", "...": 0}}
            "#
        ));
    }

    #[test]
    fn the_total_counts_what_the_limit_cuts_off() {
        let mut steps: Vec<String> = (0..12)
            .map(|at| {
                let arguments = format!(
                    r#"{{"title": "Retry failed requests of service {at} with exponential backoff",
                        "target": "service_{at}", "rationale": "Prevents overwhelming the server."}}"#
                );
                recorded(&format!("$r{at}"), &arguments)
            })
            .collect();
        steps.push(
            r#"> search_decisions {"query": "retry failed requests with exponential backoff", "limit": 3}
            < {"results": [{"...": 0}, {"...": 0}, {"...": 0}], "total": 12}
            > search_decisions {"query": "retry failed requests with exponential backoff"}
            < {"results": [{"...": 0}, {"...": 0}, {"...": 0}, {"...": 0}, {"...": 0}, {"...": 0}, {"...": 0},
                {"...": 0}, {"...": 0}, {"...": 0}], "total": 12}
            > search_decisions {"query": "retry failed requests with exponential backoff", "limit": 50,
                "target": "service_7"}
            < {"results": [{"fid": "$r7", "...": 0}], "total": 1}
            "#.to_owned(),
        );
        check(&steps.concat());
    }

    #[test]
    fn what_is_past_is_left_out() {
        for status in ["superseded", "deprecated", "rejected"] {
            let record = recorded("$pg", POSTGRES);
            check(&format!(
                r#"{record}
                > update_decision {{"fid": "$pg", "status": "{status}"}}
                < {{"...": 0}}
                > search_decisions {{"query": "Use PostgreSQL for production", "mode": "fuzzy"}}
                < {{"results": [], "total": 0}}
                > search_decisions {{"query": "Use PostgreSQL for production", "mode": "fuzzy", "kind": "decision",
                    "target": "database"}}
                < {{"results": [], "total": 0}}
                > bridge-context {{"query": "Use PostgreSQL for production", "mode": "fuzzy"}}
                < {{"memories": [], "...": 0}}
                > get_context_for_prompt {{"prompt": "Use PostgreSQL for production", "mode": "fuzzy"}}
                < {{"context": "", "memories": [], "...": 0}}
                > get_decisions {{"status": "{status}"}}
                < {{"total": 1, "...": 0}}
                > update_decision {{"fid": "$pg", "status": "active"}}
                < {{"...": 0}}
                > search_decisions {{"query": "Use PostgreSQL for production"}}
                < {{"total": 1, "...": 0}}
                "#
            ));
        }
    }

    #[test]
    fn namespaces_and_memories_keep_apart() {
        let other = recorded("$other", &POSTGRES.replacen('{', r#"{"namespace": "other", "#, 1));
        check(&format!(
            r#"{other}
            > search_decisions {{"query": "Use PostgreSQL for production", "mode": "fuzzy"}}
            < {{"results": [], "total": 0}}
            > search_decisions {{"query": "Use PostgreSQL for production", "namespace": "other"}}
            < {{"results": [{{"fid": "$other", "...": 0}}], "total": 1}}
            > bridge-context {{"query": "Use PostgreSQL for production", "mode": "fuzzy"}}
            < {{"memories": [], "...": 0}}
            > bridge-record {{"prompt": "Use PostgreSQL", "response": "for production"}}
            < {{"event_id": "$*", "linked_decisions": []}}
            # A memory is no record, and a record no memory.
            > memory_add {{"content": "Use PostgreSQL for production"}}
            < {{"...": 0}}
            > search_decisions {{"query": "Use PostgreSQL for production", "mode": "fuzzy"}}
            < {{"results": [], "total": 0}}
            > memory_search {{"query": "Use PostgreSQL for production"}}
            < {{"totalCount": 1, "...": 0}}
            "#
        ));
    }

    #[test]
    fn the_missing_and_the_wrong_are_refused() {
        let refused = |arguments: &str, status| refused("search_decisions", arguments, status);
        check(&[
            refused("{}", 400),
            refused(r#"{"query": ""}"#, 400),
            refused(r#"{"query": " \t\n"}"#, 400),
            refused(r#"{"query": null}"#, 400),
            refused(r#"{"query": 7}"#, 422),
            refused(&format!(r#"{{"query": "{}"}}"#, text(100_001)), 422),
            refused(r#"{"query": "x", "limit": 0}"#, 422),
            refused(r#"{"query": "x", "limit": 51}"#, 422),
            refused(r#"{"query": "x", "mode": "loose"}"#, 422),
            refused(r#"{"query": "x", "kind": "rule"}"#, 422),
            refused(r#"{"query": "x", "target": "No Target"}"#, 422),
            refused(r#"{"query": "x", "namespace": "a/b"}"#, 422),
            "> search_decisions {\"query\": \"x\", \"limit\": 50}\n< {\"results\": [], \"total\": 0}".to_owned(),
        ].concat());
    }
}
