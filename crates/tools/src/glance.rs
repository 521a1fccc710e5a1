//! A text at a glance.

/// The beginning of a text, in one line of no more characters than this.
pub(crate) fn glance(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    line.chars().take(chars_max - 1).chain(['…']).collect()
}
