//! Tokens of an OAuth issuer on the loopback, brought to the real server.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};
use ureq::http::{Method, StatusCode};

use crate::http_tokens::{ask, call, found, tools};
use crate::http_trouble::open_stream;
use crate::outside::loopback::Loopback;
use crate::support::{lorekeep, reply};
use crate::web::{Answer, Http};

/// This server as tokens name it.
const AUDIENCE: &str = "https://lore.example/mcp";

/// Where it says of itself what it is.
const METADATA: &str = "https://lore.example/.well-known/oauth-protected-resource/mcp";

/// An issuer with two keys: `ed` and `ec`.
struct Issuer {
    server: Loopback,
    is_down: Arc<AtomicBool>,
    /// Whether its key `ec` is there yet.
    has_ec: Arc<AtomicBool>,
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
}

impl Issuer {
    fn start() -> Self {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let ed = Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap();
        let way = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let ec = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
        let ec = EcdsaKeyPair::from_pkcs8(way, ec.as_ref(), &random).unwrap();
        let point = &ec.public_key().as_ref()[1..];
        let keys = json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": word(ed.public_key())},
            {"kty": "EC", "crv": "P-256", "kid": "ec", "x": word(&point[..32]), "y": word(&point[32..])},
            {"kty": "oct", "kid": "shared", "k": word("secret")},
        ]});
        let is_down = Arc::new(AtomicBool::new(false));
        let has_ec = Arc::new(AtomicBool::new(true));
        let (down, ec_there) = (Arc::clone(&is_down), Arc::clone(&has_ec));
        let server = Loopback::answering(move |asked, url| {
            let path = asked.head.split(' ').nth(1).unwrap();
            Some(match path {
                _ if down.load(Ordering::SeqCst) => ("503 Service Unavailable", String::new()),
                "/.well-known/openid-configuration" => {
                    let said = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
                    ("200 OK", said.to_string())
                }
                "/keys" if ec_there.load(Ordering::SeqCst) => ("200 OK", keys.to_string()),
                "/keys" => ("200 OK", json!({"keys": [keys["keys"][0]]}).to_string()),
                _ => ("404 Not Found", String::new()),
            })
        });
        Self { server, is_down, has_ec, ed, ec }
    }

    /// A server that lets in who brings a token of this issuer.
    fn lorekeep(&self, dir: &Path, options: &[&str]) -> Http {
        let mut command = lorekeep(dir);
        command.env("LOREKEEP_OAUTH_ISSUER", &self.server.url);
        command.env("LOREKEEP_OAUTH_AUDIENCE", AUDIENCE);
        command.arg("serve").args(options);
        Http::start_command(command)
    }

    fn claims(&self, user: &str, scope: &str) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        json!({"iss": self.server.url, "aud": [AUDIENCE], "sub": user, "scope": scope,
               "iat": now, "exp": now + 600})
    }

    fn token(&self, user: &str, scope: &str) -> String {
        self.sign("EdDSA", "ed", &self.claims(user, scope))
    }

    fn sign(&self, alg: &str, kid: &str, claims: &Value) -> String {
        let head = json!({"alg": alg, "kid": kid, "typ": "at+jwt"});
        let words = format!("{}.{}", word(head.to_string()), word(claims.to_string()));
        let signature = match alg {
            "EdDSA" => word(self.ed.sign(words.as_bytes())),
            "ES256" => word(self.ec.sign(&SystemRandom::new(), words.as_bytes()).unwrap()),
            _ => String::new(),
        };
        format!("{words}.{signature}")
    }
}

fn word(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn list(http: &Http, token: &str) -> Answer {
    ask(http, token, "tools/list", "", json!({}))
}

fn challenge(answer: &Answer) -> &str {
    answer.headers["www-authenticate"].to_str().unwrap()
}

#[test]
fn scopes_say_which_tools_there_are() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    let http = issuer.lorekeep(dir.path(), &["--toolsets", "layers,documents"]);
    let of = |scope: &str| tools(&http, &issuer.token("ada", scope));
    let (reads, writes, all) =
        (of("lorekeep:read"), of("openid lorekeep:write"), of("lorekeep:admin"));
    assert!(reads.contains(&"memory_search".into()) && !reads.contains(&"memory_add".into()));
    assert!(writes.contains(&"memory_add".into()) && writes.len() > reads.len());
    assert!(all.len() > writes.len());
    assert!(!all.contains(&"index_file".into()), "nobody from afar opens a file of this machine");
    let reader = issuer.token("ada", "lorekeep:read");
    let refused = call(&http, &reader, "memory_add", json!({"content": "Ada likes tea"}));
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    let wanted = format!(
        "Bearer error=\"insufficient_scope\", scope=\"lorekeep:write\", resource_metadata=\"{METADATA}\""
    );
    assert_eq!(challenge(&refused), wanted, "a client knows what to ask for");
    let writer = issuer.sign("ES256", "ec", &issuer.claims("ada", "lorekeep:write"));
    let added =
        call(&http, &writer, "memory_add", json!({"content": "Ada likes green tea"})).message();
    assert_eq!(reply(&added).value["success"], true, "{added}");
    assert_eq!(found(&http, &reader, "green tea"), 1, "the same person");
    assert_eq!(found(&http, &issuer.token("bob", "lorekeep:admin"), "green tea"), 0, "another");
    assert_eq!(found(&http, &issuer.token("ada|x", "lorekeep:admin"), "green tea"), 0);
    assert_eq!(found(&http, &http.token, "green tea"), 0, "nor is it who runs the server");
    assert_eq!(issuer.server.asked().len(), 3, "it was asked once: two addresses, and the keys");
}

#[test]
fn nobody_gets_more_than_the_server_gives() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    let http = issuer.lorekeep(dir.path(), &["--role", "guest"]);
    let reads = tools(&http, &issuer.token("ada", "lorekeep:read"));
    assert_eq!(tools(&http, &issuer.token("ada", "lorekeep:admin")), reads);
}

#[test]
fn a_bad_token_gets_one_answer_and_where_to_get_a_good_one() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    let http = issuer.lorekeep(dir.path(), &[]);
    let none = list(&http, "");
    assert_eq!(none.status, StatusCode::UNAUTHORIZED);
    let usual = "scope=\"lorekeep:read lorekeep:write\"";
    assert_eq!(challenge(&none), format!("Bearer {usual}, resource_metadata=\"{METADATA}\""));
    let claims = issuer.claims("ada", "lorekeep:admin");
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        issuer.sign("EdDSA", "ed", &claims)
    };
    let good = issuer.sign("EdDSA", "ed", &claims);
    assert_eq!(list(&http, &good).status, StatusCode::OK);
    let (words, _) = good.rsplit_once('.').unwrap();
    let (_, signature) = issuer
        .token("bob", "lorekeep:read")
        .rsplit_once('.')
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let bad = [
        ("another audience", with("aud", json!("https://other.example/mcp"))),
        ("another issuer", with("iss", json!("https://evil.example"))),
        ("over", with("exp", json!(1_700_000_000))),
        ("not yet", with("nbf", json!(32_503_680_000_u64))),
        ("endless", with("exp", Value::Null)),
        ("unsigned", issuer.sign("none", "ed", &claims)),
        ("a shared secret", issuer.sign("HS256", "shared", &claims)),
        ("a key that there is not", issuer.sign("EdDSA", "made-up", &claims)),
        ("the key of another", issuer.sign("EdDSA", "ec", &claims)),
        ("another signature", format!("{words}.{signature}")),
    ];
    let answers: Vec<_> = bad.iter().map(|(name, token)| (name, list(&http, token))).collect();
    let (_, first) = &answers[0];
    assert!(challenge(first).starts_with("Bearer error=\"invalid_token\""), "{}", challenge(first));
    assert!(challenge(first).contains(&format!("resource_metadata=\"{METADATA}\"")));
    for (name, answer) in &answers {
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{name}");
        assert_eq!(answer.text, first.text, "{name}");
        assert_eq!(challenge(answer), challenge(first), "{name}");
    }
    let huge = format!("{good}{}", "A".repeat(20_000));
    assert!(list(&http, &huge).status.is_client_error());
    let poor = list(&http, &issuer.token("ada", "openid email"));
    assert_eq!(poor.status, StatusCode::FORBIDDEN);
    let said = "Bearer error=\"insufficient_scope\", scope=\"lorekeep:read\", resource_metadata=";
    assert!(challenge(&poor).starts_with(said), "{}", challenge(&poor));
}

#[test]
fn the_server_says_where_its_tokens_come_from() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    let mut http = issuer.lorekeep(dir.path(), &[]);
    http.token.clear();
    let base = http.url.trim_end_matches("/mcp").to_owned();
    for path in ["", "/mcp"] {
        http.url = format!("{base}/.well-known/oauth-protected-resource{path}");
        let answer = http.send(Method::GET, &[], b"");
        assert_eq!(answer.status, StatusCode::OK);
        let document = answer.message();
        assert_eq!(document["resource"], AUDIENCE);
        assert_eq!(document["authorization_servers"], json!([issuer.server.url]));
        let scopes = ["lorekeep:read", "lorekeep:write", "lorekeep:admin"];
        assert_eq!(document["scopes_supported"], json!(scopes));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    }
    let plain = tempfile::tempdir().unwrap();
    let mut http = Http::start(plain.path(), &[]);
    http.token.clear();
    http.url = http.url.replace("/mcp", "/.well-known/oauth-protected-resource");
    let answer = http.send(Method::GET, &[], b"");
    assert!(answer.status.is_client_error(), "without an issuer there is nothing to say");
    assert!(answer.headers.get("www-authenticate").is_none_or(|said| said == "Bearer"));
}

#[test]
fn an_issuer_that_is_down_costs_nobody_who_was_known() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    issuer.is_down.store(true, Ordering::SeqCst);
    let http = issuer.lorekeep(dir.path(), &[]);
    let token = issuer.token("ada", "lorekeep:read");
    let away = list(&http, &token);
    assert_eq!(away.status, StatusCode::SERVICE_UNAVAILABLE, "{}", away.text);
    assert!(away.headers.contains_key("retry-after"));
    assert_eq!(list(&http, &http.token).status, StatusCode::OK, "other tokens are good");
    issuer.is_down.store(false, Ordering::SeqCst);
    let other = issuer.lorekeep(dir.path(), &[]);
    assert_eq!(list(&other, &token).status, StatusCode::OK);
    issuer.is_down.store(true, Ordering::SeqCst);
    assert_eq!(list(&other, &token).status, StatusCode::OK, "its keys are known");
    assert_eq!(list(&other, &issuer.token("bob", "lorekeep:read")).status, StatusCode::OK);
    issuer.server.asked();
    for at in 0..20 {
        let claims = issuer.claims("ada", "lorekeep:read");
        let made_up = issuer.sign("EdDSA", &format!("made-up-{at}"), &claims);
        assert_eq!(list(&other, &made_up).status, StatusCode::SERVICE_UNAVAILABLE);
    }
    assert!(issuer.server.asked().len() <= 2, "names that are made up flood nobody");
}

#[test]
fn a_new_key_is_good_at_once_and_what_cannot_be_told_is_not_called_bad() {
    let issuer = Issuer::start();
    issuer.has_ec.store(false, Ordering::SeqCst);
    let dir = tempfile::tempdir().unwrap();
    let http = issuer.lorekeep(dir.path(), &[]);
    assert_eq!(list(&http, &issuer.token("ada", "lorekeep:read")).status, StatusCode::OK);
    issuer.has_ec.store(true, Ordering::SeqCst);
    let claims = issuer.claims("ada", "lorekeep:read");
    let new = issuer.sign("ES256", "ec", &claims);
    assert_eq!(list(&http, &new).status, StatusCode::OK, "the keys were fetched just now");
    let statuses: Vec<_> = (0..5)
        .map(|at| list(&http, &issuer.sign("EdDSA", &format!("made-up-{at}"), &claims)))
        .collect();
    assert_eq!(statuses[0].status, StatusCode::UNAUTHORIZED, "the issuer was asked");
    let last = &statuses[4];
    assert_eq!(last.status, StatusCode::SERVICE_UNAVAILABLE, "and may not be asked yet");
    assert!(last.headers.contains_key("retry-after"));
    assert_eq!(list(&http, &new).status, StatusCode::OK);
}

#[test]
fn who_gets_a_new_token_in_time_keeps_the_session() {
    let (issuer, dir) = (Issuer::start(), tempfile::tempdir().unwrap());
    let mut http = issuer.lorekeep(dir.path(), &[]);
    let mut claims = issuer.claims("ada", "lorekeep:write");
    claims["exp"] = json!(claims["iat"].as_u64().unwrap() + 6);
    http.token = issuer.sign("EdDSA", "ed", &claims);
    let session = http.open_session();
    let mut stream = open_stream(&http, &session);
    http.token = issuer.token("ada", "lorekeep:write");
    let ping = || {
        let told = [("mcp-session-id", session.as_str())];
        http.send(Method::POST, &told, br#"{"jsonrpc": "2.0", "id": 2, "method": "ping"}"#)
    };
    assert_eq!(ping().status, 200);
    stream.read_to_end(&mut Vec::new()).expect("the old token's stream ends");
    let answer = ping();
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[test]
fn no_log_has_a_token_of_the_issuer() {
    let issuer = Issuer::start();
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let mut command = lorekeep(dir.path());
    command
        .env("LOREKEEP_OAUTH_ISSUER", &issuer.server.url)
        .env("LOREKEEP_OAUTH_AUDIENCE", AUDIENCE)
        .env("LOREKEEP_LOG", "trace")
        .args(["serve", "--http", "127.0.0.1:0"])
        .stdin(std::process::Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap());
    let child = command.spawn().unwrap();
    let said = || std::fs::read_to_string(&log).unwrap();
    let url =
        || said().lines().find_map(|line| Some(line.strip_prefix("listening on ")?.to_owned()));
    let mut tries = 0;
    while url().is_none() && tries < 1_000 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        tries += 1;
    }
    let http = Http::connect(child, url().unwrap(), "");
    let good = issuer.token("ada", "lorekeep:read");
    assert_eq!(list(&http, &good).status, StatusCode::OK);
    let bad = issuer.sign("ES256", "ed", &issuer.claims("ada", "lorekeep:read"));
    assert_eq!(list(&http, &bad).status, StatusCode::UNAUTHORIZED);
    drop(http);
    let said = said();
    assert!(said.contains("a token of OAuth was refused: Signature"), "why is in the log");
    for token in [&good, &bad] {
        for part in token.split('.') {
            assert!(!said.contains(part), "a part of a token is in the log");
        }
    }
}

#[test]
fn a_project_cannot_say_who_is_let_in() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let text = "[http.oauth]\nissuer = \"https://evil.example\"\naudience = \"x\"\n";
    std::fs::write(project.join("lorekeep.toml"), text).unwrap();
    let output = lorekeep(dir.path()).current_dir(&project).arg("stats").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("It belongs in"), "{error}");
}
