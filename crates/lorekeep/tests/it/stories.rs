//! Every story in `stories/`, told in process, over stdio and over HTTP.

use std::path::Path;

use serde_json::Value;
use tools::Reply;
use tools::testing::{Bench, Captures, Directive, Speaker, play};

use crate::support::Stdio1;
use crate::web::Http;

fn stories() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stories");
    let mut stories: Vec<_> = std::fs::read_dir(dir)
        .expect("the stories")
        .map(|entry| entry.expect("a story").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "story"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("text")))
        .collect();
    stories.sort();
    assert!(!stories.is_empty());
    stories
}

/// A server process on a scratch store, which a directive starts anew.
struct Remote<T> {
    dir: tempfile::TempDir,
    client: T,
    start: fn(&Path, &[String]) -> T,
}

impl<T> Remote<T> {
    fn new(start: fn(&Path, &[String]) -> T) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let client = start(dir.path(), &[]);
        Self { dir, client, start }
    }

    fn restart(&mut self, directive: &Directive) {
        if directive.write_file(self.dir.path()) {
            return;
        }
        let options: Vec<String> = match directive {
            Directive::Caller(caller) => {
                let ids = model::Layer::ALL.into_iter().filter_map(|layer| {
                    let id = caller.identity.id(layer)?;
                    Some(["--identity".to_owned(), format!("{}={}", layer.name(), id.as_str())])
                });
                let role = ["--role".to_owned(), caller.role.name().to_owned()];
                ids.flatten().chain(role).collect()
            }
            Directive::Limits(limits) => {
                self.dir = tempfile::tempdir().expect("a directory");
                let named = [
                    ("notes-core", limits.notes_core_max),
                    ("notes-learning", limits.notes_learning_max),
                    ("notes-task", limits.notes_task_max),
                    ("event-days", limits.event_days),
                ];
                named
                    .iter()
                    .flat_map(|(name, max)| ["--limit".to_owned(), format!("{name}={max}")])
                    .collect()
            }
            Directive::Trust(trust) => {
                self.dir = tempfile::tempdir().expect("a directory");
                vec!["--trust".to_owned(), trust.name().to_owned()]
            }
            Directive::File(..) => return,
        };
        self.client = (self.start)(self.dir.path(), &options);
    }
}

fn start_stdio(dir: &Path, options: &[String]) -> Stdio1 {
    let all = ["--toolsets", "all"].into_iter().chain(options.iter().map(String::as_str));
    Stdio1::start(dir, &all.collect::<Vec<_>>())
}

impl Speaker for Remote<Stdio1> {
    fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        self.client.call(tool, arguments)
    }

    fn direct(&mut self, directive: &Directive) {
        self.restart(directive);
    }
}

impl Speaker for Remote<Http> {
    fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        self.client.call(tool, &arguments)
    }

    fn direct(&mut self, directive: &Directive) {
        self.restart(directive);
    }
}

fn start_http(dir: &Path, options: &[String]) -> Http {
    let all = ["--toolsets", "all"].into_iter().chain(options.iter().map(String::as_str));
    Http::start(dir, &all.collect::<Vec<_>>())
}

#[test]
fn stories_in_process() {
    for (name, story) in stories() {
        eprintln!("{name}");
        Bench::new().run(&story);
    }
}

#[test]
fn stories_over_stdio() {
    for (name, story) in stories() {
        eprintln!("{name}");
        play(&story, &mut Remote::new(start_stdio), &mut Captures::default());
    }
}

#[test]
fn stories_over_http() {
    for (name, story) in stories() {
        eprintln!("{name}");
        play(&story, &mut Remote::new(start_http), &mut Captures::default());
    }
}
