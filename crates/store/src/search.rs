//! Searching: an index in memory that is brought up to date before each answer.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use model::knowledge::pointer_place;
use model::{ContentHash, Identity, Layer, MemoryFilter, MemoryId, Noun, Scope, Subject};
use rank::calibrate::Calibration;
use rank::embed::{Embedding, MODEL_ID, Quantised};
use rank::index::{Ask, Candidate, Entry, Filter, Header, Index};
use rank::terms::QueryTerm;
use rusqlite::{Connection, Row, params_from_iter};

use crate::connection::replace_private_file;
use crate::error::{Result, StoreError, at};
use crate::filter::Where;
use crate::log::{self, Moment};
use crate::row::{json, memory_id, scope};
use crate::{Store, document, record, text, vector};

/// Reading every row takes its time.
const BUILD_TIME_MAX: Duration = Duration::from_secs(600);

/// An index smaller than this is read from the rows faster than from a snapshot's file.
const SNAPSHOT_ENTRIES_MIN: usize = 2_000;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// The model whose vectors are compared; none for words alone.
    pub model: Option<&'a str>,
    /// The query's terms.
    pub terms: &'a [QueryTerm],
    /// The query's vector, of that model.
    pub vector: Option<&'a Embedding>,
    /// The hash of the query's text.
    pub same: ContentHash,
    /// Among which memories; of documents, only the scopes count.
    pub filter: &'a MemoryFilter,
    /// Who looks, and in which layers, at memories beside those that point to knowledge; none for the
    /// filter's memories alone.
    pub pointers: Option<(&'a Identity, &'a [Layer])>,
    /// What kind of things are searched for.
    pub nouns: &'a [Noun],
    /// Only chunks of the documents of this path.
    pub path: Option<&'a str>,
    /// What the evidence weighs.
    pub calibration: &'a Calibration,
    /// How many hits are wanted.
    pub wanted: usize,
}

impl Search<'_> {
    /// Where is searched: the index tells where pointers lie, so that nobody has to be asked.
    fn scopes(&self, index: &Index) -> Cow<'_, [Scope]> {
        let own = &self.filter.scopes;
        let Some((identity, layers)) = self.pointers else { return own.into() };
        let is_open = |scope: &&Scope| {
            pointer_place(scope).is_some() && layers.contains(&scope.layer) && identity.sees(scope)
        };
        let mut pointers: Vec<Scope> = index.scopes().filter(is_open).cloned().collect();
        if pointers.is_empty() {
            return own.into();
        }
        pointers.sort();
        own.iter().cloned().chain(pointers).collect::<Vec<_>>().into()
    }
}

/// An index, and up to which moment of the store it goes.
#[derive(Debug)]
pub(crate) struct View {
    model: Option<String>,
    index: Index,
    /// None before anything was read.
    moment: Option<Moment>,
    /// Whether memories without a vector of the model may be among them.
    may_lack: AtomicBool,
    /// Up to which change a snapshot is on disk.
    saved: Option<i64>,
}

/// The views of a store, one for each model that is searched.
#[derive(Debug, Default)]
pub(crate) struct Views(RwLock<HashMap<Option<String>, Arc<RwLock<View>>>>);

impl Views {
    /// The view for a model, up to date or not.
    fn of(&self, model: Option<&str>) -> Arc<RwLock<View>> {
        let key = model.map(str::to_owned);
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        found.unwrap_or_else(|| {
            let mut views = self.0.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(
                views.entry(key).or_insert_with(|| Arc::new(RwLock::new(View::empty(model)))),
            )
        })
    }
}

impl Store {
    /// The candidates for a search, best first, as of now: what any process has had acknowledged is
    /// among them.
    pub fn search(&self, search: &Search<'_>) -> Result<Vec<Candidate>> {
        self.look(search, |index, ask| index.search(ask))
    }

    /// Looks at the index as a search does, and at one state of it.
    pub fn look<T>(
        &self,
        search: &Search<'_>,
        look: impl FnOnce(&Index, &Ask<'_>) -> T,
    ) -> Result<T> {
        let keys = self.keys(search)?;
        let view = self.followed(search.model)?;
        let view = view.read().unwrap_or_else(PoisonError::into_inner);
        let scopes = search.scopes(&view.index);
        let ask = Ask {
            terms: search.terms,
            vector: search.vector,
            same: search.same,
            filter: Filter {
                scopes: &scopes,
                nouns: search.nouns,
                archived: search.filter.archived,
                tags_any: &search.filter.tags_any,
                keys: keys.as_ref(),
            },
            calibration: search.calibration,
            wanted: search.wanted,
            english: search.model == Some(MODEL_ID),
        };
        Ok(look(&view.index, &ask))
    }

    /// The memories of a place that share the most terms with one just written, as of now: see
    /// [`Index::overlapping`].
    pub fn overlapping(
        &self,
        model: Option<&str>,
        scope: &Scope,
        terms: &[QueryTerm],
        written: MemoryId,
    ) -> Result<Vec<MemoryId>> {
        // There is a change, the one that made `written`, so nothing is gained by asking first.
        let view = self.views.of(model);
        self.follow(&view)?;
        let view = view.read().unwrap_or_else(PoisonError::into_inner);
        Ok(view.index.overlapping(scope, terms, written))
    }

    /// Forgets the indexes in memory and removes the snapshot, so that the next search reads the
    /// rows anew.
    pub fn drop_indexes(&self) -> Result<()> {
        if self.writer.is_none() {
            return Err(StoreError::ReadOnly);
        }
        self.views.0.write().unwrap_or_else(PoisonError::into_inner).clear();
        let path = snapshot_path(&self.path);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(&path)(error)),
            _ => Ok(()),
        }
    }

    /// Lets go of the indexes in memory without giving it back: for a process that ends now, whose
    /// memory goes as a whole.
    pub fn abandon_indexes(&self) {
        let mut views = self.views.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(&mut *views));
    }

    /// Brings the index for the model up to date.
    pub fn warm(&self, model: Option<&str>) -> Result<()> {
        self.followed(model).map(drop)
    }

    /// Whether a search has read memories without a vector of its model since this was asked before.
    pub fn may_lack_vectors(&self) -> bool {
        let views = self.views.0.read().unwrap_or_else(PoisonError::into_inner);
        let may_lack = |view: &Arc<RwLock<View>>| {
            let view = view.read().unwrap_or_else(PoisonError::into_inner);
            view.may_lack.swap(false, Ordering::Relaxed)
        };
        views.values().filter(|view| may_lack(view)).count() > 0
    }

    /// Whether anything was searched here yet.
    pub fn has_index(&self) -> bool {
        !self.views.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Drops the indexes of all models but this.
    pub fn keep_index_of(&self, model: Option<&str>) {
        let mut views = self.views.0.write().unwrap_or_else(PoisonError::into_inner);
        views.retain(|key, _| key.as_deref() == model);
    }

    /// Writes the index for the model to a file beside the database, if it is large and has changed
    /// much since that was done last. True if it did.
    pub fn save_index(&self, model: Option<&str>) -> Result<bool> {
        let view = self.views.of(model);
        let snapshot = view.read().unwrap_or_else(PoisonError::into_inner).snapshot();
        let Some((bytes, at)) = snapshot.filter(|_| self.writer.is_some()) else {
            return Ok(false);
        };
        replace_private_file(&snapshot_path(&self.path), &bytes)?;
        view.write().unwrap_or_else(PoisonError::into_inner).saved = Some(at);
        Ok(true)
    }

    /// What passes where only the database can tell; none if there is no such condition.
    fn keys(&self, search: &Search<'_>) -> Result<Option<HashSet<i64>>> {
        let filter = search.filter;
        if let Some(path) = search.path {
            let ids = filter.scopes.iter().map(|scope| self.chunk_ids(scope, path));
            let ids = ids.collect::<Result<Vec<_>>>()?.into_iter().flatten();
            return Ok(Some(ids.filter_map(document::key).collect()));
        }
        let plain = MemoryFilter {
            scopes: filter.scopes.clone(),
            archived: filter.archived,
            tags_any: filter.tags_any.clone(),
            ..MemoryFilter::default()
        };
        if *filter == plain {
            return Ok(None);
        }
        // Conditions on memories say nothing of documents: see [`Search::filter`].
        let Where { sql, values } = Where::of(filter);
        let sql = format!("SELECT m.seq FROM memory m WHERE {sql}");
        self.read(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let keys = statement.query_map(params_from_iter(values), |row| row.get(0))?;
            Ok(Some(keys.collect::<rusqlite::Result<_>>()?))
        })
    }

    /// The view for the model, up to date.
    fn followed(&self, model: Option<&str>) -> Result<Arc<RwLock<View>>> {
        let view = self.views.of(model);
        let latest = self.read(log::latest)?;
        if view.read().unwrap_or_else(PoisonError::into_inner).moment == Some(latest) {
            return Ok(view);
        }
        self.follow(&view)?;
        Ok(view)
    }

    /// Brings a view up to date.
    fn follow(&self, view: &RwLock<View>) -> Result<()> {
        let mut behind = view.write().unwrap_or_else(PoisonError::into_inner);
        if behind.moment.is_none() {
            behind.load(&snapshot_path(&self.path));
        }
        let unread = self.read_for(BUILD_TIME_MAX, |db| behind.follow(db))?;
        drop(behind);
        unread.iter().for_each(|why| self.leave_out(why));
        Ok(())
    }
}

impl View {
    fn empty(model: Option<&str>) -> Self {
        Self {
            model: model.map(str::to_owned),
            index: Index::new(0),
            moment: None,
            may_lack: AtomicBool::new(false),
            saved: None,
        }
    }

    /// Takes in what a snapshot beside the database holds, if it holds an index for this model.
    fn load(&mut self, path: &Path) {
        let Ok(bytes) = std::fs::read(path) else { return };
        let is_ours = |header: Header| header.model == self.model.as_deref().unwrap_or_default();
        if !Index::header(&bytes).is_some_and(is_ours) {
            return;
        }
        if let Some((index, Header { at, mark, .. })) = Index::from_bytes(&bytes) {
            self.index = index;
            self.moment = Some(Moment { at, mark });
            self.saved = Some(at);
            *self.may_lack.get_mut() = true;
        }
    }

    /// Its bytes and up to which change they go, if they should be written.
    fn snapshot(&self) -> Option<(Vec<u8>, i64)> {
        let Moment { at, mark } = self.moment?;
        let entries = self.index.len();
        let changes_max = entries as i64 / 8 + 1000;
        let is_due = self.saved.is_none_or(|saved| at - saved > changes_max);
        let model = self.model.clone().unwrap_or_default();
        (entries >= SNAPSHOT_ENTRIES_MIN && is_due)
            .then(|| (self.index.to_bytes(&Header { model, at, mark }), at))
    }

    /// Brings it to this state of the database: by what changed since, or by all there is. What is
    /// wrong with the first row that cannot be read, if there is one.
    fn follow(&mut self, db: &Connection) -> Result<Option<String>> {
        let name = self.model.as_deref();
        let found = name.map(|name| vector::find_model(db, name)).transpose()?.flatten();
        let (model, dimensions) = found.unwrap_or((0, 0));
        let is_fit = self.index.dimensions() == dimensions && !self.index.is_wasteful();
        let known = self.moment.take().filter(|_| is_fit);
        let unread = match known.map(|moment| log::since(db, moment)).transpose()?.flatten() {
            Some(changed) => self.read_changed(db, model, &changed)?,
            None => {
                self.index = Index::new(dimensions);
                self.saved = None;
                self.read_all(db, model)?
            }
        };
        self.moment = Some(log::latest(db)?);
        Ok(unread)
    }

    fn read_all(&mut self, db: &Connection, model: i64) -> Result<Option<String>> {
        let dimensions = self.index.dimensions();
        let (mut lacking, mut unread) = (false, None);
        let mut intake = self.index.intake();
        for entries in [MEMORIES, CHUNKS, RECORDS] {
            let mut statement = db.prepare(&format!("{entries} ORDER BY t.seq"))?;
            let mut rows = statement.query([model])?;
            while let Some(row) = rows.next()? {
                match Read::of(row, dimensions) {
                    Ok(read) => {
                        lacking |= read.lacks_vector;
                        intake.put(&read.entry());
                    }
                    Err(why) => {
                        unread.get_or_insert_with(|| told(row, &why));
                        let _ = row.get(0).map(|key| intake.remove(key));
                    }
                }
            }
        }
        intake.finish();
        self.note_lack(lacking);
        Ok(unread)
    }

    fn read_changed(
        &mut self,
        db: &Connection,
        model: i64,
        changed: &[i64],
    ) -> Result<Option<String>> {
        let mut memories = db.prepare_cached(&format!("{MEMORIES} WHERE t.seq = ?2"))?;
        let mut chunks = db.prepare_cached(&format!("{CHUNKS} WHERE t.seq = ?2"))?;
        let mut records = db.prepare_cached(&format!("{RECORDS} WHERE t.seq = ?2"))?;
        let dimensions = self.index.dimensions();
        let (mut lacking, mut unread) = (false, None);
        for seq in changed {
            let statement = match *seq {
                ..document::CHUNK_KEYS => &mut memories,
                document::CHUNK_KEYS..record::RECORD_KEYS => &mut chunks,
                record::RECORD_KEYS.. => &mut records,
            };
            let mut rows = statement.query([model, *seq])?;
            let Some(row) = rows.next()? else {
                self.index.remove(*seq);
                continue;
            };
            match Read::of(row, dimensions) {
                Ok(read) => {
                    lacking |= read.lacks_vector;
                    self.index.put(&read.entry());
                }
                Err(why) => {
                    unread.get_or_insert_with(|| told(row, &why));
                    self.index.remove(*seq);
                }
            }
        }
        self.note_lack(lacking);
        Ok(unread)
    }

    /// Notes that memories without a vector were read.
    fn note_lack(&mut self, lacking: bool) {
        if lacking && self.model.is_some() {
            *self.may_lack.get_mut() = true;
        }
    }
}

/// What is told of a row that cannot be read.
fn told(row: &Row<'_>, why: &rusqlite::Error) -> String {
    let name = match row.get(0) {
        Err(_) => "a row".to_owned(),
        Ok(key @ ..document::CHUNK_KEYS) => format!("memory number {key}"),
        Ok(key @ document::CHUNK_KEYS..record::RECORD_KEYS) => format!("chunk number {key}"),
        Ok(key @ record::RECORD_KEYS..) => format!("record number {key}"),
    };
    text::unreadable(&name, why)
}

/// A row, read. One that cannot be read must not cost the search of all others; it is told.
struct Read<'a> {
    key: i64,
    subject: Subject,
    scope: Scope,
    archived: bool,
    tags: Vec<String>,
    text: Cow<'a, str>,
    hash: ContentHash,
    created: i64,
    thread: Option<&'a str>,
    vector: Option<Quantised>,
    lacks_vector: bool,
}

impl<'a> Read<'a> {
    fn of(row: &'a Row<'_>, dimensions: usize) -> rusqlite::Result<Self> {
        let code = row.get_ref(1)?.as_blob_or_null()?;
        let key = row.get(0)?;
        let text = row.get_ref(7)?.as_str()?;
        let header = row.get_ref(11)?.as_str_or_null()?;
        Ok(Self {
            key,
            subject: match key {
                ..document::CHUNK_KEYS => Subject::Memory(memory_id(row, 5)?),
                document::CHUNK_KEYS..record::RECORD_KEYS => {
                    Subject::Chunk(document::chunk_id(key))
                }
                record::RECORD_KEYS.. => Subject::Record(record::record_id(row, 5)?),
            },
            scope: scope(row, 2)?,
            archived: row.get(6)?,
            tags: json(row, 4)?,
            text: header.map_or(text.into(), |header| format!("{header}\n{text}").into()),
            hash: ContentHash(row.get(8)?),
            created: row.get(9)?,
            thread: row.get_ref(10)?.as_str_or_null()?,
            vector: code.and_then(|code| Quantised::from_bytes(code, dimensions)),
            lacks_vector: code.is_none(),
        })
    }

    fn entry(&self) -> Entry<'_> {
        Entry {
            key: self.key,
            subject: self.subject,
            scope: &self.scope,
            archived: self.archived,
            tags: &self.tags,
            text: &self.text,
            hash: self.hash,
            created: self.created,
            thread: self.thread,
            vector: self.vector.as_ref(),
        }
    }
}

const MEMORIES: &str =
    "SELECT t.seq, v.code, s.layer, s.owner, t.tags, t.id, t.archived, t.content,
       t.hash, t.created_at, t.thread, NULL
     FROM memory t JOIN scope s ON s.id = t.scope
     LEFT JOIN vector v ON v.entry = t.seq AND v.model = ?1";

const CHUNKS: &str = "SELECT t.seq, v.code, s.layer, s.owner, '[]', NULL, 0, t.content,
       t.hash, d.indexed_at, d.path, t.header_path
     FROM chunk t JOIN document d ON d.id = t.document JOIN scope s ON s.id = d.scope
     LEFT JOIN vector v ON v.entry = t.seq AND v.model = ?1";

/// A record has no neighbours: what was decided next to it is another matter.
const RECORDS: &str = "SELECT t.seq, v.code, s.layer, s.owner, t.marks, t.id,
       t.status IN ('superseded', 'deprecated', 'rejected'), t.text,
       t.hash, t.created_at, t.path, NULL
     FROM record t JOIN scope s ON s.id = t.scope
     LEFT JOIN vector v ON v.entry = t.seq AND v.model = ?1";

/// Where the index of a database is kept.
pub(crate) fn snapshot_path(database: &Path) -> PathBuf {
    database.with_extension("index")
}
