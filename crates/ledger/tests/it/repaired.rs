//! Repositories that a disk damaged, and what a repair makes of them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use ledger::{Ledger, Mended};

use crate::{Bench, git};

/// A ledger with one file that was changed twice, all of it in one pack of git.
fn packed() -> Bench {
    let bench = Bench::new();
    let texts = ["the first of three texts\n", "the second\n", "the third\n"];
    let mut was = None;
    for text in texts {
        bench.commit("default/one.md", text, was);
        was = Some(text);
    }
    bench.ledger.lock().expect("held").settle().expect("settled");
    bench.git(&["gc", "--quiet"]);
    bench
}

/// The same with every object in a file of its own.
fn loose() -> Bench {
    let bench = packed();
    let pack = pack(&bench);
    let away = bench.path("away.pack");
    fs::rename(&pack, &away).expect("moved");
    fs::remove_dir_all(bench.path(".git/objects/pack")).expect("removed");
    fs::create_dir(bench.path(".git/objects/pack")).expect("made");
    let command = format!("alias.unpack=!git unpack-objects -q < {}", away.display());
    bench.git(&["-c", &command, "unpack"]);
    fs::remove_file(&away).expect("removed");
    bench
}

fn pack(bench: &Bench) -> PathBuf {
    let folder = fs::read_dir(bench.path(".git/objects/pack")).expect("a folder");
    let mut files = folder.map(|file| file.expect("a file").path());
    files.find(|path| path.extension().is_some_and(|end| end == "pack")).expect("a pack")
}

/// Where the object lies that this names.
fn object(bench: &Bench, name: &str) -> PathBuf {
    let id = bench.git(&["rev-parse", name]);
    bench.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]))
}

/// Changes a file that git made read only.
fn change(path: &PathBuf, how: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("read");
    how(&mut bytes);
    fs::remove_file(path).expect("removed");
    fs::write(path, bytes).expect("written");
}

fn repair(bench: &Bench) -> Mended {
    bench.ledger.repair(&HashMap::new(), &[], false).expect("repaired")
}

fn wrong(bench: &Bench) -> Vec<String> {
    Ledger::open(bench.dir.path()).expect("opens").examine().expect("examined")
}

#[test]
fn what_is_lost_of_the_history_is_told_and_no_damage_any_more() {
    let bench = loose();
    let copy = tempfile::tempdir().expect("a directory");
    git(copy.path(), &["clone", "--quiet", &bench.dir.path().to_string_lossy(), "."]);
    let lost = object(&bench, "HEAD~2:default/one.md");
    fs::remove_file(&lost).expect("removed");
    assert_eq!(wrong(&bench).len(), 1);
    assert_eq!(bench.ledger.lost().expect("told"), Vec::<String>::new());
    let mended = repair(&bench);
    assert!(mended.lost.len() == 1 && mended.lost[0].starts_with("blob "), "{mended:?}");
    assert_eq!(wrong(&bench), Vec::<String>::new());
    assert_eq!(bench.ledger.lost().expect("told"), mended.lost);
    // What is lost later is damage.
    let later = object(&bench, "HEAD~1:default/one.md");
    fs::remove_file(&later).expect("removed");
    assert_eq!(wrong(&bench).len(), 1);
    assert_eq!(repair(&bench).lost.len(), 2);
    // A clone has it.
    bench.git(&["fetch", "--quiet", "--refetch", &copy.path().to_string_lossy()]);
    assert_eq!(bench.ledger.lost().expect("told"), Vec::<String>::new());
    assert_eq!(wrong(&bench), Vec::<String>::new());
    bench.assert_sound();
}

#[test]
fn a_bit_that_turned_in_a_pack_is_turned_back() {
    let bench = packed();
    let place = pack(&bench);
    let [whole, index] =
        ["pack", "idx"].map(|end| fs::read(place.with_extension(end)).expect("read"));
    // Every seventh byte, and the last one of the checksum.
    for at in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        change(&pack(&bench), |bytes| bytes[at] ^= 1 << (at % 8));
        assert!(!wrong(&bench).is_empty(), "byte {at}");
        let mended = repair(&bench);
        assert_eq!(mended.lost, Vec::<String>::new(), "byte {at}: {mended:?}");
        assert_eq!(wrong(&bench), Vec::<String>::new(), "byte {at}: {mended:?}");
        bench.assert_sound();
        // What nobody reads of a pack is not looked for: there is a new pack then.
        fs::remove_dir_all(bench.path(".git/objects/pack")).expect("removed");
        fs::create_dir(bench.path(".git/objects/pack")).expect("made");
        fs::write(&place, &whole).expect("written");
        fs::write(place.with_extension("idx"), &index).expect("written");
    }
}

#[test]
fn a_bit_that_turned_in_a_single_object_is_turned_back() {
    let bench = loose();
    for name in ["HEAD~2:default/one.md", "HEAD~1", "HEAD~2^{tree}"] {
        change(&object(&bench, name), |bytes| bytes[7] ^= 4);
        assert!(!wrong(&bench).is_empty(), "{name}");
        let mended = repair(&bench);
        assert_eq!(mended.lost, Vec::<String>::new(), "{mended:?}");
        assert_eq!(wrong(&bench), Vec::<String>::new());
    }
    bench.assert_sound();
}

#[test]
fn a_single_object_with_something_behind_it_is_found_and_written_again() {
    let bench = loose();
    change(&object(&bench, "HEAD:default/one.md"), |bytes| bytes.extend(b"more"));
    assert!(wrong(&bench)[0].contains("is not what its name says"));
    let mended = repair(&bench);
    assert_eq!(mended.lost, Vec::<String>::new(), "{mended:?}");
    assert_eq!(wrong(&bench), Vec::<String>::new());
    bench.assert_sound();
}

#[test]
fn a_value_of_the_settings_that_git_refuses_is_found() {
    let bench = packed();
    for [was, now] in [
        ["filemode = true", "filemode = |rue"],
        ["logallrefupdates = true", "logallrefupdates = tr}e"],
        ["formatversion = 0", "formatversion = 8"],
    ] {
        change(&bench.path(".git/config"), |bytes| {
            let text = String::from_utf8_lossy(bytes).replace(was, now);
            assert!(text.contains(now));
            *bytes = text.into_bytes();
        });
        assert!(wrong(&bench)[0].contains("cannot be read by git"), "{now}");
        repair(&bench);
        assert_eq!(wrong(&bench), Vec::<String>::new(), "{now}");
        bench.assert_sound();
    }
}
