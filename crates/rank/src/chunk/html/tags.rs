//! What tags do to the text around them.

use super::page::Gap;

/// What is in these is never seen.
pub(super) fn is_hidden(name: &[u8]) -> bool {
    matches!(name, b"script" | b"style" | b"template" | b"iframe" | b"noembed" | b"noframes")
}

/// The level of a heading.
pub(super) fn heading_level(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// What parts the text before a tag from the text behind it.
pub(super) fn gap(name: &[u8]) -> Gap {
    match name {
        b"br" | b"li" | b"tr" | b"dt" | b"dd" | b"option" | b"legend" | b"summary" => Gap::Line,
        b"td" | b"th" | b"img" | b"input" | b"button" | b"select" => Gap::Space,
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"caption" | b"center"
        | b"details" | b"dialog" | b"div" | b"dl" | b"fieldset" | b"figcaption" | b"figure"
        | b"footer" | b"form" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head"
        | b"header" | b"hr" | b"html" | b"main" | b"menu" | b"nav" | b"noscript" | b"ol" | b"p"
        | b"pre" | b"section" | b"table" | b"tbody" | b"textarea" | b"tfoot" | b"thead"
        | b"title" | b"ul" => Gap::Block,
        _ => Gap::None,
    }
}

/// Whether a tag starts an item of a list or a table.
pub(super) fn is_item(name: &[u8]) -> bool {
    matches!(name, b"li" | b"tr" | b"dt")
}
