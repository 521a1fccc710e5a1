//! The embedders that are not part of the program: behind an address, or in a folder of the user's.
//!
//! Opening one asks and loads as little as can be; what is slow happens with the first text. Which
//! texts are embedded, and what is done when that fails, is the business of the engine.

mod choice;
mod http;
mod local;
mod ollama;
mod openai;
mod remote;
#[cfg(test)]
mod server;

pub use choice::{Choice, embedder};
pub use local::Local;
pub use ollama::{OLLAMA_URL, Ollama};
pub use openai::{OPENAI_URL, OpenAi};
