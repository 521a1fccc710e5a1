//! Secrets of every kind, put together here so that none stands in a source: a host of code that
//! looks for secrets finds none in this file.

pub(super) const HEX: &str = "0123456789abcdef";
pub(super) const PLAIN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(super) const BASE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// So many characters, drawn from an alphabet and always the same for the same seed; a digit among
/// the first.
pub(super) fn drawn(seed: &str, alphabet: &str, length: usize) -> String {
    let start = seed
        .bytes()
        .fold(0x9e37_79b9_7f4a_7c15_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    let states = std::iter::successors(Some(start), next).skip(1).take(length);
    let all = alphabet.as_bytes();
    let pick = |state: u64| char::from(all[(state >> 33) as usize % all.len()]);
    let body: String = states.map(pick).collect();
    let digit = if alphabet == CAPITALS { "7" } else { "4" };
    format!("{}{digit}{}", &body[..2], &body[3..])
}

/// Secrets of known services: what they are, how they begin, of what and how much they are made.
const TOKENS: &[(&str, &str, &str, usize)] = &[
    ("age key", "AGE-SECRET-KEY-1", CAPITALS, 58),
    ("google api key", "AIza", PLAIN, 35),
    ("aws access key", "AKIA", CAPITALS, 16),
    ("aws access key", "ASIA", CAPITALS, 16),
    ("atlassian token", "ATATT3", PLAIN, 180),
    ("google client secret", "GOCSPX-", PLAIN, 28),
    ("google token", "ya29.", PLAIN, 120),
    ("square token", "EAAA", PLAIN, 60),
    ("square secret", "sq0csp-", PLAIN, 43),
    ("square token", "sq0atp-", PLAIN, 22),
    ("twilio key", "SK", HEX, 32),
    ("hugging face token", "hf_", PLAIN, 34),
    ("databricks token", "dapi", HEX, 32),
    ("docker token", "dckr_pat_", PLAIN, 27),
    ("docker token", "dckr_oat_", PLAIN, 32),
    ("digitalocean token", "dop_v1_", HEX, 64),
    ("figma token", "figd_", PLAIN, 40),
    ("github token", "ghp_", PLAIN, 36),
    ("github token", "gho_", PLAIN, 36),
    ("github token", "ghu_", PLAIN, 36),
    ("github token", "ghs_", PLAIN, 36),
    ("github token", "ghr_", PLAIN, 36),
    ("github token", "github_pat_", PLAIN, 82),
    ("gitlab token", "glpat-", PLAIN, 20),
    ("gitlab token", "gldt-", PLAIN, 20),
    ("gitlab token", "glrt-", PLAIN, 20),
    ("gitlab token", "glcbt-", PLAIN, 22),
    ("grafana token", "glsa_", PLAIN, 41),
    ("groq key", "gsk_", PLAIN, 52),
    ("vault token", "hvs.", PLAIN, 95),
    ("vault token", "hvb.", PLAIN, 140),
    ("mailgun key", "key-", HEX, 32),
    ("linear key", "lin_api_", PLAIN, 40),
    ("lorekeep token", "lk_", PLAIN, 43),
    ("npm token", "npm_", PLAIN, 36),
    ("notion token", "ntn_", PLAIN, 46),
    ("notion token", "secret_", PLAIN, 43),
    ("pypi token", "pypi-AgEIcHlwaS5vcmc", PLAIN, 120),
    ("rubygems key", "rubygems_", HEX, 48),
    ("stripe key", "sk_live_", PLAIN, 24),
    ("stripe key", "sk_test_", PLAIN, 99),
    ("stripe key", "rk_live_", PLAIN, 24),
    ("webhook secret", "whsec_", PLAIN, 32),
    ("shopify token", "shpat_", HEX, 32),
    ("shopify secret", "shpss_", HEX, 32),
    ("openai key", "sk-proj-", PLAIN, 120),
    ("openai key", "sk-svcacct-", PLAIN, 60),
    ("openai key", "sk-", PLAIN, 48),
    ("anthropic key", "sk-ant-api03-", PLAIN, 95),
    ("openrouter key", "sk-or-v1-", HEX, 64),
    ("slack token", "xoxb-2314567890-", PLAIN, 24),
    ("slack token", "xoxp-2314567890-", PLAIN, 32),
    ("slack token", "xapp-1-A02-", PLAIN, 64),
    ("supabase token", "sbp_", HEX, 40),
    ("tailscale key", "tskey-auth-", PLAIN, 40),
];

/// All secrets, and what each is found to be.
pub(super) fn secrets() -> Vec<(&'static str, String)> {
    let token = |(kind, prefix, alphabet, length): &(&'static str, &str, &str, usize)| {
        (*kind, format!("{prefix}{}", drawn(prefix, alphabet, *length)))
    };
    let mut all: Vec<(&'static str, String)> = TOKENS.iter().map(token).collect();
    let (plain, hex) = (|n| drawn("plain", PLAIN, n), |n| drawn("hex", HEX, n));
    let base = |n| drawn("base", BASE, n);
    let private = |kind: &str| {
        let (a, b) = (base(64), drawn("second", BASE, 64));
        format!("-----BEGIN {kind}-----\n{a}\n{b}\n-----END {kind}-----")
    };
    let key = |kind: &str| private(&format!("{kind}PRIV{}", "ATE KEY"));
    all.extend([
        ("sendgrid key", format!("SG.{}.{}", plain(22), drawn("sg", PLAIN, 43))),
        ("jwt", format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", plain(30), drawn("jwt", PLAIN, 43))),
        ("private key", key("")),
        ("private key", key("RSA ")),
        ("private key", key("EC ")),
        ("private key", key("DSA ")),
        ("private key", key("ENCRYPTED ")),
        ("private key", key("OPENSSH ")),
        ("private key", private(&format!("PGP PRIV{}", "ATE KEY BLOCK"))),
        ("private key", key("").replace('\n', "\\n")),
        ("telegram token", format!("{}:{}", "7318420956", drawn("tg", PLAIN, 35))),
        ("discord token", format!("M{}.{}.{}", plain(25), "G4x9Zq", drawn("dc", PLAIN, 38))),
        (
            "slack webhook",
            format!("https://hooks.slack.com/services/T0{}/B0{}/{}", "4XK9", "7YZ2", plain(24)),
        ),
        (
            "discord webhook",
            format!("https://discord.com/api/webhooks/{}/{}", "104857600123", plain(68)),
        ),
        (
            "azure signature",
            format!(
                "https://x.blob.core.windows.net/a?sv=2024&sig={}%3D",
                base(43).replace(['+', '/'], "%2B")
            ),
        ),
        ("password in an address", format!("https://ada:{}@example.org/x", plain(10))),
        (
            "password in an address",
            format!("postgres://svc:{}@db.internal:5432/app", "tiger-lily-9"),
        ),
        ("password in an address", format!("redis://:{}@cache:6379/0", plain(20))),
        ("password in an address", format!("mongodb+srv://u:{}@c0.x.mongodb.net", "S0mmer%40")),
        ("bearer token", format!("Authorization: Bearer {}", plain(40))),
        ("bearer token", format!("curl -H 'authorization: bearer {}'", hex(40))),
        ("basic credentials", format!("Authorization: Basic {}", "YWRhOnRyMHViNGRvcg==")),
        ("password", format!("DB_PASSWORD={}", "Tr0ub4dor")),
        ("password", format!("password: {}", "Tr0ub4dor")),
        ("password", format!("\"password\": \"{}\"", "horse7Staple")),
        ("password", format!("passwd = '{}'", "k!tten&m0use")),
        ("password", format!("Server=db;User Id=sa;Password={};", "Qw3rt-Zx9")),
        ("password", format!("spring.datasource.password={}", "Qw3rtZx9")),
        ("password", format!("Pwd={};Database=x", "9lives&more")),
        ("password", format!("--password {}", "9lives9more")),
        ("password", format!("<Password>{}</Password>", "9lives9more")),
        ("secret value", format!("aws_secret_access_key = {}", base(40))),
        ("secret value", format!("AWS_SECRET_ACCESS_KEY={}", base(40))),
        ("secret value", format!("\"SecretAccessKey\": \"{}\"", base(40))),
        ("secret value", format!("DefaultEndpointsProtocol=https;AccountKey={}==", base(86))),
        ("secret value", format!("SharedAccessKey={}=", base(43))),
        ("secret value", format!("api_key: {}", hex(32))),
        ("secret value", format!("API_KEY=\"{}\"", plain(32))),
        ("secret value", format!("X-Api-Key: {}", hex(40))),
        ("secret value", format!("\"client_secret\": \"{}\"", plain(40))),
        ("secret value", format!("AUTH_TOKEN='{}'", hex(32))),
        ("secret value", format!("accessToken: \"{}\",", plain(40))),
        ("secret value", format!("?access_token={}&x=1", plain(40))),
        ("secret value", format!("SECRET_KEY = '{}'", plain(50))),
        ("secret value", format!("JWT_SECRET={}", hex(64))),
        ("secret value", format!("twilio_auth_token = \"{}\"", hex(32))),
    ]);
    all
}

/// A secret alone and in texts.
pub(super) fn forms(secret: &str) -> [String; 6] {
    [
        secret.to_owned(),
        format!("use {secret} , it works."),
        format!("Deploy notes.\n\n{secret}\n\nThen restart."),
        format!("- `{secret}`"),
        format!("({secret})"),
        format!("naïve → {secret}\r\nend"),
    ]
}

/// Some of what must not be left of it: what was drawn last.
pub(super) fn core(secret: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let mut parts = secret.split(|c: char| !is_part(c)).filter(|part| part.len() >= 16);
    parts.rfind(|part| part.bytes().any(|b| b.is_ascii_digit()))
}
