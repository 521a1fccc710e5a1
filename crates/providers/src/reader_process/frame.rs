//! What server and reader process say to each other, and the process's side of it.
//!
//! A request is the length of its head (4 bytes), its head (JSON: the job, and what it may take), the
//! length of the file (8 bytes) and its bytes. An answer is a status (1 byte), the length of its body
//! (8 bytes), the body (JSON, or why there is none) and whether the process has grown (1 byte).

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Limits, MB};

/// The head of a request is no longer.
const HEAD_BYTES_MAX: u32 = 64 << 10;

/// A process that has so many MB more than at its start when it has answered is not used again.
const GROWN_MB: usize = 48;

/// A request, without the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ask {
    job: Value,
    memory_mb: usize,
    cpu_seconds: u64,
}

impl Ask {
    pub(super) fn new(job: &impl Serialize, limits: Limits) -> Self {
        Ask {
            job: serde_json::to_value(job).unwrap_or_default(),
            memory_mb: limits.memory_mb,
            cpu_seconds: limits.time.as_secs() + 1,
        }
    }

    /// What stands before the bytes of the file.
    pub(super) fn head(&self, file_bytes: usize) -> Vec<u8> {
        let ask = serde_json::to_vec(self).unwrap_or_default();
        let length = u32::try_from(ask.len()).unwrap_or_default();
        [&length.to_le_bytes()[..], &ask, &(file_bytes as u64).to_le_bytes()].concat()
    }
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Done,
    /// The file cannot be read.
    Refused,
    /// The parser panicked.
    GaveUp,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: Status,
    pub(super) body: Vec<u8>,
    /// Whether the process has grown.
    pub(super) is_worn: bool,
}

impl Answer {
    pub(super) const HEAD_BYTES: usize = 9;

    pub(super) fn read_head(head: [u8; Self::HEAD_BYTES]) -> Option<(Status, usize)> {
        let [status, length @ ..] = head;
        let status = match status {
            0 => Status::Done,
            1 => Status::Refused,
            2 => Status::GaveUp,
            _ => return None,
        };
        Some((status, usize::try_from(u64::from_le_bytes(length)).ok()?))
    }
}

/// What runs in the process: answers requests on standard input, which is a connection, until it is
/// closed. Panics are silent here and memory is little, so that the process is to do nothing else.
///
/// # Errors
///
/// That the connection broke, or that there are no limits.
pub fn serve<J: DeserializeOwned, A: Serialize>(
    run: impl Fn(J, &[u8]) -> Result<A, String>,
) -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    std::panic::set_hook(Box::new(|_| {}));
    let at_start = Size::now();
    while let Some(ask) = read_ask(&mut socket)? {
        limit(&at_start, &ask)?;
        let mut length = [0; 8];
        socket.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(usize::MAX));
        Read::by_ref(&mut socket).take(length).read_to_end(&mut bytes)?;
        let job = serde_json::from_value(ask.job)?;
        let (status, body) = match catch_unwind(AssertUnwindSafe(|| run(job, &bytes))) {
            Ok(Ok(answer)) => (0, serde_json::to_vec(&answer)?),
            Ok(Err(why)) => (1, why.into_bytes()),
            Err(_) => (2, Vec::new()),
        };
        drop(bytes);
        socket.write_all(&[status])?;
        socket.write_all(&(body.len() as u64).to_le_bytes())?;
        socket.write_all(&body)?;
        drop(body);
        let has_grown = Size::now().resident > at_start.resident + (GROWN_MB * MB) as u64;
        socket.write_all(&[u8::from(has_grown)])?;
    }
    Ok(())
}

/// The next request; none if the connection was closed.
fn read_ask(socket: &mut UnixStream) -> io::Result<Option<Ask>> {
    let mut length = [0; 4];
    match socket.read_exact(&mut length) {
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length).min(HEAD_BYTES_MAX);
    let mut ask = vec![0; length as usize];
    socket.read_exact(&mut ask)?;
    Ok(Some(serde_json::from_slice(&ask)?))
}

/// Limits what the process may have for this request. Only the soft limits move, so that the next
/// request can have others.
fn limit(at_start: &Size, ask: &Ask) -> io::Result<()> {
    let used = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = used.user_time().tv_sec() + used.system_time().tv_sec();
    // Should nobody be left to end it, it ends by itself.
    let cpu = u64::try_from(seconds).unwrap_or_default() + ask.cpu_seconds;
    let memory = at_start.addresses + (ask.memory_mb * MB) as u64;
    for (what, max) in [(Resource::RLIMIT_CPU, cpu), (Resource::RLIMIT_AS, memory)] {
        let (_, hard) = getrlimit(what)?;
        setrlimit(what, max.min(hard), hard)?;
    }
    Ok(())
}

/// How much memory this process has, in bytes; nothing where the system does not tell.
struct Size {
    addresses: u64,
    resident: u64,
}

impl Size {
    fn now() -> Size {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
            number.map_or(0, |kb: u64| kb << 10)
        };
        Size { addresses: bytes("VmSize:"), resident: bytes("VmRSS:") }
    }
}
