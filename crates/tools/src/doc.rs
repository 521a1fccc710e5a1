//! A tool's doc comment, taken apart.
//!
//! It opens with what the tool does, in one paragraph, and goes on in five sections: `# When to
//! use`, `# Usage` (JSON blocks that are run as tests), `# Returns`, `# Errors`, and `# Related` (the
//! verb of the engine that does it, then other tools). A model is shown the opening and when to use
//! it; people get all of it from `lorekeep help TOOL`.

/// The sections every tool has, in order.
pub const SECTIONS: [&str; 5] = ["When to use", "Usage", "Returns", "Errors", "Related"];

/// A doc comment in sections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doc {
    /// What the tool does.
    pub summary: String,
    /// The sections, by title.
    pub sections: Vec<(String, String)>,
}

impl Doc {
    /// Takes a doc comment apart.
    pub fn parse(text: &str) -> Self {
        let mut doc = Self::default();
        let mut in_code = false;
        for line in text.lines() {
            in_code ^= line.trim_start().starts_with("```");
            match line.strip_prefix("# ") {
                Some(title) if !in_code => doc.sections.push((title.to_owned(), String::new())),
                _ => {
                    let body = doc.sections.last_mut().map_or(&mut doc.summary, |(_, body)| body);
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
        doc.summary = doc.summary.trim().to_owned();
        for (_, body) in &mut doc.sections {
            *body = body.trim().to_owned();
        }
        doc
    }

    /// The section of that title, if there is one.
    pub fn section(&self, title: &str) -> Option<&str> {
        self.sections.iter().find(|(name, _)| name == title).map(|(_, body)| body.as_str())
    }

    /// What a model is shown: what the tool does, and when to use it.
    pub fn description(&self) -> String {
        let when = self.section("When to use").unwrap_or_default();
        [self.summary.as_str(), when]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// What the section `# Related` names: the verb first, then tools and commands.
    pub fn related(&self) -> Vec<&str> {
        self.section("Related").unwrap_or_default().split('`').skip(1).step_by(2).collect()
    }

    /// The JSON blocks of the section `# Usage`.
    pub fn usages(&self) -> Vec<&str> {
        let usage = self.section("Usage").unwrap_or_default();
        usage.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_falls_into_its_sections() {
        let text = "Does\nit.\n\n# When to use\nAlways.\n\n# Usage\n```json\n{\"a\": 1}\n```\n\
                    ```json\n# {}\n```\n# Errors\nNone.\n";
        let doc = Doc::parse(text);
        assert_eq!(doc.description(), "Does it. Always.");
        assert_eq!(doc.usages(), ["{\"a\": 1}\n", "# {}\n"]);
        assert_eq!(doc.section("Errors"), Some("None."));
        assert_eq!(doc.section("Returns"), None);
        let related =
            Doc::parse("Does it.\n# Related\n`fact::link`: `get_memory_object` shows it.");
        assert_eq!(related.related(), ["fact::link", "get_memory_object"]);
    }
}
