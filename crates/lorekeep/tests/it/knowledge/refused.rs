//! What is not done, and that nothing is half done then.

use super::{World, item, read};

const STATUSES: [&str; 6] =
    ["draft", "proposed", "accepted", "rejected", "deprecated", "superseded"];

/// An item of the company at a status.
fn put(world: &World, id: &str, status: &str) {
    let front = format!("type: adr\nstatus: {status}\ntitle: The title of {id}");
    world.write(&format!("company/adrs/{id}.md"), &item(&front, "Words."));
}

#[test]
fn every_illegal_step_names_the_legal_ones_and_changes_nothing() {
    let world = World::new();
    let legal = [
        ("draft", "propose"),
        ("draft", "reject"),
        ("proposed", "accept"),
        ("proposed", "reject"),
        ("accepted", "deprecate"),
    ];
    for status in STATUSES {
        put(&world, status, status);
    }
    for status in STATUSES {
        let file = world.home().join(format!("company/adrs/{status}.md"));
        let before = read(&file);
        for step in ["propose", "accept", "reject", "deprecate"] {
            if legal.contains(&(status, step)) {
                continue;
            }
            let err = world.refused(&[step, status]);
            let told = match status {
                "draft" => "only proposed or rejected",
                "proposed" => "only accepted or rejected",
                "accepted" => "only deprecated or superseded",
                past => &format!("what is {past} stays {past}"),
            };
            assert!(err.contains(told) && err.contains(status), "{status} {step}: {err}");
        }
        if status != "accepted" {
            world.refused(&["supersede", status, "accepted"]);
        }
        if !["accepted", "proposed"].contains(&status) {
            world.refused(&["supersede", "accepted", status]);
        }
        assert_eq!(read(&file), before, "{status}");
    }
    assert!(world.refused(&["supersede", "accepted", "accepted"]).contains("its own place"));
    assert!(!world.home().join(".git").exists(), "nothing was committed");
}

#[test]
fn what_cannot_be_followed_is_neither_written_nor_accepted() {
    let world = World::new();
    for (constraint, code, why) in [
        ("must_use code (", 1, "unclosed group"),
        ("must_exist code x", 1, "must_exist"),
        ("must_use", 2, "three parts"),
        ("must_love code x", 2, "no operator"),
    ] {
        let args = ["knowledge", "new", "Bad", "--type", "policy", "--constraint", constraint];
        let (got, _, err) = world.run(&args);
        assert!(got == code && err.contains(why), "{constraint}: {got} {err}");
    }
    for (args, why) in [
        (["--id", "a/b"], "id \"a/b\" should be"),
        (["--id", ".hidden"], "the first no '.'"),
        (["--layer", "company"], "title"),
    ] {
        let title = if why == "title" { "two\nlines" } else { "A title" };
        let err = world.refused(&[&["new", title, "--type", "policy"], &args[..]].concat());
        assert!(err.contains(why), "{args:?}: {err}");
    }
    assert!(!world.home().exists(), "nothing was written");

    let front = "type: policy\nstatus: proposed\ntitle: Bad\nconstraints:\n  \
                 - {operator: must_use, target: code, pattern: '('}\n  \
                 - {operator: must, target: code, pattern: x}";
    let file = world.write("company/policies/bad.md", &item(front, "Words."));
    let before = read(&file);
    let err = world.refused(&["accept", "bad"]);
    assert!(err.contains("must_use code (") && err.contains("must code x"), "{err}");
    put(&world, "good", "accepted");
    assert!(world.refused(&["supersede", "good", "bad"]).contains("cannot be followed"));
    assert_eq!(read(&file), before);
}

#[test]
fn an_id_is_given_once() {
    let world = World::new();
    world.knowledge(&["new", "One", "--type", "policy", "--id", "one"]);
    let other = ["new", "Two", "--type", "adr", "--id", "one", "--layer", "company"];
    assert!(world.refused(&other).contains("there is an item \"one\" already"));
    // A file that is no item is not written over either.
    world.write("company/adrs/two.md", "Notes.\n");
    let err = world.refused(&["new", "Two", "--type", "adr", "--id", "two", "--layer", "company"]);
    assert!(err.contains("company/adrs/two.md already"), "{err}");
    assert_eq!(read(world.home().join("company/adrs/two.md")), "Notes.\n");
}

#[test]
fn of_many_who_create_the_same_item_one_does() {
    let world = World::new();
    let created = |args: &[&str]| {
        let children: Vec<_> = (0..4)
            .map(|_| world.command().args(["knowledge", "new"]).args(args).spawn().unwrap())
            .collect();
        let ended = children.into_iter().map(|mut child| child.wait().unwrap());
        ended.filter(std::process::ExitStatus::success).count()
    };
    assert_eq!(created(&["The one", "--type", "adr", "--id", "one"]), 1);
    assert_eq!(created(&["Numbered", "--type", "policy"]), 4, "each gets a number");
    let log = world.git(&world.home(), &["log", "--format=%s"]);
    assert_eq!(log.lines().count(), 5, "{log}");
    assert_eq!(world.git(&world.home(), &["status", "--porcelain"]), "");
    assert_eq!(world.told(&["list"])["items"].as_array().unwrap().len(), 5);
}

#[test]
fn many_who_write_the_first_items_at_once_all_do() {
    let world = World::new();
    let children: Vec<_> = (0..6)
        .map(|n| {
            let id = format!("id-{n}");
            let new = ["knowledge", "new", "A title", "--type", "adr", "--id", &id];
            world.command().args(new).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let log = world.git(&world.home(), &["log", "--format=%s"]);
    assert_eq!(log.lines().count(), 6, "{log}");
    assert_eq!(world.git(&world.home(), &["status", "--porcelain"]), "");
}

#[test]
fn a_narrower_layer_does_not_take_the_place_of_what_blocks_in_a_wider_one() {
    let world = World::new();
    let rule = |weight: &str| {
        format!(
            "type: policy\nstatus: accepted\ntitle: No MySQL\nseverity: {weight}\nconstraints:\n  \
             - {{operator: must_not_use, target: dependency, pattern: mysql}}"
        )
    };
    let blocks = world.write("company/policies/blocks.md", &item(&rule("block"), "Words."));
    world.write("company/policies/warns.md", &item(&rule("warn"), "Words."));
    world.write("company/policies/wide.md", &item(&rule("block"), "Words."));
    world.write("projects/web/policies/narrow.md", &item(&rule("info"), "Words."));
    let before = read(&blocks);
    let err = world.refused(&["supersede", "blocks", "narrow"]);
    assert!(err.contains("narrow of layer project") && err.contains("layer company"), "{err}");
    assert_eq!(read(&blocks), before);
    world.knowledge(&["supersede", "warns", "narrow"]);
    world.knowledge(&["supersede", "blocks", "wide"]);
    let err = world.refused(&["deprecate", "blocks"]);
    assert!(err.contains("stays superseded"), "{err}");
}

#[test]
fn who_may_not_write_does_not() {
    let world = World::new();
    put(&world, "one", "proposed");
    let (code, _, err) = world.run(&["knowledge", "accept", "one", "--role", "user"]);
    assert!(code == 2 && err.contains("needs the role admin"), "{err}");
    let new = ["knowledge", "new", "Two", "--type", "adr"];
    let (code, _, err) = world.run(&[&new[..], &["--role", "guest"]].concat());
    assert!(code == 2 && err.contains("needs the role user"), "{err}");
    world.knowledge(&["list"]);
    let (code, _, err) = world.run(&[&new[..], &["--read-only"]].concat());
    assert!(code == 1 && err.contains("read-only"), "{err}");
    assert!(!world.home().join("projects").exists());
}

#[test]
fn an_item_that_cannot_be_read_is_told_with_its_file_and_line() {
    let world = World::new();
    let file = world.write("company/adrs/broken.md", &item("type: adr\nstatus: maybe", "# Title"));
    for args in [&["propose", "broken"][..], &["supersede", "broken", "broken"]] {
        let err = world.refused(args);
        assert!(err.contains(file.to_str().unwrap()) && err.contains("line 3"), "{err}");
    }
    assert!(world.refused(&["propose", "nothing"]).contains("'nothing' not found"));
    let (code, out, err) = world.run(&["knowledge", "list"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains("no items") && err.contains("broken.md: line 3"), "{err}");
    let failures = &world.told(&["list"])["failures"];
    assert_eq!(failures[0]["file"], file.to_str().unwrap());
}
