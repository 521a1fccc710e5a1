//! A folder into the store, in as many calls as its bounds ask for.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine::document::{Bounds, Folder, FolderReport, Left, Progress, index_folder};
use engine::scope::named;
use engine::testing::everybody;
use engine::{Engine, ErrorKind, Meaning};
use model::Caller;

use crate::open;

/// Files of ten bytes each, written long before they are read.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let before = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in names {
        let path = dir.path().join(name);
        fs::write(&path, format!("{name} 1234\n")).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
    }
    dir
}

fn index(engine: &Engine, dir: &Path, bounds: Bounds) -> (FolderReport, Vec<Progress>) {
    let caller = Caller { roots: vec![dir.to_owned()], ..everybody() };
    let scope = named(engine, &caller, "default").unwrap();
    let path = dir.to_str().unwrap();
    let folder = Folder { path, recursive: true, scope: &scope, bounds };
    let mut steps = Vec::new();
    let mut tell = |step| {
        steps.push(step);
        true
    };
    (index_folder(engine, &caller, folder, &mut tell).unwrap(), steps)
}

#[test]
fn what_a_bound_leaves_is_told_and_the_next_call_goes_on_there() {
    let store = tempfile::tempdir().unwrap();
    let engine = open(&store, Meaning::BuiltIn);
    let docs = folder(&["a.md", "b.md", "c.md", "d.md", "e.md"]);
    let two = Bounds { files_max: 2, ..Bounds::NONE };
    let read = |bounds| {
        let report = index(&engine, docs.path(), bounds).0;
        assert!(!report.is_cut_off);
        (report.files_indexed, report.files_known, report.left)
    };
    assert_eq!(read(two), (2, 0, Some(Left { files: 3, bytes: 30 })));
    let bytes = Bounds { bytes_max: 25, ..Bounds::NONE };
    assert_eq!(read(bytes), (2, 2, Some(Left { files: 1, bytes: 10 })));
    let little = Bounds { bytes_max: 1, ..Bounds::NONE };
    assert_eq!(read(little), (1, 4, None), "one file is read, however large");
    assert_eq!(read(two), (0, 5, None));
}

#[test]
fn it_is_told_how_far_the_work_is_from_the_walk_on() {
    let store = tempfile::tempdir().unwrap();
    let engine = open(&store, Meaning::BuiltIn);
    let names: Vec<String> = (0..600).map(|number| format!("{number}.md")).collect();
    let docs = folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (report, steps) = index(&engine, docs.path(), Bounds::CALL);
    assert_eq!((report.files_indexed, report.left), (600, None));
    assert_eq!(steps[0], Progress::default(), "before the walk");
    assert_eq!(steps[1].walked, 256, "during the walk");
    let sums: Vec<usize> = steps.iter().map(|step| step.walked + step.done).collect();
    assert!(sums.is_sorted());
    assert_eq!(steps.last(), Some(&Progress { walked: 600, done: 600, all: 600 }));
}

#[test]
fn who_has_no_roots_reads_the_working_directory_and_a_person_reads_anything() {
    let store = tempfile::tempdir().unwrap();
    let engine = open(&store, Meaning::BuiltIn);
    let docs = folder(&["a.md"]);
    let read = |caller: &Caller, path: &Path| {
        let scope = named(&engine, caller, "default").unwrap();
        let path = path.to_str().unwrap();
        engine::document::index_file(&engine, caller, path, &scope).map_err(|why| why.kind)
    };
    let file = docs.path().join("a.md");
    let person = Caller { names_paths: true, ..everybody() };
    assert_eq!(read(&everybody(), &file).unwrap_err(), ErrorKind::Forbidden);
    assert!(read(&person, &file).is_ok());
    assert!(read(&everybody(), Path::new("Cargo.toml")).is_ok());
    assert_eq!(
        read(&everybody(), Path::new("../store/Cargo.toml")).unwrap_err(),
        ErrorKind::Forbidden
    );
    assert_eq!(read(&everybody(), Path::new("gone.md")).unwrap_err(), ErrorKind::NotFound);
}
