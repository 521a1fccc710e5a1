//! What a token claims, held against what is wanted: for whom, by whom, until when, and what for.

use model::scope::OwnerId;
use model::{Caller, Identity, Layer, Ledgers, Namespace, Role};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{Flaw, Rules};

/// By how many seconds the issuer's clock may be ahead of ours.
const LEEWAY_SECONDS: f64 = 60.0;

/// No more characters of a name are kept.
const NAME_CHARS_MAX: usize = 200;

/// How many characters of a hash tell names apart.
const MARK_LENGTH: usize = 32;

type Claims = Map<String, Value>;

/// Who a token is for, if its claims are good at that time, in seconds since 1970.
pub(super) fn caller(claims: &Claims, rules: &Rules, now: i64) -> Result<Caller, Flaw> {
    if claims.get("iss").and_then(Value::as_str) != Some(&rules.issuer) {
        return Err(Flaw::Issuer);
    }
    if !words(claims.get("aud")).contains(&rules.audience.as_str()) {
        return Err(Flaw::Audience);
    }
    in_time(claims, now as f64)?;
    let user = name(claims, &rules.user_claim)?.ok_or(Flaw::Subject)?;
    let role = role(claims, rules).ok_or(Flaw::Scope)?;
    let mut identity = Identity::default().with(Layer::User, owner(user).ok_or(Flaw::Subject)?);
    for (layer, claim) in &rules.layer_claims {
        if let Some(id) = name(claims, claim)? {
            identity = identity.with(*layer, owner(id).ok_or(Flaw::Subject)?);
        }
    }
    let mut caller = Caller::from_afar(identity, role);
    if let Some(said) = rules.namespaces_claim.as_ref().and_then(|claim| claims.get(claim)) {
        caller.ledgers = Ledgers::Only(namespaces(said));
    }
    // No token of the file has a name with a colon, so nobody stands in the audit log as one of those. One
    // word, since where a memory comes from is told in words.
    let shown = user.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX);
    caller.actor.who = format!("oauth:{}", shown.collect::<String>());
    Ok(caller)
}

/// A token must end, and must not be of the future.
fn in_time(claims: &Claims, now: f64) -> Result<(), Flaw> {
    let moment = |name: &str| match claims.get(name) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or(Flaw::Malformed),
    };
    let end = moment("exp")?.ok_or(Flaw::Endless)?;
    if now >= end {
        return Err(Flaw::Expired);
    }
    let is_ahead = |moment: Option<f64>| moment.is_some_and(|moment| moment > now + LEEWAY_SECONDS);
    if is_ahead(moment("nbf")?) || is_ahead(moment("iat")?) {
        return Err(Flaw::TooEarly);
    }
    Ok(())
}

/// The most that the token's scopes give.
fn role(claims: &Claims, rules: &Rules) -> Option<Role> {
    let said = [claims.get("scope"), claims.get("scp")];
    let scopes = said.into_iter().flat_map(words).flat_map(str::split_whitespace);
    scopes.filter_map(|scope| rules.scopes.get(scope).copied()).max()
}

/// A name among the claims; one that is there must be one.
fn name<'a>(claims: &'a Claims, claim: &str) -> Result<Option<&'a str>, Flaw> {
    match claims.get(claim) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if !name.trim().is_empty() => Ok(Some(name)),
        Some(_) => Err(Flaw::Subject),
    }
}

/// A claim that is a word or a list of words.
fn words(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The namespaces that a claim names, as a list or with blanks between them. What is no name of one
/// opens none.
fn namespaces(said: &Value) -> Vec<Namespace> {
    let names = words(Some(said)).into_iter().flat_map(str::split_whitespace);
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The id of a name: no two names have the same. A name that is an id stays as it is; any other
/// becomes the nearest id with a mark of the whole. A name that looks as if it had such a mark gets
/// one too, so that nobody can be called like somebody else's id.
pub(super) fn owner(name: &str) -> Option<OwnerId> {
    let has_mark = name.rsplit_once('-').is_some_and(|(_, end)| {
        end.len() == MARK_LENGTH && end.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if !has_mark && let Ok(id) = name.parse() {
        return Some(id);
    }
    let hash = model::hex(&Sha256::digest(name));
    let mark = &hash[..MARK_LENGTH];
    let room = OwnerId::LENGTH_MAX - MARK_LENGTH - 1;
    let kept: String = name.chars().take(room).collect();
    let nearest = OwnerId::nearest(&kept)?;
    let kept: String = nearest.as_str().chars().take(room).collect();
    format!("{kept}-{mark}").parse().ok()
}
