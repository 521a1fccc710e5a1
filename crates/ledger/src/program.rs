//! The program `git`, kept to one repository.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{LedgerError, Result};

/// Variables that would send git to another repository.
const ELSEWHERE: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
];

/// Git in a directory, which it finds the repository by and by nothing else.
pub(crate) fn git(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(dir);
    for name in ELSEWHERE {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    git
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

/// Runs a command with an input, for `limit` at most; none if there is no such program.
pub(crate) fn run(
    mut command: Command,
    input: Vec<u8>,
    limit: Option<Duration>,
) -> Result<Option<Said>> {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LedgerError::Git(error.to_string())),
    };
    if let Some(mut pipe) = child.stdin.take() {
        // Who does not read to the end says why itself.
        thread::spawn(move || pipe.write_all(&input));
    }
    let deadline = limit.map(|limit| Instant::now() + limit);
    let out = gathered(child.stdout.take());
    let err = gathered(child.stderr.take());
    let texts = receive(&out, deadline).and_then(|out| Ok((out, receive(&err, deadline)?)));
    let Ok((out, err)) = texts else {
        let seconds = limit.unwrap_or_default().as_secs();
        stop(&mut child);
        return Err(LedgerError::Git(format!("did not answer within {seconds} s and was ended")));
    };
    let status = child.wait().map_err(|error| LedgerError::Git(error.to_string()))?;
    Ok(Some(Said { status, out, err: String::from_utf8_lossy(&err).trim().to_owned() }))
}

fn gathered(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).ok();
        }
        sender.send(bytes)
    });
    receiver
}

fn receive(
    receiver: &Receiver<Vec<u8>>,
    deadline: Option<Instant>,
) -> Result<Vec<u8>, RecvTimeoutError> {
    match deadline {
        Some(deadline) => receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())),
        None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

fn stop(child: &mut Child) {
    child.kill().ok();
    child.wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let said = run(command, Vec::new(), Some(Duration::from_millis(20)));
        assert!(said.is_err_and(|error| error.to_string().contains("was ended")));
    }

    #[test]
    fn a_program_that_is_not_there_says_nothing() {
        let said = run(Command::new("no-such-program-here"), Vec::new(), None);
        assert!(said.is_ok_and(|said| said.is_none()));
    }

    #[test]
    fn a_large_input_comes_back() {
        let input = vec![b'x'; 1_000_000];
        let said = run(Command::new("cat"), input.clone(), None);
        assert!(said.is_ok_and(|said| said.is_some_and(|said| said.out == input)));
    }
}
