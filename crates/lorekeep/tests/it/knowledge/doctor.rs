//! What the doctor says of the knowledge.

use super::{World, item, read};

impl World {
    /// What the doctor says of knowledge, and its exit code.
    fn examined(&self) -> (i32, String) {
        let (code, out, _) = self.run(&["doctor"]);
        let lines = out.lines().filter(|line| line.contains(" knowledge "));
        (code, lines.map(|line| format!("{line}\n")).collect())
    }
}

fn accepted(title: &str, text: &str) -> String {
    item(&format!("type: adr\nstatus: accepted\ntitle: {title}"), text)
}

#[test]
fn folders_are_counted_and_what_cannot_be_read_is_wrong() {
    let world = World::new();
    let (code, out) = world.examined();
    assert!(code == 0 && out.contains("none yet at "), "{out}");
    world.knowledge(&["new", "One", "--type", "policy", "--id", "one"]);
    world.knowledge(&["new", "Two", "--type", "policy", "--id", "two", "--here"]);
    let (code, out) = world.examined();
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("store/knowledge with 1 item\n"), "{out}");
    assert!(out.contains("web/.lorekeep/knowledge with 1 item\n"), "{out}");
    assert!(out.contains("last sync at "), "{out}");
    world.write("company/adrs/broken.md", &item("type: adr\nstatus: maybe", "# Title"));
    let (code, out) = world.examined();
    assert!(code == 1 && out.contains("company/adrs/broken.md, line 3: "), "{out}");
}

#[test]
fn an_accepted_decision_that_is_edited_is_told_by_sync_now_and_the_doctor() {
    let world = World::new();
    world.knowledge(&["new", "Use X", "--type", "adr", "--id", "x"]);
    world.knowledge(&["propose", "x"]);
    world.knowledge(&["accept", "x"]);
    assert!(!world.examined().1.contains("was changed since"));
    let file = world.home().join("projects/web/adrs/x.md");
    let whole = read(&file);
    std::fs::write(&file, whole.replace("## Decision", "## Another decision")).unwrap();
    let (_, out, _) = world.run(&["call", "sync_now"]);
    assert!(out.contains("text changed since: x"), "{out}");
    let (code, out) = world.examined();
    assert!(code == 0 && out.contains("x is accepted, and its text was changed since"), "{out}");
    std::fs::write(&file, &whole).unwrap();
    assert!(!world.examined().1.contains("was changed since"));
}

#[test]
fn git_knows_what_was_accepted_before_the_store_did() {
    let world = World::new();
    let home = world.home();
    let commit = |message: &str| {
        world.git(&home, &["add", "-A"]);
        world.git(&home, &["commit", "-qm", message]);
    };
    let draft = accepted("Use Y", "First words.").replace("accepted", "proposed");
    world.write("company/adrs/y.md", &draft);
    world.write("company/adrs/same.md", &accepted("Use Z", "Words."));
    world.git(&home, &["init", "-q", "-b", "main"]);
    commit("proposed");
    world.write("company/adrs/y.md", &accepted("Use Y", "Better words."));
    commit("accepted");
    assert!(!world.examined().1.contains("was changed since"));
    // A tag may change; what was decided may not.
    let tagged = accepted("Use Y", "Better words.").replace("title:", "tags: [a]\ntitle:");
    world.write("company/adrs/y.md", &tagged);
    commit("tagged");
    assert!(!world.examined().1.contains("was changed since"));
    world.write("company/adrs/y.md", &accepted("Use Y", "Other words."));
    let (code, out) = world.examined();
    assert!(code == 0 && out.contains("y is accepted, and its text was changed since"), "{out}");
    assert!(!out.contains("same is accepted"), "{out}");
    commit("edited");
    assert!(world.examined().1.contains("y is accepted, and its text was changed since"));
}

#[test]
fn waivers_that_run_out_and_contradictions_are_worth_a_word() {
    let world = World::new();
    let rule = |operator: &str, more: &str| {
        let front = format!(
            "type: policy\nstatus: accepted\ntitle: A rule\nconstraints:\n  \
             - {{operator: {operator}, target: dependency, pattern: mysql}}{more}"
        );
        item(&front, "Words.")
    };
    let waivers = "\nwaivers:\n  - {reason: the old shop, until: 2020-01-31}\n  \
                   - {reason: for long, until: 2999-01-01}";
    world.write("company/policies/wide.md", &rule("must_not_use", waivers));
    world.write("projects/web/policies/narrow.md", &rule("must_use", ""));
    let (code, out) = world.examined();
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("a waiver of wide ran out on 2020-01-31: the old shop\n"), "{out}");
    assert!(!out.contains("for long"), "{out}");
    assert!(
        out.contains(
            "contradiction: wide (company) asks must_not_use dependency mysql, \
             narrow (project) asks must_use dependency mysql\n"
        ),
        "{out}"
    );
    assert!(out.contains("never synced"), "{out}");
}
