//! Graphs as Mermaid flowcharts.

use std::collections::HashMap;

use engine::graph::Graph;
use engine::record::History;
use engine::trust::visible;
use model::MemoryId;

/// No more of a text than this stands in a box.
const LABEL_CHARS_MAX: usize = 60;

/// The flowchart of memories. What texts say is escaped, so that it is a label and nothing else.
pub(crate) fn flowchart(graph: &Graph) -> String {
    let mut text = String::from("flowchart TD\n");
    let mut names: HashMap<MemoryId, String> = HashMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let name = format!("n{number}");
        text.push_str(&format!("    {name}[\"{}\"]\n", label(&node.memory.content)));
        names.insert(node.memory.id, name);
    }
    for edge in &graph.edges {
        if let (Some(source), Some(target)) = (names.get(&edge.source), names.get(&edge.target)) {
            text.push_str(&format!("    {source} -->|{}| {target}\n", edge.relation.name()));
        }
    }
    text
}

/// The flowchart of a decision and of those it took the place of, oldest first.
pub fn chain(history: &History) -> String {
    let mut text = String::from("flowchart TD\n");
    let all: Vec<_> = history.past.iter().chain([&history.current]).collect();
    for (number, stored) in all.iter().enumerate() {
        let record = &stored.record;
        let (id, status) = (record.id, record.status.name());
        let title = label(&record.title);
        text.push_str(&format!("    n{number}[\"{title}<br/>{id}, {status}\"]\n"));
    }
    for number in 1..all.len() {
        text.push_str(&format!("    n{} -->|superseded by| n{number}\n", number - 1));
    }
    text
}

/// The beginning of a text in one line, with everything in it to be seen and everything but letters, digits and plain marks as its
/// number, so that it is a label and nothing else.
pub fn label(text: &str) -> String {
    let line = visible(text);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_long = line.chars().count() > LABEL_CHARS_MAX;
    let kept = line.chars().take(if is_long { LABEL_CHARS_MAX - 1 } else { LABEL_CHARS_MAX });
    let mut label = String::new();
    for c in kept {
        if c.is_alphanumeric() || " -_.,:/'!?=+%".contains(c) {
            label.push(c);
        } else {
            label.push_str(&format!("#{};", u32::from(c)));
        }
    }
    if is_long {
        label.push('…');
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::hidden::{check_text, texts};

    #[test]
    fn no_label_has_what_nobody_sees() {
        let all: Vec<char> = texts().concat().chars().collect();
        // So many fit into a label, each by its number.
        for some in all.chunks(5) {
            let text: String = some.iter().flat_map(|c| [*c, '.']).collect();
            check_text("a label", &label(&text));
        }
        assert_eq!(label("a\u{202e}b"), "a#10216;U+202E#10217;b");
    }

    #[test]
    fn what_means_something_to_mermaid_is_escaped() {
        assert_eq!(label("plain, text: ok"), "plain, text: ok");
        assert_eq!(label("a \"b\"]\n;c #1 <i>&"), "a #34;b#34;#93; #59;c #35;1 #60;i#62;#38;");
        assert_eq!(label(&"x".repeat(60)).len(), 60);
        assert_eq!(label(&"x".repeat(61)), format!("{}…", "x".repeat(59)));
    }
}
