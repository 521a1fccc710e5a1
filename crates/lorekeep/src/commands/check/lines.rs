//! A check for programs: JSON, JUnit's XML, and annotations of GitHub.

use std::collections::HashMap;

use model::Severity;
use serde_json::{Value, json};

use super::{Outcome, Problem, Violation, human};

/// A check as JSON; a violation has what `knowledge_check` says of one.
pub(super) fn json(outcome: &Outcome) -> Value {
    let [info, warn, block] = outcome.counts;
    let violations: Vec<Value> = outcome.new_ones().map(describe).collect();
    let problem = |problem: &Problem| json!({"file": problem.file, "message": problem.why});
    json!({
        "passed": outcome.is_passed(),
        "violations": violations,
        "summary": {"info": info, "warn": warn, "block": block, "leftOut": outcome.left_out},
        "baseline": {"known": outcome.baseline.known, "mended": outcome.baseline.mended},
        "problems": outcome.problems.iter().map(problem).collect::<Vec<_>>(),
        "files": outcome.files,
        "dependencies": outcome.dependencies,
        "items": outcome.rules.items().len(),
    })
}

fn describe(violation: &Violation) -> Value {
    let Violation { item, finding, .. } = violation;
    let mut told = json!({
        "knowledgeItemId": item.id,
        "knowledgeItemTitle": item.title,
        "constraint": {
            "operator": finding.operator,
            "target": finding.target,
            "pattern": finding.pattern,
        },
        "severity": finding.severity.name(),
        "message": finding.message,
    });
    if let Some(place) = &finding.location {
        told["location"] = json!({"file": place.file});
        if let Some(line) = place.line {
            told["location"]["line"] = json!(line);
        }
    }
    if let Some(excerpt) = &finding.excerpt {
        told["excerpt"] = json!(excerpt);
    }
    told
}

/// A check as JUnit's XML: a test for each item, which fails where it is broken; and one that is an
/// error where something could not be checked.
pub(super) fn junit(outcome: &Outcome) -> Vec<String> {
    let mut broken: HashMap<&str, Vec<&Violation>> = HashMap::new();
    for violation in outcome.new_ones() {
        if violation.finding.severity > Severity::Info {
            broken.entry(&violation.item.id).or_default().push(violation);
        }
    }
    let items = outcome.rules.items();
    let problems: Vec<String> = outcome.failures().map(Problem::text).collect();
    let errors = usize::from(!problems.is_empty());
    let (tests, failures) = (items.len() + errors, broken.len());
    let counts =
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\"");
    let time = outcome.took.as_secs_f64();
    let mut lines = vec![
        r#"<?xml version="1.0" encoding="UTF-8"?>"#.to_owned(),
        format!(r#"<testsuites name="lorekeep" {counts} time="{time:.3}">"#),
        format!(r#"  <testsuite name="lorekeep check" {counts} time="{time:.3}">"#),
    ];
    for item in items {
        let (kind, id) = (item.kind.name(), xml(&item.id));
        let case = format!(r#"    <testcase classname="lorekeep.{kind}" name="{id}" time="0""#);
        match broken.get(item.id.as_str()) {
            None => lines.push(format!("{case}/>")),
            Some(violations) => {
                lines.push(format!("{case}>"));
                lines.extend(failure(violations));
                lines.push("    </testcase>".to_owned());
            }
        }
    }
    if let Some(first) = problems.first() {
        lines.push(r#"    <testcase classname="lorekeep" name="problems" time="0">"#.to_owned());
        lines.push(format!(r#"      <error message="{}">"#, xml(first)));
        lines.push(xml(&problems.join("\n")));
        lines.push("      </error>".to_owned());
        lines.push("    </testcase>".to_owned());
    }
    lines.push("  </testsuite>".to_owned());
    lines.push("</testsuites>".to_owned());
    lines
}

/// All that breaks an item, as the one failure that readers of the format show.
fn failure(violations: &[&Violation]) -> Vec<String> {
    let heaviest = violations.iter().map(|one| one.finding.severity).max().unwrap_or_default();
    let line = |violation: &&Violation| {
        let finding = &violation.finding;
        let (place, severity) = (human::place(violation), finding.severity.name());
        let excerpt =
            finding.excerpt.as_ref().map_or_else(String::new, |text| format!("\n    {text}"));
        xml(&format!("{place}: {severity}: {}{excerpt}", finding.message))
    };
    let first = violations.first().map_or("", |one| &one.finding.message);
    let message = match violations.len() {
        1 => xml(first),
        many => xml(&format!("{first} (and {} more)", many - 1)),
    };
    let texts: Vec<String> = violations.iter().map(line).collect();
    vec![
        format!(r#"      <failure message="{message}" type="{}">"#, heaviest.name()),
        texts.join("\n"),
        "      </failure>".to_owned(),
    ]
}

/// A text in XML, without the characters that it cannot hold.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' => escaped.push('\n'),
            '\t' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A check as annotations of GitHub Actions.
pub(super) fn github(outcome: &Outcome) -> Vec<String> {
    let line = |violation: &Violation| {
        let Violation { item, finding, .. } = violation;
        let level = match finding.severity {
            Severity::Block => "error",
            Severity::Warn => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = &finding.location {
            properties.push(format!("file={}", property(&place.file)));
            properties.extend(place.line.map(|line| format!("line={line}")));
        }
        properties.push(format!("title={}", property(&item.id)));
        format!("::{level} {}::{}", properties.join(","), data(&finding.message))
    };
    let problem = |problem: &Problem| {
        let file = if problem.file.is_empty() {
            String::new()
        } else {
            format!("file={},", property(&problem.file))
        };
        format!("::error {file}title=not checked::{}", data(&problem.why))
    };
    outcome.new_ones().map(line).chain(outcome.failures().map(problem)).collect()
}

/// A message as GitHub reads it.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    escaped.chars().filter(|c| !c.is_control()).collect()
}

/// A property as GitHub reads it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_holds_any_text() {
        let text = "a<b>&\"'\u{1b}[31m\u{0}\u{ffff}\tend";
        let parsed = format!("<x y=\"{}\">{0}</x>", xml(text));
        assert_eq!(
            parsed,
            "<x y=\"a&lt;b&gt;&amp;&quot;&apos;[31m end\">a&lt;b&gt;&amp;&quot;&apos;[31m end</x>"
        );
    }

    #[test]
    fn github_gets_no_second_command() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%\u{1b}"), "a%2Cb%3Ac%25");
    }
}
