//! English words that carry no meaning of their own in a query.
//!
//! They stay in the index, so that a query of nothing else still finds its text.

/// Whether `word` (lower case, before stemming) carries no meaning of its own.
pub fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Sorted, so that it can be searched by halves.
const STOPWORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "d", "did", "do", "does", "doing", "for", "from", "had", "has", "have",
    "having", "he", "her", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "ll", "m", "me", "my", "of", "on", "or", "our", "ours", "re", "s", "shall", "she", "should",
    "so", "some", "such", "t", "than", "that", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "to", "us", "ve", "was", "we", "were", "what", "when",
    "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
    "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_found() {
        assert!(STOPWORDS.is_sorted());
        assert!(is_stopword("the"));
        assert!(!is_stopword("database"));
    }
}
