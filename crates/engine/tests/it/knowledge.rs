//! Knowledge below the tools: several processes, several folders, faults.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::knowledge::{self, Choice, Narrow, Query};
use engine::memory::{self, Within};
use engine::testing::{CountingIds, everybody, setup};
use engine::{Engine, Limits, Meaning, Setup};
use model::scope::OwnerId;
use model::{Caller, Identity, Layer, Role};

fn write(dir: &Path, path: &str, text: &str) {
    let file = dir.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn policy(title: &str) -> String {
    format!("---\ntype: policy\nstatus: accepted\n---\n# {title}\n")
}

fn id(text: &str) -> OwnerId {
    text.parse().unwrap()
}

/// Somebody who works in a project and said nothing else.
fn at_home(here: &Path) -> Caller {
    let project = OwnerId::nearest(&here.file_name().unwrap().to_string_lossy()).unwrap();
    let identity = [Layer::User, Layer::Team, Layer::Org, Layer::Company]
        .into_iter()
        .fold(Identity::default(), |identity, layer| identity.assuming(layer, id("default")))
        .assuming(Layer::Project, project)
        .with_all_projects();
    Caller { here: Some(here.to_owned()), ..Caller::new(identity, Role::Admin) }
}

fn found(engine: &Engine, caller: &Caller, text: &str) -> Vec<String> {
    let query = memory::Query {
        text: text.to_owned(),
        within: Within::Own,
        tags_any: Vec::new(),
        floor: 0.5,
        limit: 100,
    };
    let hits = memory::recall(engine, caller, &query).unwrap().hits;
    let mut found: Vec<String> = hits.into_iter().map(|hit| hit.memory.content).collect();
    found.sort();
    found
}

fn ids(engine: &Engine, caller: &Caller) -> Vec<String> {
    let query = Query { limit: 1_000, ..Query::default() };
    let found = knowledge::query(engine, caller, &query).unwrap();
    found.items.iter().map(|item| item.id.clone()).collect()
}

#[test]
fn several_processes_sync_at_once_and_no_item_has_two_pointers() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..40 {
        write(dir.path(), &format!("knowledge/company/p{at}.md"), &policy(&format!("Heron {at}")));
    }
    let open = |behind| {
        let ids = Box::new(CountingIds::behind(behind));
        Engine::open(dir.path(), Setup { ids, ..setup(Meaning::BuiltIn) }).unwrap()
    };
    let engines: Vec<Arc<Engine>> = (0..3).map(|at| Arc::new(open(at * 10_000))).collect();
    let added: u64 = std::thread::scope(|scope| {
        let sync = |engine: &Arc<Engine>| {
            let engine = Arc::clone(engine);
            scope.spawn(move || {
                let narrow = Narrow::default();
                let synced =
                    (0..4).map(|_| knowledge::sync(&engine, &everybody(), &narrow).unwrap());
                synced.map(|synced| synced.counts.added).sum::<u64>()
            })
        };
        let threads: Vec<_> = engines.iter().map(sync).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(added, 40);
    let status = knowledge::status(&engines[0], &everybody()).unwrap();
    assert_eq!((status.stats.syncs, status.stats.items, status.healthy), (12, 40, true));
    assert_eq!(found(&engines[1], &everybody(), "heron").len(), 40);
}

#[test]
fn a_project_has_knowledge_of_its_own_that_others_do_not_see() {
    let dir = tempfile::tempdir().unwrap();
    let (web, api) = (dir.path().join("web"), dir.path().join("api"));
    let folder = knowledge::PROJECT_FOLDER;
    write(dir.path(), "data/knowledge/company/policies/all.md", &policy("Herons for everybody"));
    write(&web, &format!("{folder}/policies/web.md"), &policy("Herons of the web"));
    write(&api, &format!("{folder}/policies/api.md"), &policy("Herons of the api"));
    let engine = engine::testing::engine(&dir.path().join("data"), Limits::default()).unwrap();
    let (web, api) = (at_home(&web), at_home(&api));
    assert_eq!(ids(&engine, &web), ["web", "all"]);
    assert_eq!(ids(&engine, &api), ["api", "all"]);
    let synced = |caller| knowledge::sync(&engine, caller, &Narrow::default()).unwrap().counts;
    assert_eq!((synced(&web).added, synced(&api).added), (2, 1));
    // The sync of one project deletes nothing of the other.
    let again = synced(&web);
    assert_eq!((again.deleted, again.unchanged), (0, 2));
    let texts = found(&engine, &web, "herons");
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("api")), "{texts:?}");
}

#[test]
fn who_named_no_id_sees_every_owner_and_who_did_only_its_own() {
    let dir = tempfile::tempdir().unwrap();
    for owner in ["acme", "globex"] {
        let path = format!("knowledge/orgs/{owner}/policies/{owner}.md");
        write(dir.path(), &path, &policy(&format!("Herons of {owner}")));
    }
    let engine = engine::testing::engine(dir.path(), Limits::default()).unwrap();
    let anybody = at_home(dir.path());
    knowledge::sync(&engine, &anybody, &Narrow::default()).unwrap();
    assert_eq!(ids(&engine, &anybody), ["acme", "globex"]);
    assert_eq!(found(&engine, &anybody, "herons").len(), 2);
    let identity = anybody.identity.clone().with(Layer::Org, id("acme"));
    let acme = Caller { identity, ..anybody.clone() };
    assert_eq!(ids(&engine, &acme), ["acme"]);
    assert_eq!(found(&engine, &acme, "herons").len(), 1);
    assert!(knowledge::show(&engine, &acme, "globex", false).is_err());
    let named = Choice::Named(vec!["globex".to_owned()]);
    assert!(knowledge::rules(&engine, &acme, &named).is_err());
    let nobody = Caller { identity: Identity::default(), ..anybody };
    assert_eq!(ids(&engine, &nobody), [""; 0]);
    assert_eq!(found(&engine, &nobody, "herons"), [""; 0]);
}

#[test]
fn a_file_that_changes_within_one_tick_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine::testing::engine(dir.path(), Limits::default()).unwrap();
    for at in 0..20 {
        write(dir.path(), "knowledge/company/p.md", &policy(&format!("Heron {at:02}")));
        let shown = knowledge::show(&engine, &everybody(), "p", false).unwrap();
        assert_eq!(shown.item.title, format!("Heron {at:02}"));
    }
}

#[test]
fn a_sync_that_fails_leaves_the_former_state() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "knowledge/company/p.md", &policy("The old heron"));
    let open = || engine::testing::engine(dir.path(), Limits::default()).unwrap();
    let engine = open();
    knowledge::sync(&engine, &everybody(), &Narrow::default()).unwrap();
    drop(engine);
    write(dir.path(), "knowledge/company/p.md", &policy("The new heron"));
    write(dir.path(), "knowledge/company/q.md", &policy("Another heron"));
    let reader = Setup { read_only: true, ..setup(Meaning::BuiltIn) };
    let reader = Engine::open(dir.path(), reader).unwrap();
    assert!(knowledge::sync(&reader, &everybody(), &Narrow::default()).is_err());
    drop(reader);
    let engine = open();
    let texts = found(&engine, &everybody(), "heron");
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("The old heron"), "{texts:?}");
    let counts = knowledge::sync(&engine, &everybody(), &Narrow::default()).unwrap().counts;
    assert_eq!((counts.added, counts.updated), (1, 1));
}

#[test]
fn a_pointer_that_was_lost_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "knowledge/company/p.md", &policy("The heron"));
    let engine = engine::testing::engine(dir.path(), Limits::default()).unwrap();
    knowledge::sync(&engine, &everybody(), &Narrow::default()).unwrap();
    let hit = found(&engine, &everybody(), "heron");
    assert_eq!(hit.len(), 1);
    let query = memory::Query {
        text: "heron".to_owned(),
        within: Within::Own,
        tags_any: Vec::new(),
        floor: 0.0,
        limit: 1,
    };
    let hits = memory::recall(&engine, &everybody(), &query).unwrap().hits;
    let id = hits[0].memory.id;
    assert!(memory::forget(&engine, &everybody(), id).is_err());
    engine.store().apply(model::Change::of(model::Op::Delete(id))).unwrap();
    let counts = knowledge::sync(&engine, &everybody(), &Narrow::default()).unwrap().counts;
    assert_eq!((counts.updated, counts.unchanged), (1, 0));
    assert_eq!(found(&engine, &everybody(), "heron").len(), 1);
}

/// The file is a person's; what is told of it, asked or unasked, has the mark. Its rules are followed to
/// the letter.
#[test]
fn secrets_of_a_file_are_shown_nowhere_and_its_rules_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(dir.path(), setup(Meaning::BuiltIn)).unwrap();
    let key = |last: char| format!("ghp_{}{last}", "A7kD93lMq0XzR5tB8wNy2VhC6jFe4SgP1uR");
    let keys: Vec<String> = "abcdef".chars().map(key).collect();
    let [title, summary, tag, body, pattern, message] = &keys[..] else { unreachable!() };
    let text = format!(
        "---\ntype: policy\nstatus: accepted\nseverity: block\nsummary: {summary}\ntags: [{tag}]\n\
         constraints:\n  - {{operator: must_not_use, target: code, pattern: {pattern}, \
         message: \"not {message}\"}}\n---\n# Keys {title}\n\nNever {body}.\n"
    );
    write(dir.path(), "knowledge/company/policies/keys.md", &text);
    let synced = knowledge::sync(&engine, &everybody(), &Narrow::default()).unwrap();
    // The title stands in the text as well.
    assert_eq!((synced.counts.added, synced.secrets), (1, 7));
    let files = [("a.rs".to_owned(), format!("let key = \"{pattern}\";"))];
    let check = knowledge::Check {
        files: &files,
        dependencies: None,
        severity_min: model::Severity::Info,
        choice: Choice::Binding,
    };
    let mut checked = knowledge::check(&engine, &everybody(), &check).unwrap();
    assert!(!checked.passed, "a rule that names a key goes on");
    let finding = checked.violations.remove(0).finding;
    let shown = knowledge::show(&engine, &everybody(), "keys", false).unwrap();
    let query = Query { limit: 10, ..Query::default() };
    let found = knowledge::query(&engine, &everybody(), &query).unwrap().items;
    let told = format!("{:?} {:?} {:?}", (finding.pattern, finding.message), shown.item, found);
    assert!(told.contains("[redacted github token]"), "{told}");
    let leaks = keys.iter().filter(|key| told.contains(*key)).count();
    assert_eq!(leaks, 0, "{told}");
}
