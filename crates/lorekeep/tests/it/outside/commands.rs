//! Commands through the real server.

use std::path::Path;

use serde_json::{Value, json};

use super::call;
use crate::support::{Stdio1, lorekeep, reply};

fn start(dir: &Path, options: &[&str]) -> Stdio1 {
    let root = dir.join("root");
    std::fs::create_dir_all(&root).unwrap();
    let mut command = lorekeep(dir);
    command.env("BRAVE_API_KEY", "s3cret-brave").env("MY_TOKEN", "s3cret-token");
    command.args(["serve", "--toolsets", "gromozeka", "--root"]).arg(&root).args(options);
    let mut client = Stdio1::start_command(command);
    client.open(json!({}));
    client
}

fn execute(command: &str, seconds: u64) -> Value {
    json!({"name": "grz_execute_command",
           "arguments": {"command": command, "timeout_seconds": seconds}})
}

#[test]
fn without_leave_a_command_is_refused_with_how_to_give_it() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = json!({"command": "touch here"}).to_string();
    let (code, out, _) = call(dir.path(), &[], "grz_execute_command", &arguments);
    assert_eq!(code, 1);
    assert!(out.contains("--allow-commands"), "{out}");
}

#[test]
fn a_command_runs_in_its_root_without_the_servers_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path(), &["--allow-commands"]);
    let ran =
        client.call("grz_execute_command", json!({"command": "pwd; env; echo oops >&2; exit 3"}));
    let output = ran.value["output"].as_str().unwrap();
    assert_eq!(ran.value["exit_code"], 3, "{output}");
    let root = dir.path().join("root").canonicalize().unwrap();
    assert!(output.starts_with(&format!("{}\n", root.display())), "{output}");
    assert!(output.ends_with("oops\n") && output.contains("\nPATH="), "{output}");
    assert!(!output.contains("s3cret") && !output.contains("LOREKEEP_"), "{output}");
}

#[test]
fn who_asked_hears_how_far_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path(), &["--allow-commands"]);
    let mut params = execute("until [ -e go ]; do sleep 0.05; done; echo gone", 120);
    params["_meta"] = json!({"progressToken": "p"});
    let id = client.ask("tools/call", &params);
    let news = client.receive().unwrap();
    assert_eq!(news["method"], "notifications/progress", "{news}");
    assert_eq!(news["params"]["total"], 120.0, "{news}");
    std::fs::write(dir.path().join("root/go"), "").unwrap();
    let answer = std::iter::from_fn(|| client.receive()).find(|message| message["id"] == id);
    assert_eq!(reply(&answer.unwrap()).value["output"], "gone\n");
}

#[test]
fn cancelling_kills_the_command_and_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = start(dir.path(), &["--allow-commands"]);
    let command = "sleep 1000 & echo $! > child; echo $$ > shell; wait";
    let id = client.ask("tools/call", &execute(command, 600));
    let pid = |name: &str| -> Option<u32> {
        std::fs::read_to_string(dir.path().join("root").join(name)).ok()?.trim().parse().ok()
    };
    let wait = std::time::Duration::from_millis(20);
    while pid("shell").is_none() {
        std::thread::sleep(wait);
    }
    let processes = [pid("child").unwrap(), pid("shell").unwrap()];
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    while processes.iter().any(|pid| Path::new(&format!("/proc/{pid}")).exists()) {
        std::thread::sleep(wait);
    }
    let next = client.call("grz_execute_command", json!({"command": "echo on"}));
    assert_eq!(next.value["output"], "on\n", "the server goes on");
}
