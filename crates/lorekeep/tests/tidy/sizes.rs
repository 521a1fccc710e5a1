//! How large files and functions get. What is worth another look is printed; only what nobody can
//! read any more fails.

use crate::code::{functions, lines_without_tests};
use crate::{files_ending, none, read};

/// Worth another look: a tool's file with its tests.
const TOOL_LINES: usize = 250;
/// Worth another look: a function.
const FUNCTION_LINES: usize = 70;
/// Worth another look: parameters of a function.
const PARAMETERS: usize = 6;
/// Worth another look: the width of a line.
const COLUMNS: usize = 100;

/// Too large: a file without its tests.
const FILE_LINES_MAX: usize = 500;
/// Too large: a function.
const FUNCTION_LINES_MAX: usize = 100;

/// Whether a file is a test as a whole.
fn is_test(path: &str) -> bool {
    path.contains("/tests/")
}

#[test]
fn files_stay_readable() {
    let mut findings = Vec::new();
    println!("  lines without tests   file");
    for path in files_ending(".rs") {
        let source = read(&path);
        let (all, code) = (source.lines().count(), lines_without_tests(&source));
        let is_tool = source.contains("\nimpl Tool for ");
        if is_tool && all > TOOL_LINES || code > FILE_LINES_MAX * 7 / 10 {
            println!("{all:>7} {code:>13}   {path}");
        }
        if code > FILE_LINES_MAX && !is_test(&path) {
            findings.push(format!("{path}: {code} lines without tests (at most {FILE_LINES_MAX})"));
        }
    }
    none(&findings);
}

#[test]
fn functions_stay_readable() {
    let mut findings = Vec::new();
    println!("  lines  parameters   function");
    for path in files_ending(".rs") {
        for function in functions(&read(&path)) {
            let (name, line) = (&function.name, function.line);
            let (lines, parameters) = (function.lines, function.parameters);
            if lines > FUNCTION_LINES || parameters > PARAMETERS {
                println!("{lines:>7} {parameters:>11}   {path}:{line} {name}");
            }
            if lines > FUNCTION_LINES_MAX {
                findings.push(format!("{path}:{line} {name}: {lines} lines"));
            }
        }
    }
    none(&findings);
}

/// rustfmt breaks what it can; what is left are transcripts and long texts.
#[test]
fn wide_lines_are_reported() {
    println!("  wide lines   file");
    for path in files_ending(".rs") {
        let source = read(&path);
        let wide = source.lines().filter(|line| line.chars().count() > COLUMNS).count();
        if wide > 0 {
            println!("{wide:>12}   {path}");
        }
    }
}
