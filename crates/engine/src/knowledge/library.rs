//! The items of the caller's folders, as their files are now.
//!
//! A look costs one glance at each file's size and time; a file is read again when one of them
//! changed. What is built of the items (the index, the rules) is kept until an item changes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ledger::file::Flaw;
use ledger::item;
use model::knowledge::{KNOWLEDGE_LAYERS, pointer_scope};
use model::{Caller, ContentHash, Flawed, Item, ItemKind, ItemStatus, Layer, Scope, Subject};
use rank::embed::{DIMENSIONS, Quantised, StaticEmbedder};
use rank::index::Index;
use rules::RuleSet;
use sha2::{Digest, Sha256};

use super::{Failure, Root, redacted, roots};
use crate::ports::{FileError, FileState};
use crate::{Engine, parallel, secrets};

/// A larger file is no item.
pub(super) const BYTES_MAX: u64 = 1 << 20;

/// A file that was changed so shortly before it was read may change again within one tick of its
/// clock, so it is read again.
const TICK_NANOS: i64 = 100_000_000;

/// So many characters of an item's text are searched word by word.
const SEARCHED_CHARS_MAX: usize = 8_000;

/// So many sets of rules are kept, for callers who see different items.
const RULE_SETS_MAX: usize = 4;

/// An item, and where it comes from.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The item, without secrets: what is told and shown.
    pub item: Arc<Item>,
    /// The item as its rules are checked: patterns stand in it to the letter.
    pub(super) checked: Arc<Item>,
    /// How many secrets were taken out of it.
    pub(super) secrets: usize,
    /// The number of its folder among the caller's.
    pub root: usize,
    /// Its file below the folder.
    pub path: String,
    /// When its file was changed, in nanoseconds since 1970.
    pub modified: i64,
    /// The hash of what a sync looks at.
    pub hash: ContentHash,
    /// The hash of the text that may not change once it is accepted.
    pub seal: ContentHash,
    /// What of it cannot be followed.
    pub flaws: Arc<[Flawed]>,
    vector: Arc<OnceLock<Option<Quantised>>>,
}

/// All items of some folders at one moment.
#[derive(Debug)]
pub struct Catalogue {
    /// The folders.
    pub roots: Vec<Root>,
    /// The items: by folder, wider layers first, then by path. The first of an id that somebody sees
    /// has it, for them.
    pub entries: Vec<Entry>,
    /// What failed, in the same order.
    pub failures: Vec<Failure>,
    by_id: HashMap<String, Vec<usize>>,
    index: OnceLock<Index>,
    rules: Mutex<Vec<(Vec<usize>, Arc<RuleSet>)>>,
}

/// What was read of a file.
#[derive(Debug)]
enum Leaf {
    /// An item.
    Item(Box<Entry>),
    /// Nothing of ours.
    Nothing,
    /// A file that cannot be read, and why.
    Failed(String),
}

/// What was read of a file, and when.
#[derive(Debug)]
struct Shelved {
    state: FileState,
    /// Whether it may have changed again within a tick of its clock.
    is_young: bool,
    leaf: Arc<Leaf>,
}

/// What is known of a folder.
#[derive(Debug, Default)]
struct Shelf {
    /// Its files as they were seen, in the order they were seen in.
    seen: Vec<(String, FileState)>,
    /// What they say, by path.
    leaves: BTreeMap<String, Shelved>,
    /// Whether one of them was young when it was read.
    is_young: bool,
}

/// What is known of all folders that were looked at.
#[derive(Debug, Default)]
pub(crate) struct Library(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    shelves: HashMap<PathBuf, Shelf>,
    catalogues: Vec<Arc<Catalogue>>,
}

/// So many catalogues are kept: callers work in different projects.
const CATALOGUES_MAX: usize = 8;

impl Library {
    /// The caller's items as they are now.
    pub(crate) fn look(engine: &Engine, caller: &Caller) -> Arc<Catalogue> {
        let roots = roots(engine, caller);
        let mut known = engine.library.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { shelves, catalogues } = &mut *known;
        let mut is_changed = false;
        for root in &roots {
            let shelf = shelves.entry(root.dir.clone()).or_default();
            is_changed |= shelf.look(engine, root);
        }
        if is_changed {
            catalogues.clear();
        }
        if let Some(known) = catalogues.iter().find(|catalogue| catalogue.roots == roots) {
            return Arc::clone(known);
        }
        let shelves: Vec<&Shelf> = roots.iter().filter_map(|root| shelves.get(&root.dir)).collect();
        let catalogue = Arc::new(Catalogue::of(roots, &shelves));
        catalogues.truncate(CATALOGUES_MAX - 1);
        // The newest first, so that the oldest goes.
        catalogues.insert(0, Arc::clone(&catalogue));
        catalogue
    }
}

impl Shelf {
    /// Brings it up to date; whether anything changed.
    fn look(&mut self, engine: &Engine, root: &Root) -> bool {
        let seen = engine.files.scan(&root.dir, ".md");
        if seen == self.seen && !self.is_young {
            return false;
        }
        let now = i64::try_from(engine.clock.now().as_nanosecond()).unwrap_or(i64::MAX);
        let is_young = |state: FileState| now.saturating_sub(state.modified) < TICK_NANOS;
        let unread: Vec<(String, FileState)> = seen
            .iter()
            .filter(|(path, state)| {
                let is_known = |known: &Shelved| known.state == *state && !known.is_young;
                !self.leaves.get(path).is_some_and(is_known)
            })
            .cloned()
            .collect();
        let before = self.leaves.len();
        let paths: HashSet<&str> = seen.iter().map(|(path, _)| path.as_str()).collect();
        self.leaves.retain(|path, _| paths.contains(path.as_str()));
        let mut is_changed = self.leaves.len() != before;
        let leaves = parallel::map(&unread, |(path, state)| read(engine, root, path, *state));
        for ((path, state), leaf) in unread.into_iter().zip(leaves) {
            let was = self.leaves.get(&path).map(|known| Arc::clone(&known.leaf));
            let same = was.filter(|was| was.is_same(&leaf));
            is_changed |= same.is_none();
            let leaf = same.unwrap_or_else(|| Arc::new(leaf));
            self.leaves.insert(path, Shelved { state, is_young: is_young(state), leaf });
        }
        self.is_young = self.leaves.values().any(|known| known.is_young);
        self.seen = seen;
        is_changed
    }
}

fn read(engine: &Engine, root: &Root, path: &str, state: FileState) -> Leaf {
    let bytes = match engine.files.read(&root.dir.join(path), BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(FileError::NotFound) => return Leaf::Nothing,
        Err(FileError::Unreadable(why)) => return Leaf::Failed(why),
    };
    if let Some(flaw) = Flaw::of_bytes(&bytes) {
        return Leaf::Failed(flaw.to_string());
    }
    let text = String::from_utf8_lossy(&bytes);
    let read = item::read(path, root.layer, &text);
    let misnamed = read.iter().flatten().find_map(|item| misnamed(engine, path, item));
    if let Some(why) = misnamed {
        return Leaf::Failed(why);
    }
    match read {
        Ok(None) => Leaf::Nothing,
        Ok(Some(item)) => Leaf::Item(Box::new(entry(engine, path, state, item))),
        Err(flaws) => {
            let told: Vec<String> = flaws.iter().map(ToString::to_string).collect();
            Leaf::Failed(told.join("; "))
        }
    }
}

fn entry(engine: &Engine, path: &str, state: FileState, mut item: Item) -> Entry {
    let (hash, seal, mut flaws) = (hash(&item), seal(&item), rules::flaws(&item));
    for flaw in &mut flaws {
        redacted::flaw(engine.secrets, flaw);
    }
    let texts = redacted::texts(engine.secrets, &mut item);
    let checked = Arc::new(item);
    let mut told = Arc::clone(&checked);
    let patterns = redacted::patterns(engine.secrets, &mut told);
    Entry {
        item: told,
        checked,
        secrets: texts + patterns,
        root: 0,
        path: path.to_owned(),
        modified: state.modified,
        hash,
        seal,
        flaws: flaws.into(),
        vector: Arc::default(),
    }
}

/// Why an item of this name cannot be kept: it is known by it, so that nothing can be taken out.
fn misnamed(engine: &Engine, path: &str, item: &Item) -> Option<String> {
    let kind = |text: &str| secrets::kind(engine.secrets, text);
    let kind = kind(path).or_else(|| kind(&item.id))?;
    Some(format!("its name or its id holds what looks like a secret ({kind}); give it another"))
}

impl Leaf {
    /// Whether a file that was read again says the same.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Item(one), Self::Item(other)) => {
                one.checked == other.checked && one.modified == other.modified
            }
            (Self::Nothing, Self::Nothing) => true,
            (Self::Failed(one), Self::Failed(other)) => one == other,
            _ => false,
        }
    }
}

/// The hash of what a sync looks at: what is told of an item, what it asks, and where it stands.
fn hash(item: &Item) -> ContentHash {
    let mut hash = told(item);
    let tags = item.tags.join("\n");
    for text in
        [item.status.name(), item.kind.name(), item.layer.name(), item.severity.name(), &tags]
    {
        add(&mut hash, text);
    }
    ContentHash(hash.finalize().into())
}

/// The hash of the text that may not change once it is accepted.
pub(super) fn seal(item: &Item) -> ContentHash {
    ContentHash(told(item).finalize().into())
}

fn told(item: &Item) -> Sha256 {
    let mut hash = Sha256::new();
    for text in [&item.title, &item.summary, &item.content] {
        add(&mut hash, text);
    }
    for constraint in &item.constraints {
        add(&mut hash, constraint.operator.name());
        add(&mut hash, constraint.target.name());
        add(&mut hash, &constraint.pattern);
        add(&mut hash, &constraint.applies_to.join("\n"));
        add(&mut hash, item.severity_of(constraint).name());
        add(&mut hash, constraint.message.as_deref().unwrap_or_default());
    }
    hash
}

/// Adds a text with its length, so that two texts are not taken for one.
fn add(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

impl Catalogue {
    fn of(roots: Vec<Root>, shelves: &[&Shelf]) -> Self {
        let (mut entries, mut failures) = (Vec::new(), Vec::new());
        for (root, shelf) in shelves.iter().enumerate() {
            for (path, Shelved { leaf, .. }) in &shelf.leaves {
                match &**leaf {
                    Leaf::Nothing => {}
                    Leaf::Item(entry) => entries.push(Entry { root, ..(**entry).clone() }),
                    Leaf::Failed(why) => {
                        let (path, why) = (path.clone(), why.clone());
                        failures.push(Failure {
                            root,
                            path,
                            why,
                            item: None,
                            entry: None,
                            rival: None,
                        });
                    }
                }
            }
        }
        // Wider layers first, so that nothing of a project takes the id of what binds the company.
        let width = |layer: Layer| KNOWLEDGE_LAYERS.iter().position(|one| *one == layer);
        entries.sort_by(|one, other| {
            let key = |entry: &Entry| (entry.root, width(entry.item.layer));
            key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
        });
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let firsts = by_id.entry(entry.item.id.clone()).or_default();
            let second = |first: &usize| entry.second_to(at, &entries[*first], *first);
            failures.extend(firsts.iter().map(second));
            failures.extend(entry.flaws.iter().map(|flaw| entry.flawed(at, flaw)));
            // Who sees one item of an owner sees all of them, so the first of each will do.
            if !firsts.iter().any(|first| entry.is_beside(&entries[*first])) {
                firsts.push(at);
            }
        }
        failures.sort_by(|one, other| (one.root, &one.path).cmp(&(other.root, &other.path)));
        let (index, rules) = (OnceLock::new(), Mutex::default());
        Self { roots, entries, failures, by_id, index, rules }
    }

    /// The number of the item with this id, if the caller may see one.
    fn place(&self, caller: &Caller, id: &str) -> Option<usize> {
        let firsts = self.by_id.get(id)?;
        firsts.iter().copied().find(|at| self.entries[*at].is_open(caller))
    }

    /// The item with this id, if the caller may see it.
    pub fn find(&self, caller: &Caller, id: &str) -> Option<&Entry> {
        self.entries.get(self.place(caller, id)?)
    }

    /// Whether any item has this id, whoever may see it.
    pub(super) fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The first item with this id, whoever may see it.
    pub(super) fn of_id(&self, id: &str) -> Option<&Item> {
        let first = self.by_id.get(id).and_then(|firsts| firsts.first())?;
        self.entries.get(*first).map(|entry| &*entry.item)
    }

    /// The items that the caller may see.
    pub fn open(&self, caller: &Caller) -> impl Iterator<Item = (usize, &Entry)> {
        let has_id = |at: usize, entry: &Entry| {
            entry.is_open(caller) && self.place(caller, &entry.item.id) == Some(at)
        };
        self.entries.iter().enumerate().filter(move |(at, entry)| has_id(*at, entry))
    }

    /// The rules of these items, compiled once.
    pub(super) fn rules(&self, chosen: Vec<usize>) -> Arc<RuleSet> {
        let known = |sets: &Vec<(Vec<usize>, Arc<RuleSet>)>| {
            sets.iter().find(|(items, _)| *items == chosen).map(|(_, rules)| Arc::clone(rules))
        };
        let mut sets = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known(&sets) {
            return rules;
        }
        let items = chosen.iter().map(|at| Arc::clone(&self.entries[*at].checked)).collect();
        let rules = Arc::new(RuleSet::compile(items));
        sets.truncate(RULE_SETS_MAX - 1);
        sets.insert(0, (chosen, Arc::clone(&rules)));
        rules
    }

    /// The place of an item's owner. In the index a text's neighbours are those of its place, so that
    /// nobody's items stand between another's.
    pub(super) fn scope(&self, entry: &Entry) -> Scope {
        let project = self.roots[entry.root].project.as_deref();
        pointer_scope(entry.item.layer, project, entry.item.owner.as_deref())
    }

    /// What searches look at; an item's key is its number.
    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::new(DIMENSIONS);
            let mut intake = index.intake();
            for (at, entry) in self.entries.iter().enumerate() {
                let scope = self.scope(entry);
                let (text, vector) = (entry.searched(), entry.vector());
                let key = i64::try_from(at).unwrap_or(i64::MAX);
                intake.put(&rank::index::Entry {
                    key,
                    subject: Subject::Memory(model::MemoryId::from_random(number(at))),
                    scope: &scope,
                    archived: false,
                    tags: &[],
                    hash: crate::memory::hash(&text),
                    text: &text,
                    created: key,
                    thread: None,
                    vector,
                });
            }
            intake.finish();
            index
        })
    }
}

fn number(at: usize) -> [u8; 16] {
    (at as u128).to_be_bytes()
}

impl Entry {
    /// Whether it is of the same owner as the other, so that whoever sees one sees both.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.item.layer == other.item.layer && self.item.owner == other.item.owner
    }

    /// That another item, of this number, has the id of this one, which is `at`.
    fn second_to(&self, at: usize, first: &Self, number: usize) -> Failure {
        let (id, path) = (&self.item.id, &first.path);
        let why = format!("`id` {id:?} is that of {path} already; it should be its own");
        let (root, path, rival) = (self.root, self.path.clone(), Some(number));
        Failure { root, path, why, item: None, entry: Some(at), rival }
    }

    /// What of it, which is `at`, cannot be followed.
    fn flawed(&self, at: usize, flaw: &Flawed) -> Failure {
        let why = format!("line {}: {}", flaw.line, flaw.why);
        let (path, item) = (self.path.clone(), Some(self.item.id.clone()));
        Failure { root: self.root, path, why, item, entry: Some(at), rival: None }
    }

    /// Whether the caller may see it.
    pub fn is_open(&self, caller: &Caller) -> bool {
        caller.identity.knows(self.item.layer, self.item.owner.as_deref())
    }

    /// Whether it is something whose text may not change any more.
    pub(super) fn is_sealed(&self) -> bool {
        self.item.kind == ItemKind::Adr && self.item.status == ItemStatus::Accepted
    }

    fn searched(&self) -> String {
        let Item { id, title, summary, tags, content, .. } = &*self.item;
        let content = content
            .char_indices()
            .nth(SEARCHED_CHARS_MAX)
            .map_or(&content[..], |(end, _)| &content[..end]);
        format!("{title}\n{summary}\n{}\n{content}\n{id}", tags.join(" "))
    }

    /// By title and summary: what a text means as a whole is lost in a long one.
    fn vector(&self) -> Option<&Quantised> {
        let embed = || {
            let text = format!("{}\n{}", self.item.title, self.item.summary);
            StaticEmbedder::built_in().embed(&text).as_ref().map(Quantised::of)
        };
        self.vector.get_or_init(embed).as_ref()
    }
}
