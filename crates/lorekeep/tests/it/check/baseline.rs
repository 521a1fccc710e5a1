//! Old violations that are known.

use super::{BAD, Project};

const FILE: &str = ".lorekeep/baseline.json";

/// A project with two violations in a baseline.
fn project() -> Project {
    let project = Project::new();
    project.write("a.rs", format!("{BAD}// 2\n{BAD}"));
    let (code, out, err) = project.check(&["--update-baseline"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("baseline.json was made: 2 violations"), "{out}");
    project
}

#[test]
fn what_is_in_the_baseline_does_not_count_wherever_it_moves() {
    let project = project();
    let (code, out, _) = project.check(&[]);
    assert!(code == 0 && out.contains("2 old violations in the baseline"), "{out}");
    assert!(out.contains("nothing found"), "{out}");
    project.write("a.rs", format!("// new\n// new\n{BAD}\n\n{BAD}"));
    let answer = project.json(&[]);
    assert_eq!(answer["baseline"]["known"], 2);
    assert_eq!(answer["baseline"]["mended"], 0);
    assert_eq!(project.found(&["--no-baseline"]).len(), 2);
    project.write("b.rs", BAD);
    assert_eq!(project.found(&[]), ["adr b.rs:1"], "in another file it is another");
    project.write("a.rs", BAD.repeat(3));
    assert_eq!(project.found(&[]), ["adr a.rs:3", "adr b.rs:1"]);
}

#[test]
fn the_baseline_shrinks_and_never_grows() {
    let project = project();
    let old = project.read(FILE);
    project.write("b.rs", BAD);
    let (code, out, _) = project.check(&["--update-baseline"]);
    assert!(code == 1 && out.contains("b.rs:1"), "{out}");
    assert_eq!(project.read(FILE), old, "what is new does not get into it");
    project.write("a.rs", BAD);
    let (code, out, _) = project.check(&[]);
    assert!(code == 1 && out.contains("1 of the baseline is mended"), "{out}");
    assert_eq!(project.json(&[])["baseline"]["mended"], 1);
    assert_eq!(project.read(FILE), old, "nothing changes it unasked");
    let (code, out, _) = project.check(&["--update-baseline"]);
    assert!(code == 1 && out.contains("1 violation taken out of the baseline"), "{out}");
    assert!(project.read(FILE).contains("\"count\":1"));
    project.write("a.rs", BAD.repeat(2));
    assert_eq!(project.found(&[]), ["adr a.rs:2", "adr b.rs:1"]);
    project.write("a.rs", "");
    project.write("b.rs", "");
    let (code, _, _) = project.check(&["--update-baseline"]);
    assert_eq!(code, 0);
    assert_eq!(project.read(FILE), "{\n  \"version\": 1,\n  \"violations\": []\n}\n");
}

#[test]
fn a_part_of_a_project_does_not_tell_what_is_mended() {
    let project = project();
    project.commit();
    let old = project.read(FILE);
    project.write("a.rs", "");
    for args in [&["a.rs"][..], &["--staged"], &["--diff", "HEAD"], &["--item", "x"]] {
        let (code, _, err) = project.check(&[&["--update-baseline"], args].concat());
        assert!(code == 2 && err.contains("a part of it does not tell"), "{err}");
    }
    assert_eq!(project.read(FILE), old);
    assert_eq!(project.json(&["--diff", "HEAD"])["baseline"]["mended"], 0);
    let (code, _, err) = project.check(&["--update-baseline", "--no-baseline"]);
    assert!(code == 2 && err.contains("cannot be used with"), "{err}");
}

#[test]
fn what_cannot_be_read_is_not_taken_for_mended() {
    let project = Project::new();
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\n");
    project.check(&["--update-baseline"]);
    assert_eq!(project.json(&[])["baseline"]["known"], 1);
    project.write("Cargo.toml", "[dependencies]\nmysql = \"26\"\n");
    assert_eq!(project.json(&[])["baseline"]["known"], 1, "another version is the same");
    let old = project.read(FILE);
    project.write("Cargo.toml", "[dependencies\nmysql = \"26\"\n");
    assert_eq!(project.json(&["--update-baseline"])["baseline"]["mended"], 0);
    assert_eq!(project.read(FILE), old);
}

#[test]
fn a_broken_baseline_is_named_and_stays() {
    let project = project();
    project.write(FILE, "<<<<<<< ours\n");
    for args in [&[][..], &["--update-baseline"]] {
        let (code, out, err) = project.check(args);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains("my project/.lorekeep/baseline.json cannot be read"), "{err}");
    }
    assert_eq!(project.read(FILE), "<<<<<<< ours\n");
}

#[test]
fn a_baseline_may_lie_elsewhere() {
    let project = Project::new();
    project.write("a.rs", BAD);
    let there = ["--baseline", "ci/known.json"];
    let (code, _, err) = project.check(&there);
    assert!(code == 2 && err.contains("there is no baseline ci/known.json"), "{err}");
    let (code, _, _) = project.check(&[&there[..], &["--update-baseline"]].concat());
    assert_eq!(code, 0);
    assert!(project.found(&there).is_empty());
    assert_eq!(project.found(&[]).len(), 1);
}

#[test]
fn a_new_line_that_reads_like_an_old_one_is_new() {
    let project = project();
    project.commit();
    project.write("a.rs", format!("{BAD}{BAD}// 2\n{BAD}"));
    let found = project.found(&["--diff", "HEAD"]);
    assert_eq!(found.len(), 1, "{found:?}");
    project.git(&["add", "--all"]);
    assert_eq!(project.found(&["--staged"]).len(), 1);
}

#[test]
fn a_baseline_holds_more_than_a_report() {
    let project = Project::new();
    project.write("a.rs", BAD.repeat(900));
    project.write("b.rs", BAD.repeat(900));
    let (code, out, _) = project.check(&["--update-baseline"]);
    assert!(code == 0 && out.contains("was made: 1800 violations"), "{out}");
    assert_eq!(project.json(&[])["baseline"]["known"], 1_800);
    project.write("c.rs", BAD);
    assert_eq!(project.found(&[]), ["adr c.rs:1"]);
}
