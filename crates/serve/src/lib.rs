//! MCP over stdio and streamable HTTP: the only async crate, and the only one that knows the wire.
//!
//! [`Server`] is rmcp's handler over our own catalogue. The protocol is answered at once; the store
//! is opened by the first call that needs it. What the SDK leaves open is closed here: a panic or a
//! slow call is answered, calls at once are limited, malformed parameters get their proper code,
//! notifications before the first request do no harm, origins are checked, sockets do not dawdle.
//!
//! Not here: what a tool does (`tools`), SQL, git.

mod ask;
mod call;
mod client;
mod denials;
mod handler;
pub mod http;
mod instructions;
mod lines;
mod metrics;
mod offer;
mod opening;
mod places;
mod probe;
mod progress;
mod render;
mod roots;
pub mod stdio;
pub mod traces;

pub use call::CallLimits;
pub use handler::{ProjectOf, Server, Setup};
pub use instructions::instructions;
#[doc(hidden)]
pub use lines::mended;
pub use opening::Opener;
pub use probe::Probe;
