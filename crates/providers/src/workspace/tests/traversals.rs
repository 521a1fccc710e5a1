//! Paths put together of all ways to begin, to go up, to part names and to end: none reads, writes or
//! indexes what lies outside the roots.

use engine::document;
use engine::scope;

use super::*;

const STARTS: [&str; 13] = [
    "",
    "./",
    "/",
    "sub/",
    "sub//./",
    "missing/",
    "a.txt/",
    "down/",
    "around/",
    "out/",
    "far/",
    "{dir}/root/",
    "{dir}/second/",
];

/// Two dots, as they are and as somebody might take for them.
const UPS: [&str; 14] = [
    "..",
    ".. ",
    " ..",
    "...",
    "..;",
    "..\0",
    "%2e%2e",
    "%252e%252e",
    "..%00",
    "%c0%ae%c0%ae",
    "\u{ff0e}\u{ff0e}",
    "\u{2024}\u{2024}",
    ".\u{200b}.",
    "\u{202e}..",
];

const SEPARATORS: [&str; 8] = ["/", "//", "/./", "\\", "%2f", "%5c", "\u{2215}", "\u{ff0f}"];

const DEPTHS: [usize; 4] = [0, 1, 2, 12];

const TAILS: [&str; 7] = [
    "outside/secret.txt",
    "a.txt",
    "secret.txt",
    "sub/b.txt",
    "root/a.txt",
    "etc/passwd",
    "{dir}/outside/secret.txt",
];

const ENDS: [&str; 4] = ["", "/", "/..", "\0.txt"];

/// A scene with links of every kind in its root.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.link("root/down", "sub");
    scene.link("root/around", ".");
    scene.link("root/out", "../outside");
    scene.link("root/far", "{dir}/outside/sub");
    scene
}

/// Every path, each once.
fn paths(scene: &Scene) -> Vec<String> {
    let mut all = Vec::new();
    for start in STARTS {
        for up in UPS {
            for separator in SEPARATORS {
                for depth in DEPTHS {
                    for tail in TAILS {
                        for end in ENDS {
                            let ups = format!("{up}{separator}").repeat(depth);
                            all.push(scene.fill(&format!("{start}{ups}{tail}{end}")));
                        }
                    }
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn no_path_reads_what_is_outside() {
    let scene = scene();
    let (paths, mut inside) = (paths(&scene), 0);
    for path in &paths {
        if let Ok(page) = scene.read(path) {
            assert_eq!(page.text, "1\tinside", "{path:?}");
            inside += 1;
        }
    }
    assert!(paths.len() > 100_000 && inside >= 30, "{inside} of {} read", paths.len());
}

#[test]
fn no_path_writes_or_edits_what_is_outside() {
    // A write waits for the disk, so that not all are affordable.
    const EVERY: usize = 211;
    let scene = scene();
    let (before, mut done) = (scene.outside(), 0);
    let beside = || {
        let mut names: Vec<_> = fs::read_dir(&scene.dir).unwrap().flatten().collect();
        names.sort_by_key(|entry| entry.file_name());
        names.into_iter().map(|entry| entry.file_name()).collect::<Vec<_>>()
    };
    let there = beside();
    for path in paths(&scene).iter().step_by(EVERY) {
        if let Ok(written) = scene.write(path, "inside\n") {
            let is_inside =
                ["root", "second"].iter().any(|r| written.path.starts_with(scene.path(r)));
            assert!(is_inside, "{path:?}: {}", written.path.display());
            done += 1;
        }
        assert!(scene.edit(path, "SECRET", "edited").is_err(), "{path:?}");
    }
    assert!(before == scene.outside() && there == beside(), "something outside was touched");
    assert_eq!(scene.left_behind(), Vec::<PathBuf>::new());
    assert!(done > 20, "{done} written");
}

#[test]
fn no_path_indexes_what_is_outside() {
    const EVERY: usize = 7;
    let scene = scene();
    let namespace = scope::named(&scene.engine, &scene.caller, "default").unwrap();
    let (root, mut inside) = (scene.path("root"), 0);
    for path in paths(&scene).iter().step_by(EVERY) {
        let path = match path.starts_with('/') {
            true => path.clone(),
            false => format!("{}/{path}", root.display()),
        };
        let indexed = document::index_file(&scene.engine, &scene.caller, &path, &namespace);
        if let Ok(file) = indexed {
            let found = PathBuf::from(&file.path);
            let is_inside = ["root", "second"].iter().any(|r| found.starts_with(scene.path(r)));
            assert!(is_inside, "{path:?}: {}", file.path);
            inside += 1;
        }
    }
    assert!(inside >= 5, "{inside} indexed");
    let folder = |path: &Path| {
        let path = path.to_str().unwrap();
        let bounds = document::Bounds::CALL;
        let folder = document::Folder { path, recursive: true, scope: &namespace, bounds };
        document::index_folder(&scene.engine, &scene.caller, folder, &mut |_| true)
    };
    for outside in ["outside", "", "root/out", "root/far", "root/../outside"] {
        let error = folder(&scene.path(outside)).unwrap_err();
        assert_eq!(error.kind, engine::ErrorKind::Forbidden, "{outside}: {error}");
        assert!(error.message.contains("--root DIR"), "{error}");
    }
}
