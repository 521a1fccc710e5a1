//! How long checks take. Nothing fails here; run it in release to read the figures:
//! `cargo test -p rules --release --test speed -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use model::{
    Constraint, Dependency, Item, ItemKind, ItemStatus, Layer, Metadata, Operator, Severity, Target,
};
use rules::{Listed, RuleSet, SourceFile};

fn constraint(n: usize) -> Constraint {
    let (target, pattern) = match n % 20 {
        0..4 => (Target::Code, format!(r"mysql_connect_{n}\(")),
        4..8 => (Target::Code, format!(r#"(?i)password{n}\s*=\s*""#)),
        8..11 => (Target::Config, format!(r"foo_bar_{n}_\d+")),
        11..14 => (Target::Code, format!(r"\b(?:unsafe|dirty)_call_{n}\b.*;$")),
        14..16 => (Target::Import, format!(r"^(?:legacy|old)\.module{n}\b")),
        16..18 => (Target::Dependency, format!("left-pad-{n}|right-pad-{n}")),
        _ => (Target::File, format!("**/generated_{n}/*.tmp")),
    };
    let applies_to = if n.is_multiple_of(3) {
        vec![format!("src/m{}/**/*.rs", n % 50), "*.{js,ts}".to_owned()]
    } else {
        Vec::new()
    };
    let (operator, severity, message) = (Operator::MustNotUse, None, None);
    Constraint { operator, target, pattern, applies_to, severity, message, line: n }
}

fn items(count: usize, each: usize) -> Vec<Arc<Item>> {
    let item = |nth: usize| Item {
        id: format!("policy-{nth}"),
        kind: ItemKind::Policy,
        layer: Layer::Company,
        owner: None,
        title: "Title".to_owned(),
        summary: String::new(),
        status: ItemStatus::Accepted,
        severity: Severity::Warn,
        tags: Vec::new(),
        metadata: Metadata::default(),
        created_at: None,
        updated_at: None,
        version: None,
        supersedes: None,
        superseded_by: Vec::new(),
        constraints: (0..each).map(|at| constraint(nth * each + at)).collect(),
        waivers: Vec::new(),
        flaws: Vec::new(),
        content: String::new(),
    };
    (0..count).map(|nth| Arc::new(item(nth))).collect()
}

/// Code that looks real; one file in a hundred breaks a rule.
fn text(nth: usize, lines: usize) -> String {
    let line = |at: usize| match (nth * 7 + at) % 8 {
        0 => format!("    let value_{at} = compute(input, {nth});"),
        1 => "    if connection.password.is_empty() {".to_owned(),
        2 => "        return Err(Error::Missing(\"user name\"));".to_owned(),
        3 => "    }".to_owned(),
        4 => format!("    // The foo_bar of part {at} is made from its mysql rows."),
        5 => format!("    self.rows.push(Row {{ id: {at}, name: name.clone() }});"),
        6 => "fn import_generated(module: &Module) -> Result<(), Error> {".to_owned(),
        _ if nth.is_multiple_of(100) && (70..78).contains(&at) => {
            format!("    mysql_connect_{}();", nth % 4)
        }
        _ => String::new(),
    };
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    let today = model::time::Date::constant(2026, 1, 31);
    let listed = |n: usize| Listed {
        dependency: Dependency { name: format!("package-{n}"), version: Some("1.0.0".to_owned()) },
        location: None,
    };
    let dependencies: Vec<Listed> = (0..100).map(listed).collect();
    for (count, each) in [(1_000, 5), (2_000, 5)] {
        let items = items(count, each);
        let start = Instant::now();
        let rules = RuleSet::compile(items);
        println!("{} constraints compiled in {:?}", count * each, start.elapsed());
        let big = text(1, 1_000);
        let one = [SourceFile { path: "src/m3/a.rs", text: &big }];
        for round in 0..3 {
            let start = Instant::now();
            let report = rules.check(&one, Some(&dependencies), today, &|| false).unwrap();
            let took = start.elapsed();
            println!(
                "  one file, {} kB, round {round}: {took:?}, {}",
                big.len() / 1000,
                report.warn
            );
        }
        for files in [5_000, 10_000] {
            let texts: Vec<(String, String)> =
                (0..files).map(|n| (format!("src/m{}/part{n}.rs", n % 50), text(n, 200))).collect();
            let files: Vec<SourceFile<'_>> =
                texts.iter().map(|(path, text)| SourceFile { path, text }).collect();
            let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
            let start = Instant::now();
            let report = rules.check(&files, Some(&dependencies), today, &|| false).unwrap();
            let took = start.elapsed();
            println!(
                "  {} files, {} MB: {took:?}, {}",
                files.len(),
                bytes / 1_000_000,
                report.warn
            );
        }
    }
    let bare = |n: usize| Constraint {
        target: Target::Code,
        pattern: format!(r"\b[A-Z]{{{}}}\d{{{}}}\b", n % 10 + 2, n / 10 + 2),
        applies_to: Vec::new(),
        ..constraint(n)
    };
    let mut item = Arc::unwrap_or_clone(items(1, 1).remove(0));
    item.constraints = (0..100).map(bare).collect();
    let rules = RuleSet::compile(vec![Arc::new(item)]);
    let texts: Vec<String> = (0..1_000).map(|n| text(n, 200)).collect();
    let files: Vec<SourceFile<'_>> =
        texts.iter().map(|text| SourceFile { path: "a.rs", text }).collect();
    let start = Instant::now();
    let report = rules.check(&files, None, today, &|| false).unwrap();
    println!("100 without literals, 1000 files: {:?}, {}", start.elapsed(), report.warn);
    let hitting = |n: usize| Constraint {
        target: Target::Code,
        pattern: format!("value|never_{n}"),
        applies_to: Vec::new(),
        ..constraint(n)
    };
    let mut item = Arc::unwrap_or_clone(items(1, 1).remove(0));
    item.constraints = (0..10_000).map(hitting).collect();
    let rules = RuleSet::compile(vec![Arc::new(item)]);
    let start = Instant::now();
    let report = rules.check(&files[..50], None, today, &|| false).unwrap();
    println!("10000 that all hit, 50 files: {:?}, {}", start.elapsed(), report.warn);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
}
