//! A bare MCP client on pipes: as little as possible between the clock and the server.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A server process and the pipes to it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    line: String,
}

impl Client {
    /// Starts a server on the store in `dir` and shakes hands with it.
    pub(crate) fn start(dir: &Path) -> Result<Self> {
        Self::start_with(dir, &[])
    }

    /// The same with further options.
    pub(crate) fn start_with(dir: &Path, options: &[&str]) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", "--toolsets", "all", "--data-dir"])
            .arg(dir)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut client = Self { child, input, output, next_id: 0, line: String::new() };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                           "clientInfo": {"name": "lorekeep bench", "version": "1"}});
        client.send("initialize", &hello)?;
        client.receive()?;
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Calls a tool and waits for its answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        self.send_call(tool, arguments)?;
        self.receive()
    }

    /// Calls a tool without waiting.
    pub(crate) fn send_call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<()> {
        self.next_id += 1;
        let id = self.next_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        let input = self.input.as_mut().context("the pipe is closed")?;
        Ok(input.write_all(line.as_bytes())?)
    }

    /// Waits for one answer, whichever it is; an error is an error.
    pub(crate) fn receive(&mut self) -> Result<()> {
        self.line.clear();
        if self.output.read_line(&mut self.line)? == 0 {
            bail!("the server ended");
        }
        if self.line.contains("\"isError\":true") || self.line.contains("\"error\":{") {
            bail!("the server answered {}", self.line);
        }
        Ok(())
    }

    /// What the tool answered last.
    pub(crate) fn answer(&self) -> Result<Value> {
        let reply: Value = serde_json::from_str(&self.line)?;
        Ok(reply["result"]["structuredContent"].clone())
    }

    /// The processor time the server has used, in seconds, where the system tells: unlike the time
    /// on the clock it does not grow when the machine is busy with something else.
    pub(crate) fn cpu_seconds(&self) -> Option<f64> {
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some((ticks(11)? + ticks(12)?) / TICKS_PER_SECOND)
    }

    /// The server's resident memory in megabytes, where the system tells.
    pub(crate) fn memory_mb(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: f64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes / 1024.0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // The server ends with its input; there is nobody to tell if it does not.
        let _ = self.child.wait();
    }
}
