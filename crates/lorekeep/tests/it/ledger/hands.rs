//! What people do to the files.

use serde_json::json;

use super::{ALL, assert_sound, git, ledger, path_of, record};
use crate::support::Stdio1;

#[test]
fn edits_are_taken_in_and_what_cannot_be_read_is_told_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let edited = record(&mut client, "Use tabs", "style");
    let broken = record(&mut client, "Use spaces in YAML", "yaml");
    let gone = record(&mut client, "Write comments in Latin", "comments");
    let (edited_file, broken_file) = (path_of(&mut client, &edited), path_of(&mut client, &broken));
    let text = std::fs::read_to_string(&edited_file).unwrap();
    let text = text.replace("# Use tabs", "# Use four spaces") + "\n## Notes\n\nAgreed by all.\n";
    std::fs::write(&edited_file, &text).unwrap();
    let whole = std::fs::read_to_string(&broken_file).unwrap();
    std::fs::write(&broken_file, whole.replace("status: active", "status: activ")).unwrap();
    std::fs::remove_file(path_of(&mut client, &gone)).unwrap();
    let folder = ledger(dir.path()).join("default/aa");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("by-hand.md"),
        "---\nfid: aa0000000001\nkind: constraint\nstatus: active\ntarget: api\n---\n\n\
         # No breaking changes\n\n## Rationale\n\nClients update late.\n",
    )
    .unwrap();

    let synced = client.call("sync_git", json!({})).value;
    assert_eq!(synced["files_committed"], 3, "{synced}");
    let problem = &synced["problems"][0];
    assert!(problem["path"].as_str().unwrap().ends_with(&format!("decision_{broken}.md")));
    assert_eq!(problem["line"], 4, "{problem}");
    assert!(problem["reason"].as_str().unwrap().contains("activ"), "{problem}");
    let found = client.call("search_decisions", json!({"query": "use four spaces"})).value;
    assert_eq!(found["results"][0]["fid"], edited.as_str(), "{found}");
    let by_hand = client.call("get_decisions", json!({"fid": "aa0000000001"})).value;
    assert_eq!(by_hand["decisions"][0]["kind"], "constraint", "{by_hand}");
    assert_eq!(
        client.call("get_decisions", json!({"fid": gone})).value["error"]["code"],
        "NOT_FOUND"
    );
    assert_eq!(client.call("get_decisions", json!({"fid": broken})).value["total"], 1);
    // A tool that changes what a person cannot mean keeps its hands off.
    let refused = client.call("update_decision", json!({"fid": broken, "confidence": 0.1}));
    assert_eq!(refused.value["error"]["code"], "CONFLICT", "{}", refused.value);

    std::fs::write(&broken_file, &whole).unwrap();
    let synced = client.call("sync_git", json!({})).value;
    assert_eq!((&synced["files_committed"], synced.get("problems")), (&json!(0), None), "{synced}");
    // What a person added stays where a tool changes the rest.
    client.call("update_decision", json!({"fid": edited, "confidence": 0.25}));
    let text = std::fs::read_to_string(&edited_file).unwrap();
    assert!(
        text.contains("confidence: 0.25") && text.contains("## Notes\n\nAgreed by all."),
        "{text}"
    );
    client.finish();
    assert_sound(dir.path(), 3);
}

#[test]
fn what_a_person_committed_is_on_disk_before_anything_is_built_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let fid = record(&mut client, "Sail on Mondays", "boats");
    let file = path_of(&mut client, &fid);
    let text = std::fs::read_to_string(&file).unwrap();
    client.finish();
    std::fs::write(&file, text.replace("Sail on Mondays", "Sail on Sundays")).unwrap();
    git(dir.path(), &["commit", "--quiet", "--all", "--message", "Sundays"]);
    let mut client = Stdio1::start(dir.path(), &ALL);
    let found = client.call("get_decisions", json!({"fid": fid})).value;
    assert_eq!(found["decisions"][0]["title"], "Sail on Sundays", "{found}");
    client.finish();
    // Nobody promised that commit: a power cut that went back to before it would lose it.
    let settled = std::fs::read_to_string(ledger(dir.path()).join(".git/lorekeep.settled"));
    assert_eq!(settled.unwrap().trim(), git(dir.path(), &["rev-parse", "HEAD"]).trim());
}

#[test]
fn an_edit_that_nobody_synced_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let fid = record(&mut client, "Deploy on Mondays", "deploy");
    let file = path_of(&mut client, &fid);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Mondays", "Tuesdays")).unwrap();
    client.call("update_decision", json!({"fid": fid, "phase": "canonical"}));
    let now = client.call("get_decisions", json!({"fid": fid})).value["decisions"][0].clone();
    assert_eq!((&now["title"], &now["phase"]), (&json!("Deploy on Tuesdays"), &json!("canonical")));
    let log = git(dir.path(), &["log", "--format=%s"]);
    assert_eq!(log.lines().count(), 3, "the edit is a commit of its own: {log}");
    client.finish();
    assert_sound(dir.path(), 1);
}

#[test]
fn a_merge_with_conflicts_is_told_and_taken_in_when_it_is_settled() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let fid = record(&mut client, "Cache for an hour", "cache");
    let file = path_of(&mut client, &fid);
    let text = std::fs::read_to_string(&file).unwrap();
    git(dir.path(), &["checkout", "-q", "-b", "other"]);
    std::fs::write(&file, text.replace("an hour", "a day")).unwrap();
    git(dir.path(), &["commit", "-qam", "a day"]);
    git(dir.path(), &["checkout", "-q", "main"]);
    std::fs::write(&file, text.replace("an hour", "a week")).unwrap();
    git(dir.path(), &["commit", "-qam", "a week"]);
    let (merged, ..) = super::try_git(dir.path(), &["merge", "-q", "other"]);
    assert!(!merged);
    let synced = client.call("sync_git", json!({})).value;
    assert_eq!(synced["files_committed"], 0);
    assert!(synced["message"].as_str().unwrap().contains("merge"), "{synced}");
    let problem = &synced["problems"][0];
    assert!(
        problem["path"].as_str().unwrap().contains(&fid) && problem["line"].is_u64(),
        "{synced}"
    );
    let read = client.call("get_decisions", json!({"fid": fid})).value;
    assert_eq!(read["decisions"][0]["title"], "Cache for a week", "{read}");
    // The rest goes on.
    let other = record(&mut client, "Compress answers", "http");
    std::fs::write(&file, text.replace("an hour", "two days")).unwrap();
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-qm", "settled"]);
    client.call("sync_git", json!({}));
    let read = client.call("get_decisions", json!({"fid": fid})).value;
    assert_eq!(read["decisions"][0]["title"], "Cache for two days", "{read}");
    assert_eq!(client.call("get_decisions", json!({"fid": other})).value["total"], 1);
    client.finish();
    assert_sound(dir.path(), 2);
}

#[test]
fn trust_in_the_file_closes_a_record_to_tools() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = Stdio1::start(dir.path(), &ALL);
    let fid = record(&mut client, "Pay people on time", "payroll");
    let file = path_of(&mut client, &fid);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("kind: decision", "kind: decision\ntrust: human_only"))
        .unwrap();
    for (tool, more) in [
        ("update_decision", json!({"confidence": 0.1})),
        ("forget", json!({})),
        (
            "supersede_decision",
            json!({"title": "Pay late", "target": "payroll",
                                      "rationale": "It saves interest."}),
        ),
    ] {
        let mut arguments = more;
        arguments["fid"] = fid.clone().into();
        let refused = client.call(tool, arguments).value;
        assert_eq!(refused["error"]["code"], "FORBIDDEN", "{tool}: {refused}");
        assert_eq!(refused["error"]["details"]["status"], 403);
    }
    client.finish();
    assert_sound(dir.path(), 1);
}
