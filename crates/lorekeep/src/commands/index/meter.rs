//! How far the work is: a bar on a terminal, nothing elsewhere.

use std::io::{IsTerminal, stderr};

use engine::document::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// Shows the progress on standard error.
pub(crate) struct Meter(Option<ProgressBar>);

impl Meter {
    /// A bar where a terminal shows it; it counts what is named.
    pub(crate) fn start(what: &str) -> Self {
        Self(stderr().is_terminal().then(|| bar(what)))
    }

    /// No bar.
    pub(crate) fn hidden() -> Self {
        Self(None)
    }

    /// Takes in a step.
    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(bar) = &self.0 {
            bar.set_length(progress.all as u64);
            bar.set_position(progress.done as u64);
        }
    }

    /// Clears the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}} of {{len}} {what}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}
