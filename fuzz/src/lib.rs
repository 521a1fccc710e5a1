//! What is tried with any bytes: each function takes some, and panics if a promise does not hold.
//!
//! `scripts/fuzz` gives them to cargo-fuzz; `crates/lorekeep/tests/it/fuzz.rs` includes this file and
//! plays the kept corpus to it, and mutations of that, with plain Rust. A function ends with whatever
//! bytes it is given, in little time, and leaves nothing behind.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use model::Layer;
use providers::clients::{Client, ClientFile, Extras, Home, Scope, System, Wish};
use rank::chunk::{self, Format};
use serde_json::{Map, Value, json};
use tools::testing::{Bench, Speaker};
use tools::{Catalogue, Definition, Selection, Toolset};

/// A target: its name, which is that of its corpus, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, but for the configuration's, which is in the binary.
pub const TARGETS: [Target; 11] = [
    ("lines", lines),
    ("tools", tools),
    ("records", records),
    ("items", items),
    ("chunks", chunks),
    ("pdf", pdf),
    ("search", search),
    ("patterns", patterns),
    ("keep", keep),
    ("clients", clients),
    ("pages", pages),
];

/// The first byte, which chooses, and the rest as text.
fn chosen(data: &[u8]) -> (usize, std::borrow::Cow<'_, str>) {
    let (first, rest) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    (usize::from(first), String::from_utf8_lossy(rest))
}

/// Lines of JSON-RPC: however they are cut, each that is passed on is JSON, and no two lines become one.
pub fn lines(data: &[u8]) {
    let (at_once, rest) = data.split_first().map_or((1, data), |(first, rest)| (*first, rest));
    let read = serve::mended(rest, 256, usize::from(at_once));
    for line in read.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        assert!(serde_json::from_slice::<Value>(line).is_ok(), "a line that is no JSON");
    }
    let whole = serve::mended(rest, 256, 1 << 16);
    assert_eq!(read, whole, "it depends on how it is cut");
    let count = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(count(&read), count(rest), "as many lines");
}

/// Bytes that decide, one after the other; zeros when they are used up.
struct Dice<'a> {
    data: &'a [u8],
}

impl<'a> Dice<'a> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        usize::from(*first)
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next() % all.len()]
    }

    fn text(&mut self) -> String {
        let length = self.next().min(self.data.len());
        let (text, rest) = self.data.split_at(length);
        self.data = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}

/// Texts that mean something to the tools.
const WORDS: [&str; 18] = [
    "",
    "user",
    "project",
    "default",
    "global",
    "database",
    "active",
    "decision",
    "00000000-0000-4000-8000-000000000001",
    "mem_00000000000040008000000000000001",
    "000000000003",
    "000000000005",
    "evt_000000000004",
    "Spring AI",
    "2026-01-01T00:00:00Z",
    "\u{202e}\u{0}\u{feff}",
    "a AND \"b\" OR NEAR(c*) ^d:e -f",
    "../../../etc/passwd",
];

/// A value as a schema asks for it; now and then another.
fn value(schema: &Value, dice: &mut Dice<'_>, depth: usize) -> Value {
    let kinds =
        schema["type"].as_array().and_then(|kinds| kinds.first()).unwrap_or(&schema["type"]);
    let kind = if dice.next() % 16 == 15 { "any" } else { kinds.as_str().unwrap_or("any") };
    match kind {
        "string" => match (dice.next() % 4, schema["enum"].as_array()) {
            (0..=2, Some(all)) if !all.is_empty() => all[dice.next() % all.len()].clone(),
            (0 | 1, _) => json!(dice.pick(&WORDS)),
            _ => json!(dice.text()),
        },
        "integer" => json!(dice.pick(&[0, 1, 2, 10, 100, -1, i64::MAX, i64::MIN, 4096])),
        "number" => json!(dice.pick(&[0.0, 1.0, 0.5, -1.0, 1e300, 0.7, f64::MIN_POSITIVE])),
        "boolean" => json!(dice.next().is_multiple_of(2)),
        "array" if depth < 4 => {
            (0..dice.next() % 4).map(|_| value(&schema["items"], dice, depth + 1)).collect()
        }
        "object" if depth < 4 => Value::Object(fields(schema, dice, depth + 1)),
        _ => match dice.next() % 6 {
            0 => Value::Null,
            1 => json!([dice.text(), {dice.text(): dice.next()}]),
            2 => json!({dice.text(): [null, dice.text()]}),
            3 => json!(-1.5e-7),
            4 => json!(true),
            _ => json!(dice.text()),
        },
    }
}

fn fields(schema: &Value, dice: &mut Dice<'_>, depth: usize) -> Map<String, Value> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let required = schema["required"].as_array();
    let mut fields = Map::new();
    for (name, property) in properties {
        let is_required = required.is_some_and(|all| all.contains(&json!(name)));
        if dice.next() % 8 < if is_required { 7 } else { 3 } {
            fields.insert(name.clone(), value(property, dice, depth));
        }
    }
    if properties.is_empty() {
        fields.extend((0..dice.next() % 3).map(|_| (dice.text(), json!(dice.text()))));
    }
    fields
}

/// Tools that reach beyond the store: none of them is called here.
fn is_within(toolset: Toolset, definition: &Definition) -> bool {
    let reads_files = ["index_file", "index_directory"].contains(&definition.spec.name);
    !matches!(toolset, Toolset::Files | Toolset::Web) && !reads_files
}

/// A store with something of everything; anew after so many calls.
fn with_bench(calls_max: usize, work: impl FnOnce(&mut Bench)) {
    thread_local! {
        static BENCH: RefCell<Option<(Bench, usize)>> = const { RefCell::new(None) };
    }
    BENCH.with_borrow_mut(|bench| {
        let (mut open, calls) = bench.take().unwrap_or_else(|| (seeded(), 0));
        work(&mut open);
        if calls + 1 < calls_max {
            *bench = Some((open, calls + 1));
        }
    });
}

fn seeded() -> Bench {
    let mut bench = Bench::new();
    for (tool, arguments) in [
        ("store_memory", json!({"type": "core", "content": "We deploy the shop on Mondays"})),
        ("memory_store", json!({"content": "Never force-push to main", "memory_type": "pattern"})),
        (
            "record_decision",
            json!({"title": "Use MySQL", "target": "database",
            "rationale": "Everybody here knows it."}),
        ),
        (
            "record_decision",
            json!({"title": "Use SQLite", "target": "storage", "kind": "proposal",
            "rationale": "It needs no server at all."}),
        ),
        ("add_memory_link", json!({"from": "Spring AI", "relation": "integrates", "to": "LLM"})),
    ] {
        let reply = bench.call(tool, arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.value);
    }
    bench
}

/// Whether an answer tells of a fault of ours.
fn is_fault(value: &Value) -> bool {
    let text = value.to_string();
    let faults = ["INTERNAL_SERVER_ERROR", "INTERNAL_ERROR", "STORAGE_ERROR", "CORRUPTED_DATA"];
    faults.iter().any(|fault| text.contains(&format!("\"code\":\"{fault}\"")))
        || text.contains("\"errorCode\":\"PROVIDER_ERROR\"")
}

/// Arguments as the tools' schemas ask for them, more or less: an answer or an error of the caller's.
pub fn tools(data: &[u8]) {
    thread_local! {
        static TOOLS: Vec<Definition> = Catalogue::new(Selection::all())
            .all()
            .filter(|(toolset, definition)| is_within(*toolset, definition))
            .map(|(_, definition)| definition.clone())
            .collect();
    }
    let mut dice = Dice { data };
    TOOLS.with(|tools| {
        with_bench(500, |bench| {
            while !dice.data.is_empty() {
                let tool = &tools[dice.next() % tools.len()];
                let arguments = fields(&Value::Object(tool.input.clone()), &mut dice, 0);
                let reply = bench.call(tool.spec.name, Value::Object(arguments.clone()));
                let is_wrong = reply.is_error && is_fault(&reply.value);
                assert!(!is_wrong, "{} {arguments:?}: {}", tool.spec.name, reply.value);
            }
        });
    });
}

/// Files of the ledger: what can be read is the same after it was written.
pub fn records(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let path = "backend/000000000003.md";
    if let Ok(record) = ledger::file::read(path, &text) {
        let written = ledger::file::write(&record);
        assert_eq!(ledger::file::read(path, &written), Ok(record), "{written}");
    }
}

/// Files of knowledge: what can be read is the same after it was written, and one key can be changed.
pub fn items(data: &[u8]) {
    use ledger::item;
    let (which, text) = chosen(data);
    let paths = ["company/policies/p.md", "orgs/me/adrs/adr-042-x.md", "x.md", "adr/0001-a.md"];
    let path = paths[which % paths.len()];
    drop(item::adr::read(path, &text));
    let read = |text: &str| item::read(path, Some(Layer::Company), text);
    if let Ok(Some(item)) = read(&text) {
        let written = item::write(&item);
        let again = read(&written);
        let said = |item: &model::Item| {
            let model::Item { id, kind, layer, title, summary, status, severity, tags, .. } =
                item.clone();
            (id, kind, layer, title, summary, status, severity, tags)
        };
        let asked = |item: &model::Item| {
            let (mut constraints, mut waivers) = (item.constraints.clone(), item.waivers.clone());
            constraints.iter_mut().for_each(|one| one.line = 0);
            waivers.iter_mut().for_each(|one| one.line = 0);
            (constraints, waivers)
        };
        let is_same = |same: &model::Item| {
            said(same) == said(&item) && (!item.flaws.is_empty() || asked(same) == asked(&item))
        };
        let is_read = matches!(&again, Ok(Some(same)) if is_same(same));
        assert!(is_read, "{item:?}\n{written}\n{again:?}");
        drop(rules::flaws(&item));
    }
    let accepted = item::Value::Text("accepted".to_owned());
    if let Ok(changed) = item::revise(&text, &[("status", Some(accepted))]) {
        drop(read(&changed));
    }
}

/// The extension that the first byte chooses, and the content of the file.
pub fn source_file(data: &[u8]) -> (&'static str, &[u8]) {
    const EXTENSIONS: [&str; 16] = [
        "md", "txt", "html", "py", "rs", "js", "ts", "tsx", "go", "java", "c", "cpp", "rb", "sh",
        "json", "jsx",
    ];
    let (first, content) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    (EXTENSIONS[usize::from(first) % EXTENSIONS.len()], content)
}

/// Texts of every format: chunks hold text, and their lines are lines of the file. A grammar in C may
/// end the process, which is why the product parses in a process of its own.
pub fn chunks(data: &[u8]) {
    let (extension, content) = source_file(data);
    let Ok(text) = chunk::decode(content) else { return };
    let Some(format) = Format::of_extension(extension) else { return };
    let lines = u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX);
    for chunk in chunk::chunk(format, &text) {
        assert!(!chunk.text.trim().is_empty(), "a chunk without text");
        assert!(chunk.start_line >= 1 && chunk.start_line <= chunk.end_line, "{chunk:?}");
        assert!(chunk.end_line <= lines, "{chunk:?} of {lines} lines");
    }
}

/// PDFs: what their reader gives up on is an error, as in the process of its own that reads them.
pub fn pdf(data: &[u8]) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let read = catch_unwind(AssertUnwindSafe(|| chunk::pdf_pages(data)));
    std::panic::set_hook(hook);
    if let Ok(Ok(pages)) = read {
        drop(chunk::chunk_pages(&pages));
    }
}

/// Queries of every search.
pub fn search(data: &[u8]) {
    let (which, query) = chosen(data);
    let query = query.chars().take(1_000).collect::<String>();
    let (tool, field) = [
        ("memory_search", "query"),
        ("search", "query"),
        ("query_memories", "search"),
        ("memory_recall", "query"),
        ("search_decisions", "query"),
        ("knowledge_query", "query"),
        ("memory_context", "query"),
        ("get_context_for_prompt", "prompt"),
    ][which % 8];
    with_bench(5_000, |bench| {
        let reply = bench.call(tool, json!({field: query}));
        assert!(!(reply.is_error && is_fault(&reply.value)), "{tool} {query:?}: {}", reply.value);
    });
}

/// Patterns and globs that people write, on any text.
pub fn patterns(data: &[u8]) {
    let (which, text) = chosen(data);
    let mut parts = text.splitn(3, '\n');
    let mut next = || parts.next().unwrap_or_default();
    let (pattern, glob, text) = (next(), next(), next());
    if let Ok(globs) = rules::Globs::new(&[glob.to_owned()]) {
        globs.matches(text.lines().next().unwrap_or_default());
    }
    drop(rules::clean(text.lines().next().unwrap_or_default()));
    let operators = [
        "must_use",
        "must_not_use",
        "must_match",
        "must_not_match",
        "must_exist",
        "must_not_exist",
    ];
    let targets = ["code", "import", "dependency", "file", "config"];
    let (operator, target) = (operators[which % 6], targets[which / 6 % 5]);
    let front =
        json!({"operator": operator, "target": target, "pattern": pattern, "appliesTo": glob});
    let item = format!(
        "---\ntype: policy\nstatus: accepted\ntitle: T\nconstraints:\n  - {front}\n---\nWords.\n"
    );
    let Ok(Some(item)) = ledger::item::read("company/policies/p.md", None, &item) else { return };
    drop(rules::flaws(&item));
    let set = rules::RuleSet::compile(vec![Arc::new(item)]);
    drop(set.contradictions());
    let files = ["src/main.rs", "a.py", "b.ts", "c.go", "package.json", "Cargo.toml"];
    let files = files.map(|path| rules::SourceFile { path, text });
    let today = model::time::Date::constant(2026, 11, 16);
    drop(set.check(&files, None, rules::Extent::Whole, today, rules::Watch::NONE));
}

/// What is taken out of texts and what is found in them: once is enough.
pub fn keep(data: &[u8]) {
    use rank::keep;
    let text = String::from_utf8_lossy(data);
    let (kept, found) = keep::redact(&text);
    let mut end = 0;
    for secret in &found {
        assert!(secret.range.start >= end && !secret.range.is_empty(), "{found:?}");
        end = secret.range.end;
    }
    assert_eq!(found.is_empty(), kept == text);
    let (again, left) = keep::redact(&kept);
    assert!(left.is_empty(), "{kept} -> {again}");
    let clean = keep::clean(&kept);
    drop((keep::is_trivial(&clean), keep::candidates(&clean)));
    let harmless = keep::harmless(&text);
    assert_eq!(keep::harmless(&harmless), harmless);
}

/// Files of clients: what is put there stays when it is put there again, and can be taken out.
pub fn clients(data: &[u8]) {
    thread_local! {
        static FILES: Vec<ClientFile> = files();
    }
    let (which, text) = chosen(data);
    FILES.with(|files| {
        let file = &files[which % files.len()];
        let wish = Wish { program: "lorekeep".to_owned(), force: which >= 128 };
        let Ok(edit) = file.install(Some(text.clone().into_owned()), &wish) else { return };
        let put = edit.after.unwrap_or_default();
        let again = file.install(Some(put.clone()), &wish);
        assert!(again.is_ok_and(|again| !again.is_change()), "{:?}: {put}", file.path);
        assert!(file.uninstall(Some(put.clone()), Some(&text)).is_ok(), "{:?}: {put}", file.path);
    });
}

fn files() -> Vec<ClientFile> {
    let home = Home::of_variables(System::Linux, |name| (name == "HOME").then(|| "/h/ada".into()));
    let home = home.expect("a home");
    let of = |client: &Client| client.files(&home, &Scope::User, Extras::ALL);
    Client::ALL.iter().flat_map(of).collect()
}

/// Pages of the web.
pub fn pages(data: &[u8]) {
    const KINDS: [&str; 6] = [
        "text/html",
        "text/html; charset=utf-16",
        "",
        "text/plain; charset=shift_jis",
        "application/json",
        "application/xhtml+xml",
    ];
    let (first, rest) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    drop(providers::web::page_of(KINDS[usize::from(first) % KINDS.len()], rest.to_vec()));
}
