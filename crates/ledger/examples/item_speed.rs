//! How long items take to read: `cargo run --release -p ledger --example item_speed [items]`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a measurement prints and may fail")]

use std::time::Instant;

fn main() {
    let items = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let files: Vec<String> = (0..items).map(file).collect();
    let bytes: usize = files.iter().map(String::len).sum();
    let start = Instant::now();
    for text in &files {
        ledger::item::read("orgs/acme/policies/x.md", None, text).expect("no flaw");
    }
    let took = start.elapsed();
    println!(
        "{items} items of {} bytes: {:.0} ms, {:.1} µs each",
        bytes / items,
        took.as_secs_f64() * 1e3,
        took.as_secs_f64() * 1e6 / items as f64
    );
}

fn file(number: usize) -> String {
    let words = "Every service keeps what it knows in one place. ".repeat(10);
    format!(
        "---\nid: policy-{number}\ntitle: Policy {number}\nstatus: accepted\nseverity: block\n\
         tags: [database, storage]\ncreatedAt: 2026-01-31T12:00:00Z\nconstraints:\n  \
         - operator: must_not_use\n    target: dependency\n    pattern: ^mysql{number}$\n    \
         message: Use PostgreSQL.\n  - operator: must_not_match\n    target: code\n    \
         pattern: unwrap\\(\\)\n    appliesTo: [\"src/**\"]\n---\n\n# Policy {number}\n\n{words}\n"
    )
}
