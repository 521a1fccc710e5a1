//! `web`: the web, searched and read.

mod brave_local_search;
mod brave_web_search;
mod jina_read_url;

use engine::ports::Hit;
use schemars::JsonSchema;
use serde::Serialize;

use crate::tool::{Effect, Spec};
use crate::wire::Text;

/// The tools, in reading order.
pub(crate) const TOOLS: &[Spec] = &[
    Spec::of::<brave_web_search::BraveWebSearch>(),
    Spec::of::<brave_local_search::BraveLocalSearch>(),
    Spec::of::<jina_read_url::JinaReadUrl>(),
];

/// What these tools do: they change nothing, and reach far.
const READ: Effect = Effect { open_world: true, ..Effect::READ };

/// What is searched for; Brave takes no more.
type Query = Text<1, 400>;

#[derive(Debug, Serialize, JsonSchema)]
struct Page {
    title: String,
    url: String,
    description: String,
}

impl From<Hit> for Page {
    fn from(hit: Hit) -> Self {
        Self { title: hit.title, url: hit.url, description: hit.description }
    }
}
