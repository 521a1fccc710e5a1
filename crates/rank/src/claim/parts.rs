//! The verb of a clause, what stands before and behind it, and when it holds.

use std::ops::Range;

use super::Tense;
use super::clause::{entry, predicate, word};
use super::lexicon::role;
use super::scan::Token;

/// The parts of a clause.
pub(super) struct Parts {
    /// Where the predicate begins.
    pub(super) verb: usize,
    /// The verb that carries the meaning; none if something just is something.
    pub(super) main: Option<usize>,
    /// Where the object begins.
    pub(super) object: usize,
    /// Where what no longer holds stands (`from MySQL`).
    pub(super) gone: Range<usize>,
    pub(super) tense: Tense,
}

impl Parts {
    pub(super) fn of(tokens: &[Token<'_>]) -> Parts {
        let verb = predicate(tokens).unwrap_or(0);
        let found = predicate(tokens).is_some();
        let mut main = None;
        let mut object = verb;
        let mut was = false;
        while found && object < tokens.len() {
            let this = entry(tokens, object);
            let form = this.is(role::FORMS);
            was |= matches!(word(tokens, object), "was" | "were" | "did" | "had");
            let helps = is_need_not(tokens, object)
                || this.is(role::BE | role::HELPS) && !(form && is_last_verb(tokens, object));
            if form && !helps && !matches!(word(tokens, object), "called" | "named") {
                main = Some(object);
                object += 1;
                break;
            }
            if !(helps || this.is(role::NOT) || is_filler(tokens, object)) {
                break;
            }
            object += 1;
        }
        let past_word = (0..tokens.len())
            .any(|at| entry(tokens, at).is(role::PAST) && !entry(tokens, at).is(role::HELPS));
        let alone = main == Some(verb)
            && entry(tokens, verb).is(role::VERB_PAST)
            && !entry(tokens, verb).is(role::VERB);
        let future = (0..tokens.len()).any(|at| entry(tokens, at).is(role::FUTURE));
        let tense = match () {
            () if was || past_word || alone => Tense::Past,
            () if future => Tense::Future,
            () => Tense::Present,
        };
        Parts { verb, main, object, gone: 0..0, tense }.with_change(tokens)
    }

    /// What is changed to something is that from now on, and what is built as something is that.
    fn with_change(mut self, tokens: &[Token<'_>]) -> Parts {
        if let Some(main) =
            self.main.filter(|main| *main > self.verb && word(tokens, main + 1) == "as")
        {
            self.gone = main..main + 1;
            self.main = None;
            self.object = main + 2;
            return self;
        }
        let Some(main) = self.main.filter(|main| entry(tokens, *main).is(role::CHANGE)) else {
            return self;
        };
        let Some(to) = (main + 1..tokens.len()).find(|at| word(tokens, *at) == "to") else {
            return self;
        };
        let from = (main + 1..to).find(|at| word(tokens, *at) == "from").unwrap_or(to);
        if self.tense == Tense::Past {
            self.tense = Tense::Present;
        }
        self.gone = if from < to { from..to } else { main..main + 1 };
        if from == main + 1 {
            self.gone = main..to;
        }
        self.main = None;
        self.object = to + 1;
        if from > main + 1 {
            self.verb = from;
        }
        self
    }
}

/// `need` in `need not`, which only helps.
pub(super) fn is_need_not(tokens: &[Token<'_>], at: usize) -> bool {
    word(tokens, at) == "need" && word(tokens, at + 1) == "not"
}

/// Whether no other verb follows that this one could be helping.
fn is_last_verb(tokens: &[Token<'_>], at: usize) -> bool {
    !(at + 1..tokens.len().min(at + 4)).any(|next| entry(tokens, next).is(role::FORMS | role::BE))
}

/// A word between the helping verb and what it helps.
fn is_filler(tokens: &[Token<'_>], at: usize) -> bool {
    let this = entry(tokens, at);
    this.is(role::SMALL)
        && !this.is(role::PREPOSITION | role::DEFINITE | role::PRONOUN)
        && !matches!(word(tokens, at), "a" | "an")
        || matches!(word(tokens, at), "called" | "named")
        || (word(tokens, at) == "to" && at > 0 && leads_to(word(tokens, at - 1)))
}

/// Words that `to` and another verb follow.
fn leads_to(word: &str) -> bool {
    matches!(
        word,
        "set" | "equal" | "decided" | "agreed" | "have" | "has" | "had" | "need" | "used"
    )
}
