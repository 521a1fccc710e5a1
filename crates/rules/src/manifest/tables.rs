//! What manifests in TOML have in common.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Found;

/// A table of a manifest.
pub(super) type Table<'a> = DeTable<'a>;
/// A value of a manifest, and where it stands.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Reads a manifest, without the lines that are no TOML.
pub(super) fn parse<'a>(text: &'a str, found: &mut Found) -> Table<'a> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let at = error.span().map_or(0, |span| span.start);
        found.flaw(at, error.message().lines().collect::<Vec<_>>().join("; "));
    }
    table.into_inner()
}

/// The table of this name, if there is one.
pub(super) fn table<'a, 'b>(
    parent: &'b Table<'a>,
    name: &str,
    found: &mut Found,
) -> Option<&'b Table<'a>> {
    as_table(parent.get(name)?, name, found)
}

/// A value that should be a table.
pub(super) fn as_table<'a, 'b>(
    value: &'b Value<'a>,
    name: &str,
    found: &mut Found,
) -> Option<&'b Table<'a>> {
    let table = value.get_ref().as_table();
    if table.is_none() {
        found.flaw(value.span().start, format!("`{name}` should be a table"));
    }
    table
}

/// Where an entry stands, from its name to the last of its values.
pub(super) fn span(name: &Range<usize>, value: &Value<'_>) -> Range<usize> {
    let inner = value.get_ref().as_table().into_iter().flatten().map(|(_, value)| value.span().end);
    name.start..inner.fold(name.end.max(value.span().end), usize::max)
}

/// The texts of a list that is called `name`, and where they stand; what is no text is not there.
pub(super) fn texts<'b>(
    value: &'b Value<'_>,
    name: &str,
    found: &mut Found,
) -> Vec<(Range<usize>, &'b str)> {
    let Some(list) = value.get_ref().as_array() else {
        found.flaw(value.span().start, format!("`{name}` should be a list"));
        return Vec::new();
    };
    list.iter().filter_map(|item| Some((item.span(), item.get_ref().as_str()?))).collect()
}

/// The text of this name in a table.
pub(super) fn text<'b>(table: &'b Table<'_>, name: &str) -> Option<&'b str> {
    table.get(name).and_then(|value| value.get_ref().as_str())
}
