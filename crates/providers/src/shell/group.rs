//! A process with all that it starts and that stays in its group. None of them outlives this value.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Who was killed is gone at once, unless the system itself holds it; nobody waits longer for that.
const DEATH_MAX: Duration = Duration::from_secs(5);

/// The longest pause between two looks.
const LOOK_MAX: Duration = Duration::from_millis(20);

/// A process group that this process has started.
#[derive(Debug)]
pub(super) struct Group {
    first: Child,
    id: Pid,
    has_ended: bool,
}

impl Group {
    /// Starts a command in a group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let first = command.process_group(0).spawn()?;
        let id = i32::try_from(first.id()).map_err(io::Error::other)?;
        Ok(Self { first, id: Pid::from_raw(id), has_ended: false })
    }

    /// Whether the first process has ended. It is left as it is: as long as nobody asked how it
    /// ended, no other group gets its number.
    #[cfg(target_os = "linux")]
    pub(super) fn is_over(&mut self) -> bool {
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        // An end by a signal without a name is an error here, and an end.
        !matches!(waitid(Id::Pid(self.id), look), Ok(WaitStatus::StillAlive) | Err(Errno::EINTR))
    }

    /// Whether the first process has ended.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_over(&mut self) -> bool {
        !matches!(self.first.try_wait(), Ok(None))
    }

    /// Whether anybody in the group is alive.
    pub(super) fn is_alive(&self) -> bool {
        is_alive(self.id)
    }

    /// Asks all to end.
    pub(super) fn ask_to_end(&self) {
        // Who is gone need not be asked.
        let _ = killpg(self.id, Signal::SIGTERM);
    }

    /// Ends all, and waits until they are gone. Answers how the first one ended, as a shell tells
    /// it.
    pub(super) fn end(&mut self) -> i32 {
        if self.has_ended {
            return self.status();
        }
        self.has_ended = true;
        // Who is gone need not be killed.
        let _ = killpg(self.id, Signal::SIGKILL);
        wait_until(|| !matches!(self.first.try_wait(), Ok(None)));
        wait_until(|| !is_alive(self.id));
        self.status()
    }

    fn status(&mut self) -> i32 {
        let status = self.first.try_wait().ok().flatten();
        let told = |status: std::process::ExitStatus| {
            status.code().or_else(|| status.signal().map(|signal| 128 + signal))
        };
        status.and_then(told).unwrap_or(128 + Signal::SIGKILL as i32)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Looks again and again, though not for ever.
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let (start, mut pause) = (Instant::now(), Duration::from_micros(200));
    while !is_so() && start.elapsed() < DEATH_MAX {
        thread::sleep(pause);
        pause = (pause * 2).min(LOOK_MAX);
    }
}

/// Whether anybody in a group is alive. The dead whom nobody has buried yet are not.
pub(super) fn is_alive(group: Pid) -> bool {
    killpg(group, None).is_ok() && has_living(group)
}

#[cfg(target_os = "linux")]
fn has_living(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.to_string();
    let is_living = |stat: String| {
        // Behind the name, which may hold anything: the state, the parent, the group.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let state = fields.next().unwrap_or("X");
        fields.nth(1) == Some(&group) && !["Z", "X", "x"].contains(&state)
    };
    let stats = processes.flatten().map(|process| process.path().join("stat"));
    stats.flat_map(std::fs::read_to_string).any(is_living)
}

#[cfg(not(target_os = "linux"))]
fn has_living(_: Pid) -> bool {
    true
}
