//! What is done about keys, tokens and passwords in what is to be kept.
//!
//! Which texts hold one is [`rank::keep::secrets`]; here it is decided what follows. What somebody
//! writes is refused, so that they know ([`admit`], [`admit_all`]); of what comes from elsewhere (a
//! file, an import, a conversation) the rest must not be lost, so that a mark stands in the secret's
//! place ([`take`], [`take_all`]). Not here: who asks, and with what words.

use std::borrow::Cow;

use model::{Evidence, Metadata, Record};
use rank::keep::secrets::{self, Found};
use serde_json::{Map, Value};

use crate::{Error, ErrorKind, Result};

/// What is done about secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// What somebody writes is refused; of what comes from elsewhere the secrets are taken out.
    #[default]
    Refuse,
    /// They are taken out of both.
    Redact,
    /// They are kept as anything else.
    Keep,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Refuse, Self::Redact, Self::Keep];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Redact => "redact",
            Self::Keep => "keep",
        }
    }

    /// The policy of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// The text of a field as it may be kept.
///
/// # Errors
///
/// That it holds a secret, and of what kind; never the secret.
pub fn admit(policy: Policy, field: &str, text: &str) -> Result<String> {
    let (kept, found) = cleaned(policy, text);
    match found.first() {
        Some(secret) if policy == Policy::Refuse => Err(refused(field, secret.kind)),
        _ => Ok(kept.into_owned()),
    }
}

/// The same for several texts of a field.
///
/// # Errors
///
/// As [`admit`].
pub fn admit_each(policy: Policy, field: &str, texts: &[String]) -> Result<Vec<String>> {
    texts.iter().map(|text| admit(policy, field, text)).collect()
}

/// Refuses a name with a secret in it, whether or not texts would be redacted: without it, it would
/// be another name.
///
/// # Errors
///
/// As [`admit`].
pub fn admit_name(policy: Policy, field: &str, name: &str) -> Result<()> {
    kind(policy, name).map_or(Ok(()), |kind| Err(refused(field, kind)))
}

/// Fields with all that is in them, as they may be kept: names of fields are looked at as well, and
/// a value by the name it has.
///
/// # Errors
///
/// As [`admit`], with the path of the field.
pub fn admit_all(policy: Policy, fields: Map<String, Value>) -> Result<Map<String, Value>> {
    let mut found = Vec::new();
    let fields = walk_fields(policy, fields, &Spot::default(), &mut found);
    match found.into_iter().next() {
        Some((path, kind)) if policy == Policy::Refuse => Err(refused(&path, kind)),
        _ => Ok(fields),
    }
}

/// What a text holds that is not to be kept: the kind of the first.
pub fn kind(policy: Policy, text: &str) -> Option<&'static str> {
    cleaned(policy, text).1.first().map(|secret| secret.kind)
}

/// The secrets of a text themselves, to look for them elsewhere.
pub(crate) fn of(policy: Policy, text: &str) -> Vec<String> {
    cleaned(policy, text).1.iter().map(|secret| text[secret.range.clone()].to_owned()).collect()
}

fn refused(field: &str, kind: &str) -> Error {
    let message = format!(
        "{field} holds what looks like a secret ({kind}); secrets are not kept, and nothing was \
         stored. Leave it out, or say where it is found (a vault, the name of a variable)"
    );
    let details = serde_json::json!({"field": field, "secret": kind});
    Error { details: Some(details), ..Error::new(ErrorKind::InvalidValue, message) }
}

/// Whether an error says that a secret was refused.
pub fn is_refusal(error: &Error) -> bool {
    error.details.as_ref().is_some_and(|details| details.get("secret").is_some())
}

/// Takes the secrets out of a text that comes from elsewhere; how many there were.
pub fn take(policy: Policy, text: &mut String) -> usize {
    let (kept, found) = cleaned(policy, text);
    if let Cow::Owned(kept) = kept {
        *text = kept;
    }
    found.len()
}

/// The same for a text whose lines are counted: they stay as many.
pub fn take_lines(policy: Policy, text: &mut String) -> usize {
    if policy == Policy::Keep {
        return 0;
    }
    let found = secrets::find(text);
    for secret in found.iter().rev() {
        let lines = text[secret.range.clone()].matches('\n').count();
        text.replace_range(secret.range.clone(), &(secret.mark() + &"\n".repeat(lines)));
    }
    found.len()
}

/// The same for data of any form.
pub fn take_all(policy: Policy, value: &mut Value) -> usize {
    let mut found = Vec::new();
    let taken = std::mem::take(value);
    *value = walk(policy, taken, &Spot::default(), &mut found);
    found.len()
}

/// The same for the free data of a memory.
pub fn take_metadata(policy: Policy, metadata: &mut Metadata) -> usize {
    let mut found = Vec::new();
    let taken = std::mem::take(metadata);
    *metadata = walk_fields(policy, taken.into_iter().collect(), &Spot::default(), &mut found)
        .into_iter()
        .collect();
    found.len()
}

/// The same for a record.
pub fn take_record(policy: Policy, record: &mut Record) -> usize {
    let Record { title, target, rationale, consequences, evidence, rest, .. } = record;
    let texts = [title, target, rationale, &mut rest.front, &mut rest.body];
    let evidence = evidence.iter_mut().map(|evidence| match evidence {
        Evidence::Episode { text, .. } => text,
        Evidence::Note(text) => text,
    });
    let all = texts.into_iter().chain(consequences).chain(evidence);
    all.map(|text| take(policy, text)).sum()
}

fn cleaned(policy: Policy, text: &str) -> (Cow<'_, str>, Vec<Found>) {
    match policy {
        Policy::Keep => (Cow::Borrowed(text), Vec::new()),
        Policy::Refuse | Policy::Redact => secrets::redact(text),
    }
}

type FoundAt = (String, &'static str);

/// Names of the field that names what the field `value` beside it holds.
const NAMING: [&str; 5] = ["name", "key", "variable", "field", "label"];

/// Where a value stands: its path, and the name that tells what it is.
#[derive(Debug, Clone, Default)]
struct Spot {
    path: String,
    name: String,
}

impl Spot {
    /// What the value here is by its name, if that is not to be kept.
    fn kind(&self, policy: Policy, text: &str) -> Option<&'static str> {
        let is_looked_at = policy != Policy::Keep && !self.name.is_empty();
        is_looked_at.then(|| secrets::named(&self.name, text)).flatten()
    }
}

/// The value without secrets, and where they were. What a list holds has the list's name.
fn walk(policy: Policy, value: Value, spot: &Spot, found: &mut Vec<FoundAt>) -> Value {
    match value {
        Value::String(text) => {
            let (kept, secrets) = cleaned(policy, &text);
            found.extend(secrets.iter().map(|secret| (spot.path.clone(), secret.kind)));
            let kind = spot.kind(policy, &text).filter(|_| secrets.is_empty());
            kind.map_or_else(|| Value::String(kept.into_owned()), |kind| marked(kind, spot, found))
        }
        Value::Number(number) => match spot.kind(policy, &number.to_string()) {
            Some(kind) => marked(kind, spot, found),
            None => Value::Number(number),
        },
        Value::Array(values) => {
            let of = |(at, value)| {
                let path = format!("{}[{at}]", spot.path);
                walk(policy, value, &Spot { path, name: spot.name.clone() }, found)
            };
            Value::Array(values.into_iter().enumerate().map(of).collect())
        }
        Value::Object(fields) => Value::Object(walk_fields(policy, fields, spot, found)),
        other => other,
    }
}

fn marked(kind: &'static str, spot: &Spot, found: &mut Vec<FoundAt>) -> Value {
    found.push((spot.path.clone(), kind));
    Value::String(Found { kind, range: 0..0 }.mark())
}

fn walk_fields(
    policy: Policy,
    fields: Map<String, Value>,
    spot: &Spot,
    found: &mut Vec<FoundAt>,
) -> Map<String, Value> {
    let named = naming(&fields).unwrap_or_else(|| spot.name.clone());
    let mut kept = Map::new();
    for (name, value) in fields {
        let (name, secrets) = match cleaned(policy, &name) {
            (Cow::Borrowed(_), found) => (name, found),
            (Cow::Owned(kept), found) => (kept, found),
        };
        let Spot { path, .. } = spot;
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        found.extend(secrets.iter().map(|secret| (path.clone(), secret.kind)));
        let is_value = name.eq_ignore_ascii_case("value") && !named.is_empty();
        let below = Spot { path, name: if is_value { named.clone() } else { name.clone() } };
        let value = walk(policy, value, &below, found);
        kept.insert(free(&kept, name), value);
    }
    kept
}

/// The name that one of these fields gives to the field `value`, if it says that this is secret.
fn naming(fields: &Map<String, Value>) -> Option<String> {
    let is_naming = |name: &str| NAMING.iter().any(|known| known.eq_ignore_ascii_case(name));
    let names = fields.iter().filter(|(name, _)| is_naming(name));
    names
        .filter_map(|(_, value)| value.as_str())
        .find(|name| secrets::is_name(name))
        .map(str::to_owned)
}

/// The name, or another if a field has it: two names may look alike without their secrets.
fn free(fields: &Map<String, Value>, name: String) -> String {
    if !fields.contains_key(&name) {
        return name;
    }
    let numbered = (2..).map(|number| format!("{name} {number}"));
    numbered.into_iter().find(|name| !fields.contains_key(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key() -> String {
        format!("ghp_{}", "a7Kd93LmQ0xZr5Tb8WnY2vHc6JfE4sGp1uRi")
    }

    fn fields(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(fields) => fields,
            other => panic!("no fields: {other}"),
        }
    }

    #[test]
    fn the_field_and_the_kind_are_told_and_the_secret_is_not() {
        let all = json!({"a": 1, "data": {"list": ["x", format!("use {}", key())]}});
        let error = admit_all(Policy::Refuse, fields(all)).unwrap_err();
        assert!(error.message.starts_with("data.list[1] holds what looks like a secret (github"));
        assert!(!format!("{error:?}").contains(&key()[..8]));
        assert_eq!(error.details.unwrap()["secret"], "github token");
    }

    #[test]
    fn names_of_fields_are_looked_at_and_judge_their_values() {
        let error = admit_all(Policy::Refuse, fields(json!({key(): 1}))).unwrap_err();
        assert!(!error.message.contains(&key()[..8]), "{}", error.message);
        let by_name = json!({"db": {"password": "hunter2!"}});
        let error = admit_all(Policy::Refuse, fields(by_name.clone())).unwrap_err();
        assert!(error.message.starts_with("db.password holds"));
        let kept = admit_all(Policy::Redact, fields(by_name.clone())).unwrap();
        assert_eq!(kept["db"], json!({"password": "[redacted password]"}));
        assert_eq!(admit_all(Policy::Keep, fields(by_name.clone())).unwrap(), fields(by_name));
    }

    #[test]
    fn a_value_is_judged_by_the_name_beside_it_around_it_or_of_its_list() {
        let secret = "Vq8#kk29LLpq";
        for (all, path) in [
            (json!({"env": [{"name": "DB_PASSWORD", "value": secret}]}), "env[0].value"),
            (json!({"env": [{"value": secret, "Key": "DB_PASSWORD"}]}), "env[0].value"),
            (json!({"password": [secret]}), "password[0]"),
            (json!({"passwords": ["", [secret]]}), "passwords[1][0]"),
            (json!({"password": {"value": secret}}), "password.value"),
            (json!({"password": 83_749_261}), "password"),
            (json!({"password": "83749261"}), "password"),
        ] {
            let error = admit_all(Policy::Refuse, fields(all.clone())).unwrap_err();
            assert_eq!(error.details.unwrap()["field"], path, "{all}");
            let kept = Value::Object(admit_all(Policy::Redact, fields(all.clone())).unwrap());
            let kept = kept.to_string();
            assert!(kept.contains("[redacted password]"), "{kept}");
            assert!(!kept.contains(secret) && !kept.contains("83749261"), "{kept}");
            assert_eq!(Value::Object(admit_all(Policy::Keep, fields(all.clone())).unwrap()), all);
        }
        let innocent = json!({"name": "heron", "value": secret, "password": 4096, "tokens": [128_000],
            "key": "colour", "max_tokens": 83_749_261, "password_hint": ["in the vault"]});
        assert_eq!(admit_all(Policy::Refuse, fields(innocent.clone())).unwrap(), fields(innocent));
    }

    #[test]
    fn names_that_look_alike_without_their_secrets_lose_no_value() {
        let other = key().replace("a7Kd", "b8Le");
        let kept = admit_all(Policy::Redact, fields(json!({key(): 1, other: 2}))).unwrap();
        assert_eq!(
            Value::Object(kept),
            json!({"[redacted github token]": 1, "[redacted github token] 2": 2})
        );
    }

    #[test]
    fn lines_stay_as_many() {
        let body = "Qm9vTXhZ7kLp0aVdRtWnEjUi3HsGfCq9".repeat(2);
        let mut text = format!("a\n-----BEGIN PRIV{}-----\nb {}\n", "ATE KEY-----\n", key());
        text = text.replacen("-----\n-----", &format!("-----\n{body}\n-----END PRIV-----"), 1);
        let before = text.lines().count();
        assert!(take_lines(Policy::Refuse, &mut text) >= 1);
        assert_eq!(text.lines().count(), before);
        assert_eq!(take_lines(Policy::Keep, &mut text), 0);
    }
}
