//! The keys that an issuer signs with: read from its key set, and what they say of a signature.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

use super::Flaw;
use super::jws::{Algorithm, Jws, bytes};

/// No more keys of a set are read.
const KEYS_MAX: usize = 64;

/// A key set as it is published.
#[derive(Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

/// A key as it is published; what is left out does not matter for signatures.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// The public half of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Half {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A key that signatures are looked at with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    kid: Option<String>,
    algorithm: Option<Algorithm>,
    half: Half,
}

/// The keys of an issuer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Keys(Vec<Key>);

impl Keys {
    /// The keys of a set that can be used here; those of other kinds are left out, even if none is left:
    /// what an issuer publishes no more is good no more.
    pub(super) fn read(document: &[u8]) -> Result<Self, String> {
        let published: Published = serde_json::from_slice(document)
            .map_err(|why| format!("what it publishes is no key set: {why}"))?;
        let read = |value| serde_json::from_value::<Jwk>(value).ok().and_then(key);
        let keys: Vec<Key> = published.keys.into_iter().take(KEYS_MAX).filter_map(read).collect();
        Ok(Self(keys))
    }

    /// Whether none could be used.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a key of the set may have signed a token that names this one.
    pub(super) fn has(&self, kid: Option<&str>) -> bool {
        match kid {
            Some(_) => self.0.iter().any(|key| key.kid.as_deref() == kid),
            None => self.0.len() == 1,
        }
    }

    /// Whether one of the keys signed this.
    pub(super) fn verify(&self, jws: &Jws<'_>) -> Result<(), Flaw> {
        let kid = jws.kid.as_deref();
        if !self.has(kid) {
            return Err(Flaw::UnknownKey);
        }
        let named = self.0.iter().filter(|key| kid.is_none() || key.kid.as_deref() == kid);
        match named.into_iter().any(|key| key.signed(jws)) {
            true => Ok(()),
            false => Err(Flaw::Signature),
        }
    }
}

impl Key {
    /// Whether this key signed it, in a way that is its own.
    fn signed(&self, jws: &Jws<'_>) -> bool {
        if self.algorithm.is_some_and(|only| only != jws.algorithm) {
            return false;
        }
        let point = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(jws.signed, &jws.signature).is_ok()
        };
        let rsa = |parameters: &'static RsaParameters| match &self.half {
            Half::Rsa { n, e } => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(parameters, jws.signed, &jws.signature).is_ok()
            }
            _ => false,
        };
        match (jws.algorithm, &self.half) {
            (Algorithm::Rs256, _) => rsa(&RSA_PKCS1_2048_8192_SHA256),
            (Algorithm::Rs384, _) => rsa(&RSA_PKCS1_2048_8192_SHA384),
            (Algorithm::Rs512, _) => rsa(&RSA_PKCS1_2048_8192_SHA512),
            (Algorithm::Ps256, _) => rsa(&RSA_PSS_2048_8192_SHA256),
            (Algorithm::Ps384, _) => rsa(&RSA_PSS_2048_8192_SHA384),
            (Algorithm::Ps512, _) => rsa(&RSA_PSS_2048_8192_SHA512),
            (Algorithm::Es256, Half::P256(key)) => point(&ECDSA_P256_SHA256_FIXED, key),
            (Algorithm::Es384, Half::P384(key)) => point(&ECDSA_P384_SHA384_FIXED, key),
            (Algorithm::EdDsa, Half::Ed25519(key)) => point(&ED25519, key),
            (Algorithm::Es256 | Algorithm::Es384 | Algorithm::EdDsa, _) => false,
        }
    }
}

/// The key that is published, if it is one for signatures that we know.
fn key(jwk: Jwk) -> Option<Key> {
    let is_for_signing = jwk.usage.as_deref().is_none_or(|usage| usage == "sig")
        && jwk.key_ops.iter().flatten().all(|what| what == "verify" || what == "sign");
    if !is_for_signing {
        return None;
    }
    let part = |word: &Option<String>| bytes(word.as_deref()?).ok();
    let point = |length: usize| {
        let (x, y) = (part(&jwk.x)?, part(&jwk.y)?);
        let is_whole = x.len() == length && y.len() == length;
        is_whole.then(|| [&[4][..], &x, &y].concat())
    };
    let half = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) => Half::Rsa { n: part(&jwk.n)?, e: part(&jwk.e)? },
        ("EC", Some("P-256")) => Half::P256(point(32)?),
        ("EC", Some("P-384")) => Half::P384(point(48)?),
        ("OKP", Some("Ed25519")) => Half::Ed25519(part(&jwk.x).filter(|x| x.len() == 32)?),
        _ => return None,
    };
    let algorithm = match jwk.alg.as_deref() {
        Some(name) => Some(Algorithm::named(name)?),
        None => None,
    };
    Some(Key { kid: jwk.kid, algorithm, half })
}
