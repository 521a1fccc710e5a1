//! The table of escapes: how the scene is set, which path is asked for, and what reading, writing and
//! editing answer.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use engine::ErrorKind::{self, Forbidden, InvalidValue, NotFound};
use engine::ports::Workspace;

use super::*;

/// What a verb answers.
type Answer = Result<(), ErrorKind>;

const FINE: Answer = Ok(());
const OUTSIDE: Answer = Err(Forbidden);
const REFUSED: Answer = Err(InvalidValue);
const MISSING: Answer = Err(NotFound);

struct Row {
    name: &'static str,
    set: fn(&Scene),
    path: &'static str,
    read: Answer,
    write: Answer,
    edit: Answer,
}

const fn row(name: &'static str, set: fn(&Scene), path: &'static str, all: Answer) -> Row {
    Row { name, set, path, read: all, write: all, edit: all }
}

const fn nothing(_: &Scene) {}

fn fifo(scene: &Scene) {
    let made = std::process::Command::new("mkfifo").arg(scene.path("root/x")).status().unwrap();
    assert!(made.success());
}

fn socket(scene: &Scene) {
    std::os::unix::net::UnixListener::bind(scene.path("root/x")).unwrap();
}

fn loops(scene: &Scene) {
    scene.link("root/x", "y");
    scene.link("root/y", "x");
}

fn long_chain(scene: &Scene) {
    scene.link("root/l0", "a.txt");
    for number in 1..100 {
        scene.link(&format!("root/l{number}"), &format!("l{}", number - 1));
    }
}

fn chain_out(scene: &Scene) {
    scene.link("root/x", "sub/y");
    scene.link("root/sub/y", "{dir}/root/z");
    scene.link("root/z", "../outside/secret.txt");
}

fn chain_in(scene: &Scene) {
    scene.link("root/x", "sub/y");
    scene.link("root/sub/y", "{dir}/root/z");
    scene.link("root/z", "../root/sub/../a.txt");
}

fn hard_link(scene: &Scene) {
    fs::hard_link(scene.path("outside/secret.txt"), scene.path("root/x")).unwrap();
}

fn not_utf_8(scene: &Scene) {
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(scene.path("root").join(name), INSIDE).unwrap();
    std::os::unix::fs::symlink(name, scene.path("root/x")).unwrap();
}

fn read_only(scene: &Scene) {
    let mode = fs::Permissions::from_mode(0o444);
    fs::set_permissions(scene.path("root/a.txt"), mode).unwrap();
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    row("a file", nothing, "a.txt", FINE),
    row("an absolute path", nothing, "{dir}/root/a.txt", FINE),
    row("a dot", nothing, "./sub/./b.txt", FINE),
    row("up and down again inside", nothing, "sub/../a.txt", FINE),
    row("up and down again outside", nothing, "../root/a.txt", FINE),
    Row { write: FINE, ..row("up from what is missing", nothing, "missing/../a.txt", MISSING) },
    row("up", nothing, "..", OUTSIDE),
    row("up to a file", nothing, "../outside/secret.txt", OUTSIDE),
    row("up after down", nothing, "sub/../../outside/secret.txt", OUTSIDE),
    row("up after what is missing", nothing, "missing/../../outside/secret.txt", OUTSIDE),
    row("far up", nothing, "../../../../../../../../../../../../etc/passwd", OUTSIDE),
    row("an absolute path outside", nothing, "{dir}/outside/secret.txt", OUTSIDE),
    row("a path of the system", nothing, "/etc/passwd", OUTSIDE),
    row("a folder whose name begins as the root's", nothing, "{dir}/rootless/x", OUTSIDE),
    row("an absolute path up", nothing, "{dir}/root/../outside/secret.txt", OUTSIDE),
    row("a link to a file", |s| s.link("root/x", "../outside/secret.txt"), "x", OUTSIDE),
    row("an absolute link to a file", |s| s.link("root/x", "{dir}/outside/secret.txt"), "x", OUTSIDE),
    row("a link to a folder", |s| s.link("root/x", "../outside"), "x/secret.txt", OUTSIDE),
    row("an absolute link to a folder", |s| s.link("root/x", "{dir}/outside"), "x/secret.txt", OUTSIDE),
    row("a new file behind a link", |s| s.link("root/x", "../outside"), "x/new.txt", OUTSIDE),
    row("a new folder behind a link", |s| s.link("root/x", "../outside"), "x/new/new.txt", OUTSIDE),
    row("a link to what is missing outside", |s| s.link("root/x", "../outside/new.txt"), "x", OUTSIDE),
    row("a chain of links out", chain_out, "x", OUTSIDE),
    row("a link up out of a link", |s| s.link("root/x", "{dir}/outside/sub"), "x/../secret.txt", OUTSIDE),
    row("a chain of links that stays", chain_in, "x", FINE),
    row("a chain of links without end", long_chain, "l99", REFUSED),
    row("links in a circle", loops, "x", REFUSED),
    row("folders in a circle", loops, "x/a.txt", REFUSED),
    row("a link to itself", |s| s.link("root/x", "x"), "x", REFUSED),
    row("an absolute link inside", |s| s.link("root/x", "{dir}/root/a.txt"), "x", FINE),
    row("a relative link inside", |s| s.link("root/x", "sub/b.txt"), "x", FINE),
    row("a link to a folder inside", |s| s.link("root/x", "sub"), "x/b.txt", FINE),
    row("an absolute link to a folder inside", |s| s.link("root/x", "{dir}/root/sub"), "x/b.txt", FINE),
    row("up out of a link is up from its target", |s| s.link("root/x", "sub"), "x/../a.txt", FINE),
    row("a link to the root", |s| s.link("root/x", "."), "x/x/x/a.txt", FINE),
    row("a link from outside to the root", |s| s.link("outside/in", "../root"), "{dir}/outside/in/a.txt", FINE),
    Row { write: FINE, ..row("a link to what is missing inside", |s| s.link("root/x", "sub/new.txt"), "x", MISSING) },
    row("a hard link to a file outside", hard_link, "x", FINE),
    row("the environment", nothing, "/proc/self/environ", OUTSIDE),
    row("the magic root", nothing, "/proc/self/root/etc/passwd", OUTSIDE),
    row("a magic folder", nothing, "/proc/self/cwd/../x", OUTSIDE),
    row("a magic descriptor", nothing, "/proc/self/fd/0", OUTSIDE),
    row("a link to the environment", |s| s.link("root/x", "/proc/self/environ"), "x", OUTSIDE),
    row("a link to the magic root", |s| s.link("root/x", "/proc/self/root"), "x/etc/passwd", OUTSIDE),
    row("an endless device", nothing, "/dev/zero", OUTSIDE),
    row("the standard input", nothing, "/dev/stdin", OUTSIDE),
    row("a link to an endless device", |s| s.link("root/x", "/dev/zero"), "x", OUTSIDE),
    row("a pipe", fifo, "x", REFUSED),
    row("a socket", socket, "x", REFUSED),
    row("a folder", nothing, "sub", REFUSED),
    row("a folder with a slash", nothing, "sub/", REFUSED),
    row("a file with a slash", nothing, "a.txt/", REFUSED),
    row("a new file with a slash", nothing, "new/", REFUSED),
    row("a link to a folder itself", |s| s.link("root/x", "sub"), "x", REFUSED),
    row("the root", nothing, ".", REFUSED),
    row("the absolute root", nothing, "{dir}/root", REFUSED),
    row("nothing", nothing, "", REFUSED),
    row("below a file", nothing, "a.txt/x", REFUSED),
    row("below a file and up", nothing, "a.txt/../sub/b.txt", REFUSED),
    row("a NUL", nothing, "a.txt\0", REFUSED),
    row("a name that is too long", nothing, LONG, REFUSED),
    row("a line feed in a name", |s| fs::write(s.path("root/a\nb"), INSIDE).unwrap(), "a\nb", FINE),
    row("control characters in a name", |s| fs::write(s.path("root/\x1b[31m"), INSIDE).unwrap(), "\x1b[31m", FINE),
    row("a name that is no UTF-8 behind a link", not_utf_8, "x", FINE),
    Row { write: FINE, ..row("missing beside a name that is no UTF-8", not_utf_8, "cafe.txt", MISSING) },
    row("a second root", nothing, "{dir}/second/c.txt", FINE),
    row("up to a second root", nothing, "../second/c.txt", FINE),
    row("a link to a second root", |s| s.link("root/x", "{dir}/second"), "x/c.txt", FINE),
    Row { write: FINE, ..row("a missing file", nothing, "new.txt", MISSING) },
    Row { write: FINE, ..row("a missing folder", nothing, "new/and/newer.txt", MISSING) },
    Row { read: FINE, ..row("a file that is read-only", read_only, "a.txt", Err(Forbidden)) },
];

const LONG: &str = match std::str::from_utf8(&[b'x'; 300]) {
    Ok(long) => long,
    Err(_) => "",
};

/// Rows that read what somebody outside wrote: who made the hard link could read it already.
const READS_SECRET: [&str; 1] = ["a hard link to a file outside"];

/// Sets the scene of each row, does it, and holds the answer against the row.
fn each(verb: &str, expected: fn(&Row) -> Answer, does: fn(&Scene, &str, &Row) -> Result<()>) {
    let mut findings = Vec::new();
    for row in TABLE {
        let scene = Scene::new();
        (row.set)(&scene);
        let (path, before) = (scene.fill(row.path), scene.outside());
        let answer = does(&scene, &path, row);
        let kind = answer.clone().map_err(|why| why.kind);
        if kind != expected(row) {
            findings.push(format!("{verb} {}: {answer:?}, not {:?}", row.name, expected(row)));
        }
        if let Err(why) = answer
            && !path.contains(char::is_control)
            && !why.message.contains(&path)
        {
            findings.push(format!("{verb} {}: {} names no path", row.name, why.message));
        }
        if before != scene.outside() {
            findings.push(format!("{verb} {}: something outside was touched", row.name));
        }
        findings.extend(scene.left_behind().iter().map(|left| format!("{}: {left:?}", row.name)));
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn nothing_outside_is_read() {
    each(
        "reading",
        |row| row.read,
        |scene, path, row| {
            let page = scene.read(path)?;
            let text = if READS_SECRET.contains(&row.name) { "1\tSECRET" } else { "1\tinside" };
            assert_eq!(page.text, text, "{}", row.name);
            Ok(())
        },
    );
}

#[test]
fn nothing_outside_is_written() {
    each(
        "writing",
        |row| row.write,
        |scene, path, row| {
            let is_link = |path: &str| scene.path("root").join(path).is_symlink();
            let was_link = is_link(path.trim_end_matches('\0'));
            let written = scene.write(path, "new")?;
            assert_eq!(fs::read_to_string(&written.path).unwrap(), "new", "{}", row.name);
            assert_eq!(is_link(path), was_link, "{}: a link stays", row.name);
            Ok(())
        },
    );
}

#[test]
fn nothing_outside_is_edited() {
    each(
        "editing",
        |row| row.edit,
        |scene, path, row| {
            let old = if READS_SECRET.contains(&row.name) { "SECRET" } else { "inside" };
            let edited = scene.edit(path, old, "edited")?;
            assert_eq!(fs::read_to_string(&edited.path).unwrap(), "edited\n", "{}", row.name);
            Ok(())
        },
    );
}

#[test]
fn a_root_may_be_a_link() {
    let scene = Scene::with(&["link"]);
    scene.link("link", "root");
    for path in ["a.txt", "{dir}/link/a.txt", "{dir}/root/a.txt", "../root/a.txt"] {
        assert_eq!(scene.read(&scene.fill(path)).unwrap().text, "1\tinside", "{path}");
    }
    assert!(scene.read("../outside/secret.txt").is_err());
    assert_eq!(scene.write("new.txt", "x").unwrap().path, scene.path("root/new.txt"));
}

#[test]
fn the_roots_of_the_caller_come_before_ours() {
    let mut scene = Scene::new();
    scene.caller.roots = vec![scene.path("second")];
    assert_eq!(scene.read("c.txt").unwrap().text, "1\tinside");
    let error = scene.read(&scene.fill("{dir}/root/a.txt")).unwrap_err();
    let expected = "{dir}/root/a.txt is outside the allowed folders: {dir}/second; start the server \
                    with --root DIR to allow another";
    assert_eq!((error.kind, error.message), (Forbidden, scene.fill(expected)));
}

#[test]
fn roots_that_are_missing_or_none_are_named() {
    let scene = Scene::with(&["gone", "root"]);
    let error = scene.read("a.txt").unwrap_err();
    assert!(error.message.contains(&scene.fill("the folder {dir}/gone: ")), "{error}");
    assert!(scene.read(&scene.fill("{dir}/root/a.txt")).is_ok());
    let error = Scene::with(&[]).read("a.txt").unwrap_err();
    assert!(error.message.starts_with("a.txt is refused: no folder is allowed; start"), "{error}");
}

#[test]
fn everything_may_be_allowed_and_still_only_files_are_read() {
    let mut scene = Scene::new();
    scene.caller.roots = vec!["/".into()];
    assert_eq!(scene.read(&scene.fill("{dir}/outside/a.txt")).unwrap().text, "1\tSECRET");
    for device in ["/dev/zero", "/dev/null"] {
        assert!(
            scene.read(device).unwrap_err().message.contains("is a device, not a regular file")
        );
    }
}

#[test]
fn what_is_missing_is_named_with_what_is_near() {
    let scene = Scene::new();
    for name in ["config.json", "config.toml", "Readme.md"] {
        fs::write(scene.path("root").join(name), "").unwrap();
    }
    not_utf_8(&scene);
    let said = |path: &str| scene.read(path).unwrap_err().message;
    assert_eq!(
        said("config.yml"),
        "File not found: config.yml; did you mean \"config.json\", \"config.toml\"?"
    );
    assert_eq!(said("README.md"), "File not found: README.md; did you mean \"Readme.md\"?");
    assert_eq!(
        said("sup/deep/b.txt"),
        scene.fill("File not found: sup/deep/b.txt; there is no \"sup\" in {dir}/root; did you mean \"sub\"?")
    );
    assert_eq!(said("sub/zebra"), "File not found: sub/zebra");
    assert!(!said("../outside/secret.tx").contains("did you mean"));
}

#[test]
fn the_stores_own_files_are_opened_by_no_tool() {
    let scene = Scene::new();
    let workspace = LocalWorkspace::new(vec![scene.dir.clone()]).without(scene.dir.join("second"));
    std::os::unix::fs::symlink("second", scene.dir.join("link")).unwrap();
    for path in ["second/c.txt", "root/../second/c.txt", "link/c.txt", "second/new.txt"] {
        let error = workspace.open(&[], path).err().unwrap();
        assert_eq!(error.kind, engine::ErrorKind::Forbidden, "{path}");
        let error = workspace.replace(&[], path, b"x", None).unwrap_err();
        assert_eq!(error.kind, engine::ErrorKind::Forbidden, "{path}");
    }
    assert!(workspace.open(&[], "root/a.txt").is_ok());
    assert_eq!(std::fs::read_to_string(scene.dir.join("second/c.txt")).unwrap(), INSIDE);
}
