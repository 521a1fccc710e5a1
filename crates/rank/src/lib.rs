//! Text into terms, hits into one ranking, scores into probabilities. Pure.
//!
//! Three numbers are kept apart from the start: the *raw* score of an index (BM25), the *coverage*
//! of a query by a text, and the *calibrated* relevance in 0..1 that the contracts' thresholds are
//! compared with. Only [`calibrate`] makes the third out of the others.
//!
//! Not here: files, the database, the clock.

pub mod bits;
pub mod budget;
pub mod calibrate;
pub mod chunk;
pub mod claim;
pub mod embed;
pub mod extract;
pub mod index;
pub mod keep;
pub mod lexical;
pub mod similar;
pub mod stopwords;
pub mod terms;
pub mod tokens;
pub mod vector;
