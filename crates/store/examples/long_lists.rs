//! How long a page of a long list takes: `cargo run --release -p store --example long_lists`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints figures")]

use std::path::Path;
use std::time::{Duration, Instant};

use model::{Kind, Layer, MemoryFilter, Order, Paging, Scope, SortKey};
use rusqlite::Connection;
use store::{FILE_NAME, Store};

const SIZES: [u64; 2] = [1_000, 1_000_000];
const KEYS: [SortKey; 4] =
    [SortKey::CreatedAt, SortKey::AccessedAt, SortKey::Importance, SortKey::Confidence];
const PAGE: u64 = 100;

fn scopes() -> Vec<Scope> {
    let scope = |owner: &str| Scope { layer: Layer::Project, owner: owner.into() };
    ["one", "two", "three"].map(scope).to_vec()
}

/// Writes rows as the store would, many at once.
fn fill(path: &Path, count: u64) {
    let db = Connection::open(path).unwrap();
    for scope in scopes() {
        let names = [scope.layer.name(), scope.owner.as_str()];
        db.execute("INSERT INTO scope (layer, owner) VALUES (?1, ?2)", names).unwrap();
    }
    db.execute_batch(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         INSERT INTO memory (id, scope, origin, kind, content, hash, tags, importance, confidence,
           metadata, archived, access_count, created_at, updated_at, accessed_at, revision)
         SELECT unhex(printf('0000000000004000a%015x', i)), i % 3 + 1, 'learning',
           CASE i % 4 WHEN 0 THEN 'fact' WHEN 1 THEN 'pattern' WHEN 2 THEN 'session'
             ELSE 'decision' END,
           'memory number ' || i, randomblob(32), '[]', (i % 11) / 10.0, (i % 7) / 10.0,
           '{{}}', 0, 0, 1800000000000000 + i, 1800000000000000,
           1800000000000000 + i * 7919 % 1000003, 1 FROM n"
    ))
    .unwrap();
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..5).map(time).min().unwrap_or_default()
}

fn page(store: &Store, filter: &MemoryFilter, key: SortKey, offset: u64) -> Duration {
    let paging = Paging { key, order: Order::Descending, offset, limit: PAGE };
    best(|| store.list_memories(filter, paging).unwrap())
}

fn main() {
    for count in SIZES {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let start = Instant::now();
        fill(&dir.path().join(FILE_NAME), count);
        println!("{count} memories, filled in {:?}", start.elapsed());
        let all = MemoryFilter { scopes: scopes(), ..MemoryFilter::default() };
        let one = MemoryFilter { scopes: scopes()[..1].to_vec(), ..MemoryFilter::default() };
        let fact = MemoryFilter { kinds: vec![Kind::Fact], ..all.clone() };
        for (name, filter) in [("all", &all), ("one place", &one), ("one kind", &fact)] {
            for key in KEYS {
                println!("  {name}, by {key:?}, first {PAGE}: {:?}", page(&store, filter, key, 0));
            }
            println!("  {name}, counted: {:?}", best(|| store.count_memories(filter).unwrap()));
        }
        for offset in [count / 100, count / 2] {
            let time = page(&store, &all, SortKey::CreatedAt, offset);
            println!("  all, {PAGE} behind {offset}: {time:?}");
        }
    }
}
