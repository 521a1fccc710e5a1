//! `lorekeep bench load`: many clients at once over HTTP, and more than are served.

mod client;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use model::Layer;
use serde_json::{Value, json};
use serve::http::tokens::{NewToken, Tokens};

use super::measure::{Bound, Figure};
use super::sentences::Sentences;
use super::timing::{millis, share, sorted};
use crate::cli::LoadArgs;
use client::{Client, Listening, Outcome};

/// How many clients the modest tenant has when the other one asks too much.
const MODEST: usize = 4;

/// How many times as many clients as are served at once there are then.
const TIMES: usize = 4;

/// How long a client that was told to come again waits; a real one waits longer.
const PAUSE: Duration = Duration::from_millis(20);

/// The longest that is measured of it, in seconds.
const OVERLOAD_SECONDS_MAX: f64 = 15.0;

/// What one client saw.
#[derive(Default)]
struct Seen {
    tenant: usize,
    done: Vec<f64>,
    limited: Vec<f64>,
    failed: usize,
    /// When answers came.
    answered: Vec<Instant>,
}

pub(super) fn run(args: &LoadArgs) -> Result<ExitCode> {
    ensure!(args.clients > MODEST, "--clients takes at least {}", MODEST + 1);
    ensure!((1..=args.clients).contains(&args.tenants), "--tenants takes 1 to --clients");
    let scratch = super::scratch(args.dir.as_deref())?;
    super::warn_of_debug();
    let time = Duration::try_from_secs_f64(args.seconds).context("--seconds")?;
    let mut figures = mixed(&scratch.path().join("mixed"), args, time)?;
    let time = time.min(Duration::from_secs_f64(OVERLOAD_SECONDS_MAX));
    figures.extend(overload(&scratch.path().join("overload"), args.clients, time)?);
    figures.extend(turns(&scratch.path().join("turns"), args.clients, time)?);
    super::print(&figures, args.json)?;
    let is_met = figures.iter().all(|figure| figure.is_met() != Some(false));
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// As many clients as are served, with reads and writes of several toolsets.
fn mixed(dir: &Path, args: &LoadArgs, time: Duration) -> Result<Vec<Figure>> {
    let tokens = tokens(dir, args.tenants)?;
    let server = Listening::start(dir, &["rate=0"])?;
    let tenants: Vec<usize> = (0..args.clients).map(|n| n % args.tenants).collect();
    let seen = all(&server, &tokens, &tenants, time, calls)?;
    let times = sorted(seen.iter().flat_map(|seen| seen.done.iter().copied()));
    let (p50, p99) = (share(&times, 0.5), share(&times, 0.99));
    let errors = seen.iter().map(|seen| seen.failed + seen.limited.len()).sum::<usize>();
    let mut by_tenant = BTreeMap::<usize, f64>::new();
    for one in &seen {
        *by_tenant.entry(one.tenant).or_default() +=
            one.done.len() as f64 / clients_of(&tenants, one);
    }
    let least = by_tenant.values().copied().fold(f64::INFINITY, f64::min);
    let most = by_tenant.values().copied().fold(0.0, f64::max);
    let figure = |what: &str, value, unit, wanted| Figure::new(what, value, unit, wanted);
    let clients = args.clients;
    Ok(vec![
        figure(
            &format!("{clients} clients over HTTP, 70 % reads, 30 % writes"),
            times.len() as f64 / time.as_secs_f64(),
            "/s",
            None,
        ),
        figure("… errors", errors as f64, "", Some((Bound::AtMost, 0.0))),
        figure("… median", p50, "ms", None),
        figure("… 99 of 100 within", p99, "ms", None),
        figure("… that is of the median", p99 / p50, "×", Some((Bound::AtMost, 20.0))),
        figure(
            // All tenants do the same, so this says that none is forgotten; turns are below.
            &format!("… least served of {} tenants by the most", args.tenants),
            least / most * 100.0,
            "%",
            Some((Bound::AtLeast, 80.0)),
        ),
    ])
}

/// How many clients this one's tenant has.
fn clients_of(tenants: &[usize], seen: &Seen) -> f64 {
    tenants.iter().filter(|tenant| **tenant == seen.tenant).count() as f64
}

/// Many more clients than are served, of one tenant, and a few of another.
fn overload(dir: &Path, served: usize, time: Duration) -> Result<Vec<Figure>> {
    let tokens = tokens(dir, 2)?;
    let clients = served * TIMES;
    let in_flight = format!("in-flight={served}");
    let server = Listening::start(dir, &["rate=0", "waiting=16", &in_flight])?;
    let tenants: Vec<usize> = (0..clients).map(|n| usize::from(n < MODEST)).collect();
    let seen = all(&server, &tokens, &tenants, time, writes)?;
    let (greedy, modest): (Vec<_>, Vec<_>) = seen.iter().partition(|seen| seen.tenant == 0);
    let times = |of: &[&Seen], which: fn(&Seen) -> &Vec<f64>| {
        sorted(of.iter().flat_map(|seen| which(seen).iter().copied()))
    };
    let done = |seen: &[&Seen]| times(seen, |seen| &seen.done);
    let limited = times(&greedy, |seen| &seen.limited);
    let of_modest = times(&modest, |seen| &seen.limited).len();
    let failed = seen.iter().map(|seen| seen.failed).sum::<usize>();
    let (of_greedy, served) = (done(&greedy), done(&modest));
    let each = |times: &[f64], clients: usize| times.len() as f64 / clients as f64;
    let figure = |what: &str, value, unit, wanted| Figure::new(what, value, unit, wanted);
    let none = Some((Bound::AtMost, 0.0));
    Ok(vec![
        figure(
            &format!("{clients} clients that write, {MODEST} of them another tenant's: done"),
            (of_greedy.len() + served.len()) as f64 / time.as_secs_f64(),
            "/s",
            None,
        ),
        figure("… RATE_LIMITED", limited.len() as f64 / time.as_secs_f64(), "/s", None),
        figure("… told so, median", share(&limited, 0.5), "ms", None),
        figure("… told so, 99 of 100 within", share(&limited, 0.99), "ms", None),
        figure("… other errors", failed as f64, "", none),
        figure("… the few: RATE_LIMITED", of_modest as f64, "", none),
        figure("… the many: 99 of 100 within", share(&of_greedy, 0.99), "ms", None),
        figure("… the few: median", share(&served, 0.5), "ms", None),
        figure("… the few: 99 of 100 within", share(&served, 0.99), "ms", None),
        figure(
            "… the few: done by each, for one of each of the many",
            each(&served, MODEST) / each(&of_greedy, clients - MODEST).max(1.0 / clients as f64),
            "×",
            Some((Bound::AtLeast, 0.8)),
        ),
    ])
}

/// A few clients alone, and beside many of another tenant of whom none is refused: what the few wait
/// for is their own calls, and not those of the many.
fn turns(dir: &Path, served: usize, time: Duration) -> Result<Vec<Figure>> {
    let tokens = tokens(dir, 2)?;
    let clients = served * TIMES;
    let limits =
        ["in-flight", "waiting", "connections"].map(|name| format!("{name}={}", 2 * clients));
    let limits: Vec<&str> = limits.iter().map(String::as_str).chain(["rate=0"]).collect();
    let server = Listening::start(dir, &limits)?;
    let times = |seen: &[&Seen]| sorted(seen.iter().flat_map(|seen| seen.done.iter().copied()));
    let alone = all(&server, &tokens, &[1; MODEST], time / 3, writes)?;
    let alone = share(&times(&alone.iter().collect::<Vec<_>>()), 0.5);
    let tenants: Vec<usize> = (0..clients).map(|n| usize::from(n < MODEST)).collect();
    let seen = all(&server, &tokens, &tenants, time, writes)?;
    let (many, few): (Vec<_>, Vec<_>) = seen.iter().partition(|seen| seen.tenant == 0);
    let (many, few) = (times(&many), times(&few));
    let refused = seen.iter().map(|seen| seen.failed + seen.limited.len()).sum::<usize>();
    let (of_few, of_many) = (share(&few, 0.5), share(&many, 0.5));
    let figure = |what: &str, value, unit, wanted| Figure::new(what, value, unit, wanted);
    Ok(vec![
        figure(&format!("{MODEST} clients that write, alone: median"), alone, "ms", None),
        figure(
            &format!("… beside {} of another tenant: median", clients - MODEST),
            of_few,
            "ms",
            None,
        ),
        figure("… that is of their median alone", of_few / alone, "×", Some((Bound::AtMost, 8.0))),
        figure("… the many beside them: median", of_many, "ms", None),
        figure(
            "… the few's median of the many's",
            of_few / of_many,
            "×",
            Some((Bound::AtMost, 0.5)),
        ),
        figure("… refused or failed", refused as f64, "", Some((Bound::AtMost, 0.0))),
        figure("… calls of the few", few.len() as f64, "", None),
        figure("… the few: longest", share(&few, 1.0), "ms", None),
        // A stall of the whole process shows here, and is nobody's turn.
        figure("… longest time without any answer", longest_gap(&seen), "ms", None),
    ])
}

/// The longest time in which nobody was answered, in milliseconds.
fn longest_gap(seen: &[Seen]) -> f64 {
    let mut answers: Vec<Instant> = seen.iter().flat_map(|seen| seen.answered.clone()).collect();
    answers.sort();
    let gaps = answers.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1e3);
    gaps.fold(0.0, f64::max)
}

/// A token for each tenant.
fn tokens(dir: &Path, tenants: usize) -> Result<Vec<String>> {
    let tokens = Tokens::at(dir);
    let make = |n: usize| {
        let name = format!("tenant-{n}");
        let id = name.parse().map_err(|why: String| anyhow!(why))?;
        let identity = BTreeMap::from([(Layer::User, id)]);
        let (_, secret) =
            tokens.add(NewToken { name: Some(name), identity, ..NewToken::default() })?;
        Ok(secret)
    };
    (0..tenants).map(make).collect()
}

/// What a client calls, one after the other.
type Calls = fn(&Sentences, u64) -> (&'static str, Value);

/// Every client at once, for about `time`, each of one tenant.
fn all(
    server: &Listening,
    tokens: &[String],
    tenants: &[usize],
    time: Duration,
    calls: Calls,
) -> Result<Vec<Seen>> {
    // The store is opened by the first call, which must not count.
    let mut first = server.connect(&tokens[0])?;
    first.call("memory_add", &json!({"content": "the first"}))?;
    let sentences = Sentences::new();
    let until = Instant::now() + time;
    std::thread::scope(|scope| {
        let one = |(n, tenant): (usize, &usize)| {
            let (token, tenant) = (&tokens[*tenant], *tenant);
            // No two clients write the same.
            let numbers = (1 + n as u64) * 10_000_000..;
            let calls = numbers.map(|at| calls(&sentences, at));
            scope.spawn(move || work(&mut server.connect(token)?, tenant, until, calls))
        };
        let running: Vec<_> = tenants.iter().enumerate().map(one).collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended.map(|seen| seen.map_err(|_| anyhow!("a client panicked"))?).collect()
    })
}

/// One client, until then.
fn work(
    client: &mut Client,
    tenant: usize,
    until: Instant,
    calls: impl Iterator<Item = (&'static str, Value)>,
) -> Result<Seen> {
    let mut seen = Seen { tenant, ..Seen::default() };
    for (tool, arguments) in calls {
        let began = Instant::now();
        if began > until {
            break;
        }
        let outcome = client.call(tool, &arguments)?;
        let took = millis(began);
        seen.answered.push(Instant::now());
        match outcome {
            Outcome::Done => seen.done.push(took),
            Outcome::RateLimited => {
                seen.limited.push(took);
                std::thread::sleep(PAUSE);
            }
            Outcome::Failed => seen.failed += 1,
        }
    }
    Ok(seen)
}

/// Seven reads and three writes in ten, of the toolsets for memories, documents and facts.
fn calls(sentences: &Sentences, at: u64) -> (&'static str, Value) {
    match at % 10 {
        0 => ("memory_add", json!({"content": sentences.sentence(at)})),
        3 => ("store_memory", json!({"type": "core", "content": sentences.sentence(at)})),
        6 => ("memory_store", json!({"content": sentences.sentence(at)})),
        1 | 4 | 7 => ("memory_search", json!({"query": sentences.keywords(at)})),
        2 => ("query_memories", json!({"limit": 10})),
        5 => ("search", json!({"query": sentences.keywords(at)})),
        8 => ("memory_recall", json!({"query": sentences.keywords(at)})),
        _ => ("get_memory_stats", json!({})),
    }
}

/// Nothing but writes.
fn writes(sentences: &Sentences, at: u64) -> (&'static str, Value) {
    ("memory_add", json!({"content": sentences.sentence(at)}))
}
