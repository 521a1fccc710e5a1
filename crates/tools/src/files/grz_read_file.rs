//! `grz_read_file`.

use std::borrow::Cow;

use engine::Result;
use engine::workspace::{self, Span};
use model::Role;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::FilePath;
use crate::tool::{Attachment, Context, Effect, Tool};
use crate::wire::{INT_MAX, Int};

/// Read a file by page; images and PDF come attached.
///
/// # When to use
/// To see a file, or before `grz_edit_file`.
///
/// # Usage
/// ```json
/// {"file_path": "src/main.rs"}
/// ```
/// ```json
/// {"file_path": "src/main.rs", "limit": 1, "offset": 1}
/// ```
///
/// # Returns
/// `content`: the lines, each behind its number in the file, from 1, and a tab; and `metadata`. A line
/// is cut after 2,000 characters and says so. A page ends after 10 MB, also with `limit` -1; `read_lines`
/// tells how many lines it has and `has_more` whether others follow. Text is UTF-8, or UTF-16 with a byte
/// order mark (of at most 10 MB); what is neither shows as U+FFFD. Images (PNG, JPEG, GIF, WebP) and PDF
/// of at most 10 MB come as they are, beside the answer, whose `metadata` is zero then.
///
/// # Errors
/// `File not found: {path}`, with names that are near; a path outside the allowed folders; what is no
/// regular file, or binary.
///
/// # Related
/// `workspace::read`: `grz_edit_file` changes it, `index_file` makes it searchable.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadFile {
    /// Absolute, or relative to the first root
    file_path: FilePath,
    /// How many lines; -1 for all
    #[serde(default)]
    limit: Limit,
    /// How many lines to leave out first
    #[serde(default)]
    offset: Int<0, INT_MAX, 0>,
}

/// How many lines to read; none for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit(Option<u64>);

impl Default for Limit {
    fn default() -> Self {
        Self(Some(1_000))
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        // JSON knows no whole numbers of its own: 10.0 is one, too.
        let whole = |float: f64| (float.fract() == 0.0).then_some(float as i64);
        match number.as_i64().or_else(|| number.as_f64().and_then(whole)) {
            Some(-1) => Ok(Self(None)),
            Some(count @ 1..) => Ok(Self(Some(count.unsigned_abs()))),
            _ => Err(D::Error::custom("takes a positive number, or -1 for the whole file")),
        }
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(count) => serializer.serialize_u64(count),
            None => serializer.serialize_i64(-1),
        }
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileRead {
    content: String,
    metadata: Metadata,
    #[serde(skip)]
    attachment: Option<Attachment>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Metadata {
    total_lines: u64,
    read_lines: u64,
    offset: u64,
    has_more: bool,
}

/// What stays as it is in the path of a `file:` address.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl Tool for ReadFile {
    const NAME: &'static str = "grz_read_file";
    const EFFECT: Effect = Effect::READ;
    const ROLE: Role = Role::User;
    const EXACT: bool = true;
    type Response = FileRead;

    fn call(self, cx: &Context<'_>) -> Result<FileRead> {
        let span = Span { offset: self.offset.0, limit: self.limit.0 };
        let page = workspace::read(cx.engine, cx.caller, &self.file_path.0, span)?;
        let path = page.path.to_string_lossy();
        let attachment = page.attached.map(|attached| Attachment {
            uri: format!("file://{}", utf8_percent_encode(&path, PLAIN)),
            mime_type: attached.mime_type,
            bytes: attached.bytes,
        });
        let metadata = Metadata {
            total_lines: page.total_lines,
            read_lines: page.read_lines,
            offset: page.offset,
            has_more: page.has_more,
        };
        Ok(FileRead { content: page.text, metadata, attachment })
    }

    fn attachments(response: &mut FileRead) -> Vec<Attachment> {
        response.attachment.take().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use crate::testing::{Bench, Speaker, WORK, check};

    #[test]
    fn a_file_is_read_by_page_with_numbers_of_its_own() {
        check(
            r#"
            @ work a.txt
            | one
            | two
            | three
            > grz_read_file {"file_path": "a.txt"}
            < {"content": "1\tone\n2\ttwo\n3\tthree",
                "metadata": {"total_lines": 3, "read_lines": 3, "offset": 0, "has_more": false}}
            > grz_read_file {"file_path": "a.txt", "limit": 1, "offset": 1}
            < {"content": "2\ttwo",
                "metadata": {"total_lines": 3, "read_lines": 1, "offset": 1, "has_more": true}}
            > grz_read_file {"file_path": "a.txt", "limit": -1, "offset": 2}
            < {"content": "3\tthree", "metadata": {"has_more": false, "...": 0}}
            > grz_read_file {"file_path": "a.txt", "offset": 3}
            < {"content": "",
                "metadata": {"total_lines": 3, "read_lines": 0, "offset": 3, "has_more": false}}
            @ work empty.txt
            > grz_read_file {"file_path": "empty.txt"}
            < {"content": "",
                "metadata": {"total_lines": 0, "read_lines": 0, "offset": 0, "has_more": false}}
            "#,
        );
    }

    #[test]
    fn bad_input_is_named() {
        check(
            r#"
            @ work config.json
            > grz_read_file {"file_path": "config.json", "limit": 0}
            <! {"success": false, "error": "limit got 0; it takes a positive number, or -1 for the whole file"}
            > grz_read_file {"file_path": "config.json", "limit": -2}
            <! {"success": false, "error": "limit got -2; it takes a positive number, or -1 for the whole file"}
            > grz_read_file {"file_path": "config.json", "offset": -1}
            <! {"success": false, "error": "offset got -1; it takes a whole number from 0"}
            > grz_read_file {}
            <! {"success": false, "error": "file_path is missing; $*"}
            > grz_read_file {"file_path": ""}
            <! {"success": false, "error": "file_path got \"\"; $*"}
            > grz_read_file {"file_path": "config.jsn"}
            <! {"success": false, "error": "File not found: config.jsn; did you mean \"config.json\"?"}
            > grz_read_file {"file_path": "../store.db"}
            <! {"success": false, "error": "../store.db is outside the allowed folders: $*/work; start the server with --root DIR to allow another"}
            > grz_read_file {"file_path": "."}
            <! {"success": false, "error": ". is a folder, not a file"}
            @ caller user=ada role=guest
            > grz_read_file {"file_path": "config.json"}
            <! {"success": false, "error": "grz_read_file needs the role user; this caller is guest"}
            "#,
        );
    }

    /// A bench with a file of these bytes, and what reading it answers.
    fn read(name: &str, bytes: &[u8]) -> crate::tool::Reply {
        let mut bench = Bench::new();
        fs::write(bench.dir().join(WORK).join(name), bytes).unwrap();
        bench.call("grz_read_file", json!({"file_path": name, "limit": -1}))
    }

    #[test]
    fn texts_are_shown_however_they_are_encoded() {
        let table: [(&[u8], &str); 6] = [
            (b"\xef\xbb\xbfmarked\r\nend", "1\tmarked\n2\tend"),
            (b"\xef\xbb\xbf", ""),
            (b"caf\xe9", "1\tcaf\u{fffd}"),
            (b"\xff\xfeh\0\r\0\n\0i\0", "1\th\n2\ti"),
            (b"\xfe\xff\0h\0i", "1\thi"),
            (b"\n\n", "1\t\n2\t"),
        ];
        for (bytes, content) in table {
            assert_eq!(read("text", bytes).value["content"], content, "{bytes:?}");
        }
    }

    #[test]
    fn images_and_pdf_come_attached_and_other_binaries_do_not_come() {
        let png = b"\x89PNG\r\n\x1a\n\0\0";
        let reply = read("a b.png", png);
        assert_eq!(reply.value["content"], "image/png, 10 bytes, attached");
        let metadata = json!({"total_lines": 0, "read_lines": 0, "offset": 0, "has_more": false});
        assert_eq!(reply.value["metadata"], metadata);
        let [attachment] = reply.attachments.as_slice() else { panic!("one attachment") };
        assert_eq!((attachment.mime_type, attachment.bytes.as_slice()), ("image/png", &png[..]));
        assert!(attachment.uri.starts_with("file:///") && attachment.uri.ends_with("/a%20b.png"));
        assert_eq!(read("x.pdf", b"%PDF-1.7\n").attachments[0].mime_type, "application/pdf");
        let error = read("x.bin", b"\x7fELF\0").value["error"].as_str().unwrap().to_owned();
        let end = "is a binary file (5 bytes); only text, images and PDF are read";
        assert!(error.ends_with(end), "{error}");
    }

    #[test]
    fn the_whole_of_a_large_file_ends_with_a_full_page_and_goes_on_from_there() {
        let mut bench = Bench::new();
        let text: String = (1..=900_000).map(|n| format!("this is line {n}\n")).collect();
        fs::write(bench.dir().join(WORK).join("large.txt"), &text).unwrap();
        let mut offset = 0;
        loop {
            let request = json!({"file_path": "large.txt", "limit": -1, "offset": offset});
            let reply = bench.call("grz_read_file", request).value;
            let content = reply["content"].as_str().unwrap();
            assert!(content.len() <= 10 << 20, "{}", content.len());
            for row in content.lines() {
                offset += 1;
                assert_eq!(row, format!("{offset}\tthis is line {offset}"));
            }
            assert_eq!(reply["metadata"]["total_lines"], 900_000);
            if reply["metadata"]["has_more"] == false {
                break;
            }
        }
        assert_eq!(offset, 900_000);
    }
}
