//! The work on the files of clients, one after the other, and what is told of it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use etcetera::BaseStrategy;
use providers::clients::{Client, ClientFile, Desk, Edit, Home, Refusal, Scope, System};
use similar::{ChangeTag, TextDiff};

use crate::cli::ClientArgs;
use crate::identity;
use crate::output::{self, BAD, GOOD, STRONG, styled};

/// How many columns of a line a difference shows: some files are one line.
const COLUMNS: usize = 200;
/// How many lines around a difference are shown.
const AROUND: usize = 3;

/// What an edit will be, from what is on the desk.
pub(crate) type Plan<'a> = &'a dyn Fn(&Desk) -> Result<Edit, Refusal>;

/// What is being done, and what was.
pub(crate) struct Work {
    pub(crate) home: Home,
    pub(crate) scope: Scope,
    pub(crate) desk: Desk,
    /// The clients on this machine, as they were found.
    pub(crate) found: Vec<Client>,
    /// The clients in which something changed.
    pub(crate) changed: BTreeSet<Client>,
    is_dry: bool,
    is_refused: bool,
    rows: Vec<[String; 4]>,
}

impl Work {
    pub(crate) fn new(args: &ClientArgs) -> Result<Self> {
        let home = Home::of_variables(System::here(), |name| std::env::var_os(name));
        let home = home.context("there is no home directory: set HOME")?;
        let here = std::env::current_dir().context("where are we?")?;
        let scope = if args.project {
            Scope::Project(identity::git_root(&here).unwrap_or(here))
        } else {
            Scope::User
        };
        let base = etcetera::choose_base_strategy()?;
        let state = base.state_dir().unwrap_or_else(|| base.data_dir()).join("lorekeep");
        Ok(Self {
            found: Client::ALL.into_iter().filter(|client| client.is_found(&home)).collect(),
            home,
            scope,
            desk: Desk::new(&state, args.dry_run),
            changed: BTreeSet::new(),
            is_dry: args.dry_run,
            is_refused: false,
            rows: Vec::new(),
        })
    }

    /// Changes a file as planned, or reports why not; `verb` says what is done to it. Returns whether the
    /// file is as planned.
    pub(crate) fn change(
        &mut self,
        client: Client,
        path: &Path,
        verb: &str,
        plan: Plan<'_>,
    ) -> bool {
        let would = if self.is_dry { "would be " } else { "" };
        let result = self.try_change(plan);
        let is_done = result.is_ok();
        match result {
            Ok(Some(edit)) => {
                self.changed.insert(client);
                let verb = if edit.is_update { "updated" } else { verb };
                self.row(client, path, styled(GOOD, format!("{would}{verb}")));
            }
            Ok(None) => self.row(client, path, "unchanged".to_owned()),
            Err(refusal) => {
                let shown = path.display();
                self.refuse(client, &format!("{shown}: {refusal}; it was not changed"));
                self.row(client, path, styled(BAD, "refused"));
            }
        }
        is_done
    }

    /// The edit that was made; none if nothing changes.
    fn try_change(&mut self, plan: Plan<'_>) -> Result<Option<Edit>, Refusal> {
        let edit = plan(&self.desk)?;
        if !edit.is_change() {
            return Ok(None);
        }
        self.desk.apply(&edit)?;
        if self.is_dry {
            show(&edit);
        }
        Ok(Some(edit))
    }

    /// Tells what cannot be done.
    pub(crate) fn refuse(&mut self, client: Client, why: &str) {
        self.is_refused = true;
        output::note(format!("{}: {}: {why}", styled(BAD, "error"), client.name()));
    }

    /// Tells of a client that nothing is done with.
    pub(crate) fn leave_out(&mut self, client: Client, files: &[ClientFile]) {
        let Some(file) = files.first() else { return };
        let text = self.desk.read(&file.path).ok().flatten();
        let is_installed = text.is_some_and(|text| file.has_server(&text));
        let state = if is_installed { "installed" } else { "not installed" };
        self.row(client, &file.path, state.to_owned());
    }

    pub(crate) fn row(&mut self, client: Client, path: &Path, state: String) {
        let found = if self.found.contains(&client) { "found" } else { "not found" };
        let path = path.display().to_string();
        self.rows.push([client.name().to_owned(), found.to_owned(), path, state]);
    }

    /// Whether there was nothing to do or to tell.
    pub(crate) fn is_idle(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints the table; the exit code tells whether something was refused.
    pub(crate) fn finish(self) -> ExitCode {
        if !self.is_idle() {
            output::table(["client", "here", "file", "state"], &self.rows);
        }
        if self.is_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// Prints what an edit changes.
fn show(edit: &Edit) {
    let (before, after) = (edit.before.as_deref(), edit.after.as_deref());
    let path = edit.path.display();
    let name = |text: Option<&str>| text.map_or("/dev/null".to_owned(), |_| path.to_string());
    output::line(styled(STRONG, format!("--- {}", name(before))));
    output::line(styled(STRONG, format!("+++ {}", name(after))));
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        output::line(hunk.header());
        for change in hunk.iter_changes() {
            let text = change.value().trim_end_matches(['\r', '\n']);
            let line = output::cut(&format!("{}{text}", change.tag()), Some(COLUMNS));
            match change.tag() {
                ChangeTag::Equal => output::line(line),
                ChangeTag::Insert => output::line(styled(GOOD, line)),
                ChangeTag::Delete => output::line(styled(BAD, line)),
            }
        }
    }
}
