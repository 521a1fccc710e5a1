//! A server behind HTTP, and a bare client with one connection to it: as little as possible between
//! the clock and the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server process that listens on this machine.
pub(super) struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    /// Starts a server on the store in `dir` with these limits.
    pub(super) fn start(dir: &Path, limits: &[&str]) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--toolsets", "all", "--no-keep-queries", "--data-dir"]).arg(dir);
        command.args(["--http", "127.0.0.1:0"]);
        for limit in limits {
            command.args(["--http-limit", limit]);
        }
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut errors = BufReader::new(child.stderr.take().context("no pipe")?);
        let mut line = String::new();
        errors.read_line(&mut line)?;
        // The rest is read, so that the server never waits for somebody to read it.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let address = line.trim().strip_prefix("listening on http://").map(str::to_owned);
        let mut listening = Self { child, address: String::new() };
        let address = address.with_context(|| format!("the server said {line:?}"))?;
        listening.address = address.split('/').next().unwrap_or_default().to_owned();
        Ok(listening)
    }

    /// A client with this token.
    pub(super) fn connect(&self, token: &str) -> Result<Client> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let answers = BufReader::new(stream.try_clone()?);
        Ok(Client { stream, answers, token: token.to_owned(), line: String::new() })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was answered.
    Done,
    /// There was too much to do.
    RateLimited,
    /// Anything else.
    Failed,
}

/// A client with one connection.
pub(super) struct Client {
    stream: TcpStream,
    answers: BufReader<TcpStream>,
    token: String,
    line: String,
}

impl Client {
    /// Calls a tool and waits for its answer.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Outcome> {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            .to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n\
             content-length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        self.stream.write_all(request.as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Outcome> {
        let status = self.head_line()?.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            let line = self.head_line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.answers.read_exact(&mut body)?;
        let body = String::from_utf8_lossy(&body);
        let is_error = body.contains("\"isError\":true") || body.contains("\"error\":{");
        Ok(match status.as_str() {
            "200" if !is_error => Outcome::Done,
            "200" | "429" if body.contains("RATE_LIMITED") => Outcome::RateLimited,
            _ => Outcome::Failed,
        })
    }

    fn head_line(&mut self) -> Result<&str> {
        self.line.clear();
        if self.answers.read_line(&mut self.line)? == 0 {
            bail!("the server closed the connection");
        }
        Ok(self.line.trim_end())
    }
}
