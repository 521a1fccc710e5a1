//! Commits: what they say and who made them.

use model::{Draft, EpisodeId, Timestamp};

use crate::oid::{CommitId, Oid};

/// What stands before the episode in the last line of a message.
const TRAILER: &str = "Event: ";

/// The author of what has none.
pub(crate) const NOBODY: &str = "lorekeep";

/// The host of the addresses that git wants.
pub(crate) const HOST: &str = "lorekeep.local";

/// A commit of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which.
    pub id: CommitId,
    /// Who, by name.
    pub author: String,
    /// When, to the second.
    pub at: Timestamp,
    /// The first line: what.
    pub subject: String,
    /// The lines behind it: why.
    pub body: String,
    /// What happened, if it was told.
    pub episode: Option<EpisodeId>,
}

/// Who made a draft, and when, as git writes it.
pub(crate) fn who(draft: &Draft) -> String {
    let is_kept = |c: &char| !c.is_control() && !matches!(c, '<' | '>');
    let name: String = draft.author.chars().filter(is_kept).collect();
    // Git takes these off the ends itself, and an empty name is none.
    let name = name.trim_matches(|c: char| c.is_whitespace() || ".,:;\"\\'".contains(c));
    let name = if name.is_empty() { NOBODY } else { name };
    let mut local: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if local.is_empty() {
        NOBODY.clone_into(&mut local);
    }
    // Git knows no time before 1970.
    let seconds = draft.at.as_second().max(0);
    format!("{name} <{local}@{HOST}> {seconds} +0000")
}

/// The first line of the message.
pub(crate) fn subject(text: &str) -> String {
    let line: Vec<&str> =
        text.split(|c: char| c.is_control()).filter(|part| !part.is_empty()).collect();
    let line = line.join(" ");
    let line = line.trim();
    if line.is_empty() { "change".to_owned() } else { line.to_owned() }
}

/// The commit object of a draft.
pub(crate) fn commit(draft: &Draft, who: &str, tree: Oid, parent: Option<Oid>) -> String {
    let parent = parent.map_or(String::new(), |id| format!("parent {id}\n"));
    let body = draft.body.replace(['\0', '\r'], "");
    let body = body.trim_matches('\n').trim_end();
    let body = if body.is_empty() { String::new() } else { format!("{body}\n\n") };
    format!(
        "tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{}\n\n{body}{TRAILER}{}\n",
        subject(&draft.subject),
        draft.episode
    )
}

/// A commit as it was read.
#[derive(Debug)]
pub(crate) struct Commit {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    author: String,
    author_seconds: i64,
    /// By which commits are put in order.
    pub(crate) seconds: i64,
    message: String,
}

impl Commit {
    /// Reads the object; none if it is no commit.
    pub(crate) fn read(raw: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(raw);
        let (head, message) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
        let field = |name: &'static str| {
            head.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(' '))
        };
        let tree = field("tree").next()?.parse().ok()?;
        let parents = field("parent").filter_map(|hex| hex.parse().ok()).collect();
        let (author, author_seconds) = person(field("author").next().unwrap_or_default());
        let (_, seconds) = person(field("committer").next().unwrap_or_default());
        let message = message.to_owned();
        Some(Self { tree, parents, author, author_seconds, seconds, message })
    }

    /// The episode that its message names.
    pub(crate) fn episode(&self) -> Option<EpisodeId> {
        self.message.lines().rev().find_map(|line| line.strip_prefix(TRAILER)?.trim().parse().ok())
    }

    pub(crate) fn entry(self, id: Oid) -> Entry {
        let episode = self.episode();
        let (subject, body) = self.message.split_once('\n').unwrap_or((&self.message, ""));
        let is_told = |line: &&str| {
            line.strip_prefix(TRAILER).is_none_or(|rest| {
                rest.trim().parse::<EpisodeId>().ok() != episode || episode.is_none()
            })
        };
        let body: Vec<&str> = body.lines().filter(is_told).collect();
        Entry {
            id: CommitId(id),
            author: self.author,
            at: Timestamp::from_second(self.author_seconds).unwrap_or_default(),
            subject: subject.to_owned(),
            body: body.join("\n").trim().to_owned(),
            episode,
        }
    }
}

/// Name and time of `Name <address> seconds zone`.
fn person(line: &str) -> (String, i64) {
    let (name, rest) = line.split_once('<').unwrap_or((line, ""));
    let seconds = rest.rsplit('>').next().unwrap_or_default().split_whitespace().next();
    (name.trim().to_owned(), seconds.and_then(|text| text.parse().ok()).unwrap_or_default())
}
