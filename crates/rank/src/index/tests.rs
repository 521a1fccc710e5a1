//! The index as a whole: whatever was put in and taken out, it answers like one made anew.

use model::{ContentHash, Layer, MemoryId, Scope, Subject};
use proptest::prelude::*;

use super::{Ask, Candidate, Entry, Filter, Header, Index};
use crate::calibrate::Calibration;
use crate::embed::{DIMENSIONS, Quantised, StaticEmbedder};
use crate::terms::query_terms;

/// A memory as these tests write it down.
#[derive(Debug, Clone)]
pub(super) struct Memo {
    text: String,
    owner: String,
    tags: Vec<String>,
    archived: bool,
    thread: Option<String>,
    pub(super) minute: i64,
}

pub(super) fn memo(text: &str) -> Memo {
    let (tags, thread) = (Vec::new(), None);
    Memo { text: text.into(), owner: "ada".into(), tags, archived: false, thread, minute: 0 }
}

pub(super) fn scope(owner: &str) -> Scope {
    Scope { layer: Layer::User, owner: owner.into() }
}

fn hash(text: &str) -> ContentHash {
    let mut hash = [0; 32];
    for (at, byte) in text.bytes().enumerate() {
        hash[at % 16] ^= byte.wrapping_add((at / 16) as u8);
    }
    ContentHash(hash)
}

pub(super) fn put(index: &mut Index, key: i64, memo: &Memo) {
    let vector = StaticEmbedder::built_in().embed(&memo.text).map(|v| Quantised::of(&v));
    let mut id = [0; 16];
    id[..8].copy_from_slice(&key.to_le_bytes());
    index.put(&Entry {
        key,
        subject: Subject::Memory(MemoryId::from_random(id)),
        scope: &scope(&memo.owner),
        archived: memo.archived,
        tags: &memo.tags,
        text: &memo.text,
        hash: hash(&memo.text),
        created: memo.minute * 60_000_000,
        thread: memo.thread.as_deref(),
        vector: vector.as_ref(),
    });
}

fn index_of<'a>(memos: impl IntoIterator<Item = (i64, &'a Memo)>) -> Index {
    let mut index = Index::new(DIMENSIONS);
    for (key, memo) in memos {
        put(&mut index, key, memo);
    }
    index
}

pub(super) fn ask(index: &Index, query: &str, filter: Filter<'_>) -> Vec<Candidate> {
    let vector = StaticEmbedder::built_in().embed(query);
    index.search(&Ask {
        terms: &query_terms(query),
        vector: vector.as_ref(),
        same: hash(query),
        filter,
        calibration: &Calibration::BUILT_IN,
        wanted: 10,
        english: true,
    })
}

fn keys(index: &Index, query: &str) -> Vec<i64> {
    let scopes = [scope("ada")];
    let filter = Filter { scopes: &scopes, ..Filter::default() };
    ask(index, query, filter).iter().map(|candidate| candidate.key).collect()
}

#[test]
fn the_one_memory_of_a_small_place_is_found_among_many_of_others() {
    let mut index = Index::new(DIMENSIONS);
    for key in 0..5_000 {
        put(&mut index, key, &memo(&format!("Deploys of service {key} happen on Tuesdays")));
    }
    let mut lonely = memo("Our service ships on Thursdays");
    lonely.owner = "bob".into();
    put(&mut index, 5_000, &lonely);
    let scopes = [scope("bob")];
    let filter = Filter { scopes: &scopes, ..Filter::default() };
    let found = ask(&index, "when are deploys of the service?", filter);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].key, 5_000);
    assert!(keys(&index, "Our service ships on Thursdays").iter().all(|key| *key < 5_000));
}

#[test]
fn how_long_the_texts_of_others_are_does_not_show_in_a_score() {
    let texts = ["the staging database", "tabs and spaces in the database", "coffee"];
    let own: Vec<Memo> = texts.into_iter().map(memo).collect();
    let alone = index_of((0..).zip(&own));
    let mut shared = alone.clone();
    let long = Memo { owner: "bob".into(), ..memo(&"words upon words ".repeat(50)) };
    put(&mut shared, 9, &long);
    let scopes = [scope("ada")];
    let filter = Filter { scopes: &scopes, ..Filter::default() };
    assert_eq!(
        ask(&shared, "staging database", filter.clone()),
        ask(&alone, "staging database", filter)
    );
    let keys = (0..3).collect();
    let scopes = [scope("ada"), scope("bob")];
    let filter = Filter { scopes: &scopes, keys: Some(&keys), ..Filter::default() };
    assert_eq!(
        ask(&shared, "staging database", filter.clone()),
        ask(&alone, "staging database", filter)
    );
    put(&mut shared, 9, &Memo { owner: "bob".into(), ..memo("short") });
    shared.remove(9);
    let (again, _) =
        Index::from_bytes(&shared.to_bytes(&Header { model: "m".into(), at: 0, mark: 0 })).unwrap();
    assert_eq!(again.tallies[0], alone.tallies[0]);
}

#[test]
fn tags_archived_and_keys_are_looked_at_inside() {
    let mut tagged = memo("alpha one");
    tagged.tags = vec!["t".into(), "u".into()];
    let mut archived = memo("alpha two");
    archived.archived = true;
    let plain = memo("alpha three");
    let mut index = index_of([(1, &tagged), (2, &archived), (3, &plain)]);
    let found = |index: &Index, change: &dyn Fn(&mut Filter<'_>)| {
        let scopes = [scope("ada")];
        let mut filter = Filter { scopes: &scopes, ..Filter::default() };
        change(&mut filter);
        let mut keys: Vec<_> = ask(index, "alpha", filter).iter().map(|found| found.key).collect();
        keys.sort_unstable();
        keys
    };
    let only = |tags: &'static [String]| move |filter: &mut Filter<'_>| filter.tags_any = tags;
    static U: std::sync::LazyLock<[String; 1]> = std::sync::LazyLock::new(|| ["u".to_owned()]);
    assert_eq!(found(&index, &|_| {}), [1, 3]);
    assert_eq!(found(&index, &|filter| filter.archived = true), [1, 2, 3]);
    assert_eq!(found(&index, &only(&*U)), [1]);
    tagged.tags = vec!["t".into()];
    put(&mut index, 1, &tagged);
    assert!(found(&index, &only(&*U)).is_empty(), "the tag was taken away");
    archived.archived = false;
    put(&mut index, 2, &archived);
    assert_eq!(found(&index, &|_| {}), [1, 2, 3]);
}

#[test]
fn what_was_stored_next_to_a_hit_comes_before_what_was_not() {
    let talk = ["Shall we go to the lake?", "Yes, on Saturday at nine", "Great, I bring the boat"];
    let mut memos: Vec<Memo> = talk.iter().map(|text| memo(text)).collect();
    memos.push(memo("Yes, on Sunday at ten"));
    for (at, memo) in memos.iter_mut().enumerate() {
        memo.thread = Some(if at < 3 { "a" } else { "b" }.into());
    }
    let index = index_of(memos.iter().enumerate().map(|(key, memo)| (key as i64, memo)));
    let place = |query: &str, key| keys(&index, query).iter().position(|found| *found == key);
    assert!(place("when do we go to the lake", 1) < place("when do we go to the lake", 3));

    for (at, memo) in memos.iter_mut().enumerate() {
        memo.minute = at as i64 * 31;
    }
    let apart = index_of(memos.iter().enumerate().map(|(key, memo)| (key as i64, memo)));
    let scopes = [scope("ada")];
    let filter = Filter { scopes: &scopes, ..Filter::default() };
    let lent = ask(&apart, "the lake", filter).iter().map(|found| found.evidence.lent).sum::<f32>();
    assert_eq!(lent, 0.0, "half an hour later it is another talk");
}

#[test]
fn the_query_itself_is_what_was_asked_for() {
    let index = index_of([(1, &memo("tabs")), (2, &memo("tabs or spaces"))]);
    let scopes = [scope("ada")];
    let found = ask(&index, "tabs", Filter { scopes: &scopes, ..Filter::default() });
    assert_eq!((found[0].key, found[0].relevance), (1, 1.0));
    assert!(found[1].relevance < 1.0);
}

#[test]
fn a_snapshot_answers_like_what_it_was_made_of_and_a_torn_one_is_refused() {
    let memos: Vec<Memo> =
        (0..60).map(|n| memo(&format!("note {n} about lake number {}", n % 7))).collect();
    let mut index = index_of(memos.iter().enumerate().map(|(key, memo)| (key as i64, memo)));
    index.remove(5);
    let header = Header { model: "m".into(), at: 7, mark: -3 };
    let bytes = index.to_bytes(&header);
    let (mut read, found) = Index::from_bytes(&bytes).unwrap();
    assert_eq!(found, header);
    assert_eq!(Index::header(&bytes), Some(header));
    for step in 0..2 {
        assert_eq!(keys(&read, "lake 3"), keys(&index, "lake 3"), "step {step}");
        put(&mut read, 100, &memo("lake 3 again"));
        put(&mut index, 100, &memo("lake 3 again"));
    }
    for at in (0..bytes.len()).step_by(97) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x10;
        assert!(Index::from_bytes(&broken).is_none(), "byte {at}");
        assert!(Index::from_bytes(&bytes[..at]).is_none(), "{at} bytes");
    }
}

#[test]
fn odd_queries_find_nothing_or_something_and_never_fail() {
    let index = index_of([(1, &memo("the quick brown fox")), (2, &memo("日本語のメモ"))]);
    for query in ["", " ", "\"", "a AND OR NOT (", "col:*", "\u{0}", "NEAR(", "🦊🦊", "%s", "]]>"]
    {
        keys(&index, query);
    }
    assert!(keys(&index, "").is_empty());
    let long = "fox ".repeat(25_000);
    assert_eq!(keys(&index, &long)[0], 1);
}

/// What may happen to the memory of a key.
#[derive(Debug, Clone)]
enum Step {
    Put(i64, Memo),
    Remove(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words = prop::sample::select(vec!["lake", "boat", "deploy", "tuesday", "tea", "rust"]);
    let text = prop::collection::vec(words, 1..5).prop_map(|words| words.join(" "));
    let memo = (text, any::<bool>(), 0..2_usize, prop::option::of(0..2_u8)).prop_map(
        |(text, archived, tags, thread)| Memo {
            archived,
            tags: ["t", "u"][..tags].iter().map(|tag| (*tag).to_owned()).collect(),
            thread: thread.map(|thread| thread.to_string()),
            ..self::memo(&text)
        },
    );
    let step = prop_oneof![
        3 => (0..12_i64, memo).prop_map(|(key, memo)| Step::Put(key, memo)),
        1 => (0..12_i64).prop_map(Step::Remove),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn after_any_steps_it_answers_like_one_made_anew(steps in steps()) {
        let mut index = Index::new(DIMENSIONS);
        let mut rows: std::collections::BTreeMap<i64, Memo> = Default::default();
        let mut next = 100;
        let mut names: std::collections::HashMap<i64, i64> = Default::default();
        for step in steps {
            match step {
                Step::Put(name, mut memo) => {
                    let key = *names.entry(name).or_insert_with(|| { next += 1; next });
                    // Where a memory lies and what thread it is of never changes.
                    if let Some(old) = rows.get(&key) {
                        memo.thread = old.thread.clone();
                    }
                    put(&mut index, key, &memo);
                    rows.insert(key, memo);
                }
                Step::Remove(name) => {
                    if let Some(key) = names.remove(&name) {
                        index.remove(key);
                        rows.remove(&key);
                    }
                }
            }
        }
        let fresh = index_of(rows.iter().map(|(key, memo)| (*key, memo)));
        prop_assert_eq!(index.len(), rows.len());
        for query in ["lake", "boat on tuesday", "tea", "deploy rust", "ship"] {
            let scopes = [scope("ada")];
            let filter = Filter { scopes: &scopes, ..Filter::default() };
            let found = ask(&index, query, filter.clone());
            prop_assert_eq!(found, ask(&fresh, query, filter), "{}", query);
        }
    }
}
