//! The index follows the database: other handles' writes, deletions, restored copies, old schemas.

use std::path::Path;

use model::{
    Change, Chunk, ChunkId, ContentHash, Document, IndexedChunk, IndexedDocument, IndexedMemory,
    Kind, Layer, Memory, MemoryFilter, MemoryId, Metadata, Noun, Op, Origin, Outcome, Scope,
    StoredVector, Subject, time,
};
use rank::calibrate::Calibration;
use rank::embed::{MODEL_ID, Quantised, StaticEmbedder};
use rank::terms::query_terms;
use rusqlite::Connection;

use crate::{FILE_NAME, Search, Store};

pub(crate) fn scope() -> Scope {
    Scope { layer: Layer::User, owner: "ada".into() }
}

pub(crate) fn id(number: u32) -> MemoryId {
    let mut bytes = [0; 16];
    bytes[12..].copy_from_slice(&number.to_be_bytes());
    MemoryId::from_random(bytes)
}

pub(crate) fn memory(number: u32, text: &str) -> Box<IndexedMemory> {
    let at = time::from_micros(1_800_000_000_000_000).unwrap();
    let memory = Memory {
        id: id(number),
        scope: scope(),
        origin: Origin::Layers,
        kind: Kind::Fact,
        content: text.into(),
        category: None,
        tags: Vec::new(),
        importance: 0.5,
        confidence: 0.3,
        metadata: Metadata::new(),
        thread: None,
        archived: false,
        access_count: 0,
        created_at: at,
        updated_at: at,
        accessed_at: at,
        provenance: model::Provenance::UNKNOWN,
        revision: 1,
    };
    let hash = crate::text::hash(text);
    let vector = StaticEmbedder::built_in().embed(text).map(|v| Quantised::of(&v).to_bytes());
    let vectors = vec![StoredVector { model: MODEL_ID.into(), code: vector.unwrap_or_default() }];
    Box::new(IndexedMemory { memory, hash: ContentHash(hash), vectors })
}

pub(crate) fn write(store: &Store, op: Op) {
    assert_eq!(store.apply(Change::of(op)).unwrap(), Outcome::Applied);
}

fn find(store: &Store, query: &str) -> Vec<MemoryId> {
    let filter = MemoryFilter { scopes: vec![scope()], ..MemoryFilter::default() };
    find_in(store, query, &filter)
}

fn find_in(store: &Store, query: &str, filter: &MemoryFilter) -> Vec<MemoryId> {
    let found = search(store, query, filter, &[Noun::Memory], None);
    found.into_iter().filter_map(Subject::memory).collect()
}

fn search(
    store: &Store,
    query: &str,
    filter: &MemoryFilter,
    nouns: &[Noun],
    path: Option<&str>,
) -> Vec<Subject> {
    let vector = StaticEmbedder::built_in().embed(query);
    let search = Search {
        pointers: None,
        model: Some(MODEL_ID),
        terms: &query_terms(query),
        vector: vector.as_ref(),
        same: ContentHash([0; 32]),
        filter,
        nouns,
        path,
        calibration: &Calibration::BUILT_IN,
        wanted: 10,
    };
    let found = store.search(&search).unwrap();
    found.iter().filter(|hit| hit.relevance > 0.5).map(|hit| hit.subject).collect()
}

fn open(dir: &Path) -> Store {
    Store::open(dir).unwrap()
}

#[test]
fn what_one_handle_writes_the_other_finds_changes_and_loses() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()), open(dir.path()));
    assert!(find(&other, "lake").is_empty());
    write(&one, Op::Insert(memory(1, "a boat on the lake")));
    assert_eq!(find(&other, "lake"), [id(1)]);
    write(&other, Op::Replace(memory(1, "a car in the garage")));
    assert!(find(&one, "lake").is_empty());
    assert_eq!(find(&one, "garage"), [id(1)]);
    write(&one, Op::Delete(id(1)));
    assert!(find(&other, "garage").is_empty());
}

#[test]
fn conditions_that_only_the_database_knows_work_inside_the_search() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    write(&store, Op::Insert(memory(1, "a boat on the lake")));
    let mut rule = memory(2, "no boat on the lake");
    rule.memory.kind = Kind::Preference;
    rule.memory.category = Some("rules".into());
    write(&store, Op::Insert(rule));
    let filter = |change: &dyn Fn(&mut MemoryFilter)| {
        let mut filter = MemoryFilter { scopes: vec![scope()], ..MemoryFilter::default() };
        change(&mut filter);
        find_in(&store, "boat lake", &filter)
    };
    assert_eq!(filter(&|_| {}).len(), 2);
    assert_eq!(filter(&|filter| filter.kinds = vec![Kind::Preference]), [id(2)]);
    assert_eq!(filter(&|filter| filter.category = Some("rules".into())), [id(2)]);
    assert_eq!(
        filter(&|filter| filter.containing = model::TextPart::all_of("\"a BOAT\"")),
        [id(1)]
    );
    assert!(filter(&|filter| filter.tags_all = vec!["x".into()]).is_empty());
}

#[test]
fn who_is_too_far_behind_or_comes_from_another_history_reads_everything_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    write(&store, Op::Insert(memory(1, "a boat on the lake")));
    assert_eq!(find(&store, "lake"), [id(1)]);
    let db = Connection::open(dir.path().join(FILE_NAME)).unwrap();
    db.execute_batch(
        "INSERT INTO change_log (entry, mark) VALUES (1, 7);
         DELETE FROM change_log WHERE at = 1;
         DELETE FROM memory WHERE seq = 1;",
    )
    .unwrap();
    assert!(find(&store, "lake").is_empty(), "the log does not reach back to what was known");
    write(&store, Op::Insert(memory(2, "another boat")));
    assert_eq!(find(&store, "boat"), [id(2)]);
    // As if an older copy had been put in the file's place and written to since.
    db.execute_batch("DELETE FROM memory; UPDATE change_log SET mark = mark + 1;").unwrap();
    assert!(find(&store, "boat").is_empty(), "the mark is another one");
}

#[test]
fn a_start_takes_the_snapshot_and_only_what_changed_since() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let ops = (0..2_100).map(|n| Op::Insert(memory(n, &format!("boat number {n}")))).collect();
    assert_eq!(store.apply(Change { guards: Vec::new(), ops }).unwrap(), Outcome::Applied);
    assert!(!store.save_index(Some(MODEL_ID)).unwrap(), "nothing was searched yet");
    assert_eq!(find(&store, "boat number 77")[0], id(77));
    assert!(store.save_index(Some(MODEL_ID)).unwrap());
    assert!(!store.save_index(Some(MODEL_ID)).unwrap(), "nothing changed since");
    write(&store, Op::Insert(memory(5_000, "a boat with a red sail")));
    write(&store, Op::Delete(id(77)));

    // A row that changed without a word in the log is not read again: the snapshot was taken.
    let db = Connection::open(dir.path().join(FILE_NAME)).unwrap();
    db.execute("UPDATE memory SET content = 'a train' WHERE seq = 12", []).unwrap();
    let again = open(dir.path());
    assert_eq!(find(&again, "a boat with a red sail")[0], id(5_000));
    assert!(!find(&again, "boat number 77").contains(&id(77)));
    assert!(!find(&again, "a train").contains(&id(11)));

    // A torn one is not taken.
    let path = dir.path().join("lorekeep.index");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let anew = open(dir.path());
    assert_eq!(find(&anew, "a train")[0], id(11));
    assert_eq!(find(&anew, "a boat with a red sail")[0], id(5_000));
}

#[test]
fn a_store_of_the_first_schema_is_brought_up_to_date_and_its_memories_get_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(dir.path().join(FILE_NAME)).unwrap();
    db.execute_batch(include_str!("migrations/0001_memories.sql")).unwrap();
    db.pragma_update(None, "application_id", crate::connection::APPLICATION_ID).unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    db.execute("INSERT INTO scope VALUES (1, 'user', 'ada')", []).unwrap();
    let known = memory(3, "a boat on the lake");
    db.execute(
        "INSERT INTO memory VALUES (9, ?1, 1, 'layers', 'fact', ?2, ?3, NULL, '[\"t\"]', 0.5, 0.3,
           '{}', 0, 0, 1800000000000000, 1800000000000000, 1800000000000000, 1)",
        rusqlite::params![id(3).as_bytes(), known.memory.content, known.hash.0],
    )
    .unwrap();
    db.execute("INSERT INTO memory_terms (rowid, terms) VALUES (9, 'boat lake')", []).unwrap();
    drop(db);

    let store = open(dir.path());
    assert_eq!(find(&store, "lake"), [id(3)], "words find it at once");
    assert!(store.may_lack_vectors());
    assert_eq!(store.count_unembedded(MODEL_ID).unwrap(), 1);
    let lacking = store.unembedded(MODEL_ID, 0, 10).unwrap();
    assert_eq!((lacking[0].key, lacking[0].text.as_str()), (9, "a boat on the lake"));
    let code = known.vectors[0].code.clone();
    let codes = vec![(lacking[0].key, lacking[0].hash, code)];
    write(&store, Op::PutVectors { model: MODEL_ID.into(), codes });
    assert_eq!(store.count_unembedded(MODEL_ID).unwrap(), 0);
    assert_eq!(find(&store, "ship at sea"), [id(3)], "and its meaning does from then on");
    assert!(store.health().unwrap().problems.is_empty());
}

#[test]
fn a_model_is_complete_when_every_memory_has_its_vector_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for number in 1..=2 {
        write(&store, Op::Insert(memory(number, &format!("text {number}"))));
    }
    let complete = || Op::Complete { model: "other".into(), calibration: "c".into() };
    let put = |number: u32| {
        let known = memory(number, &format!("text {number}"));
        let codes = vec![(i64::from(number), known.hash, vec![0, 0, 128, 63, 1, 2])];
        write(&store, Op::PutVectors { model: "other".into(), codes });
    };
    put(1);
    assert_eq!(store.apply(Change::of(complete())).unwrap(), Outcome::Incomplete);
    assert_eq!(store.calibration("other").unwrap(), None);
    put(2);
    write(&store, complete());
    assert_eq!(store.calibration("other").unwrap(), Some("c".into()));
    write(&store, Op::Replace(memory(2, "another text")));
    let models = store.models().unwrap();
    let other = models.iter().find(|model| model.name == "other").unwrap();
    assert_eq!((other.dimensions, other.vectors), (2, 1), "the vector of the old text is gone");
}

fn document(path: &str, texts: &[&str]) -> Op {
    let chunk = |text: &&str| IndexedChunk {
        chunk: Chunk {
            content: (*text).to_owned(),
            start_line: 1,
            end_line: 1,
            page: None,
            header_path: Some("Guide > Boats".into()),
        },
        hash: memory(1, text).hash,
        vectors: memory(1, text).vectors,
    };
    Op::PutDocument(Box::new(IndexedDocument {
        document: Document {
            scope: scope(),
            path: path.to_owned(),
            hash: memory(1, &format!("{path} {texts:?}")).hash,
            size: 7,
            modified: 8,
            indexed_at: memory(1, path).memory.created_at,
        },
        chunks: texts.iter().map(chunk).collect(),
    }))
}

#[test]
fn documents_are_found_replaced_and_deleted_beside_memories() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let filter = MemoryFilter { scopes: vec![scope()], ..MemoryFilter::default() };
    let find = |nouns: &[Noun], path| search(&store, "boat lake", &filter, nouns, path);
    write(&store, Op::Insert(memory(1, "a boat on the lake")));
    write(&store, document("/a.md", &["the boat crossed the lake", "trains run on rails"]));
    write(&store, document("/b.md", &["a lake with one boat"]));
    let known = |path: &str| store.chunk_ids(&scope(), path).unwrap();
    let (of_a, of_b) = (known("/a.md"), known("/b.md"));
    assert_eq!((of_a.len(), of_b.len()), (2, 1));
    assert_eq!(find(&[Noun::Memory], None), [Subject::Memory(id(1))]);
    assert_eq!(find(&Noun::ALL, None).len(), 3);
    assert_eq!(find(&[Noun::Document], Some("/b.md")), [Subject::Chunk(of_b[0])]);
    let chunk = store.load_chunks(&[of_a[1], ChunkId(999)]).unwrap();
    assert_eq!(chunk.len(), 1);
    assert_eq!((chunk[0].ordinal, chunk[0].path.as_str()), (1, "/a.md"));

    write(&store, document("/a.md", &["trains run on rails"]));
    assert!(known("/a.md").iter().all(|id| !of_a.contains(id)), "ids are given once");
    assert_eq!(find(&[Noun::Document], None), [Subject::Chunk(of_b[0])]);
    let stats = store.document_stats(&[scope()]).unwrap();
    assert_eq!((stats.chunks, stats.paths.len(), stats.scopes.len()), (2, 2, 1));

    write(&store, Op::DeleteChunks(known("/a.md")));
    assert_eq!(store.document(&scope(), "/a.md").unwrap(), None);
    write(&store, Op::DeleteDocuments { scope: scope(), paths: vec!["/b.md".into(), "/c".into()] });
    assert_eq!(find(&Noun::ALL, None), [Subject::Memory(id(1))]);
    assert_eq!(store.models().unwrap()[0].vectors, 1, "vectors go with their chunks");
    assert!(store.health().unwrap().problems.is_empty());
}

#[test]
fn what_a_search_cannot_read_is_told_and_stops_the_writing() {
    let one = [
        "UPDATE memory SET content = cast(x'80' AS TEXT)",
        "UPDATE memory SET tags = 'no json'",
        "UPDATE chunk SET content = cast(x'80' AS TEXT)",
    ];
    for damage in one {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        write(&store, Op::Insert(memory(1, "herons by the lake")));
        write(&store, document("a.md", &["reeds by the lake"]));
        drop(store);
        let db = Connection::open(dir.path().join(FILE_NAME)).unwrap();
        db.execute(damage, []).unwrap();
        drop(db);
        let store = open(dir.path());
        assert!(store.damage().is_none());
        find(&store, "lake");
        let why = store.damage().unwrap().to_owned();
        assert!(why.contains(" number ") && why.contains("cannot be read"), "{why}");
        assert!(store.apply(Change::of(Op::Insert(memory(2, "another")))).is_err());
        assert!(store.rescue.path().is_none(), "a row harms nothing else: {why}");
    }
}

/// A copy of a store as a kill leaves it: one memory in the database, another in the log alone.
fn killed() -> tempfile::TempDir {
    let (from, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(&open(from.path()), Op::Insert(memory(1, "in the database")));
    let store = open(from.path());
    write(&store, Op::Insert(memory(2, "in the log")));
    for file in [FILE_NAME, "lorekeep.db-wal", "lorekeep.mark"] {
        std::fs::copy(from.path().join(file), dir.path().join(file)).unwrap();
    }
    dir
}

#[test]
fn who_only_reads_misses_what_was_acknowledged_and_writes_nothing_of_it() {
    let dir = killed();
    let store = Store::open_read_only(dir.path()).unwrap();
    assert_eq!((store.damage(), find(&store, "log").len()), (None, 1));
    drop(store);
    std::fs::write(dir.path().join("lorekeep.db-wal"), "").unwrap();
    let store = Store::open_read_only(dir.path()).unwrap();
    assert!(store.damage().unwrap().contains("acknowledged"), "{:?}", store.damage());
    drop(store);
    assert!(!dir.path().join("lorekeep.damaged").exists());
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_read_is_not_passed_over() {
    let dir = killed();
    // As in a folder where nothing can be written: SQLite cannot make this file.
    let nowhere = Path::new("/nowhere/at/all");
    std::os::unix::fs::symlink(nowhere, dir.path().join("lorekeep.db-shm")).unwrap();
    let refused = Store::open_read_only(dir.path()).unwrap_err().to_string();
    assert!(refused.contains("lorekeep.db-wal holds changes"), "{refused}");
    std::fs::write(dir.path().join("lorekeep.db-wal"), "").unwrap();
    std::fs::remove_file(dir.path().join("lorekeep.mark")).unwrap();
    let store = Store::open_read_only(dir.path()).unwrap();
    assert_eq!(find(&store, "database").len(), 1);
}

#[cfg(unix)]
#[test]
fn a_folder_that_takes_no_files_is_told_by_the_name_of_the_database() {
    let dir = killed();
    let nowhere = Path::new("/nowhere/at/all");
    std::os::unix::fs::symlink(nowhere, dir.path().join("lorekeep.db-shm")).unwrap();
    let refused = Store::open(dir.path()).unwrap_err().to_string();
    let database = dir.path().join(FILE_NAME).display().to_string();
    assert!(refused.contains(&database) && refused.contains("--read-only"), "{refused}");
}
