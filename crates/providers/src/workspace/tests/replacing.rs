//! How a file is replaced: at once, with its mode, and only if it is still what it was.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use engine::ErrorKind;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn the_mode_and_the_owner_stay_and_new_files_have_the_usual_one() {
    let scene = Scene::new();
    for wanted in [0o600, 0o755, 0o644, 0o640] {
        let path = scene.path("root/a.txt");
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        let before = fs::metadata(&path).unwrap();
        scene.write("a.txt", "x").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(mode(&path), wanted);
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
        assert_ne!(before.ino(), after.ino(), "it is a new file");
    }
    fs::write(scene.path("root/usual.txt"), "").unwrap();
    fs::create_dir(scene.path("root/usual")).unwrap();
    scene.write("new/new.txt", "").unwrap();
    assert_eq!(mode(&scene.path("root/new/new.txt")), mode(&scene.path("root/usual.txt")));
    assert_eq!(mode(&scene.path("root/new")), mode(&scene.path("root/usual")));
}

#[test]
fn a_file_behind_a_link_is_replaced_and_the_link_stays() {
    let scene = Scene::new();
    scene.link("root/x", "sub/b.txt");
    scene.link("root/y", "sub/new/deep.txt");
    assert_eq!(scene.write("x", "one").unwrap().path, scene.path("root/sub/b.txt"));
    assert_eq!(scene.write("y", "two").unwrap().path, scene.path("root/sub/new/deep.txt"));
    assert_eq!(scene.text("root/sub/b.txt"), "one");
    assert_eq!(scene.text("root/sub/new/deep.txt"), "two");
    assert!(scene.path("root/x").is_symlink() && scene.path("root/y").is_symlink());
}

#[test]
fn a_hard_link_is_cut_and_the_other_file_stays() {
    let scene = Scene::new();
    fs::hard_link(scene.path("outside/secret.txt"), scene.path("root/x")).unwrap();
    scene.write("x", "mine").unwrap();
    assert_eq!(scene.text("root/x"), "mine");
    assert_eq!(scene.text("outside/secret.txt"), SECRET);
}

#[test]
fn what_changed_meanwhile_is_not_replaced() {
    use engine::ports::Workspace;
    let scene = Scene::new();
    let workspace = LocalWorkspace::new(vec![scene.path("root")]);
    let stamp = workspace.open(&[], "a.txt").unwrap().stamp;
    let replace = |text: &str| workspace.replace(&[], "a.txt", text.as_bytes(), Some(stamp));
    fs::write(scene.path("root/a.txt"), "somebody else's").unwrap();
    let error = replace("mine").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert_eq!(error.message, "a.txt changed meanwhile; read it again");
    fs::remove_file(scene.path("root/a.txt")).unwrap();
    assert_eq!(replace("mine").unwrap_err().kind, ErrorKind::Conflict);
    assert!(!scene.path("root/a.txt").exists());
    assert!(scene.left_behind().is_empty());
}

#[test]
fn of_edits_at_once_none_is_lost() {
    const WRITERS: usize = 4;
    const EDITS: usize = 10;
    let scene = Scene::new();
    let marks = |writer| (0..EDITS).map(move |number| format!("[{writer}.{number}]"));
    scene.write("a.txt", &(0..WRITERS).flat_map(marks).collect::<String>()).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let scene = &scene;
            scope.spawn(move || {
                for mark in marks(writer) {
                    let done = mark.replace(['[', ']'], "|");
                    loop {
                        match scene.edit("a.txt", &mark, &done) {
                            Ok(_) => break,
                            Err(why) => assert_eq!(why.kind, ErrorKind::Conflict, "{why}"),
                        }
                    }
                }
            });
        }
    });
    let text = scene.text("root/a.txt");
    assert!(!text.contains('['), "{text}");
    assert_eq!(text.matches('|').count(), 2 * WRITERS * EDITS);
    assert!(scene.left_behind().is_empty());
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let scene = Scene::new();
    let text = |number: usize| format!("{number}\n").repeat(5_000);
    scene.write("a.txt", &text(0)).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 1..30 {
                scene.write("a.txt", &text(number)).unwrap();
            }
        });
        while !writer.is_finished() {
            let page = scene.read("a.txt").unwrap();
            assert_eq!(page.read_lines, 5_000);
            let said = |row: &str| row.split('\t').nth(1).unwrap().to_owned();
            let first = page.text.lines().next().map(said).unwrap();
            assert!(page.text.lines().all(|row| said(row) == first));
        }
    });
}
