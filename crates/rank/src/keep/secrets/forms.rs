//! Secrets that are known by their whole form: private keys, addresses, signed tokens, headers.

use super::super::{beginning, begins_at};
use super::{Found, chance, is_word, run};

/// The first line of a private key is no longer than this.
const FIRST_LINE_MAX: usize = 100;

/// So far from its first line the body of a private key begins: some have lines that describe it.
const BODY_WITHIN: usize = 600;

/// A body has a run of at least so many characters.
const BODY_MIN: usize = 32;

/// A private key is no longer than this.
const KEY_MAX: usize = 64 << 10;

/// An address and a header are looked at no further than this.
const LOOK_MAX: usize = 300;

/// From the first line of a private key to its last. Without a body it is only spoken of.
pub(super) fn private_key(text: &str, at: usize) -> Option<Found> {
    let rest = &text[at..];
    if !rest.starts_with("-----BEGIN ") {
        return None;
    }
    let line = beginning(rest, FIRST_LINE_MAX);
    let first = line["-----BEGIN ".len()..].find("-----")? + "-----BEGIN ".len() + 5;
    let body = body(beginning(&rest[first..], BODY_WITHIN))
        .filter(|_| line[..first].contains("PRIVATE KEY"))?;
    let within = beginning(&rest[first..], KEY_MAX);
    let last = within.find("-----END ").and_then(|last| {
        let name = last + "-----END ".len();
        within[name..].find("-----").map(|end| name + end + 5)
    });
    let end = first + last.unwrap_or_else(|| lines_of_key(within).max(body));
    Some(Found { kind: "private key", range: at..at + end })
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

/// Where a run of base64 ends that is long enough for a body, before anything else begins or ends.
fn body(text: &str) -> Option<usize> {
    let text = text.split("-----").next().unwrap_or_default();
    let mut from = 0;
    for run in text.as_bytes().split(|b| !is_base64(*b)) {
        from += run.len();
        if run.len() >= BODY_MIN {
            return Some(from);
        }
        from += 1;
    }
    None
}

/// How far the lines of a key go that was cut off.
fn lines_of_key(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim().trim_matches(|c| "\"'+,\\".contains(c));
        let is_described = body.contains(": ") && body.len() < 80 || body.is_empty();
        let is_body = body.bytes().all(|b| is_base64(b) || b == b'\\') && body.len() <= 4_096;
        let is_one_line = end == 0 && body.contains("\\n");
        if !(is_described && end < BODY_WITHIN || is_body || is_one_line) {
            break;
        }
        end += line.len();
    }
    text[..end].trim_end().len()
}

/// The password between the user and the host of an address.
pub(super) fn address(text: &str, at: usize) -> Option<Found> {
    let start = at + "://".len();
    let (name, password, host) = authority(text, start, b"/\"'<>`\\")
        .or_else(|| authority(text, start, b"\"'<>`\\").filter(|(_, it, _)| is_slashed(it)))?;
    let is_port = password.len() <= 5 && password.bytes().all(|b| b.is_ascii_digit());
    let is_host = host.starts_with(|c: char| c.is_alphanumeric() || "[{$".contains(c));
    let is_no = is_port && !name.is_empty() || !is_host || is_template(password);
    if password.len() < 3 || is_no || password == name {
        return None;
    }
    let start = start + name.len() + 1;
    let range = start..start + password.len();
    (!chance::is_placeholder(password)).then_some(Found { kind: "password in an address", range })
}

/// The user, the password and what follows of an address, none of which has these signs.
fn authority<'a>(text: &'a str, at: usize, ends: &[u8]) -> Option<(&'a str, &'a str, &'a str)> {
    let end = run(text, at, LOOK_MAX, |b| b > b' ' && !ends.contains(&b));
    let (user, host) = text.get(at..end)?.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    Some((name, password, host))
}

/// Whether a password has a slash in it: what stands before the slash is no port and no path.
fn is_slashed(password: &str) -> bool {
    let Some((first, rest)) = password.split_once('/') else { return false };
    let is_port = first.bytes().all(|b| b.is_ascii_digit());
    !is_port && rest.len() < 64 && !rest.contains(['/', '?', '=', '#', '@'])
}

/// Whether something is put in the place of this.
fn is_template(password: &str) -> bool {
    let has = |sign: &str| password.contains(sign);
    password.starts_with(['{', '$', '(', '[', '|'])
        || ["${", "$(", "{{", "}"].into_iter().any(has)
        || has("|") && (has("(") || has(")"))
}

/// What stands in a line before this, as far as it is looked at.
fn line_before(text: &str, at: usize) -> &str {
    let from = at.saturating_sub(LOOK_MAX);
    let from = (from..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    let before = &text[from..at];
    before.rsplit('\n').next().unwrap_or(before)
}

/// The password that a command is given: `curl -u ada:…`, `sshpass -p …`, `mysql -p…`.
pub(super) fn option(text: &str, at: usize) -> Option<Found> {
    let letter = *text.as_bytes().get(at + 1)?;
    if !matches!(letter, b'u' | b'p') || at > 0 && text.as_bytes()[at - 1] > b' ' {
        return None;
    }
    let line = line_before(text, at);
    let names = |command: &str| line.split([' ', '`', '|', ';', '(']).any(|word| word == command);
    let mut from = run(text, at + 2, 4, |b| matches!(b, b' ' | b'"' | b'\''));
    let is_given = from > at + 2;
    match letter {
        b'u' if is_given && names("curl") => {
            from += run(&text[from..], 0, LOOK_MAX, |b| b > b' ' && b != b':') + 1;
            (text.as_bytes().get(from - 1) == Some(&b':')).then_some(())?;
        }
        b'p' if is_given && line.trim_end().ends_with("sshpass") => {}
        b'p' if !is_given && ["mysql", "mysqldump", "mysqladmin"].into_iter().any(names) => {}
        _ => return None,
    }
    let end = run(text, from, LOOK_MAX, |b| b > b' ' && !b"\"'`".contains(&b));
    let password = text.get(from..end)?;
    let is_secret = password.len() >= 4
        && !is_template(password)
        && !chance::is_placeholder(password)
        && (letter == b'u' || chance::is_chosen(password, true));
    is_secret.then_some(Found { kind: "password", range: from..end })
}

/// The secret of a known form whose first character is at `at`.
pub(super) fn find(text: &str, at: usize, first: u8) -> Option<Found> {
    match first {
        b'e' => jwt(text, at),
        b'b' | b'B' => bearer(text, at),
        b'h' => webhook(text, at, "hooks.slack.com/services/", "slack webhook")
            .or_else(|| webhook(text, at, "hooks.slack.com/workflows/", "slack webhook")),
        b'd' => webhook(text, at, "discord.com/api/webhooks/", "discord webhook")
            .or_else(|| webhook(text, at, "discordapp.com/api/webhooks/", "discord webhook")),
        b's' => signature(text, at),
        b'L' => encoded_key(text, at),
        b'M' | b'N' | b'O' => discord(text, at),
        b'P' => putty(text, at),
        b'p' => airtable(text, at),
        b't' | b'T' => header(text, at),
        b'0'..=b'9' => telegram(text, at),
        _ => None,
    }
    .or_else(|| marked(text, at))
}

/// What has its mark in the middle: tokens of Terraform Cloud, and secrets of Azure's applications.
fn marked(text: &str, at: usize) -> Option<Found> {
    let bytes = &text.as_bytes()[at..];
    let is_azure = bytes.get(4..6) == Some(b"Q~") && bytes[3].is_ascii_digit();
    if is_azure {
        let end = run(text, at, LOOK_MAX, |b| is_word(b) || matches!(b, b'.' | b'~'));
        let whole = text[at..end].trim_end_matches('.');
        let range = at..at + whole.len();
        return (37..=44).contains(&whole.len()).then_some(Found { kind: "azure secret", range });
    }
    const MARK: &str = ".atlasv1.";
    let name = run(text, at, 15, |b| b.is_ascii_alphanumeric());
    let is_terraform = name - at == 14 && text[name..].starts_with(MARK);
    let end = run(text, name + MARK.len(), LOOK_MAX, is_word);
    let is_long = is_terraform && end - name >= 40 + MARK.len();
    is_long.then_some(Found { kind: "terraform token", range: at..end })
}

/// The private part of a key of PuTTY, and what proves it.
fn putty(text: &str, at: usize) -> Option<Found> {
    let number = text[at..].strip_prefix("Private-Lines: ")?;
    let first = run(number, 0, 4, |b| b.is_ascii_digit());
    let lines = run(number, first, 2, |b| matches!(b, b'\r' | b'\n'));
    let start = at + "Private-Lines: ".len() + lines;
    let within = beginning(&text[start..], KEY_MAX);
    let body = body(beginning(within, BODY_WITHIN)).filter(|_| lines > first && first > 0)?;
    let range = start..start + lines_of_key(within).max(body);
    Some(Found { kind: "private key", range })
}

/// `pat`, 14 letters and digits, a dot, and 64 of hex.
fn airtable(text: &str, at: usize) -> Option<Found> {
    let dot = run(text, at, 18, |b| b.is_ascii_alphanumeric());
    let is_form =
        dot - at == 17 && text[at..].starts_with("pat") && text.as_bytes().get(dot) == Some(&b'.');
    let end = run(text, dot + 1, 65, |b| b.is_ascii_hexdigit());
    let is_long = is_form && end - dot == 65;
    is_long.then_some(Found { kind: "airtable token", range: at..end })
}

/// What stands behind `Authorization: Token`.
fn header(text: &str, at: usize) -> Option<Found> {
    if !begins_at(text, at, "token ")
        || !line_before(text, at).to_ascii_lowercase().contains("authorization")
    {
        return None;
    }
    let start = at + "token ".len();
    let end = run(text, start, LOOK_MAX * 8, |b| is_word(b) || b".+/=~".contains(&b));
    let value = text[start..end].trim_end_matches('.');
    let is_secret = value.len() >= 16 && chance::is_random(value) && !chance::is_placeholder(value);
    let range = start..start + value.len();
    is_secret.then_some(Found { kind: "bearer token", range })
}

/// Three parts of base64 between dots, the first of them a JSON object; five if it is encrypted. What
/// more is joined to it by dots goes with it: where it ends cannot be told.
fn jwt(text: &str, at: usize) -> Option<Found> {
    if !text.as_bytes()[at..].starts_with(b"eyJ") {
        return None;
    }
    let head = run(text, at, LOOK_MAX * 8, is_word);
    let is_next = text.as_bytes().get(head) == Some(&b'.') && head - at >= 12;
    let next = is_next.then_some(head + 1)?;
    let body = run(text, next, 16, is_word) - next;
    if body < 10 {
        return None;
    }
    let end = run(text, next, 64 << 10, |b| is_word(b) || b == b'.');
    let whole = text[at..end].trim_end_matches('.');
    let is_signed = whole.split('.').nth(2).is_some_and(|part| part.len() >= 10);
    is_signed.then_some(Found { kind: "jwt", range: at..at + whole.len() })
}

/// What stands behind `Bearer` or `Basic`.
fn bearer(text: &str, at: usize) -> Option<Found> {
    let name = ["bearer ", "basic "].into_iter().find(|name| begins_at(text, at, name))?;
    let start = at + name.len();
    let is_part = |b: u8| is_word(b) || b".+/=~:".contains(&b);
    let end = run(text, start, LOOK_MAX * 8, is_part);
    let value = text[start..end].trim_end_matches(['.', ':']);
    let is_secret = match name {
        "basic " => value.len() >= 12 && is_credentials(value),
        _ => value.len() >= 16 && chance::is_random(value) && !chance::is_placeholder(value),
    };
    let kind = if name == "basic " { "basic credentials" } else { "bearer token" };
    is_secret.then_some(Found { kind, range: start..start + value.len() })
}

/// Whether base64 holds a name, a colon and a password.
pub(super) fn is_credentials(value: &str) -> bool {
    let Some(Ok(plain)) = decoded(value).map(String::from_utf8) else { return false };
    let Some((name, password)) = plain.split_once(':') else { return false };
    let is_text = !plain.chars().any(char::is_control);
    is_text && name != password && password.len() >= 3 && !chance::is_placeholder(password)
}

/// What base64 holds, if it is some.
fn decoded(value: &str) -> Option<Vec<u8>> {
    const SIX: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut plain) = (0_u32, 0, Vec::new());
    for b in value.trim_end_matches('=').bytes() {
        let six = SIX.iter().position(|known| *known == b)?;
        (bits, held) = (bits << 6 | six as u32, held + 6);
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held & 0xff) as u8);
        }
    }
    Some(plain)
}

/// A private key that is base64 once more, as in a kubeconfig or a secret of Kubernetes; its lines
/// may be broken.
fn encoded_key(text: &str, at: usize) -> Option<Found> {
    if !text.as_bytes()[at..].starts_with(b"LS0tLS1CRUdJTi") {
        return None;
    }
    let first = &text[at..run(text, at, FIRST_LINE_MAX / 4 * 4, is_base64)];
    let first = String::from_utf8_lossy(&decoded(first)?).into_owned();
    let first = first.strip_prefix("-----BEGIN ")?.split("-----").next()?;
    let mut end = run(text, at, KEY_MAX, is_base64);
    if !first.contains("PRIVATE KEY") || end - at < 2 * BODY_MIN {
        return None;
    }
    while let Some(more) = next_line(text, end).filter(|more| more - at < KEY_MAX) {
        end = more;
    }
    Some(Found { kind: "private key", range: at..end })
}

/// The end of the line below, if it is the next one of base64.
fn next_line(text: &str, end: usize) -> Option<usize> {
    let start = run(text, end, 60, |b| b.is_ascii_whitespace());
    let next = run(text, start, LOOK_MAX, is_base64);
    let is_broken = text[end..start].contains('\n');
    let is_whole = text.as_bytes().get(next).is_none_or(|b| b"\r\n\"'".contains(b));
    (is_broken && is_whole && next - start >= BODY_MIN / 2).then_some(next)
}

/// What an address names behind `host`, where who knows it may write.
fn webhook(text: &str, at: usize, host: &str, kind: &'static str) -> Option<Found> {
    if !text.as_bytes()[at..].starts_with(host.as_bytes()) {
        return None;
    }
    let start = at + host.len();
    let end = run(text, start, LOOK_MAX, |b| is_word(b) || b == b'/');
    let path = &text[start..end];
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_whole = path.contains('/') && last.len() >= 16 && chance::is_drawn(last);
    is_whole.then_some(Found { kind, range: start..end })
}

/// The signature of an address that is shared: Azure's `sig=`.
fn signature(text: &str, at: usize) -> Option<Found> {
    let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
    if !text.as_bytes()[at..].starts_with(b"sig=") || !matches!(before, Some(b'?' | b'&' | b';')) {
        return None;
    }
    let start = at + "sig=".len();
    let end = run(text, start, LOOK_MAX, |b| is_base64(b) || matches!(b, b'%' | b'-' | b'_'));
    let is_long = end - start >= 40 && chance::is_random(&text[start..end]);
    is_long.then_some(Found { kind: "azure signature", range: start..end })
}

/// A bot's token: its number, a time and a signature, between dots.
fn discord(text: &str, at: usize) -> Option<Found> {
    let first = run(text, at, 29, is_word) - at;
    if !(23..=28).contains(&first) {
        return None;
    }
    let end = run(text, at, LOOK_MAX, |b| is_word(b) || b == b'.');
    let parts: Vec<&str> = text[at..end].trim_end_matches('.').split('.').collect();
    let [id, time, signature] = parts.as_slice() else { return None };
    let lengths = (id.len(), time.len(), signature.len());
    let is_form = matches!(lengths, (23..=28, 6..=7, 27..=45));
    let is_drawn = chance::is_drawn(id) && chance::is_drawn(signature);
    let length = id.len() + time.len() + signature.len() + 2;
    (is_form && is_drawn).then_some(Found { kind: "discord token", range: at..at + length })
}

/// A bot's token: its number, a colon, and 35 characters.
fn telegram(text: &str, at: usize) -> Option<Found> {
    let colon = run(text, at, 11, |b| b.is_ascii_digit());
    if colon - at < 8 || text.as_bytes().get(colon) != Some(&b':') {
        return None;
    }
    let end = run(text, colon + 1, 40, is_word);
    let body = &text[colon + 1..end];
    let is_token = body.len() == 35 && chance::is_drawn(body);
    is_token.then_some(Found { kind: "telegram token", range: at..end })
}
