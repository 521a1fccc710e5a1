//! What elements are, by their names.

/// The elements that mean something here, sorted.
const KNOWN: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "math",
    "menu",
    "meta",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "option",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// An element's name as it is known here; none if it is not.
pub(super) fn known(name: &[u8]) -> Option<&'static str> {
    KNOWN.binary_search_by(|known| known.as_bytes().cmp(name)).ok().map(|at| KNOWN[at])
}

/// It has no content and no end.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Its content is nothing to read.
pub(super) fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "audio"
            | "button"
            | "canvas"
            | "dialog"
            | "iframe"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "rp"
            | "script"
            | "select"
            | "style"
            | "svg"
            | "template"
            | "textarea"
            | "video"
    )
}

/// It belongs into a head.
pub(super) fn is_of_head(name: &str) -> bool {
    matches!(name, "base" | "link" | "meta" | "title") || is_skipped(name)
}

/// It stands on lines of its own.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}

/// The level of a heading.
pub(super) fn heading(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(usize::from(level - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found() {
        assert!(KNOWN.is_sorted());
        assert!(KNOWN.iter().all(|name| known(name.as_bytes()) == Some(*name)));
        assert_eq!(known(b"my-card"), None);
        assert_eq!(heading("h3"), Some(3));
        assert_eq!(heading("hr"), None);
    }
}
