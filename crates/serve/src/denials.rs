//! What callers who were let in do not get, told to the audit log.

use engine::ErrorKind;
use rmcp::model::Reference;
use tools::resource::TEMPLATES;
use tools::{Denial, Toolset, prompt};

use crate::client;
use crate::handler::{Request, Server};

/// By what resources are read.
pub(crate) const RESOURCES: &str = "resources/read";

/// By what prompts are asked for.
pub(crate) const PROMPTS: &str = "prompts/get";

/// By what arguments of both are completed.
pub(crate) const COMPLETIONS: &str = "completion/complete";

impl Server {
    /// Notes that a caller asked for what there is, and not for them. They are answered as if there
    /// were no such thing.
    pub(crate) async fn note_left_out(&self, what: &str, cx: &Request) {
        if !is_there(what) {
            return;
        }
        let what = what.to_owned();
        let noted = self.with_engine(cx, move |_, cx| {
            let why = format!("{what} is left out for this caller");
            let engine = cx.engine.acting(cx.caller.actor.calling(&what));
            engine.note_denial(&engine::Error::new(ErrorKind::Forbidden, why));
            Ok(())
        });
        if let Err(error) = noted.await {
            tracing::warn!("a refusal is not in the audit log: {}", error.message);
        }
    }

    /// Notes that a call was not begun because there are too many. Nothing waits for it.
    pub(crate) fn note_too_much(&self, tool: &str, error: &engine::Error, cx: &Request) {
        if let Some(engine) = self.inner.opening.ready() {
            let caller = self.vouched(cx).clone().by(client::name(cx));
            engine.acting(caller.actor.calling(tool)).note_refusal(&error.message);
        }
    }

    /// Notes a denial of a call that ran where it arrived: that it is on disk is waited for where
    /// nobody else has to.
    pub(crate) async fn noted(&self, denial: Option<Denial>, cx: &Request) -> engine::Result<()> {
        let Some(denial) = denial else { return Ok(()) };
        let note = move || {
            denial.note();
            Ok(())
        };
        self.with_engine(cx, move |_, _| note()).await
    }
}

/// Whether there is such a prompt or template at all, offered here or not.
pub(crate) fn completes(of: &Reference) -> bool {
    match of {
        Reference::Prompt(asked) => prompt::PROMPTS.iter().any(|prompt| prompt.name == asked.name),
        Reference::Resource(asked) => TEMPLATES.iter().any(|one| one.uri == asked.uri),
        _ => false,
    }
}

/// Whether there is such a tool at all, offered here or not, or such a way to read.
fn is_there(name: &str) -> bool {
    let has = |toolset: &Toolset| toolset.tools().iter().any(|spec| spec.name == name);
    [RESOURCES, PROMPTS, COMPLETIONS].contains(&name) || Toolset::ALL.iter().any(has)
}
