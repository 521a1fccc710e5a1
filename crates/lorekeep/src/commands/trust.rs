//! `lorekeep trust`: a person trusts a folder with the settings and the store that are in it now.

use std::io::{IsTerminal, stderr, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::cli::TrustArgs;
use crate::settings::{self, project};
use crate::trusted::{Trusted, TrustedFolder};
use crate::{identity, output, wiring};

pub(crate) fn run(args: &TrustArgs) -> Result<ExitCode> {
    let mut trusted = Trusted::load()?;
    if args.list {
        list(&trusted);
        return Ok(ExitCode::SUCCESS);
    }
    let dir = args.dir.clone().map_or_else(std::env::current_dir, Ok)?;
    if args.remove {
        remove(&mut trusted, &dir)?;
    } else {
        refuse_agents()?;
        add(&mut trusted, &dir)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(trusted: &Trusted) {
    if trusted.list().is_empty() {
        output::line("No folder is trusted.");
    }
    for folder in trusted.list() {
        let what = match (&folder.settings, &folder.store) {
            (Some(_), Some(_)) => "settings and store",
            (Some(_), None) => "settings",
            (None, Some(_)) => "store",
            (None, None) => "nothing",
        };
        output::line(format!("{}  {what}, since {}", folder.path, folder.when));
    }
}

fn remove(trusted: &mut Trusted, dir: &Path) -> Result<()> {
    match trusted.remove(dir)? {
        true => output::line(format!("{} is not trusted any more", dir.display())),
        false => output::line(format!("{} was not trusted", dir.display())),
    }
    Ok(())
}

/// An agent that was talked into it must not open the door: a person types this at a terminal.
fn refuse_agents() -> Result<()> {
    if wiring::is_agent() || !stdin().is_terminal() || !stderr().is_terminal() {
        bail!("only a person at a terminal may trust a folder; type this command yourself");
    }
    Ok(())
}

fn add(trusted: &mut Trusted, dir: &Path) -> Result<()> {
    let dir = dir.canonicalize().with_context(|| format!("cannot open {}", dir.display()))?;
    let needing = needing_trust(&dir)?;
    let folder = TrustedFolder::now(&dir)?;
    if folder.settings.is_none() && folder.store.is_none() {
        bail!("there is no {} and no store in {}", settings::FILE_NAME, dir.display());
    }
    if folder.store.is_some() {
        output::line("The store here is believed as your own from now on.");
    }
    if folder.settings.is_some() {
        output::line(format!("{} is trusted as it stands:", settings::FILE_NAME));
        if needing.is_empty() {
            output::line("  nothing in it needs trust");
        }
        needing.iter().for_each(|line| output::line(format!("  {}", output::lines(line))));
    }
    trusted.add(folder)?;
    output::line(format!("Trusted {}; to take it back: lorekeep trust --remove", dir.display()));
    Ok(())
}

/// The settings in a folder's file that need trust.
fn needing_trust(dir: &Path) -> Result<Vec<String>> {
    let path = dir.join(settings::FILE_NAME);
    if path.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    let root: PathBuf = identity::root_of(dir);
    let file = project::open(path, root)?;
    let of_user = settings::of_user(&settings::user_file()?)?;
    let found = file.needing_trust(&of_user)?;
    Ok(found
        .iter()
        .map(|entry| format!("{} = {}", entry.setting.key, entry.value.shown()))
        .collect())
}
