//! `grz_execute_command`.

use std::time::Duration;

use engine::ports::Order;
use engine::{Result, shell};
use model::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Context, Effect, Pace, Tool};
use crate::wire::{Int, Text};

/// Run a shell command in the workspace.
///
/// # When to use
/// To build, test, search or look around. To read or change a file, the tools for files are safer.
///
/// # Usage
/// ```json
/// {"command": "grep -n main src/main.rs"}
/// ```
/// ```json
/// {"command": "ls", "working_directory": "src", "timeout_seconds": 60}
/// ```
///
/// # Returns
/// `exit_code`, `output` (both streams, cut in the middle if long) and `success`. It has no input,
/// and nothing that it started goes on behind the answer. If its time is over all is killed:
/// `exit_code` 124, and `output` says so.
///
/// # Errors
/// If the server does not allow commands, the directory is missing or outside the workspace, or the
/// call is cancelled.
///
/// # Related
/// `shell::run`: `grz_read_file` and `grz_edit_file` work on single files.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GrzExecuteCommand {
    /// What `sh -c` runs
    command: Text<1, 100_000>,
    /// Where; the workspace if absent
    #[serde(default)]
    working_directory: Option<Text<0, 4096>>,
    /// How long it may run
    #[serde(default)]
    timeout_seconds: Int<1, 3_600, 30>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RanView {
    exit_code: i32,
    output: String,
    success: bool,
}

impl Tool for GrzExecuteCommand {
    const NAME: &'static str = "grz_execute_command";
    const EFFECT: Effect = Effect { open_world: true, ..Effect::DESTROY };
    const ROLE: Role = Role::Admin;
    const PACE: Pace = Pace::Long;
    const KEEPS_NOTHING: Option<&'static str> = super::USERS_OWN;
    type Response = RanView;

    fn call(self, cx: &Context<'_>) -> Result<RanView> {
        let order = Order {
            command: self.command.0,
            directory: self.working_directory.map(|directory| directory.0),
            time_max: Duration::from_secs(self.timeout_seconds.0),
            output_max: shell::OUTPUT_CHARS_MAX,
        };
        let ran = shell::run(cx.engine, cx.caller, &order, &mut |done, all| (cx.news)(done, all))?;
        Ok(RanView { exit_code: ran.status, output: ran.output, success: ran.status == 0 })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::testing::{Bench, check};

    #[test]
    fn a_command_runs_in_the_workspace_and_says_how_it_ended() {
        check(
            r#"
            @ work src/main.rs
            | fn main() {}
            > grz_execute_command {"command": "ls; echo oops >&2"}
            < {"exit_code": 0, "output": "src\noops\n", "success": true}
            > grz_execute_command {"command": "cat main.rs; exit 3", "working_directory": "src"}
            < {"exit_code": 3, "output": "fn main() {}\n", "success": false}
            > grz_execute_command {"command": "cat", "working_directory": null, "timeout_seconds": 3600}
            < {"exit_code": 0, "output": "", "success": true}
            "#,
        );
    }

    #[test]
    fn a_command_whose_time_is_over_is_killed() {
        check(
            r#"
            > grz_execute_command {"command": "sleep 1000 & sleep 1000", "timeout_seconds": 1}
            < {"exit_code": 124, "output": "$*[killed after 1 s]", "success": false}
            "#,
        );
    }

    #[test]
    fn much_output_is_cut_in_the_middle() {
        check(
            r#"
            > grz_execute_command {"command": "printf start; head -c 100000 /dev/zero | tr '\\000' x; printf end"}
            < {"exit_code": 0, "output": "startx$*x\n… [70,008 characters cut] …\nx$*xend", "success": true}
            "#,
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        check(
            r#"
            > grz_execute_command {"command": "ls", "working_directory": ".."}
            <! {"success": false, "error": "\"..\" is outside the allowed folders: $*; start the server with --root DIR to allow another"}
            > grz_execute_command {"command": "ls", "working_directory": "gone"}
            <! {"success": false, "error": "Directory not found: gone"}
            > grz_execute_command {"command": ""}
            <! {"success": false, "error": "$*command$*"}
            > grz_execute_command {"command": "ls", "timeout_seconds": 0}
            <! {"success": false, "error": "$*timeout_seconds got 0$*"}
            > grz_execute_command {"command": "ls", "timeout_seconds": 3601}
            <! {"success": false, "error": "$*timeout_seconds got 3601$*"}
            @ caller user=ada role=user
            > grz_execute_command {"command": "ls"}
            <! {"success": false, "error": "grz_execute_command needs the role admin; this caller is user"}
            "#,
        );
    }

    #[test]
    fn a_call_that_is_cancelled_tells_its_seconds_and_kills_the_command() {
        let bench = Bench::new();
        let news = |_, all| all != 3_600;
        let cx = Context { news: &news, ..bench.context() };
        let request = GrzExecuteCommand {
            command: Text("sleep 1000".to_owned()),
            working_directory: None,
            timeout_seconds: Int(3_600),
        };
        let error = request.call(&cx).unwrap_err();
        assert_eq!(error.message, "cancelled; the command was killed");
    }
}
