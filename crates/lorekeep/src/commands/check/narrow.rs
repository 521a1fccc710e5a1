//! Which findings are about what changed.

use std::collections::HashMap;
use std::path::Path;

use ledger::plain::Changed;
use model::Target;
use rules::{Finding, Globs, manifest};

/// What changed, by path.
pub(super) struct Narrow {
    changed: HashMap<String, Changed>,
}

impl Narrow {
    pub(super) fn new(changed: Vec<Changed>) -> Self {
        Self { changed: changed.into_iter().map(|one| (one.path.clone(), one)).collect() }
    }

    /// Whether this file changed.
    pub(super) fn has(&self, path: &str) -> bool {
        self.changed.contains_key(path)
    }

    /// Whether a finding is about what changed.
    pub(super) fn keeps(&self, finding: &Finding) -> bool {
        let Some(place) = &finding.location else {
            return if finding.global { self.may_have_caused(finding) } else { self.is_ours() };
        };
        let Some(changed) = self.changed.get(&place.file) else { return false };
        match place.line {
            Some(line) => {
                let last = finding.last_line.unwrap_or(line);
                // Where lines were deleted there are none, but what stands around them may match since.
                changed.lines.iter().any(|lines| lines.start <= last && line < lines.end)
            }
            None if finding.target == Target::File.name() => changed.is_new,
            None => true,
        }
    }

    /// Whether what changed can be why something is missing in the whole project.
    fn may_have_caused(&self, finding: &Finding) -> bool {
        let target = Target::named(&finding.target);
        let globs = Globs::new(&finding.applies_to).ok();
        self.changed.values().any(|changed| match target {
            Some(Target::Dependency) => manifest::is_manifest(&changed.path),
            Some(Target::File) => changed.is_new || changed.is_gone,
            _ => globs.as_ref().is_none_or(|globs| globs.matches(&changed.path)),
        })
    }

    /// Whether knowledge of the project changed, so that rules may have become wrong.
    fn is_ours(&self) -> bool {
        self.changed.keys().any(|path| Path::new(path).starts_with(".lorekeep"))
    }
}

#[cfg(test)]
mod tests {
    use model::Severity;
    use rules::Location;

    use super::*;

    fn finding(target: &str, place: Option<(&str, Option<usize>)>) -> Finding {
        Finding {
            last_line: None,
            item: 0,
            operator: "must_use".to_owned(),
            target: target.to_owned(),
            pattern: String::new(),
            severity: Severity::Block,
            message: String::new(),
            location: place.map(|(file, line)| Location { file: file.to_owned(), line }),
            excerpt: None,
            global: place.is_none(),
            applies_to: vec!["src/".to_owned()],
        }
    }

    fn changed(path: &str, is_new: bool, is_gone: bool) -> Narrow {
        let path = path.to_owned();
        Narrow::new(vec![Changed { path, is_new, is_gone, lines: vec![3..5, 9..10] }])
    }

    #[test]
    fn a_finding_stays_if_its_line_changed() {
        let narrow = changed("src/a.rs", false, false);
        let stays = |line| narrow.keeps(&finding("code", Some(("src/a.rs", Some(line)))));
        assert_eq!((1..11).filter(|line| stays(*line)).collect::<Vec<_>>(), [3, 4, 9]);
        assert!(!narrow.keeps(&finding("code", Some(("src/b.rs", Some(3))))));
    }

    #[test]
    fn a_finding_stays_if_any_of_its_lines_changed_or_were_deleted_between_them() {
        let path = "src/a.rs".to_owned();
        // Lines 3 and 4 are new, and something was deleted before line 9.
        let lines = vec![3..5, 9..9];
        let narrow = Narrow::new(vec![Changed { path, is_new: false, is_gone: false, lines }]);
        let stays = |line, last_line| {
            let place = Some(("src/a.rs", Some(line)));
            narrow.keeps(&Finding { last_line: Some(last_line), ..finding("code", place) })
        };
        for (line, last, expected) in
            [(1, 2, false), (1, 3, true), (4, 7, true), (5, 8, false), (8, 9, true), (9, 9, false)]
        {
            assert_eq!(stays(line, last), expected, "{line} to {last}");
        }
    }

    #[test]
    fn a_finding_about_a_whole_file_stays_if_that_changed_and_a_path_if_it_is_new() {
        let old = changed("src/a.rs", false, false);
        assert!(old.keeps(&finding("code", Some(("src/a.rs", None)))));
        assert!(!old.keeps(&finding("file", Some(("src/a.rs", None)))));
        assert!(changed("src/a.rs", true, false).keeps(&finding("file", Some(("src/a.rs", None)))));
    }

    #[test]
    fn what_is_missing_everywhere_stays_if_the_change_can_be_why() {
        for (target, path, is_gone, stays) in [
            ("code", "src/a.rs", false, true),
            ("code", "src/a.rs", true, true),
            ("code", "docs/a.md", false, false),
            ("file", "src/a.rs", false, false),
            ("file", "LICENSE", true, true),
            ("dependency", "web/package.json", false, true),
            ("dependency", "src/a.rs", false, false),
        ] {
            let narrow = changed(path, false, is_gone);
            assert_eq!(narrow.keeps(&finding(target, None)), stays, "{target} {path}");
        }
    }
}
