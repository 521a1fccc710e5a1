//! Lines of input, read so that each request gets an answer.
//!
//! rmcp drops a line that it cannot read, and the client waits for ever. Here such a line is mended
//! where that is plain (half of a surrogate pair, as JavaScript sends for a text cut inside an
//! emoji), and else becomes a request for [`UNREADABLE`] with the same id, which the handler answers
//! with a parse error. A line without an id is dropped: there is nobody to answer.

use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// The method that stands for a line that could not be read; its parameter `why` says why.
pub(crate) const UNREADABLE: &str = "lorekeep/unreadable";

/// How much of a line that is too long is kept to find its id.
const HEAD_BYTES: usize = 4096;

/// How much is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// A reader whose every line is JSON.
pub(crate) struct Lines<R> {
    inner: R,
    line_bytes_max: usize,
    chunk: Box<[u8]>,
    line: Vec<u8>,
    is_too_long: bool,
    ready: Vec<u8>,
    given: usize,
}

impl<R> Lines<R> {
    pub(crate) fn new(inner: R, line_bytes_max: usize) -> Self {
        Self {
            inner,
            line_bytes_max,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
            line: Vec::new(),
            is_too_long: false,
            ready: Vec::new(),
            given: 0,
        }
    }

    /// Takes in the first `length` bytes of the chunk.
    fn take(&mut self, length: usize) {
        self.ready.clear();
        self.given = 0;
        let chunk = std::mem::take(&mut self.chunk);
        for piece in chunk[..length].split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |t| (t, true));
            self.is_too_long |= self.line.len() + text.len() > self.line_bytes_max;
            let room = if self.is_too_long { HEAD_BYTES } else { self.line_bytes_max };
            self.line.truncate(room);
            let rest = room.saturating_sub(self.line.len()).min(text.len());
            self.line.extend_from_slice(&text[..rest]);
            if ends {
                self.end_line();
            }
        }
        self.chunk = chunk;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let why = format!("the line is longer than {} bytes", self.line_bytes_max);
            self.ready.extend(stand_in(&line, &why));
        } else if !line.trim_ascii().is_empty() {
            match mend(&line) {
                Ok(line) => self.ready.extend_from_slice(&line),
                Err(why) => self.ready.extend(stand_in(&line, &why)),
            }
        }
        self.ready.push(b'\n');
    }
}

/// What a server makes of its input, read so many bytes at once: for those who try what it takes.
#[doc(hidden)]
pub fn mended(input: &[u8], line_bytes_max: usize, at_once: usize) -> Vec<u8> {
    let mut lines = Lines::new((), line_bytes_max);
    let mut read = Vec::new();
    for piece in input.chunks(at_once.clamp(1, CHUNK_BYTES)) {
        lines.chunk[..piece.len()].copy_from_slice(piece);
        lines.take(piece.len());
        read.extend_from_slice(&lines.ready);
    }
    read
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let waiting = &self.ready[self.given..];
            if !waiting.is_empty() {
                let length = waiting.len().min(out.remaining());
                out.put_slice(&waiting[..length]);
                self.given += length;
                return Poll::Ready(Ok(()));
            }
            let this = &mut *self;
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut chunk))?;
            let length = chunk.filled().len();
            if length == 0 {
                return Poll::Ready(Ok(()));
            }
            this.take(length);
        }
    }
}

/// `text` if it is JSON that we can read, mended where half of a surrogate pair stands alone; else
/// why it is not.
pub(crate) fn mend(text: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let Err(error) = serde_json::from_slice::<Value>(text) else { return Ok(Cow::Borrowed(text)) };
    let whole = without_lone_surrogates(text);
    match serde_json::from_slice::<Value>(&whole) {
        Ok(_) => Ok(Cow::Owned(whole)),
        Err(_) => Err(error.to_string()),
    }
}

/// Half of a pair becomes the character that stands for what cannot be shown.
fn without_lone_surrogates(text: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let taken = match (byte, surrogate(rest)) {
            (b'\\', Some(0xD800..=0xDBFF)) if is_low(surrogate(&rest[6..])) => 12,
            (b'\\', Some(_)) => {
                whole.extend_from_slice(b"\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (b'\\', None) if !after.is_empty() => 2,
            _ => 1,
        };
        whole.extend_from_slice(&rest[..taken]);
        rest = &rest[taken..];
    }
    whole
}

/// The surrogate that an escape at the start of `text` stands for.
fn surrogate(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}

fn is_low(code: Option<u16>) -> bool {
    matches!(code, Some(0xDC00..=0xDFFF))
}

/// A request with the id of `line` that says why the line could not be read.
fn stand_in(line: &[u8], why: &str) -> Vec<u8> {
    let Some(id) = id(line) else {
        tracing::warn!("a line without an id could not be read: {why}");
        return Vec::new();
    };
    let params = json!({"why": why});
    json!({"jsonrpc": "2.0", "id": id, "method": UNREADABLE, "params": params})
        .to_string()
        .into_bytes()
}

/// The id in what may be half a message: the first number or text behind an `"id"`.
fn id(line: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(&line[..line.len().min(HEAD_BYTES)]);
    text.match_indices("\"id\"").find_map(|(at, key)| {
        let value = text[at + key.len()..].trim_start().strip_prefix(':')?;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        values.next()?.ok().filter(|id| id.is_string() || id.is_u64() || id.is_i64())
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(input: &[u8], line_bytes_max: usize) -> String {
        let mut text = String::new();
        Lines::new(input, line_bytes_max).read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn what_is_json_passes_as_it_is() {
        let input = "{\"a\": 1}\n{\"b\": \"\\ud83d\\ude00 \\\\ud800\"}\r\n[1]\n";
        assert_eq!(read(input.as_bytes(), 1000).await, input);
        let long = format!("\"{}\"\n", "x".repeat(200_000));
        assert_eq!(read(long.as_bytes(), 1 << 20).await, long, "across many chunks");
    }

    #[tokio::test]
    async fn half_of_a_pair_is_mended() {
        let mended = read(br#"{"q": "a\ud83d b\udc00", "ok": "\ud83d\ude00"}"#, 0).await;
        assert_eq!(mended, "", "a line that has not ended is not a line");
        let input = b"{\"q\": \"a\\ud83d b\\uDC00\"}\n";
        assert_eq!(read(input, 1000).await, "{\"q\": \"a\\ufffd b\\ufffd\"}\n");
    }

    #[tokio::test]
    async fn what_cannot_be_read_becomes_a_request_that_is_refused() {
        let deep = format!("{{\"id\": \"x\", \"p\": {}", "[".repeat(300));
        let long = format!("{{\"id\": 9, \"p\": \"{}\"}}", "y".repeat(9_000));
        for (line, id) in [
            (&b"{\"id\": 7, \"p\": 1e400}"[..], json!(7)),
            (&b"{\"p\": {\"id\": []}, \"id\":-3, nonsense"[..], json!(-3)),
            (&b"{\"id\": 5, \"p\": \"\xff\"}"[..], json!(5)),
            (deep.as_bytes(), json!("x")),
            (long.as_bytes(), json!(9)),
        ] {
            let input = [line, b"\n{}\n"].concat();
            let text = read(&input, 8_000).await;
            let (first, rest) = text.split_once('\n').unwrap();
            let request: Value = serde_json::from_str(first).unwrap();
            assert_eq!((&request["id"], &request["method"]), (&id, &json!(UNREADABLE)));
            assert!(request["params"]["why"].as_str().is_some_and(|why| !why.is_empty()));
            assert_eq!(rest, "{}\n", "the next line is read as ever");
        }
        assert_eq!(read(b"nonsense\n\n{}\n", 100).await, "\n\n{}\n", "nobody to answer");
    }
}
