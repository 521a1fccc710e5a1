//! Keys of an issuer, and what they sign.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::hmac as ring_hmac;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPairComponents, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256,
    RSA_PSS_SHA384, RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
};
use serde_json::{Value, json};

pub(super) const ISSUER: &str = "https://login.example";
pub(super) const AUDIENCE: &str = "https://lore.example/mcp";

/// When the tests look at tokens.
pub(super) const NOW: i64 = 1_800_000_000;

/// The public exponent of the RSA key.
const E: [u8; 3] = [1, 0, 1];

enum Secret {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

/// A key with its name.
pub(super) struct Key {
    pub(super) kid: String,
    secret: Secret,
}

impl Key {
    /// The one of the file beside.
    pub(super) fn rsa(kid: &str) -> Self {
        let text = include_str!("rsa-key.txt");
        let part = |name: &str| -> Vec<u8> {
            let lines = text.lines().filter_map(|line| line.split_once(' '));
            let digits: String = lines
                .filter(|(part, _)| *part == name)
                .map(|(_, rest)| rest.replace(' ', ""))
                .collect();
            digits
                .as_bytes()
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect()
        };
        let components = KeyPairComponents {
            public_key: PublicKeyComponents { n: part("n"), e: E.to_vec() },
            d: part("d"),
            p: part("p"),
            q: part("q"),
            dP: part("dp"),
            dQ: part("dq"),
            qInv: part("qi"),
        };
        let secret = Secret::Rsa(RsaKeyPair::from_components(&components).unwrap());
        Self { kid: kid.to_owned(), secret }
    }

    pub(super) fn p256(kid: &str) -> Self {
        Self::ec(kid, &ECDSA_P256_SHA256_FIXED_SIGNING)
    }

    pub(super) fn p384(kid: &str) -> Self {
        Self::ec(kid, &ECDSA_P384_SHA384_FIXED_SIGNING)
    }

    fn ec(kid: &str, way: &'static ring::signature::EcdsaSigningAlgorithm) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(way, made.as_ref(), &random).unwrap();
        Self { kid: kid.to_owned(), secret: Secret::Ec(pair) }
    }

    pub(super) fn ed25519(kid: &str) -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap();
        Self { kid: kid.to_owned(), secret: Secret::Ed(pair) }
    }

    /// The public half, as the key set has it.
    pub(super) fn jwk(&self) -> Value {
        let kid = &self.kid;
        match &self.secret {
            Secret::Rsa(pair) => {
                let public: PublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({"kty": "RSA", "kid": kid, "n": word(&public.n), "e": word(E)})
            }
            Secret::Ec(pair) => {
                let point = &pair.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                let crv = if x.len() == 32 { "P-256" } else { "P-384" };
                json!({"kty": "EC", "kid": kid, "crv": crv, "x": word(x), "y": word(y)})
            }
            Secret::Ed(pair) => {
                json!({"kty": "OKP", "kid": kid, "crv": "Ed25519", "x": word(pair.public_key())})
            }
        }
    }

    /// The bytes that everybody knows of it.
    pub(super) fn public_bytes(&self) -> &[u8] {
        match &self.secret {
            Secret::Rsa(pair) => pair.public_key().as_ref(),
            Secret::Ec(pair) => pair.public_key().as_ref(),
            Secret::Ed(pair) => pair.public_key().as_ref(),
        }
    }

    /// A token that this key signed.
    pub(super) fn sign(&self, head: &Value, claims: &Value) -> String {
        self.sign_text(head, &claims.to_string())
    }

    /// The same of any text.
    pub(super) fn sign_text(&self, head: &Value, payload: &str) -> String {
        let alg = head["alg"].as_str().unwrap();
        signed_text(head, payload, &|words| match &self.secret {
            Secret::Ec(pair) => pair.sign(&SystemRandom::new(), words).unwrap().as_ref().to_vec(),
            Secret::Ed(pair) => pair.sign(words).as_ref().to_vec(),
            Secret::Rsa(pair) => {
                let way: &'static dyn RsaEncoding = match alg {
                    "RS384" => &RSA_PKCS1_SHA384,
                    "RS512" => &RSA_PKCS1_SHA512,
                    "PS256" => &RSA_PSS_SHA256,
                    "PS384" => &RSA_PSS_SHA384,
                    "PS512" => &RSA_PSS_SHA512,
                    _ => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(way, &SystemRandom::new(), words, &mut signature).unwrap();
                signature
            }
        })
    }
}

/// Signs with a secret that both sides share.
pub(super) fn hmac(secret: &[u8]) -> impl Fn(&[u8]) -> Vec<u8> {
    let key = ring_hmac::Key::new(ring_hmac::HMAC_SHA256, secret);
    move |words| ring_hmac::sign(&key, words).as_ref().to_vec()
}

/// A token with whatever signature.
pub(super) fn signed(head: &Value, claims: &Value, sign: &dyn Fn(&[u8]) -> Vec<u8>) -> String {
    signed_text(head, &claims.to_string(), sign)
}

fn signed_text(head: &Value, payload: &str, sign: &dyn Fn(&[u8]) -> Vec<u8>) -> String {
    let words = format!("{}.{}", word(head.to_string()), word(payload));
    let signature = word(sign(words.as_bytes()));
    format!("{words}.{signature}")
}

/// A token without a signature.
pub(super) fn unsigned(head: &Value, claims: &Value) -> String {
    signed(head, claims, &|_| Vec::new())
}

pub(super) fn head(alg: &str, kid: Option<&str>) -> Value {
    json!({"alg": alg, "kid": kid.map_or(Value::Null, Value::from), "typ": "at+jwt"})
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Claims that are good at `NOW`.
pub(super) fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ada",
        "iat": NOW - 10,
        "nbf": NOW - 10,
        "exp": NOW + 300,
        "scope": "lore:read lore:write",
        "client_id": "inspector",
    })
}

pub(super) fn key_set(keys: &[&Key]) -> String {
    json!({"keys": keys.iter().map(|key| key.jwk()).collect::<Vec<_>>()}).to_string()
}

pub(super) fn word(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
