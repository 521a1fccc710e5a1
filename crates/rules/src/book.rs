//! All constraints of many items, ready to be checked.
//!
//! Constraints that ask the same are one check with several owners, so that each is searched for once
//! and reported once.

use std::cmp::Reverse;
use std::collections::HashMap;

use model::time::Date;
use model::{Constraint, Flawed, Item, Layer, Operator, Severity, Target};
use regex_syntax::hir::Hir;

use crate::finder::Finder;
use crate::glob::Pool;
use crate::parallel;
use crate::pattern::Pattern;

/// What many constraints ask.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) checks: Vec<Check>,
    /// Which globs narrow the files; the same for all checks of a scope. The first has none.
    pub(crate) scopes: Vec<Vec<usize>>,
    pub(crate) globs: Pool,
    pub(crate) texts: Lane,
    pub(crate) imports: Lane,
    pub(crate) names: Lane,
    /// The checks of paths, each with its glob.
    pub(crate) paths: Vec<(usize, usize)>,
    pub(crate) waivers: Vec<Exception>,
    pub(crate) broken: Vec<Broken>,
}

/// What one or more constraints ask.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) operator: Operator,
    pub(crate) target: Target,
    pub(crate) pattern: String,
    pub(crate) scope: usize,
    /// Who asks it: heaviest first, then widest.
    pub(crate) owners: Vec<Owner>,
    /// The waivers that may apply.
    pub(crate) waivers: Vec<usize>,
    /// The checks that ask for the opposite.
    pub(crate) opposing: Vec<usize>,
}

/// A constraint of an item.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) item: usize,
    pub(crate) constraint: usize,
    pub(crate) layer: Layer,
    pub(crate) severity: Severity,
    /// The item of a wider layer that blocks the opposite.
    pub(crate) set_aside_by: Option<usize>,
}

/// A waiver of an item.
#[derive(Debug)]
pub(crate) struct Exception {
    pub(crate) item: usize,
    /// Which of its waivers.
    pub(crate) waiver: usize,
    pub(crate) globs: Vec<usize>,
    pub(crate) dependency: Option<String>,
    pub(crate) until: Date,
}

/// What of an item cannot be followed.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) item: usize,
    /// Which of its constraints, if it is one.
    pub(crate) constraint: Option<usize>,
    pub(crate) flawed: Flawed,
}

/// The patterns that are searched in one kind of text.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    pub(crate) finder: Finder,
    pub(crate) entries: Vec<Entry>,
    /// The checks of all entries that ask every one to match, each with its entry.
    pub(crate) every: Vec<(usize, usize)>,
    /// The scopes of all its checks.
    pub(crate) scopes: Vec<usize>,
}

/// A pattern and the checks that search for it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) pattern: Pattern,
    /// The same for names that are compared whatever the case of their letters.
    pub(crate) caseless: Option<Pattern>,
    pub(crate) checks: Vec<usize>,
}

impl Book {
    /// Takes all constraints of these items.
    pub(crate) fn new(items: &[&Item]) -> Self {
        let mut book = Compiler::new(items).compile(items);
        book.prepare();
        book
    }

    /// What of these items cannot be followed; nothing is made ready for a search.
    pub(crate) fn broken(items: &[&Item]) -> Vec<Broken> {
        Compiler::new(items).compile(items).broken
    }

    /// Makes ready to search, and finds who stands against whom.
    fn prepare(&mut self) {
        for lane in [&mut self.texts, &mut self.imports, &mut self.names] {
            let required = lane.entries.iter().map(|entry| entry.pattern.required.as_deref());
            lane.finder = Finder::new(required);
            lane.scopes.sort_unstable();
            lane.scopes.dedup();
        }
        let texts = &mut self.texts;
        let hirs = texts.entries.iter().map(|entry| entry.pattern.bare()).enumerate();
        let hirs: Vec<(usize, &Hir)> = hirs.filter_map(|(at, hir)| Some((at, hir?))).collect();
        texts.finder = std::mem::take(&mut texts.finder).together(&hirs);
        oppose(&mut self.checks);
    }

    fn lane(&mut self, kind: Kind) -> &mut Lane {
        match kind {
            Kind::Text => &mut self.texts,
            Kind::Import => &mut self.imports,
            Kind::Name => &mut self.names,
        }
    }
}

/// What a pattern is searched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Text,
    Import,
    Name,
}

impl Kind {
    /// None for paths, whose patterns are globs.
    fn of(target: Target) -> Option<Self> {
        match target {
            Target::Code | Target::Config => Some(Self::Text),
            Target::Import => Some(Self::Import),
            Target::Dependency => Some(Self::Name),
            Target::File => None,
        }
    }
}

/// What makes a constraint the same as another: operator, target, pattern and scope.
type Same<'a> = (Operator, Target, &'a str, usize);

/// Everything that is there once however often it is written.
struct Compiler<'a> {
    globs: HashMap<&'a str, usize>,
    glob_errors: Vec<Option<String>>,
    patterns: HashMap<(Kind, &'a str), Result<Pattern, String>>,
    entries: HashMap<(Kind, &'a str), usize>,
    scopes: HashMap<Vec<usize>, usize>,
    checks: HashMap<Same<'a>, usize>,
    book: Book,
}

impl<'a> Compiler<'a> {
    fn new(items: &[&'a Item]) -> Self {
        let mut globs: HashMap<&str, usize> = HashMap::new();
        let mut list: Vec<String> = Vec::new();
        for glob in items.iter().flat_map(|item| globs_of(item)) {
            globs.entry(glob).or_insert_with(|| {
                list.push(glob.to_owned());
                list.len() - 1
            });
        }
        let (pool, glob_errors) = Pool::new(&list);
        Self {
            globs,
            glob_errors,
            patterns: patterns(items),
            entries: HashMap::new(),
            scopes: HashMap::from([(Vec::new(), 0)]),
            checks: HashMap::new(),
            book: Book { globs: pool, scopes: vec![Vec::new()], ..Book::default() },
        }
    }

    fn compile(mut self, items: &[&'a Item]) -> Book {
        for (nth, item) in items.iter().enumerate() {
            for (at, constraint) in item.constraints.iter().enumerate() {
                if let Err(why) = self.add(nth, item, at, constraint) {
                    let Constraint { operator, target, pattern, line, .. } = constraint;
                    let written =
                        [operator.name().to_owned(), target.name().to_owned(), pattern.clone()];
                    let flawed = Flawed { line: *line, why, constraint: Some(written) };
                    self.book.broken.push(Broken { item: nth, constraint: Some(at), flawed });
                }
            }
            let own = item.flaws.iter().cloned();
            self.book.broken.extend(own.map(|flawed| Broken {
                item: nth,
                constraint: None,
                flawed,
            }));
        }
        self.add_waivers(items);
        self.book
    }

    /// Takes a constraint; the error says why it cannot be followed.
    fn add(
        &mut self,
        nth: usize,
        item: &Item,
        at: usize,
        constraint: &'a Constraint,
    ) -> Result<(), String> {
        let Constraint { operator, target, pattern, .. } = constraint;
        fits(*operator, *target)?;
        let globs = self.globs(&constraint.applies_to)?;
        let kind = Kind::of(*target);
        let glob = match kind {
            None => self.globs(std::slice::from_ref(pattern))?.first().copied(),
            Some(kind) => {
                if let Some(Err(why)) = self.patterns.get(&(kind, pattern.as_str())) {
                    return Err(why.clone());
                }
                None
            }
        };
        let scopes = self.book.scopes.len();
        let scope = *self.scopes.entry(globs.clone()).or_insert(scopes);
        if scope == scopes {
            self.book.scopes.push(globs);
        }
        let owner = Owner {
            item: nth,
            constraint: at,
            layer: item.layer,
            severity: item.severity_of(constraint),
            set_aside_by: None,
        };
        let same = (*operator, *target, pattern.as_str(), scope);
        if let Some(check) = self.checks.get(&same) {
            self.book.checks[*check].owners.push(owner);
            return Ok(());
        }
        let check = self.book.checks.len();
        self.checks.insert(same, check);
        self.book.checks.push(Check {
            operator: *operator,
            target: *target,
            pattern: pattern.clone(),
            scope,
            owners: vec![owner],
            waivers: Vec::new(),
            opposing: Vec::new(),
        });
        match (kind, glob) {
            (Some(kind), _) => self.enter(kind, pattern, check, scope),
            (None, Some(glob)) => self.book.paths.push((check, glob)),
            (None, None) => {}
        }
        Ok(())
    }

    /// Adds a check to the entry of its pattern.
    fn enter(&mut self, kind: Kind, pattern: &'a str, check: usize, scope: usize) {
        let is_every = self.book.checks[check].operator == Operator::MustMatch;
        let lane = self.book.lane(kind);
        let entry = *self.entries.entry((kind, pattern)).or_insert(lane.entries.len());
        if entry == lane.entries.len() {
            let Some(Ok(compiled)) = self.patterns.remove(&(kind, pattern)) else { return };
            let caseless = || Pattern::new(&format!("(?i){pattern}"), true).ok();
            let caseless = (kind == Kind::Name).then(caseless).flatten();
            lane.entries.push(Entry { pattern: compiled, caseless, checks: Vec::new() });
        }
        lane.entries[entry].checks.push(check);
        lane.scopes.push(scope);
        if is_every {
            lane.every.push((check, entry));
        }
    }

    /// The numbers of globs, each once; the error is what is wrong with the first that is none.
    fn globs(&self, globs: &[String]) -> Result<Vec<usize>, String> {
        let mut places = Vec::with_capacity(globs.len());
        for glob in globs {
            let Some(place) = self.globs.get(glob.as_str()) else { continue };
            if let Some(error) = &self.glob_errors[*place] {
                return Err(error.clone());
            }
            places.push(*place);
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    fn add_waivers(&mut self, items: &[&Item]) {
        let mut of_item: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
        for (nth, item) in items.iter().enumerate() {
            for (at, waiver) in item.waivers.iter().enumerate() {
                match self.globs(&waiver.paths) {
                    Ok(globs) => {
                        of_item[nth].push(self.book.waivers.len());
                        self.book.waivers.push(Exception {
                            item: nth,
                            waiver: at,
                            globs,
                            dependency: waiver.dependency.clone(),
                            until: waiver.until,
                        });
                    }
                    Err(error) => {
                        let why = format!("the waiver does not hold: {error}");
                        let flawed = Flawed { line: waiver.line, why, constraint: None };
                        self.book.broken.push(Broken { item: nth, constraint: None, flawed });
                    }
                }
            }
        }
        let Book { checks, waivers, .. } = &mut self.book;
        for check in checks {
            let mut owners: Vec<usize> = check.owners.iter().map(|owner| owner.item).collect();
            owners.dedup();
            let of_owners = owners.iter().flat_map(|item| &of_item[*item]).copied();
            check.waivers = of_owners
                .filter(|waiver| {
                    let Exception { item, waiver, .. } = &waivers[*waiver];
                    let pattern = items[*item].waivers[*waiver].pattern.as_ref();
                    pattern.is_none_or(|pattern| *pattern == check.pattern)
                })
                .collect();
        }
    }
}

/// Whether an operator goes with a target.
fn fits(operator: Operator, target: Target) -> Result<(), String> {
    let fitting = Operator::of(target);
    if fitting.contains(&operator) {
        return Ok(());
    }
    let (operator, target) = (operator.name(), target.name());
    let names: Vec<&str> = fitting.iter().map(|one| one.name()).collect();
    Err(format!("{operator} does not go with {target}; it takes {}", names.join(", ")))
}

/// Every glob of an item.
fn globs_of(item: &Item) -> impl Iterator<Item = &str> {
    let of_constraints = item.constraints.iter().flat_map(|constraint| {
        let path = Some(&constraint.pattern).filter(|_| constraint.target == Target::File);
        constraint.applies_to.iter().chain(path)
    });
    let of_waivers = item.waivers.iter().flat_map(|waiver| &waiver.paths);
    of_constraints.chain(of_waivers).map(String::as_str)
}

/// Every pattern of the items, compiled once.
fn patterns<'a>(items: &[&'a Item]) -> HashMap<(Kind, &'a str), Result<Pattern, String>> {
    let constraints = items.iter().flat_map(|item| &item.constraints);
    let mut list: Vec<(Kind, &str)> = constraints
        .filter(|constraint| fits(constraint.operator, constraint.target).is_ok())
        .filter_map(|constraint| Some((Kind::of(constraint.target)?, constraint.pattern.as_str())))
        .collect();
    list.sort_unstable_by_key(|(kind, pattern)| (*pattern, *kind as usize));
    list.dedup();
    let compiled =
        parallel::map(&list, 50, |(kind, pattern)| Pattern::new(pattern, *kind == Kind::Name));
    list.into_iter().zip(compiled).collect()
}

/// Finds which checks stand against each other, and sets aside what a wider layer blocks.
fn oppose(checks: &mut [Check]) {
    let mut groups: HashMap<(Target, &str), HashMap<usize, Vec<usize>>> = HashMap::new();
    for (at, check) in checks.iter().enumerate() {
        let group = groups.entry((check.target, &check.pattern)).or_default();
        group.entry(check.scope).or_default().push(at);
    }
    let opposing: Vec<Vec<usize>> = checks
        .iter()
        .map(|check| {
            let Some(group) = groups.get(&(check.target, check.pattern.as_str())) else {
                return Vec::new();
            };
            let of_scope = |scope: usize| group.get(&scope).into_iter().flatten();
            let near: Vec<usize> = match check.scope {
                0 => group.values().flatten().copied().collect(),
                scope => of_scope(0).chain(of_scope(scope)).copied().collect(),
            };
            let is_opposite = |at: &usize| checks[*at].operator.is_opposite(check.operator);
            let mut opposing: Vec<usize> = near.into_iter().filter(is_opposite).collect();
            opposing.sort_unstable();
            opposing
        })
        .collect();
    let is_blocking = |owner: &&Owner| owner.severity == Severity::Block;
    let widest: Vec<Option<Owner>> = checks
        .iter()
        .map(|check| {
            let blocking = check.owners.iter().filter(is_blocking);
            blocking.max_by_key(|owner| (owner.layer, Reverse(owner.item))).cloned()
        })
        .collect();
    for (check, opposing) in checks.iter_mut().zip(opposing) {
        let blocking = opposing.iter().filter_map(|at| widest[*at].as_ref());
        let widest = blocking.max_by_key(|owner| (owner.layer, Reverse(owner.item)));
        for owner in &mut check.owners {
            if let Some(blocking) = widest.filter(|blocking| blocking.layer > owner.layer) {
                owner.set_aside_by = Some(blocking.item);
                owner.severity = owner.severity.min(Severity::Warn);
            }
        }
        check.opposing = opposing;
        check.owners.sort_unstable_by_key(|owner| {
            (Reverse(owner.severity), Reverse(owner.layer), owner.item, owner.constraint)
        });
    }
}
