//! Shell scripts, whose functions are found by their lines: they begin and end where a line does.

use super::outline::{Outline, Scope};
use crate::chunk::name;
use crate::chunk::pack::{Level, Mark, Style};

/// The functions of a script, each with the comments before it, and what stands between them.
pub(super) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let (mut at, mut lead, mut open) = (0, None, None::<(usize, usize, &str)>);
    for line in text.split_inclusive('\n') {
        let (start, code) = (at, line.trim_end());
        at += line.len();
        if let Some((start, bare_start, function)) = open {
            if code == "}" || code == ")" {
                let name = name(function);
                outline.push_scope(Scope { start, end: at, name }, bare_start, text);
                mark(&mut outline, at);
                open = None;
            }
        } else if code.starts_with('#') {
            lead = lead.or(Some(start));
        } else {
            let (start, bare_start) = (lead.take().unwrap_or(start), start);
            if let Some(function) = function(code) {
                mark(&mut outline, start);
                open = Some((start, bare_start, function));
            }
        }
    }
    outline
}

fn mark(outline: &mut Outline, at: usize) {
    if outline.marks.last().is_none_or(|last| last.at < at) {
        outline.marks.push(Mark { at, level: Level::BLOCK, style: Style::Lines });
    }
}

/// The name of the function that a line begins, if it does not end there as well.
fn function(line: &str) -> Option<&str> {
    let opens = line.ends_with('{') || line.ends_with('(') || line.ends_with("()");
    let rest = line.strip_prefix("function ");
    let name = rest.unwrap_or(line).split(['(', ' ', '{']).next()?;
    let behind = rest.unwrap_or(line)[name.len()..].trim_start();
    let is_name = !name.is_empty() && !name.contains(['=', '$', '"', '\'', '`', ';', '|', '&']);
    (opens && is_name && (rest.is_some() || behind.starts_with("()"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_begin_and_end_with_a_line() {
        let text = "#!/bin/sh\nset -e\n\n# Says so.\nsay() {\n  echo \"$1\"\n}\n\nfunction run {\n  \
            x\n}\none() { echo 1; }\nif true; then\n  say x\nfi\n";
        let outline = outline(text);
        let told: Vec<(&str, &str)> = outline
            .scopes
            .iter()
            .map(|scope| (scope.name.as_str(), text[scope.start..scope.end].trim_end()))
            .collect();
        let expected =
            [("say", "# Says so.\nsay() {\n  echo \"$1\"\n}"), ("run", "function run {\n  x\n}")];
        assert_eq!(told, expected);
    }
}
