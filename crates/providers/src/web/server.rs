//! A server on the loopback for the tests of the web: it answers what it is told, in that order, and
//! keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What the server does with a request.
#[derive(Clone)]
pub(super) enum Reply {
    /// A status with the headers that follow it, and a body.
    Status(String, Vec<u8>),
    /// These bytes, then the end of the connection.
    Raw(Vec<u8>),
    /// Nothing until the client has gone.
    Stall,
}

impl Reply {
    pub(super) fn ok(body: &impl ToString) -> Self {
        Self::status("200 OK", body)
    }

    pub(super) fn status(status: &str, body: &impl ToString) -> Self {
        Self::Status(status.to_owned(), body.to_string().into_bytes())
    }

    pub(super) fn html(body: &str) -> Self {
        Self::status("200 OK\r\nContent-Type: text/html; charset=utf-8", &body)
    }

    pub(super) fn to(url: &str) -> Self {
        Self::status(&format!("302 Found\r\nLocation: {url}"), &"")
    }
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) url: String,
    asked: Receiver<String>,
}

impl Server {
    pub(super) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, asked) = channel();
        thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else { return };
                serve(stream, reply, &sender);
            }
        });
        Self { address, url: format!("http://{address}"), asked }
    }

    /// The heads of what was asked since the last time.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.try_iter().collect()
    }
}

fn serve(mut stream: TcpStream, reply: Reply, asked: &Sender<String>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    asked.send(head).ok();
    let answer = match reply {
        Reply::Status(status, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            [head.into_bytes(), body].concat()
        }
        Reply::Raw(bytes) => bytes,
        Reply::Stall => {
            reader.read_exact(&mut [0]).ok();
            return;
        }
    };
    // The client may have had enough of a body that is too long.
    stream.write_all(&answer).ok();
}
