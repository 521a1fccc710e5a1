//! A server on the loopback that answers what it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// What was asked: the head in lower case, and the body.
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) struct Loopback {
    pub(crate) url: String,
    asked: Receiver<Asked>,
}

impl Loopback {
    /// Answers each connection with the next of these: what follows `HTTP/1.1 ` in its head, and its
    /// body.
    pub(crate) fn start(replies: Vec<(&'static str, String)>) -> Self {
        let mut replies = replies.into_iter();
        Self::answering(move |_, _| replies.next())
    }

    /// Answers each connection with what is said to its request and the server's own address, until
    /// nothing is said.
    pub(crate) fn answering(
        mut reply: impl FnMut(&Asked, &str) -> Option<(&'static str, String)> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = channel();
        let own = url.clone();
        std::thread::spawn(move || {
            loop {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let Some(given) = read(&stream) else { continue };
                let Some((status, body)) = reply(&given, &own) else { return };
                sender.send(given).ok();
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
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.try_iter().collect()
    }
}

/// What is asked; nothing if whoever connected said nothing.
fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
    let mut given = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut given).ok()?;
    Some(Asked { head, body: String::from_utf8(given).ok()? })
}
