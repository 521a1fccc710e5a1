//! What each operator means of each target.

use model::Operator::{MustExist, MustMatch, MustNotExist, MustNotMatch, MustNotUse, MustUse};
use model::Target::{Code, Config, Dependency, File, Import};
use model::{Operator, Target, Waiver};

use super::{TODAY, applied, check, item, listed, places, rule, rules, waiver};
use crate::{Extent, Project, Watch};

/// Where a rule is broken, in files and dependencies.
fn broken(
    operator: Operator,
    target: Target,
    pattern: &str,
    files: &[(&str, &str)],
    names: Option<&[&str]>,
) -> Vec<String> {
    let report = check(vec![item("p", vec![rule(operator, target, pattern)])], files, names);
    assert_eq!(report.warn, report.findings.len());
    for finding in &report.findings {
        assert_eq!(finding.global, finding.location.is_none(), "{finding:?}");
        assert_eq!(finding.operator, operator.name());
        assert_eq!(finding.target, target.name());
        assert_eq!(finding.pattern, pattern);
    }
    places(&report)
}

#[test]
fn forbidden_dependencies_are_found_by_their_whole_name() {
    for operator in [MustNotUse, MustNotMatch, MustNotExist] {
        let of =
            |pattern: &str, names: &[&str]| broken(operator, Dependency, pattern, &[], Some(names));
        assert_eq!(
            of("mysql|mysql2", &["pg@1", "mysql2@3.0.0", "mysql"]),
            ["package.json:2", "package.json:3"]
        );
        assert!(of("mysql|mysql2", &["mysql3", "my", "xmysql", "mysql-x@mysql"]).is_empty());
        assert!(of("mysql", &[]).is_empty());
        assert!(broken(operator, Dependency, "mysql", &[("mysql", "mysql")], None).is_empty());
    }
}

#[test]
fn a_pattern_with_an_at_sign_is_for_the_version_too() {
    let of =
        |pattern: &str, names: &[&str]| broken(MustNotUse, Dependency, pattern, &[], Some(names));
    assert_eq!(
        of(r"left-pad@1\..*", &["left-pad@1.2", "left-pad@2.0", "left-pad"]),
        ["package.json:1"]
    );
    assert_eq!(
        of("@scope/.*", &["@scope/a@1.0.0", "@scope/b", "@other/c@1"]),
        ["package.json:1", "package.json:2"]
    );
    assert_eq!(of("@scope/a", &["@scope/a@1.0.0"]), ["package.json:1"]);
    assert!(of("left-pad", &["left-pad-x@1"]).is_empty());
}

#[test]
fn a_dependency_that_is_asked_for_must_be_listed() {
    for operator in [MustUse, MustExist] {
        let of = |names: Option<&[&str]>| broken(operator, Dependency, "serde|toml", &[], names);
        assert!(of(Some(&["a", "toml@1.0"])).is_empty());
        assert_eq!(of(Some(&["serde_json", "a"])), [""]);
        assert_eq!(of(Some(&[])), [""]);
        assert!(of(None).is_empty());
    }
}

#[test]
fn every_dependency_must_match_where_that_is_asked() {
    let of = |names: Option<&[&str]>| broken(MustMatch, Dependency, "acme-.*", &[], names);
    assert_eq!(of(Some(&["acme-a", "other", "xacme-b@1"])), ["package.json:2", "package.json:3"]);
    assert!(of(Some(&["acme-a"])).is_empty());
    assert!(of(Some(&[])).is_empty());
    assert!(of(None).is_empty());
}

#[test]
fn a_forbidden_text_is_found_once_a_line() {
    for target in [Code, Config] {
        let of = |pattern: &str, text: &str| {
            broken(MustNotUse, target, pattern, &[("a.php", text)], None)
        };
        let text = "x\nmysql_connect(); mysql_connect();\n\nmysql_connect(\n";
        assert_eq!(of(r"mysql_connect\(", text), ["a.php:2", "a.php:4"]);
        assert_eq!(of(r"mysql_connect\(", &text.replace('\n', "\r\n")), ["a.php:2", "a.php:4"]);
        assert!(of(r"mysql_connect\(", "mysql_connect\n(").is_empty());
        assert_eq!(of(r"^b$", "a\r\nb\r\nc b\r\n"), ["a.php:2"]);
        assert_eq!(of(r"^b$", "a\nb\nc b\nb"), ["a.php:2", "a.php:4"]);
        assert_eq!(of(r"^$", "a\n\nb\n"), ["a.php:2"]);
        assert_eq!(of(r"(?s)begin.*?end", "begin\nx\nend begin\nend"), ["a.php:1", "a.php:3"]);
        assert!(of("x", "").is_empty());
    }
}

#[test]
fn a_text_that_is_asked_for_must_be_in_some_file() {
    let of = |files: &[(&str, &str)]| broken(MustUse, Code, "use strict", files, None);
    assert!(of(&[("a", "no"), ("b", "'use strict'")]).is_empty());
    assert_eq!(of(&[("a", "no"), ("b", "use  strict")]), [""]);
    assert!(of(&[]).is_empty());
}

#[test]
fn every_file_must_match_where_that_is_asked() {
    let of = |pattern: &str, files: &[(&str, &str)]| broken(MustMatch, Code, pattern, files, None);
    let files = [("a.c", "// Copyright\n"), ("b.c", "int x;\n// Copyright"), ("c.c", "")];
    assert_eq!(of(r"\A// Copyright", &files), ["b.c", "c.c"]);
    assert_eq!(of(r"^// Copyright", &files), ["c.c"]);
    assert!(of(r"", &files).is_empty());
}

#[test]
fn no_file_may_match_where_that_is_asked_and_every_match_is_named() {
    let of = |text: &str| broken(MustNotMatch, Config, "debug: true", &[("a.yml", text)], None);
    assert_eq!(of("x\ny\ndebug: true\ndebug: true\n"), ["a.yml:3", "a.yml:4"]);
    assert!(of("debug: false\ndebug:\ntrue").is_empty());
}

#[test]
fn imports_are_found_by_their_statement_or_their_modules() {
    for operator in [MustNotUse, MustNotMatch] {
        let of = |pattern: &str, path: &str, text: &str| {
            broken(operator, Import, pattern, &[(path, text)], None)
        };
        let text = "import os\n\nimport mysql.connector\nmysql::connector";
        assert_eq!(of(r"mysql\.", "a.py", text), ["a.py:3"]);
        assert_eq!(of(r"^mysql::connector$", "a.py", text), ["a.py:3"]);
        assert_eq!(of(r"^import", "a.py", text), ["a.py:1", "a.py:3"]);
        assert!(of(r"mysql::x", "a.py", text).is_empty());
        assert!(of(r"mysql\.", "a.txt", text).is_empty());
    }
}

#[test]
fn an_import_that_is_asked_for_must_be_in_some_file_we_can_read() {
    let of = |files: &[(&str, &str)]| broken(MustUse, Import, "logging", files, None);
    assert!(of(&[("a.py", "import os"), ("b.py", "import acme.logging")]).is_empty());
    assert_eq!(of(&[("a.py", "import os"), ("b.txt", "import logging")]), [""]);
    assert_eq!(of(&[("a.py", "")]), [""]);
    assert!(of(&[("b.txt", "import logging")]).is_empty());
}

#[test]
fn every_import_must_match_where_that_is_asked() {
    let text = "import acme.a\nimport os\nimport acme.b\n";
    assert_eq!(
        broken(MustMatch, Import, "acme", &[("a.py", text), ("b.c", text)], None),
        ["a.py:2"]
    );
    assert!(broken(MustMatch, Import, "o|a", &[("a.py", text)], None).is_empty());
}

#[test]
fn paths_are_matched_by_globs() {
    let files = [("src/a.tmp", ""), ("b.tmp", ""), ("src/c.rs", "a.tmp")];
    for operator in [MustNotUse, MustNotMatch, MustNotExist] {
        let of = |glob: &str| broken(operator, File, glob, &files, None);
        assert_eq!(of("*.tmp"), ["b.tmp", "src/a.tmp"]);
        assert_eq!(of("src/*.tmp"), ["src/a.tmp"]);
        assert!(of("lib/*.tmp").is_empty());
    }
    assert_eq!(broken(MustMatch, File, "src/**", &files, None), ["b.tmp"]);
    assert!(broken(MustMatch, File, "**", &files, None).is_empty());
    assert!(broken(MustExist, File, "*.rs", &files, None).is_empty());
    assert_eq!(broken(MustExist, File, "README.md", &files, None), [""]);
    assert!(broken(MustExist, File, "README.md", &[], None).is_empty());
}

#[test]
fn rules_see_only_the_files_they_are_for() {
    let files = [("src/a.py", "import os\nbad\n"), ("lib/a.py", "import os\nbad\n")];
    let of = |operator, target, pattern: &str, to: &str| {
        places(&check(vec![item("p", vec![applied(operator, target, pattern, to)])], &files, None))
    };
    assert_eq!(of(MustNotUse, Code, "bad", "src/"), ["src/a.py:2"]);
    assert_eq!(of(MustNotMatch, Code, "bad", "lib/**"), ["lib/a.py:2"]);
    assert_eq!(of(MustMatch, Code, "good", "*/a.py"), ["lib/a.py", "src/a.py"]);
    assert_eq!(of(MustUse, Code, "good", "src/*"), [""]);
    assert!(of(MustUse, Code, "good", "other/*").is_empty());
    assert_eq!(of(MustNotUse, Import, "os", "src/*"), ["src/a.py:1"]);
    assert!(of(MustUse, Import, "sys", "other/*").is_empty());
    assert_eq!(of(MustUse, Import, "sys", "lib/*"), [""]);
    assert_eq!(of(MustNotUse, File, "*.py", "lib/*"), ["lib/a.py"]);
    assert_eq!(of(MustMatch, File, "*.rs", "lib/*"), ["lib/a.py"]);
    assert_eq!(of(MustExist, File, "src/*.py", "lib/*"), [""]);
    assert_eq!(of(MustExist, File, "*.py", "other/*"), [""]);
    assert!(of(MustExist, File, "*.py", "lib/*").is_empty());
    let narrowed = vec![item("p", vec![applied(MustNotUse, Dependency, "mysql", "other/*")])];
    assert_eq!(places(&check(narrowed, &files, Some(&["mysql"]))), ["package.json:1"]);
}

#[test]
fn paths_are_told_with_slashes() {
    assert_eq!(broken(MustNotUse, Code, "bad", &[(".\\src\\a.c", "bad")], None), ["src/a.c:1"]);
}

#[test]
fn an_excerpt_is_the_line_or_the_import_or_the_dependency() {
    let excerpt = |operator, target, pattern: &str, text: &str| {
        let items = vec![item("p", vec![rule(operator, target, pattern)])];
        check(items, &[("a.py", text)], Some(&["mysql@1.0"])).findings[0].excerpt.clone()
    };
    let long = format!("{}bad{}", "ä".repeat(1_000), "b".repeat(1_000));
    assert_eq!(excerpt(MustNotUse, Code, "bad", "x\n\t a bad one \r\ny").unwrap(), "a bad one");
    assert_eq!(excerpt(MustNotMatch, Code, "bad", "bad").unwrap(), "bad");
    let around = excerpt(MustNotUse, Code, "bad", &long).unwrap();
    assert!(around.starts_with("…ä") && around.contains("äbadb"), "{around}");
    assert_eq!(around.chars().count(), 200);
    let begin = excerpt(MustNotUse, Code, "^ä", &format!("x\n{long}")).unwrap();
    assert_eq!(begin, "ä".repeat(200));
    assert_eq!(excerpt(MustNotUse, Import, "os", "import os.path").unwrap(), "import os.path");
    assert_eq!(excerpt(MustNotUse, Dependency, "mysql", "").unwrap(), "mysql 1.0");
    assert_eq!(excerpt(MustMatch, Code, "x", "y"), None);
}

#[test]
fn packages_of_python_are_known_by_any_spelling_of_their_name() {
    let of = |pattern: &str, file: &str, names: &[&str]| -> Vec<usize> {
        let item = item("p", vec![rule(MustNotUse, Dependency, pattern)]);
        let mut listed = listed(names);
        listed
            .iter_mut()
            .filter_map(|one| one.location.as_mut())
            .for_each(|at| at.file = file.into());
        let report =
            rules(vec![item]).check(&[], Some(&listed), Extent::Whole, TODAY, Watch::NONE).unwrap();
        report.findings.iter().filter_map(|one| one.location.as_ref()?.line).collect()
    };
    let names =
        ["Flask", "PyYAML", "flit_core", "Flit.Core", "flit--core", "ruamel.yaml", "flask2@1"];
    for file in ["pyproject.toml", "a/requirements.txt", "requirements/dev.in"] {
        assert_eq!(of("flask|pyyaml|flit-core", file, &names), [1, 2, 3, 4, 5], "{file}");
        assert_eq!(of("Flit_Core", file, &names), [3, 4, 5]);
        assert_eq!(of("RUAMEL-YAML", file, &names), [6]);
        assert_eq!(of("Flask2@1", file, &names), [7]);
        assert!(of("flitcore", file, &names).is_empty());
    }
    assert!(of("flask|pyyaml|flit-core", "package.json", &names).is_empty());
}

#[test]
fn a_waiver_knows_a_package_of_python_by_any_spelling() {
    let mut rule = item("p", vec![rule(MustNotUse, Dependency, "flit-core")]);
    rule.waivers = vec![Waiver { dependency: Some("Flit.Core".into()), ..waiver(TODAY) }];
    let mut listed = listed(&["flit_core"]);
    let rules = rules(vec![rule]);
    listed[0].location.as_mut().unwrap().file = "pyproject.toml".into();
    let report = rules.check(&[], Some(&listed), Extent::Whole, TODAY, Watch::NONE).unwrap();
    assert!(report.findings.is_empty());
}

/// Rules about a whole project are judged by what it has, not by the part that is checked.
#[test]
fn a_part_of_a_project_breaks_no_rule_about_all_of_it() {
    let constraints = vec![
        rule(MustExist, File, "README.md"),
        rule(MustUse, Dependency, "serde"),
        rule(MustExist, Dependency, "tracing"),
        rule(MustNotExist, File, "*.pem"),
    ];
    let rules = rules(vec![item("p", constraints)]);
    let report = |source: &[(&str, &str)], names: &[&str], extent: Extent<'_>| {
        let names = listed(names);
        rules.check(&super::files(source), Some(&names), extent, TODAY, Watch::NONE).unwrap()
    };
    let counts = |extent: Extent<'_>| {
        let report = report(&[("src/a.rs", "x"), ("a.pem", "x")], &["log"], extent);
        (report.warn, report.unjudged.len())
    };
    assert_eq!(counts(Extent::Whole), (4, 0));
    assert_eq!(counts(Extent::Part), (1, 3));
    let project = |paths: &[&str], names: Option<&[&str]>| Project {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        dependencies: names.map(listed),
    };
    let of = |paths: &[&str], names| counts(Extent::PartOf(&project(paths, names)));
    assert_eq!(of(&["README.md", "b.pem"], Some(&["serde@1", "tracing"])), (1, 0));
    assert_eq!(of(&["src/a.rs"], Some(&["serde@1"])), (3, 0));
    assert_eq!(of(&["docs/README.md"], None), (1, 2), "nobody knows its dependencies");
    let (paths, names) = (["a", "b", "c"], ["x", "y"]);
    let project = project(&paths, Some(&names));
    let told = report(&[("src/a.rs", "x")], &["serde"], Extent::PartOf(&project));
    let messages: Vec<&str> = told.findings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`README.md` must exist as a file: none of the 3 files matches",
            "`tracing` must exist as a dependency: none of the 2 listed matches",
        ]
    );
    let unknown = report(&[("src/a.rs", "x")], &["serde", "tracing"], Extent::Part).unjudged;
    assert_eq!(unknown.len(), 1);
    assert!(unknown[0].starts_with("`must_exist file README.md` of p was left out"), "{unknown:?}");
    let all = [("README.md", "x")];
    assert!(report(&all, &["serde", "tracing"], Extent::Part).unjudged.is_empty());
}
