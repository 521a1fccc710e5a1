//! How many of the secrets that are drawn at random are missed: none that its beginning or its form
//! tells, and of those that only a name tells no more than stands here.

use super::table::{BASE, DIGITS, Dice, HEX, LETTERS, PLAIN, SMALL, TOKENS, WORDS, encoded};
use super::{find, tokens};

/// So many are drawn of each kind.
const EACH: usize = 1_000;

/// How many of so many texts hold nothing that is found, and one of them.
fn missed(each: usize, mut text: impl FnMut() -> String) -> (usize, String) {
    let texts = (0..each).map(|_| format!("line {} end", text()));
    let missed: Vec<String> = texts.filter(|text| find(text).is_empty()).collect();
    (missed.len(), missed.first().cloned().unwrap_or_default())
}

#[test]
fn of_tokens_that_their_beginning_tells_none_is_missed() {
    let mut wrong = Vec::new();
    for (kind, prefix, alphabet, length) in TOKENS {
        let mut dice = Dice::new(prefix);
        let (count, one) = missed(EACH, || format!("{prefix}{}", dice.drawn(alphabet, *length)));
        wrong.extend((count > 0).then(|| format!("{kind}: {count} of {EACH}, {one}")));
    }
    assert_eq!(wrong.join("\n"), "");
}

/// However short its tokens may be, and whatever they may be made of.
#[test]
fn no_rule_misses_what_is_drawn_of_its_own_shape() {
    let mut wrong = Vec::new();
    for (prefix, alphabet, length) in tokens::shapes() {
        let mut dice = Dice::new(prefix);
        let (count, one) = missed(EACH, || format!("{prefix}{}", dice.drawn(&alphabet, length)));
        wrong.extend((count > 0).then(|| format!("{prefix}: {count} of {EACH}, {one}")));
    }
    assert_eq!(wrong.join("\n"), "");
}

/// Capitals and all digits.
const CODES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// A private key as a file of its own.
fn key(dice: &mut Dice) -> String {
    format!("-----BEGIN PRIV{0}-----\n{1}\n-----END PRIV{0}-----", "ATE KEY", dice.drawn(BASE, 64))
}

/// A name and a password in base64.
fn credentials(dice: &mut Dice) -> String {
    encoded(&format!("ada:{}", dice.drawn(PLAIN, 16)))
}

/// How a secret is drawn.
type Form = fn(&mut Dice) -> String;

/// Secrets that their form tells, and how one is drawn.
const FORMS: &[(&str, Form)] = &[
    ("slack", |d| {
        let [a, b] = [(); 2].map(|()| d.drawn(DIGITS, 12));
        format!("xoxb-{a}-{b}-{}", d.drawn(PLAIN, 24))
    }),
    ("github", |d| format!("github_pat_{}_{}", d.drawn(PLAIN, 22), d.drawn(PLAIN, 59))),
    ("sendgrid", |d| format!("SG.{}.{}", d.drawn(WORDS, 22), d.drawn(WORDS, 43))),
    ("telegram", |d| format!("7{}:AA{}", d.drawn(DIGITS, 9), d.drawn(WORDS, 33))),
    ("discord webhook", |d| {
        let (id, token) = (d.drawn(DIGITS, 17), d.drawn(WORDS, 68));
        format!("https://discord.com/api/webhooks/1{id}/{token}")
    }),
    ("slack webhook", |d| {
        let [a, b] = [(); 2].map(|()| d.drawn(CODES, 10));
        format!("https://hooks.slack.com/services/T{a}/B{b}/{}", d.drawn(PLAIN, 24))
    }),
    ("jwt", |d| format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", d.drawn(WORDS, 40), d.drawn(WORDS, 43))),
    ("private key", key),
    ("encoded key", |d| encoded(&key(d))),
    ("basic", |d| format!("Authorization: Basic {}", credentials(d))),
    ("auth", |d| format!("\"auth\": \"{}\"", credentials(d))),
    ("address", |d| format!("postgres://app:{}@db.internal/x", d.drawn(PLAIN, 14))),
    ("netrc", |d| format!("machine api.example.org login ada password {}", d.drawn(PLAIN, 20))),
];

#[test]
fn of_secrets_that_their_form_tells_none_is_missed() {
    let mut wrong = Vec::new();
    for (name, form) in FORMS {
        let mut dice = Dice::new(name);
        let (count, one) = missed(EACH, || form(&mut dice));
        wrong.extend((count > 0).then(|| format!("{name}: {count} of {EACH}, {one}")));
    }
    assert_eq!(wrong.join("\n"), "");
}

/// What only a name tells: what stands before it, of what it is drawn and how much, what stands
/// behind, and how many of ten thousand may be missed. What was seen is in `docs/BENCHMARKS.md`.
const NAMED: &[(&str, &str, usize, &str, usize)] = &[
    ("Authorization: Bearer ", PLAIN, 20, "", 50),
    ("Authorization: Bearer ", PLAIN, 40, "", 10),
    ("Authorization: Bearer ", HEX, 32, "", 5),
    ("API_TOKEN=", PLAIN, 32, "", 10),
    ("API_TOKEN=", WORDS, 43, "", 5),
    ("API_TOKEN=", HEX, 32, "", 5),
    ("api_key: \"", PLAIN, 16, "\"", 150),
    ("api_key: \"", HEX, 16, "\"", 50),
    ("CLIENT_SECRET=", LETTERS, 32, "", 300),
    ("aws_secret_access_key = ", BASE, 40, "", 10),
    ("DB_PASSWORD=", SIGNS, 16, "", 150),
    ("DB_PASSWORD=", PLAIN, 16, "", 100),
    ("\"password\": \"", SIGNS, 12, "\"", 350),
    ("the password is ", PLAIN, 16, "", 200),
    ("the admin password for grafana is Kx7!", PLAIN, 8, "", 200),
    ("postgres://app:", SMALL, 12, "@db/x", 5),
];

const SIGNS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#%";

#[test]
fn of_secrets_that_only_a_name_tells_few_are_missed() {
    const MANY: usize = 10_000;
    let mut wrong = Vec::new();
    for (before, alphabet, length, behind, most) in NAMED {
        let mut dice = Dice::new(before);
        let text = || format!("{before}{}{behind}", dice.drawn(alphabet, *length));
        let (count, one) = missed(MANY, text);
        println!("{before}…{behind} {length} of {}: {count} of {MANY} missed", alphabet.len());
        wrong.extend((count > *most).then(|| format!("{before}{behind}: {count}, {one}")));
    }
    assert_eq!(wrong.join("\n"), "");
}
