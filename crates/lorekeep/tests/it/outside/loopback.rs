//! A server on the loopback that answers what it is told, in that order.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

/// What was asked: the head in lower case, and the body.
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: String,
}

pub(super) struct Loopback {
    pub(super) url: String,
    asked: Receiver<Asked>,
}

impl Loopback {
    /// Answers each connection with the next of these: what follows `HTTP/1.1 ` in its head, and its
    /// body.
    pub(super) fn start(replies: Vec<(&'static str, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for (status, body) in replies {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if reader.read_line(&mut head).unwrap() == 0 {
                        return;
                    }
                }
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1);
                let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
                let mut given = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut given).unwrap();
                let given = String::from_utf8(given).unwrap();
                sender.send(Asked { head, body: given }).ok();
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                // Whoever asked may have gone.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { url, asked }
    }

    /// What was asked so far.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.try_iter().collect()
    }
}
