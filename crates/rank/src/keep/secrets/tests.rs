//! Secrets that must go, and what only looks like them.

use super::*;
use proptest::prelude::*;

/// A token, put together here so that none stands in a source.
fn made(prefix: &str, body: &str) -> String {
    format!("{prefix}{body}")
}

const BODY: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2";

#[test]
fn keys_and_tokens_of_known_services_go() {
    let tokens = [
        made("AKIA", "IOSFODNN7ABCDEF2"),
        made("ASIA", "IOSFODNN7ABCDEF2"),
        made("ghp_", &BODY[..36]),
        made("ghs_", &BODY[..36]),
        made("github_pat_", &BODY[..60]),
        made("glpat-", &BODY[..20]),
        made("xoxb-", "123456789012-abcdefABCDEF"),
        made("xapp-", "1-A123-456-abcdef"),
        made("sk-ant-", &format!("api03-{}", &BODY[..40])),
        made("sk-proj-", &BODY[..48]),
        made("sk-", &BODY[..48]),
        made("AIza", &BODY[..35]),
        made("ya29.", &BODY[..40]),
        made("sk_live_", &BODY[..24]),
        made("rk_test_", &BODY[..24]),
        made("npm_", &BODY[..36]),
        made("hf_", &BODY[..34]),
        made("SG.", &format!("{}.{}", &BODY[..22], &BODY[..43])),
        made("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc123DEF456ghi789"),
    ];
    for token in tokens {
        for text in [token.clone(), format!("use {token}, it works."), format!("KEY=\"{token}\"")] {
            let (kept, found) = redact(&text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(!kept.contains(&token[..12]), "{kept}");
        }
    }
}

#[test]
fn private_keys_go_to_their_last_line_or_to_the_end() {
    let key = made("-----BEGIN RSA PRIV", "ATE KEY-----\nMIIE\nabc\n");
    let whole = format!("before\n{key}-----END RSA PRIVATE KEY-----\nafter");
    assert_eq!(redact(&whole).0, "before\n[redacted private key]\nafter");
    assert_eq!(redact(&format!("before {key}")).0, "before [redacted private key]");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----";
    assert_eq!(redact(public).0, public);
}

#[test]
fn passwords_behind_their_names_and_in_addresses_go() {
    for (text, kept) in [
        ("password: hunter2", "password: [redacted]"),
        ("DB_PASSWORD='pa55 word' x", "DB_PASSWORD='[redacted]' x"),
        ("the passphrase = correcthorsebattery", "the passphrase = [redacted]"),
        ("{\"api_key\": \"9f8e7d6c5b4a3210\"}", "{\"api_key\": \"[redacted]\"}"),
        ("token=9f8e7d6c5b4a3210ff, then", "token=[redacted], then"),
        ("export SECRET_KEY=ab12!cd34?ef", "export SECRET_KEY=[redacted]"),
        ("client_secret := \"x9-y8-z7-w6\"", "client_secret := \"[redacted]\""),
        ("postgres://ada:s3cr3t@db:5432/x", "postgres://ada:[redacted]@db:5432/x"),
        ("Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [redacted token]"),
    ] {
        assert_eq!(redact(text).0, kept);
    }
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "password=changeme",
        "password: required",
        "password = os.environ[\"DB_PASSWORD\"]",
        "DB_PASSWORD=${DB_PASSWORD}",
        "the password: it lies in the vault",
        "token: string",
        "const token = getToken();",
        "max_token: 4096",
        "api_key: <your key here>",
        "API_KEY=your-api-key-1234567",
        "commit 538586f2a9c1b7e4d3f0a6b8c2e1d4f7a9b0c3e5",
        "id 123e4567-e89b-42d3-a456-426614174000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "mem_07070707070747078707070707070707",
        "https://example.org/a:b@c",
        "https://user@example.org/",
        "skip-this-and-that-and-everything-else",
        "sk-this-is-a-long-name-of-a-css-class",
        "the bearer of bad news",
        "we rotate every token: weekly",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg",
        "AKIA is how their keys begin",
        "the secret: keep it simple",
        "password reset: see docs/reset.md",
    ] {
        assert_eq!(redact(text), (text.to_owned(), Vec::new()));
    }
}

#[test]
fn many_beginnings_of_secrets_take_no_longer_than_their_length() {
    for part in ["eyJ.", "password=", "-----BEGIN ", "://a:", "sk-", "token:\"", "ghp_-"] {
        let text = part.repeat(20_000);
        assert!(redact(&text).0.len() <= text.len() + 30 * 20_000);
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_and_nothing_but_secrets_changes(text in "\\PC*|[a-zA-Z0-9_:=\"'@/. -]*") {
        let (kept, found) = redact(&text);
        if found.is_empty() {
            prop_assert_eq!(kept, text);
        } else {
            prop_assert!(kept.contains(MARK));
        }
    }

    #[test]
    fn what_is_redacted_once_stays_as_it_is(text in "(password|token|api_key)[=:] ?\"?[a-zA-Z0-9!._-]{0,30}\"? [a-z ]*") {
        let once = redact(&text).0;
        prop_assert_eq!(&redact(&once).0, &once);
    }
}
