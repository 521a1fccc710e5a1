//! How far the work is: a bar on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use engine::index::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// Where no terminal shows a bar, a line comes no more often than this.
const PAUSE: Duration = Duration::from_secs(10);

/// Shows the progress on standard error.
#[derive(Default)]
pub(crate) struct Meter {
    model: String,
    bar: Option<ProgressBar>,
    told: Option<Instant>,
}

impl Meter {
    /// Takes in a step; the work always goes on.
    pub(crate) fn tell(&mut self, model: &str, progress: Progress) -> bool {
        if self.model != model {
            self.finish();
            model.clone_into(&mut self.model);
            self.bar = stderr().is_terminal().then(|| bar(model, progress.all));
        }
        let Progress { done, all } = progress;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if done == all || self.told.is_none_or(|told| told.elapsed() > PAUSE) {
            output::note(format!("{model}: {done} of {all} vectors"));
            self.told = Some(Instant::now());
        }
        true
    }

    /// Clears the bar away.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(model: &str, all: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos} of {len}, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(all).with_style(style).with_message(model.to_owned())
}
