//! The verbs on the web: search it, find places, read a page. Nothing of it is kept.

use crate::ports::{Hit, Place, Web};
use crate::{Engine, Error, ErrorKind, Result};

/// What a search for places found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Places.
    Places(Vec<Place>),
    /// Pages, because there were no places.
    Pages(Vec<Hit>),
}

/// Pages that fit a query: `count` of them, `offset` pages of results further.
pub fn search(engine: &Engine, query: &str, count: usize, offset: usize) -> Result<Vec<Hit>> {
    web(engine)?.search(words(query)?, count, offset)
}

/// Places that fit a query or, if there are none, pages.
pub fn places(engine: &Engine, query: &str, count: usize) -> Result<Found> {
    let (web, query) = (web(engine)?, words(query)?);
    let places = web.places(query, count)?;
    if !places.is_empty() {
        return Ok(Found::Places(places));
    }
    web.search(query, count, 0).map(Found::Pages)
}

/// What a page says, as Markdown.
pub fn read(engine: &Engine, url: &str) -> Result<String> {
    web(engine)?.read(url.trim())
}

fn web(engine: &Engine) -> Result<&dyn Web> {
    engine.outside.web.as_deref().ok_or_else(|| {
        let message = "the web is not offered here; start the server with --toolsets web";
        Error::new(ErrorKind::Forbidden, message)
    })
}

fn words(query: &str) -> Result<&str> {
    let words = query.trim();
    if words.is_empty() {
        let message = format!("query got {query:?}; it takes words to search for");
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FakeWeb, setup};
    use crate::{Limits, Meaning, Outside, Setup};

    fn engine(dir: &tempfile::TempDir) -> Engine {
        let outside = Outside { web: Some(Box::new(FakeWeb)), ..Outside::default() };
        Engine::open(dir.path(), Setup { outside, ..setup(Meaning::BuiltIn) }).unwrap()
    }

    #[test]
    fn without_a_web_everything_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let engine = crate::testing::engine(dir.path(), Limits::default()).unwrap();
        let errors = [
            search(&engine, "q", 1, 0).unwrap_err(),
            places(&engine, "q", 1).unwrap_err(),
            read(&engine, "https://example.org/").unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind, ErrorKind::Forbidden);
            assert!(error.message.contains("--toolsets web"), "{error}");
        }
    }

    #[test]
    fn a_query_without_a_word_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(&dir);
        let errors =
            [search(&engine, " \n", 1, 0).unwrap_err(), places(&engine, "", 1).unwrap_err()];
        for error in errors {
            assert_eq!(error.kind, ErrorKind::InvalidValue);
            assert!(error.message.starts_with("query got "), "{error}");
        }
        assert_eq!(search(&engine, " herons ", 1, 0).unwrap()[0].title, "herons 1");
    }

    #[test]
    fn pages_stand_in_for_places_that_are_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(&dir);
        assert!(
            matches!(places(&engine, "coffee in London", 2).unwrap(), Found::Places(all) if all.len() == 2)
        );
        assert!(
            matches!(places(&engine, "herons", 3).unwrap(), Found::Pages(all) if all.len() == 3)
        );
    }
}
