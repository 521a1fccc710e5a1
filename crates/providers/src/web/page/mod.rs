//! A page as Markdown, in the form that Jina's reader has: title, address, content.
//!
//! Pages are written by strangers. Whatever they hold, reading one takes time and memory in
//! proportion to its bytes: the tree has a depth and a size that it does not exceed, and so has what
//! is written.

mod charset;
mod markdown;
mod names;
mod readable;
#[cfg(test)]
mod tests;
mod tree;

use std::convert::Infallible;

use engine::{Error, ErrorKind, Result};
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::fetch::Fetched;
use crate::http::excerpt;
use tree::Tree;

/// The text of a piece of HTML, on one line.
pub(super) fn plain(html: &str) -> String {
    let mut text = String::new();
    let emitter = CallbackEmitter::new(|event: CallbackEvent, _: Span<()>| {
        if let CallbackEvent::String { value } = event {
            text.push_str(&String::from_utf8_lossy(value));
        }
        None::<Infallible>
    });
    Tokenizer::new_with_emitter(html, emitter).for_each(drop);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What kind of text a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Text,
}

/// A page as Markdown.
pub(super) fn read(page: &Fetched) -> Result<String> {
    let (essence, label) = charset::content_type(&page.content_type);
    let Some(kind) = kind(&essence, &page.body) else {
        let host = page.url.host_str().unwrap_or_default();
        let what = if essence.is_empty() { "no text" } else { &essence };
        let message = format!(
            "what {host} answered is {}; only HTML, plain text, Markdown, JSON and XML are read",
            excerpt(what)
        );
        return Err(Error::new(ErrorKind::InvalidValue, message));
    };
    let text = charset::decode(&page.body, label.as_deref(), kind == Kind::Html);
    if kind == Kind::Text {
        return Ok(form("", page.url.as_str(), "", &text));
    }
    let large = || {
        let host = page.url.host_str().unwrap_or_default();
        Error::new(ErrorKind::Limit, format!("the page of {host} has too many parts to be read"))
    };
    let tree = Tree::read(&text).ok_or_else(large)?;
    let content = readable::content(&tree);
    let written = markdown::write(&tree, &content, &page.url).ok_or_else(large)?;
    let written = if written.is_empty() {
        "(The page holds no text. It may be made by scripts, which are not run here.)".to_owned()
    } else {
        written
    };
    Ok(form(&readable::title(&tree), page.url.as_str(), &readable::published(&tree), &written))
}

/// What is answered.
fn form(title: &str, url: &str, published: &str, content: &str) -> String {
    let mut text = String::new();
    let fields = [("Title", title), ("URL Source", url), ("Published Time", published)];
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("{name}: {value}\n\n"));
    }
    text.push_str("Markdown Content:\n");
    text.push_str(content);
    text
}

/// What a body is, by what its server says and, if that is nothing, by how it begins; none if it is
/// nothing to be read.
fn kind(essence: &str, body: &[u8]) -> Option<Kind> {
    let is_html = || {
        let start: Vec<u8> = body.iter().take(512).map(u8::to_ascii_lowercase).collect();
        let start = String::from_utf8_lossy(&start);
        let start = start.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.starts_with(tag))
    };
    // UTF-16 has zeros, and says so with its first bytes.
    let is_text = encoding_rs::Encoding::for_bom(body).is_some() || !body.contains(&0);
    let kind = match essence {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "" if is_html() => Kind::Html,
        "" => std::str::from_utf8(body).ok().map(|_| Kind::Text)?,
        "application/json"
        | "application/xml"
        | "application/x-ndjson"
        | "application/yaml"
        | "application/toml"
        | "application/javascript" => Kind::Text,
        "image/svg+xml" => return None,
        essence if essence.starts_with("text/") => Kind::Text,
        essence if essence.ends_with("+json") || essence.ends_with("+xml") => Kind::Text,
        _ => return None,
    };
    (is_text || kind == Kind::Html).then_some(kind)
}
