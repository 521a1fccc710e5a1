//! One command, from its start to its end.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::ports::{Order, Ran};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::group::Group;
use super::kept::Kept;

/// How long a look at the command takes if it writes nothing.
const LOOK_MS: u8 = 20;

/// How often it is asked whether to go on.
const NEWS: Duration = Duration::from_millis(100);

/// How long a command that was asked to end may take for it.
const GRACE: Duration = Duration::from_millis(500);

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// How often is read from the pipe after the end: a pipe holds no more, unless somebody who left the
/// group writes on.
const LAST_READS: usize = 64;

/// Why a command is not watched any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Over,
    Late,
    Cancelled,
}

/// Runs a command in a directory, with this environment and no other.
pub(super) fn run(
    directory: &Path,
    environment: &[(OsString, OsString)],
    order: &Order,
    go_on: &mut dyn FnMut(Duration) -> bool,
) -> io::Result<Ran> {
    let (mut group, pipe) = start(directory, environment, &order.command)?;
    let mut output = Output::of(pipe, order.output_max);
    let end = watch(&mut group, &mut output, order.time_max, go_on);
    if end != End::Over {
        group.ask_to_end();
        let asked = Instant::now();
        while asked.elapsed() < GRACE && group.is_alive() {
            output.take(LOOK_MS);
        }
    }
    let status = group.end();
    let _ = (0..LAST_READS).take_while(|_| output.take(0)).count();
    let (output, cut) = output.kept.finish();
    let (is_late, is_cancelled) = (end == End::Late, end == End::Cancelled);
    Ok(Ran { status, output, cut, is_late, is_cancelled })
}

/// Starts a command whose two streams are one pipe. Nobody but the command can write to it.
fn start(
    directory: &Path,
    environment: &[(OsString, OsString)],
    command: &str,
) -> io::Result<(Group, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", "--", command]).current_dir(directory);
    shell.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    shell.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    Ok((Group::start(&mut shell)?, reader))
}

/// Waits for the end of the shell; not of what it left behind.
fn watch(
    group: &mut Group,
    output: &mut Output,
    time_max: Duration,
    go_on: &mut dyn FnMut(Duration) -> bool,
) -> End {
    let (start, mut news) = (Instant::now(), NEWS);
    loop {
        output.take(LOOK_MS);
        if group.is_over() {
            return End::Over;
        }
        let elapsed = start.elapsed();
        if elapsed >= time_max {
            return End::Late;
        }
        if elapsed >= news {
            news = elapsed + NEWS;
            if !go_on(elapsed) {
                return End::Cancelled;
            }
        }
    }
}

/// What a command writes.
struct Output {
    /// None once nobody can write any more.
    pipe: Option<PipeReader>,
    kept: Kept,
    /// Where the bytes of one read go.
    read: Vec<u8>,
    /// How long the next look takes without a pipe: who closed it is about to end most of the time.
    pause_ms: u8,
}

impl Output {
    fn of(pipe: PipeReader, max: usize) -> Self {
        let (kept, read) = (Kept::new(max), vec![0; READ_BYTES]);
        Self { pipe: Some(pipe), kept, read, pause_ms: 1 }
    }

    /// Waits until something is written, for a moment at most, and takes it. Whether there was
    /// something.
    fn take(&mut self, moment_ms: u8) -> bool {
        let Some(pipe) = &mut self.pipe else {
            thread::sleep(Duration::from_millis(self.pause_ms.min(moment_ms).into()));
            self.pause_ms = self.pause_ms.saturating_mul(2);
            return false;
        };
        let mut watched = [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)];
        let is_there = match poll(&mut watched, PollTimeout::from(moment_ms)) {
            Ok(count) => count > 0,
            Err(Errno::EINTR) => false,
            Err(_) => true,
        };
        if !is_there {
            return false;
        }
        match pipe.read(&mut self.read) {
            Ok(0) => self.pipe = None,
            Ok(count) => self.kept.push(&self.read[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
        self.pipe.is_some()
    }
}
