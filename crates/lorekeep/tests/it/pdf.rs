//! PDFs, good and hostile, through the process that reads them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use providers::reader_process::{Failure, Limits, ReaderPool};
use rank::chunk::{Job, Parsed};

/// A slow machine needs some for the bomb, which goes up to the limit of memory. A reader that exceeds it is
/// ended, and a test that hangs is ended by nextest.
const TIME_MAX: Duration = Duration::from_secs(120);

/// So many of what a run of the fuzzer found are tried.
const FOUND_MAX: usize = 100;

/// What a PDF may take that is read alone.
const LIMITS: Limits = Limits { time: TIME_MAX, memory_mb: 448, output_mb: 64 };

fn pool() -> ReaderPool {
    ReaderPool::new(env!("CARGO_BIN_EXE_lorekeep").into(), vec!["reader".into()])
}

fn read_by(pool: &ReaderPool, pdf: &[u8]) -> Result<Vec<String>, Failure> {
    let answer = pool.run(&Job::PdfPages, pdf, LIMITS);
    answer.map(|parsed| match parsed {
        Parsed::Pages(pages) => pages,
        Parsed::Parts(parts) => panic!("{parts:?}"),
    })
}

fn read(pdf: &[u8]) -> Result<Vec<String>, Failure> {
    read_by(&pool(), pdf)
}

/// What was said of a PDF that cannot be read.
#[track_caller]
fn refusal(pdf: &[u8]) -> String {
    read(pdf).map(|pages| pages.concat()).expect_err("no text").to_string()
}

/// A file of these objects, the first of which is the catalogue.
fn pdf(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let (mut file, mut table) = (b"%PDF-1.5\n".to_vec(), String::new());
    for (object, number) in objects.iter().zip(1..) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, count) = (file.len(), objects.len() + 1);
    let end = format!(
        "xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R \
         {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.extend(end.bytes());
    file
}

fn object(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn stream(data: &[u8], entries: &str) -> Vec<u8> {
    let mut object = format!("<< /Length {} {entries} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

/// A file of one page that shows this, with other objects behind it from the sixth on.
fn one_page(content: Vec<u8>, more: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut objects = vec![
        object("<< /Type /Catalog /Pages 2 0 R >>"),
        object("<< /Type /Pages /Kids [4 0 R] /Count 1 >>"),
        object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
        object(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources \
             << /Font << /F1 3 0 R >> /XObject << /X 5 0 R >> >> >>",
        ),
        content,
    ];
    objects.extend_from_slice(more);
    pdf(&objects, trailer)
}

fn shown(text: &str) -> Vec<u8> {
    format!("BT /F1 12 Tf 72 700 Td ({text}) Tj 0 -20 Td (A second line) Tj ET").into_bytes()
}

/// A flate stream, by hand, of `length` zeros in blocks that repeat the last byte.
fn zeros(length: u64) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0x9C78, 16);
    // One block with fixed codes: a zero, then "258 bytes from one back" as often as it takes.
    bits.push(0b011, 3);
    bits.push(0b0000_1100, 8);
    for _ in 0..length / 258 {
        bits.push(0b1010_0011, 8);
        bits.push(0b00000, 5);
    }
    bits.push(0, 7);
    bits.push(0, 39);
    bits.bytes
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    word: u64,
    count: u32,
}

impl Bits {
    fn push(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.word as u8);
            (self.word, self.count) = (self.word >> 8, self.count - 8);
        }
    }
}

#[test]
fn a_good_pdf_gives_its_pages() {
    let good = one_page(stream(&shown("Hello \\(you\\)"), ""), &[], "");
    let pages = read(&good).unwrap();
    assert_eq!(pages.len(), 1);
    let lines: Vec<&str> = pages[0].lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines, ["Hello (you)", "A second line"]);
}

#[test]
fn what_is_no_pdf_is_broken() {
    let good = one_page(stream(&shown("Hello"), ""), &[], "");
    let noise: Vec<u8> =
        (0..5_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let headed = [b"%PDF-1.7\n", noise.as_slice()].concat();
    for bytes in [&b""[..], b"%PDF", &good[..good.len() / 2], &good[..20], &noise, &headed] {
        let said = refusal(bytes);
        assert!(said.starts_with("broken: "), "{said}");
    }
    let pool = pool();
    for end in (0..good.len()).step_by(97) {
        // Whatever it is, it is an answer.
        let _ = read_by(&pool, &good[..end]);
    }
}

#[test]
fn an_encrypted_pdf_is_said_to_be_one() {
    let key = format!(
        "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{}> /U <{}> >>",
        "41".repeat(32),
        "42".repeat(32)
    );
    let id = "00112233445566778899aabbccddeeff";
    let trailer = format!("/Encrypt 6 0 R /ID [<{id}> <{id}>]");
    let said = refusal(&one_page(stream(&shown("Hello"), ""), &[object(&key)], &trailer));
    assert!(said.starts_with("encrypted"), "{said}");
}

#[test]
fn a_bomb_ends_at_the_limit_of_memory() {
    let bomb = one_page(stream(&zeros(3 << 30), "/Filter /FlateDecode"), &[], "");
    assert_eq!(refusal(&bomb), "its parser needs more than 448 MB of memory");
}

#[test]
fn circles_and_depths_come_to_an_end() {
    let circle = [
        object("<< /Type /Catalog /Pages 2 0 R >>"),
        object("<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>"),
        object("<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1 >>"),
    ];
    assert_eq!(refusal(&pdf(&circle, "")), "broken: it has no pages");
    let form = stream(b"/X Do", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]");
    let nested = stream(&[vec![b'['; 300_000], shown("x")].concat(), "");
    let tree = format!("<< /Type /Catalog /Pages 2 0 R /X {} >>", "[".repeat(300_000));
    for hostile in [one_page(form, &[], ""), one_page(nested, &[], ""), pdf(&[object(&tree)], "")] {
        if let Err(failure) = read(&hostile) {
            let said = failure.to_string();
            let is_known = ["broken: ", "its parser ended: "].iter().any(|it| said.starts_with(it));
            assert!(is_known, "{said}");
        }
    }
}

/// Bytes that ended the parser itself, which is what it has a process of its own for. `scripts/fuzz pdf` finds them
/// and gives what it found in `LOREKEEP_FUZZ_FOUND`; those that taught us something are kept.
#[test]
fn what_ends_the_parser_is_an_answer_of_its_process() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/endings/pdf");
    let found = std::env::var_os("LOREKEEP_FUZZ_FOUND").map(std::path::PathBuf::from);
    let mut paths = Vec::new();
    for dir in [Some(kept), found].into_iter().flatten() {
        let entries = std::fs::read_dir(&dir).unwrap_or_else(|why| panic!("{dir:?}: {why}"));
        let before = paths.len();
        paths.extend(entries.map(|entry| entry.unwrap().path()).take(FOUND_MAX));
        eprintln!("{}: {} files", dir.display(), paths.len() - before);
    }
    assert!(!paths.is_empty());
    for path in paths {
        assert_answer(&std::fs::read(&path).unwrap(), &path.display().to_string());
    }
}

/// Asserts that the process that reads PDFs answers, whatever becomes of its parser.
pub(crate) fn assert_answer(pdf: &[u8], name: &str) {
    if let Err(failure) = read(pdf) {
        assert!(!matches!(failure, Failure::NotStarted(_)), "{name}: {failure}");
    }
}

/// Children of this process that ended and were not waited for are marked Z.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left() {
    let _ = read(b"nonsense");
    let _ = read(&one_page(stream(&zeros(3 << 30), "/Filter /FlateDecode"), &[], ""));
    let own = std::process::id().to_string();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let behind_name = stat.rsplit(')').next().unwrap_or_default();
        let mut fields = behind_name.split_whitespace();
        let is_dead = fields.next() == Some("Z");
        assert!(!(is_dead && fields.next() == Some(own.as_str())), "{stat}");
    }
}
