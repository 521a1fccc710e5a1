//! Every example of the five documents, as a transcript each: `contracts/examples/`.

use super::{Bench, WORK};

/// What stands for the folder of the test.
const FOLDER: &str = "/path/to";

fn play(system: &str) {
    let path = format!("contracts/examples/{system}.txt");
    let examples = std::fs::read_to_string(path).expect("a file");
    let bench = Bench::new();
    let work = bench.dir().join(WORK).canonicalize().expect("a folder");
    let examples = examples.replace(FOLDER, &work.display().to_string());
    bench.allowing(&work).run(&examples);
}

#[test]
fn aeterna_answers_as_its_document_shows() {
    play("aeterna");
}

#[test]
fn agent_memory_answers_as_its_document_shows() {
    play("agent_memory");
}

#[test]
fn gromozeka_answers_as_its_document_shows() {
    play("gromozeka");
}

#[test]
fn ledgermind_answers_as_its_document_shows() {
    play("ledgermind");
}

#[test]
fn theo_answers_as_its_document_shows() {
    play("theo");
}
