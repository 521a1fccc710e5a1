//! Commands, where whoever set up the engine allows them.
//!
//! Here is who may run one, where, and how its end is told. How it is run, bounded and ended is the
//! business of [`Shell`](crate::ports::Shell).

use std::path::PathBuf;

use model::Caller;

use crate::ports::{Order, Ran};
use crate::{Engine, Error, ErrorKind, Result, workspace};

/// How many characters of an output are kept, for who has no other wish.
pub const OUTPUT_CHARS_MAX: usize = 30_000;

/// The status of a command whose time was over, as `timeout` tells it.
const LATE_STATUS: i32 = 124;

/// Runs a command in a folder of the caller's. `news` hears several times a second how many seconds
/// it has run, of how many it may, and answers whether to go on.
///
/// What was cut out of the output is told in its place, and at its end if the command was ended
/// because its time was over; the status is 124 then. A command that was called off is an error.
pub fn run(
    engine: &Engine,
    caller: &Caller,
    order: &Order,
    news: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Ran> {
    let Some(shell) = &engine.outside.shell else {
        let message = "commands are not allowed here; start the server with --allow-commands";
        return Err(Error::new(ErrorKind::Forbidden, message));
    };
    if engine.read_only {
        let message = "commands are not run: this store is opened to read alone (read-only)";
        return Err(Error::new(ErrorKind::Forbidden, message));
    }
    let seconds = order.time_max.as_secs();
    let mut go_on = |elapsed: std::time::Duration| news(elapsed.as_secs(), seconds);
    let roots = roots(engine, caller)?;
    shell.admits(&roots, order)?;
    // What it was may hold what nobody else should read, so only that it was is noted; before, because
    // a command may end this process.
    let mut ran = engine.noted("run a command", || shell.run(&roots, order, &mut go_on))?;
    if ran.is_cancelled {
        return Err(Error::new(ErrorKind::Timeout, "cancelled; the command was killed"));
    }
    if ran.cut > 0 {
        ran.output = with_cut(&ran.output, ran.cut);
    }
    if ran.is_late {
        ran.status = LATE_STATUS;
        if !ran.output.is_empty() && !ran.output.ends_with('\n') {
            ran.output.push('\n');
        }
        ran.output.push_str(&format!("[killed after {} s]", order.time_max.as_secs_f64()));
    }
    Ok(ran)
}

/// The caller's folders, or those of the workspace; none if the shell is to take its own.
fn roots(engine: &Engine, caller: &Caller) -> Result<Vec<PathBuf>> {
    let own = workspace::roots(caller)?;
    if !own.is_empty() {
        return Ok(own.to_vec());
    }
    Ok(engine.outside.workspace.as_ref().map(|workspace| workspace.roots()).unwrap_or_default())
}

/// An output with a note in its middle, where characters were cut out.
fn with_cut(output: &str, cut: u64) -> String {
    let middle = output.chars().count().div_ceil(2);
    let middle = output.char_indices().nth(middle).map_or(output.len(), |(at, _)| at);
    let (first, last) = output.split_at(middle);
    format!("{first}\n… [{} characters cut] …\n{last}", grouped(cut))
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.chars().enumerate().map(|(at, digit)| format!("{}{digit}", comma(at))).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;
    use crate::ports::{Opened, Shell, Stamp, Workspace};
    use crate::testing::{everybody, setup};
    use crate::{Meaning, Outside, Setup};

    /// Answers what it is told, unless it is told to stop, and keeps where it was asked to run.
    #[derive(Clone)]
    struct FakeShell {
        ran: Ran,
        roots: Arc<Mutex<Vec<PathBuf>>>,
    }

    impl Shell for FakeShell {
        fn admits(&self, _: &[PathBuf], _: &Order) -> Result<()> {
            Ok(())
        }

        fn run(
            &self,
            roots: &[PathBuf],
            _: &Order,
            go_on: &mut dyn FnMut(Duration) -> bool,
        ) -> Result<Ran> {
            *self.roots.lock().unwrap() = roots.to_vec();
            let is_cancelled =
                ![1_200, 2_900].into_iter().all(|ms| go_on(Duration::from_millis(ms)));
            Ok(Ran { is_cancelled, ..self.ran.clone() })
        }
    }

    struct Folders;

    impl Workspace for Folders {
        fn roots(&self) -> Vec<PathBuf> {
            vec!["/work".into()]
        }

        fn open(&self, _: &[PathBuf], _: &str) -> Result<Opened> {
            unreachable!("no file is opened")
        }

        fn replace(&self, _: &[PathBuf], _: &str, _: &[u8], _: Option<Stamp>) -> Result<PathBuf> {
            unreachable!("no file is changed")
        }
    }

    fn ran(status: i32, output: &str) -> Ran {
        Ran { status, output: output.to_owned(), cut: 0, is_late: false, is_cancelled: false }
    }

    fn order() -> Order {
        Order {
            command: "make".to_owned(),
            directory: None,
            time_max: Duration::from_secs(30),
            output_max: OUTPUT_CHARS_MAX,
        }
    }

    /// An engine that may run commands; they end so.
    fn allowed(ran: Ran) -> (tempfile::TempDir, Engine, FakeShell) {
        let (dir, shell) = (tempfile::tempdir().unwrap(), FakeShell { ran, roots: Arc::default() });
        let outside = Outside { shell: Some(Box::new(shell.clone())), ..Outside::default() };
        let engine = Engine::open(dir.path(), Setup { outside, ..setup(Meaning::BuiltIn) });
        (dir, engine.unwrap(), shell)
    }

    /// What becomes of a command that ran so.
    fn told(ran: Ran) -> Result<Ran> {
        let (_dir, engine, _) = allowed(ran);
        run(&engine, &everybody(), &order(), &mut |_, _| true)
    }

    #[test]
    fn an_end_is_told_as_it_was() {
        assert_eq!(told(ran(3, "no rule\n")), Ok(ran(3, "no rule\n")));
    }

    #[test]
    fn what_was_cut_out_is_told_in_its_place() {
        for (output, cut, expected) in [
            ("äöü€", 12_345, "äö\n… [12,345 characters cut] …\nü€"),
            ("abc", 999, "ab\n… [999 characters cut] …\nc"),
            ("", 1_000_000, "\n… [1,000,000 characters cut] …\n"),
        ] {
            let answer = told(Ran { cut, ..ran(0, output) }).unwrap();
            assert_eq!(answer.output, expected);
        }
    }

    #[test]
    fn whoever_was_late_has_the_status_of_timeout_and_a_note() {
        for (output, expected) in [
            ("", "[killed after 30 s]"),
            ("half", "half\n[killed after 30 s]"),
            ("line\n", "line\n[killed after 30 s]"),
        ] {
            let answer = told(Ran { is_late: true, ..ran(143, output) }).unwrap();
            assert_eq!((answer.status, answer.output.as_str()), (124, expected));
        }
    }

    #[test]
    fn seconds_are_told_and_a_command_can_be_called_off() {
        let (_dir, engine, _) = allowed(ran(0, ""));
        let mut heard = Vec::new();
        let error = run(&engine, &everybody(), &order(), &mut |done, all| {
            heard.push((done, all));
            done < 2
        })
        .unwrap_err();
        assert_eq!(heard, [(1, 30), (2, 30)]);
        assert_eq!(error, Error::new(ErrorKind::Timeout, "cancelled; the command was killed"));
    }

    #[test]
    fn it_runs_where_the_caller_is_or_else_in_the_workspace() {
        let (_dir, mut engine, shell) = allowed(ran(0, ""));
        let seen = || shell.roots.lock().unwrap().clone();
        engine.alone().outside.workspace = Some(Box::new(Folders));
        let mut caller = everybody();
        run(&engine, &caller, &order(), &mut |_, _| true).unwrap();
        assert_eq!(seen(), [PathBuf::from("/work")]);
        caller.roots = vec!["/srv/ada".into()];
        run(&engine, &caller, &order(), &mut |_, _| true).unwrap();
        assert_eq!(seen(), caller.roots);
    }

    #[test]
    fn nothing_runs_unless_it_is_allowed() {
        let (_dir, mut engine, _) = allowed(ran(0, ""));
        let refused = |engine: &Engine| {
            let error = run(engine, &everybody(), &order(), &mut |_, _| true).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Forbidden);
            error.message
        };
        engine.alone().read_only = true;
        assert!(refused(&engine).contains("read-only"));
        engine.alone().outside.shell = None;
        assert!(refused(&engine).contains("--allow-commands"));
    }
}
