//! Programs in all languages.
