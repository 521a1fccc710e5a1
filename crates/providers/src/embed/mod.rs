//! The embedders that are not part of the program: behind an address, or in a folder of the user's.
//!
//! Opening one asks and loads as little as can be; what is slow happens with the first text. Which
//! texts are embedded, and what is done when that fails, is the business of the engine.

mod choice;
mod local;
mod ollama;
mod openai;
mod remote;
#[cfg(test)]
mod tests;

pub use choice::{Choice, embedder};
pub use local::Local;
pub(crate) use ollama::help as ollama_help;
pub use ollama::{OLLAMA_URL, Ollama};
pub use openai::{OPENAI_URL, OpenAi};
