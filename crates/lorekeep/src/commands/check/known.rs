//! The baseline of a check: what of it is known, what is mended, and what becomes of the file.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use model::Item;
use rules::Finding;

use super::baseline::{self, Baseline, Key};
use super::tree::Tree;
use crate::cli::CheckArgs;

/// What was done to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Done {
    #[default]
    Nothing,
    /// It was made, with so many violations.
    Made(usize),
    /// So many violations were taken out of it.
    Shrunk(usize),
}

/// What the baseline did to a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Summary {
    /// How many violations that would be told are known.
    pub(super) known: usize,
    /// How many it holds that are not there any more, as far as that can be told.
    pub(super) mended: usize,
    pub(super) done: Done,
    /// Where it lies.
    pub(super) path: PathBuf,
}

/// The baseline of a check.
pub(super) struct Known {
    path: PathBuf,
    baseline: Option<Baseline>,
    is_updated: bool,
    is_part: bool,
    mended: usize,
    done: Done,
}

impl Known {
    pub(super) fn open(args: &CheckArgs, tree: &Tree) -> Result<Self> {
        let usual = || tree.root.join(baseline::FILE);
        let path = args.baseline.clone().unwrap_or_else(usual);
        let baseline = if args.no_baseline { None } else { Baseline::read(&path)? };
        if args.baseline.is_some() && baseline.is_none() && !args.update_baseline {
            let path = path.display();
            bail!("there is no baseline {path}: --update-baseline makes one of what is found");
        }
        let (is_updated, is_part) = (args.update_baseline, super::is_part(args));
        Ok(Self { path, baseline, is_updated, is_part, mended: 0, done: Done::Nothing })
    }

    /// Whether it has no say in what is told.
    pub(super) fn is_idle(&self) -> bool {
        self.baseline.is_none() && !self.is_updated
    }

    /// Which of these findings are known, after the file was brought up to date if that was asked
    /// for. What is said of the files in `unsure` is not the whole truth.
    pub(super) fn mark(
        &mut self,
        items: &[Arc<Item>],
        findings: &[(Finding, bool)],
        unsure: &[&str],
    ) -> Result<Vec<bool>> {
        let key = |finding: &Finding| Key::of(&items[finding.item], finding);
        let Some(baseline) = &self.baseline else {
            if self.is_updated {
                let made = Baseline::of(findings.iter().map(|(finding, _)| key(finding)));
                made.write(&self.path)?;
                self.done = Done::Made(made.len());
            }
            return Ok(vec![self.is_updated; findings.len()]);
        };
        let mut left = baseline.clone();
        let mut is_known = vec![false; findings.len()];
        // What did not change was there first.
        for is_told in [false, true] {
            for (at, (finding, _)) in
                findings.iter().enumerate().filter(|(_, (_, told))| *told == is_told)
            {
                is_known[at] = left.take(key(finding));
            }
        }
        let mended = left.without_files(unsure);
        if self.is_part {
            return Ok(is_known);
        }
        self.mended = mended.len();
        if self.is_updated && self.mended > 0 {
            baseline.without(&mended).write(&self.path)?;
            self.done = Done::Shrunk(self.mended);
            self.mended = 0;
        }
        Ok(is_known)
    }

    pub(super) fn summary(self, known: usize) -> Summary {
        Summary { known, mended: self.mended, done: self.done, path: self.path }
    }
}
