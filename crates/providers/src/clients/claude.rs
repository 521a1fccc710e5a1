//! Claude Code's own commands: its file is written by itself all the time, so that it is asked to
//! change it.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::NAME;
use super::edit::jsonc::Jsonc;
use super::edit::value::Step;

/// How long it may take.
const TIME_MAX: Duration = Duration::from_secs(30);
/// How often we look whether it is done.
const LOOK: Duration = Duration::from_millis(20);

/// The arguments that add the entry which `text`, its file, should have.
pub fn adding(text: &str) -> Option<Vec<String>> {
    let entry = entry(text)?.to_string();
    Some(["mcp", "add-json", "-s", "user", NAME, &entry].map(str::to_owned).to_vec())
}

/// The arguments that remove our entry.
pub fn removing() -> Vec<String> {
    ["mcp", "remove", "-s", "user", NAME].map(str::to_owned).to_vec()
}

/// Whether its file has an entry of our name.
pub fn has_entry(text: &str) -> bool {
    entry(text).is_some()
}

fn entry(text: &str) -> Option<Value> {
    Jsonc::read(text).ok()?.get(&[Step::Key("mcpServers"), Step::Key(NAME)])
}

/// Runs it; an error is what it said.
pub fn run(program: &Path, arguments: &[String]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let quiet = [("DISABLE_AUTOUPDATER", "1"), ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")];
    let mut child = command.envs(quiet).spawn().map_err(|error| error.to_string())?;
    let until = Instant::now() + TIME_MAX;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err(said(&mut child)),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            Ok(None) => {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took longer than {} s", TIME_MAX.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn said(child: &mut Child) -> String {
    let mut text = Vec::new();
    let read = child.stderr.take().map(|pipe| pipe.take(2_000).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    match read {
        Some(Ok(_)) if !text.is_empty() => text,
        _ => "it failed without a word".to_owned(),
    }
}
