//! A process that reads files, seen from the server.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::frame::{Answer, Ask};
use super::{Failure, Limits, MB};

/// So much is written or read at once, so that the time is looked at in between.
const PIECE_BYTES: usize = MB;

/// The first of its complaints are looked at; the rest is read and forgotten.
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;

/// The allocator of the process takes memory as it needs it, not a gigabyte of addresses at once:
/// what it may have is counted in addresses.
const ENVIRONMENT: [(&str, &str); 1] = [("MIMALLOC_ARENA_RESERVE", "0")];

/// A process that does not outlive this value.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    socket: UnixStream,
    /// What it writes on its standard error.
    complaint: Option<JoinHandle<Vec<u8>>>,
}

/// Why there is no answer.
enum Silence {
    /// Its time is over.
    Late,
    /// It closed the connection.
    Closed,
    /// It says more than it may.
    TooLong,
}

impl Child {
    /// Starts one. It is given one end of a connection and nothing else: no environment, no working
    /// directory of ours, and no signals from the terminal.
    pub(super) fn start(command: &Path, args: &[OsString]) -> io::Result<Child> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(command);
        command.args(args).env_clear().envs(ENVIRONMENT).current_dir("/").process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let complaint = process.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut first = Vec::new();
                // What came before an error is what there is.
                let _ = stderr.by_ref().take(COMPLAINT_BYTES_MAX).read_to_end(&mut first);
                let _ = io::copy(&mut stderr, &mut io::sink());
                first
            })
        });
        Ok(Child { process, socket: ours, complaint })
    }

    /// Whether it has not ended.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Asks it, and waits for the answer.
    pub(super) fn ask(
        &mut self,
        ask: &Ask,
        bytes: &[u8],
        limits: Limits,
    ) -> Result<Answer, Failure> {
        let end = Instant::now() + limits.time;
        let sent = [&ask.head(bytes.len())[..], bytes].into_iter().try_for_each(|part| {
            part.chunks(PIECE_BYTES).try_for_each(|piece| self.send(piece, end))
        });
        let answer = match sent {
            Err(Silence::Late) => Err(Silence::Late),
            // Who ends before it has read everything may have said why.
            _ => self.receive(limits, end),
        };
        answer.map_err(|silence| self.explain(&silence, limits))
    }

    fn send(&mut self, piece: &[u8], end: Instant) -> Result<(), Silence> {
        let mut rest = piece;
        while !rest.is_empty() {
            self.socket.set_write_timeout(Some(left(end)?)).map_err(|_| Silence::Closed)?;
            match self.socket.write(rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(why) => silence(&why)?,
            }
        }
        Ok(())
    }

    fn receive(&mut self, limits: Limits, end: Instant) -> Result<Answer, Silence> {
        let mut head = [0; Answer::HEAD_BYTES];
        self.fill(&mut head, end)?;
        let (status, length) = Answer::read_head(head).ok_or(Silence::Closed)?;
        if length > limits.output_mb * MB {
            return Err(Silence::TooLong);
        }
        let mut body = Vec::with_capacity(length);
        while body.len() < length {
            let start = body.len();
            body.resize(length.min(start + PIECE_BYTES), 0);
            self.fill(&mut body[start..], end)?;
        }
        let mut worn = [0];
        self.fill(&mut worn, end)?;
        Ok(Answer { status, body, is_worn: worn != [0] })
    }

    fn fill(&mut self, buffer: &mut [u8], end: Instant) -> Result<(), Silence> {
        let mut filled = 0;
        while filled < buffer.len() {
            self.socket.set_read_timeout(Some(left(end)?)).map_err(|_| Silence::Closed)?;
            match self.socket.read(&mut buffer[filled..]) {
                Ok(0) => return Err(Silence::Closed),
                Ok(read) => filled += read,
                Err(why) => silence(&why)?,
            }
        }
        Ok(())
    }

    /// Ends it, and says why it did not answer.
    fn explain(&mut self, silence: &Silence, limits: Limits) -> Failure {
        // One that closed the connection is ending by itself, and keeps the status it ends with.
        let status = match silence {
            Silence::Closed => self.wait(),
            Silence::Late | Silence::TooLong => self.end(),
        };
        let complaint = self.complaint.take().and_then(|thread| thread.join().ok());
        let complaint = complaint.unwrap_or_default();
        let complaint = String::from_utf8_lossy(&complaint);
        match silence {
            Silence::Late => Failure::TooSlow(limits.time),
            Silence::TooLong => Failure::TooLong(limits.output_mb),
            Silence::Closed if complaint.contains("memory allocation of") => {
                Failure::TooHungry(limits.memory_mb)
            }
            Silence::Closed if complaint.contains("overflowed its stack") => {
                Failure::Ended("the file is nested too deeply".to_owned())
            }
            Silence::Closed => {
                Failure::Ended(status.map_or_else(|| "no status".to_owned(), |it| it.to_string()))
            }
        }
    }

    /// Its status, if it ends soon; else it is ended.
    fn wait(&mut self) -> Option<ExitStatus> {
        const PATIENCE: Duration = Duration::from_secs(2);
        const PAUSE: Duration = Duration::from_millis(1);
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.process.try_wait() {
                Ok(None) => std::thread::sleep(PAUSE),
                Ok(status) => return status,
                Err(_) => break,
            }
        }
        self.end()
    }

    /// Ends it if it has not ended, and waits for it: nothing of it is left.
    fn end(&mut self) -> Option<ExitStatus> {
        // An error says that it is gone already.
        let _ = self.process.kill();
        self.process.wait().ok()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
        if let Some(complaint) = self.complaint.take() {
            let _ = complaint.join();
        }
    }
}

/// How long there is until then.
fn left(end: Instant) -> Result<Duration, Silence> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Silence::Late) } else { Ok(left) }
}

/// What an error of the connection means; nothing if one tries again.
fn silence(why: &io::Error) -> Result<(), Silence> {
    match why.kind() {
        // The time is looked at before the next try.
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(()),
        _ => Err(Silence::Closed),
    }
}
