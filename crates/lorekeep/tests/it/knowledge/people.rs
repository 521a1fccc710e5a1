//! In the repositories of people.

use super::{World, item, read};

#[test]
fn a_project_keeps_its_own_knowledge_and_what_is_staged_stays_staged() {
    let world = World::new();
    let project = world.project();
    std::fs::write(project.join("staged.txt"), "one\n").unwrap();
    std::fs::write(project.join("known.txt"), "one\n").unwrap();
    world.git(&project, &["add", "known.txt"]);
    world.git(&project, &["commit", "-qm", "first"]);
    world.git(&project, &["add", "staged.txt"]);
    std::fs::write(project.join("known.txt"), "two\n").unwrap();
    let before = world.git(&project, &["status", "--porcelain"]);

    let new = world.told(&["new", "Use tabs", "--type", "policy", "--id", "tabs", "--here"]);
    let file = project.join(".lorekeep/knowledge/policies/tabs.md");
    assert_eq!(new["file"], file.to_str().unwrap());
    world.knowledge(&["propose", "tabs"]);
    assert_eq!(world.git(&project, &["status", "--porcelain"]), before);
    let log = world.git(&project, &["log", "--format=%s", "--name-only"]);
    let log: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    let path = ".lorekeep/knowledge/policies/tabs.md";
    assert_eq!(
        log,
        ["knowledge: propose tabs", path, "knowledge: add tabs", path, "first", "known.txt"]
    );
    assert!(!world.home().exists(), "all is in the project");

    // The folder is there now: no need to say so, even from deep within.
    let deep = project.join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let more = ["knowledge", "new", "Use LF", "--type", "policy", "--id", "lf"];
    assert!(world.command().current_dir(&deep).args(more).output().unwrap().status.success());
    assert!(project.join(".lorekeep/knowledge/policies/lf.md").is_file());
    // What reaches further goes home.
    world.knowledge(&["new", "All", "--type", "policy", "--id", "all", "--layer", "company"]);
    assert!(world.home().join("company/policies/all.md").is_file());
    let err = world.refused(&["new", "All", "--type", "adr", "--layer", "team", "--here"]);
    assert!(err.contains("takes layer project, not team"), "{err}");
}

#[test]
fn a_hook_that_says_no_is_told_and_everything_is_as_it_was() {
    let world = World::new();
    let project = world.project();
    world.forbid_commits(&project);
    let new = ["knowledge", "new", "Use tabs", "--type", "policy", "--id", "tabs", "--here"];
    let (code, out, err) = world.run(&new);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("nothing is changed") && err.contains("not on a Friday"), "{err}");
    assert!(!project.join(".lorekeep").exists(), "neither the file nor its folders stay");
    assert_eq!(world.git(&project, &["status", "--porcelain"]), "");

    std::fs::remove_file(project.join(".git/hooks/pre-commit")).unwrap();
    world.knowledge(&new[1..]);
    world.forbid_commits(&project);
    let file = project.join(".lorekeep/knowledge/policies/tabs.md");
    // What the person is writing just now stays too.
    let edited = read(&file).replace("## Why", "## Why at all");
    std::fs::write(&file, &edited).unwrap();
    let (code, _, err) = world.run(&["knowledge", "propose", "tabs"]);
    assert!(code == 2 && err.contains("not on a Friday"), "{err}");
    assert_eq!(read(&file), edited);
    let status = world.git(&project, &["status", "--porcelain"]);
    assert_eq!(status, " M .lorekeep/knowledge/policies/tabs.md\n");
}

#[test]
fn an_import_that_a_hook_refuses_leaves_nothing() {
    let world = World::new();
    let project = world.project();
    let adrs = project.join("doc/adr");
    super::samples::write(&adrs, super::samples::ADR_TOOLS);
    world.forbid_commits(&project);
    let (code, _, err) = world.run(&["import", "adr", "doc/adr", "--here"]);
    assert!(code == 2 && err.contains("not on a Friday"), "{err}");
    assert!(!project.join(".lorekeep").exists());
}

#[test]
fn what_takes_the_place_in_another_repository_does_so_in_both_or_in_none() {
    let world = World::new();
    let project = world.project();
    world.knowledge(&["new", "Old", "--type", "adr", "--id", "old", "--layer", "company"]);
    world.knowledge(&["propose", "old"]);
    world.knowledge(&["accept", "old"]);
    world.knowledge(&["new", "New", "--type", "adr", "--id", "new", "--here"]);
    world.knowledge(&["propose", "new"]);
    let files =
        [world.home().join("company/adrs/old.md"), project.join(".lorekeep/knowledge/adrs/new.md")];
    let before = files.each_ref().map(read);
    for repository in [world.home(), project.clone()] {
        world.forbid_commits(&repository);
        let (code, _, err) = world.run(&["knowledge", "supersede", "old", "new"]);
        assert!(code == 2 && err.contains("not on a Friday"), "{err}");
        assert_eq!(files.each_ref().map(read), before);
        for dir in [&world.home(), &project] {
            assert_eq!(world.git(dir, &["status", "--porcelain"]), "");
        }
        std::fs::remove_file(repository.join(".git/hooks/pre-commit")).unwrap();
    }
    world.knowledge(&["supersede", "old", "new"]);
    assert_eq!(
        (world.status("old"), world.status("new")),
        ("superseded".into(), "accepted".into())
    );
    for dir in [&world.home(), &project] {
        let subject = world.git(dir, &["log", "-1", "--format=%s"]);
        assert_eq!(subject, "knowledge: new supersedes old\n");
    }
}

#[test]
fn who_commits_is_whom_git_is_set_up_for() {
    let world = World::new();
    let project = world.project();
    world.git(&project, &["config", "user.name", "Ada"]);
    world.git(&project, &["config", "user.email", "ada@example.org"]);
    world.knowledge(&["new", "Use tabs", "--type", "policy", "--here"]);
    assert_eq!(world.git(&project, &["log", "--format=%an <%ae>"]), "Ada <ada@example.org>\n");
}

#[test]
fn the_knowledge_folder_may_lie_elsewhere() {
    let world = World::new();
    let elsewhere = world.project().join("docs/knowledge");
    let elsewhere = elsewhere.to_str().unwrap();
    let text = item("type: adr\nstatus: proposed\ntitle: There", "Words.");
    std::fs::create_dir_all(format!("{elsewhere}/company/adrs")).unwrap();
    std::fs::write(format!("{elsewhere}/company/adrs/there.md"), text).unwrap();
    world.knowledge(&["accept", "there", "--knowledge-dir", elsewhere]);
    let log = world.git(&world.project(), &["log", "--format=%s", "--name-only"]);
    assert_eq!(log, "knowledge: accept there\n\ndocs/knowledge/company/adrs/there.md\n");
}
