//! Where something comes from, and how far that is trusted.

use serde_json::Value;

use crate::id::ContentHash;
use crate::memory::Metadata;
use crate::record::names;
use crate::scope::Scope;
use crate::time::Timestamp;

/// How far what is kept is trusted, by where it comes from; the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrustLevel {
    /// A page that somebody put on the web.
    Web,
    /// The output of a tool or a command.
    ToolOutput,
    /// An agent, in its own words.
    Agent,
    /// Files of a repository that people look after.
    Repository,
    /// A person, in their own words or by their own approval.
    Person,
}

names!(TrustLevel {
    Web => "web",
    ToolOutput => "tool_output",
    Agent => "agent",
    Repository => "repository",
    Person => "person",
});

/// Who acts: a name, and the way it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person, or the token that stands for one.
    pub who: String,
    /// The program that it came by, with its version.
    pub client: Option<String>,
    /// The tool that was called, or the command.
    pub tool: Option<String>,
    /// How far what comes of it is trusted at the most.
    pub level: TrustLevel,
    /// Where it says that what it brings is from.
    pub source: Option<String>,
}

impl Actor {
    /// An agent that acts for somebody, by no known program.
    pub fn agent_of(who: impl Into<String>) -> Self {
        let (client, tool, source, level) = (None, None, None, TrustLevel::Agent);
        Self { who: who.into(), client, tool, level, source }
    }

    /// The same, calling this tool.
    #[must_use]
    pub fn calling(&self, tool: &str) -> Self {
        Self { tool: Some(tool.to_owned()), ..self.clone() }
    }

    /// The same, trusted no more than this.
    #[must_use]
    pub fn no_more_than(&self, level: TrustLevel) -> Self {
        Self { level: self.level.min(level), ..self.clone() }
    }

    /// The same, bringing what these data say is from elsewhere. What is said can lower the trust, and
    /// never raise it.
    #[must_use]
    pub fn bringing(&self, told: &Metadata) -> Self {
        let (level, source) = elsewhere(self.level, told);
        Self { level, source: source.or_else(|| self.source.clone()), ..self.clone() }
    }

    /// Whether data of this name tell where something is from, or how far that is to be trusted.
    pub fn is_told_by(name: &str) -> bool {
        let name = plain(name);
        SOURCE_NAMES.iter().chain(&LEVEL_NAMES).any(|known| *known == name)
    }
}

/// Where a memory comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The person, or the token that stood for one.
    pub who: Option<String>,
    /// The program that it came by, with its version.
    pub client: Option<String>,
    /// The tool that was called, or the command.
    pub tool: Option<String>,
    /// The page, file or other source that it says it is from.
    pub source: Option<String>,
    /// How far it is trusted.
    pub level: TrustLevel,
}

/// The names under which metadata tell where a text is from, as [`plain`] has them, the most telling
/// first.
const SOURCE_NAMES: [&str; 12] = [
    "sourceurl",
    "sourceuri",
    "url",
    "urls",
    "uri",
    "href",
    "link",
    "links",
    "origin",
    "source",
    "sources",
    "sourcetype",
];

/// The names under which metadata may say that a text deserves less trust than who brings it.
const LEVEL_NAMES: [&str; 2] = ["trust", "trustlevel"];

/// No more characters of a source are kept.
const SOURCE_CHARS_MAX: usize = 500;

impl Provenance {
    /// What nothing is known of: it was kept before that was asked, by an agent as far as we know.
    pub const UNKNOWN: Self =
        Self { who: None, client: None, tool: None, source: None, level: TrustLevel::Agent };

    /// What this actor brings in its own name.
    pub fn by(actor: &Actor) -> Self {
        Self::of(actor, &Metadata::new())
    }

    /// What this actor brings, and says is from elsewhere. What is said can lower the trust, and
    /// never raise it.
    pub fn of(actor: &Actor, metadata: &Metadata) -> Self {
        let Actor { who, client, tool, level, source } = actor.bringing(metadata);
        Self { who: Some(who), client, tool, source, level }
    }

    /// The same, of which these data say that it is from elsewhere. They can lower the trust, and never raise it.
    #[must_use]
    pub fn lowered_by(&self, told: &Metadata) -> Self {
        let (level, source) = elsewhere(self.level, told);
        let source = source.filter(|_| level < self.level).or_else(|| self.source.clone());
        Self { level, source, ..self.clone() }
    }

    /// What becomes of it when the actor gives the text another wording: it is no better than who
    /// words it, and no better than it was, unless a person does.
    #[must_use]
    pub fn reworded_by(&self, actor: &Actor) -> Self {
        let level = match actor.level {
            TrustLevel::Person => TrustLevel::Person,
            level => level.min(self.level),
        };
        let source = actor.source.clone().or_else(|| self.source.clone());
        let (client, tool) = (actor.client.clone(), actor.tool.clone());
        Self { who: Some(actor.who.clone()), client, tool, source, level }
    }

    /// What becomes of it when the actor adds to it and leaves what it says: it is no better than
    /// either, whoever adds.
    #[must_use]
    pub fn extended_by(&self, actor: &Actor) -> Self {
        self.reworded_by(&actor.no_more_than(self.level))
    }
}

/// What a person said of a text that reads like an instruction to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Where the text lies.
    pub scope: Scope,
    /// Which text.
    pub hash: ContentHash,
    /// Whether agents may be told it unasked.
    pub approved: bool,
    /// Who said so.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// How far something is trusted of which these data say where it is from, and where that is.
fn elsewhere(level: TrustLevel, told: &Metadata) -> (TrustLevel, Option<String>) {
    let sources = texts_of(told, &SOURCE_NAMES);
    let levels = texts_of(told, &LEVEL_NAMES).into_iter().filter_map(named_level);
    let lower = sources.iter().filter_map(|text| level_of(text)).chain(levels);
    let source = sources.first().map(|text| text.chars().take(SOURCE_CHARS_MAX).collect());
    (lower.fold(level, TrustLevel::min), source)
}

/// A word as it is compared: its letters and digits, in small letters.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What stands under these names, in their order; texts of lists and of what is nested, too.
fn texts_of<'a>(told: &'a Metadata, names: &[&str]) -> Vec<&'a str> {
    let place = |name: &str| names.iter().position(|known| *known == plain(name));
    let mut named: Vec<_> =
        told.iter().filter_map(|(name, value)| Some((place(name)?, value))).collect();
    named.sort_by_key(|(place, _)| *place);
    let mut texts = Vec::new();
    named.into_iter().for_each(|(_, value)| gather(value, &mut texts));
    texts
}

fn gather<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if !text.trim().is_empty() => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| gather(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, texts)),
        _ => {}
    }
}

fn named_level(text: &str) -> Option<TrustLevel> {
    TrustLevel::ALL.iter().copied().find(|level| plain(level.name()) == plain(text))
}

/// How far a source is trusted that says itself what it is.
fn level_of(source: &str) -> Option<TrustLevel> {
    let source = source.trim().to_lowercase();
    // A file of this machine has an address, too.
    let has_address = source.replace("file://", "").contains("://");
    let begins = |starts: &[&str]| starts.iter().any(|start| source.starts_with(start));
    let word = plain(&source);
    let is = |known: &[&str]| known.contains(&word.as_str());
    let says = |starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
    if has_address
        || begins(&["www.", "//", "web:", "web_", "rss:"])
        || is(&["web", "internet", "browser"])
        || says(&["webpage", "website", "websearch", "webfetch", "webresult", "webcontent"])
    {
        return Some(TrustLevel::Web);
    }
    let is_tool = begins(&["tool:", "tool_", "command:", "shell:", "mcp:", "mcp__"])
        || is(&["tool", "command", "shell", "bash", "terminal"])
        || says(&["tooloutput", "toolresult", "commandoutput", "stdout", "stderr"]);
    is_tool.then_some(TrustLevel::ToolOutput)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Provenance {
        Provenance::of(&Actor::agent_of("ada"), &serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_source_lowers_the_trust_and_nothing_raises_it() {
        for (metadata, level) in [
            ("{}", TrustLevel::Agent),
            (r#"{"source": "chat"}"#, TrustLevel::Agent),
            (r#"{"source": "https://evil.example/page"}"#, TrustLevel::Web),
            (r#"{"source": "notes", "url": "HTTP://evil.example"}"#, TrustLevel::Web),
            (r#"{"source_type": "web"}"#, TrustLevel::Web),
            (r#"{"source": "<https://a.example>"}"#, TrustLevel::Web),
            (r#"{"source": "From https://a.example"}"#, TrustLevel::Web),
            (r#"{"source": "web page"}"#, TrustLevel::Web),
            (r#"{"source": "Web search"}"#, TrustLevel::Web),
            (r#"{"source": "WebFetch"}"#, TrustLevel::Web),
            (r#"{"source": {"url": "https://a.example"}}"#, TrustLevel::Web),
            (r#"{"source": ["notes", "https://a.example"]}"#, TrustLevel::Web),
            (r#"{"Source": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"URL": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"sourceURL": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"source-url": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"link": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"origin": "https://a.example"}"#, TrustLevel::Web),
            (r#"{"trust": "WEB"}"#, TrustLevel::Web),
            (r#"{"trust": "tool output"}"#, TrustLevel::ToolOutput),
            (r#"{"source": "tool output"}"#, TrustLevel::ToolOutput),
            (r#"{"source": "Bash"}"#, TrustLevel::ToolOutput),
            (r#"{"source": "mcp__github__get_issue"}"#, TrustLevel::ToolOutput),
            (r#"{"source": "webhook notes of the team"}"#, TrustLevel::Agent),
            (r#"{"source": "file:///srv/ada/notes.md"}"#, TrustLevel::Agent),
            (r#"{"source": 7}"#, TrustLevel::Agent),
            (r#"{"source": "tool:grz_run_command"}"#, TrustLevel::ToolOutput),
            (r#"{"trust": "web"}"#, TrustLevel::Web),
            (r#"{"trust": "person"}"#, TrustLevel::Agent),
            (r#"{"trust": "person", "source": "https://a.example"}"#, TrustLevel::Web),
        ] {
            assert_eq!(of(metadata).level, level, "{metadata}");
        }
        assert_eq!(
            of(r#"{"source": "chat", "url": "https://a.example/b"}"#).source.unwrap(),
            "https://a.example/b"
        );
    }

    #[test]
    fn another_wording_is_no_better_than_what_it_was_unless_a_person_gives_it() {
        let web = of(r#"{"source": "https://a.example"}"#);
        let agent = Actor::agent_of("ada");
        let person = Actor { level: TrustLevel::Person, ..agent.clone() };
        assert_eq!(web.reworded_by(&agent).level, TrustLevel::Web);
        assert_eq!(web.reworded_by(&person).level, TrustLevel::Person);
        assert_eq!(web.extended_by(&person).level, TrustLevel::Web);
        let own = Provenance::of(&person, &Metadata::new());
        assert_eq!(own.extended_by(&person).level, TrustLevel::Person);
        assert_eq!(own.extended_by(&agent).level, TrustLevel::Agent);
        assert_eq!(own.reworded_by(&agent).level, TrustLevel::Agent);
    }

    #[test]
    fn names_are_read_back_and_people_come_first() {
        let all = TrustLevel::ALL;
        assert!(all.iter().all(|level| TrustLevel::named(level.name()) == Some(*level)));
        assert!(all.is_sorted());
    }
}
