//! A server process and the pipes to it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tools::Reply;

/// A process that was told to end has two seconds. A slow machine gets some more, but less than a process
/// waits for a lock of the database.
const END_MAX: Duration = Duration::from_secs(20);

/// The tools that are offered when nothing else is asked for.
pub(crate) const DEFAULT_TOOLS: [&str; 8] = [
    "memory_add",
    "memory_search",
    "memory_delete",
    "knowledge_query",
    "knowledge_check",
    "knowledge_show",
    "sync_now",
    "sync_status",
];

/// The seed of what a test makes by chance: the same on every machine (`.cargo/config.toml`), or that of the
/// environment.
pub(crate) fn seed() -> u64 {
    number("PROPTEST_RNG_SEED").unwrap_or(0)
}

/// A number from the environment.
pub(crate) fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number (got {text:?})")))
}

/// The binary under test, on the store in `dir`, away from this machine's own configuration.
pub(crate) fn lorekeep(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lorekeep"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["LOREKEEP_", "CLAUDE", "OTEL_"].iter().any(|start| name.starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
        .env("LOREKEEP_DATA_DIR", dir)
        .env("XDG_CONFIG_HOME", dir.join("config"))
        .env("USER", "tester")
        .env_remove("LEDGERMIND_DEFAULT_ROLE");
    command
}

/// Sends a signal to a process.
pub(crate) fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("a process id");
    kill(Pid::from_raw(pid), signal).expect("a process of ours");
}

/// Waits for the end of a process, and kills it if that takes too long; its exit code.
pub(crate) fn end_of(child: &mut Child) -> Option<i32> {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    let (ended, waits) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waits.recv_timeout(END_MAX) == Err(mpsc::RecvTimeoutError::Timeout) {
            kill(pid, Signal::SIGKILL).expect("a process of ours");
        }
    });
    let code = child.wait().expect("an end").code();
    drop(ended);
    watch.join().expect("a watch");
    code
}

/// The parameters of `initialize` for this revision and these capabilities of the client.
#[expect(clippy::needless_pass_by_value, reason = "what is sent is made for the message")]
pub(crate) fn hello(version: &str, capabilities: Value) -> Value {
    json!({"protocolVersion": version, "capabilities": capabilities,
           "clientInfo": {"name": "it", "version": "1"}})
}

/// These parameters as a client of the newest revision sends them.
pub(crate) fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// The code and the message of an error.
pub(crate) fn error(response: &Value) -> (i64, &str) {
    let error = &response["error"];
    let code = error["code"].as_i64().unwrap_or_else(|| panic!("{response}"));
    (code, error["message"].as_str().expect("a message"))
}

/// A client that speaks the protocol before 2026-07-28 over the pipes of a process of its own.
pub(crate) struct Stdio1 {
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Stdio1 {
    /// Starts a server with these options and shakes hands.
    pub(crate) fn start(dir: &Path, options: &[&str]) -> Self {
        let mut client = Self::start_silent(dir, options);
        client.open(json!({}));
        client
    }

    /// Shakes hands as a client with these capabilities; what the server says of itself.
    pub(crate) fn open(&mut self, capabilities: Value) -> Value {
        let answer = self.request("initialize", &hello("2025-11-25", capabilities));
        assert_eq!(answer["result"]["serverInfo"]["name"], "lorekeep", "{answer}");
        self.notify("notifications/initialized", &json!({}));
        answer["result"].clone()
    }

    /// Starts a server with these options and says nothing.
    pub(crate) fn start_silent(dir: &Path, options: &[&str]) -> Self {
        let mut command = lorekeep(dir);
        command.arg("serve").args(options);
        Self::start_command(command)
    }

    /// Starts this command as a server and says nothing.
    pub(crate) fn start_command(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, next_id: 0 }
    }

    /// Sends one message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends bytes as they are.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open pipe");
        input.write_all(bytes).expect("the server reads");
    }

    /// The next message; `None` when the server has ended. Nothing but messages may come.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => {
                let message: Value = serde_json::from_str(&line).expect("a JSON message");
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                Some(message)
            }
        }
    }

    /// All messages until the server has ended.
    pub(crate) fn receive_rest(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.receive()).collect()
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.try_ask(method, params).expect("the server reads")
    }

    /// Sends a request and returns its id; `None` when the server has ended.
    pub(crate) fn try_ask(&mut self, method: &str, params: &Value) -> Option<u64> {
        self.next_id += 1;
        let id = self.next_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let input = self.input.as_mut()?;
        input.write_all(format!("{request}\n").as_bytes()).ok()?;
        Some(id)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        loop {
            let message = self.receive().expect("an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool; `None` when the server has ended meanwhile.
    pub(crate) fn try_call(&mut self, tool: &str, arguments: &Value) -> Option<Reply> {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        Some(reply(&self.receive()?))
    }

    /// Calls a tool.
    #[expect(clippy::needless_pass_by_value, reason = "what is called with is made for the call")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        self.try_call(tool, &arguments).expect("an answer")
    }

    /// Ends the input.
    pub(crate) fn close_input(&mut self) {
        drop(self.input.take());
    }

    /// Ends the input and waits for the end of the process; its exit code.
    pub(crate) fn finish(mut self) -> Option<i32> {
        self.close_input();
        end_of(&mut self.child)
    }
}

impl Drop for Stdio1 {
    fn drop(&mut self) {
        self.close_input();
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The tool's answer in a response. Text and structure must be the same JSON; an error has text
/// alone.
pub(crate) fn reply(response: &Value) -> Reply {
    let result = &response["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{response}"));
    let value: Value = serde_json::from_str(text).expect("JSON as text");
    let is_error = result["isError"] == true;
    if is_error {
        assert!(result.get("structuredContent").is_none(), "{response}");
    } else {
        assert_eq!(value, result["structuredContent"], "text and structure are the same");
    }
    Reply { value, is_error, attachments: Vec::new(), note: None }
}
