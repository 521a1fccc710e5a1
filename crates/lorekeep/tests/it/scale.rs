//! `bench scale` on a store so small that it says nothing of speed: what it prints and draws.

use serde_json::Value;

use crate::support::lorekeep;

#[test]
fn sizes_are_measured_described_and_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let plot = dir.path().join("latency.svg");
    let output = lorekeep(dir.path())
        .args(["bench", "scale", "--sizes", "50,200", "--seconds", "0.05", "--json", "--dir"])
        .arg(dir.path())
        .arg("--plot")
        .arg(&plot)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sizes = seen["sizes"].as_array().unwrap();
    assert_eq!(
        sizes.iter().map(|size| size["memories"].as_u64()).collect::<Vec<_>>(),
        [Some(50), Some(200)]
    );
    for size in sizes {
        let number = |name: &str| size[name].as_f64().unwrap_or_else(|| panic!("{name}: {size}"));
        assert!(number("calls") >= 300.0, "{size}");
        assert!(0.0 < number("p50_ms"), "{size}");
        assert!(number("p50_ms") <= number("p95_ms"), "{size}");
        assert!(number("p95_ms") <= number("p99_ms"), "{size}");
        assert!(number("first_ms") > 0.0, "{size}");
        assert_eq!(size["first_with_snapshot_ms"], Value::Null, "too small for a snapshot");
        assert_eq!(size["p50_ms_by_kind"].as_object().unwrap().len(), 4, "{size}");
    }
    let storing = seen["storing"].as_array().unwrap();
    assert_eq!(storing.len(), 2);
    assert!(storing.iter().all(|one| one["ratio"].as_f64().unwrap() > 0.0), "{seen}");
    is_xml(&std::fs::read_to_string(&plot).unwrap());
}

/// Whether every element that is opened is closed, and in order.
fn is_xml(text: &str) {
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect(tag);
        let name = tag.split([' ', '\n']).next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn sizes_that_do_not_ascend_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        lorekeep(dir.path()).args(["bench", "scale", "--sizes", "200,50"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--sizes"), "{output:?}");
}
