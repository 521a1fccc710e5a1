//! The issuer's keys as we have them: fetched when they are first needed, again when they are old or
//! lack one, and never more often than is good for the issuer.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::keys::Keys;

/// A key set as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The document.
    pub document: Vec<u8>,
    /// How long the issuer says that it may be kept.
    pub keep: Option<Duration>,
}

/// Fetches the key set. It may block, and must end by itself.
pub type Fetch = Box<dyn Fn() -> Result<Fetched, String> + Send + Sync>;

/// How often keys are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// One question more may be asked each time this has passed: nobody makes us ask more often by
    /// naming keys that there are not. After a question without an answer this passes at least.
    pub pause_min: Duration,
    /// So many may be asked at once after a while without any, so that new keys are found at once.
    pub asks_max: u32,
    /// Keys are kept at least so long, whatever the issuer says.
    pub keep_min: Duration,
    /// And not longer than this without asking again.
    pub keep_max: Duration,
    /// While the issuer cannot be asked, old keys serve so long.
    pub stale_max: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            pause_min: Duration::from_secs(30),
            asks_max: 3,
            keep_min: Duration::from_secs(5 * 60),
            keep_max: Duration::from_secs(60 * 60),
            stale_max: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// What is known.
#[derive(Default)]
struct Known {
    keys: Arc<Keys>,
    /// When they came, and how long they are kept.
    fetched: Option<(Instant, Duration)>,
    /// When somebody last asked for them.
    tried: Option<Instant>,
    /// How many questions were asked of those that may be, and since when it counts.
    asked: u32,
    counted: Option<Instant>,
    /// Keys that were asked for and that the issuer did not have.
    absent: Vec<Option<String>>,
}

/// So many of those are remembered.
const ABSENT_MAX: usize = 16;

impl Known {
    /// Whether the issuer may be asked again yet.
    fn is_due(&mut self, pace: &Pace) -> bool {
        let now = Instant::now();
        let is_silent = self.tried > self.fetched.map(|(when, _)| when);
        if is_silent && self.tried.is_some_and(|when| now - when < pace.pause_min) {
            return false;
        }
        while self.asked > 0 && self.counted.is_none_or(|when| now - when >= pace.pause_min) {
            self.asked -= 1;
            self.counted = self.counted.map(|when| when + pace.pause_min);
        }
        self.asked < pace.asks_max
    }
}

/// The keys that we have.
pub(super) struct Cache {
    fetch: Fetch,
    pace: Pace,
    known: Mutex<Known>,
    /// Held by the one who asks; the others wait.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl Cache {
    /// No keys yet.
    pub(super) fn new(fetch: Fetch, pace: Pace) -> Self {
        Self { fetch, pace, known: Mutex::default(), asking: Arc::default() }
    }

    /// The keys, unless there are none or the issuer has been silent for too long.
    pub(super) fn keys(&self) -> Option<Arc<Keys>> {
        let known = self.known();
        let (when, _) = known.fetched?;
        (when.elapsed() < self.pace.stale_max).then(|| Arc::clone(&known.keys))
    }

    /// What a token of this key has to wait for, if anything: an answer of the issuer. Who has a key
    /// that we know does not wait for an issuer that did not answer the last time.
    pub(super) fn behind(
        self: &Arc<Self>,
        kid: Option<String>,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        if !self.is_behind(kid.as_deref()) {
            return None;
        }
        let (is_silent, has_key) = {
            let known = self.known();
            let fetched = known.fetched.map(|(when, _)| when);
            (known.tried > fetched, known.keys.has(kid.as_deref()))
        };
        let asked = Arc::clone(self).catch_up(kid);
        if is_silent && has_key {
            if self.is_due() {
                tokio::spawn(asked);
            }
            return None;
        }
        Some(asked)
    }

    /// Whether keys are old, or lack this one.
    fn is_behind(&self, kid: Option<&str>) -> bool {
        let known = self.known();
        let is_old = known.fetched.is_none_or(|(when, keep)| when.elapsed() >= keep);
        is_old || !known.keys.has(kid)
    }

    /// Asks the issuer, if that is due. Many may wait for it; one asks.
    async fn catch_up(self: Arc<Self>, kid: Option<String>) {
        let held = Arc::clone(&self.asking).lock_owned().await;
        if !self.is_behind(kid.as_deref()) || !self.may_ask() {
            return;
        }
        // What comes of it is kept even if nobody waits any more.
        let asked = tokio::task::spawn_blocking(move || {
            self.ask();
            self.note_absent(kid);
            drop(held);
        });
        let _ = asked.await;
    }

    /// Whether the issuer may be asked again yet.
    fn is_due(&self) -> bool {
        self.known().is_due(&self.pace)
    }

    /// The same; if so, it counts as asked.
    fn may_ask(&self) -> bool {
        let mut known = self.known();
        let is_due = known.is_due(&self.pace);
        if is_due {
            let now = Instant::now();
            if known.asked == 0 {
                known.counted = Some(now);
            }
            known.asked += 1;
            known.tried = Some(now);
        }
        is_due
    }

    /// Whether the issuer was asked for this key and did not have it. If not, nobody can tell yet: it
    /// may be a new one.
    pub(super) fn lacks(&self, kid: Option<&str>) -> bool {
        self.known().absent.iter().any(|absent| absent.as_deref() == kid)
    }

    /// Remembers a key that the issuer does not have.
    fn note_absent(&self, kid: Option<String>) {
        let mut known = self.known();
        if known.tried <= known.fetched.map(|(when, _)| when) && !known.keys.has(kid.as_deref()) {
            let room = ABSENT_MAX - 1;
            known.absent.truncate(room);
            known.absent.insert(0, kid);
        }
    }

    fn ask(&self) {
        let read = (self.fetch)().and_then(|fetched| {
            Keys::read(&fetched.document).map(|keys| (Arc::new(keys), fetched.keep))
        });
        match read {
            Ok((keys, keep)) => {
                if keys.are_none() {
                    tracing::warn!(
                        "the key set of the OAuth issuer has no key for RSA, P-256, P-384 or Ed25519"
                    );
                }
                let keep = keep.unwrap_or(self.pace.keep_max);
                let keep = keep.min(self.pace.keep_max).max(self.pace.keep_min);
                let mut known = self.known();
                known.absent.retain(|kid| !keys.has(kid.as_deref()));
                (known.keys, known.fetched) = (keys, Some((Instant::now(), keep)));
            }
            Err(why) => tracing::warn!("the keys of the OAuth issuer could not be fetched: {why}"),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers with a key named `k1`, then `k2` and so on; every `fails`-th attempt fails.
    fn cache(pace: Pace, fails: Option<usize>) -> (Arc<Cache>, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let fetch: Fetch = Box::new(move || {
            let at = counted.fetch_add(1, Ordering::SeqCst) + 1;
            if fails.is_some_and(|first| at >= first) {
                return Err("it is down".into());
            }
            let x = "A".repeat(43);
            let document =
                format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{x}","kid":"k{at}"}}]}}"#);
            Ok(Fetched { document: document.into_bytes(), keep: None })
        });
        (Arc::new(Cache::new(fetch, pace)), count)
    }

    async fn looks(cache: &Arc<Cache>, kid: &str) -> bool {
        if let Some(behind) = cache.behind(Some(kid.to_owned())) {
            behind.await;
        }
        cache.keys().is_some_and(|keys| keys.has(Some(kid)))
    }

    #[tokio::test]
    async fn keys_are_fetched_once_for_many_and_not_for_every_made_up_name() {
        let (cache, count) = cache(Pace::default(), None);
        assert!(cache.keys().is_none());
        let all: Vec<_> = (0..20)
            .map(|_| {
                let cache = Arc::clone(&cache);
                tokio::spawn(async move { looks(&cache, "k1").await })
            })
            .collect();
        for one in all {
            assert!(one.await.unwrap());
        }
        let names: Vec<_> = (0..100).map(|at| format!("made-up-{at}")).collect();
        for name in &names {
            assert!(!looks(&cache, name).await);
        }
        let asks = Pace::default().asks_max;
        assert_eq!(count.load(Ordering::SeqCst), usize::try_from(asks).unwrap());
        let told = names.iter().filter(|name| cache.lacks(Some(name.as_str()))).count();
        assert_eq!(told, 2, "of the others nobody can tell yet");
    }

    #[tokio::test]
    async fn a_key_that_is_new_within_the_pause_is_found_at_once() {
        let (cache, _) = cache(Pace::default(), None);
        assert!(looks(&cache, "k1").await);
        assert!(looks(&cache, "k2").await, "the issuer has another since");
        assert!(!looks(&cache, "made-up").await && cache.lacks(Some("made-up")));
        assert!(
            !looks(&cache, "k4").await && !cache.lacks(Some("k4")),
            "it cannot be asked for yet"
        );
    }

    #[tokio::test]
    async fn who_did_not_answer_is_left_in_peace_for_the_pause() {
        let (cache, count) = cache(Pace::default(), Some(1));
        for _ in 0..9 {
            assert!(!looks(&cache, "k1").await && !cache.lacks(Some("k1")));
        }
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_new_key_is_found_after_the_pause() {
        let pace = Pace { pause_min: Duration::ZERO, ..Pace::default() };
        let (cache, count) = cache(pace, None);
        assert!(looks(&cache, "k1").await && looks(&cache, "k2").await);
        assert!(!looks(&cache, "k1").await, "the issuer has it no more");
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn old_keys_serve_while_the_issuer_is_down_but_not_for_ever() {
        let zero = Duration::ZERO;
        let old = Pace { pause_min: zero, keep_min: zero, keep_max: zero, ..Pace::default() };
        let (stale, count) = cache(old, Some(2));
        assert!(looks(&stale, "k1").await);
        assert!(stale.behind(Some("k1".into())).is_some(), "old keys are asked for");
        assert!(looks(&stale, "k1").await);
        assert!(stale.behind(Some("k1".into())).is_none(), "nobody waits for who is silent");
        while count.load(Ordering::SeqCst) < 3 {
            assert!(looks(&stale, "k1").await, "and still it is asked");
            tokio::task::yield_now().await;
        }
        let (gone, _) = cache(Pace { stale_max: zero, ..old }, Some(2));
        assert!(!looks(&gone, "k1").await);
        let (never, _) = cache(Pace::default(), Some(1));
        assert!(!looks(&never, "k1").await && never.keys().is_none());
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_is_kept() {
        let (cache, count) = cache(Pace::default(), None);
        let asked = tokio::spawn(Arc::clone(&cache).catch_up(Some("k1".into())));
        while count.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        asked.abort();
        while cache.keys().is_none() {
            tokio::task::yield_now().await;
        }
        assert!(looks(&cache, "k1").await);
    }
}
