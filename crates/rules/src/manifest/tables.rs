//! What manifests in TOML have in common.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Flaw;

/// A table of a manifest.
pub(super) type Table<'a> = DeTable<'a>;
/// A value of a manifest, and where it stands.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Reads a manifest.
pub(super) fn parse(text: &str) -> Result<Table<'_>, Flaw> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Flaw::new(at, error.message().lines().collect::<Vec<_>>().join("; "))
    })?;
    Ok(table.into_inner())
}

/// The table of this name, if there is one.
pub(super) fn table<'a, 'b>(
    parent: &'b Table<'a>,
    name: &str,
) -> Result<Option<&'b Table<'a>>, Flaw> {
    parent.get(name).map(|value| as_table(value, name)).transpose()
}

/// A value that should be a table.
pub(super) fn as_table<'a, 'b>(value: &'b Value<'a>, name: &str) -> Result<&'b Table<'a>, Flaw> {
    let table = value.get_ref().as_table();
    table.ok_or_else(|| Flaw::new(value.span().start, format!("`{name}` should be a table")))
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
) -> Result<Vec<(Range<usize>, &'b str)>, Flaw> {
    let Some(list) = value.get_ref().as_array() else {
        return Err(Flaw::new(value.span().start, format!("`{name}` should be a list")));
    };
    let texts = list.iter().filter_map(|item| Some((item.span(), item.get_ref().as_str()?)));
    Ok(texts.collect())
}

/// The text of this name in a table.
pub(super) fn text<'b>(table: &'b Table<'_>, name: &str) -> Option<&'b str> {
    table.get(name).and_then(|value| value.get_ref().as_str())
}
