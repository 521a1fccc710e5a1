//! The words of findings.

use std::sync::Arc;

use model::{Item, Operator, Target};

use crate::book::{Book, Broken, Check, Exception, Owner};
use crate::seen::Hit;

/// So many other items are named in a message.
const NAMED_MAX: usize = 3;

/// What a message is about.
pub(crate) struct Subject<'a> {
    pub(crate) items: &'a [Arc<Item>],
    pub(crate) book: &'a Book,
    pub(crate) check: &'a Check,
    pub(crate) lead: &'a Owner,
    /// Who asks the same.
    pub(crate) others: &'a [usize],
    pub(crate) expired: Option<&'a Exception>,
    /// Where, if it is about one place.
    pub(crate) hit: Option<&'a Hit>,
    /// How many were looked at, if it is about all of them.
    pub(crate) of: usize,
}

impl Subject<'_> {
    pub(crate) fn message(&self) -> String {
        let constraint = &self.items[self.lead.item].constraints[self.lead.constraint];
        let mut message = constraint.message.clone().unwrap_or_else(|| self.made());
        if let Some(Exception { item, waiver, .. }) = self.expired {
            let waiver = &self.items[*item].waivers[*waiver];
            message
                .push_str(&format!(" (a waiver ran out on {}: {})", waiver.until, waiver.reason));
        }
        self.name(&mut message, self.others.iter().copied(), |item| format!("also {item}"));
        let against = self.check.opposing.iter().flat_map(|at| {
            let check = &self.book.checks[*at];
            check.owners.iter().map(|owner| (owner.item, check.operator))
        });
        let against: Vec<(usize, Operator)> =
            against.filter(|(item, _)| *item != self.lead.item).take(NAMED_MAX + 1).collect();
        for (item, operator) in against.iter().take(NAMED_MAX) {
            let (item, operator) = (self.item(*item), operator.name());
            message.push_str(&format!(" ({item} asks for the opposite: {operator})"));
        }
        if against.len() > NAMED_MAX {
            message.push_str(" (and others)");
        }
        if let Some(item) = self.lead.set_aside_by {
            message.push_str(&format!(" (set aside: {} blocks the opposite)", self.item(item)));
        }
        message
    }

    /// Names some items in brackets and says how many more there are.
    fn name(
        &self,
        message: &mut String,
        items: impl ExactSizeIterator<Item = usize>,
        words: impl Fn(String) -> String,
    ) {
        let more = items.len().saturating_sub(NAMED_MAX);
        for item in items.take(NAMED_MAX) {
            message.push_str(&format!(" ({})", words(self.item(item))));
        }
        if more > 0 {
            message.push_str(&format!(" (and {more} more)"));
        }
    }

    fn item(&self, item: usize) -> String {
        let item = &self.items[item];
        format!("{} of {}", item.id, item.layer.name())
    }

    /// The message of a constraint that has none.
    fn made(&self) -> String {
        let pattern = &self.check.pattern;
        let what = match self.check.target {
            Target::Dependency => "as a dependency",
            Target::Code => "in code",
            Target::Config => "in configuration",
            Target::Import => "as an import",
            Target::File => "as a file",
        };
        let must = self.check.operator.name().replace('_', " ");
        let place = self.place();
        match self.check.operator {
            Operator::MustExist | Operator::MustNotExist => {
                format!("`{pattern}` {must} {what}: {place}")
            }
            _ => format!("{must} `{pattern}` {what}: {place}"),
        }
    }

    fn place(&self) -> String {
        let Some(hit) = self.hit else { return self.none() };
        let is_missing = self.check.operator.asks_for();
        let lacks = if is_missing { " does not match" } else { "" };
        let excerpt = hit.excerpt.as_deref().unwrap_or_default();
        match (self.check.target, hit.file.as_deref(), hit.line) {
            (Target::Dependency, _, _) | (_, None, _) => format!("{excerpt}{lacks}"),
            (Target::Import, Some(file), Some(line)) => {
                format!("`{excerpt}` in line {line} of {file}{lacks}")
            }
            (_, Some(file), Some(line)) => format!("line {line} of {file}{lacks}"),
            (_, Some(file), None) => format!("{file}{lacks}"),
        }
    }

    fn none(&self) -> String {
        let (of, what) = (self.of, self.check.target);
        match (what, of) {
            (Target::Dependency, 0) => "none is listed".to_owned(),
            (Target::Dependency, of) => format!("none of the {of} listed matches"),
            (Target::File, of) => format!("none of the {of} files matches"),
            (Target::Import, of) => format!("none of the {of} files it is for imports it"),
            (_, of) => format!("none of the {of} files it is for has it"),
        }
    }
}

/// The message of what cannot be followed.
pub(crate) fn of_broken(items: &[Arc<Item>], broken: &Broken) -> String {
    let what = if broken.flawed.constraint.is_some() { "constraint in " } else { "" };
    let (line, why) = (broken.flawed.line, &broken.flawed.why);
    format!("{what}line {line} of `{}`: {why}", items[broken.item].id)
}
