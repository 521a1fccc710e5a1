//! Links swapped in while a call is at work: never a byte from outside, never a byte to it.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::ErrorKind;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

/// How often it is read, and written.
const READS: usize = 5_000;
const WRITES: usize = 2_000;

/// Does `work` so many times, while `swap` is done over and over.
fn while_swapping(swap: impl Fn() + Sync, times: usize, mut work: impl FnMut(usize)) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                swap();
            }
        });
        let over = scopeguard(&is_over);
        (0..times).for_each(&mut work);
        drop(over);
    });
}

/// Ends the swapping, also when a test fails.
fn scopeguard(is_over: &AtomicBool) -> impl Drop + '_ {
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    Over(is_over)
}

/// Puts a link to the folder outside in the place of `root/sub`, and back.
fn swap_folder(scene: &Scene) -> impl Fn() + Sync {
    scene.link("root/link", "{dir}/outside/sub");
    let (folder, link) = (scene.path("root/sub"), scene.path("root/link"));
    move || renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap()
}

/// Puts a link to a file outside in the place of `root/a.txt`, and a file again.
fn swap_file(scene: &Scene) -> impl Fn() + Sync {
    let (file, other) = (scene.path("root/a.txt"), scene.path("root/other"));
    let secret = scene.path("outside/a.txt");
    move || {
        std::os::unix::fs::symlink(&secret, &other).unwrap();
        fs::rename(&other, &file).unwrap();
        fs::write(&other, INSIDE).unwrap();
        fs::rename(&other, &file).unwrap();
    }
}

/// What may come of a call, beside success.
fn is_fair(why: &engine::Error) {
    let fair = [ErrorKind::Forbidden, ErrorKind::Conflict, ErrorKind::NotFound];
    assert!(fair.contains(&why.kind), "{:?} {why}", why.kind);
}

#[test]
fn a_folder_swapped_for_a_link_is_never_read_through() {
    let scene = Scene::new();
    while_swapping(swap_folder(&scene), READS, |_| match scene.read("sub/b.txt") {
        Ok(page) => assert_eq!(page.text, "1\tinside"),
        Err(why) => is_fair(&why),
    });
}

#[test]
fn a_file_swapped_for_a_link_is_never_read_through() {
    let scene = Scene::new();
    while_swapping(swap_file(&scene), READS, |_| match scene.read("a.txt") {
        Ok(page) => assert_eq!(page.text, "1\tinside"),
        Err(why) => is_fair(&why),
    });
}

#[test]
fn a_folder_swapped_for_a_link_is_never_written_through() {
    let scene = Scene::new();
    let before = scene.outside();
    while_swapping(swap_folder(&scene), WRITES, |number| {
        let path = match number % 3 {
            0 => "sub/b.txt".to_owned(),
            1 => format!("sub/new-{number}.txt"),
            _ => format!("sub/new-{number}/deep/b.txt"),
        };
        if let Err(why) = scene.write(&path, "written") {
            is_fair(&why);
        }
    });
    assert_eq!(scene.outside(), before);
    assert!(scene.left_behind().is_empty());
}

#[test]
fn a_file_swapped_for_a_link_is_never_written_through() {
    let scene = Scene::new();
    let before = scene.outside();
    while_swapping(swap_file(&scene), WRITES, |number| {
        let done = match number % 2 {
            0 => scene.write("a.txt", INSIDE).map(|_| ()),
            _ => scene.edit("a.txt", "inside", "inside, edited").map(|_| ()),
        };
        if let Err(why) = done.as_ref().map_err(|why| (why.kind, why)) {
            // An edit may meet the edit before it.
            assert_ne!(why.0, ErrorKind::Outside, "{}", why.1);
        }
    });
    assert_eq!(scene.outside(), before);
    assert!(scene.left_behind().is_empty());
}

#[test]
fn the_root_swapped_for_a_link_is_one_or_the_other() {
    let scene = Scene::with(&["root/sub"]);
    // Who can swap a root decides what the root is; a call sees one of them from end to end.
    while_swapping(swap_folder(&scene), READS, |_| match scene.read("b.txt") {
        Ok(page) => assert!(["1\tinside", "1\tSECRET"].contains(&page.text.as_str())),
        Err(why) => is_fair(&why),
    });
}
