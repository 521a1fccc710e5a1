//! Searching as a person does it: what is found, why, and why not.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{json, run};
use crate::support::{Stdio1, lorekeep};

/// Keeps a text by a process of its own, so that no other is its neighbour; its id.
fn add(dir: &Path, content: &str, layer: &str, tags: &[&str]) -> String {
    let arguments = json!({"content": content, "layer": layer, "tags": tags}).to_string();
    let (code, out, _) = run(dir, &["call", "memory_add", &arguments]);
    assert_eq!(code, 0, "{out}");
    json(&out)["memoryId"].as_str().unwrap().to_owned()
}

fn search(dir: &Path, args: &[&str]) -> String {
    let (code, out, err) = run(dir, &[&["search"], args].concat());
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

fn search_json(dir: &Path, args: &[&str]) -> Value {
    json(&search(dir, &[args, &["--json"]].concat()))
}

#[test]
fn hits_come_with_relevance_layer_id_and_text_on_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let dark = add(dir.path(), "The user likes dark\n themes", "user", &["look"]);
    add(dir.path(), "Deploys happen on Tuesdays", "project", &[]);
    let out = search(dir.path(), &["dark", "themes"]);
    let columns: Vec<&str> = out.trim_end().split('\t').collect();
    assert_eq!(columns[1..], ["user", &dark, "The user likes dark themes"], "{out}");
    assert!(columns[0].starts_with("0.") || columns[0] == "1.00", "{out}");

    let found = search_json(dir.path(), &["dark themes", "--threshold", "0"]);
    assert_eq!(found["hits"][0]["id"], *dark);
    assert_eq!(found["hits"][0]["rank"], 1);
    assert_eq!(found["hits"][0]["tags"], json!(["look"]));
    assert!(found["hits"][0].get("reasons").is_none());
    let (_, out, err) = run(dir.path(), &["search", "when is the dentist?"]);
    assert_eq!(out, "");
    assert!(err.contains("nothing reaches 0.7; --threshold 0 shows"), "{err}");
    let both = ["search", "dark themes deploy Tuesdays", "--threshold", "0", "--limit", "1"];
    let (_, out, err) = run(dir.path(), &both);
    assert!(out.lines().count() == 1 && err.contains("1 of 2 that reach 0"), "{out}{err}");
    let layer = ["dark themes", "--layer", "project", "--layer", "team", "--threshold", "0"];
    assert_eq!(search_json(dir.path(), &layer)["searched_layers"], json!(["project", "team"]));
    let tag = search_json(dir.path(), &["dark themes", "--tag", "feel", "--tag", "look"]);
    assert_eq!(tag["total"], 1);
}

#[test]
fn what_is_wrong_is_said_and_no_store_is_made() {
    let dir = tempfile::tempdir().unwrap();
    for (args, why) in [
        (vec!["x"], "there is no store at"),
        (vec!["x", "--threshold", "2"], "it takes a number from 0 to 1"),
        (vec!["x", "--limit", "0"], "1..=100"),
        (vec!["x", "--layer", "planet"], "[possible values: agent, user"),
        (vec!["x", "--why-not", "mem_1"], "it takes mem_ and 32 hex digits, or a UUID"),
        (vec![], "required"),
    ] {
        let (code, out, err) = run(dir.path(), &[vec!["search"], args.clone()].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(why), "{args:?}: {err}");
    }
    assert!(!dir.path().join("lorekeep.db").exists());
}

#[test]
fn an_explanation_has_a_head_and_the_reasons_of_each_hit() {
    let dir = tempfile::tempdir().unwrap();
    let dark = add(dir.path(), "The user likes dark colour themes in editors", "user", &[]);
    add(dir.path(), "Deploys happen on Tuesdays", "project", &[]);
    let out = search(dir.path(), &["black themes", "--explain", "--threshold", "0"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "model       potion-base-8M-int8-v1");
    assert_eq!(lines[1], "terms       black, themes (theme)");
    assert_eq!(lines[2], "layers      agent, user, session, project, team, org, company");
    assert_eq!(lines[3], "allowed     2 memories");
    assert!(lines[4].starts_with("candidates  ") && lines[4].ends_with("reach 0"), "{out}");
    assert!(lines[6].starts_with("1. 0.") && lines[6].ends_with(&format!("user  {dark}")), "{out}");
    assert_eq!(lines[7], "   The user likes dark colour themes in editors");
    assert!(lines[8].starts_with("   fused    "), "{out}");
    for part in [
        "   words    rank 1  bm25 ",
        "coverage 0.",
        "likeness 0.",
        "holds themes; by meaning black 0.",
    ] {
        assert!(lines[9].contains(part), "{part}: {out}");
    }
    assert!(lines[10].starts_with("   meaning  rank 1  cosine 0."), "{out}");
    assert_eq!(lines[11], "   lent     0.000 by a neighbour");

    let all = search_json(dir.path(), &["black themes", "--explain"]);
    assert_eq!((&all["allowed"], &all["model"]), (&json!(2), &json!("potion-base-8M-int8-v1")));
    assert_eq!(all["terms"][1], json!({"word": "themes", "stem": "theme"}));
    let reasons = &all["hits"][0]["reasons"];
    assert_eq!((&reasons["rank_by_words"], &reasons["rank_by_meaning"]), (&json!(1), &json!(1)));
    assert_eq!(reasons["words"][1]["held"], true);
    for key in ["fused", "bm25", "coverage", "likeness", "cosine", "lent"] {
        assert!(reasons[key].is_f64(), "{key}: {reasons}");
    }
}

#[test]
fn what_a_neighbour_lends_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    client.call("memory_add", json!({"content": "We talked about the harbour in Oslo"}));
    client.call("memory_add", json!({"content": "She said the Oslo office was closed that day"}));
    assert_eq!(client.finish(), Some(0));
    let all = search_json(dir.path(), &["harbour in Oslo", "--explain", "--threshold", "0"]);
    assert!(all["hits"][1]["reasons"]["lent"].as_f64().unwrap() > 1.0, "{all}");
}

#[test]
fn every_reason_for_not_being_found_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let first = add(home, "deploy on Tuesday", "user", &["ops"]);
    let second = add(home, "deploy on Friday", "team", &[]);
    let same = add(home, "deploy on Tuesday", "project", &[]);
    let mute = add(home, "🦀🦀🦀", "company", &[]);
    let old = add(home, "deploy on Sunday", "user", &[]);
    let plain = old.trim_start_matches("mem_");
    let (code, out, _) = run(home, &["call", "delete_memory", &json!({"id": plain}).to_string()]);
    assert_eq!(code, 0, "{out}");
    let (_, out, _) = run(
        home,
        &[
            "call",
            "memory_add",
            r#"{"content": "deploy on Monday", "layer": "user"}"#,
            "--identity",
            "user=ada",
        ],
    );
    let hers = json(&out)["memoryId"].as_str().unwrap().to_owned();
    let nobody = "mem_07070707070747078707070707070707".to_owned();

    let ask = |id: &str, args: &[&str]| {
        let base = ["deploy on Tuesday", "--threshold", "0", "--why-not", id];
        let out = search(home, &[&base, args].concat());
        let why_not = search_json(home, &[&base, args].concat())["why_not"].clone();
        assert!(out.lines().any(|line| why_not["text"] == line), "{why_not}: {out}");
        (out.replace(id, "ID"), why_not["verdict"].as_str().unwrap().to_owned())
    };
    let told = |id: &str, args: &[&str], verdict: &str, text: &str| {
        let (out, word) = ask(id, args);
        assert!(out.starts_with(text), "{verdict}: {out}");
        assert_eq!(word, verdict);
    };
    told(&nobody, &[], "unknown", "there is no memory ID\n");
    told(&hers, &[], "unknown", "there is no memory ID\n");
    assert_eq!(ask(&nobody, &["--explain"]), ask(&hers, &["--explain"]), "nothing leaks");
    told(&old, &[], "archived", "memory ID is archived");
    told(
        &same,
        &["--layer", "user"],
        "other_layer",
        "memory ID lies in layer project, which was not",
    );
    told(&second, &["--tag", "ops", "--tag", "dev"], "no_tag", "memory ID has no tag of ops, dev");
    told(&mute, &[], "nothing_speaks", "nothing speaks for memory ID: it holds no word");
    told(&same, &[], "same_text", &format!("memory ID has the same text as {first}, at place 1\n"));
    told(&second, &["--limit", "1"], "beyond", "memory ID is at place 2, beyond the limit of 1\n");
    told(&first, &[], "hit", "memory ID is among the hits, at place 1\n   fused    ");
    let uuid = uuid::Uuid::try_parse(plain).unwrap().hyphenated().to_string();
    let out = search(home, &["deploy", "--why-not", &uuid]);
    assert!(out.contains(&format!("memory {old} is archived")), "both spellings: {out}");
    let below = search(home, &["deploy on Tuesday", "--why-not", &second, "--threshold", "0.99"]);
    assert!(below.contains(", below the threshold 0.99\n   fused    "), "{below}");
}

#[test]
fn among_many_it_is_told_that_it_was_no_candidate() {
    let dir = tempfile::tempdir().unwrap();
    let text = "The cook had nothing left to deploy but carrots, onions and a very old fish";
    let id = add(dir.path(), text, "project", &[]);
    let mut client = Stdio1::start(dir.path(), &[]);
    for hundred in 0..12 {
        for number in 0..100 {
            let content = format!("deploy {}", hundred * 100 + number);
            let call = json!({"name": "memory_add", "arguments": {"content": content}});
            client.ask("tools/call", &call);
        }
        (0..100).for_each(|_| assert!(client.receive().is_some()));
    }
    assert_eq!(client.finish(), Some(0));
    let out = search(dir.path(), &["deploy", "--why-not", &id]);
    assert!(out.starts_with(&format!("memory {id} was no candidate: ")), "{out}");
    assert!(out.contains(" of 1201 memories were") && out.contains("than coverage 1.00, cosine"));
}

/// The queries that `reindex --check` would try.
fn kept(dir: &Path, args: &[&str]) -> u64 {
    let (code, out, err) = run(dir, &[&["reindex", "--check", "--json"], args].concat());
    assert_eq!(code, 0, "{err}");
    json(&out)["queries"].as_u64().unwrap()
}

#[test]
fn what_was_asked_is_kept_for_who_asked_it_unless_that_is_not_wanted() {
    let dir = tempfile::tempdir().unwrap();
    add(dir.path(), "green tea", "user", &[]);
    let mut client = Stdio1::start(dir.path(), &[]);
    for query in ["tea", "coffee", "tea"] {
        client.call("memory_search", json!({"query": query}));
    }
    assert_eq!(client.finish(), Some(0));
    assert_eq!(kept(dir.path(), &[]), 2, "a server hands over what it has when it ends");
    assert_eq!(kept(dir.path(), &["--identity", "user=ada"]), 0);
    search(dir.path(), &["milk"]);
    search(dir.path(), &["water", "--explain"]);
    search(dir.path(), &["water", "--read-only"]);
    assert_eq!(kept(dir.path(), &[]), 3);

    let mut client = Stdio1::start(dir.path(), &["--no-keep-queries"]);
    client.call("memory_search", json!({"query": "wine"}));
    assert_eq!(client.finish(), Some(0));
    let silent = lorekeep(dir.path())
        .args(["search", "beer"])
        .env("LOREKEEP_KEEP_QUERIES", "false")
        .output()
        .unwrap();
    assert!(silent.status.success());
    assert_eq!(kept(dir.path(), &[]), 3);
}

#[test]
fn the_index_is_completed_checked_and_built_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (code, _, err) = run(dir.path(), &["reindex"]);
    assert!(code == 2 && err.contains("there is no store at"), "{err}");
    let tea = add(dir.path(), "green tea", "user", &[]);
    add(dir.path(), "black coffee", "user", &[]);
    let db = rusqlite::Connection::open(dir.path().join("lorekeep.db")).unwrap();
    db.execute("DELETE FROM vector", []).unwrap();
    drop(db);
    let (code, out, err) = run(dir.path(), &["reindex"]);
    assert_eq!((code, err.as_str()), (0, "potion-base-8M-int8-v1: 2 of 2 vectors\n"));
    assert_eq!(out, "potion-base-8M-int8-v1: 2 of 2 memories, and serves the searches\n");
    let (_, out, _) = run(dir.path(), &["reindex", "--rebuild", "--json", "--embedder", "builtin"]);
    let model =
        json!({"model": "potion-base-8M-int8-v1", "vectors": 2, "lacking": 0, "complete": true});
    let expected = json!({"serving": "potion-base-8M-int8-v1", "models": [model], "snapshot": false,
               "records": 0});
    assert_eq!(json(&out), expected, "so small an index needs no file");

    let file = dir.path().join("queries");
    std::fs::write(&file, format!("tea\t{tea}\n\nsomething to drink\n")).unwrap();
    let check = ["reindex", "--check", "--queries", file.to_str().unwrap()];
    let (code, out, _) = run(dir.path(), &check);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(code, 0);
    assert_eq!(lines[2], "queries    2");
    assert_eq!(lines[3], "recall@10  old 1 of 1 (100 %), new 1 of 1 (100 %)");
    assert_eq!(lines[4], "overlap    100 % of the first 10 are the same");
    let (_, out, _) = run(dir.path(), &[&check[..], &["--json"]].concat());
    assert_eq!((&json(&out)["found_by_new"], &json(&out)["changed"]), (&json!(1), &json!([])));

    std::fs::write(&file, "tea\n\nmilk\tmem_1\n").unwrap();
    for (args, why) in [
        (&check[..], "line 3: \"mem_1\" is no memory id"),
        (&["reindex", "--embedder", "gpt"], "\"gpt\" is no embedder"),
        (&["reindex", "--check", "--rebuild"], "cannot be used with"),
        (&["reindex", "--rebuild", "--read-only"], "open to read and nothing else"),
    ] {
        let (code, _, err) = run(dir.path(), args);
        assert!(code == 2 && err.contains(why), "{args:?}: {err}");
    }
    let (code, _, err) = run(dir.path(), &["reindex", "--check"]);
    assert!(code == 0 && err.contains("there are no queries to try"), "{err}");
}

#[test]
fn a_large_index_is_written_and_a_broken_one_built_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &[]);
    for _ in 0..21 {
        for number in 0..100 {
            let content = format!("memory {number} {}", uuid::Uuid::new_v4());
            let call = json!({"name": "memory_add", "arguments": {"content": content}});
            client.ask("tools/call", &call);
        }
        (0..100).for_each(|_| assert!(client.receive().is_some()));
    }
    assert_eq!(client.finish(), Some(0));
    let snapshot = dir.path().join("lorekeep.index");
    std::fs::write(&snapshot, "nonsense").unwrap();
    let (code, out, _) = run(dir.path(), &["reindex", "--rebuild"]);
    assert!(code == 0 && out.ends_with("the index is written beside the store\n"), "{out}");
    assert!(std::fs::metadata(&snapshot).unwrap().len() > 100_000);
    let (_, out, _) = run(dir.path(), &["reindex", "--json"]);
    assert_eq!(json(&out)["snapshot"], false, "it is as good as new");
}
