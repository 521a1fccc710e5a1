//! Commands that are run for real.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use nix::sys::signal::killpg;
use nix::unistd::Pid;
use tempfile::TempDir;

use super::group::is_alive;
use super::*;

/// More than any command here takes on a busy machine.
const LONG: Duration = Duration::from_secs(120);

fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("deep/er")).unwrap();
    dir
}

fn shell(root: &Path) -> LocalShell {
    LocalShell::new(vec![root.to_owned()], &[])
}

fn order(command: &str) -> Order {
    Order { command: command.to_owned(), directory: None, time_max: LONG, output_max: 10_000 }
}

/// The group of a command that has written its number, unless it was ended before.
fn group(dir: &TempDir) -> Option<Pid> {
    let number = fs::read_to_string(dir.path().join("group")).ok()?;
    number.trim().parse().ok().map(Pid::from_raw)
}

/// Runs a command in a folder, as long as `go_on` says; its group has ended then.
fn run_while(dir: &TempDir, order: &Order, mut go_on: impl FnMut() -> bool) -> Ran {
    let command = format!("echo $$ > group; {}", order.command);
    let order = Order { command, ..order.clone() };
    let ran = shell(dir.path()).run(&[], &order, &mut |_| go_on()).unwrap();
    assert!(!group(dir).is_some_and(is_alive), "{}: somebody lives on", order.command);
    ran
}

fn run_in(dir: &TempDir, order: &Order) -> Ran {
    run_while(dir, order, || true)
}

/// Runs a command that does not end by itself until its time is over; the time is enough for it to
/// write the file `ready` before.
fn run_late(dir: &TempDir, given: &Order) -> Ran {
    for seconds in [1, 10, 60] {
        let ran = run_in(dir, &Order { time_max: Duration::from_secs(seconds), ..given.clone() });
        assert!(ran.is_late && !ran.is_cancelled, "{ran:?}");
        if dir.path().join("ready").exists() {
            return ran;
        }
    }
    panic!("{} never got ready", given.command);
}

fn run(command: &str) -> Ran {
    run_in(&folder(), &order(command))
}

fn ran(status: i32, output: &str) -> Ran {
    Ran { status, output: output.to_owned(), cut: 0, is_late: false, is_cancelled: false }
}

#[test]
fn both_streams_come_in_their_order_with_the_status() {
    assert_eq!(run("echo one; echo two >&2; echo three"), ran(0, "one\ntwo\nthree\n"));
    assert_eq!(run("exit 7"), ran(7, ""));
    assert_eq!(run("kill -KILL $$"), ran(137, ""));
    assert_eq!(run("no-such-command-anywhere 2>/dev/null"), ran(127, ""));
    assert_eq!(run("cat; echo end"), ran(0, "end\n"), "there is nothing to read");
    assert_eq!(run("printf 'a\\377b\\000c'"), ran(0, "a\u{fffd}bc"));
    assert_eq!(run("exec >&- 2>&-; exit 3"), ran(3, ""));
    let option = shell(folder().path()).run(&[], &order("-x"), &mut |_| true).unwrap();
    assert_eq!(option.status, 127, "a command is no option: {option:?}");
}

#[test]
fn much_output_is_cut_in_the_middle() {
    let command = "printf start; head -c 3000000 /dev/zero | tr '\\000' x; printf end";
    let ran = run_in(&folder(), &Order { output_max: 20, ..order(command) });
    assert_eq!(ran.output, "startxxxxxxxxxxxxend");
    assert_eq!(ran.cut, 3_000_008 - 20);
}

#[test]
fn a_command_that_never_stops_writing_is_ended() {
    let ran = run_late(&folder(), &Order { output_max: 10, ..order("touch ready; yes") });
    assert!(ran.cut > 0, "{ran:?}");
    assert_eq!(ran.output.chars().count(), 10);
}

#[test]
fn whoever_is_late_is_ended_with_all_that_it_started() {
    let ran = run_late(&folder(), &order("sleep 1000 & touch ready; sleep 1000"));
    assert!([137, 143].contains(&ran.status), "{ran:?}");
    let deaf = "trap '' TERM; touch ready; while :; do sleep 1000; done";
    let ran = run_late(&folder(), &order(deaf));
    assert_eq!(ran.status, 137, "{ran:?}");
}

#[test]
fn whoever_is_cancelled_is_ended_with_all_that_it_started() {
    for command in [
        "touch ready; exec sleep 1000",
        "sleep 1000 & touch ready; sleep 1000",
        "trap '' TERM; touch ready; while :; do sleep 1000; done",
        "(trap '' TERM; sh -c 'sleep 1000 & touch ready; sleep 1000' & sleep 1000) & wait",
        "for i in 1 2 3 4 5 6 7; do (while :; do sleep 0.01; done) & done; touch ready; wait",
        "sh -c 'touch ready; kill -STOP $$'; sleep 1000",
        "exec >&- 2>&-; touch ready; exec sleep 1000",
        "touch ready; yes",
    ] {
        let dir = folder();
        let ready = dir.path().join("ready");
        let ran = run_while(&dir, &order(command), || !ready.exists());
        assert!(ran.is_cancelled && !ran.is_late, "{command}: {ran:?}");
        assert!([137, 143].contains(&ran.status), "{command}: {ran:?}");
    }
}

#[test]
fn who_is_asked_to_end_may_tidy_up() {
    let command = "trap 'echo bye; exit 9' TERM; touch ready; while :; do sleep 0.01; done";
    let mut tries = std::iter::repeat_with(|| run_late(&folder(), &order(command))).take(5);
    // On a busy machine the grace may be over before.
    assert!(tries.any(|ran| ran.status == 9 && ran.output.ends_with("bye\n")));
}

#[test]
fn what_a_command_leaves_behind_is_not_waited_for_and_ended() {
    let command = "sleep 1000 & (trap '' TERM HUP; sleep 1000) & yes >/dev/null & echo done";
    assert_eq!(run(command), ran(0, "done\n"));
}

#[test]
fn who_leaves_the_group_is_not_waited_for() {
    let dir = folder();
    // It holds the pipe until the folder is gone, which is after the answer.
    let leaver = "touch left; while [ -d deep ]; do sleep 0.05; done";
    let waits = "while [ ! -e left ]; do sleep 0.01; done";
    let command = format!("setsid sh -c '{leaver}' & {waits}; echo done");
    assert_eq!(run_in(&dir, &order(&command)), ran(0, "done\n"));
}

#[test]
fn it_is_asked_again_and_again_whether_to_go_on() {
    let mut told = Vec::new();
    let order = order("echo begun; sleep 1000");
    let ran = shell(folder().path()).run(&[], &order, &mut |elapsed| {
        told.push(elapsed);
        told.len() < 3
    });
    assert!(ran.unwrap().is_cancelled);
    assert!(told.len() == 3 && told.is_sorted() && told[0] > Duration::ZERO, "{told:?}");
}

#[test]
fn a_panic_of_who_watches_ends_the_command() {
    let dir = folder();
    let file = dir.path().join("group");
    let watched = std::panic::catch_unwind(|| {
        let command = order("echo $$ > group.new; mv group.new group; sleep 1000");
        shell(dir.path()).run(&[], &command, &mut |_| {
            assert!(!file.exists(), "it has begun");
            true
        })
    });
    assert!(watched.is_err());
    assert!(!is_alive(group(&dir).unwrap()));
}

#[test]
fn a_command_runs_below_a_root_and_nowhere_else() {
    let (one, two, other) = (folder(), folder(), folder());
    std::os::unix::fs::symlink(other.path(), one.path().join("out")).unwrap();
    std::os::unix::fs::symlink("deep", one.path().join("in")).unwrap();
    fs::write(one.path().join("file"), "x").unwrap();
    let roots = [one.path().to_owned(), two.path().to_owned(), "/no/such/root".into()];
    let real = |dir: &TempDir, below: &str| dir.path().canonicalize().unwrap().join(below);
    let run = |directory: Option<&str>| {
        let order = Order { directory: directory.map(str::to_owned), ..order("pwd -P") };
        shell(other.path()).run(&roots, &order, &mut |_| true)
    };
    let absolute = two.path().join("deep").display().to_string();
    for (directory, expected) in [
        (None, real(&one, "")),
        (Some(""), real(&one, "")),
        (Some("."), real(&one, "")),
        (Some("deep/er"), real(&one, "deep/er")),
        (Some("deep/../in/er"), real(&one, "deep/er")),
        (Some(absolute.as_str()), real(&two, "deep")),
    ] {
        let ran = run(directory).unwrap();
        assert_eq!(Path::new(ran.output.trim_end()), expected, "{directory:?}");
    }
    let outside = other.path().display().to_string();
    let beside = format!("{}-beside", one.path().display());
    fs::create_dir(&beside).unwrap();
    for (directory, kind) in [
        ("..", ErrorKind::Forbidden),
        ("out", ErrorKind::Forbidden),
        ("out/deep", ErrorKind::Forbidden),
        ("/", ErrorKind::Forbidden),
        (outside.as_str(), ErrorKind::Forbidden),
        (beside.as_str(), ErrorKind::Forbidden),
        ("../gone", ErrorKind::Forbidden),
        ("out/gone", ErrorKind::Forbidden),
        ("/no/such/place", ErrorKind::Forbidden),
        ("file", ErrorKind::InvalidValue),
        ("nul\0", ErrorKind::InvalidValue),
        ("gone", ErrorKind::NotFound),
    ] {
        let error = run(Some(directory)).unwrap_err();
        assert_eq!(error.kind, kind, "{directory:?}: {error}");
        let shown = directory.escape_debug().to_string();
        assert!(error.message.contains(&shown), "{error}");
    }
    fs::remove_dir(&beside).unwrap();
    let nowhere = LocalShell::new(Vec::new(), &[]);
    let error = nowhere.run(&[], &order("pwd"), &mut |_| true).unwrap_err();
    assert!(error.message.contains("--root DIR"), "{error}");
    let error = shell(other.path()).run(&[], &order("echo \0"), &mut |_| true).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidValue);
    let long = "x".repeat(10_000_000);
    let error = shell(other.path()).run(&[], &order(&long), &mut |_| true).unwrap_err();
    assert!(error.message.starts_with("the command could not be started: "), "{error}");
}

#[test]
fn a_command_sees_no_secret() {
    let dir = folder();
    let secrets = [
        ("BRAVE_API_KEY", "s3cret"),
        ("OPENAI_API_KEY", "s3cret"),
        ("LOREKEEP_EMBEDDER_KEY", "s3cret"),
        ("https_proxy", "http://ada:s3cret@proxy:3128"),
        ("LC_TOKEN", "s3cret"),
        ("TZ", "s3cret"),
        ("LC_ALL", "C"),
    ];
    let given = secrets.map(|(name, value)| (name.into(), value.into()));
    let given = given.into_iter().chain(std::env::var_os("PATH").map(|path| ("PATH".into(), path)));
    let shell = LocalShell::with(vec![dir.path().to_owned()], &["TZ".to_owned()], given);
    let ran = shell.run(&[], &order("env"), &mut |_| true).unwrap();
    assert!(ran.output.contains("PATH=") && ran.output.contains("LC_ALL=C"), "{}", ran.output);
    assert!(!ran.output.contains("s3cret"), "{}", ran.output);
    for (name, _) in &secrets[..6] {
        let is_told = ran.output.lines().any(|line| line.starts_with(&format!("{name}=")));
        assert!(!is_told, "{}", ran.output);
    }
    // Of what this test was started with, nothing passes that cargo alone sets.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let ran = run("env");
    assert!(!ran.output.contains("CARGO_MANIFEST_DIR"), "{}", ran.output);
}

#[cfg(target_os = "linux")]
#[test]
fn only_root_looks_into_a_process_that_runs_commands() {
    shell(folder().path());
    assert_eq!(nix::sys::prctl::get_dumpable(), Ok(false));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_open_and_nobody_stays_unburied() {
    let dir = folder();
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    for _ in 0..50 {
        let ran = shell(dir.path()).run(&[], &order("echo $$; sleep 1000 &"), &mut |_| true);
        let group = Pid::from_raw(ran.unwrap().output.trim().parse().unwrap());
        let first = format!("/proc/{group}/stat");
        assert!(!fs::read_to_string(first).is_ok_and(|stat| stat.contains(") Z ")));
        assert!(killpg(group, None).is_err() || !is_alive(group));
    }
    // Other tests may be at work in this process.
    assert!(open() < before + 25);
}
