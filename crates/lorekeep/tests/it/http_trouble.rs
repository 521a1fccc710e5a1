//! A server over HTTP whose store or tokens get into trouble while it runs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use ureq::http::Method;

use crate::support::lorekeep;
use crate::web::{Answer, Http};

/// Long enough for any machine; nothing here takes it.
const PATIENCE: Duration = Duration::from_secs(30);

fn get(http: &Http, path: &str) -> Answer {
    let url = http.url.replace("/mcp", path);
    http.send_to(&url, Method::GET, &[], b"")
}

/// Waits until the server says of itself that it is not ready, and why.
fn not_ready(http: &Http) -> String {
    let begun = Instant::now();
    loop {
        let answer = get(http, "/readyz");
        if answer.status == 503 {
            return answer.text;
        }
        assert!(begun.elapsed() < PATIENCE, "it stays ready");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn added(http: &Http, content: &str) -> Result<(), String> {
    let reply = http.call("memory_add", &json!({"content": content}));
    if reply.is_error { Err(reply.value.to_string()) } else { Ok(()) }
}

#[test]
fn a_store_that_takes_no_writes_is_not_ready() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    added(&http, "Ada likes green tea").unwrap();
    assert_eq!(get(&http, "/readyz").status, 200);
    assert!(get(&http, "/metrics").text.contains("\nlorekeep_store_writable 1\n"));
    // As another process notes it that reads a broken page.
    std::fs::write(dir.path().join("lorekeep.damaged"), "page 7 is broken\n").unwrap();
    assert_eq!(not_ready(&http), "the store takes no writes\n");
    assert!(get(&http, "/metrics").text.contains("\nlorekeep_store_writable 0\n"));
    let refused = added(&http, "Bob likes black tea").unwrap_err();
    assert!(refused.contains("page 7 is broken"), "{refused}");
    assert_eq!(get(&http, "/healthz").status, 200, "the process lives");
}

#[test]
fn nothing_is_acknowledged_into_a_file_that_was_taken_away() {
    let dir = tempfile::tempdir().unwrap();
    for (file, is_replaced) in
        [("lorekeep.db", false), ("lorekeep.db", true), ("lorekeep.db-wal", false)]
    {
        let dir = dir.path().join(format!("{file}-{is_replaced}"));
        let http = Http::start(&dir, &[]);
        added(&http, "Ada likes green tea").unwrap();
        let (path, aside) = (dir.join(file), dir.join("aside"));
        std::fs::rename(&path, &aside).unwrap();
        if is_replaced {
            std::fs::copy(&aside, &path).unwrap();
        }
        let refused = added(&http, "Bob likes black tea").unwrap_err();
        let wanted = format!("{file} was removed or replaced");
        assert!(refused.contains(&wanted), "{refused}");
        assert!(refused.contains("start this process again"), "{refused}");
        assert_eq!(not_ready(&http), "the store takes no writes\n", "{file} {is_replaced}");
        drop(http);
        if !is_replaced {
            std::fs::rename(&aside, &path).unwrap();
        }
        let again = Http::start(&dir, &[]);
        added(&again, "Carol likes mint tea").unwrap();
    }
}

#[test]
fn who_is_not_at_this_machine_does_not_hear_where_its_files_lie() {
    let dir = tempfile::tempdir().unwrap();
    let mut http = Http::start(dir.path(), &[]);
    added(&http, "Ada likes green tea").unwrap();
    // Before the damage: a token that cannot be noted is not made.
    let output = lorekeep(dir.path()).args(["token", "new", "--user", "ada"]).output().unwrap();
    std::fs::write(dir.path().join("lorekeep.damaged"), "page 7 is broken\n").unwrap();
    let folder = dir.path().to_str().unwrap();
    let own = added(&http, "Bob likes black tea").unwrap_err();
    assert!(own.contains(folder), "{own}");
    http.token = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let afar = added(&http, "Bob likes black tea").unwrap_err();
    assert!(afar.contains("the store is damaged") && !afar.contains(folder), "{afar}");
    assert!(!afar.contains("page 7"), "what is damaged may be another's: {afar}");
}

/// The same command, run where files are made for everybody.
fn generous(command: &Command) -> Command {
    after("umask 000", command)
}

/// The same command, run by a shell that does this first.
fn after(what: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("{what}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(command.get_program());
    shell.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_data_directory_is_its_owner_s_alone_whoever_makes_it() {
    let dir = tempfile::tempdir().unwrap();
    let served = dir.path().join("served/deep");
    let mut command = lorekeep(&served);
    command.arg("serve");
    let http = Http::start_command(generous(&command));
    assert!(!http.token.is_empty());
    let made = dir.path().join("made");
    let mut command = lorekeep(&made);
    command.args(["token", "new", "--user", "ada"]);
    assert!(generous(&command).output().unwrap().status.success());
    for dir in [&served, served.parent().unwrap(), &made] {
        assert_eq!(mode(dir), 0o700, "{}", dir.display());
    }
}

#[test]
fn tokens_where_others_can_put_theirs_let_nobody_in() {
    let dir = tempfile::tempdir().unwrap();
    let http = Http::start(dir.path(), &[]);
    added(&http, "Ada likes green tea").unwrap();
    drop(http);
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let serve = lorekeep(dir.path()).args(["serve", "--http", "127.0.0.1:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&serve.stderr).into_owned();
    assert_eq!(serve.status.code(), Some(2), "{said}");
    assert!(said.contains("can be written by others (mode 777)"), "{said}");
    assert!(said.contains("chmod go-w"), "{said}");
}

/// Opens the stream of a session with its owner's token.
pub(crate) fn open_stream(http: &Http, session: &str) -> TcpStream {
    let address = http.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n\
         authorization: Bearer {}\r\nmcp-session-id: {session}\r\nconnection: close\r\n\r\n",
        http.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200", "a stream is open");
    stream
}

#[test]
fn a_revoked_token_s_stream_ends_and_its_session_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut http = Http::start(dir.path(), &[]);
    let own = http.token.clone();
    let output = lorekeep(dir.path()).args(["token", "new", "--name", "ada"]).output().unwrap();
    http.token = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    let session = http.open_session();
    let mut stream = open_stream(&http, &session);
    let revoked = lorekeep(dir.path()).args(["token", "revoke", "ada"]).output().unwrap();
    assert!(revoked.status.success());
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("it ends");
    assert_eq!(http.send(Method::GET, &[], b"").status, 401);
    http.token = own;
    added(&http, "others go on").unwrap();
}

#[test]
fn strangers_leave_descriptors_for_the_store_and_its_backups() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = lorekeep(dir.path());
    command.args(["serve", "--toolsets", "all"]);
    let http = Http::start_command(after("ulimit -n 320", &command));
    let address = http.url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let strangers: Vec<_> = (0..350).map(|_| TcpStream::connect(&address).unwrap()).collect();
    // While they all come at once a connection may be turned away; then it is let in, and stays.
    let end = Instant::now() + Duration::from_secs(20);
    while get(&http, "/metrics").status != 200 {
        assert!(Instant::now() < end, "she is never let in");
        std::thread::sleep(Duration::from_millis(100));
    }
    added(&http, "Ada likes green tea").unwrap();
    let decision =
        json!({"title": "Tea", "target": "kitchen", "rationale": "It is what she drinks."});
    let decided = http.call("record_decision", &decision);
    assert!(!decided.is_error, "{}", decided.value);
    let figures = get(&http, "/metrics").text;
    let open = figures.lines().find_map(|line| line.strip_prefix("lorekeep_http_connections "));
    let open: usize = open.unwrap_or_else(|| panic!("{figures}")).parse().unwrap();
    assert!(open <= 80, "a quarter of so few: {open}");
    drop(strangers);
}
