//! Pages, and what becomes of them.

use engine::ErrorKind;
use url::Url;

use super::*;

const SENTENCES: &str = "Herons stand in shallow water, and they wait, for a long time, until a fish comes by. \
    Then they strike, which takes less than a second, and nobody who has seen it, forgets it. ";

fn fetched(content_type: &str, body: &[u8]) -> Fetched {
    let url = Url::parse("https://example.org/dir/page").unwrap();
    Fetched { url, content_type: content_type.to_owned(), body: body.to_vec() }
}

fn whole(html: &str) -> String {
    read(&fetched("text/html; charset=utf-8", html.as_bytes())).unwrap()
}

/// The content alone.
fn markdown(html: &str) -> String {
    whole(html).split_once("Markdown Content:\n").unwrap().1.to_owned()
}

#[test]
fn a_page_has_the_form_of_jinas_reader() {
    let html = "<!doctype html><html><head><title> A\n page &amp; more </title>\
        <meta property='article:published_time' content='2026-01-02T03:04:05Z'></head>\
        <body><p>Text</p></body></html>";
    let expected = "Title: A page & more\n\nURL Source: https://example.org/dir/page\n\n\
        Published Time: 2026-01-02T03:04:05Z\n\nMarkdown Content:\nText";
    assert_eq!(whole(html), expected);
    assert!(whole("<h1>Only <em>this</em></h1>").starts_with("Title: Only this\n"));
    assert!(whole("").ends_with(
        "Content:\n(The page holds no text. It may be made by scripts, which are not run here.)"
    ));
}

#[test]
fn texts_come_as_they_are_and_other_things_are_refused_by_name() {
    for (content_type, body) in [
        ("text/plain", "a <b>  c\n"),
        ("text/markdown; charset=utf-8", "# A\n\n<p>"),
        ("application/json", "{\"a\":  1}"),
        ("application/ld+json", "{}"),
        ("application/atom+xml", "<feed/>"),
        ("text/csv", "a,b"),
        ("", "no type at all"),
    ] {
        let read = read(&fetched(content_type, body.as_bytes())).unwrap();
        assert_eq!(
            read,
            format!("URL Source: https://example.org/dir/page\n\nMarkdown Content:\n{body}")
        );
    }
    for (content_type, body, named) in [
        ("application/pdf", "%PDF-1.7", "application/pdf"),
        ("image/png", "\u{89}PNG", "image/png"),
        ("image/svg+xml", "<svg/>", "image/svg+xml"),
        ("application/zip", "PK", "application/zip"),
        ("application/octet-stream", "x", "application/octet-stream"),
        ("text/plain", "a\0b", "text/plain"),
        ("", "a\0b", "no text"),
    ] {
        let error = read(&fetched(content_type, body.as_bytes())).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidValue);
        assert!(
            error.message.starts_with(&format!("what example.org answered is {named}; ")),
            "{error}"
        );
    }
    assert!(read(&fetched("", b"\n<!DOCTYPE HTML><p>x")).unwrap().ends_with("Content:\nx"));
    assert!(
        read(&fetched("text/html", b"<meta charset=windows-1251><p>\xe4\xe0"))
            .unwrap()
            .ends_with("да")
    );
}

#[test]
fn words_keep_what_marks_them() {
    assert_eq!(
        markdown(
            "<p>One <b> two </b>three<i>four</i> <s>five</s> <code>a  `b`</code>, <kbd>x</kbd><br>six <q>seven</q></p>"
        ),
        "One **two** three*four* ~~five~~ `` a `b` ``, `x`\nsix \"seven\""
    );
    assert_eq!(markdown("<b><b>a</b></b> <em></em><strong> </strong>b"), "**a** b");
    assert_eq!(markdown("<b><p>one</p><p>two</p></b>"), "**one**\n\n**two**");
    assert_eq!(
        markdown(
            "<p>a*b `c` snake_case _d_ x&lt;y &lt;div&gt; <p># no <p>1. no <p>- no <p>&gt; no <p>#tag 3.5"
        ),
        "a\\*b \\`c\\` snake_case \\_d\\_ x\\<y \\<div>\n\n\\# no\n\n1\\. no\n\n\\- no\n\n\\> no\n\n#tag 3.5"
    );
}

#[test]
fn links_and_images_are_absolute() {
    assert_eq!(
        markdown(
            "<p><a href='../x?a=1&amp;b'>up</a> <a href='//cdn.test/(y)'>cdn</a> <a href='#here'>here</a> \
            <a href='javascript:x()'>script</a> <a name=z>named</a> <a href='mailto:a@b.c'>mail</a><a href=e></a>"
        ),
        "[up](https://example.org/x?a=1&b) [cdn](https://cdn.test/%28y%29) here script named [mail](mailto:a@b.c)"
    );
    assert_eq!(
        markdown(
            "<p><img alt='A [b]' src=i.png> <img src=j.png> <img alt=c src='data:image/png;base64,AA' data-src=/k.png>\
            <a href=l><img alt=d src=m></a>"
        ),
        "![A \\[b\\]](https://example.org/dir/i.png) ![c](https://example.org/k.png)\
            [![d](https://example.org/dir/m)](https://example.org/dir/l)"
    );
    assert_eq!(
        markdown("<base href='https://b.test/q/'><p><a href=c>d</a>"),
        "[d](https://b.test/q/c)"
    );
    // A card: the first line is the link.
    assert_eq!(
        markdown("<a href=c><h3>Card</h3><p>About it</p></a><p>next"),
        "### [Card](https://example.org/dir/c)\n\nAbout it\n\nnext"
    );
}

#[test]
fn blocks_keep_their_form() {
    let html = "<b><h2>A <i>head</i> of\n it <a class=anchor href='#head'>¶</a></h2></b>\n<ul><li>one<li><p>two</p><ol start=3><li>x</li><li>y</ol>\
        <li>three</ul>\n<blockquote><p>said</p><p>and</p><ul><li>a</ul></blockquote><hr>\
        <dl><dt>term<dd>meaning</dl><p>end";
    assert_eq!(
        markdown(html),
        "## **A *head* of it**\n\n- one\n- two\n\n  3. x\n  4. y\n- three\n\n> said\n>\n> and\n>\n> - a\n\n---\n\nterm\n: meaning\n\nend"
    );
}

#[test]
fn code_keeps_its_lines() {
    let html = "<ul><li>do<pre><code class='language-rust'>\nfn main() {\n    let a = &amp;1; // ```\n}\n</code></pre></ul>\
        <div class='highlight-source-c++'><pre>int <span>x</span>;<br>int y;</pre></div><pre>  </pre>";
    assert_eq!(
        markdown(html),
        "- do\n\n  ````rust\n  fn main() {\n      let a = &1; // ```\n  }\n  ````\n\n```c++\nint x;\nint y;\n```"
    );
}

#[test]
fn tables_are_tables() {
    let html = "<table><caption>Birds</caption><thead><tr><th>Name<th>Legs</thead><tbody><tr><td><b>Heron</b>, <a href=h>grey</a>\
        <td>2<tr><td colspan=2>a|b<p>c</p></table><p>after";
    assert_eq!(
        markdown(html),
        "Birds\n\n| Name | Legs |\n| --- | --- |\n| **Heron**, [grey](https://example.org/dir/h) | 2 |\n| a\\|b c |  |\n\nafter"
    );
    // A table that lays out a page is none.
    assert_eq!(
        markdown("<table><tr><td>menu<td><h1>Text</h1><table><tr><td>1<td>2</table></table>"),
        "menu\n\n# Text\n\n| 1 | 2 |\n| --- | --- |"
    );
}

#[test]
fn what_is_not_shown_is_not_written() {
    let html = "<head><style>a{}</style><script>x='</p>'</script></head><p>a<script>b</script>\
        <svg><title>c</title><text>d</text></svg><svg/><template>e</template><noscript>f</noscript>\
        <span hidden>g</span><span style='Display : none'>h</span><i aria-hidden=true>i</i>\
        <!-- j --><button>k</button><select><option>l</select><textarea>m</textarea><iframe>n</iframe>o</p>";
    assert_eq!(markdown(html), "ao");
}

#[test]
fn the_text_is_found_among_what_is_around_it() {
    let article = format!(
        "<h1>Herons</h1><p>{SENTENCES}</p><h2>Food</h2><p>{SENTENCES}</p><ul><li>Fish</ul><table><tr><th>a<th>b<tr><td>1<td>2</table>"
    );
    let around = |inner: &str| {
        format!(
            "<title>Herons</title><body><div class=skip-link><a href='#c'>Skip</a></div>\
             <header class=site><a href=/>Home</a><nav><ul><li><a href=/a>Menu A</a></ul></nav></header>\
             <div class='cookie-banner'>We use cookies, as everybody does, to follow you.</div>\
             <div class=wrap><div id=sidebar><p>Subscribe to our letter, it is free, of course, and long.</p></div>{inner}</div>\
             <aside>Also read: <a href=/b>Ducks</a></aside>\
             <footer>Copyright, all rights reserved, <a href=/i>Imprint</a></footer>"
        )
    };
    let text = SENTENCES.trim();
    let expected = format!(
        "# Herons\n\n{text}\n\n## Food\n\n{text}\n\n- Fish\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    );
    for inner in [
        format!("<main>{article}</main>"),
        format!("<article>{article}</article>"),
        format!(
            "<div role=main><article>{article}<footer><a href=/t>Tags</a></footer></article></div>"
        ),
        format!("<div class=post>{article}</div>"),
        format!("<div><div><div>{article}</div></div></div>"),
        article.clone(),
    ] {
        assert_eq!(markdown(&around(&inner)), expected, "{inner}");
    }
    // Notes beside a text belong to it; what only wraps it in a class of a menu is not lost.
    let note = format!("<main><p>{SENTENCES}</p><aside><p>Mind the gap.</p></aside></main>");
    assert!(markdown(&around(&note)).ends_with("Mind the gap."));
    // A menu is one, even if it calls itself content.
    let menu = "<li><a href=/l>Language</a>".repeat(20);
    let menu = format!("<main><p>{SENTENCES}</p><div class=menu-content>{menu}</div></main>");
    assert_eq!(markdown(&around(&menu)), text);
    let odd = format!(
        "<div class='page-with-sidebar nav-open'><p>{SENTENCES}</p><p>{SENTENCES}</p></div>"
    );
    assert!(markdown(&odd).contains(text));
}

#[test]
fn a_short_page_is_read_as_a_whole() {
    let html = "<header>Status</header><nav><a href=/a>A</a></nav><p>All is well.";
    assert_eq!(markdown(html), "All is well.");
    assert_eq!(
        markdown("<nav><ul><li><a href=/a>Only a menu</a></ul></nav>"),
        "- [Only a menu](https://example.org/a)"
    );
    let list = format!("<ul>{}</ul>", "<li><a href=/x>A page of links</a></li>".repeat(20));
    assert_eq!(markdown(&list).lines().count(), 20);
    let articles =
        format!("<main>{}</main>", format!("<article><p>{SENTENCES}</p></article>").repeat(3));
    assert_eq!(markdown(&articles).matches("Herons").count(), 3);
}

#[test]
fn plain_text_of_html() {
    assert_eq!(
        plain("A <strong>b</strong>&amp;c &#39;d&#x27;\n e < f &lt;g&gt;"),
        "A b&c 'd' e < f <g>"
    );
}

/// Reads on a thread with little room, so that what recurses without end is found. What takes more
/// time than its size allows would not end here.
fn survives(name: &str, html: String) {
    assert!(html.len() <= 5_000_000, "{name}");
    let work = move || read(&fetched("text/html", html.as_bytes())).map(|text| text.len());
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(work).unwrap();
    let length = thread.join().unwrap();
    assert!(length.is_err() || length.is_ok_and(|length| length < 30_000_000), "{name}");
}

#[test]
fn hostile_pages_cost_no_more_than_their_size() {
    let pages = [
        ("nested", "<div>".repeat(100_000)),
        ("nested and closed", "<div>".repeat(100_000) + "x" + &"</div>".repeat(100_000)),
        ("quotes", "<blockquote>".repeat(30_000) + &"<p>x".repeat(30_000)),
        ("lists", "<ul><li>".repeat(30_000) + &"<p>x".repeat(30_000)),
        ("bold", "<b>x".repeat(30_000)),
        (
            "formats",
            (0..20_000).map(|n| format!("<font size={n}><b><i>")).collect::<String>()
                + &"<p>x".repeat(30_000),
        ),
        ("links", "<a href=a>x".repeat(30_000)),
        ("tables", "<table><tr><td>x".repeat(30_000)),
        ("cells", "<table>".to_owned() + &"<td>x".repeat(30_000)),
        ("wide", format!("<table><tr>{}{}", "<td>x".repeat(30_000), "<tr><td>x".repeat(30_000))),
        ("spans", format!("<table>{}", "<tr><td colspan=99999>x".repeat(30_000))),
        ("ends", "<div>".repeat(30_000) + &"</span>".repeat(30_000)),
        ("strange ends", "<x-y>".repeat(100_000) + &"</x-z>".repeat(100_000)),
        ("bodies", "<div>".repeat(100_000) + &"<body><html>".repeat(100_000)),
        ("attribute", format!("<p class='{}'>x", "a ".repeat(120_000))),
        ("attributes", format!("<p {}>x", "a ".repeat(120_000))),
        ("own attributes", format!("<p {}>x", "class=a id=b ".repeat(30_000))),
        ("many", "<p>".repeat(600_000)),
        (
            "base",
            format!("<base href='/{}/'>{}", "b".repeat(4_000), "<a href=b>x</a>".repeat(100_000)),
        ),
        ("entities", "&amp;".repeat(54_000)),
        ("half entities", "&ampx&".repeat(48_000)),
        ("brackets", "<".repeat(300_000)),
        ("comments", "<!--".repeat(60_000)),
        ("comment ends", "<!--".to_owned() + &"--!".repeat(90_000)),
        ("script", "<script>".repeat(36_000)),
        ("script ends", "<script>".to_owned() + &"</scrip".repeat(36_000)),
        ("skipped", "<svg>".repeat(54_000)),
        ("one word", "x".repeat(300_000)),
        (
            "backticks",
            format!("<code>{}</code><pre>{}</pre>", "`".repeat(120_000), "`".repeat(120_000)),
        ),
        ("zeros", "\0".repeat(300_000)),
        ("headings", "<h1>".repeat(30_000)),
        ("nested headings", "<h1><div>x".repeat(30_000)),
        ("items", "<li>".repeat(30_000) + "x"),
        ("terms", "<dl><dt><dd>".repeat(30_000) + "x"),
        ("pre", "<pre>x".repeat(30_000)),
        ("code", "<code>x".repeat(30_000)),
        ("quoted code", format!("{}<pre>{}", "<blockquote>".repeat(30_000), "\n".repeat(240_000))),
    ];
    for (name, html) in pages {
        survives(name, html);
    }
}
