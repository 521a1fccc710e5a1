//! Files that are broken, or want to do harm.

use super::Ground;

#[test]
fn nothing_of_a_broken_file_is_stored_and_the_others_are() {
    let ground = Ground::new();
    ground.write("a.md", "Ada likes tea.\n");
    ground.write("b.md", b"Bob \xff\xfe likes beer.\n");
    ground.write("c.md", "Cy likes milk.\n");
    let (code, report) = ground.import("markdown", ground.dir(), &[]);
    assert_eq!((code, &report["new"]), (1, &2.into()), "{report:#}");
    assert!(report["failed"][0]["why"].as_str().unwrap().contains("not UTF-8"), "{report:#}");
    let found = ground.found("what does everybody like");
    assert!(found.contains("tea") && found.contains("milk") && !found.contains("beer"), "{found}");
}

#[test]
fn a_file_that_is_no_database_and_a_path_that_is_none_are_told() {
    let ground = Ground::new();
    let text =
        ground.write("x.db", "a text that is long enough not to be taken for an empty database");
    for path in [text, ground.dir().join("none.db")] {
        let (code, report) = ground.import("theo", &path, &[]);
        assert_eq!((code, report["failed"].as_array().unwrap().len()), (1, 1), "{report:#}");
    }
}

#[test]
fn depth_length_and_bombs_do_no_harm() {
    let ground = Ground::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let file = ground.write("deep.json", format!(r#"{{"results": {deep}}}"#));
    let (code, report) = ground.import("mem0", &file, &[]);
    assert_eq!((code, report["failed"].as_array().unwrap().len()), (1, 1), "{report:#}");
    let mut bomb = String::from("---\na: &a [x,x,x,x,x,x,x,x,x]\n");
    for (from, to) in ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"].map(|two| two.split_at(1)) {
        bomb.push_str(&format!(
            "{to}: &{to} [*{from},*{from},*{from},*{from},*{from},*{from},*{from}]\n"
        ));
    }
    let file = ground.write("bomb.md", bomb + "---\nStill a note.\n");
    let (code, report) = ground.import("obsidian", &file, &[]);
    assert_eq!(code, 0, "{report:#}");
    assert!(report["skipped"][0]["why"].as_str().unwrap().contains("front matter"), "{report:#}");
    assert!(ground.found("note").contains("Still a note."));
    let long = "x".repeat(100_001);
    let lines = format!(
        "{{\"id\":\"1\",\"type\":\"core\",\"content\":\"{long}\"}}\n\
         {{\"id\":\"2\",\"type\":\"core\",\"content\":\"nul \\u0000 here\"}}\n\
         {{\"id\":\"3\",\"type\":\"core\",\"content\":\"\\u0000\"}}\n"
    );
    let file = ground.write("long.jsonl", lines);
    let (code, report) = ground.import("agent-memory", &file, &[]);
    assert_eq!((code, &report["new"]), (0, &1.into()), "{report:#}");
    assert!(report["skipped"][0]["why"].as_str().unwrap().contains("100001 characters"));
    assert!(ground.found("nul").contains("nul  here"));
}
