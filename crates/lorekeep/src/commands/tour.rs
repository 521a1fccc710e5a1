//! `lorekeep tour`: what Lorekeep does, played by this very program on a scratch store.

mod steps;

use std::io::{BufRead, IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use anyhow::{Context, Result, bail};

use crate::cli::everyday::TourArgs;
use crate::output::{self, GOOD, STRONG, styled};
use steps::{FILES, STEPS};

/// What stands in a step for the id that the step before it printed.
const ID: &str = "{id}";

/// Variables that a child keeps; all others are the tour's own or not there.
const KEPT: [&str; 3] = ["PATH", "TMPDIR", "LANG"];

/// A home of its own, with a store and a project.
struct Stage {
    _dir: tempfile::TempDir,
    home: PathBuf,
    program: PathBuf,
}

pub(crate) fn run(args: &TourArgs) -> Result<ExitCode> {
    let stage = Stage::set()?;
    let pauses = !args.no_pause && stdin().is_terminal();
    let mut id = String::new();
    for (number, step) in STEPS.iter().enumerate() {
        if number > 0 && pauses {
            pause()?;
        }
        output::line(styled(GOOD, format!("# {}", step.says)));
        for (at, words) in (1..).zip(step.commands) {
            let words: Vec<String> = words.iter().map(|word| word.replace(ID, &id)).collect();
            output::line(styled(STRONG, format!("$ lorekeep {}", typed(&words))));
            let out = stage.play(&words)?;
            let told = stage.told(&out);
            output::line(told.trim_end());
            let wanted = if at == step.commands.len() { step.code } else { 0 };
            check(&words, &out, wanted)?;
            if let Some(first) = told.split_whitespace().next() {
                id = first.to_owned();
            }
        }
        output::line("");
    }
    output::line("This was a scratch store; nothing of yours was touched.");
    output::line("`lorekeep add TEXT` begins your own, `lorekeep help` lists what there is.");
    Ok(ExitCode::SUCCESS)
}

fn pause() -> Result<()> {
    output::note("(Enter goes on, Ctrl-C ends)");
    stdin().lock().read_line(&mut String::new())?;
    Ok(())
}

/// Refuses to go on where a command ends otherwise than the tour tells.
fn check(words: &[String], out: &Output, wanted: i32) -> Result<()> {
    match out.status.code() {
        Some(code) if code == wanted => Ok(()),
        code => bail!("`lorekeep {}` ended with {code:?} instead of {wanted}", typed(words)),
    }
}

impl Stage {
    fn set() -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("lorekeep-tour-").tempdir()?;
        let home = dir.path().canonicalize()?;
        let stage = Self { _dir: dir, home, program: std::env::current_exe()? };
        let project = stage.project();
        for (path, text) in FILES {
            let path = project.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&project))?;
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        // Without git the folder itself is the project.
        let _ = stage.child(Path::new("git")).args(["init", "-q"]).output();
        Ok(stage)
    }

    fn project(&self) -> PathBuf {
        self.home.join("shop")
    }

    /// A program in the project that sees nothing of the person's own.
    fn child(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project()).env_clear();
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let none = "/dev/null";
        for (name, value) in [
            ("USER", "ada"),
            ("GIT_AUTHOR_NAME", "ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.com"),
            ("GIT_COMMITTER_NAME", "ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.com"),
            ("GIT_CONFIG_GLOBAL", none),
            ("GIT_CONFIG_SYSTEM", none),
        ] {
            command.env(name, value);
        }
        command.env("HOME", &self.home).env("LOREKEEP_DATA_DIR", self.home.join("lore"));
        command.env("XDG_CONFIG_HOME", self.home.join("config"));
        command
    }

    fn play(&self, words: &[String]) -> Result<Output> {
        let mut command = self.child(&self.program);
        command.args(words).output().with_context(|| self.program.display().to_string())
    }

    /// What a child said, with its home as people write it.
    fn told(&self, out: &Output) -> String {
        let said = [&out.stdout, &out.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        said.concat().replace(&self.home.display().to_string(), "~")
    }
}

/// Words as they are typed into a shell.
fn typed(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    let quoted = words.iter().map(|word| match word.chars().all(is_plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{word}'"),
    });
    quoted.collect::<Vec<_>>().join(" ")
}
