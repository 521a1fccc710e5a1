//! Secrets that must be found, and what only looks like them.

mod drawn;
mod innocent;
mod table;

use super::*;
use proptest::prelude::*;

#[test]
fn the_tables_are_told_apart() {
    let (secrets, innocent) = (table::secrets(), innocent::texts());
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    let mut all = 0;
    for (kind, secret) in &secrets {
        for text in table::forms(secret) {
            all += 1;
            let (kept, found) = redact(&text);
            let is_gone = !table::core(secret).is_some_and(|core| kept.contains(core));
            if found.first().map(|found| found.kind) != Some(*kind) || !is_gone {
                missed.push(format!("{kind}: {text} -> {kept}"));
            }
        }
    }
    for text in &innocent {
        let found = find(text);
        if !found.is_empty() {
            let what: Vec<_> = found.iter().map(|f| (f.kind, &text[f.range.clone()])).collect();
            wrong.push(format!("{text} -> {what:?}"));
        }
    }
    let hit = all - missed.len();
    println!(
        "{hit} of {all} secrets found ({} kinds), {} of {} innocent texts taken for one; precision {:.3}",
        secrets.iter().map(|(kind, _)| kind).collect::<std::collections::BTreeSet<_>>().len(),
        wrong.len(),
        innocent.len(),
        hit as f64 / (hit + wrong.len()).max(1) as f64,
    );
    assert_eq!((missed.join("\n"), wrong.join("\n")), (String::new(), String::new()));
}

#[test]
fn private_keys_go_to_their_last_line_or_as_far_as_they_go() {
    let body = table::drawn("private", table::BASE, 64);
    let key = format!("-----BEGIN RSA PRIV{}{body}\n{}\n", "ATE KEY-----\n", &body[..40]);
    let whole = format!("before\n{key}-----END RSA PRIVATE KEY-----\nafter");
    assert_eq!(redact(&whole).0, "before\n[redacted private key]\nafter");
    assert_eq!(redact(&format!("before {key}")).0, "before [redacted private key]\n");
    let cut = format!("{key}then we went home.");
    assert_eq!(redact(&cut).0, "[redacted private key]\nthen we went home.");
    let escaped = whole.replace('\n', "\\n");
    assert_eq!(redact(&escaped).0, "before\\n[redacted private key]\\nafter");
}

#[test]
fn only_the_secret_goes() {
    for (text, kept) in [
        ("password: hunter2", "password: [redacted password]"),
        ("DB_PASSWORD='pa55 word' x", "DB_PASSWORD='[redacted password]' x"),
        ("{\"api_key\": \"9f8e7d6c5b4a3210\"}", "{\"api_key\": \"[redacted secret value]\"}"),
        ("token=9f8e7d6c5b4a3210ff, then", "token=[redacted secret value], then"),
        ("export SECRET_KEY=ab12-cd34-x9ef", "export SECRET_KEY=[redacted secret value]"),
        ("client_secret := \"x9f-7yQ8-z71w6\"", "client_secret := \"[redacted secret value]\""),
        (
            "postgres://ada:s3cr3t@db:5432/x",
            "postgres://ada:[redacted password in an address]@db:5432/x",
        ),
        ("mysql --password Tr0ub4dor x", "mysql --password [redacted password] x"),
        ("/login?password=Tr0ub4dor&next=1", "/login?password=[redacted password]&next=1"),
        ("<password>Tr0ub4dor</password>", "<password>[redacted password]</password>"),
        ("Server=db;Password=Tr0ub4dor;X=1", "Server=db;Password=[redacted password];X=1"),
        ("the password is Tr0ub4dor&3.", "the password is [redacted password]."),
        (
            "The admin password for grafana is Kx7!q9XtM2vK (user admin)",
            "The admin password for grafana is [redacted password] (user admin)",
        ),
        (
            "machine a.example.org login ada password hunter next",
            "machine a.example.org login ada password [redacted password] next",
        ),
        (
            r#"{"name":"DB_PASSWORD","value":"Vq8#kk29LLpq","x":1}"#,
            r#"{"name":"DB_PASSWORD","value":"[redacted password]","x":1}"#,
        ),
        (
            r#"{\"name\":\"DB_PASSWORD\",\"value\":\"Vq8#kk29LLpq\"}"#,
            r#"{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted password]\"}"#,
        ),
        ("{auth: \"Ym90OnEzWHRNMnZLdzc=\"}", "{auth: \"[redacted basic credentials]\"}"),
        ("DB_PASSWORD=x9Kq2wZ)vPz71!kk", "DB_PASSWORD=[redacted password]"),
        ("DB_PASSWORD=x9Kq2wZ;vPz71!kk x", "DB_PASSWORD=[redacted password] x"),
        ("DB_PASSWORD=x9Kq2wZ,vPz71!kk", "DB_PASSWORD=[redacted password]"),
        ("DB_PASSWORD=x9Kq2wZ'vPz71!kk", "DB_PASSWORD=[redacted password]"),
        ("DB_PASSWORD=x9Kq2wZ\\vPz71!kk", "DB_PASSWORD=[redacted password]"),
        ("DB_PASSWORD=x9Kq2wZ<vPz71!kk", "DB_PASSWORD=[redacted password]"),
        ("{\"password\": \"x9Kq2wZ\\\"vPz71!kk\"}", "{\"password\": \"[redacted password]\"}"),
        ("password: 'x9Kq2wZ''vPz71!kk'", "password: '[redacted password]'"),
        ("f(password=Tr0ub4dor).run()", "f(password=[redacted password]).run()"),
        ("password=Tr0ub4dor,user=ada7", "password=[redacted password],user=ada7"),
        ("password=Tr0ub4dor</td><td>9x", "password=[redacted password]</td><td>9x"),
        ("\"password=Tr0ub4dor\\nnext9\"", "\"password=[redacted password]\\nnext9\""),
        (r#"{"a":"{\"pwd\":\"Tr0ub4d\"}"}"#, r#"{"a":"{\"pwd\":\"[redacted password]\"}"}"#),
    ] {
        assert_eq!(redact(text).0, kept);
    }
}

#[test]
fn what_cannot_be_seen_hides_nothing_and_goes_with_the_secret() {
    let body = table::drawn("hidden", table::PLAIN, 36);
    let (a, b) = body.split_at(11);
    for between in ["\u{200b}", "\u{200d}\u{2060}", "\u{ad}", "\u{feff}", "\u{e0041}", "\u{202e}"] {
        let text = format!("né use gh{between}p_{a}{between}{b}{between} now");
        let (kept, found) = redact(&text);
        assert_eq!(kept, format!("né use [redacted github token]{between} now"), "{between:?}");
        assert_eq!(found.len(), 1);
        let parted = format!("né x{between}ghp_{a}{b}{between}.");
        let kept = redact(&parted).0;
        assert_eq!(kept, format!("né x{between}[redacted github token]{between}."), "{between:?}");
    }
    let wide: String = "password=".chars().chain("Vq8#kk29LLpq".chars()).map(wide).collect();
    assert_eq!(redact(&format!("é {wide} é")).0, format!("é {}[redacted password] é", &wide[..27]));
    let plain = "👨\u{200d}👩\u{200d}👧 and tok\u{ad}en";
    assert_eq!(redact(plain).0, plain);
}

/// A sign of ASCII as wide as those of Chinese.
fn wide(c: char) -> char {
    char::from_u32(u32::from(c) + 0xfee0).unwrap()
}

/// Found by fuzzing: of a token with more behind its dots nothing was taken, or only its end.
#[test]
fn a_jwt_goes_with_whatever_is_joined_to_it() {
    let part = format!("eyJ{}", table::drawn("part", table::PLAIN, 20));
    let text = format!("see {}.example.org/x", [part.as_str(); 7].join("."));
    assert_eq!(redact(&text).0, "see [redacted jwt]/x");
}

/// Its time is not measured: what is not linear does not end here.
#[test]
fn many_beginnings_of_secrets_take_no_longer_than_their_length() {
    let parts = [
        "eyJ.",
        "eyJa",
        "password=",
        "-----BEGIN ",
        "://a:",
        "sk-",
        "token:\"",
        "ghp_-",
        "key=",
        "-----BEGIN PRIVATE KEY-----",
        "a-",
        "pwd is ",
        "bearer ",
        "12345678:",
        "M.",
        "%3Dsk-",
        "LS0tLS1CRUdJTi",
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t",
        "password for ",
        "password\" ",
        "machine a.b login c password ",
        "passwords\u{200b}",
        "\u{ff1d}",
    ];
    for part in parts {
        let text = part.repeat((1 << 20) / part.len());
        assert!(find(&text).len() <= text.len());
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_and_nothing_but_secrets_changes(text in "\\PC*|[a-zA-Z0-9_:=\"'@/. -]*|([a-z]{0,5}(password|token)[\u{200b}=\u{ff1d} ]{1,3}[a-zA-Z0-9!\u{200b}é]{0,20}){0,4}") {
        let (kept, found) = redact(&text);
        if found.is_empty() {
            prop_assert_eq!(&kept, &text);
        } else {
            prop_assert!(kept.contains(MARK));
        }
    }

    #[test]
    fn what_is_redacted_once_stays_as_it_is(text in "(password|token|api_key)[=:] ?\"?[a-zA-Z0-9!._-]{0,30}\"? [a-z ]*") {
        let once = redact(&text).0.into_owned();
        prop_assert_eq!(&redact(&once).0, &once);
    }

    #[test]
    fn ranges_are_in_order_and_whole_characters(text in "([a-z]{0,6}(password|secret|token)[=: ]{1,2}[\"']?[a-zA-Z0-9é!€]{0,20}[\"' ]){0,5}") {
        let mut end = 0;
        for found in find(&text) {
            prop_assert!(found.range.start >= end && text.get(found.range.clone()).is_some());
            end = found.range.end;
        }
    }
}
