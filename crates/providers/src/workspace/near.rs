//! Names that somebody may have meant by another.

/// So many names are offered.
const NAMES_MAX: usize = 3;

/// So many names of a folder are looked at.
const LOOKED_AT_MAX: usize = 10_000;

/// A name that begins with the other is near if the other has so many characters.
const START_CHARS_MIN: usize = 3;

/// The names nearest to `wanted`, the best first; none that is far.
pub(super) fn names(wanted: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut near: Vec<(usize, String)> = names
        .take(LOOKED_AT_MAX)
        .filter_map(|name| Some((distance(&wanted, &name.to_lowercase())?, name)))
        .collect();
    near.sort();
    near.into_iter().take(NAMES_MAX).map(|(_, name)| name).collect()
}

/// How far two names are from each other; none if too far.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if wanted == name {
        return Some(0);
    }
    let stem = |name: &str| -> Option<String> {
        name.rsplit_once('.').map(|(stem, _)| stem.to_owned()).filter(|stem| !stem.is_empty())
    };
    let stems = (stem(wanted), stem(name));
    if stems.0.is_some() && stems.0 == stems.1
        || stems.1.as_deref() == Some(wanted)
        || stems.0.as_deref() == Some(name)
    {
        return Some(1);
    }
    let length = wanted.chars().count();
    let edits = edits(wanted, name);
    if edits <= (length / 3).max(1) {
        return Some(1 + edits);
    }
    let is_start = length >= START_CHARS_MIN && name.starts_with(wanted);
    is_start.then_some(2 + length)
}

/// How many characters must be put in, taken out or changed to make one of the other.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, left) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, right) in other.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let table = [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3)];
        for (one, other, count) in table {
            assert_eq!(edits(one, other), count, "{one} {other}");
        }
    }

    #[test]
    fn the_nearest_names_come_first_and_far_ones_not_at_all() {
        let all = ["config.json", "config.toml", "Readme.md", "main.rs", "min.rs", "confg.yaml"];
        let near = |wanted: &str| names(wanted, all.iter().map(|name| (*name).to_owned()));
        assert_eq!(near("config.yaml"), ["config.json", "config.toml", "confg.yaml"]);
        assert_eq!(near("README.md"), ["Readme.md"]);
        assert_eq!(near("mian.rs"), ["min.rs", "main.rs"]);
        assert_eq!(near("config"), ["config.json", "config.toml"]);
        assert_eq!(near("conf"), ["confg.yaml", "config.json", "config.toml"]);
        assert!(near("elephant").is_empty());
    }
}
