//! Which files are read, and as what, by the ending of their name.

use serde::{Deserialize, Serialize};

/// How the text of a file is taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// Along its headings.
    Markdown,
    /// By paragraphs, and by lines where there are none.
    Text,
    /// Along functions and classes.
    Code(Language),
    /// What a reader of the page sees.
    Html,
    /// Page by page; [`pdf_pages`](super::pdf_pages) makes text of it first.
    Pdf,
}

/// A language whose grammar is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C, and headers of C.
    C,
    /// C++.
    Cpp,
    /// Ruby.
    Ruby,
    /// Shell scripts.
    Bash,
}

const EXTENSIONS: [(&str, Format); 30] = [
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("txt", Format::Text),
    ("rst", Format::Text),
    ("org", Format::Text),
    ("toml", Format::Text),
    ("yaml", Format::Text),
    ("yml", Format::Text),
    ("json", Format::Text),
    ("sql", Format::Text),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("pdf", Format::Pdf),
    ("py", Format::Code(Language::Python)),
    ("rs", Format::Code(Language::Rust)),
    ("js", Format::Code(Language::JavaScript)),
    ("mjs", Format::Code(Language::JavaScript)),
    ("cjs", Format::Code(Language::JavaScript)),
    ("jsx", Format::Code(Language::JavaScript)),
    ("ts", Format::Code(Language::TypeScript)),
    ("tsx", Format::Code(Language::Tsx)),
    ("go", Format::Code(Language::Go)),
    ("java", Format::Code(Language::Java)),
    ("c", Format::Code(Language::C)),
    ("h", Format::Code(Language::C)),
    ("cpp", Format::Code(Language::Cpp)),
    ("hpp", Format::Code(Language::Cpp)),
    ("cc", Format::Code(Language::Cpp)),
    ("rb", Format::Code(Language::Ruby)),
    ("sh", Format::Code(Language::Bash)),
];

impl Format {
    /// The format of files whose name ends in `ext` (without the dot, in any case); none if they
    /// are not read.
    ///
    /// ```
    /// use rank::chunk::{Format, Language};
    /// assert_eq!(Format::of_extension("MD"), Some(Format::Markdown));
    /// assert_eq!(Format::of_extension("rs"), Some(Format::Code(Language::Rust)));
    /// assert_eq!(Format::of_extension("exe"), None);
    /// ```
    pub fn of_extension(ext: &str) -> Option<Format> {
        let is_it = |known: &&(&str, Format)| known.0.eq_ignore_ascii_case(ext);
        EXTENSIONS.iter().find(is_it).map(|known| known.1)
    }

    /// All the endings that are read.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        EXTENSIONS.iter().map(|known| known.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_is_known_in_any_case_and_once() {
        for extension in Format::extensions() {
            assert!(Format::of_extension(&extension.to_uppercase()).is_some());
            assert_eq!(Format::extensions().filter(|other| *other == extension).count(), 1);
        }
        for strange in ["", ".md", "mdx ", "exe", "ｍｄ"] {
            assert_eq!(Format::of_extension(strange), None, "{strange}");
        }
    }
}
