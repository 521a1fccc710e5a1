//! Lines of input, read so that each request gets an answer.
//!
//! rmcp drops a line that it cannot read, or answers it without its id, and the client waits for ever.
//! Here such a line becomes a request for [`UNREADABLE`] that says what to answer, which the transport
//! does: with the line's id where one can be read, else with null, as JSON-RPC has it. A client's
//! response that cannot be read becomes an error in its place. Nothing is repaired: half of a surrogate
//! pair, which JavaScript sends for a text cut inside an emoji, is refused by the name of its field.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use engine::trust::visible;
use rmcp::model::ErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

/// The method that stands for a line that is refused; its parameters are an [`Unreadable`].
pub(crate) const UNREADABLE: &str = "lorekeep/unreadable";

/// How much is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// A longer key or value at the top of a message is not its id.
const TOKEN_BYTES_MAX: usize = 1024;

/// A reader whose every line is JSON.
pub(crate) struct Lines<R> {
    inner: R,
    line_bytes_max: usize,
    chunk: Box<[u8]>,
    line: Vec<u8>,
    /// What is known of a line that is too long to be kept.
    too_long: Option<Outline>,
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
            too_long: None,
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
            if self.too_long.is_none() && self.line.len() + text.len() > self.line_bytes_max {
                self.too_long = Some(Outline::of(&std::mem::take(&mut self.line)));
            }
            match &mut self.too_long {
                Some(outline) => outline.feed(text),
                None => self.line.extend_from_slice(text),
            }
            if ends {
                self.end_line();
            }
        }
        self.chunk = chunk;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if let Some(outline) = self.too_long.take() {
            let why = format!("the line is longer than {} bytes", self.line_bytes_max);
            let refused = outline.refuse(ErrorCode::PARSE_ERROR, &why);
            self.ready.extend(refused.stand_in());
        } else if !line.trim_ascii().is_empty() {
            match check(&line) {
                Ok(()) => self.ready.extend_from_slice(&line),
                Err(refused) => self.ready.extend(refused.stand_in()),
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

/// A message that is refused, and what is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unreadable {
    /// The message's id, where one can be read.
    pub(crate) id: Option<Value>,
    pub(crate) code: i32,
    pub(crate) message: String,
    /// Whether it answers a request of ours.
    #[serde(skip)]
    is_response: bool,
}

impl Unreadable {
    /// The line that stands for it.
    fn stand_in(&self) -> Vec<u8> {
        tracing::warn!("{}", self.message);
        let line = if self.is_response {
            let error = json!({"code": self.code, "message": self.message});
            json!({"jsonrpc": "2.0", "id": self.id, "error": error})
        } else {
            json!({"jsonrpc": "2.0", "id": UNREADABLE, "method": UNREADABLE, "params": self})
        };
        line.to_string().into_bytes()
    }
}

/// Whether `text` is JSON, and a request where it has the id and the method of one.
pub(crate) fn check(text: &[u8]) -> Result<(), Unreadable> {
    match serde_json::from_slice::<Value>(text) {
        Ok(message) => match flaw(&message) {
            None => Ok(()),
            Some((code, why)) => Err(Outline::of(text).refuse(code, &why)),
        },
        Err(_) => {
            let (code, why) = fault(text);
            Err(Outline::of(text).refuse(code, &why))
        }
    }
}

/// What is wrong with the JSON of a request; rmcp reads all that has nothing of this.
fn flaw(message: &Value) -> Option<(ErrorCode, String)> {
    let (method, id) = (message.get("method")?, message.get("id")?);
    let params = message.get("params").unwrap_or(&Value::Null);
    let meta = params.get("_meta").unwrap_or(&Value::Null);
    let is_given = |field: &str| message.get(field).is_some();
    let fits = |value: &Value| value.is_object() || value.is_null();
    let request = |why: &str| Some((ErrorCode::INVALID_REQUEST, why.to_owned()));
    match () {
        () if message["jsonrpc"] != "2.0" => request("jsonrpc must be \"2.0\""),
        () if !is_id(id) => request("id must be a text, or a whole number of up to 63 bits"),
        () if !method.is_string() => request("method must be a text"),
        () if is_given("result") || is_given("error") => {
            request("a request has no result or error")
        }
        () if params.is_array() => {
            let why =
                "params must be an object: the method takes its parameters by name, not a list";
            Some((ErrorCode::INVALID_PARAMS, why.to_owned()))
        }
        () if !fits(params) => request("params must be an object"),
        () if !fits(meta) => {
            Some((ErrorCode::INVALID_PARAMS, "params._meta must be an object".to_owned()))
        }
        () => None,
    }
}

/// Whether rmcp can answer with this id.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}

/// What is wrong with a text that is no JSON for us, and where.
fn fault(text: &[u8]) -> (ErrorCode, String) {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read: Result<Value, _> = serde_path_to_error::deserialize(&mut reader);
    let (path, error) = match read {
        Ok(_) => (String::new(), reader.end().err().map(|e| e.to_string()).unwrap_or_default()),
        Err(error) => (error.path().to_string(), error.inner().to_string()),
    };
    let is_about_pairs = error.contains("surrogate") || error.contains("end of hex escape");
    match lone_surrogate(text).filter(|_| is_about_pairs) {
        Some(half) => {
            let why = format!(
                "{path} holds \\u{half:04x}, half of a surrogate pair, which is no character; send \
                 whole characters (a text was perhaps cut inside an emoji)"
            );
            (ErrorCode::INVALID_PARAMS, why)
        }
        None if [".", ""].contains(&path.as_str()) => (ErrorCode::PARSE_ERROR, error),
        None => (ErrorCode::PARSE_ERROR, format!("{path}: {error}")),
    }
}

/// The first half of a surrogate pair whose other half is not there.
fn lone_surrogate(text: &[u8]) -> Option<u16> {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        rest = &rest[at..];
        let length = match surrogate(rest) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(half) => return Some(half),
            None => 2,
        };
        rest = rest.get(length..)?;
    }
    None
}

/// The surrogate that an escape at the start of `text` stands for.
fn surrogate(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}

/// What can be told of a message without reading it: the id and the kind, from the keys at its top.
/// Built piece by piece, so that a message need not be kept for it.
#[derive(Default)]
struct Outline {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The key that the value belongs to, once its colon was read.
    key: Option<String>,
    /// The key or value that is being read at the top.
    token: Vec<u8>,
    id: Option<Value>,
    has_method: bool,
    has_outcome: bool,
}

impl Outline {
    fn of(text: &[u8]) -> Self {
        let mut outline = Self::default();
        outline.feed(text);
        outline
    }

    fn feed(&mut self, text: &[u8]) {
        for &byte in text {
            if self.in_text {
                self.in_text = self.is_escaped || byte != b'"';
                self.is_escaped = byte == b'\\' && !self.is_escaped;
            } else {
                match byte {
                    b'"' => self.in_text = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.end_value();
                        self.depth = self.depth.saturating_sub(1);
                    }
                    b':' if self.depth == 1 && self.key.is_none() => {
                        self.key = serde_json::from_slice(&self.token).ok();
                        self.token.clear();
                        continue;
                    }
                    b',' => {
                        self.end_value();
                        continue;
                    }
                    _ => {}
                }
            }
            if self.depth == 1 && self.token.len() < TOKEN_BYTES_MAX && byte != b'{' {
                self.token.push(byte);
            }
        }
    }

    /// Notes the value of a key at the top.
    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        let value = std::mem::take(&mut self.token);
        match self.key.take().as_deref() {
            Some("id") => self.id = serde_json::from_slice(&value).ok().filter(is_id),
            Some("method") => self.has_method = true,
            Some("result" | "error") => self.has_outcome = true,
            _ => {}
        }
    }

    fn refuse(mut self, code: ErrorCode, why: &str) -> Unreadable {
        self.end_value();
        // The names of fields are the caller's.
        let message = format!("the message could not be read: {}", visible(why));
        let is_response = self.has_outcome && !self.has_method && self.id.is_some();
        Unreadable { id: self.id, code: code.0, message, is_response }
    }
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
        assert_eq!(read(b"{\"a\": 1}", 1000).await, "", "a line that has not ended is not a line");
    }

    /// What stands for a line, and that the next line is read as ever.
    async fn refused(line: &[u8]) -> Value {
        let input = [line, b"\n{}\n"].concat();
        let text = read(&input, 8_000).await;
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(rest, "{}\n", "{}", String::from_utf8_lossy(line));
        serde_json::from_str(first).unwrap()
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_refused_with_its_own_id() {
        let deep = format!("{{\"id\": \"x\", \"p\": {}", "[".repeat(300));
        let long = format!("{{\"id\": 9, \"p\": \"{}\"}}", "y".repeat(9_000));
        let late = format!("{{\"p\": {{\"id\": 1, \"t\": \"{}\"}}, \"id\": 8}}", "y".repeat(9_000));
        let digits = format!("{{\"id\": {}, \"method\": \"ping\"}}", "7".repeat(400));
        let named =
            |rest: &str| format!("{{\"jsonrpc\": \"2.0\", \"id\": 3, {rest}}}").into_bytes();
        let table: &[(&[u8], Value, i32, &str)] = &[
            (b"{\"id\": 7, \"p\": 1e400}", json!(7), -32700, "p: number out of range"),
            (b"{\"p\": {\"id\": []}, \"id\":-3, nonsense", json!(-3), -32700, "key must be"),
            (
                b"{\"p\": {\"id\": 4, \"x\": \"\xff\"}, \"id\": \"a\\\"b\"}",
                json!("a\"b"),
                -32700,
                "p.x",
            ),
            (b"{\"id\": 5, \"p\": \"\xff\"}", json!(5), -32700, "p: invalid unicode"),
            (b"{\"\\u0069d\": 6, \"p\": \"cut", json!(6), -32700, "EOF"),
            (b"{\"id\": 5} {", json!(5), -32700, "trailing"),
            (deep.as_bytes(), json!("x"), -32700, "recursion"),
            (long.as_bytes(), json!(9), -32700, "longer than 8000 bytes"),
            (late.as_bytes(), json!(8), -32700, "longer than 8000 bytes"),
            (digits.as_bytes(), json!(null), -32700, "id: number out of range"),
            (b"nonsense", json!(null), -32700, "expected"),
            (b"\xff\xfe", json!(null), -32700, "expected"),
            (
                &named(r#""method": "a", "params": [1]"#),
                json!(3),
                -32602,
                "params must be an object",
            ),
            (
                &named(r#""method": "a", "params": "x""#),
                json!(3),
                -32600,
                "params must be an object",
            ),
            (&named(r#""method": "a", "params": 7"#), json!(3), -32600, "params must be an object"),
            (
                &named(r#""method": "a", "params": true"#),
                json!(3),
                -32600,
                "params must be an object",
            ),
            (&named(r#""method": "a", "params": {"_meta": 1}"#), json!(3), -32602, "params._meta"),
            (&named(r#""method": 5"#), json!(3), -32600, "method must be"),
            (&named(r#""method": "a", "result": 5"#), json!(3), -32600, "no result"),
            (br#"{"id": 3, "method": "a"}"#, json!(3), -32600, "jsonrpc must be"),
            (br#"{"jsonrpc": "2.0", "id": 1.5, "method": "a"}"#, json!(null), -32600, "id must be"),
            (
                &named(r#""method": "a", "params": {"b": [{"c": "x\ud83d"}]}"#),
                json!(3),
                -32602,
                r"params.b[0].c holds \ud83d, half of a surrogate pair",
            ),
            (
                &named(r#""method": "a", "params": {"c": "\ud83d\ude00 \\ud800 \uDE00"}"#),
                json!(3),
                -32602,
                r"params.c holds \ude00, half",
            ),
            (
                &named(r#""method": "a", "params": {"c": "\ud83dA"}"#),
                json!(3),
                -32602,
                r"params.c holds \ud83d, half",
            ),
        ];
        for (line, id, code, why) in table {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            let request = refused(line).await;
            assert_eq!(request["method"], UNREADABLE, "{shown}");
            let told: Unreadable = serde_json::from_value(request["params"].clone()).unwrap();
            assert_eq!((&told.id.unwrap_or_default(), told.code), (id, *code), "{shown}");
            assert!(told.message.contains(why), "{shown}: {}", told.message);
        }
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_is_an_error_in_its_place() {
        let line = br#"{"jsonrpc": "2.0", "result": {"method": "x", "text": "\ud83d"}, "id": 3}"#;
        let response = refused(line).await;
        assert_eq!((&response["id"], &response["error"]["code"]), (&json!(3), &json!(-32602)));
        let text = response["error"]["message"].as_str().unwrap();
        assert!(text.contains(r"result.text holds \ud83d"), "{text}");
    }
}
