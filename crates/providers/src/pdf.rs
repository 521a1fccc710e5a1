//! PDFs are read in a process of their own, so that a hostile one costs an error and no more.
//!
//! [`PdfReader`] starts the process, and bounds its time and its output; [`serve_pdf`] is what runs
//! in it, and bounds its memory. In between: the file on standard input, and on standard output a
//! JSON array of pages, or an object with an error.
//!
//! Not here: how a PDF is read. Whoever calls [`serve_pdf`] brings that along.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const MB: usize = 1 << 20;

/// No PDF takes longer to read.
const TIME_MAX: Duration = Duration::from_secs(20);

/// No larger file is read.
const INPUT_BYTES_MAX: usize = 100 * MB;

/// No more text is taken from one.
const OUTPUT_BYTES_MAX: usize = 64 * MB;

/// What the process may have of memory, the program itself included.
const MEMORY_MB_MAX: usize = 1024;

/// What it may compute, should nobody be left to end it.
const CPU_SECONDS_MAX: u64 = 60;

/// No more of its complaints is looked at.
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;

/// Why a PDF was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PdfFailure {
    /// The file has more bytes than this many MB.
    TooLarge(usize),
    /// It took longer than this.
    TooSlow(Duration),
    /// It needs more MB of memory than this.
    TooHungry(usize),
    /// Its text has more MB than this.
    TooLong(usize),
    /// It is encrypted or broken; in words.
    Unreadable(String),
    /// The process could not be started; in words.
    NoReader(String),
}

impl fmt::Display for PdfFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PdfFailure::TooLarge(mb) => write!(f, "the file is larger than {mb} MB"),
            PdfFailure::TooSlow(time) => write!(f, "took longer than {} s", time.as_secs_f32()),
            PdfFailure::TooHungry(mb) => write!(f, "needs more than {mb} MB of memory"),
            PdfFailure::TooLong(mb) => write!(f, "has more than {mb} MB of text"),
            PdfFailure::Unreadable(why) => write!(f, "{why}"),
            PdfFailure::NoReader(why) => write!(f, "the reader of PDFs does not start: {why}"),
        }
    }
}

impl std::error::Error for PdfFailure {}

/// What the process answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Answer {
    Pages(Vec<String>),
    Failure { error: String },
}

/// Reads PDFs by starting a process for each.
#[derive(Debug, Clone)]
pub struct PdfReader {
    command: PathBuf,
    args: Vec<OsString>,
    time_max: Duration,
    input_bytes_max: usize,
    output_bytes_max: usize,
}

impl PdfReader {
    /// A reader that runs this command, which is to call [`serve_pdf`].
    pub fn new(command: PathBuf, args: Vec<OsString>) -> Self {
        PdfReader {
            command,
            args,
            time_max: TIME_MAX,
            input_bytes_max: INPUT_BYTES_MAX,
            output_bytes_max: OUTPUT_BYTES_MAX,
        }
    }

    /// The same with another limit of time.
    pub fn with_time_max(self, time_max: Duration) -> Self {
        PdfReader { time_max, ..self }
    }

    /// The text of each page. When this returns the process is gone.
    pub fn read(&self, bytes: &[u8]) -> Result<Vec<String>, PdfFailure> {
        if bytes.len() > self.input_bytes_max {
            return Err(PdfFailure::TooLarge(self.input_bytes_max / MB));
        }
        let mut child = Running(self.start()?);
        let pipes = (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
        let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(PdfFailure::NoReader("it has no pipes".to_owned()));
        };
        std::thread::scope(|scope| {
            // Who ends before it has read everything has its reasons, and says so on the other pipe.
            scope.spawn(move || drop(stdin.write_all(bytes)));
            let complaint = scope.spawn(move || first_bytes(stderr, COMPLAINT_BYTES_MAX));
            let (sender, answer) = mpsc::channel();
            let limit = self.output_bytes_max as u64 + 1;
            scope.spawn(move || sender.send(first_bytes(stdout, limit)));
            let answer = answer.recv_timeout(self.time_max);
            // It has said everything, or too much, or nothing for too long.
            let status = child.end();
            let complaint = complaint.join().unwrap_or_default();
            let Ok(answer) = answer else { return Err(PdfFailure::TooSlow(self.time_max)) };
            self.understand(&answer, status, &complaint)
        })
    }

    fn start(&self) -> Result<Child, PdfFailure> {
        let mut command = Command::new(&self.command);
        command.args(&self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| PdfFailure::NoReader(error.to_string()))
    }

    fn understand(
        &self,
        answer: &[u8],
        status: Option<ExitStatus>,
        complaint: &[u8],
    ) -> Result<Vec<String>, PdfFailure> {
        if answer.len() > self.output_bytes_max {
            return Err(PdfFailure::TooLong(self.output_bytes_max / MB));
        }
        match serde_json::from_slice(answer) {
            Ok(Answer::Pages(pages)) => return Ok(pages),
            Ok(Answer::Failure { error }) => return Err(PdfFailure::Unreadable(error)),
            Err(_) => {}
        }
        let complaint = String::from_utf8_lossy(complaint);
        if complaint.contains("memory allocation of") {
            return Err(PdfFailure::TooHungry(MEMORY_MB_MAX));
        }
        let why = if complaint.contains("overflowed its stack") {
            "it is nested too deeply".to_owned()
        } else {
            let status = status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
            format!("its reader ended without an answer ({status})")
        };
        Err(PdfFailure::Unreadable(format!("broken: {why}")))
    }
}

/// The first bytes that come, up to a limit. The pipe is closed then.
fn first_bytes(pipe: impl Read, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came before an error is what there is.
    let _ = pipe.take(limit).read_to_end(&mut bytes);
    bytes
}

/// A process that does not outlive this value.
struct Running(Child);

impl Running {
    /// Ends the process if it has not ended, and waits for it: nothing of it is left. Who is about
    /// to end keeps the status it ends with.
    fn end(&mut self) -> Option<ExitStatus> {
        // An error says that it is gone already.
        let _ = self.0.kill();
        self.0.wait().ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// What runs in the process: reads a PDF from `input` by `read`, and writes what became of it to
/// `output`. From here on the process has little memory, and its panics are silent, so it is to do
/// nothing else.
pub fn serve_pdf<E: fmt::Display>(
    mut input: impl Read,
    mut output: impl Write,
    read: impl FnOnce(&[u8]) -> Result<Vec<String>, E>,
) -> io::Result<()> {
    limit_process()?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let answer = match catch_unwind(AssertUnwindSafe(|| read(&bytes))) {
        Ok(Ok(pages)) => Answer::Pages(pages),
        Ok(Err(error)) => Answer::Failure { error: error.to_string() },
        Err(_) => Answer::Failure { error: "broken: its reader gave up on it".to_owned() },
    };
    serde_json::to_writer(&mut output, &answer)?;
    output.flush()
}

#[cfg(unix)]
fn limit_process() -> io::Result<()> {
    use nix::sys::resource::{Resource, setrlimit};
    let memory = (MEMORY_MB_MAX * MB) as u64;
    for (what, max) in [
        (Resource::RLIMIT_AS, memory),
        (Resource::RLIMIT_CPU, CPU_SECONDS_MAX),
        (Resource::RLIMIT_CORE, 0),
    ] {
        setrlimit(what, max, max)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit_process() -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A reader that runs a line of shell.
    fn shell(line: &str) -> PdfReader {
        PdfReader::new("/bin/sh".into(), vec!["-c".into(), line.into()])
    }

    #[test]
    fn pages_and_errors_come_back_as_they_were_said() {
        let read = |line| shell(line).read(b"%PDF");
        assert_eq!(
            read("cat > /dev/null; echo '[\"one\", \"two\"]'"),
            Ok(vec!["one".into(), "two".into()])
        );
        assert_eq!(read("echo '[\"unread\"]'"), Ok(vec!["unread".into()]));
        let failure = read("echo '{\"error\": \"encrypted\"}'").unwrap_err();
        assert_eq!(failure.to_string(), "encrypted");
    }

    #[test]
    fn who_does_not_answer_is_ended_and_said_why() {
        let slow = shell("exec sleep 60").with_time_max(Duration::from_millis(200));
        assert_eq!(slow.read(b"").unwrap_err().to_string(), "took longer than 0.2 s");
        let failure = |line: &str| shell(line).read(b"%PDF").unwrap_err().to_string();
        assert_eq!(
            failure("echo memory allocation of 9 bytes failed >&2; kill -ABRT $$"),
            "needs more than 1024 MB of memory"
        );
        assert_eq!(
            failure("echo thread has overflowed its stack >&2; kill -ABRT $$"),
            "broken: it is nested too deeply"
        );
        let said = failure("exit 3");
        assert!(said.starts_with("broken: its reader ended without an answer"), "{said}");
        let missing = PdfReader::new("/no/such/reader".into(), Vec::new());
        assert!(matches!(missing.read(b""), Err(PdfFailure::NoReader(_))));
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let mut small = shell("exec yes");
        (small.input_bytes_max, small.output_bytes_max) = (MB, 3 * MB);
        assert_eq!(
            small.read(&vec![0; MB + 1]).unwrap_err().to_string(),
            "the file is larger than 1 MB"
        );
        assert_eq!(small.read(b"").unwrap_err().to_string(), "has more than 3 MB of text");
    }

    #[test]
    fn a_large_file_does_not_block_who_answers_before_reading_it() {
        let pages = shell("echo '[]'").read(&vec![b'x'; 10 * MB]);
        assert_eq!(pages, Ok(Vec::new()));
    }
}
