//! Records and their files.

use ledger::file::{Flaw, read, write, write_in_each_form};
use model::{
    EpisodeId, Evidence, Phase, Record, RecordId, RecordKind, Rest, Status, Timestamp, Trust,
};
use proptest::prelude::*;

fn record() -> Record {
    let at = "2026-01-01T00:00:00Z".parse().expect("a time");
    Record {
        id: RecordId([0, 1, 0xab, 0xcd, 0xef, 0x10]),
        namespace: "default".parse().expect("a name"),
        kind: RecordKind::Decision,
        status: Status::Active,
        phase: Phase::Emergent,
        trust: Trust::Open,
        title: "Use PostgreSQL".to_owned(),
        target: "database".to_owned(),
        rationale: "It is known.\n\nAnd free.".to_owned(),
        consequences: vec!["Backups\nevery day".to_owned(), "A server".to_owned()],
        confidence: 0.9,
        evidence: vec![
            Evidence::Episode {
                id: EpisodeId([0, 1, 2, 3, 4, 5, 6, 0xff]),
                at: "2026-01-02T03:04:05Z".parse().ok(),
                text: "agent_action: what happened".to_owned(),
            },
            Evidence::Note("a note".to_owned()),
        ],
        supersedes: None,
        superseded_by: None,
        superseded_at: None,
        created_at: at,
        updated_at: at,
        rest: Rest::default(),
    }
}

const FILE: &str = "---
fid: \"0001abcdef10\"
kind: decision
status: active
phase: emergent
target: database
confidence: 0.9
created_at: 2026-01-01T00:00:00.000000Z
updated_at: 2026-01-01T00:00:00.000000Z
---

# Use PostgreSQL

## Rationale

It is known.

And free.

## Consequences

- Backups
  every day
- A server

## Evidence

- evt_00010203040506ff · 2026-01-02T03:04:05Z · agent_action: what happened
- a note
";

fn read_back(record: &Record) -> Record {
    let text = write(record);
    read(&record.path(), &text).unwrap_or_else(|flaws| panic!("{flaws:?}\n{text}"))
}

#[test]
fn a_record_is_written_as_a_person_would() {
    assert_eq!(write(&record()), FILE);
    assert_eq!(read_back(&record()), record());
}

#[test]
fn what_is_seldom_is_written_where_it_is() {
    let mut record = record();
    record.supersedes = Some(RecordId([1; 6]));
    record.superseded_by = Some(RecordId([2; 6]));
    record.superseded_at = Some(record.created_at);
    record.trust = Trust::HumanOnly;
    record.rest.front =
        "# why\nowner: [ada, bob]\nnested:\n  key: |\n    # no comment\n\n    text".to_owned();
    record.rest.body = "## Notes\n\n- mine\n\n## Links\n\nhttps://example.com".to_owned();
    let text = write(&record);
    assert!(
        text.contains("superseded_by: \"020202020202\"\n") && text.contains("trust: human_only\n")
    );
    assert_eq!(read_back(&record), record);
}

/// Whether every reader of YAML takes a value for a text: it is quoted, or begins with a letter and is
/// no word for a truth, nothing or infinity (YAML 1.1 as PyYAML and ruamel read it, and the core schema
/// of 1.2: all other numbers and times begin with a digit, a sign or a dot).
fn is_text_to_all(value: &str) -> bool {
    let words = ["y", "yes", "n", "no", "true", "false", "on", "off", "null"];
    value.starts_with('"') && value.ends_with('"')
        || value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !words.contains(&value)
}

#[test]
fn an_id_is_a_text_to_every_reader_of_yaml() {
    let mut record = record();
    for id in ["397397321518", "824e32738355", "000000000017", "0b1011010111"] {
        record.id = id.parse().expect("an id");
        record.supersedes = Some(record.id);
        let text = write(&record);
        for key in ["fid", "supersedes"] {
            assert!(text.contains(&format!("\n{key}: \"{id}\"\n")), "{text}");
        }
        // As files were written before, and as a person may write them.
        let forms: Vec<String> = write_in_each_form(&record).collect();
        assert!(forms[0] == text && forms[1] == text.replace('"', ""), "{forms:?}");
        for form in [forms[1].clone(), text.replace('"', "'")] {
            assert_eq!(read(&record.path(), &form).as_ref(), Ok(&record), "{form}");
        }
    }
}

#[test]
fn ordinary_markdown_stays_as_it_is() {
    let mut record = record();
    record.rationale = "# Big\n\n### Small\n\n- a\n\n```sh\n## run it\nls # all\n```\n\n---\n\n    code\n\nTitle\n=======\n\na \\ b".to_owned();
    let text = write(&record);
    assert!(text.contains(&format!("\n\n{}\n\n", record.rationale)), "{text}");
    assert_eq!(read_back(&record), record);
}

#[test]
fn a_person_may_leave_out_quote_comment_and_reorder() {
    let text = "---\r\n# my file\r\nstatus: \"draft\"  # for now\r\ntarget: 'api'\r\nkind: proposal # !\r\n\
                \"fid\": \"0001abcdef10\"\r\nsupersedes:\r\ntags:\r\n  - a\r\n  - b\r\n---\r\n# It\u{2019}s: \"so\"\r\n\r\n\
                Because.\r\n\r\n## evidence\r\n* one\r\n+ two\r\nlazy\r\n\r\nA paragraph.\r\n";
    let record = read("team/00/x.md", text).expect("a record");
    assert_eq!((record.kind, record.status), (RecordKind::Proposal, Status::Draft));
    assert_eq!((record.phase, record.confidence), (Phase::Pattern, 0.8));
    assert_eq!(
        (record.created_at, record.updated_at),
        (Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)
    );
    assert_eq!(record.title, "It\u{2019}s: \"so\"");
    assert_eq!((record.target.as_str(), record.rationale.as_str()), ("api", "Because."));
    let notes = ["one", "two\nlazy", "A paragraph."].map(|note| Evidence::Note(note.to_owned()));
    assert_eq!(record.evidence, notes);
    assert_eq!(record.rest.front, "# my file\ntags:\n  - a\n  - b");
    assert_eq!(record.namespace.as_str(), "team");
    assert_eq!(read_back(&record), record);
}

#[test]
fn any_form_of_a_time_is_read() {
    let text = FILE.replace(
        "updated_at: 2026-01-01T00:00:00.000000Z",
        "updated_at: '2026-01-01T02:00:00+01:00'",
    );
    let record = read("default/x.md", &text).expect("a record");
    assert_eq!(record.updated_at.to_string(), "2026-01-01T01:00:00Z");
    let text = text.replace("created_at: 2026-01-01T00:00:00.000000Z\n", "");
    let record = read("default/x.md", &text).expect("a record");
    assert_eq!(record.created_at, record.updated_at);
}

/// The flaws of a file, as they are shown.
fn flaws(text: &str) -> Vec<String> {
    read("default/00/x.md", text).expect_err("flaws").iter().map(Flaw::to_string).collect()
}

#[test]
fn every_flaw_has_its_line_and_says_what_would_be_right() {
    let cases = [
        (
            "kind: decision",
            "kind: decisions",
            "line 3: `kind` should be one of decision, proposal, constraint, not \"decisions\"",
        ),
        (
            "status: active",
            "status: done",
            "line 4: `status` should be one of active, superseded, deprecated, rejected, draft, not \"done\"",
        ),
        (
            "phase: emergent",
            "phase: new",
            "line 5: `phase` should be one of pattern, emergent, canonical, not \"new\"",
        ),
        (
            "fid: \"0001abcdef10\"",
            "fid: 0001ABCDEF10",
            "line 2: `fid` should be 12 digits and letters a to f, not \"0001ABCDEF10\"",
        ),
        (
            "fid: \"0001abcdef10\"\n",
            "",
            "line 1: `fid` is missing: it should be 12 digits and letters a to f",
        ),
        (
            "target: database",
            "target: \"Data base\"",
            "line 6: `target` should be lowercase letters, digits and '_', not \"Data base\"",
        ),
        (
            "confidence: 0.9",
            "confidence: 1.1",
            "line 7: `confidence` should be a number from 0 to 1, not \"1.1\"",
        ),
        ("confidence: 0.9", "confidence: [1]", "line 7: `confidence` should be one value"),
        (
            "confidence: 0.9",
            "trust: nobody",
            "line 7: `trust` should be one of open, human_only, not \"nobody\"",
        ),
        (
            "updated_at: 2026-01-01T",
            "updated_at: 2026-13-01T",
            "line 9: `updated_at` should be a time such as 2026-01-31T12:00:00Z, not \"2026-13-01T00:00:00.000000Z\"",
        ),
        ("kind: decision", "kind: decision\nkind: proposal", "line 4: `kind` should be there once"),
        (
            "# Use PostgreSQL",
            "Use PostgreSQL",
            "line 12: should be the title: `# ` and one line of text",
        ),
        (
            "\nIt is known.\n\nAnd free.\n",
            "",
            "line 12: there should be a section `## Rationale` that says why",
        ),
        (
            "And free.",
            "<<<<<<< HEAD\nAnd free.\n=======\nx\n>>>>>>> side",
            "line 18: a merge conflict: keep one of the two versions and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`",
        ),
        (
            "---\n\n# Use PostgreSQL",
            "\n# Use PostgreSQL",
            "line 1: the front matter should end with a line `---`",
        ),
        ("---\nfid", "fid", "line 1: should be `---`: a file begins with its front matter"),
    ];
    for (from, to, flaw) in cases {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE, "{from}");
        assert_eq!(flaws(&text), [flaw], "{from} -> {to}");
    }
}

#[test]
fn all_flaws_are_told_at_once() {
    let found = flaws("---\nfid: x\nkind: y\n---\n\ntext\n");
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(read("x.md", FILE).expect_err("no folder")[0].why.contains("namespace"));
    assert_eq!(flaws("").len(), 1);
}

#[test]
fn a_section_that_says_nothing_gives_way_to_the_next_of_its_name() {
    let text = "---\nfid: '000000000003'\nkind: decision\nstatus: active\ntarget: x\n---\n\n# Title\n\nWhy.\n\n\
                ## Evidence\n\n## Mine\n\n## Evidence\n\n- A note\n";
    let path = "backend/000000000003.md";
    let record = ledger::file::read(path, text).expect("it can be read");
    assert_eq!(record.evidence.len(), 1);
    assert_eq!(ledger::file::read(path, &ledger::file::write(&record)), Ok(record));
}

#[test]
fn broken_yaml_and_broken_text_are_told_with_their_line() {
    let found = flaws(&FILE.replace("confidence: 0.9", "tags: [a, b\nmore: }"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("line 8: should be YAML")
            || found[0].starts_with("line 7: should be YAML"),
        "{found:?}"
    );
    assert_eq!(Flaw::of_bytes(b"a\nb\xff\n").map(|flaw| flaw.line), Some(2));
    assert_eq!(Flaw::of_bytes("ä".as_bytes()), None);
}

#[test]
fn a_front_matter_that_explodes_is_refused() {
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for n in 1..30 {
        bomb.push_str(&format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1));
    }
    assert!(flaws(&FILE.replace("confidence: 0.9\n", &bomb))[0].contains("should be YAML"));
    let deep = format!("deep: {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
    assert!(flaws(&FILE.replace("confidence: 0.9\n", &deep))[0].contains("should be YAML"));
    let inside = flaws(&FILE.replacen("---\n", "---\n  note: mine\n", 1));
    assert!(inside[0].starts_with("line 2: should be a key, at the beginning"), "{inside:?}");
    // A reader of YAML would take the file for shorter, and all behind it for right.
    let cut = flaws(&FILE.replace("confidence: 0.9\n", "confidence: 0.9\0\nno key\n"));
    assert!(cut.len() == 1 && cut[0].ends_with("should be YAML: it has a NUL"), "{cut:?}");
}

/// Lines that look like the form of a file, and others.
fn line() -> impl Strategy<Value = String> {
    let forms = [
        "",
        " ",
        "  ",
        "\\",
        "\\\\",
        "\\ ",
        "## Consequences",
        "## Rationale",
        "##",
        "##x",
        "## ",
        "\\## x",
        "---",
        "...",
        "```",
        "````",
        "```rust",
        "~~~",
        "\\```",
        "```a`b",
        "- x",
        "* y",
        "-",
        "  - z",
        "<<<<<<< a",
        "=======",
        ">>>>>>>",
        "\\<<<<<<<",
        "# Title",
        " ## x",
        "\t",
        "a\r",
        "\r",
        "evt_00010203040506ff",
        "evt_00010203040506ff · 2026-01-02T03:04:05Z · x",
        "\\evt_1",
        "key: value",
        "🦀 ünï",
        "a · b",
    ];
    prop_oneof![
        3 => prop::sample::select(forms.to_vec()).prop_map(str::to_owned),
        1 => "[ -~äß\u{1f980}]{0,12}",
        1 => "\\PC{0,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 1..7).prop_map(|lines| lines.join("\n"))
}

fn item() -> impl Strategy<Value = Evidence> {
    let time = prop::option::of(
        (0..4_000_000_000_000_000i64)
            .prop_map(|micros| model::time::from_micros(micros).expect("a time")),
    );
    prop_oneof![
        text().prop_map(Evidence::Note),
        (any::<[u8; 8]>(), time, text())
            .prop_map(|(id, at, text)| { Evidence::Episode { id: EpisodeId(id), at, text } }),
    ]
}

prop_compose! {
    fn records()(
        id in any::<[u8; 6]>(),
        kind in prop::sample::select(RecordKind::ALL),
        status in prop::sample::select(Status::ALL),
        trust in prop::sample::select(Trust::ALL),
        title in "[!-~ä][ -~äß\u{1f980}]{0,20}",
        target in prop_oneof!["[a-z0-9_]{1,8}", Just("null".to_owned()), Just("1e5".to_owned()), Just("yes".to_owned())],
        rationale in text().prop_filter("some", |text| !text.is_empty()),
        consequences in prop::collection::vec(text(), 0..4),
        evidence in prop::collection::vec(item(), 0..4),
        confidence in (0..=1_000_000u32).prop_map(|n| f64::from(n) / 1e6),
        micros in 0..4_000_000_000_000_000i64,
        superseded in prop::option::of(any::<[u8; 6]>()),
        front in prop::sample::select(vec!["", "x: 1", "# only a comment", "a:\n  - b\n# c\nd: |\n  # e\n\n  f"]),
        body in prop::sample::select(vec!["", "## Other", "## Other\n\n```\n## Evidence\n```\n\n## More\n\nx"]),
    ) -> Record {
        let at = model::time::from_micros(micros).expect("a time");
        let id = RecordId(id);
        let superseded = superseded.map(RecordId);
        Record {
            id, kind, status, trust, target, rationale, consequences, evidence, confidence,
            title: title.trim().to_owned(),
            supersedes: superseded,
            superseded_by: superseded,
            superseded_at: superseded.map(|_| at),
            created_at: at,
            updated_at: at,
            rest: Rest { front: front.to_owned(), body: body.to_owned() },
            ..record()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_is_read_back(record in records()) {
        let text = write(&record);
        let read = read(&record.path(), &text);
        prop_assert_eq!(read.as_ref(), Ok(&record), "{}", text);
        let texts = ["fid", "kind", "status", "phase", "target", "supersedes", "superseded_by", "trust"];
        for (key, value) in text.lines().take_while(|line| !line.starts_with("# ")).filter_map(|line| line.split_once(": ")) {
            prop_assert!(!texts.contains(&key) || is_text_to_all(value), "{}", text);
        }
    }

    #[test]
    fn nothing_makes_reading_panic(lines in prop::collection::vec(line(), 0..20)) {
        let text = lines.join("\n");
        read("default/x.md", &text).map_or_else(|flaws| assert!(!flaws.is_empty()), drop);
        let text = format!("---\nfid: 0001abcdef10\n{text}");
        read("default/x.md", &text).map_or_else(|flaws| assert!(!flaws.is_empty()), drop);
    }

    #[test]
    fn what_a_person_wrote_is_the_same_after_it_was_written_again(lines in prop::collection::vec(line(), 0..20)) {
        let text = format!("{}\n{}\n", FILE.split("## Evidence").next().expect("text"), lines.join("\n"));
        if let Ok(record) = read("default/00/x.md", &text) {
            prop_assert_eq!(read_back(&record), record);
        }
    }
}

/// Found by fuzzing: a return inside the title came back as a space.
#[test]
fn a_return_within_a_title_is_a_space_from_the_beginning() {
    let text = "---\nfid: '000000000003'\nkind: decision\nstatus: active\ntarget: database\n---\n\n# Use\rMySQL\n\n## Rationale\n\nIt is known.\n";
    let record = ledger::file::read("backend/000000000003.md", text).unwrap();
    assert_eq!(record.title, "Use MySQL");
    let written = ledger::file::write(&record);
    assert_eq!(ledger::file::read("backend/000000000003.md", &written).unwrap(), record);
}
