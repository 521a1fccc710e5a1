//! The power is cut: what was written after the last sync is gone, or there in part.
//!
//! The story is told once and all that is done to the disk written down. Then the disk is made as it may be
//! after a cut at many moments, and the real binary is started on it: everything that was acknowledged before
//! must be there. `LOREKEEP_FAULTS=all` tries every moment, and every fate at each.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::disk::{Fate, Journal};
use super::nth::NONE;
use super::story::{self, Told};
use super::{Bed, FIRST_STEPS, copy, is_all};

/// What may become of what was not synced.
const FATES: [Fate; 4] = [
    Fate { chance: None, names: false },
    Fate { chance: None, names: true },
    Fate { chance: Some(1), names: true },
    Fate { chance: Some(2), names: false },
];

/// These are not in the data directory.
const ELSEWHERE: [&str; 2] = ["outside", "command"];

/// A story, and all that it did to the disk.
struct Recorded {
    bed: Bed,
    journal: Journal,
    told: Told,
    /// After how many events which step was acknowledged.
    acknowledged: Vec<usize>,
}

/// Tells so many steps of the story with pauses, in which what was committed is made safe.
fn record(bed: Bed, steps_max: usize) -> Recorded {
    let log = bed.dir.path().join("journal");
    std::fs::write(&log, "").unwrap();
    // The folder must be there for the shim to know it.
    std::fs::create_dir_all(bed.data()).unwrap();
    let mut journal = Journal::begin(&bed.data().canonicalize().unwrap());
    let mut command = bed.command();
    NONE.load(&bed.data(), &bed.state(), &mut command);
    command.env("FAULT_JOURNAL", &log);
    let mut server = bed.server(command);
    let told = story::tell_part(&mut server, steps_max, Duration::from_millis(260));
    assert_eq!(server.finish(), Some(0));
    journal.read(&log);
    // The answer to `initialize` has the number 1, the first step's 2, and so on.
    let said = journal.said().filter(|(_, text)| text.contains("\"id\":"));
    let acknowledged: Vec<usize> = said.skip(1).map(|(at, _)| at).collect();
    assert_eq!(acknowledged.len(), told.acknowledged(), "each answer is written at once");
    Recorded { bed, journal, told, acknowledged }
}

impl Recorded {
    /// What is lost or broken when the power is cut after so many events.
    fn cut(&self, after: usize, fate: Fate) -> Vec<String> {
        let bed = Bed { dir: tempfile::tempdir().unwrap() };
        let from = self.bed.data().canonicalize().unwrap();
        std::fs::create_dir(bed.data()).unwrap();
        std::fs::create_dir(bed.work()).unwrap();
        copy(&self.bed.work(), &bed.work());
        self.journal.cut(after, fate, &from, &bed.data());
        let acknowledged = self.acknowledged.iter().filter(|at| **at <= after).count();
        let mut server = bed.server(bed.command());
        let mut wrong = self.told.lost(&mut server, Some(acknowledged), &ELSEWHERE);
        if server.finish() != Some(0) {
            wrong.push("the server did not end".to_owned());
        }
        let said = bed.errors();
        wrong.extend(bed.problems());
        if !wrong.is_empty() {
            wrong.push(format!("{acknowledged} were acknowledged; it had said: {said}"));
        }
        wrong
    }

    /// Cuts at these moments.
    fn cut_at(&self, cuts: &[(usize, Fate)]) {
        let begin = std::time::Instant::now();
        let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(|| {
                    while let Some(&(after, fate)) = cuts.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let problems = self.cut(after, fate);
                        if !problems.is_empty() {
                            eprintln!("after {after}, {fate:?}: {problems:#?}");
                            wrong.lock().unwrap().push((after, fate, problems));
                        }
                    }
                });
            }
        });
        let (count, events) = (cuts.len(), self.journal.len());
        eprintln!("{count} cuts among {events} events in {:.1} s", begin.elapsed().as_secs_f64());
        let wrong = wrong.into_inner().unwrap();
        assert!(wrong.is_empty(), "{} of {count} cuts: {wrong:#?}", wrong.len());
    }
}

/// These moments, each with one fate in turn; or with every fate.
fn fated(moments: impl Iterator<Item = usize>) -> Vec<(usize, Fate)> {
    let moments: Vec<usize> = moments.collect();
    if is_all() {
        return moments.iter().flat_map(|at| FATES.map(|fate| (*at, fate))).collect();
    }
    moments.into_iter().zip(FATES.into_iter().cycle()).collect()
}

#[test]
fn a_power_cut_after_an_acknowledgement_loses_nothing() {
    let recorded = record(Bed::prepared(), usize::MAX);
    recorded.told.assert_whole();
    let step = if is_all() { 1 } else { 2 };
    recorded.cut_at(&fated(recorded.acknowledged.iter().copied().step_by(step)));
}

#[test]
fn a_power_cut_at_any_other_moment_loses_nothing_either() {
    let recorded = record(Bed::prepared(), usize::MAX);
    recorded.told.assert_whole();
    let tries = if is_all() { usize::MAX } else { 25 };
    let step = recorded.journal.len().div_ceil(tries);
    let end = recorded.journal.len();
    recorded.cut_at(&fated((step / 2..end).step_by(step).chain([end])));
}

#[test]
fn a_power_cut_in_the_first_moments_of_a_store_loses_nothing() {
    let recorded = record(Bed::bare(), FIRST_STEPS);
    assert_eq!(recorded.told.acknowledged(), FIRST_STEPS);
    let tries = if is_all() { usize::MAX } else { 20 };
    let end = recorded.journal.len();
    let acknowledged = recorded.acknowledged.iter().copied();
    let others = (0..end).step_by(end.div_ceil(tries));
    recorded.cut_at(&fated(others.chain(acknowledged)));
}
