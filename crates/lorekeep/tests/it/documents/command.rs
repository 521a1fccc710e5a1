//! `lorekeep index` as a person uses it.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::Value;

use super::{chunks, index, search, text, write};
use crate::cli::run;
use crate::support::{lorekeep, signal};

/// The names of the files that failed; each says why.
fn failed(summary: &Value) -> Vec<String> {
    let name = |row: &Value| {
        assert!(!row["why"].as_str().unwrap().is_empty(), "{row}");
        row["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    };
    summary["failed"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn files_and_folders_are_indexed_and_what_did_not_change_is_skipped() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, root) = (store.path(), docs.path().canonicalize().unwrap());
    let docs = root.join("docs");
    write(&docs, "a.md", "# Boats\n\nA ferry crosses the lake at noon.\n");
    write(&docs, "deep/b.py", "import os\n\ndef train():\n    return 'rails'\n");
    let single = write(&root, ".hidden/c.txt", "Planes fly high.");
    let (code, seen) = index(store, &[text(&docs), text(&single)]);
    assert_eq!(code, 0, "{seen}");
    assert_eq!((&seen["files_indexed"], &seen["files_read"]), (&3.into(), &3.into()), "{seen}");
    assert_eq!(seen["chunks"].as_u64().unwrap(), chunks(store).len() as u64);
    let hit = &search(store, "ferry on the lake")[0];
    assert_eq!(hit["metadata"]["source_file"], text(&docs.join("a.md")), "{hit}");
    assert_eq!(hit["metadata"]["end_line"], 3, "{hit}");
    let (code, seen) = index(store, &[text(&docs), text(&single)]);
    assert_eq!((code, &seen["files_indexed"], &seen["files_unchanged"]), (0, &0.into(), &3.into()));
    std::fs::remove_file(docs.join("a.md")).unwrap();
    let (code, out, err) = run(store, &["index", text(&docs)]);
    assert_eq!((code, err.as_str()), (0, ""), "no bar where no terminal is");
    assert!(out.contains("indexed 0 files") && out.contains("removed 1"), "{out}");
    let (_, seen) = index(store, &[text(&docs), "--no-recursive"]);
    assert_eq!(seen["files_removed"], 0, "what lies deeper stays: {seen}");
    assert_eq!(search(store, "train on rails")[0]["metadata"]["start_line"], 1);
}

#[test]
fn a_namespace_keeps_documents_apart_and_a_wrong_one_is_refused() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(docs.path(), "a.md", "Boats cross the lake.");
    let (code, _) = index(store.path(), &[text(docs.path()), "--namespace", "project:harbour"]);
    assert_eq!(code, 0);
    assert_eq!(search(store.path(), "boats")[0]["namespace"], "project:harbour");
    let (code, _, err) = run(store.path(), &["index", "--namespace", "x y", text(docs.path())]);
    assert_eq!(code, 2);
    assert!(err.contains("Invalid namespace: x y"), "{err}");
}

#[test]
fn the_exit_code_tells_whether_every_path_was_read() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, docs) = (store.path(), docs.path());
    write(docs, "good/a.md", "Boats cross the lake.");
    let broken = write(docs, "good/broken.md", [0xff, 0x00, 0x01]);
    write(docs, "bad/broken.md", [0xff, 0x00, 0x01]);
    let odd = write(docs, "picture.png", "no text");
    let good = docs.join("good");
    let (code, seen) = index(store, &[text(&good)]);
    assert_eq!((code, failed(&seen)), (0, vec!["broken.md".to_owned()]), "the folder was read");
    let (code, seen) = index(store, &[text(&docs.join("gone")), text(&good)]);
    assert_eq!((code, failed(&seen)), (1, vec!["gone".to_owned(), "broken.md".to_owned()]));
    assert_eq!(seen["files_unchanged"], 1, "the other path was read all the same");
    for path in [broken, docs.join("bad"), odd] {
        let (code, seen) = index(store, &[text(&path)]);
        assert_eq!((code, seen["failed"].as_array().unwrap().len()), (1, 1), "{seen}");
    }
    let (code, _, err) = run(store, &["index", text(&docs.join("gone"))]);
    assert_eq!(code, 1);
    assert!(err.contains("File not found"), "{err}");
    assert_eq!(run(store, &["index"]).0, 2, "at least one path");
}

#[test]
fn bad_files_are_named_and_good_ones_are_found_where_they_say_it() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, docs) = (store.path(), docs.path().canonicalize().unwrap());
    write(&docs, "good.md", "Start.\n\n# Ferries\n\n## Timetable\n\nThe ferry leaves at noon.\n");
    write(&docs, "good.py", "import os\n\n\ndef railway():\n    return 'a train on rails'\n");
    write(&docs, "good.html", "<html><body><h1>Air</h1>\n<p>Planes land at night.</p></body>");
    write(&docs, "empty.md", "");
    write(&docs, "binary.txt", [0x7f, b'E', b'L', b'F', 0, 1, 2, 0xff, 0]);
    write(&docs, "broken.pdf", "%PDF-1.7\nnonsense");
    write(&docs, "empty.pdf", "");
    write(&docs, "good.pdf", pdf(&["The first page is dull.", "Submarines dive deep."], ""));
    write(&docs, "secret.pdf", pdf(&["Hidden words."], "/Encrypt << /Filter /Standard /V 9 >>"));
    let locked = write(&docs, "locked.md", "Nobody may read this.");
    let mut expected = vec!["binary.txt", "broken.pdf", "empty.pdf", "secret.pdf"];
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    // To root nothing is closed.
    if std::fs::read(&locked).is_err() {
        expected.insert(3, "locked.md");
    }
    let (code, seen) = index(store, &[text(&docs)]);
    assert_eq!(code, 0, "{seen}");
    assert_eq!(failed(&seen), expected, "{seen}");
    let at = |query: &str| {
        let hit = search(store, query).remove(0);
        let name = hit["metadata"]["source_file"].as_str().unwrap().rsplit('/').next().unwrap();
        (name.to_owned(), hit["metadata"].clone())
    };
    let (name, place) = at("when does the ferry leave");
    assert_eq!((name.as_str(), &place["header_path"]), ("good.md", &"Ferries > Timetable".into()));
    assert_eq!(place["end_line"], 7, "{place}");
    let (name, place) = at("train on rails");
    assert_eq!((name.as_str(), &place["end_line"]), ("good.py", &5.into()), "{place}");
    assert_eq!(at("planes landing at night").0, "good.html");
    let (name, place) = at("submarines dive");
    assert_eq!((name.as_str(), &place["page"]), ("good.pdf", &2.into()), "{place}");
}

/// A PDF with these pages, and something more in its trailer.
fn pdf(pages: &[&str], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|at| format!("{} 0 R", 4 + 2 * at)).collect();
    let (kids, count) = (kids.join(" "), pages.len());
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (page, at) in pages.iter().zip(0..) {
        let content = format!("BT /F1 12 Tf 72 700 Td ({page}) Tj ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * at
        ));
        let length = content.len();
        objects.push(format!("<< /Length {length} >>\nstream\n{content}\nendstream"));
    }
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (object, number) in objects.iter().zip(1..) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!("xref\n0 {size}\n0000000000 65535 f \n{table}");
    file += &format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\n");
    file += &format!("startxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

#[test]
fn ctrl_c_keeps_what_is_stored_and_the_next_run_goes_on() {
    let (store, docs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, docs) = (store.path(), docs.path());
    let files = 3_000;
    for number in 0..files {
        write(docs, &format!("{}/{number}.md", number % 7), super::many::text_of(number));
    }
    let mut child = lorekeep(store)
        .args(["index", "--json", text(docs)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while chunks(store).is_empty() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, Signal::SIGINT);
    let ended = child.wait_with_output().unwrap();
    let seen: Value = serde_json::from_slice(&ended.stdout).unwrap();
    // A fast machine may be done before the signal comes.
    let code = if seen["cut_off"] == true { 130 } else { 0 };
    assert_eq!(ended.status.code(), Some(code), "{seen}");
    assert_eq!(seen["chunks"].as_u64().unwrap(), chunks(store).len() as u64, "{seen}");
    let (code, second) = index(store, &[text(docs)]);
    let sum = [&seen, &second].map(|seen| seen["files_indexed"].as_u64().unwrap());
    assert_eq!((code, sum.iter().sum::<u64>()), (0, files), "{seen} {second}");
}
