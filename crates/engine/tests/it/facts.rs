//! Facts below the tools: several processes, merging.

use engine::fact::{self, NewLink};
use engine::testing::{CountingIds, everybody, setup};
use engine::{Engine, ErrorKind, Limits, Meaning, Setup};

fn told(from: &str, relation: &str, to: &str) -> NewLink {
    let [from, relation, to] = [from, relation, to].map(str::to_owned);
    NewLink { from, relation, to, summary: None }
}

fn links(engine: &Engine, name: &str) -> Vec<String> {
    let seen = fact::look(engine, &everybody(), name, None).unwrap();
    let all = seen.links.outgoing.iter().chain(&seen.links.incoming);
    let mut told: Vec<String> = all.map(model::Link::told).collect();
    told.sort();
    told
}

#[test]
fn several_processes_tell_the_same_facts_and_each_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let open = |behind| {
        let ids = Box::new(CountingIds::behind(behind));
        Engine::open(dir.path(), Setup { ids, ..setup(Meaning::BuiltIn) }).unwrap()
    };
    let engines: Vec<Engine> = (0..4).map(|at| open(at * 100_000)).collect();
    let new: usize = std::thread::scope(|scope| {
        let tell = |engine| {
            move || {
                let link = |at: usize| {
                    let new = told("Hub", "knows", &format!("Spoke {}", at % 25));
                    fact::link(engine, &everybody(), &new).unwrap()
                };
                (0..50).map(link).filter(|linked| linked.is_new_link).count()
            }
        };
        let threads: Vec<_> = engines.iter().map(|engine| scope.spawn(tell(engine))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(new, 25);
    let seen = fact::look(&engines[2], &everybody(), "Hub", None).unwrap();
    assert_eq!((seen.links.total, seen.links.outgoing.len()), (25, 25));
    // Each thing and each link has one memory.
    let stats = engine::memory::census(&engines[0], &everybody().identity.scopes()).unwrap();
    assert_eq!(stats.memories, 26 + 25, "{stats:?}");
}

#[test]
fn two_names_become_one_with_all_that_each_had_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine::testing::engine(dir.path(), Limits::default()).unwrap();
    let caller = everybody();
    for (from, relation, to) in [
        ("Postgres", "is a", "database"),
        ("PostgreSQL", "is a", "database"),
        ("Postgres", "runs on", "Linux"),
        ("Heron", "uses", "Postgres"),
        ("Postgres", "is the same as", "PostgreSQL"),
    ] {
        fact::link(&engine, &caller, &told(from, relation, to)).unwrap();
    }
    fact::end(&engine, &caller, ["Postgres", "runs on", "Linux"]).unwrap();
    assert_eq!(fact::merge(&engine, &caller, "Postgres", "PostgreSQL").unwrap(), 2);
    assert_eq!(links(&engine, "PostgreSQL"), ["Heron uses PostgreSQL", "PostgreSQL is a database"]);
    assert_eq!(links(&engine, "Heron"), ["Heron uses PostgreSQL"]);
    let gone = fact::look(&engine, &caller, "Postgres", None).unwrap_err();
    assert_eq!(gone.kind, ErrorKind::NotFound);
    // What had ended is the other's past now.
    let before = fact::end(&engine, &caller, ["PostgreSQL", "runs on", "Linux"]).unwrap();
    assert_eq!(before.at, None);
    assert!(fact::merge(&engine, &caller, "Heron", "Heron").is_err());
    assert!(fact::merge(&engine, &caller, "Heron", "Nothing").is_err());
}
