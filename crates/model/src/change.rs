//! A write as a value.
//!
//! A verb reads, decides, and hands down one [`Change`]; the store looks at its guards and carries
//! out its operations in one transaction. A guard that does not hold any more (another process was
//! faster) refuses the whole change, and the verb decides again.

use crate::candidate::{CandidateState, NewCandidate};
use crate::document::IndexedDocument;
use crate::edge::{NewEdge, Relation};
use crate::episode::{Episode, EpisodeId};
use crate::event::NewEvent;
use crate::fact::{IndexedEntity, IndexedLink};
use crate::id::{ChunkId, ContentHash, MemoryId};
use crate::knowledge::ItemKind;
use crate::memory::{Kind, Memory, Origin};
use crate::provenance::{Provenance, Verdict};
use crate::record::{Draft, Namespace, Record, RecordId, RecordKind};
use crate::scope::{Layer, Scope};
use crate::time::Timestamp;

/// What must still hold, and what is then done: all of it or nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Change {
    /// What must hold when the change is applied.
    pub guards: Vec<Guard>,
    /// What is done, in order.
    pub ops: Vec<Op>,
}

impl Change {
    /// A change without conditions.
    pub fn of(op: Op) -> Self {
        Self { guards: Vec::new(), ops: vec![op] }
    }

    /// Whether a power cut may take this change back although it was acknowledged: true only of
    /// marks of what was read and asked, and of what git knows too.
    pub fn may_be_lost(&self) -> bool {
        let may_be_lost = |op: &Op| {
            matches!(
                op,
                Op::Touch { .. }
                    | Op::SettleTouches
                    | Op::NoteQueries(_)
                    | Op::MarkCommitted { .. }
                    | Op::TimeSync { .. }
                    | Op::Settle { .. }
            )
        };
        self.ops.iter().all(may_be_lost)
    }
}

/// A memory with what its search needs, worked out before the transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedMemory {
    /// The memory.
    pub memory: Memory,
    /// The hash of its text.
    pub hash: ContentHash,
    /// The vectors of its text, at most one a model.
    pub vectors: Vec<StoredVector>,
}

/// A text's vector as the store keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// The id of the model that made it.
    pub model: String,
    /// The vector, in the form the ranking reads; empty if the model had nothing to say of the text.
    pub code: Vec<u8>,
}

/// What must hold for a change to be applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Guard {
    /// The memory is still there and unchanged since it was read.
    Unchanged {
        /// Which memory.
        id: MemoryId,
        /// The revision it was read at.
        revision: u64,
    },
    /// No memory with this text is there that is not archived.
    Unknown {
        /// Where.
        scope: Scope,
        /// Which text, by its hash: white space at its ends does not count.
        hash: ContentHash,
        /// The text to the letter, where that counts.
        content: Option<String>,
    },
    /// There is room for one more.
    Room {
        /// What is counted.
        quota: Quota,
        /// How many there may be.
        limit: u64,
    },
    /// No such edge is there between the two, in neither direction.
    Unrelated {
        /// The one.
        one: MemoryId,
        /// The other.
        other: MemoryId,
        /// What the edge would say.
        relation: Relation,
    },
    /// The record is still there and unchanged since it was read.
    RecordUnchanged {
        /// Which record.
        id: RecordId,
        /// The revision it was read at.
        revision: u64,
    },
    /// No active record of this kind has this title.
    Untitled {
        /// Where.
        namespace: Namespace,
        /// Of which kind.
        kind: RecordKind,
        /// Which title, in any spelling.
        title: String,
    },
    /// Nobody has synced knowledge meanwhile.
    Syncs(u64),
    /// The entity is unchanged since it was read; none if there was none.
    Entity {
        /// Whose it is.
        scope: Scope,
        /// Its name.
        name: String,
        /// The revision it was read at.
        revision: Option<u64>,
    },
    /// Whether such a link is open is as it was read.
    LinkIsOpen {
        /// Whose it is.
        scope: Scope,
        /// Its ends and what it says: from, relation, to.
        link: [String; 3],
        /// What was read.
        is_open: bool,
    },
}

/// A set of memories that is counted: by door, place and kind, archived ones aside.
#[derive(Debug, Clone, PartialEq)]
pub struct Quota {
    /// The door.
    pub origin: Origin,
    /// The place.
    pub scope: Scope,
    /// The kinds that count together.
    pub kinds: Vec<Kind>,
}

/// One thing done to the store.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Adds a memory.
    Insert(Box<IndexedMemory>),
    /// Puts a memory in the place of the one with its id; the revision counts on by itself.
    Replace(Box<IndexedMemory>),
    /// Deletes a memory.
    Delete(MemoryId),
    /// Says how sure we are of a memory from now on, and what kind it therefore is.
    Rate {
        /// Which memory.
        id: MemoryId,
        /// What it is about.
        kind: Kind,
        /// How sure we are of it.
        confidence: f64,
        /// When that was found out.
        at: Timestamp,
    },
    /// Says when the confidence of a memory was last found out, elsewhere.
    MarkValidated {
        /// Which memory.
        id: MemoryId,
        /// When that was.
        at: Timestamp,
    },
    /// Says how much a memory matters from now on.
    Weigh {
        /// Which memory.
        id: MemoryId,
        /// How much it matters.
        importance: f64,
    },
    /// Keeps what became of a memory.
    Record(NewEvent),
    /// Draws an edge, or gives the one that is there a new weight.
    Relate(NewEdge),
    /// Deletes the edges with these numbers.
    Unrelate(Vec<i64>),
    /// Notes that these were read. It shows once the notes are settled, so that the pages of one
    /// walk through a list neither repeat nor skip.
    Touch {
        /// What was read.
        ids: Vec<MemoryId>,
        /// When.
        at: Timestamp,
    },
    /// Adds the noted readings to the memories' counts.
    SettleTouches,
    /// Notes what was asked; beyond a number of them, the oldest of the same place give way.
    NoteQueries(Vec<NotedQuery>),
    /// Puts a document in the place of the one with its path, with all its chunks.
    PutDocument(Box<IndexedDocument>),
    /// Deletes documents with all their chunks; those that are not there are gone already.
    DeleteDocuments {
        /// Where they lie.
        scope: Scope,
        /// Their paths.
        paths: Vec<String>,
    },
    /// Deletes chunks; those that are not there are gone already.
    DeleteChunks(Vec<ChunkId>),
    /// Adds a model's vectors to texts that are still as they were.
    PutVectors {
        /// The model.
        model: String,
        /// Which text, by its number in the store, at which hash, and its vector's code.
        codes: Vec<(i64, ContentHash, Vec<u8>)>,
    },
    /// From now on the model's vectors are all there and may be searched.
    Complete {
        /// The model.
        model: String,
        /// What its cosines weigh, as the ranking writes it.
        calibration: String,
    },
    /// Archives the least recently read of a quota until no more than `keep` are left.
    ArchiveBeyond {
        /// What is counted.
        quota: Quota,
        /// How many stay.
        keep: u64,
        /// When.
        at: Timestamp,
    },
    /// Puts a record in, in place of the one with its id; the revision counts on by itself.
    PutRecord(Box<IndexedRecord>),
    /// Deletes a record; one that is not there is gone already.
    DeleteRecord(RecordId),
    /// Keeps what happened, with its links.
    Happen(Box<Episode>),
    /// Links what happened with more records.
    Link {
        /// What happened.
        episode: EpisodeId,
        /// The records.
        records: Vec<RecordId>,
    },
    /// Drops the oldest episodes that no record is linked with.
    Expire {
        /// Those from before this.
        before: Timestamp,
        /// How many at the most.
        max: u64,
    },
    /// Keeps a commit that is to be made.
    Enqueue(Box<Draft>),
    /// Which commits of the queue were made, and the newest commit that the view tells of.
    MarkCommitted {
        /// What happened, and the commit's id; none if it turned out that it was not made.
        commits: Vec<(EpisodeId, Option<String>)>,
        /// The newest commit.
        head: String,
    },
    /// What was marked as committed up to here lies safe in git and leaves the queue.
    Settle {
        /// The last one's number in the queue.
        up_to: i64,
        /// The newest commit that lies safe.
        head: String,
    },
    /// Keeps what an item was like when it was synced.
    PutItem(Box<SyncedItem>),
    /// Forgets an item and deletes the memory that points to it, if it is there.
    DropItem {
        /// Its folder.
        root: String,
        /// Its id.
        id: String,
    },
    /// What the sync of a folder could not take, in place of what it could not take before.
    PutFailures {
        /// The folder.
        root: String,
        /// Paths below it, and why.
        failures: Vec<(String, String)>,
    },
    /// Counts a sync.
    CountSync {
        /// When it was.
        at: Timestamp,
        /// How many items it took.
        items: u64,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// Puts an entity in, in place of the one with its name; the revision counts on by itself.
    PutEntity(Box<IndexedEntity>),
    /// Deletes an entity with all its links and the memories of both.
    DeleteEntity {
        /// Whose it is.
        scope: Scope,
        /// Its name.
        name: String,
        /// The memory that goes with it.
        mirror: MemoryId,
    },
    /// Adds a link between entities that are there.
    PutLink(Box<IndexedLink>),
    /// Ends an open link; its memory is archived.
    CloseLink {
        /// Whose it is.
        scope: Scope,
        /// Its ends and what it says: from, relation, to.
        link: [String; 3],
        /// Until when it was true.
        at: Timestamp,
    },
    /// Keeps a sentence that may be worth keeping, unless it was there before.
    Suggest(Box<NewCandidate>),
    /// Says what became of a candidate that waits.
    Decide {
        /// Its number.
        candidate: i64,
        /// What became of it.
        state: CandidateState,
        /// When.
        at: Timestamp,
    },
    /// Keeps what a person said of a text, in place of what was said of it before.
    Judge(Box<Verdict>),
    /// Adds how long a sync took, once that is known.
    TimeSync {
        /// In microseconds.
        micros: u64,
    },
}

/// An item as it was synced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncedItem {
    /// The folder it lies in.
    pub root: String,
    /// Its file below the folder.
    pub path: String,
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: ItemKind,
    /// Its layer.
    pub layer: Layer,
    /// Its owner.
    pub owner: Option<String>,
    /// The hash of content, constraints and status.
    pub hash: ContentHash,
    /// The hash of the text that was accepted, where that may not change.
    pub seal: Option<ContentHash>,
    /// The memory that points to it.
    pub pointer: MemoryId,
}

/// A record with what its search needs, worked out before the transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedRecord {
    /// The record.
    pub record: Record,
    /// Its file below the ledger's directory.
    pub path: String,
    /// The git id of its file's content.
    pub blob: String,
    /// Where what it says comes from. The file does not tell: whoever writes it could say anything.
    pub provenance: Provenance,
    /// The hash of what is searched of it.
    pub hash: ContentHash,
    /// The vectors of that, at most one a model.
    pub vectors: Vec<StoredVector>,
}

/// A query that somebody asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedQuery {
    /// Whose it is.
    pub scope: Scope,
    /// In the words of who asked.
    pub text: String,
    /// When it was asked last.
    pub at: Timestamp,
    /// How often.
    pub times: u64,
}

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, and on disk.
    Applied,
    /// It is done, and on disk; the last edge or event it wrote has this number.
    Recorded(i64),
    /// The memory changed or went since it was read.
    Stale(MemoryId),
    /// A memory with this text is there already.
    Duplicate(MemoryId),
    /// Not every text has a vector of the model.
    Incomplete,
    /// The record changed or went since it was read.
    StaleRecord(RecordId),
    /// This record has that title already.
    Titled(RecordId),
    /// What was read of knowledge, of facts or of candidates changed meanwhile.
    Overtaken,
    /// There is no such episode (any more).
    NoEpisode(EpisodeId),
    /// There are `count` already, and the limit is reached.
    Full {
        /// How many there are.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
}

impl Outcome {
    /// Whether it is done.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Applied | Self::Recorded(_))
    }
}
