//! A server on the loopback for the tests of what asks one: it answers what it is told, in that
//! order, and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::http::{Bounds, Patience};

/// Fast enough for tests, and slow enough for a busy machine.
pub(crate) const BOUNDS: Bounds =
    Bounds { connect: Duration::from_secs(2), pause: Duration::from_millis(5), body_max: 100_000 };

/// The same for who waits.
pub(crate) const PATIENCE: Patience = Patience {
    whole: Duration::from_secs(2),
    attempts_max: u32::MAX,
    pauses_max: Duration::from_millis(1_200),
};

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A status with the headers that follow it, and a body.
    Status(&'static str, String),
    /// These bytes, then the end of the connection.
    Raw(String),
    /// Nothing until the client has gone.
    Stall,
}

impl Reply {
    pub(crate) fn ok(body: &impl ToString) -> Self {
        Self::Status("200 OK", body.to_string())
    }
}

/// What was asked.
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Receiver<Asked>,
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        Self::start_with(|_| replies)
    }

    /// The same with answers that name the server's own address.
    pub(crate) fn start_with(replies: impl FnOnce(&str) -> Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let replies = replies(&url);
        let (sender, asked) = channel();
        thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else { return };
                serve(stream, reply, &sender);
            }
        });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.try_iter().collect()
    }
}

fn serve(mut stream: TcpStream, reply: Reply, asked: &Sender<Asked>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap() == 0 {
            return;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    asked.send(Asked { head, body }).ok();
    let answer = match reply {
        Reply::Status(status, body) => format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        ),
        Reply::Raw(bytes) => bytes,
        Reply::Stall => {
            reader.read_exact(&mut [0]).ok();
            return;
        }
    };
    // The client may have had enough of a body that is too long.
    stream.write_all(answer.as_bytes()).ok();
}
