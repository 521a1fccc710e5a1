//! A signed token taken apart: what its head says of the signature, and what was signed.
//!
//! Nothing here is believed yet. Whether the signature is one is the business of [`super::keys`],
//! whether the claims are good that of [`super::claims`].

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::Flaw;

/// A token longer than this is not read.
pub(super) const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// No key's name is longer.
const KID_BYTES_MAX: usize = 256;

/// What an access token may call itself, in any case.
const TYPES: [&str; 4] = ["jwt", "application/jwt", "at+jwt", "application/at+jwt"];

/// How a token may be signed. Nothing that is signed with a shared secret or not at all is among
/// them, whatever a token says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

impl Algorithm {
    const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// The algorithm as a token names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm of that name. `Ed25519` is the newer name of what we know of EdDSA.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// A token in its parts.
pub(super) struct Jws<'a> {
    /// How it says it is signed.
    pub(super) algorithm: Algorithm,
    /// By which key.
    pub(super) kid: Option<String>,
    /// What was signed.
    pub(super) signed: &'a [u8],
    /// The signature.
    pub(super) signature: Vec<u8>,
    payload: &'a str,
}

impl<'a> Jws<'a> {
    /// Takes a token apart.
    pub(super) fn parse(token: &'a [u8]) -> Result<Self, Flaw> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Flaw::TooLong);
        }
        let text = std::str::from_utf8(token).map_err(|_| Flaw::Malformed)?;
        let mut parts = text.split('.');
        let (Some(head), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Flaw::Malformed);
        };
        let object = object(head)?;
        let word = |name: &str| match object.get(name) {
            None => Ok(None),
            Some(Value::String(word)) => Ok(Some(word.as_str())),
            Some(_) => Err(Flaw::Malformed),
        };
        // What a head calls critical must be understood, and we understand none of it.
        if object.contains_key("crit") || object.contains_key("b64") {
            return Err(Flaw::Malformed);
        }
        let algorithm = word("alg")?.and_then(Algorithm::named).ok_or(Flaw::Algorithm)?;
        let is_known = |typ: &str| TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ));
        if word("typ")?.is_some_and(|typ| !is_known(typ)) {
            return Err(Flaw::Type);
        }
        let kid = word("kid")?;
        if kid.is_some_and(|kid| kid.len() > KID_BYTES_MAX) {
            return Err(Flaw::Malformed);
        }
        Ok(Self {
            algorithm,
            kid: kid.map(str::to_owned),
            signed: &token[..head.len() + 1 + payload.len()],
            signature: bytes(signature)?,
            payload,
        })
    }

    /// What it claims.
    pub(super) fn claims(&self) -> Result<Map<String, Value>, Flaw> {
        object(self.payload)
    }
}

/// Whether these bytes look like a signed token at all: three words with a dot between.
pub(super) fn is_jws(token: &[u8]) -> bool {
    token.iter().filter(|byte| **byte == b'.').count() == 2 && token.starts_with(b"ey")
}

/// The bytes of a word in base64url; a word that could be written in another way is none.
pub(super) fn bytes(word: &str) -> Result<Vec<u8>, Flaw> {
    BASE64_URL_SAFE_NO_PAD.decode(word).map_err(|_| Flaw::Malformed)
}

fn object(word: &str) -> Result<Map<String, Value>, Flaw> {
    let Once(object) = serde_json::from_slice(&bytes(word)?).map_err(|_| Flaw::Malformed)?;
    Ok(object)
}

/// An object that says everything once: what says it twice is read by one in this way and by
/// another in that.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Once, A::Error> {
                let mut object = Map::new();
                while let Some((key, value)) = entries.next_entry::<String, Value>()? {
                    if object.insert(key, value).is_some() {
                        return Err(A::Error::custom("a key stands twice"));
                    }
                }
                Ok(Once(object))
            }
        }

        from.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(head: &str, payload: &str) -> String {
        let word = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", word(head), word(payload), word("signature"))
    }

    fn flaw(token: &str) -> Option<Flaw> {
        Jws::parse(token.as_bytes()).and_then(|jws| jws.claims()).err()
    }

    #[test]
    fn a_token_comes_apart() {
        let token = token(r#"{"alg":"ES256","kid":"k1","typ":"at+JWT"}"#, r#"{"sub":"ada"}"#);
        let jws = Jws::parse(token.as_bytes()).unwrap();
        assert_eq!((jws.algorithm, jws.kid.as_deref()), (Algorithm::Es256, Some("k1")));
        assert_eq!(jws.signature, b"signature");
        assert_eq!(jws.claims().unwrap()["sub"], "ada");
        assert_eq!(jws.signed, token.rsplit_once('.').unwrap().0.as_bytes());
        assert!(is_jws(token.as_bytes()) && !is_jws(b"lk_abc") && !is_jws(b"ey.b"));
    }

    #[test]
    fn only_what_has_a_public_key_is_an_algorithm() {
        for alg in ["none", "None", "HS256", "HS512", "rs256", "", "ES256K", "RSA-OAEP"] {
            let head = format!(r#"{{"alg":"{alg}"}}"#);
            assert_eq!(flaw(&token(&head, "{}")), Some(Flaw::Algorithm), "{alg}");
        }
        assert_eq!(flaw(&token("{}", "{}")), Some(Flaw::Algorithm));
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::named(algorithm.name()), Some(algorithm));
        }
        assert_eq!(Algorithm::named("Ed25519"), Some(Algorithm::EdDsa));
    }

    #[test]
    fn what_is_no_token_is_malformed() {
        let good = r#"{"alg":"ES256"}"#;
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
        let all = [
            ("no dots", "ey".to_owned()),
            ("four parts", format!("{}.x", token(good, "{}"))),
            ("padding", format!("{}=", token(good, "{}"))),
            ("no base64", "e y.e y.e y".to_owned()),
            ("head no object", token("[]", "{}")),
            ("claims no object", token(good, "7")),
            ("claims no JSON", token(good, "{")),
            ("more behind", token(good, "{} {}")),
            ("twice in the head", token(r#"{"alg":"ES256","alg":"none"}"#, "{}")),
            ("twice in the claims", token(good, r#"{"sub":"a","sub":"b"}"#)),
            ("alg no word", token(r#"{"alg":"ES256","kid":7}"#, "{}")),
            ("critical", token(r#"{"alg":"ES256","crit":["b64"]}"#, "{}")),
            (
                "a kid without end",
                token(&format!(r#"{{"alg":"ES256","kid":"{}"}}"#, "k".repeat(300)), "{}"),
            ),
            ("too deep", token(good, &deep)),
        ];
        for (name, token) in all {
            assert_eq!(flaw(&token), Some(Flaw::Malformed), "{name}");
        }
        let typed = token(r#"{"alg":"ES256","typ":"logout+jwt"}"#, "{}");
        assert_eq!(flaw(&typed), Some(Flaw::Type));
        assert_eq!(flaw(&"e".repeat(TOKEN_BYTES_MAX + 1)), Some(Flaw::TooLong));
        assert!(Jws::parse(&[0xff, b'.', b'.']).is_err());
    }
}
