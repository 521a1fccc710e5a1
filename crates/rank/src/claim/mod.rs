//! Whether two short texts contradict each other: the same thing, and not both can hold.
//!
//! No model is asked. A text becomes its claims: what each is about (as a number that does not depend
//! on order, form or small words), the values it gives, and whether it affirms or denies. Two claims
//! are compared only if they are about the same; then they contradict each other by their sign, by a
//! value that excludes the other, or by another name for what can have one only.
//!
//! What is not understood is not claimed, so a contradiction can be missed; one that is reported comes
//! with a sentence that a person can check. English only.
//!
//! Not here: which texts are compared (those that share one of [`Claims::keys`]), and which is right.

mod attribute;
mod calendar;
mod clause;
mod key;
mod lexicon;
mod parts;
mod quantity;
mod read;
mod scan;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use scan::{SENTENCE_WORDS_MAX, SENTENCES_MAX, TEXT_BYTES_MAX};

use value::{Bound, Value};

/// No more claims of a text than this are kept.
pub const CLAIMS_MAX: usize = 48;

/// What a text claims. Made once for each text.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    /// Sorted by key.
    claims: Vec<Claim>,
    keys: Vec<u64>,
}

/// When a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Present,
    Future,
}

/// One thing that a text says.
#[derive(Debug, Clone, PartialEq)]
struct Claim {
    /// What it is about. Claims with different keys are never compared.
    key: u64,
    /// Words so general that only one of two texts may have them.
    general: u64,
    /// Whether it says that it is not so.
    denied: bool,
    tense: Tense,
    values: Vec<Value>,
    /// The words of the name that it gives an attribute; none if it is a statement.
    name: Vec<u64>,
    /// What it is about, for a reader.
    topic: Box<str>,
    /// What it says of it, for a reader.
    text: Box<str>,
}

/// How far the values of one claim are from those of another.
struct Apart<'a> {
    /// The first that exclude each other.
    first: Option<(&'a Value, &'a Value)>,
    count: usize,
    /// Whether they all say when something is.
    all_when: bool,
}

/// Two texts that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// What it is about and what each of the two says, in a line that a person can check.
    pub reason: String,
}

impl Claims {
    /// What `text` claims.
    ///
    /// ```
    /// use rank::claim::{Claims, contradiction};
    ///
    /// let old = Claims::of("The API rate limit is 100 requests per minute");
    /// let new = Claims::of("The rate limit of the API is 60 requests per minute.");
    /// let found = contradiction(&old, &new).unwrap();
    /// assert_eq!(found.reason, "API rate limit: 100 requests per minute against 60 requests per minute");
    /// ```
    pub fn of(text: &str) -> Claims {
        let reader = read::Reader::of(text);
        let mut claims = Vec::new();
        let clauses = scan::sentences(text).into_iter().flat_map(clause::clauses);
        for clause in clauses {
            reader.read(&clause, &mut claims);
            if claims.len() >= CLAIMS_MAX {
                break;
            }
        }
        claims.truncate(CLAIMS_MAX);
        claims.sort_by_key(|claim| claim.key);
        let mut keys: Vec<u64> = claims.iter().map(|claim| claim.key).collect();
        keys.dedup();
        Claims { claims, keys }
    }

    /// Numbers for what the text is about, sorted. Two texts that contradict each other share one.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }
}

/// Why not both texts can hold, if they cannot. The same whichever is named first, but for the order
/// in the reason.
pub fn contradiction(a: &Claims, b: &Claims) -> Option<Contradiction> {
    // What a text says of itself is its own affair: a text that tells of a change has both values.
    if a == b {
        return None;
    }
    let mut rest = b.claims.as_slice();
    for one in &a.claims {
        rest = &rest[rest.partition_point(|other| other.key < one.key)..];
        let same = rest.iter().take_while(|other| other.key == one.key);
        if let Some(reason) = same.filter_map(|other| one.conflict(other)).next() {
            return Some(Contradiction { reason });
        }
    }
    None
}

impl Claim {
    /// Why this and `other`, which are about the same, cannot both hold.
    fn conflict(&self, other: &Claim) -> Option<String> {
        let common = self.general & other.general;
        if (common != self.general && common != other.general) || !self.is_of_one_time(other) {
            return None;
        }
        if !self.name.is_empty() || !other.name.is_empty() {
            return self.other_name(other);
        }
        let (mine, theirs) = (self.apart(other), other.apart(self));
        if self.denied != other.denied {
            let (yes, no) = if self.denied { (other, self) } else { (self, other) };
            let covers = |value: &Value| yes.values.iter().any(|theirs| value.covers(theirs));
            let all = mine.count == 0 && no.values.iter().all(covers);
            return all.then(|| self.reason(&self.text, &other.text));
        }
        let (one, another) = mine.first.filter(|_| !self.denied)?;
        // With two values that differ, one may be the condition of the other.
        let telling = |apart: &Apart<'_>| apart.count == 1 || apart.all_when;
        (telling(&mine) && telling(&theirs)).then(|| self.reason(&one.text, &another.text))
    }

    /// The values that exclude all that `other` has of their kind.
    fn apart<'a>(&'a self, other: &'a Claim) -> Apart<'a> {
        let mut apart = Apart { first: None, count: 0, all_when: true };
        for mine in &self.values {
            let alike = other.values.iter().find(|theirs| mine.is_like(theirs));
            let Some(theirs) = alike.filter(|_| !self.has_common(other, mine)) else { continue };
            apart.first.get_or_insert((mine, theirs));
            apart.count += 1;
            apart.all_when &= mine.kind.is_when();
        }
        apart
    }

    /// Whether any value like `mine` is compatible with one of the other's.
    fn has_common(&self, other: &Claim, mine: &Value) -> bool {
        let alike = self.values.iter().filter(|value| value.is_like(mine));
        alike
            .flat_map(|value| other.values.iter().map(move |theirs| (value, theirs)))
            .any(|(value, theirs)| value.is_like(theirs) && !value.excludes(theirs))
    }

    /// Whether both speak of the same time.
    fn is_of_one_time(&self, other: &Claim) -> bool {
        let until = |claim: &Claim| claim.values.iter().any(|value| value.bound == Bound::Until);
        let dated = |claim: &Claim| claim.values.iter().any(|value| value.kind.is_when());
        let near =
            self.tense != Tense::Past && other.tense != Tense::Past && dated(self) && dated(other);
        (self.tense == other.tense || near) && until(self) == until(other)
    }

    /// Whether the two names are of different things.
    fn other_name(&self, other: &Claim) -> Option<String> {
        let within = |a: &[u64], b: &[u64]| a.iter().all(|word| b.contains(word));
        let different = !within(&self.name, &other.name) && !within(&other.name, &self.name);
        let when = self
            .values
            .iter()
            .zip(&other.values)
            .any(|(mine, theirs)| mine.is_like(theirs) && mine.excludes(theirs));
        (different && !when && !self.name.is_empty() && !other.name.is_empty())
            .then(|| self.reason(&self.text, &other.text))
    }

    /// What it is about, and what each says; the claim itself if it names no subject.
    fn reason(&self, mine: &str, theirs: &str) -> String {
        match (self.topic.as_ref(), self.text.as_ref()) {
            ("", text) if text == mine => format!("{mine} against {theirs}"),
            ("", text) => format!("{text}: {mine} against {theirs}"),
            (topic, _) => format!("{topic}: {mine} against {theirs}"),
        }
    }
}
