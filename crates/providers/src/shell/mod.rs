//! Commands, run by `sh` in a folder below a root.
//!
//! A command has a process group of its own, nothing to read, an environment without the secrets of
//! this process, and a bound on its time and on what is kept of its output. When its time is over,
//! or nobody waits for it any more, or its shell has ended, the whole group is ended: nothing that
//! stayed in the group goes on behind an answer.
//!
//! What is not here: a cage. A command may do all that the user may, also outside of the folder that
//! it starts in. A process that leaves the group (`setsid`) is not ended; it is not waited for
//! either. If this process itself is killed, its commands go on.

mod environment;
#[cfg(unix)]
mod group;
#[cfg(unix)]
mod kept;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod watch;

use std::ffi::OsString;
use std::io::ErrorKind as IoKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::ports::{Order, Ran, Shell};
use engine::{Error, ErrorKind, Result};

/// Runs commands on this machine.
#[derive(Debug, Clone)]
pub struct LocalShell {
    roots: Vec<PathBuf>,
    environment: Vec<(OsString, OsString)>,
}

impl LocalShell {
    /// A shell for the folders below `roots`, which count where a caller names none. Of the
    /// environment, commands get what is harmless, and none of the variables in `hidden`.
    ///
    /// On Linux, from here on only root may look into this process: a command could read in `/proc`
    /// what its environment does not tell.
    pub fn new(roots: Vec<PathBuf>, hidden: &[String]) -> Self {
        // Where this is refused, the environment of commands is clean all the same.
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_dumpable(false);
        Self::with(roots, hidden, std::env::vars_os())
    }

    fn with(
        roots: Vec<PathBuf>,
        hidden: &[String],
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self { roots, environment: environment::harmless(environment, hidden) }
    }
}

impl Shell for LocalShell {
    fn admits(&self, roots: &[PathBuf], order: &Order) -> Result<()> {
        self.place(roots, order).map(drop)
    }

    fn run(
        &self,
        roots: &[PathBuf],
        order: &Order,
        go_on: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<Ran> {
        self.carry_out(&self.place(roots, order)?, order, go_on)
    }
}

impl LocalShell {
    /// The folder that an order runs in, if it is one that is run.
    fn place(&self, roots: &[PathBuf], order: &Order) -> Result<PathBuf> {
        if order.command.contains('\0') {
            let message = "the command holds a NUL character; leave it out";
            return Err(Error::new(ErrorKind::InvalidValue, message));
        }
        let roots = if roots.is_empty() { &self.roots } else { roots };
        directory(roots, order.directory.as_deref())
    }

    #[cfg(unix)]
    fn carry_out(
        &self,
        directory: &Path,
        order: &Order,
        go_on: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<Ran> {
        watch::run(directory, &self.environment, order, go_on).map_err(|error| {
            Error::new(ErrorKind::Outside, format!("the command could not be started: {error}"))
        })
    }

    #[cfg(not(unix))]
    fn carry_out(&self, _: &Path, _: &Order, _: &mut dyn FnMut(Duration) -> bool) -> Result<Ran> {
        let message = "commands run only where there is a Unix shell";
        Err(Error::new(ErrorKind::Forbidden, message))
    }
}

/// Whether a path without links lies below a root.
fn is_below(roots: &[PathBuf], path: &Path) -> bool {
    roots.iter().flat_map(|root| root.canonicalize()).any(|root| path.starts_with(root))
}

/// Of the folders on the way to a path, the last that is there, with links resolved.
fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok())
}

/// The folder that a command starts in, with links resolved: below a root, or the first root.
fn directory(roots: &[PathBuf], asked: Option<&str>) -> Result<PathBuf> {
    let Some(first) = roots.first() else {
        let message = "there is no folder to run commands in; start the server with --root DIR";
        return Err(Error::new(ErrorKind::Forbidden, message));
    };
    let asked = asked.filter(|asked| !asked.is_empty());
    let shown = asked.map_or_else(|| first.display().to_string(), str::to_owned);
    let path = first.join(asked.unwrap_or_default());
    let outside = || {
        let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        let message = format!(
            "{shown:?} is outside the allowed folders: {}; start the server with --root DIR to \
             allow another",
            roots.join(", ")
        );
        Error::new(ErrorKind::Forbidden, message)
    };
    let path = path.canonicalize().map_err(|error| match error.kind() {
        // What is there and what is not is told of the allowed folders alone.
        _ if asked.is_some() && !nearest(&path).is_some_and(|near| is_below(roots, &near)) => {
            outside()
        }
        IoKind::NotFound => {
            Error::new(ErrorKind::NotFound, format!("Directory not found: {shown}"))
        }
        _ => {
            let message = format!("{shown:?} cannot be used as a directory: {error}");
            Error::new(ErrorKind::InvalidValue, message)
        }
    })?;
    if !is_below(roots, &path) {
        return Err(outside());
    }
    if !path.is_dir() {
        let message = format!("{shown:?} is not a directory");
        return Err(Error::new(ErrorKind::InvalidValue, message));
    }
    Ok(path)
}
