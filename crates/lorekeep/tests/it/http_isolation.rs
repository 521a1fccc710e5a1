//! Two tenants of one server: what one of them has is answered to the other like what nobody has, by the
//! real binary, over HTTP, with tokens as `lorekeep token new` makes them.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::http_tokens::{call, new, tools_listed};
use crate::support::{lorekeep, reply};
use crate::web::Http;

#[path = "../../../tools/tests/it/isolation/asking.rs"]
mod asking;

use asking::{Names, Things, asking, fields, furnish, is_plain, named, without};

/// A server, the folders of two tenants, and their tokens.
struct Shared {
    http: Http,
    work: tempfile::TempDir,
    tokens: [String; 2],
    data: tempfile::TempDir,
}

const TENANTS: [(&str, &str); 2] = [("ada", "acme"), ("bob", "globex")];

impl Shared {
    fn start() -> Self {
        let (data, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, org) in TENANTS {
            let notes = work.path().join(name).join("notes.md");
            let item = data.path().join(format!("knowledge/orgs/{org}/adrs/adr-orgs-{org}.md"));
            for file in [&notes, &work.path().join(name).join("docs/guide.md"), &item] {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
            }
            fs::write(&notes, format!("# Notes\n\nstaging database of {name}\n")).unwrap();
            fs::write(work.path().join(name).join("docs/guide.md"), "# Guide\n\nstaging\n")
                .unwrap();
            fs::write(item, format!("---\nstatus: accepted\n---\n# Style of {org}\n\nTabs.\n"))
                .unwrap();
        }
        let root = work.path().to_str().unwrap();
        // The server's own project is the folder that all of theirs lie in.
        let mut command = lorekeep(data.path());
        let wanted = ["serve", "--toolsets", "all", "--allow-commands", "--root", root];
        command.args(wanted).current_dir(work.path());
        let http = Http::start_command(command);
        let tokens = TENANTS.map(|(name, org)| token(data.path(), work.path(), name, org));
        Self { http, work, tokens, data }
    }

    /// What a tool answers to somebody: whether it is an error, and all of it.
    fn ask(&self, who: usize, tool: &str, arguments: Value) -> (bool, Value) {
        let answer = reply(&call(&self.http, &self.tokens[who], tool, arguments).message());
        (answer.is_error, answer.value)
    }

    /// One of everything for each.
    fn furnish(&self) -> [Things; 2] {
        [0, 1].map(|who| {
            let (name, org) = TENANTS[who];
            let names = Names {
                name: name.to_owned(),
                ledger: format!("{org}-api"),
                folder: self.folder(name),
                project: format!("project:{org}-web"),
                item: format!("adr-orgs-{org}"),
            };
            furnish(&names, |tool, arguments| {
                let (is_error, value) = self.ask(who, tool, arguments);
                assert!(!is_error, "{tool}: {value}");
                value
            })
        })
    }

    fn folder(&self, name: &str) -> String {
        let work = self.work.path().canonicalize().unwrap();
        work.join(name).to_str().unwrap().to_owned()
    }

    /// An answer as it is compared: without where this server's folders are, and without what is
    /// another each time.
    fn plain(&self, (is_error, value): (bool, Value), id: &Value) -> String {
        let text = without(&timeless(value).to_string(), id);
        let work = self.work.path().canonicalize().unwrap();
        let data = self.data.path().canonicalize().unwrap();
        let text = text.replace(work.to_str().unwrap(), "$DIR");
        format!("{is_error} {}", masked(&text.replace(data.to_str().unwrap(), "$DATA")))
    }

    /// All that the first of them sees.
    fn view(&self, has: &Things) -> Vec<String> {
        let looks = [
            ("memory_list", json!({"limit": 1000})),
            ("query_memories", json!({"limit": 100, "archived": true})),
            ("get_decisions", json!({})),
            ("get_recent_events", json!({})),
            ("get_memory_object", json!({"name": has.thing})),
            ("get_index_stats", json!({})),
            ("get_memory_stats", json!({})),
            ("knowledge_query", json!({"limit": 100})),
            ("grz_read_file", json!({"file_path": "notes.md"})),
            ("grz_execute_command", json!({"command": "ls -R"})),
        ];
        let look = |(tool, arguments)| self.plain(self.ask(0, tool, arguments), &json!(null));
        looks.map(look).to_vec()
    }
}

fn token(data: &Path, work: &Path, name: &str, org: &str) -> String {
    let (project, ledger) = (format!("{org}-web"), format!("{org}-api"));
    let root = work.join(name);
    let wanted = [
        ["--user", name],
        ["--agent", "agent"],
        ["--session", "session"],
        ["--project", &project],
        ["--team", org],
        ["--org", org],
        ["--company", org],
        ["--role", "admin"],
        ["--namespaces", &ledger],
        ["--root", root.to_str().unwrap()],
    ];
    new(data, &wanted.concat())
}

/// An answer without how long something took, and without the files of records, which lie where their
/// ids say.
fn timeless(value: Value) -> Value {
    let is_time = |key: &str| {
        key.to_lowercase().contains("duration") || key.ends_with("_ms") || key == "path"
    };
    match value {
        Value::Object(all) => {
            let kept = all.into_iter().filter(|(key, _)| !is_time(key));
            kept.map(|(key, one)| (key, timeless(one))).collect::<Map<_, _>>().into()
        }
        Value::Array(all) => all.into_iter().map(timeless).collect(),
        other => other,
    }
}

/// A text with its ids, hashes and times made the same: words of eight characters and more that have a
/// digit.
fn masked(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    let mut masked = String::new();
    for piece in text.split_inclusive(|c| !is_word(c)) {
        let (word, rest) = piece.split_at(piece.trim_end_matches(|c| !is_word(c)).len());
        let is_made = word.len() >= 8 && word.contains(|c: char| c.is_ascii_digit());
        masked.push_str(if is_made { "#" } else { word });
        masked.push_str(rest);
    }
    masked
}

#[test]
fn what_another_tenant_has_is_answered_like_what_nobody_has() {
    // The same calls of two servers: of the one with another's ids, of the other with nobody's.
    let (one, other) = (Shared::start(), Shared::start());
    let ([ada, bob], [ada_there, bob_there]) = (one.furnish(), other.furnish());
    let nobody = Things::unknown(other.folder("nobody"));
    for (seen, there) in one.view(&ada).into_iter().zip(other.view(&ada_there)) {
        assert_eq!(seen, there);
    }
    let (mut findings, mut swept) = (Vec::new(), 0);
    for tool in tools_listed(&one.http, &one.tokens[1]) {
        let name = tool["name"].as_str().unwrap();
        for (path, field) in fields(tool["inputSchema"].as_object().unwrap()) {
            let Some(foreign) = named(name, &field, &ada) else {
                assert!(is_plain(&field), "{name} {path}");
                continue;
            };
            swept += 1;
            let unknown = named(name, &field, &nobody).unwrap();
            let told = one.ask(1, name, asking(name, &path, &bob, &foreign));
            let untold = other.ask(1, name, asking(name, &path, &bob_there, &unknown));
            let (told, untold) = (one.plain(told, &foreign), other.plain(untold, &unknown));
            if told != untold {
                findings.push(format!("{name} {path}\n  another's: {told}\n  nobody's:  {untold}"));
            }
        }
    }
    assert!(swept > 75, "only {swept} fields were tried");
    for (seen, there) in one.view(&ada).into_iter().zip(other.view(&ada_there)) {
        if seen != there {
            findings.push(format!("ada sees\n  {seen}\n  {there}"));
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn the_project_of_the_server_is_not_that_of_its_tenants() {
    let shared = Shared::start();
    let folder = shared.work.path().join(".lorekeep/knowledge/specs");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec-here.md"), "---\nstatus: accepted\n---\n# Here\n\nTabs.\n")
        .unwrap();
    for who in [0, 1] {
        let (_, seen) = shared.ask(who, "knowledge_show", json!({"id": "spec-here"}));
        assert_eq!(seen["errorCode"], "NOT_FOUND", "{seen}");
    }
}
