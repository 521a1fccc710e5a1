//! The services and pages of a server on the loopback.

use std::collections::HashMap;
use std::io;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::guard::Resolve;
use super::server::{Reply, Server};
use super::*;

const KEY: &str = "BSA-s3cret";

/// Slow enough for a busy machine.
const BOUNDS: Bounds = Bounds {
    connect: Duration::from_secs(5),
    whole: Duration::from_secs(5),
    pause_max: Duration::from_millis(10),
    body_max: 1_000_000,
};

/// For tests of what never ends.
const HASTY: Bounds = Bounds { whole: Duration::from_millis(300), ..BOUNDS };

fn web(server: &Server, bounds: Bounds) -> LiveWeb {
    let setup = WebSetup {
        brave_key: Some(KEY.to_owned()),
        brave_url: server.url.clone(),
        ..WebSetup::default()
    };
    LiveWeb::bounded(&setup, bounds).unwrap()
}

/// Reads pages without Jina, wherever they are.
fn reader(bounds: Bounds) -> LiveWeb {
    let setup = WebSetup { allow_private: true, ..WebSetup::default() };
    LiveWeb::bounded(&setup, bounds).unwrap()
}

fn pages() -> Value {
    json!({
        "type": "search",
        "query": {"original": "rust", "more_results_available": true},
        "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": false}]},
        "web": {"type": "search", "family_friendly": true, "results": [
            {"title": "Rust &amp; you", "url": "https://www.rust-lang.org/?a=1&b=2", "is_source_local": false,
                "description": "A language empowering <strong>everyone</strong> to build it&#x27;s \n own &lt;T&gt;.",
                "language": "en", "meta_url": {"scheme": "https"}, "extra_snippets": ["x"]},
            {"title": "No description", "url": "https://example.org/"},
            {"title": "No address"},
        ]},
    })
}

fn locations() -> Value {
    json!({"type": "search", "locations": {"type": "locations", "results": [
        {"type": "location_result", "id": "loc4AB=", "title": "Café Ada"},
        {"type": "location_result", "id": "loc4CD=", "title": "Bakery"},
    ]}})
}

fn pois() -> Value {
    json!({"type": "local_pois", "results": [
        {"type": "location_result", "id": "loc4AB=", "title": "Café Ada &amp; Sons", "provider_url": "https://x",
            "postal_address": {"type": "PostalAddress", "displayAddress": "1 Main St, London", "country": "GB"},
            "contact": {"telephone": "+44 20 1234"},
            "rating": {"ratingValue": 4.25, "bestRating": 5.0, "reviewCount": 12}},
        {"type": "location_result", "name": "Bakery", "postal_address": {"type": "PostalAddress",
            "streetAddress": "2 Side St", "addressLocality": "London"},
            "rating": {"ratingValue": 9, "bestRating": 10}},
        {"type": "location_result", "id": "nameless"},
    ]})
}

#[test]
fn a_search_answers_pages_without_markup() {
    let server = Server::start(vec![Reply::ok(&pages())]);
    let hits = web(&server, BOUNDS).search("rust & c++ = ä", 10, 2).unwrap();
    let told: Vec<_> = hits.iter().map(|hit| [&*hit.title, &*hit.url, &*hit.description]).collect();
    assert_eq!(
        told,
        [
            [
                "Rust & you",
                "https://www.rust-lang.org/?a=1&b=2",
                "A language empowering everyone to build it's own <T>."
            ],
            ["No description", "https://example.org/", ""]
        ]
    );
    let asked = server.asked();
    let path = "GET /res/v1/web/search?q=rust%20%26%20c%2B%2B%20%3D%20%C3%A4&count=10&offset=2 HTTP/1.1\r\n";
    assert!(asked[0].starts_with(path), "{}", asked[0]);
    let head = asked[0].to_lowercase();
    assert!(head.contains("x-subscription-token: bsa-s3cret\r\n"), "{head}");
    assert!(head.contains("accept: application/json\r\n"), "{head}");
}

#[test]
fn no_results_are_no_error() {
    for empty in [json!({"type": "search"}), json!({"web": {"results": []}}), json!({"web": null})]
    {
        let server = Server::start(vec![Reply::ok(&empty)]);
        assert_eq!(web(&server, BOUNDS).search("q", 1, 0).unwrap(), []);
    }
    let server = Server::start(vec![Reply::ok(&pages())]);
    assert_eq!(web(&server, BOUNDS).search("q", 1, 0).unwrap().len(), 1);
}

#[test]
fn places_are_found_and_then_asked_about() {
    let server = Server::start(vec![Reply::ok(&locations()), Reply::ok(&pois())]);
    let places = web(&server, BOUNDS).places("coffee in London", 5).unwrap();
    assert_eq!(
        places,
        [
            Place {
                title: "Café Ada & Sons".to_owned(),
                address: "1 Main St, London".to_owned(),
                phone: "+44 20 1234".to_owned(),
                rating: 4.25,
            },
            Place {
                title: "Bakery".to_owned(),
                address: "2 Side St, London".to_owned(),
                phone: String::new(),
                rating: 4.5,
            },
        ]
    );
    let asked = server.asked();
    assert!(asked[0].contains("&result_filter=locations HTTP/1.1"), "{}", asked[0]);
    assert!(
        asked[1].starts_with("GET /res/v1/local/pois?ids=loc4AB%3D&ids=loc4CD%3D HTTP"),
        "{}",
        asked[1]
    );
}

#[test]
fn no_places_are_none_and_names_are_better_than_nothing() {
    let server = Server::start(vec![Reply::ok(&pages())]);
    assert_eq!(web(&server, BOUNDS).places("rust", 5).unwrap(), []);
    let server = Server::start(vec![Reply::ok(&locations()), Reply::ok(&json!({"results": []}))]);
    let places = web(&server, BOUNDS).places("coffee", 1).unwrap();
    assert_eq!(places.len(), 1);
    assert_eq!(places[0].title, "Café Ada");
}

#[test]
fn without_a_key_nothing_is_searched() {
    for key in [None, Some(" ".to_owned())] {
        let setup = WebSetup { brave_key: key, ..WebSetup::default() };
        let web = LiveWeb::new(&setup).unwrap();
        let errors = [web.search("q", 1, 0).unwrap_err(), web.places("q", 1).unwrap_err()];
        for error in errors {
            assert_eq!(error.message, "Brave Search is disabled or API key is not configured");
            assert_eq!(error.kind, ErrorKind::Outside);
        }
    }
}

#[test]
fn an_offset_beyond_what_brave_has_is_named() {
    let server = Server::start(vec![]);
    let error = web(&server, BOUNDS).search("q", 1, 10).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidValue);
    assert_eq!(error.message, "offset got 10; it takes a whole number from 0 to 9");
}

#[test]
fn a_service_that_fails_is_quoted_without_the_key() {
    let detail = |code: &str, text: &str| json!({"type": "ErrorResponse", "error": {"code": code, "detail": text}});
    let cases = [
        (
            Reply::status(
                "401 Unauthorized",
                &detail("X", &format!("The token {KEY} is invalid.")),
            ),
            ErrorKind::Outside,
            "HTTP 401: The token *** is invalid.",
        ),
        (
            Reply::status("422 Unprocessable Entity", &detail("VALIDATION", "q is too long")),
            ErrorKind::Outside,
            "HTTP 422: q is too long",
        ),
        (
            Reply::status("500 Internal Server Error", &""),
            ErrorKind::Outside,
            "HTTP 500: Internal Server Error",
        ),
        (
            Reply::status("502 Bad Gateway", &"<html><title>502 Bad\nGateway</title>"),
            ErrorKind::Outside,
            "HTTP 502: 502 Bad Gateway",
        ),
        (
            Reply::status("429 Too Many Requests\r\nRetry-After: 30", &""),
            ErrorKind::Limit,
            "HTTP 429: rate limited; try again in 30 s",
        ),
        (
            Reply::status(
                "429 Too Many Requests\r\nX-RateLimit-Remaining: 1, 0\r\nX-RateLimit-Reset: 1, 86400",
                &"",
            ),
            ErrorKind::Limit,
            "HTTP 429: rate limited; try again in 86400 s",
        ),
        (
            Reply::status("429 Too Many Requests", &""),
            ErrorKind::Limit,
            "HTTP 429: rate limited; try again later",
        ),
        (Reply::to("http://127.0.0.1:1/"), ErrorKind::Outside, "HTTP 302: Found"),
        (
            Reply::ok(&format!("not JSON {KEY}")),
            ErrorKind::Outside,
            "Brave Search answered what is no JSON: not JSON ***",
        ),
        (
            Reply::ok(&r#"{"web": {"results": [{"#),
            ErrorKind::Outside,
            r#"Brave Search answered what is no JSON: {"web": {"results": [{"#,
        ),
    ];
    for (reply, kind, message) in cases {
        let server = Server::start(vec![reply]);
        let error = web(&server, BOUNDS).search("q", 1, 0).unwrap_err();
        assert_eq!((error.kind, &*error.message), (kind, message));
    }
}

#[test]
fn half_an_answer_is_none() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"web\": ".to_vec();
    let server = Server::start(vec![Reply::Raw(half)]);
    let error = web(&server, BOUNDS).search("q", 1, 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Outside);
    assert!(error.message.starts_with("Brave Search gave no whole answer: "), "{error}");
    let server = Server::start(vec![Reply::Raw(Vec::new())]);
    assert_eq!(web(&server, BOUNDS).search("q", 1, 0).unwrap_err().kind, ErrorKind::Outside);
}

#[test]
fn a_service_that_stalls_is_not_waited_for() {
    let server = Server::start(vec![Reply::Stall]);
    let error = web(&server, HASTY).search("q", 1, 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert_eq!(error.message, "Brave Search gave no whole answer within 300ms");
}

#[test]
fn who_asks_to_come_back_at_once_is_asked_again_once() {
    let busy = || Reply::status("429 Too Many Requests\r\nRetry-After: 0", &"");
    let server = Server::start(vec![busy(), Reply::ok(&pages())]);
    assert_eq!(web(&server, BOUNDS).search("q", 5, 0).unwrap().len(), 2);
    let server = Server::start(vec![busy(), busy(), Reply::ok(&pages())]);
    let error = web(&server, BOUNDS).search("q", 5, 0).unwrap_err();
    assert_eq!(error.message, "HTTP 429: rate limited; try again in 0 s");
}

#[test]
fn too_long_an_answer_is_refused() {
    let server = Server::start(vec![Reply::ok(&"x".repeat(1_000_001))]);
    let error = web(&server, BOUNDS).search("q", 1, 0).unwrap_err();
    assert_eq!(
        (error.kind, &*error.message),
        (ErrorKind::Limit, "Brave Search: the page has more than 1 MB")
    );
}

#[test]
fn jina_reads_a_page_that_is_public() {
    let said = "Title: T\n\nURL Source: https://1.1.1.1/\n\nMarkdown Content:\n# T";
    let server = Server::start(vec![
        Reply::status("200 OK\r\nContent-Type: text/plain", &said),
        Reply::status(
            "422 Unprocessable Entity",
            &json!({"code": 422, "message": "Domain 'x' could not be resolved"}),
        ),
    ]);
    let setup = WebSetup {
        jina_key: Some("jina-s3cret".to_owned()),
        jina_url: format!("{}/", server.url),
        ..WebSetup::default()
    };
    let web = LiveWeb::bounded(&setup, BOUNDS).unwrap();
    assert_eq!(web.read("https://1.1.1.1/a?b=c&d#e").unwrap(), said);
    let asked = server.asked();
    assert!(asked[0].starts_with("GET /https://1.1.1.1/a?b=c&d HTTP/1.1\r\n"), "{}", asked[0]);
    assert!(
        asked[0].to_lowercase().contains("authorization: bearer jina-s3cret\r\n"),
        "{}",
        asked[0]
    );
    let error = web.read("https://1.1.1.1/").unwrap_err();
    assert_eq!(error.message, "HTTP 422: Domain 'x' could not be resolved");
    // What is private does not even reach it.
    server.asked();
    for private in ["http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/latest/"] {
        assert_eq!(web.read(private).unwrap_err().kind, ErrorKind::Forbidden);
    }
    assert!(server.asked().is_empty());
}

#[test]
fn pages_are_read_without_jina() {
    let html = "<title>A page</title><h1>Hello</h1><p>World &amp; <a href='b'>more</a></p>";
    let server = Server::start(vec![Reply::html(html)]);
    let url = format!("{}/a/", server.url);
    let read = reader(BOUNDS).read(&url).unwrap();
    let expected = format!(
        "Title: A page\n\nURL Source: {url}\n\nMarkdown Content:\n# Hello\n\nWorld & [more]({url}b)"
    );
    assert_eq!(read, expected);
    let head = server.asked().remove(0).to_lowercase();
    assert!(
        head.starts_with("get /a/ http/1.1\r\n") && head.contains("accept-encoding: gzip\r\n"),
        "{head}"
    );
}

#[test]
fn a_packed_page_is_unpacked_and_no_more_of_it_than_is_read() {
    let packed = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        let head = "200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip";
        Reply::Status(head.to_owned(), gzip.finish().unwrap())
    };
    let server = Server::start(vec![packed("grüße".as_bytes()), packed(&vec![b'x'; 5_000_000])]);
    let reader = reader(BOUNDS);
    assert!(reader.read(&server.url).unwrap().ends_with("Markdown Content:\ngrüße"));
    let error = reader.read(&server.url).unwrap_err();
    assert_eq!(
        (error.kind, &*error.message),
        (ErrorKind::Limit, "127.0.0.1: the page has more than 1 MB")
    );
    let server = Server::start(vec![Reply::status("200 OK\r\nContent-Encoding: br", &"x")]);
    let error = reader.read(&server.url).unwrap_err();
    assert_eq!(error.message, "127.0.0.1 packed the page as br, unasked");
}

#[test]
fn a_page_that_fails_is_told_by_its_status() {
    let cases = [
        (
            Reply::status(
                "404 Not Found\r\nContent-Type: text/html",
                &"<title>Nothing here</title>",
            ),
            "HTTP 404: Nothing here",
        ),
        (Reply::status("503 Service Unavailable", &""), "HTTP 503: Service Unavailable"),
        (
            Reply::status("429 Too Many Requests\r\nRetry-After: 7", &""),
            "HTTP 429: rate limited; try again in 7 s",
        ),
        (Reply::status("304 Not Modified", &""), "HTTP 304: Not Modified"),
    ];
    for (reply, message) in cases {
        let server = Server::start(vec![reply]);
        assert_eq!(reader(BOUNDS).read(&server.url).unwrap_err().message, message);
    }
    let server = Server::start(vec![Reply::Stall]);
    assert_eq!(reader(HASTY).read(&server.url).unwrap_err().kind, ErrorKind::Timeout);
    let gone = Server::start(vec![]).url;
    assert_eq!(reader(BOUNDS).read(&gone).unwrap_err().kind, ErrorKind::Outside);
}

/// Names whose addresses change: each time the next is told, and the last stays.
struct Names {
    told: Mutex<HashMap<&'static str, Vec<SocketAddr>>>,
}

impl Resolve for Names {
    fn addresses(&self, host: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        let mut told = self.told.lock().unwrap();
        let addresses = told.get_mut(host).ok_or(io::ErrorKind::NotFound)?;
        let next = if addresses.len() > 1 { addresses.remove(0) } else { addresses[0] };
        Ok(vec![next])
    }
}

/// Reads pages of hosts with these addresses, of which some are taken for public.
fn guarded(names: &[(&'static str, &[SocketAddr])], public: &[SocketAddr]) -> LiveWeb {
    let told = names.iter().map(|(name, all)| (*name, all.to_vec())).collect();
    let mut web = LiveWeb::bounded(&WebSetup::default(), BOUNDS).unwrap();
    web.guard = Guard::new(false, Arc::new(Names { told: Mutex::new(told) }));
    web.guard.exempt = public.to_vec();
    web
}

#[test]
fn the_connection_goes_to_the_address_that_was_checked() {
    let public = Server::start(vec![Reply::html("<p>public"), Reply::html("<p>public")]);
    let private = Server::start(vec![Reply::html("<p>private")]);
    // The name is public when it is checked, and private whenever it is asked for again.
    let web = guarded(&[("rebind.test", &[public.address, private.address])], &[public.address]);
    assert!(web.read("http://rebind.test/").unwrap().ends_with("\npublic"));
    assert!(public.asked()[0].to_lowercase().contains("host: rebind.test\r\n"));
    let error = web.read("http://rebind.test/").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Forbidden);
    assert!(private.asked().is_empty());
}

#[test]
fn every_address_that_a_page_sends_to_is_checked() {
    let private = Server::start(vec![Reply::html("<p>private")]);
    let port = private.address.port();
    let to = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://inside.test:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ];
    for to in to {
        let public = Server::start(vec![Reply::to("/next"), Reply::to(&to)]);
        let names: [(_, &[_]); 2] =
            [("a.test", &[public.address]), ("inside.test", &[private.address])];
        let error = guarded(&names, &[public.address]).read("http://a.test/").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Forbidden, "{to}: {error}");
        assert_eq!(public.asked().len(), 2);
    }
    assert!(private.asked().is_empty());
    for to in ["file:///etc/passwd", "ftp://a.test/", "http://u:s3cret@a.test/", "http://"] {
        let public = Server::start(vec![Reply::to(to)]);
        let error =
            guarded(&[("a.test", &[public.address])], &[public.address]).read("http://a.test/");
        let error = error.unwrap_err();
        assert_eq!(error.message, "a.test sends to something that is no address of a page");
    }
}

#[test]
fn a_page_may_send_elsewhere_five_times() {
    let name = |server: &Server| guarded(&[("a.test", &[server.address])], &[server.address]);
    let mut replies = vec![Reply::to("b"); 5];
    replies.push(Reply::html("<p>there"));
    let server = Server::start(replies);
    let read = name(&server).read("http://a.test/a").unwrap();
    assert!(read.contains("URL Source: http://a.test/b\n") && read.ends_with("there"), "{read}");
    let server = Server::start(vec![Reply::to("/a"); 10]);
    let error = name(&server).read("http://a.test/a").unwrap_err();
    assert_eq!(error.message, "the page sends elsewhere more than 5 times, at last to a.test");
    assert_eq!(server.asked().len(), 6);
}

#[test]
fn keys_are_not_shown() {
    let setup = WebSetup {
        brave_key: Some(KEY.to_owned()),
        jina_key: Some(KEY.to_owned()),
        ..WebSetup::default()
    };
    let web = LiveWeb::new(&setup).unwrap();
    assert!(!format!("{setup:?}{web:?}").contains("s3cret"));
}
