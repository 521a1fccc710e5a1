//! Tokens good and bad, against an issuer whose keys are made here.

mod issuer;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::{Layer, Ledgers, Role};
use serde_json::{Value, json};

use super::claims::owner;
use super::*;
use issuer::{AUDIENCE, ISSUER, Key, NOW, claims, head, signed, unsigned};

fn rules() -> Rules {
    let scopes =
        [("lore:read", Role::Guest), ("lore:write", Role::User), ("lore:all", Role::Admin)];
    Rules {
        issuer: ISSUER.into(),
        audience: AUDIENCE.into(),
        resource: AUDIENCE.into(),
        scopes: scopes.into_iter().map(|(scope, role)| (scope.to_owned(), role)).collect(),
        user_claim: "sub".into(),
        layer_claims: [(Layer::Team, "team".to_owned())].into(),
        namespaces_claim: Some("ledgers".to_owned()),
    }
}

/// A gate with these keys.
fn gate(keys: &[&Key]) -> OauthGate {
    let document = issuer::key_set(keys);
    let fetch: Fetch =
        Box::new(move || Ok(Fetched { document: document.clone().into_bytes(), keep: None }));
    OauthGate::new(rules(), fetch, Pace { asks_max: 100, ..Pace::default() }).unwrap()
}

/// What comes of a token at `NOW`.
async fn looked(gate: &OauthGate, token: &str) -> Result<Grant, Refusal> {
    if let Some(ready) = gate.prepare(token.as_bytes()) {
        ready.await;
    }
    gate.look(token.as_bytes(), NOW)
}

fn role(answer: Result<Grant, Refusal>) -> Role {
    answer.unwrap().caller.role
}

#[tokio::test]
async fn every_way_of_signing_that_has_a_public_key_is_taken() {
    let keys = [Key::rsa("r"), Key::p256("p"), Key::p384("q"), Key::ed25519("e")];
    let gate = gate(&keys.each_ref());
    let ways = [
        (0, "RS256"),
        (0, "RS384"),
        (0, "RS512"),
        (0, "PS256"),
        (0, "PS384"),
        (0, "PS512"),
        (1, "ES256"),
        (2, "ES384"),
        (3, "EdDSA"),
    ];
    for (at, alg) in ways {
        let token = keys[at].sign(&head(alg, Some(&keys[at].kid)), &claims());
        assert_eq!(role(looked(&gate, &token).await), Role::User, "{alg}");
        // The same signature over other words is none.
        let other = keys[at].sign(&head(alg, Some(&keys[at].kid)), &with("sub", json!("bob")));
        let (signature, words) =
            (token.rsplit_once('.').unwrap().1, other.rsplit_once('.').unwrap().0);
        let forged = format!("{words}.{signature}");
        assert!(matches!(looked(&gate, &forged).await, Err(Refusal::Invalid(_))), "{alg}");
    }
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

/// Tokens that must let nobody in, and what is wrong with each.
fn bad(key: &Key, other: &Key, rsa: &Key) -> Vec<(&'static str, String)> {
    let kid = Some(key.kid.as_str());
    let usual = || head("ES256", kid);
    let sign = |claims: &Value| key.sign(&usual(), claims);
    let good = sign(&claims());
    let (words, signature) = good.rsplit_once('.').unwrap();
    let (start, _) = words.split_once('.').unwrap();
    let admin = with("scope", json!("lore:all"));
    let secret = rsa.public_bytes();
    vec![
        ("another audience", sign(&with("aud", json!("https://other.example/mcp")))),
        ("a part of the audience", sign(&with("aud", json!("https://lore.example")))),
        ("an audience that is longer", sign(&with("aud", json!(format!("{AUDIENCE}/"))))),
        ("audiences without ours", sign(&with("aud", json!(["a", "b", 7])))),
        ("no audience", sign(&without("aud"))),
        ("another issuer", sign(&with("iss", json!("https://evil.example")))),
        ("an issuer with a slash", sign(&with("iss", json!(format!("{ISSUER}/"))))),
        ("an issuer in a list", sign(&with("iss", json!([ISSUER])))),
        ("no issuer", sign(&without("iss"))),
        ("over", sign(&with("exp", json!(NOW)))),
        ("long over", sign(&with("exp", json!(NOW - 3600)))),
        ("without an end", sign(&without("exp"))),
        ("an end that is a word", sign(&with("exp", json!("2099-01-01")))),
        ("an end of null", sign(&with("exp", Value::Null))),
        ("not yet", sign(&with("nbf", json!(NOW + 61)))),
        ("issued tomorrow", sign(&with("iat", json!(NOW + 86_400)))),
        ("nobody's", sign(&without("sub"))),
        ("an empty name", sign(&with("sub", json!(" ")))),
        ("a name that is a number", sign(&with("sub", json!(7)))),
        ("a team that is a list", sign(&with("team", json!(["a"])))),
        ("unsigned", unsigned(&json!({"alg": "none"}), &claims())),
        ("unsigned with a kid", unsigned(&json!({"alg": "nOnE", "kid": kid}), &claims())),
        ("without its signature", unsigned(&usual(), &claims())),
        (
            "signed with the public key as a secret",
            signed(&json!({"alg": "HS256", "kid": rsa.kid}), &claims(), &issuer::hmac(secret)),
        ),
        ("a kid that there is not", key.sign(&head("ES256", Some("made-up")), &claims())),
        ("the kid of another key", key.sign(&head("ES256", Some(&other.kid)), &claims())),
        ("the kid of a key of another kind", key.sign(&head("RS256", Some(&rsa.kid)), &claims())),
        ("no kid, and several keys", key.sign(&head("ES256", None), &claims())),
        ("a kid that is a path", key.sign(&head("ES256", Some("../../dev/null")), &claims())),
        (
            "a key of its own",
            key.sign(
                &json!({"alg": "ES256", "jwk": {"kty": "EC"}, "jku": "https://evil.example/jwks"}),
                &claims(),
            ),
        ),
        ("other words", format!("{start}.{}.{signature}", issuer::word(admin.to_string()))),
        (
            "another head",
            format!(
                "{}.{}",
                issuer::word(json!({"alg": "ES256", "kid": kid, "x": 1}).to_string()),
                good.split_once('.').unwrap().1
            ),
        ),
        ("half a signature", good[..good.len() - 20].to_owned()),
        ("a signature of nothing", format!("{words}.")),
        (
            "for something else",
            key.sign(&json!({"alg": "ES256", "kid": kid, "typ": "logout+jwt"}), &claims()),
        ),
        ("critical", key.sign(&json!({"alg": "ES256", "kid": kid, "crit": ["exp"]}), &claims())),
        ("without end", format!("{good}{}", "A".repeat(jws::TOKEN_BYTES_MAX))),
        (
            "claims twice",
            key.sign_text(&usual(), &claims().to_string().replacen('{', r#"{"sub":"root","#, 1)),
        ),
        (
            "nested without end",
            key.sign_text(
                &usual(),
                &format!("{{\"a\":{}1{}}}", "[".repeat(1_000), "]".repeat(1_000)),
            ),
        ),
        ("no claims", key.sign_text(&usual(), "[]")),
        ("not even JSON", key.sign_text(&usual(), "ada")),
    ]
}

#[tokio::test]
async fn a_token_with_any_flaw_lets_nobody_in_and_all_get_the_same_answer() {
    let (key, other, rsa) = (Key::p256("p"), Key::p256("o"), Key::rsa("r"));
    let gate = gate(&[&key, &other, &rsa]);
    let refused = Refusal::Invalid(NOT_GOOD.to_owned());
    for (name, token) in bad(&key, &other, &rsa) {
        assert_eq!(looked(&gate, &token).await.err(), Some(refused.clone()), "{name}");
    }
    let good = key.sign(&head("ES256", Some("p")), &claims());
    assert_eq!(role(looked(&gate, &good).await), Role::User, "and a good one does");
}

#[tokio::test]
async fn what_is_no_jwt_is_left_to_other_gates_and_asks_nobody() {
    let gate = gate(&[&Key::p256("p")]);
    for token in [&b""[..], b"lk_0011", b"ey", b"a.b", b"a.b.c", b"ey.a.b.c"] {
        assert_eq!(gate.admit(token).err(), Some(Refusal::Unknown));
        assert!(gate.prepare(token).is_none());
    }
    assert!(gate.prepare(b"eyJub25zZW5zZQ.a.b").is_none());
}

#[tokio::test]
async fn scopes_say_the_role_and_the_highest_counts() {
    let key = Key::ed25519("e");
    let gate = gate(&[&key]);
    let sign = |claims: &Value| key.sign(&head("EdDSA", Some("e")), claims);
    let all = [
        (with("scope", json!("lore:read")), Role::Guest),
        (with("scope", json!("openid lore:read email")), Role::Guest),
        (with("scope", json!("lore:read lore:write")), Role::User),
        (with("scope", json!("lore:all lore:read")), Role::Admin),
        (with("scp", json!(["lore:all"])), Role::Admin),
        (with("scope", json!(["lore:read"])), Role::Guest),
    ];
    for (claims, expected) in all {
        assert_eq!(role(looked(&gate, &sign(&claims)).await), expected, "{claims}");
    }
    for scope in
        [json!(""), json!("openid"), json!("lore:reader LORE:READ"), json!({"lore:all": true})]
    {
        let answer = looked(&gate, &sign(&with("scope", scope.clone()))).await;
        assert_eq!(answer.err(), Some(Refusal::Insufficient("lore:read".into())), "{scope}");
    }
}

#[tokio::test]
async fn a_token_says_who_it_is_and_opens_no_more_than_that() {
    let key = Key::ed25519("e");
    let gate = gate(&[&key]);
    // One key alone needs no name; clocks may differ a little, and audiences may be many.
    let mut claims = with("aud", json!(["https://other.example", AUDIENCE]));
    claims["team"] = json!("core");
    claims["nbf"] = json!(NOW + 59);
    claims["exp"] = json!(NOW as f64 + 0.5);
    let grant = looked(&gate, &key.sign(&json!({"alg": "EdDSA"}), &claims)).await.unwrap();
    let id = |layer| grant.caller.identity.id(layer).map(|id| id.as_str().to_owned());
    assert_eq!(id(Layer::User).as_deref(), Some("ada"));
    assert_eq!(id(Layer::Team).as_deref(), Some("core"));
    for layer in [Layer::Agent, Layer::Session, Layer::Project, Layer::Org, Layer::Company] {
        assert_eq!(id(layer), None, "{}", layer.name());
    }
    assert!(!grant.caller.identity.has_all_projects());
    assert!(!grant.is_here(), "it opens no file of this machine");
    assert_eq!((grant.caller.actor.who.as_str(), grant.name.as_str()), ("oauth:ada", "oauth ada"));
}

#[test]
fn no_two_names_become_the_same_user() {
    let id = |name: &str| owner(name).unwrap().as_str().to_owned();
    assert_eq!(id("ada"), "ada");
    assert_eq!(id("ada@acme.example"), "ada@acme.example");
    let long = "x".repeat(300);
    let names = [
        "auth0|7",
        "auth0-7",
        "auth0/7",
        "auth0 7",
        "ädä",
        "ada/default",
        long.as_str(),
        &long[1..],
        &"y".repeat(128),
    ];
    let ids: std::collections::BTreeSet<_> = names.iter().map(|name| id(name)).collect();
    assert_eq!(ids.len(), names.len());
    assert!(ids.iter().all(|id| id.len() <= 128));
    // Who is called like somebody else's id gets another.
    assert_ne!(id(&id("auth0|7")), id("auth0|7"));
}

#[tokio::test]
async fn keys_change_and_the_issuer_may_be_away() {
    let (old, new) = (Key::p256("2025"), Key::ed25519("2026"));
    let sets = [issuer::key_set(&[&old]), issuer::key_set(&[&old, &new]), issuer::key_set(&[&new])];
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let fetch: Fetch = Box::new(move || {
        let at = counted.fetch_add(1, Ordering::SeqCst);
        let document = sets.get(at).ok_or("it is down")?.clone().into_bytes();
        Ok(Fetched { document, keep: None })
    });
    let pace = Pace { pause_min: Duration::ZERO, ..Pace::default() };
    let gate = OauthGate::new(rules(), fetch, pace).unwrap();
    let of_old = old.sign(&head("ES256", Some("2025")), &claims());
    let of_new = new.sign(&head("EdDSA", Some("2026")), &claims());
    let made_up = new.sign(&head("EdDSA", Some("2027")), &claims());
    assert!(looked(&gate, &of_old).await.is_ok());
    assert!(looked(&gate, &of_new).await.is_ok(), "a name that is not known is asked for");
    assert_eq!(count.load(Ordering::SeqCst), 2);
    assert!(looked(&gate, &of_old).await.is_ok(), "both are good while both are published");
    assert!(looked(&gate, &made_up).await.is_err());
    assert!(looked(&gate, &of_old).await.is_err(), "what is published no more is good no more");
    assert!(count.load(Ordering::SeqCst) > 3, "the issuer is down by now");
    assert!(looked(&gate, &of_new).await.is_ok(), "and its keys still serve");
}

#[tokio::test]
async fn keys_that_were_withdrawn_are_good_no_more_even_if_none_is_left() {
    let key = Key::p256("2025");
    let of_other_kind = json!({"keys": [{"kty": "EC", "crv": "P-521", "kid": "2026"}]});
    let sets = [issuer::key_set(&[&key]), of_other_kind.to_string()];
    let count = AtomicUsize::new(0);
    let fetch: Fetch = Box::new(move || {
        let at = count.fetch_add(1, Ordering::SeqCst).min(1);
        Ok(Fetched { document: sets[at].clone().into_bytes(), keep: None })
    });
    let gate = OauthGate::new(rules(), fetch, Pace::default()).unwrap();
    let token = |kid| key.sign(&head("ES256", Some(kid)), &claims());
    assert!(looked(&gate, &token("2025")).await.is_ok());
    assert!(looked(&gate, &token("2026")).await.is_err(), "the issuer is asked for it");
    assert!(matches!(looked(&gate, &token("2025")).await, Err(Refusal::Invalid(_))));
}

#[tokio::test]
async fn an_issuer_that_never_answered_makes_nobody_good_or_bad() {
    let fetch: Fetch = Box::new(|| Err("it is down".into()));
    let gate = OauthGate::new(rules(), fetch, Pace::default()).unwrap();
    let key = Key::p256("p");
    let token = key.sign(&head("ES256", Some("p")), &claims());
    assert_eq!(looked(&gate, &token).await.err(), Some(Refusal::Unavailable));
    let unsigned = unsigned(&json!({"alg": "none"}), &claims());
    assert!(matches!(looked(&gate, &unsigned).await, Err(Refusal::Invalid(_))));
}

#[test]
fn keys_that_are_for_something_else_sign_nothing() {
    let key = Key::p256("p");
    let jwk = key.jwk();
    let read = |name: &str, value: Value| {
        let mut jwk = jwk.clone();
        jwk[name] = value;
        keys::Keys::read(json!({"keys": [jwk]}).to_string().as_bytes()).unwrap()
    };
    for (name, value) in
        [("use", json!("sig")), ("alg", json!("ES256")), ("key_ops", json!(["verify"]))]
    {
        assert!(!read(name, value).are_none(), "{name}");
    }
    for (name, value) in [
        ("use", json!("enc")),
        ("key_ops", json!(["deriveBits"])),
        ("kty", json!("oct")),
        ("alg", json!("HS256")),
        ("crv", json!("secp256k1")),
        ("x", json!("AAAA")),
        ("y", Value::Null),
    ] {
        assert!(read(name, value.clone()).are_none(), "{name} {value}");
    }
    let token = key.sign(&head("ES256", Some("p")), &claims());
    let jws = Jws::parse(token.as_bytes()).unwrap();
    assert_eq!(read("alg", json!("ES256")).verify(&jws), Ok(()));
    let only_other = read("alg", json!("ES384"));
    assert_eq!(only_other.verify(&jws), Err(Flaw::Signature));
    assert!(keys::Keys::read(b"<html>").is_err() && keys::Keys::read(b"{\"keys\":{}}").is_err());
    assert!(keys::Keys::read(b"{\"keys\":[]}").unwrap().are_none());
}

#[test]
fn the_resource_says_where_tokens_come_from() {
    let gate = gate(&[&Key::p256("p")]);
    let url = "https://lore.example/.well-known/oauth-protected-resource/mcp";
    assert_eq!(gate.challenge().unwrap(), format!("resource_metadata=\"{url}\""));
    let documents = gate.documents();
    let paths: Vec<_> = documents.iter().map(|(path, _)| path.as_str()).collect();
    let well_known = "/.well-known/oauth-protected-resource";
    assert_eq!(paths, [well_known, &format!("{well_known}/mcp")]);
    let document: Value = serde_json::from_str(&documents[0].1).unwrap();
    assert_eq!(
        document,
        json!({
            "resource": AUDIENCE,
            "authorization_servers": [ISSUER],
            "scopes_supported": ["lore:read", "lore:write", "lore:all"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Lorekeep",
        })
    );
    let elsewhere = Rules { resource: "https://acme.example/tools/lore/".into(), ..rules() };
    let fetch: Fetch = Box::new(|| Err("it is down".into()));
    let gate = OauthGate::new(elsewhere, fetch, Pace::default()).unwrap();
    assert!(
        gate.challenge()
            .unwrap()
            .contains("\"https://acme.example/.well-known/oauth-protected-resource/tools/lore\"")
    );
}

#[test]
fn the_resource_is_an_address_that_clients_can_fetch() {
    let said = |resource: &str, audience: &str| {
        let (resource, audience) = (resource.to_owned(), audience.to_owned());
        let fetch: Fetch = Box::new(|| Err("it is down".into()));
        OauthGate::new(Rules { resource, audience, ..rules() }, fetch, Pace::default()).err()
    };
    for wrong in [
        "lore",
        "api://1234-guid",
        "urn:lore",
        "ftp://x/mcp",
        "https://x/a/*",
        "https://x/:a/*b",
        "https://x/{a",
        "https://x/a}",
        "https://x/\"q",
        "https://x/mcp#part",
        "https://me@x/mcp",
    ] {
        let why = said(wrong, AUDIENCE).unwrap_or_else(|| panic!("{wrong}"));
        assert!(why.contains("is no address") && !why.contains("set resource"), "{why}");
        assert!(said(wrong, wrong).unwrap().contains("set resource"), "the audience is none");
    }
    for good in ["https://lore.example", "http://127.0.0.1:7420/mcp", "https://x/a:b/c*/"] {
        assert_eq!(said(good, "api://1234-guid"), None, "{good}");
    }
}

#[tokio::test]
async fn the_ledger_is_open_as_far_as_a_claim_names_it() {
    let key = Key::p256("p");
    let gate = gate(&[&key]);
    let open = async |claims: &Value| {
        let token = key.sign(&head("ES256", Some(&key.kid)), claims);
        let caller = looked(&gate, &token).await.unwrap().caller;
        assert!(caller.confined && caller.here.is_none() && caller.roots.is_empty());
        match caller.ledgers {
            Ledgers::All => panic!("everything is open"),
            Ledgers::Only(open) => {
                open.iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>()
            }
        }
    };
    assert!(open(&claims()).await.is_empty(), "there is neither a claim nor a project");
    assert_eq!(open(&with("ledgers", json!(["api", "a/b", 7, "web"]))).await, ["api", "web"]);
    assert_eq!(open(&with("ledgers", json!("api web"))).await, ["api", "web"]);
    assert_eq!(open(&with("ledgers", json!("all"))).await, ["all"], "it is a name like others");
    assert!(open(&with("ledgers", json!({"all": true}))).await.is_empty());
}
