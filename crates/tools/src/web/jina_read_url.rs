//! `jina_read_url`.

use engine::{Result, web};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;
use crate::tool::{Context, Effect, Tool};
use crate::wire::Text;

/// Read a web page as Markdown, without menus and advertisements.
///
/// # When to use
/// To read what `brave_web_search` found, or a page that somebody names.
///
/// # Usage
/// ```json
/// {"url": "https://example.org/"}
/// ```
///
/// # Returns
/// `content`: title, URL and the page as Markdown; links are absolute. Plain text, Markdown and JSON
/// come as they are. With a Jina key Jina's reader reads the page, else the server itself; scripts are
/// not run then.
///
/// # Errors
/// `HTTP {code}: ...`; no http or https address, a private address, more than 5 MB, something that is
/// no text (PDF, image).
///
/// # Related
/// `web::read`: `brave_web_search` finds pages.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct JinaReadUrl {
    /// The page's address, with http or https
    url: Text<1, 2000>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Read {
    success: bool,
    content: String,
    error: String,
}

impl Tool for JinaReadUrl {
    const NAME: &'static str = "jina_read_url";
    const EFFECT: Effect = READ;
    const ROLE: Role = Role::User;
    type Response = Read;

    fn call(self, cx: &Context<'_>) -> Result<Read> {
        let content = web::read(cx.engine, &self.url.0)?;
        Ok(Read { success: true, content, error: String::new() })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn a_page_is_read() {
        check(
            r##"
            > jina_read_url {"url": " https://example.org/ "}
            < {"success": true, "error": "",
                "content": "Title: Example\n\nURL Source: https://example.org/\n\nMarkdown Content:\n# Example"}
            "##,
        );
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        check(
            r#"
            > jina_read_url {"url": "https://example.org/gone"}
            <! {"success": false, "error": "HTTP 404: Not Found"}
            > jina_read_url {"url": "http://localhost/"}
            <! {"success": false, "error": "the host localhost $*--allow-private-urls"}
            > jina_read_url {"url": ""}
            <! {"success": false, "error": "url got \"\"; it takes a text of 1 to 2000 characters"}
            > jina_read_url {}
            <! {"success": false, "error": "url is missing; $*"}
            "#,
        );
    }
}
