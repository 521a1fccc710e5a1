//! A marked block at the end of a Markdown file.

use super::{Refusal, line_end, split_mark};

const BEGIN: &str = "<!-- lorekeep:begin -->";
const END: &str = "<!-- lorekeep:end -->";

/// The text with this block between marks: in the place of the one it has, or at its end.
pub(crate) fn set(text: &str, block: &str) -> Result<String, Refusal> {
    let end = line_end(text);
    let block = format!("{BEGIN}\n{}\n{END}\n", block.trim()).replace('\n', end);
    if let Some((before, after)) = around(text)? {
        let old = &text[before.len()..text.len() - after.len()];
        let is_same = old.replace("\r\n", "\n") == block.replace("\r\n", "\n");
        return Ok(if is_same { text.to_owned() } else { [before, &block, after].concat() });
    }
    let (_, body) = split_mark(text);
    let gap = match body {
        "" => "",
        body if body.ends_with('\n') => end,
        _ => &end.repeat(2),
    };
    Ok(format!("{text}{gap}{block}"))
}

/// The text without the block and the empty line before it.
pub(crate) fn remove(text: &str) -> Result<String, Refusal> {
    let Some((before, after)) = around(text)? else { return Ok(text.to_owned()) };
    let end = line_end(text);
    let is_apart = before.ends_with(&end.repeat(2));
    let before = if is_apart { &before[..before.len() - end.len()] } else { before };
    Ok([before, after].concat())
}

/// What stands before and behind the block.
fn around(text: &str) -> Result<Option<(&str, &str)>, Refusal> {
    let places = |mark: &str| text.match_indices(mark).map(|(at, _)| at).collect::<Vec<_>>();
    match (&places(BEGIN)[..], &places(END)[..]) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => {
            let after = &text[end + END.len()..];
            let rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
            Ok(Some((&text[..*begin], rest.unwrap_or(after))))
        }
        (begins, ends) => {
            let first = begins.iter().chain(ends).min().copied().unwrap_or(0);
            let why = format!("the marks `{BEGIN}` and `{END}` must stand once, in this order");
            Err(Refusal::at(text, first, why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_to_the_end_and_away_again() {
        for text in ["", "# Mine\n", "# Mine\r\n\r\nBe kind.\r\n", "\u{feff}# Mine\n\n\n"] {
            let with = set(text, "Ours,\nalways").unwrap();
            assert!(with.starts_with(text), "{with:?}");
            assert_eq!(with.contains('\r'), text.contains('\r'), "{with:?}");
            assert_eq!(set(&with, "Ours,\nalways").unwrap(), with);
            assert!(set(&with, "New").unwrap().contains("begin -->"));
            assert_eq!(remove(&with).unwrap(), text);
            assert_eq!(remove(text).unwrap(), text);
        }
        assert_eq!(set("Mine", "x").unwrap(), format!("Mine\n\n{BEGIN}\nx\n{END}\n"));
    }

    #[test]
    fn a_block_in_the_middle_keeps_its_place() {
        let text = format!("# A\n\n{BEGIN}\nold\n{END}\n\n# B\n");
        assert_eq!(set(&text, "new").unwrap(), text.replace("old", "new"));
        assert_eq!(remove(&text).unwrap(), "# A\n\n# B\n");
    }

    #[test]
    fn marks_that_are_no_pair_are_refused() {
        for text in
            [format!("a\n{BEGIN}\n"), format!("{END}\n{BEGIN}\n"), format!("{BEGIN}{END}{END}")]
        {
            assert!(set(&text, "x").unwrap_err().why.contains("must stand once"));
            assert!(remove(&text).is_err());
        }
    }
}
