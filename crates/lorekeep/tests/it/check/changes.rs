//! `--diff` and `--staged`: only what is new.

use super::{BAD, Project};

#[test]
fn only_changed_lines_count_against_a_base() {
    let project = Project::new();
    project.write("a.rs", format!("{BAD}// 2\n// 3\n// 4\n"));
    project.write("old.rs", BAD);
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    // An old violation stands two lines above.
    project.write("a.rs", format!("{BAD}// 2\n{BAD}// 4\n"));
    project.write("unknown.rs", BAD);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr a.rs:3", "adr unknown.rs:1"]);
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    assert_eq!(project.found(&["--diff", "HEAD~1"]), ["adr a.rs:3", "adr unknown.rs:1"]);
    assert_eq!(project.found(&["--diff", "HEAD~1", "unknown.rs"]), ["adr unknown.rs:1"]);
    assert_eq!(project.found(&[]).len(), 4);
}

#[test]
fn what_is_new_elsewhere_since_a_branch_parted_does_not_count() {
    let project = Project::new();
    project.write("a.rs", "// 1\n");
    project.commit();
    project.git(&["switch", "--quiet", "--create", "work"]);
    project.write("b.rs", BAD);
    project.commit();
    project.git(&["switch", "--quiet", "main"]);
    project.write("c.rs", BAD);
    project.commit();
    project.git(&["switch", "--quiet", "work"]);
    assert_eq!(project.found(&["--diff", "main"]), ["adr b.rs:1"]);
}

#[test]
fn a_dependency_counts_if_its_line_changed() {
    let project = Project::new();
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\n");
    project.commit();
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\nserde = \"1\"\n");
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    project.write("Cargo.toml", "[dependencies]\nmysql = \"25\"\nmysql_async = \"1\"\n");
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr Cargo.toml:3"]);
}

#[test]
fn what_is_missing_in_the_project_counts_if_the_change_can_be_why() {
    let project = Project::bare();
    project.rule(
        "all",
        "  - {operator: must_exist, target: file, pattern: LICENSE}\n  - {operator: must_use, target: \
         code, pattern: tracing, appliesTo: ['src/**']}\n  - {operator: must_match, target: file, \
         pattern: '*.rs', appliesTo: ['src/**']}",
    );
    project.write("LICENSE", "MIT");
    project.write("src/a.rs", "tracing::info");
    project.write("src/old.txt", "x");
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    std::fs::remove_file(project.root().join("LICENSE")).unwrap();
    assert_eq!(project.found(&["--diff", "HEAD"]), ["all *"]);
    project.commit();
    project.write("src/a.rs", "nothing");
    let answer = project.json(&["--diff", "HEAD"]);
    assert_eq!(answer["violations"][0]["constraint"]["pattern"], "tracing");
    assert_eq!(answer["violations"].as_array().unwrap().len(), 1, "{answer}");
    project.write("src/a.rs", "tracing");
    project.write("src/old.txt", "y");
    assert!(project.found(&["--diff", "HEAD"]).is_empty(), "its path is not new");
    project.git(&["mv", "src/old.txt", "src/new.txt"]);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["all *", "all src/new.txt"]);
}

#[test]
fn what_is_staged_counts_and_what_is_not_does_not() {
    let project = Project::new();
    project.write("fixed.rs", "// 1\n");
    project.write("broken.rs", "// 1\n");
    project.commit();
    project.write("fixed.rs", BAD);
    project.write("new.rs", BAD);
    project.write("gone.rs", BAD);
    project.git(&["add", "--all"]);
    // The violation is staged; its fix is not.
    project.write("fixed.rs", "// 1\n");
    project.write("broken.rs", BAD);
    project.write("unknown.rs", BAD);
    std::fs::remove_file(project.root().join("gone.rs")).unwrap();
    let staged = ["adr fixed.rs:1", "adr gone.rs:1", "adr new.rs:1"];
    assert_eq!(project.found(&["--staged"]), staged);
    assert_eq!(project.found(&["--staged", "gone.rs"]), ["adr gone.rs:1"]);
    assert_eq!(project.found(&["--staged", "--diff", "HEAD"]), staged);
    assert_eq!(
        project.found(&["--diff", "HEAD"]),
        ["adr broken.rs:1", "adr new.rs:1", "adr unknown.rs:1"]
    );
    project.git(&["commit", "--quiet", "--message", "x"]);
    assert!(project.found(&["--staged"]).is_empty());
    assert_eq!(project.found(&["--staged", "--diff", "HEAD~1"]), staged);
}

#[test]
fn the_first_commit_is_checked_as_a_whole() {
    let project = Project::new();
    project.write("a.rs", BAD);
    project.write("b.rs", BAD);
    project.git(&["add", "a.rs"]);
    project.git(&["add", "--intent-to-add", "b.rs"]);
    assert_eq!(project.found(&["--staged"]), ["adr a.rs:1"]);
}

#[test]
fn a_new_violation_behind_a_thousand_old_ones_is_found() {
    let project = Project::new();
    project.write("a.rs", BAD.repeat(1_500));
    project.write("z.rs", "// 1\n");
    project.commit();
    let all = project.json(&[]);
    assert_eq!(all["summary"]["block"], 1_500);
    assert_eq!(all["summary"]["leftOut"], 500);
    project.write("z.rs", BAD);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["adr z.rs:1"]);
    project.git(&["add", "--all"]);
    assert_eq!(project.found(&["--staged"]), ["adr z.rs:1"]);
}

#[test]
fn every_match_of_a_file_counts_and_not_only_its_first() {
    let project = Project::bare();
    project.rule("eval", "  - {operator: must_not_match, target: code, pattern: 'eval\\('}");
    project.write("a.py", "eval(1)\n");
    project.commit();
    project.write("a.py", "eval(1)\neval(99)\n");
    project.git(&["add", "--all"]);
    assert_eq!(project.found(&["--staged"]), ["eval a.py:2"]);
    assert_eq!(project.found(&["--diff", "HEAD"]), ["eval a.py:2"]);
    project.git(&["commit", "--quiet", "--no-verify", "--message", "x"]);
    assert_eq!(project.found(&["--diff", "HEAD~1"]), ["eval a.py:2"]);
    assert_eq!(project.check(&["--update-baseline"]).0, 0);
    project.write("a.py", "eval(1)\neval(99)\neval(100)\n");
    assert_eq!(project.found(&[]), ["eval a.py:3"]);
}

#[test]
fn what_takes_several_lines_counts_if_any_of_them_changed() {
    let project = Project::new();
    project.rule(
        "lines",
        "  - {operator: must_not_use, target: code, pattern: 'open\\(\\s*evil'}\n  \
         - {operator: must_not_use, target: import, pattern: 'mysql'}",
    );
    let pom = |artifact: &str| {
        format!(
            "<project>\n<dependencies>\n<dependency>\n<groupId>g</groupId>\n\
             <artifactId>{artifact}</artifactId>\n</dependency>\n</dependencies>\n</project>\n"
        )
    };
    project
        .write("a.py", "from x import (\n    one,\n    two,\n)\nopen(\n\n    # why\n    evil)\n");
    project.write("Cargo.toml", "[dependencies.db]\nversion = \"1\"\npackage = \"sqlite\"\n");
    project.write("pom.xml", pom("sqlite"));
    project.commit();
    assert!(project.found(&["--diff", "HEAD"]).is_empty());
    project.write("a.py", "from x import (\n    one,\n    mysql,\n)\nopen(\n\n    evil)\n");
    project.write("Cargo.toml", "[dependencies.db]\nversion = \"1\"\npackage = \"mysql\"\n");
    project.write("pom.xml", pom("mysql"));
    let expected = ["lines a.py:1", "lines a.py:5", "adr Cargo.toml:1"];
    assert_eq!(sorted(project.found(&["--diff", "HEAD"])), sorted(expected));
}

fn sorted(places: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    let mut places: Vec<String> = places.into_iter().map(Into::into).collect();
    places.sort();
    places
}

/// Numbers that look like chance and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 1).unwrap() % end
    }

    /// A line that no other is like, so that what changed can be told without git.
    fn line(&mut self) -> String {
        let word = ["eval(", "exec(", "begin(", "end(", "x = ", "# "][self.below(6)];
        format!("{word}{:x}", self.0)
    }

    /// Another state of a file: lines come, go and change, and none moves.
    fn edited(&mut self, lines: &[String]) -> Vec<String> {
        let mut edited = Vec::new();
        for line in lines {
            match self.below(8) {
                0 => {}
                1 => edited.push(self.line()),
                2 => edited.extend([line.clone(), self.line()]),
                _ => edited.push(line.clone()),
            }
        }
        edited
    }
}

/// A plain search: the lines in which a violation begins that is not in the old text.
fn new_violations(old: &[String], new: &[String], one_line: bool) -> Vec<usize> {
    let is_new = |line: &String| !old.contains(line);
    let pairs: Vec<_> = old.windows(2).collect();
    let is_bad = |at: usize| {
        let single = new[at].starts_with("eval(") || new[at].starts_with("exec(");
        let next = new.get(at + 1).filter(|next| next.starts_with("end("));
        let double = next.filter(|_| new[at].starts_with("begin(") && !one_line);
        single && is_new(&new[at]) || double.is_some() && !pairs.contains(&&new[at..at + 2])
    };
    (0..new.len()).filter(|at| is_bad(*at)).map(|at| at + 1).collect()
}

#[test]
fn what_is_new_is_what_a_plain_search_finds_new() {
    const RULES: &str = "  - {operator: must_not_use, target: code, pattern: '^eval\\('}\n  \
                         - {operator: must_not_match, target: code, pattern: '^exec\\('}\n";
    const PAIRS: &str =
        "  - {operator: must_not_match, target: code, pattern: '^begin\\(.*\\n^end\\('}\n";
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..6 {
        let project = Project::bare();
        project.rule("all", &format!("{RULES}{PAIRS}"));
        let files: Vec<String> = (0..4).map(|n| format!("{n}.py")).collect();
        let text =
            |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let write = |states: &[Vec<String>]| {
            files.iter().zip(states).for_each(|(file, lines)| project.write(file, text(lines)));
        };
        let expected = |old: &[Vec<String>], new: &[Vec<String>], one_line: bool| {
            let states = files.iter().zip(old.iter().zip(new));
            sorted(states.flat_map(|(file, (old, new))| {
                let lines = new_violations(old, new, one_line);
                lines.into_iter().map(move |line| format!("all {file}:{line}"))
            }))
        };
        let old: Vec<Vec<String>> =
            files.iter().map(|_| (0..20).map(|_| dice.line()).collect()).collect();
        let staged: Vec<_> = old.iter().map(|lines| dice.edited(lines)).collect();
        let changed: Vec<_> = staged.iter().map(|lines| dice.edited(lines)).collect();
        write(&old);
        project.commit();
        write(&staged);
        project.git(&["add", "--all"]);
        write(&changed);
        let found = |options: &[&str]| sorted(project.found(options));
        assert_eq!(found(&["--staged"]), expected(&old, &staged, false), "staged, round {round}");
        assert_eq!(
            found(&["--diff", "HEAD"]),
            expected(&old, &changed, false),
            "diff, round {round}"
        );
        // A baseline knows a violation by the line that it begins in.
        project.rule("all", RULES);
        write(&old);
        assert_eq!(project.check(&["--update-baseline"]).0, 0);
        write(&changed);
        assert_eq!(found(&[]), expected(&old, &changed, true), "baseline, round {round}");
    }
}
