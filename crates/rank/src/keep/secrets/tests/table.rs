//! Secrets of every kind, put together here so that none stands in a source: a host of code that
//! looks for secrets finds none in this file.

pub(super) const HEX: &str = "0123456789abcdef";
pub(super) const DIGITS: &str = "0123456789";
pub(super) const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
pub(super) const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
pub(super) const PLAIN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(super) const WORDS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
pub(super) const BASE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(super) const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Draws evenly and always the same from the same seed (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: &str) -> Self {
        let hashed = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        Self(seed.bytes().fold(0xcbf2_9ce4_8422_2325, hashed))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// So many characters of an alphabet, each as likely as any other: nothing is put among them that
    /// a rule might ask for.
    pub(super) fn drawn(&mut self, alphabet: &str, length: usize) -> String {
        let all = alphabet.as_bytes();
        let mut one = |_| char::from(all[(self.next() % all.len() as u64) as usize]);
        (0..length).map(&mut one).collect()
    }
}

/// So many characters, drawn from an alphabet and always the same for the same seed.
pub(super) fn drawn(seed: &str, alphabet: &str, length: usize) -> String {
    Dice::new(seed).drawn(alphabet, length)
}

/// What base64 makes of a text.
pub(super) fn encoded(text: &str) -> String {
    let mut all = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(three.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            let six = bits >> (18 - 6 * at) & 63;
            all.push(if at > three.len() { '=' } else { char::from(BASE.as_bytes()[six]) });
        }
    }
    all
}

/// Secrets of known services: what they are, how they begin, of what and how much they are made.
pub(super) const TOKENS: &[(&str, &str, &str, usize)] = &[
    ("age key", "AGE-SECRET-KEY-1", CAPITALS, 58),
    ("google api key", "AIza", WORDS, 35),
    ("aws access key", "AKIA", CAPITALS, 16),
    ("aws access key", "ASIA", CAPITALS, 16),
    ("atlassian token", "ATATT3", PLAIN, 180),
    ("google client secret", "GOCSPX-", WORDS, 28),
    ("google token", "ya29.", WORDS, 120),
    ("square token", "EAAA", PLAIN, 60),
    ("square secret", "sq0csp-", WORDS, 43),
    ("square token", "sq0atp-", WORDS, 22),
    ("twilio key", "SK", HEX, 32),
    ("hugging face token", "hf_", LETTERS, 34),
    ("databricks token", "dapi", HEX, 32),
    ("docker token", "dckr_pat_", WORDS, 27),
    ("docker token", "dckr_oat_", WORDS, 32),
    ("digitalocean token", "dop_v1_", HEX, 64),
    ("figma token", "figd_", WORDS, 40),
    ("github token", "ghp_", PLAIN, 36),
    ("github token", "gho_", PLAIN, 36),
    ("github token", "ghu_", PLAIN, 36),
    ("github token", "ghs_", PLAIN, 36),
    ("github token", "ghr_", PLAIN, 36),
    ("github token", "github_pat_", PLAIN, 82),
    ("gitlab token", "glpat-", WORDS, 20),
    ("gitlab token", "gldt-", WORDS, 20),
    ("gitlab token", "glrt-", WORDS, 20),
    ("gitlab token", "glcbt-", WORDS, 22),
    ("grafana token", "glsa_", PLAIN, 41),
    ("groq key", "gsk_", PLAIN, 52),
    ("vault token", "hvs.", WORDS, 95),
    ("vault token", "hvb.", WORDS, 140),
    ("mailgun key", "key-", HEX, 32),
    ("linear key", "lin_api_", PLAIN, 40),
    ("lorekeep token", "lk_", WORDS, 43),
    ("npm token", "npm_", PLAIN, 36),
    ("notion token", "ntn_", PLAIN, 46),
    ("notion token", "secret_", PLAIN, 43),
    ("pypi token", "pypi-AgEIcHlwaS5vcmc", WORDS, 120),
    ("rubygems key", "rubygems_", HEX, 48),
    ("stripe key", "sk_live_", PLAIN, 24),
    ("stripe key", "sk_test_", PLAIN, 99),
    ("stripe key", "rk_live_", PLAIN, 24),
    ("webhook secret", "whsec_", PLAIN, 32),
    ("shopify token", "shpat_", HEX, 32),
    ("shopify secret", "shpss_", HEX, 32),
    ("openai key", "sk-proj-", WORDS, 120),
    ("openai key", "sk-svcacct-", WORDS, 60),
    ("openai key", "sk-", PLAIN, 48),
    ("anthropic key", "sk-ant-api03-", WORDS, 95),
    ("openrouter key", "sk-or-v1-", HEX, 64),
    ("slack token", "xoxb-2314567890-", PLAIN, 24),
    ("slack token", "xoxp-2314567890-", PLAIN, 32),
    ("slack token", "xapp-1-A02-", PLAIN, 64),
    ("supabase token", "sbp_", HEX, 40),
    ("tailscale key", "tskey-auth-", PLAIN, 40),
    ("alibaba key", "LTAI", PLAIN, 20),
    ("artifactory key", "AKCp", PLAIN, 69),
    ("bitbucket password", "ATBB", PLAIN, 32),
    ("brave key", "BSA", WORDS, 28),
    ("brevo key", "xkeysib-", HEX, 64),
    ("doppler token", "dp.st.prd.", PLAIN, 40),
    ("dropbox token", "sl.", WORDS, 136),
    ("dynatrace token", "dt0c01.", CAPITALS, 88),
    ("grafana token", "glc_", BASE, 80),
    ("hubspot token", "pat-na1-", HEX, 36),
    ("jina key", "jina_", PLAIN, 60),
    ("langsmith key", "lsv2_pt_", HEX, 43),
    ("mapbox token", "sk.eyJ1Ijoi", PLAIN, 60),
    ("nvidia key", "nvapi-", WORDS, 64),
    ("pinecone key", "pcsk_", PLAIN, 69),
    ("posthog key", "phx_", PLAIN, 43),
    ("sourcegraph token", "sgp_", HEX, 57),
    ("supabase key", "sb_secret_", WORDS, 31),
    ("tavily key", "tvly-dev-", PLAIN, 32),
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
        ("private key", format!("client-key-data: {}", encoded(&key("RSA ")))),
        ("private key", format!("tls.key: {}\n  ", wrapped(&encoded(&key(""))))),
        ("basic credentials", format!("\"auth\": \"{}\"", encoded(&format!("bot:{}", plain(20))))),
        (
            "basic credentials",
            format!("//npm.example.org/:_auth={}", encoded(&format!("ci:{}", plain(12)))),
        ),
        ("telegram token", format!("{}:AA{}", "7318420956", drawn("tg", WORDS, 33))),
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
    ]);
    all.extend(later());
    all.extend(named());
    all
}

/// Forms that were missed once.
fn later() -> Vec<(&'static str, String)> {
    let (plain, hex) = (|n| drawn("plain", PLAIN, n), |n| drawn("hex", HEX, n));
    vec![
        ("resend key", format!("re_{}_{}", plain(8), drawn("re", PLAIN, 24))),
        ("airtable token", format!("pat{}.{}", plain(14), hex(64))),
        ("terraform token", format!("{}.atlasv1.{}", plain(14), drawn("tf", PLAIN, 67))),
        ("azure secret", format!("{}8Q~{}", plain(3), drawn("az", WORDS, 34))),
        ("django key", format!("SECRET_KEY = 'django-insecure-{}'", drawn("dj", SIGNS, 50))),
        ("bearer token", format!("Authorization: Token {}", hex(40))),
        ("private key", format!("Private-Lines: 1\n{}", drawn("pk", BASE, 64))),
        ("password in an address", format!("postgres://app:{}@db.internal:5432/x", "Xk9$mPq2vL")),
        ("password in an address", format!("mysql://app:{}@db.internal/x", "Xk9(mPq2vL")),
        ("password in an address", format!("postgres://app:{}@db.internal:5432/x", "Xk9/mPq2vL")),
        ("password in an address", format!("redis://:{}@cache.internal:6379/0", "84713")),
        ("password in an address", format!("amqp://svc:{}@mq.internal", "testK9x2Lm4q")),
        ("password in an address", format!("mongodb+srv://a:{}@c.x.net/", "Secret-9kQz71")),
        ("password", format!("curl -u ada:{} https://api.example.org", "s3cr3tXy9q")),
        ("password", format!("sshpass -p {} ssh root@h", "s3cr3tXy9q")),
        ("password", format!("mysql -uroot -p{} app", "s3cr3tXy9q")),
        ("password", format!("DB_PASS={}", "x9$Kq2!vPz")),
        ("password", format!("ansible_become_pass: {}", "Zk4!vv8Q")),
        ("password", format!("contraseña: {}", "Verano2024!x")),
        ("password", format!("mot de passe : {}", "Ete2024!xQ")),
        ("secret value", format!("RAILS_MASTER_KEY={}", hex(32))),
        ("secret value", format!("APP_KEY=base64:{}=", plain(43))),
        ("secret value", format!("X-Auth-Key: {}", hex(37))),
        ("secret value", format!("API key: {}", drawn("spoken", PLAIN, 24))),
        ("secret value", format!("- **API key**: {}", drawn("spoken", PLAIN, 24))),
        ("secret value", format!("the API key is {}", drawn("spoken", PLAIN, 24))),
        ("secret value", format!("The API token is {}", drawn("spoken", PLAIN, 24))),
        ("password", format!("**Password:** {}", "B184sl1i0XSs!x")),
        ("password", format!("Password for prod: {}", "I733g6#szXne9")),
        ("password", format!("password (prod): {}", "I733g6#szXne9")),
        ("password", format!("Le mot de passe de la base est {}", "TCBY7W!uGpMS9")),
        ("password", format!("La contraseña del servidor es {}", "I733g6#szXne9")),
    ]
}

/// What Django draws its keys of.
const SIGNS: &str = "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)";

/// Secrets that a name tells, or what stands before them.
fn named() -> Vec<(&'static str, String)> {
    let (plain, hex) = (|n| drawn("plain", PLAIN, n), |n| drawn("hex", HEX, n));
    let base = |n| drawn("base", BASE, n);
    vec![
        (
            "password",
            format!("machine api.example.org login ada password {}", drawn("n", SMALL, 12)),
        ),
        (
            "password",
            format!("machine api.example.org\n  login ada@example.org\n  password {}", hex(12)),
        ),
        ("password", format!("the admin password for grafana is Kx7!{}", plain(8))),
        ("password", format!("The password of the staging database is {}", "q9XtM2vKw7RbZ4pL")),
        ("password", format!("Das Passwort lautet {}", "Kx7!q9XtM2vK")),
        ("password", format!("{{\"name\":\"DB_PASSWORD\",\"value\":\"{}\"}}", "Vq8#kk29LLpq")),
        ("password", format!("- name: DB_PASSWORD\n  value: {}", "Vq8kk29LLpq")),
        ("password", format!("<add key=\"DbPassword\" value=\"{}\" />", "Vq8#kk29LLpq")),
        ("password", format!("\"password\": [\"{}\"]", "Vq8#kk29LLpq")),
        ("password", format!("\"passwords\": [ '{}' ]", "Vq8#kk29LLpq")),
        ("password", format!("\"password\": \"{}\"", "83749261")),
        ("password", format!("password\u{ff1d}{}", "Vq8#kk29LLpq")),
        ("password", format!("DB_PASSWORD={}", "%Vq8#kk29LLpq")),
        ("secret value", format!("\"name\": \"API_TOKEN\", \"value\": \"{}\"", plain(32))),
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
    ]
}

/// The text in lines of 64.
fn wrapped(text: &str) -> String {
    let lines: Vec<String> =
        text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    lines.join("\n  ")
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
    secret.split(|c: char| !is_part(c)).rfind(|part| part.len() >= 16)
}
