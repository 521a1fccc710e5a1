//! The pairs that evidence is weighed on: memories, queries, and which answers which. We made them;
//! no benchmark's question is among them.

use serde::Deserialize;

static JSON: &str = include_str!("../../assets/calibration.json");

/// All pairs.
#[derive(Debug, Clone, Deserialize)]
pub struct Pairs {
    /// By topic.
    pub topics: Vec<Topic>,
}

/// Memories of one subject that say different things about it, and queries.
#[derive(Debug, Clone, Deserialize)]
pub struct Topic {
    /// The memories, in the order they were stored.
    pub memories: Vec<String>,
    /// The queries.
    pub queries: Vec<Asked>,
}

/// A query, and what answers it.
#[derive(Debug, Clone, Deserialize)]
pub struct Asked {
    /// The query.
    pub text: String,
    /// Which of the topic's memories answer it. The others merely share the topic.
    pub answers: Vec<usize>,
}

impl Pairs {
    /// The memories of all topics, one topic after the other.
    pub fn memories(&self) -> Vec<&str> {
        self.topics.iter().flat_map(|topic| &topic.memories).map(String::as_str).collect()
    }

    /// The queries of all topics, one topic after the other.
    pub fn queries(&self) -> Vec<&str> {
        self.topics
            .iter()
            .flat_map(|topic| &topic.queries)
            .map(|asked| asked.text.as_str())
            .collect()
    }
}

/// The pairs that come with the program.
pub fn built_in() -> Pairs {
    // A test reads them, so they can be read.
    serde_json::from_str(JSON).unwrap_or_else(|_| Pairs { topics: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_can_be_read_and_point_at_their_own_memories() {
        let pairs = built_in();
        assert!(pairs.topics.len() >= 90);
        for topic in &pairs.topics {
            let is_known = |answer: &usize| *answer < topic.memories.len();
            assert!(topic.queries.iter().flat_map(|asked| &asked.answers).all(is_known));
            assert!(topic.queries.iter().any(|asked| asked.answers.is_empty()));
        }
        let mut texts = pairs.memories();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), pairs.memories().len());
    }
}
