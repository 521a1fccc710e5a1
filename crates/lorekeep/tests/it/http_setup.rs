//! How HTTP is set up: where it listens, with what certificate, how much it takes.

use std::path::Path;
use std::process::Output;

use serde_json::json;
use ureq::http::{Method, StatusCode};
use ureq::tls::Certificate;

use crate::support::{lorekeep, modern};
use crate::web::Http;

/// Starts a server that must not start; what it said.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let output = lorekeep(dir).arg("serve").args(arguments).output().unwrap();
    said(&output)
}

fn said(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    errors
}

#[test]
fn beyond_this_machine_nothing_is_served_in_plain_text() {
    let dir = tempfile::tempdir().unwrap();
    let errors = refused(dir.path(), &["--http", "0.0.0.0:0"]);
    assert!(errors.contains("reaches beyond this machine") && errors.contains("--tls-cert"));
    let half = refused(dir.path(), &["--http", "0.0.0.0:0", "--tls-cert", "cert.pem"]);
    assert!(half.contains("http.tls-cert needs http.tls-key"), "{half}");
    let proxied = Http::start_at(dir.path(), "0.0.0.0:0", &["--behind-proxy"]);
    assert!(!proxied.token.is_empty(), "a token is needed all the same");
    assert_eq!(proxied.call("memory_add", &json!({"content": "kept"})).value["success"], true);
}

#[test]
fn tls_is_served_with_the_certificate_that_is_set_up() {
    let dir = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::create_dir_all(dir.path().join("config/lorekeep")).unwrap();
    std::fs::write(dir.path().join("config/lorekeep/cert.pem"), made.cert.pem()).unwrap();
    let key = made.signing_key.serialize_pem();
    let key_path = dir.path().join("config/lorekeep/key.pem");
    std::fs::write(&key_path, key).unwrap();
    // Else the first that is said is a warning.
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&key_path, private).unwrap();
    let config = "[http]\ntls-cert = \"cert.pem\"\ntls-key = \"key.pem\"\n";
    std::fs::write(dir.path().join("config/lorekeep/lorekeep.toml"), config).unwrap();
    let http = Http::start_at(dir.path(), "0.0.0.0:0", &[]);
    assert!(http.url.starts_with("https://localhost:"), "a name that works: {}", http.url);
    let http = http.trusting(Certificate::from_der(&made.cert.der().clone()).to_owned());
    assert_eq!(http.call("memory_add", &json!({"content": "kept"})).value["success"], true);
    let wrong = ["--http", "127.0.0.1:0", "--tls-key", "/dev/null"];
    assert!(refused(dir.path(), &wrong).contains("/dev/null"));
    let key = key_path.to_str().unwrap();
    let empty = refused(dir.path(), &["--http", "127.0.0.1:0", "--tls-cert", key]);
    assert!(empty.contains("there is no certificate in it"), "{empty}");
}

#[test]
fn a_project_does_not_decide_who_may_reach_its_reader() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("lorekeep.toml"), "http = \"127.0.0.1:0\"\n").unwrap();
    let output = lorekeep(dir.path()).arg("serve").current_dir(dir.path()).output().unwrap();
    assert!(said(&output).contains("it decides who may reach your memories"));
}

#[test]
fn what_would_do_nothing_is_refused_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let at = |more: &[&str]| refused(dir.path(), &[&["--http", "127.0.0.1:0"], more].concat());
    let host = at(&["--allow-host", "https://lore.example/mcp"]);
    assert!(host.contains("is no name that callers use"), "{host}");
    assert!(at(&["--allow-origin", "app.example"]).contains("\"app.example\" is no site"));
    let stdio = refused(dir.path(), &["--allow-host", "lore.example"]);
    assert!(stdio.contains("--allow-host is for HTTP; add --http ADDR"), "{stdio}");
    let short = lorekeep(dir.path())
        .args(["serve", "--http", "127.0.0.1:0"])
        .env("LOREKEEP_HTTP_TOKEN", "  a  ")
        .output()
        .unwrap();
    assert!(said(&short).contains("fewer than 16 characters"));
    assert!(!dir.path().join("lorekeep.db").exists(), "nothing was begun");
}

#[test]
fn limits_are_set_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let unknown = refused(dir.path(), &["--http", "127.0.0.1:0", "--http-limit", "rat=1"]);
    assert!(unknown.contains("must be rate, burst"), "{unknown}");
    let limits =
        ["--http-limit", "rate=1", "--http-limit", "burst=1", "--http-limit", "body-bytes=999"];
    let http = Http::start(dir.path(), &limits);
    let large = http.send(Method::POST, &[], &[b' '; 1_000]);
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    let list =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": modern(json!({}))});
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let mut statuses = (0..100).map(|_| http.post(&headers, &list));
    let refused = statuses.find(|answer| answer.status == StatusCode::TOO_MANY_REQUESTS);
    let refused = refused.expect("one too many");
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.message()["error"]["data"]["code"], "RATE_LIMITED");
}

#[test]
fn who_watches_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let mut http = Http::start(dir.path(), &[]);
    assert_eq!(http.call("memory_add", &json!({"content": "kept"})).value["success"], true);
    let root = http.url.replace("/mcp", "");
    let mut get = |path: &str| {
        http.url = format!("{root}{path}");
        http.send(Method::GET, &[], b"")
    };
    assert_eq!(get("/healthz").text, "ok\n");
    assert_eq!(get("/readyz").text, "ok\n");
    let figures = get("/metrics").text;
    let value = |name: &str| {
        let line = figures.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name}\n{figures}")).parse::<f64>().unwrap()
    };
    assert_eq!(value("lorekeep_calls_total{tool=\"memory_add\",outcome=\"ok\"}"), 1.0);
    assert_eq!(value("lorekeep_http_connections"), 1.0);
    assert!(value("lorekeep_store_bytes") > 4096.0);
    assert!(value("process_resident_memory_bytes") > 1e6 && value("process_open_fds") > 5.0);
    let token = http.token.clone();
    assert!(!figures.contains("this-machine") && !figures.contains(&token), "nobody is named");
}

#[test]
fn many_clients_at_once_are_served_without_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.args(["bench", "load", "--clients", "24", "--seconds", "2", "--json", "--dir"]);
    let output = command.arg(dir.path()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {errors}"));
    let value = |what: &str| {
        let mut figures = report["figures"].as_array().unwrap().iter();
        let figure = figures.find(|figure| figure["what"].as_str().unwrap().contains(what));
        figure.unwrap_or_else(|| panic!("{what}: {report}"))["value"].as_f64().unwrap()
    };
    // How fast is the bench's to say; that nobody is failed or forgotten holds at any speed.
    assert_eq!(value("… errors"), 0.0, "{report}");
    assert_eq!(value("… other errors"), 0.0, "{report}");
    assert_eq!(value("… the few: RATE_LIMITED"), 0.0, "{report}");
    assert!(value("70 % reads") > 0.0 && value("… RATE_LIMITED") > 0.0, "{report}");
    assert_eq!(value("… refused or failed"), 0.0, "{report}");
    assert!(value("… calls of the few") > 0.0 && value("… longest time") > 0.0, "{report}");
}
