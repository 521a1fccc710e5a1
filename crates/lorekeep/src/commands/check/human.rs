//! A check as people read it.

use anstyle::Style;
use model::Severity;

use super::known::{Done, Summary};
use super::tree::Tree;
use super::{Knowledge, Outcome, Violation};
use crate::output::{self, BAD, DIM, GOOD, STRONG, WARN, cut, one_line, styled};

pub(super) fn print(outcome: &Outcome, tree: &Tree, knowledge: &Knowledge) {
    if outcome.rules.items().is_empty() {
        output::line(nothing_binds(tree, knowledge));
        return;
    }
    outcome.new_ones().for_each(print_one);
    if outcome.left_out > 0 {
        output::line(format!("{} more are not listed\n", outcome.left_out));
    }
    for line in baseline(&outcome.baseline) {
        output::line(line);
    }
    output::line(summary(outcome));
}

fn print_one(violation: &Violation) {
    let Violation { item, finding, .. } = violation;
    let width = output::width();
    let (style, severity) = (style(finding.severity), finding.severity.name());
    let place = place(violation);
    output::line(format!(
        "{}  {}  {}",
        styled(STRONG, &place),
        styled(style, severity),
        one_line(&finding.message)
    ));
    if let Some(excerpt) = &finding.excerpt {
        let line = finding.location.as_ref().and_then(|place| place.line);
        let number = line.map_or_else(String::new, |line| line.to_string());
        let shown = cut(&format!("{number:>6} | {}", one_line(excerpt)), width);
        output::line(styled(DIM, shown));
    }
    let (operator, target) = (&finding.operator, &finding.target);
    let rule = format!("{}  {operator} {target} {}", item.id, one_line(&finding.pattern));
    output::line(cut(&format!("         {}", rule.trim_end()), width));
    output::line("");
}

/// Where a violation is: a file and a line, or the whole project.
pub(super) fn place(violation: &Violation) -> String {
    let finding = &violation.finding;
    match &finding.location {
        Some(place) => match place.line {
            Some(line) => format!("{}:{line}", one_line(&place.file)),
            None => one_line(&place.file),
        },
        None if finding.global => "(project)".to_owned(),
        None => "(knowledge)".to_owned(),
    }
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Info => DIM,
        Severity::Warn => WARN,
        Severity::Block => BAD,
    }
}

/// What the baseline has to do with it.
fn baseline(baseline: &Summary) -> Vec<String> {
    let Summary { known, mended, done, path } = baseline;
    let mut lines = Vec::new();
    match done {
        Done::Made(count) => {
            let path = path.display();
            lines.push(format!("the baseline {path} was made: {}", violations(*count)));
            return lines;
        }
        Done::Shrunk(count) => {
            lines.push(format!("{} taken out of the baseline", violations(*count)));
        }
        Done::Nothing => {}
    }
    if *known > 0 {
        lines.push(format!("{} in the baseline", old(*known)));
    }
    match mended {
        0 => {}
        1 => lines.push("1 of the baseline is mended: lorekeep check --update-baseline".to_owned()),
        many => lines
            .push(format!("{many} of the baseline are mended: lorekeep check --update-baseline")),
    }
    lines
}

fn violations(count: usize) -> String {
    counted(count, "violation")
}

fn old(count: usize) -> String {
    counted(count, "old violation")
}

/// A number and what it counts.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn summary(outcome: &Outcome) -> String {
    let [info, warn, block] = outcome.counts;
    let files = counted(outcome.files, "file");
    let items = counted(outcome.rules.items().len(), "item");
    let failures = outcome.failures().count();
    if info + warn + block + failures == 0 {
        let dependencies = outcome.dependencies.map_or_else(String::new, |count| {
            let noun = if count == 1 { "dependency" } else { "dependencies" };
            format!(" and {count} {noun}")
        });
        let what = styled(GOOD, "nothing found");
        return format!("checked {files}{dependencies} against {items}: {what}");
    }
    let told = [(block, "block", BAD), (warn, "warn", WARN), (info, "info", DIM)];
    let told = told.into_iter().filter(|(count, _, _)| *count > 0);
    let mut told: Vec<String> =
        told.map(|(count, word, style)| styled(style, format!("{count} {word}"))).collect();
    if failures > 0 {
        let problems = counted(failures, "problem");
        let problems = format!("{problems} (see above; --allow-problems lets it pass)");
        told.push(styled(BAD, problems));
    }
    let took = outcome.took.as_millis();
    format!("{} in {files} against {items} ({took} ms)", told.join(", "))
}

/// What to do where there is nothing to check against.
fn nothing_binds(tree: &Tree, knowledge: &Knowledge) -> String {
    let catalogue = knowledge.catalogue();
    let others = catalogue.open(&knowledge.caller).count();
    let mut folders = vec![tree.root.join(engine::knowledge::PROJECT_FOLDER)];
    folders.extend(knowledge.folders());
    folders.sort();
    folders.dedup();
    let folders: Vec<String> = folders.iter().map(|dir| dir.display().to_string()).collect();
    let unaccepted = match others {
        0 => String::new(),
        _ => format!(" ({} not accepted)", counted(others, "item")),
    };
    format!(
        "nothing to check against: no accepted item{unaccepted} in {}; lorekeep knowledge new makes one",
        folders.join(" or ")
    )
}
