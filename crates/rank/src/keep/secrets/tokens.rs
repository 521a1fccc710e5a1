//! Tokens of known services, by how they begin.

use super::{Found, chance, is_word, run};

/// Which characters a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Capital letters and digits.
    Capitals,
    /// Digits and the letters a to f.
    Hex,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Words,
    /// Those, and `.`.
    Dotted,
    /// Letters, digits and the signs that Django draws.
    Signs,
    /// What base64 is made of, and `_`, `-`, `.`.
    Base,
}

impl Made {
    fn allows(self, b: u8) -> bool {
        match self {
            Self::Capitals => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Hex => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
            Self::Plain => b.is_ascii_alphanumeric(),
            Self::Words => is_word(b),
            Self::Dotted => is_word(b) || b == b'.',
            Self::Signs => b.is_ascii_alphanumeric() || b"!@#$%^&*(-_=+)".contains(&b),
            Self::Base => is_word(b) || matches!(b, b'.' | b'+' | b'/' | b'='),
        }
    }

    fn is_drawn(self, body: &str) -> bool {
        match self {
            Self::Capitals | Self::Hex => chance::is_unlike_examples(body),
            _ => chance::is_drawn(body),
        }
    }
}

/// How a service's tokens look: a beginning, what follows, and how many characters of that.
struct Rule {
    prefix: &'static str,
    made: Made,
    least: usize,
    /// No longer than this, where the beginning alone says too little.
    most: Option<usize>,
    kind: &'static str,
}

const fn rule(prefix: &'static str, made: Made, least: usize, kind: &'static str) -> Rule {
    Rule { prefix, made, least, most: None, kind }
}

const fn exact(prefix: &'static str, made: Made, length: usize, kind: &'static str) -> Rule {
    Rule { prefix, made, least: length, most: Some(length), kind }
}

/// A token is looked at no further than this before it is known to be one.
const LOOK_MAX: usize = 256;

/// A token goes no further than this.
const TOKEN_MAX: usize = 64 << 10;

/// The rules, by first character; of two that begin alike, the longer first.
const RULES: &[Rule] = &[
    rule("AGE-SECRET-KEY-1", Made::Capitals, 50, "age key"),
    rule("AIza", Made::Words, 35, "google api key"),
    exact("AKIA", Made::Capitals, 16, "aws access key"),
    rule("AKCp", Made::Plain, 60, "artifactory key"),
    exact("ASIA", Made::Capitals, 16, "aws access key"),
    rule("ATATT3", Made::Base, 60, "atlassian token"),
    exact("ATBB", Made::Plain, 32, "bitbucket password"),
    exact("BSA", Made::Words, 28, "brave key"),
    rule("CCIPAT_", Made::Words, 40, "circleci token"),
    rule("EAAA", Made::Words, 56, "square token"),
    rule("FlyV1", Made::Base, 40, "fly token"),
    rule("GOCSPX-", Made::Words, 20, "google client secret"),
    rule("GR1348941", Made::Words, 20, "gitlab token"),
    rule("HRKU-", Made::Words, 30, "heroku token"),
    exact("LTAI", Made::Plain, 20, "alibaba key"),
    rule("NRAK-", Made::Capitals, 27, "new relic key"),
    rule("PMAK-", Made::Words, 40, "postman key"),
    rule("SG.", Made::Dotted, 60, "sendgrid key"),
    exact("SK", Made::Hex, 32, "twilio key"),
    rule("api_org_", Made::Plain, 30, "hugging face token"),
    rule("bkua_", Made::Hex, 40, "buildkite token"),
    exact("cio", Made::Plain, 32, "crates.io token"),
    exact("dapi", Made::Hex, 32, "databricks token"),
    rule("dckr_oat_", Made::Words, 20, "docker token"),
    rule("dckr_pat_", Made::Words, 20, "docker token"),
    rule("django-insecure-", Made::Signs, 30, "django key"),
    rule("doo_v1_", Made::Hex, 40, "digitalocean token"),
    rule("dop_v1_", Made::Hex, 40, "digitalocean token"),
    rule("dor_v1_", Made::Hex, 40, "digitalocean token"),
    rule("dp.st.", Made::Dotted, 40, "doppler token"),
    rule("dt0c01.", Made::Dotted, 32, "dynatrace token"),
    rule("dp.pt.", Made::Plain, 40, "doppler token"),
    rule("figd_", Made::Words, 36, "figma token"),
    rule("gho_", Made::Plain, 30, "github token"),
    rule("ghp_", Made::Plain, 30, "github token"),
    rule("ghr_", Made::Plain, 30, "github token"),
    rule("ghs_", Made::Plain, 30, "github token"),
    rule("ghu_", Made::Plain, 30, "github token"),
    rule("github_pat_", Made::Words, 30, "github token"),
    rule("glagent-", Made::Words, 20, "gitlab token"),
    rule("glcbt-", Made::Words, 20, "gitlab token"),
    rule("glc_", Made::Base, 40, "grafana token"),
    rule("gldt-", Made::Words, 20, "gitlab token"),
    rule("glft-", Made::Words, 20, "gitlab token"),
    rule("glimt-", Made::Words, 20, "gitlab token"),
    rule("gloas-", Made::Words, 20, "gitlab token"),
    rule("glpat-", Made::Dotted, 20, "gitlab token"),
    rule("glptt-", Made::Words, 20, "gitlab token"),
    rule("glrt-", Made::Dotted, 20, "gitlab token"),
    rule("glsoat-", Made::Words, 20, "gitlab token"),
    rule("glsa_", Made::Words, 32, "grafana token"),
    rule("gsk_", Made::Plain, 40, "groq key"),
    rule("hf_", Made::Plain, 30, "hugging face token"),
    rule("hvb.", Made::Words, 24, "vault token"),
    rule("hvr.", Made::Words, 24, "vault token"),
    rule("hvs.", Made::Words, 24, "vault token"),
    rule("jina_", Made::Words, 40, "jina key"),
    exact("key-", Made::Hex, 32, "mailgun key"),
    rule("lin_api_", Made::Plain, 32, "linear key"),
    rule("lin_oauth_", Made::Plain, 32, "linear token"),
    rule("lk_", Made::Words, 32, "lorekeep token"),
    rule("lsv2_", Made::Words, 36, "langsmith key"),
    rule("nfp_", Made::Plain, 36, "netlify token"),
    rule("npm_", Made::Plain, 36, "npm token"),
    rule("ntn_", Made::Plain, 40, "notion token"),
    rule("nvapi-", Made::Words, 50, "nvidia key"),
    rule("ops_eyJ", Made::Base, 60, "1password token"),
    rule("pat-eu1-", Made::Words, 36, "hubspot token"),
    rule("pat-na1-", Made::Words, 36, "hubspot token"),
    rule("pcsk_", Made::Words, 50, "pinecone key"),
    rule("phx_", Made::Plain, 40, "posthog key"),
    rule("pplx-", Made::Plain, 40, "perplexity key"),
    rule("pscale_oauth_", Made::Dotted, 32, "planetscale token"),
    rule("pscale_pw_", Made::Dotted, 32, "planetscale password"),
    rule("pscale_tkn_", Made::Dotted, 32, "planetscale token"),
    rule("pul-", Made::Hex, 40, "pulumi token"),
    rule("pypi-AgE", Made::Words, 50, "pypi token"),
    exact("r8_", Made::Plain, 37, "replicate token"),
    exact("re_", Made::Words, 33, "resend key"),
    rule("rk_live_", Made::Plain, 16, "stripe key"),
    rule("rk_test_", Made::Plain, 16, "stripe key"),
    rule("rubygems_", Made::Hex, 48, "rubygems key"),
    rule("sb_secret_", Made::Words, 25, "supabase key"),
    rule("sbp_", Made::Hex, 40, "supabase token"),
    exact("secret_", Made::Plain, 43, "notion token"),
    rule("sgp_", Made::Words, 40, "sourcegraph token"),
    rule("shpat_", Made::Hex, 32, "shopify token"),
    rule("shpca_", Made::Hex, 32, "shopify token"),
    rule("shppa_", Made::Hex, 32, "shopify token"),
    rule("shpss_", Made::Hex, 32, "shopify secret"),
    rule("sk.eyJ", Made::Dotted, 40, "mapbox token"),
    rule("sk-admin-", Made::Words, 20, "openai key"),
    rule("sk-ant-", Made::Words, 20, "anthropic key"),
    rule("sk-or-v1-", Made::Hex, 40, "openrouter key"),
    rule("sk-proj-", Made::Words, 20, "openai key"),
    rule("sk-svcacct-", Made::Words, 20, "openai key"),
    rule("sk-", Made::Plain, 32, "openai key"),
    rule("sk_live_", Made::Plain, 16, "stripe key"),
    rule("sk_test_", Made::Plain, 16, "stripe key"),
    rule("sl.", Made::Dotted, 60, "dropbox token"),
    rule("sntrys_", Made::Base, 40, "sentry token"),
    rule("sntryu_", Made::Hex, 40, "sentry token"),
    rule("sq0atp-", Made::Words, 22, "square token"),
    rule("sq0csp-", Made::Words, 22, "square secret"),
    rule("tskey-", Made::Words, 20, "tailscale key"),
    rule("tvly-", Made::Words, 30, "tavily key"),
    rule("whsec_", Made::Base, 24, "webhook secret"),
    rule("xai-", Made::Plain, 60, "xai key"),
    rule("xapp-", Made::Words, 16, "slack token"),
    rule("xkeysib-", Made::Words, 64, "brevo key"),
    rule("xoxa-", Made::Words, 16, "slack token"),
    rule("xoxb-", Made::Words, 16, "slack token"),
    rule("xoxc-", Made::Words, 16, "slack token"),
    rule("xoxd-", Made::Base, 16, "slack token"),
    rule("xoxe-", Made::Words, 16, "slack token"),
    rule("xoxe.", Made::Dotted, 16, "slack token"),
    rule("xoxo-", Made::Words, 16, "slack token"),
    rule("xoxp-", Made::Words, 16, "slack token"),
    rule("xoxr-", Made::Words, 16, "slack token"),
    rule("xoxs-", Made::Words, 16, "slack token"),
    rule("ya29.", Made::Words, 20, "google token"),
];

/// Where the rules of a first character are.
const BY_FIRST: [(u8, u8); 128] = by_first();

const fn by_first() -> [(u8, u8); 128] {
    let mut all = [(0_u8, 0_u8); 128];
    let mut at = 0;
    while at < RULES.len() {
        let first = RULES[at].prefix.as_bytes()[0] as usize;
        if all[first].1 == 0 {
            all[first].0 = at as u8;
        }
        all[first].1 = at as u8 + 1;
        at += 1;
    }
    all
}

/// The token that begins here.
pub(super) fn find(text: &str, at: usize, first: u8) -> Option<Found> {
    let (from, to) = *BY_FIRST.get(usize::from(first))?;
    let rules = RULES.get(usize::from(from)..usize::from(to)).unwrap_or_default();
    let rest = &text.as_bytes()[at..];
    let begin = |rule: &&Rule| rest.starts_with(rule.prefix.as_bytes());
    rules.iter().filter(begin).find_map(|rule| fits(text, at, rule))
}

fn fits(text: &str, at: usize, rule: &Rule) -> Option<Found> {
    let body = at + rule.prefix.len();
    let seen = run(text, body, LOOK_MAX, |b| rule.made.allows(b));
    let length = seen - body;
    if length < rule.least || rule.most.is_some_and(|most| length > most) {
        return None;
    }
    // A word that goes on is something else than what has a fixed length.
    let goes_on = text.as_bytes().get(seen).is_some_and(|b| b.is_ascii_alphanumeric());
    if rule.most.is_some() && goes_on || !rule.made.is_drawn(&text[body..seen]) {
        return None;
    }
    let end = run(text, seen, TOKEN_MAX, |b| rule.made.allows(b));
    let dots = text[body..end].len() - text[body..end].trim_end_matches('.').len();
    Some(Found { kind: rule.kind, range: at..end - dots })
}

/// How each rule's tokens begin, of what they are made, and how much of it they have at least.
#[cfg(test)]
pub(super) fn shapes() -> impl Iterator<Item = (&'static str, String, usize)> {
    let made = |made: Made| (b'!'..=b'~').filter(|b| made.allows(*b)).map(char::from).collect();
    RULES.iter().map(move |rule| (rule.prefix, made(rule.made), rule.least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_begin_alike_stand_together_and_the_longer_first() {
        for pair in RULES.windows(2) {
            let [a, b] = pair else { continue };
            assert!(a.prefix.as_bytes()[0] <= b.prefix.as_bytes()[0], "{}", b.prefix);
            assert!(!b.prefix.starts_with(a.prefix), "{} hides {}", a.prefix, b.prefix);
        }
    }

    #[test]
    fn every_rule_is_found_from_its_first_character() {
        for (at, rule) in RULES.iter().enumerate() {
            let (from, to) = BY_FIRST[usize::from(rule.prefix.as_bytes()[0])];
            assert!((usize::from(from)..usize::from(to)).contains(&at), "{}", rule.prefix);
        }
    }

    #[test]
    fn every_rule_takes_a_token_of_its_own_form_and_nothing_shorter() {
        for rule in RULES {
            let drawn = "7a1f9c3e5b0d8264fa3b9e1c7d5a0f286be4c19d3f7a5b0e8c2d6194ab3e7f50";
            let body: String = match rule.made {
                Made::Capitals => drawn.to_uppercase(),
                _ => drawn.to_owned(),
            };
            let text = format!("{}{}", rule.prefix, &body[..rule.least.min(body.len())]);
            let found = find(&text, 0, text.as_bytes()[0]);
            assert_eq!(found.map(|found| found.kind), Some(rule.kind), "{}", rule.prefix);
            let short = format!("{}{}", rule.prefix, &body[..rule.least - 1]);
            let found = find(&short, 0, short.as_bytes()[0]);
            assert_eq!(found, None, "{}", rule.prefix);
        }
    }
}
