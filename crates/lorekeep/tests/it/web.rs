//! A server process behind HTTP and the requests to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tools::Reply;
use ureq::Agent;
use ureq::http::{HeaderMap, Method, Request, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::support::{hello, lorekeep, modern, reply};

/// A server process behind HTTP, and a client with one connection to it.
pub(crate) struct Http {
    pub child: Child,
    pub url: String,
    /// The token that requests bring; an empty one is not brought.
    pub token: String,
    /// What it said of tokens when it started.
    pub told: String,
    agent: Agent,
}

/// What came back.
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    /// The message that came, as JSON or as the last event of a stream.
    pub(crate) fn message(&self) -> Value {
        let mut events = self.text.lines().filter_map(|line| line.strip_prefix("data: {"));
        let event = events.next_back().map(|rest| format!("{{{rest}"));
        serde_json::from_str(event.as_ref().unwrap_or(&self.text))
            .unwrap_or_else(|_| panic!("{} {:?}", self.status, self.text))
    }

    /// The status and the code of the error that came.
    pub(crate) fn failure(&self) -> (u16, i64) {
        let message = self.message();
        let code = message["error"]["code"].as_i64().unwrap_or_else(|| panic!("{message}"));
        (self.status.as_u16(), code)
    }
}

impl Http {
    /// Starts a server with these options.
    pub(crate) fn start(dir: &Path, options: &[&str]) -> Self {
        Self::start_at(dir, "127.0.0.1:0", options)
    }

    /// The same at this address.
    pub(crate) fn start_at(dir: &Path, address: &str, options: &[&str]) -> Self {
        let mut command = lorekeep(dir);
        command.args(["serve", "--http", address]).args(options);
        Self::follow(command)
    }

    /// Starts this command as a server, on a port of its own.
    pub(crate) fn start_command(mut command: Command) -> Self {
        command.args(["--http", "127.0.0.1:0"]);
        Self::follow(command)
    }

    /// Starts this command and waits until it says where it listens.
    fn follow(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = || {
            let mut line = String::new();
            errors.read_line(&mut line).expect("a line");
            line.trim().to_owned()
        };
        let line = said();
        let url = line.strip_prefix("listening on ").expect(&line).to_owned();
        let of_tokens = said();
        let own = of_tokens.strip_prefix("callers bring a bearer token; yours is in ");
        let token = own.map(|path| std::fs::read_to_string(path).expect("a token"));
        let token = token.unwrap_or_default().trim().to_owned();
        // The rest is read, so that the server never waits for somebody to read it.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let mut http = Self::connect(child, url, &token);
        http.told = of_tokens;
        http
    }

    /// A client with this token to a server that listens there.
    pub(crate) fn connect(child: Child, url: String, token: &str) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { child, url, token: token.to_owned(), told: String::new(), agent }
    }

    /// The same client, which trusts this certificate alone.
    pub(crate) fn trusting(mut self, certificate: Certificate<'static>) -> Self {
        let tls =
            TlsConfig::builder().root_certs(RootCerts::new_with_certs(&[certificate])).build();
        let config = Agent::config_builder().http_status_as_error(false).tls_config(tls);
        self.agent = config.build().into();
        self
    }

    /// Sends a request with these headers besides the usual ones; a header given here replaces a
    /// usual one.
    pub(crate) fn send(&self, method: Method, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send_to(&self.url, method, headers, body)
    }

    /// The same to another address.
    pub(crate) fn send_to(
        &self,
        url: &str,
        method: Method,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let usual = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("authorization", &bearer),
        ];
        let usual = &usual[..usual.len() - usize::from(self.token.is_empty())];
        let kept = usual.iter().filter(|(name, _)| !headers.iter().any(|(own, _)| own == name));
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in kept.chain(headers) {
            request = request.header(*name, *value);
        }
        let request = request.body(body).expect("a request");
        let mut answer = self.agent.run(request).expect("an answer");
        let text = answer.body_mut().read_to_string().expect("text");
        let (parts, _) = answer.into_parts();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    /// Posts a message.
    pub(crate) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.send(Method::POST, headers, message.to_string().as_bytes())
    }

    /// Calls a tool in the newest revision: no session, no handshake.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let params = modern(json!({"name": tool, "arguments": arguments}));
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", tool),
        ];
        reply(&self.post(&headers, &message).message())
    }

    /// Shakes hands as an older client does; the session's id.
    pub(crate) fn open_session(&self) -> String {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                             "params": hello("2025-11-25", json!({}))});
        let answer = self.post(&[], &message);
        assert_eq!(answer.message()["result"]["serverInfo"]["name"], "lorekeep");
        let session = answer.headers["mcp-session-id"].to_str().expect("text").to_owned();
        let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = self.post(&[("mcp-session-id", &session)], &message);
        assert_eq!(answer.status, StatusCode::ACCEPTED);
        session
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
