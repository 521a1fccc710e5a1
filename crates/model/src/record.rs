//! Records of the ledger: what was decided, proposed or ruled out, and why.
//!
//! A record is a Markdown file in a git repository; the database holds a view of it. The rules of its
//! life (what may become of what) are here.

use std::fmt;
use std::str::FromStr;

use crate::confidence::rounded;
use crate::episode::EpisodeId;
use crate::hex::{hex, of_hex};
use crate::scope::{Identity, Layer, Scope};
use crate::time::Timestamp;

/// The identity of a record: 12 lowercase hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub [u8; 6]);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl RecordId {
    /// Reads an id as file names, documents and agents spell it: bare, or with the kind in front, with
    /// `superseded_` or `rejected_` before that, and with `.md` at the end.
    pub fn from_spelling(text: &str) -> Result<Self, NotARecordId> {
        bare_id(text).parse()
    }
}

/// The part of a spelling of a record's id that is the id, if it is one.
pub fn bare_id(text: &str) -> &str {
    let without = |text, prefixes: &[&str]| -> &str {
        prefixes.iter().find_map(|prefix| str::strip_prefix(text, *prefix)).unwrap_or(text)
    };
    let name = text.strip_suffix(".md").unwrap_or(text);
    let name = without(name, &["superseded_", "rejected_"]);
    without(name, &["decision_", "proposal_", "prop_", "constraint_"])
}

/// The text is no id of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotARecordId;

impl FromStr for RecordId {
    type Err = NotARecordId;

    fn from_str(text: &str) -> Result<Self, NotARecordId> {
        of_hex(text).map(Self).ok_or(NotARecordId)
    }
}

/// A part of the ledger that keeps to itself: 1 to 64 letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Namespace(String);

impl Namespace {
    /// The most characters it may have.
    pub const LENGTH_MAX: usize = 64;

    /// What stands before its name where it is an owner; no other owner has a slash there.
    const OWNER: &str = "ledger/";

    /// That of the identity's project: it is called like it. None is called like the one for all.
    pub fn of_project(identity: &Identity) -> Option<Self> {
        let project: Self = identity.id(Layer::Project)?.as_str().parse().ok()?;
        Some(project).filter(|project| *project != Self::default())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where its records lie. It is nobody's own, so that only who asks for it finds them.
    pub fn scope(&self) -> Scope {
        Scope { layer: Layer::Company, owner: format!("{}{}", Self::OWNER, self.0) }
    }

    /// The namespace whose records lie there.
    pub fn of_scope(scope: &Scope) -> Option<Self> {
        scope.owner.strip_prefix(Self::OWNER)?.parse().ok()
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl FromStr for Namespace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if (1..=Self::LENGTH_MAX).contains(&text.len()) && text.chars().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("takes 1 to {} of letters, digits, '_' and '-'", Self::LENGTH_MAX))
        }
    }
}

/// Gives an enum its names: `ALL`, `name` and `named`.
macro_rules! names {
    ($type:ident { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The one of that name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}
pub(crate) use names;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RecordKind {
    /// It holds.
    #[default]
    Decision,
    /// It waits to be accepted or rejected.
    Proposal,
    /// It forbids or limits.
    Constraint,
}

names!(RecordKind {
    Decision => "decision",
    Proposal => "proposal",
    Constraint => "constraint",
});

/// Where a record stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It holds.
    Active,
    /// Another took its place.
    Superseded,
    /// It should not be followed any more.
    Deprecated,
    /// It was turned down.
    Rejected,
    /// It is not decided yet.
    Draft,
}

names!(Status {
    Active => "active",
    Superseded => "superseded",
    Deprecated => "deprecated",
    Rejected => "rejected",
    Draft => "draft",
});

impl Status {
    /// The status of a new record.
    pub const fn of_new(kind: RecordKind) -> Self {
        match kind {
            RecordKind::Proposal => Self::Draft,
            RecordKind::Decision | RecordKind::Constraint => Self::Active,
        }
    }

    /// Whether searches leave it out.
    pub const fn is_past(self) -> bool {
        matches!(self, Self::Superseded | Self::Deprecated | Self::Rejected)
    }
}

/// How settled a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Phase {
    /// It was seen.
    #[default]
    Pattern,
    /// It takes shape.
    Emergent,
    /// It is how things are done.
    Canonical,
}

names!(Phase {
    Pattern => "pattern",
    Emergent => "emergent",
    Canonical => "canonical",
});

impl Phase {
    /// One step further.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Pattern => Self::Emergent,
            Self::Emergent | Self::Canonical => Self::Canonical,
        }
    }
}

/// Who may change what is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trust {
    /// Tools and people.
    #[default]
    Open,
    /// People, by the file.
    HumanOnly,
}

names!(Trust {
    Open => "open",
    HumanOnly => "human_only",
});

/// A title has at least so many characters.
pub const TITLE_CHARS_MIN: usize = 3;

/// A reason has at least so many.
pub const REASON_CHARS_MIN: usize = 10;

/// A target has no more characters than this.
pub const TARGET_CHARS_MAX: usize = 100;

/// Whether a record may be about this: small letters, digits and `_`.
pub fn is_target(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    (1..=TARGET_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_plain)
}

/// How sure we are of a record unless somebody says otherwise.
pub const RECORD_CONFIDENCE_NEW: f64 = 0.8;

/// What a link to evidence multiplies the confidence by.
const EVIDENCE_FACTOR: f64 = 1.2;

/// The confidence after one more link to evidence for it.
pub fn after_evidence(confidence: f64) -> f64 {
    rounded((confidence * EVIDENCE_FACTOR).min(1.0))
}

/// The confidence after evidence against it: lower by the step that evidence for it adds before the
/// bound of 1 applies, so that what is certain becomes less so, too.
pub fn after_failure(confidence: f64) -> f64 {
    rounded(confidence * (2.0 - EVIDENCE_FACTOR))
}

/// The evidence for a record, or against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Something that happened.
    Episode {
        /// Which.
        id: EpisodeId,
        /// When, if it is told.
        at: Option<Timestamp>,
        /// Its kind's name and what happened, in one line.
        text: String,
    },
    /// What a person wrote.
    Note(String),
}

impl Evidence {
    /// What happened, if that is what it is.
    pub fn episode(&self) -> Option<EpisodeId> {
        match self {
            Self::Episode { id, .. } => Some(*id),
            Self::Note(_) => None,
        }
    }
}

/// Something that was decided, proposed or ruled out.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its identity.
    pub id: RecordId,
    /// Where it belongs.
    pub namespace: Namespace,
    /// What it is.
    pub kind: RecordKind,
    /// Where it stands.
    pub status: Status,
    /// How settled it is.
    pub phase: Phase,
    /// Who may change it.
    pub trust: Trust,
    /// In one line.
    pub title: String,
    /// What it is about: a system or a component.
    pub target: String,
    /// Why.
    pub rationale: String,
    /// What follows.
    pub consequences: Vec<String>,
    /// How sure we are of it.
    pub confidence: f64,
    /// What speaks for it.
    pub evidence: Vec<Evidence>,
    /// Which one it took the place of.
    pub supersedes: Option<RecordId>,
    /// Which one took its place.
    pub superseded_by: Option<RecordId>,
    /// When that was.
    pub superseded_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// What people added to its file.
    pub rest: Rest,
}

/// What people wrote into a record's file beside what it must say; kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rest {
    /// Lines of the front matter.
    pub front: String,
    /// Sections at the end.
    pub body: String,
}

impl Record {
    /// What is searched.
    pub fn searched(&self) -> String {
        let mut text = self.told();
        for consequence in &self.consequences {
            text.push('\n');
            text.push_str(consequence);
        }
        text
    }

    /// What it says: title and reason.
    pub fn told(&self) -> String {
        format!("{}\n{}", self.title, self.rationale)
    }

    /// The marks by which searches choose among records: kind, target, both; `active` with both.
    pub fn marks(&self) -> Vec<String> {
        let (kind, target) = (self.kind, self.target.as_str());
        let mut marks =
            vec![mark(Some(kind), None), mark(None, Some(target)), mark(Some(kind), Some(target))];
        if self.status == Status::Active {
            marks.push(active_mark(kind, target));
        }
        marks
    }

    /// Its file below the ledger's directory. The id in the file is what counts; this is decoration.
    pub fn path(&self) -> String {
        let prefix = match self.status {
            Status::Superseded => "superseded_",
            Status::Rejected => "rejected_",
            Status::Active | Status::Deprecated | Status::Draft => "",
        };
        let (id, kind) = (self.id.to_string(), self.kind.name());
        format!("{}/{}/{prefix}{kind}_{id}.md", self.namespace.as_str(), &id[..2])
    }
}

/// The mark of records of this kind and target.
pub fn mark(kind: Option<RecordKind>, target: Option<&str>) -> String {
    let target = target.map_or(String::new(), |target| format!("={target}"));
    format!("{}{target}", kind.map_or("", RecordKind::name))
}

/// The mark of active records of this kind and target.
pub fn active_mark(kind: RecordKind, target: &str) -> String {
    format!("active:{}", mark(Some(kind), Some(target)))
}

/// A commit that is to be made: the files it changes, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What happened, by which the commit is known again.
    pub episode: EpisodeId,
    /// The files.
    pub files: Vec<DraftFile>,
    /// The first line: what.
    pub subject: String,
    /// The lines behind it: why.
    pub body: String,
    /// Who, by name.
    pub author: String,
    /// When.
    pub at: Timestamp,
}

/// A file of a [`Draft`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftFile {
    /// Below the ledger's directory.
    pub path: String,
    /// What it says from now on; none if it goes.
    pub content: Option<String>,
    /// The git id of what it said before; none if it is new. A file of the work tree that says
    /// something else was edited by a person and is not overwritten.
    pub was: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert!(RecordKind::ALL.iter().all(|one| RecordKind::named(one.name()) == Some(*one)));
        assert!(Status::ALL.iter().all(|one| Status::named(one.name()) == Some(*one)));
        assert!(Phase::ALL.iter().all(|one| Phase::named(one.name()) == Some(*one)));
        assert!(Trust::ALL.iter().all(|one| Trust::named(one.name()) == Some(*one)));
        assert_eq!(Status::named("Active"), None);
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = RecordId([0, 1, 0xab, 0xcd, 0xef, 0x10]);
        assert_eq!(id.to_string(), "0001abcdef10");
        assert_eq!("0001abcdef10".parse(), Ok(id));
        for text in
            ["", "0001ABCDEF10", "0001abcdef1", "0001abcdef100", "0001abcdefg0", "+001abcdef10"]
        {
            assert_eq!(text.parse::<RecordId>(), Err(NotARecordId), "{text}");
        }
    }

    #[test]
    fn a_namespace_is_a_place_of_its_own() {
        let backend: Namespace = "backend".parse().expect("a name");
        assert_eq!(Namespace::of_scope(&backend.scope()), Some(backend));
        let long = "x".repeat(65);
        for text in ["", "a/b", "..", "a b", "ä", long.as_str()] {
            assert!(text.parse::<Namespace>().is_err(), "{text}");
        }
    }

    #[test]
    fn evidence_makes_surer_up_to_certainty() {
        let steps: Vec<f64> =
            std::iter::successors(Some(0.6), |c| Some(after_evidence(*c))).take(5).collect();
        assert_eq!(steps, [0.6, 0.72, 0.864, 1.0, 1.0]);
        assert_eq!(after_evidence(0.0), 0.0);
    }

    #[test]
    fn a_failure_takes_the_step_that_a_success_adds() {
        let steps: Vec<f64> =
            std::iter::successors(Some(1.0), |c| Some(after_failure(*c))).take(3).collect();
        assert_eq!(steps, [1.0, 0.8, 0.64]);
        let step = after_evidence(0.8) - 0.8;
        assert!((0.8 - after_failure(0.8) - step).abs() < 1e-9);
        assert_eq!(after_failure(0.0), 0.0);
    }

    #[test]
    fn an_id_is_read_from_the_spellings_of_files_and_documents() {
        let id = RecordId([0, 1, 0xab, 0xcd, 0xef, 0x10]);
        for before in ["", "superseded_", "rejected_"] {
            for kind in ["", "decision_", "proposal_", "prop_", "constraint_"] {
                for behind in ["", ".md"] {
                    let text = format!("{before}{kind}0001abcdef10{behind}");
                    assert_eq!(RecordId::from_spelling(&text), Ok(id), "{text}");
                }
            }
        }
        for text in
            ["decision_xyz", "decision_", "note_0001abcdef10", "decision_decision_0001abcdef10"]
        {
            assert_eq!(RecordId::from_spelling(text), Err(NotARecordId), "{text}");
        }
    }

    #[test]
    fn a_phase_goes_one_step_and_stays_at_the_last() {
        assert_eq!(Phase::Pattern.next(), Phase::Emergent);
        assert_eq!(Phase::Emergent.next(), Phase::Canonical);
        assert_eq!(Phase::Canonical.next(), Phase::Canonical);
    }
}
