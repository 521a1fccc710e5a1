//! What becomes of one file.

use std::collections::HashSet;

use model::{
    Caller, Change, ContentHash, Guard, IndexedMemory, Memory, MemoryId, Op, Scope, TrustLevel,
};

use super::redact;
use super::settle::{self, Settled};
use super::{Incoming, IncomingMemory, Options, Report, Skipped, Source};
use crate::document::{self, Told};
use crate::fact::{self, Thing};
use crate::memory::{DECISIONS_MAX, closed, hash};
use crate::scope::opened;
use crate::{Engine, Error, ErrorKind, Result, record};

/// Takes in what a file of another system holds, all of it or nothing: what is known already stays, what
/// was brought before and nobody changed here since is brought up to date. `tell` hears how many things
/// are decided on.
pub fn take_in(
    engine: &Engine,
    caller: &Caller,
    source: &Source,
    options: &Options,
    tell: &mut dyn FnMut(usize),
) -> Result<Report> {
    let scope = caller.identity.scope(options.layer).ok_or_else(|| closed(options.layer))?;
    opened(caller, &options.documents)?;
    let (source, found) = redact::redacted(engine.secrets, source);
    let source = &source;
    // What others kept is no person's word, whoever brings it.
    let actor = engine.actor().no_more_than(TrustLevel::Agent).bringing(&source.told);
    let engine = &engine.acting(actor);
    for _ in 0..DECISIONS_MAX {
        let mut draft = Draft::new(engine, caller, source, options, &scope);
        draft.decide(tell)?;
        draft.report.secrets = found;
        if options.dry_run {
            return Ok(draft.report);
        }
        let Draft { change, report, records, .. } = draft;
        if !change.ops.is_empty() && !engine.apply_texts(change)?.is_done() {
            continue;
        }
        if !records.is_empty() {
            record::take(engine, caller, &records, &format!("Import from {}", source.format))?;
        }
        return Ok(report);
    }
    let why = format!("{}: the store is being changed by others; try again", source.file);
    Err(Error::new(ErrorKind::Conflict, why))
}

/// A file that is being decided on.
struct Draft<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    source: &'a Source,
    options: &'a Options,
    scope: &'a Scope,
    change: Change,
    report: Report,
    texts: HashSet<ContentHash>,
    ids: HashSet<MemoryId>,
    records: Vec<model::Record>,
}

impl<'a> Draft<'a> {
    fn new(
        engine: &'a Engine,
        caller: &'a Caller,
        source: &'a Source,
        options: &'a Options,
        scope: &'a Scope,
    ) -> Self {
        let report = Report { skipped: source.skipped.clone(), ..Report::default() };
        Self {
            engine,
            caller,
            source,
            options,
            scope,
            change: Change::default(),
            report,
            texts: HashSet::new(),
            ids: HashSet::new(),
            records: Vec::new(),
        }
    }

    fn decide(&mut self, tell: &mut dyn FnMut(usize)) -> Result<()> {
        for (incoming, at) in self.source.incoming.iter().zip(1..) {
            match incoming {
                Incoming::Memory(memory) => self.memory(memory)?,
                Incoming::Document { path, text, modified } => {
                    let scope = &self.options.documents;
                    self.document(&Told { scope, path, text, modified: *modified })?;
                }
                Incoming::Decision { place, record } => self.decision(place, record)?,
                Incoming::Thing { .. } | Incoming::Link { .. } => {}
            }
            tell(at);
        }
        self.facts()
    }

    fn memory(&mut self, incoming: &IncomingMemory) -> Result<()> {
        let settled = match settle::settle(self.source.format, self.scope, incoming) {
            Ok(settled) => settled,
            Err(why) => return self.skip(&incoming.place, why),
        };
        let now = self.engine.clock.now();
        let new = settled.memory(self.scope, incoming, self.engine.actor(), now);
        if !self.ids.insert(new.id) {
            self.report.unchanged += 1;
            return Ok(());
        }
        match self.engine.store.find_memory(new.id)? {
            Some(known) => self.again(&settled, known, new, &incoming.place),
            None => self.first(new),
        }
    }

    /// It has not come from there before.
    fn first(&mut self, new: Memory) -> Result<()> {
        let hash = hash(&new.content);
        let is_known = !new.archived
            && (!self.texts.insert(hash)
                || self.engine.store.known_text(self.scope, &hash)?.is_some());
        if is_known {
            self.report.unchanged += 1;
            return Ok(());
        }
        if !new.archived {
            let (scope, content) = (self.scope.clone(), None);
            self.change.guards.push(Guard::Unknown { scope, hash, content });
        }
        self.report.new += 1;
        let indexed = self.indexed(new, hash);
        self.change.ops.push(Op::Insert(indexed));
        Ok(())
    }

    /// It came from there before.
    fn again(&mut self, settled: &Settled, known: Memory, new: Memory, place: &str) -> Result<()> {
        let was = settle::imported_hash(&known);
        if was.as_deref() == Some(settled.hash.as_str()) {
            self.report.unchanged += 1;
            return Ok(());
        }
        if was != Some(settle::hash_of(&known)) {
            return self.skip(place, "it was changed here since it was imported, and stays so");
        }
        let (id, revision) = (known.id, known.revision);
        self.change.guards.push(Guard::Unchanged { id, revision });
        let from = if new.provenance.level < known.provenance.level { &new } else { &known };
        let (provenance, mut metadata) = (from.provenance.clone(), known.metadata.clone());
        metadata.extend(new.metadata);
        let Memory { content, kind, category, tags, importance, updated_at, .. } = new;
        let changed = Memory {
            content,
            kind,
            category,
            tags,
            importance,
            updated_at,
            metadata,
            provenance,
            ..known
        };
        let hash = hash(&changed.content);
        self.texts.insert(hash);
        self.report.updated += 1;
        let indexed = self.indexed(changed, hash);
        self.change.ops.push(Op::Replace(indexed));
        Ok(())
    }

    fn indexed(&self, memory: Memory, hash: ContentHash) -> Box<IndexedMemory> {
        let dry = self.options.dry_run;
        let vectors = match dry {
            true => Vec::new(),
            false => self.engine.embedders.vectors(&memory.content),
        };
        Box::new(IndexedMemory { memory, hash, vectors })
    }

    fn document(&mut self, told: &Told<'_>) -> Result<()> {
        let known = self.engine.store.document(told.scope, told.path)?;
        if known.as_ref().is_some_and(|known| known.hash == told.hash()) {
            self.report.unchanged += 1;
            return Ok(());
        }
        if !self.options.dry_run {
            match document::told(self.engine, told) {
                Ok(new) => self.change.ops.push(Op::PutDocument(Box::new(new))),
                Err(why) => return self.skip(told.path, why),
            }
        }
        match known {
            Some(_) => self.report.updated += 1,
            None => self.report.new += 1,
        }
        Ok(())
    }

    fn decision(&mut self, place: &str, new: &model::Record) -> Result<()> {
        match self.engine.store.record(new.id)? {
            None => self.report.new += 1,
            Some(known) if known.record.namespace != new.namespace => {
                let other = known.record.namespace.as_str();
                let why = format!("record {} is there already, in namespace {other}", new.id);
                return self.skip(place, why);
            }
            Some(known) if new.updated_at > known.record.updated_at => self.report.updated += 1,
            Some(_) => {
                self.report.unchanged += 1;
                return Ok(());
            }
        }
        self.records.push(new.clone());
        Ok(())
    }

    /// All facts of the file, decided on together.
    fn facts(&mut self) -> Result<()> {
        let (mut things, mut links, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for incoming in &self.source.incoming {
            if let Incoming::Thing { place, name, kind, summary } = incoming {
                let (kind, summary) = (kind.as_deref(), summary.as_deref());
                things.push(Thing { name, kind, summary });
                places.push(place);
            }
        }
        for incoming in &self.source.incoming {
            if let Incoming::Link { place, link: [from, relation, to] } = incoming {
                links.push([from.as_str(), relation.as_str(), to.as_str()]);
                places.push(place);
            }
        }
        if places.is_empty() {
            return Ok(());
        }
        let plan = fact::plan(self.engine, self.caller, &things, &links)?;
        self.report.new += plan.new;
        self.report.updated += plan.changed;
        let told = places.len() - plan.refused.len();
        self.report.unchanged += told.saturating_sub(plan.new + plan.changed);
        for (at, why) in plan.refused {
            self.skip(places.get(at).map_or("", |place| place.as_str()), why)?;
        }
        self.change.guards.extend(plan.change.guards);
        self.change.ops.extend(plan.change.ops);
        Ok(())
    }

    fn skip(&mut self, place: &str, why: impl Into<String>) -> Result<()> {
        self.report.skipped.push(Skipped { place: place.to_owned(), why: why.into() });
        Ok(())
    }
}
