//! `lorekeep install` and `lorekeep uninstall` in a home of their own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_lorekeep");

/// A home directory that nothing else uses.
struct Home {
    dir: TempDir,
}

impl Home {
    /// A home with these files and, where a name ends in a slash, folders.
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            home.write(name, text);
        }
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
            return;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .env_clear()
            .env("HOME", self.dir.path())
            .env("PATH", format!("{}:/usr/bin:/bin", self.at("bin").display()))
            .current_dir(self.dir.path())
            .args(args);
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        said(self.command(args))
    }

    /// Everything there is, folders too.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        collect(self.dir.path(), &mut tree);
        tree
    }

    /// A program of this name that runs these lines.
    fn program(&self, name: &str, lines: &str) {
        let name = format!("bin/{name}");
        self.write(&name, &format!("#!/bin/sh\n{lines}\n"));
        fs::set_permissions(self.at(&name), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn collect(dir: &Path, tree: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let is_folder = fs::symlink_metadata(&path).unwrap().is_dir();
        tree.insert(path.clone(), (!is_folder).then(|| fs::read(&path).unwrap_or_default()));
        if is_folder {
            collect(&path, tree);
        }
    }
}

fn said(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The state of each file in a table.
fn states(out: &str) -> Vec<&str> {
    out.lines().map(|line| line.split('\t').nth(3).unwrap_or_else(|| panic!("{out}"))).collect()
}

const CLAUDE: &str =
    "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n";
const CODEX: &str = "model = \"x\" # mine\n\n[mcp_servers.a]\ncommand = \"a\"\n";
const ZED: &str = "// Zed\n{\n  \"theme\": \"x\", // dark\n  \"context_servers\": {},\n}\n";
const GOOSE: &str = "# mine\nextensions:\n  developer:\n    enabled: true\nGOOSE_MODEL: x\n";

fn full() -> Home {
    Home::new(&[
        (".claude.json", CLAUDE),
        (".codex/config.toml", CODEX),
        (".codex/AGENTS.md", "# Mine\n"),
        (".cursor/", ""),
        (".gemini/settings.json", "{}"),
        (".config/Claude/", ""),
        (".config/Code/User/mcp.json", "{\r\n\t\"servers\": {}\r\n}\r\n"),
        (".config/zed/settings.json", ZED),
        (".config/opencode/opencode.jsonc", "{\n  // mine\n}\n"),
        (".config/goose/config.yaml", GOOSE),
        (".config/goose/.goosehints", "# Mine\n"),
        (".codeium/windsurf/mcp_config.json", ""),
    ])
}

#[test]
fn one_line_puts_it_into_every_client_and_one_takes_it_out_again() {
    let home = full();
    let before = home.tree();
    let (code, out, err) = home.run(&["install"]);
    assert_eq!(code, 0, "{err}");
    assert!(states(&out).iter().all(|state| *state == "installed"), "{out}");
    for client in ["claude-code", "claude-desktop", "codex", "cursor", "vscode", "gemini"] {
        assert!(out.contains(&format!("{client}\tfound\t")), "{out}");
    }
    for (file, key) in [
        (".claude.json", "mcpServers"),
        (".cursor/mcp.json", "mcpServers"),
        (".gemini/settings.json", "mcpServers"),
        (".config/Claude/claude_desktop_config.json", "mcpServers"),
        (".config/Code/User/mcp.json", "servers"),
        (".codeium/windsurf/mcp_config.json", "mcpServers"),
    ] {
        let entry = &home.json(file)[key]["lorekeep"];
        assert_eq!(entry["command"], BINARY, "{file}");
        assert_eq!(entry["args"], json!(["serve"]), "{file}");
    }
    assert_eq!(home.json(".claude.json")["mcpServers"]["a"]["command"], "a");
    assert!(home.read(".config/opencode/opencode.jsonc").contains("// mine"));
    assert!(home.read(".config/goose/config.yaml").contains(&format!("cmd: {BINARY}")));
    let hook = &home.json(".claude/settings.json")["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    let command = format!("{BINARY} hook claude-code UserPromptSubmit");
    assert_eq!(*hook, json!({"type": "command", "command": command, "timeout": 5}));
    assert_eq!(
        home.json(".gemini/settings.json")["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"],
        5000
    );
    let hook = json!({"command": format!("{BINARY} hook cursor stop"), "timeout": 5});
    assert_eq!(home.json(".cursor/hooks.json"), {
        let start = json!({"command": format!("{BINARY} hook cursor sessionStart"), "timeout": 5});
        json!({"version": 1, "hooks": {"sessionStart": [start], "stop": [hook]}})
    });
    let hook = &home.json(".codex/hooks.json")["hooks"]["SessionEnd"][0]["hooks"][0];
    assert_eq!(hook["timeout"], 3, "more than it gives would be warned of at each start");
    let goose = ".config/goose/.goosehints";
    for file in [".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", goose] {
        assert!(home.read(file).contains("`memory_search`"), "{file}");
    }
    assert_eq!(home.read(".codex/config.toml.lorekeep-backup"), CODEX);
    assert!(!home.at(".cursor/mcp.json.lorekeep-backup").exists());

    let installed = home.tree();
    let (code, out, _) = home.run(&["install", "--all"]);
    assert!(code == 0 && states(&out).iter().all(|state| *state == "unchanged"), "{out}");
    assert_eq!(home.tree(), installed);

    let (code, out, _) = home.run(&["uninstall"]);
    assert!(code == 0 && states(&out).iter().all(|state| *state == "uninstalled"), "{out}");
    assert_eq!(home.tree(), before);
    let (code, out, _) = home.run(&["uninstall", "--all"]);
    assert_eq!((code, out.as_str()), (0, "nothing of ours is installed there\n"));
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let home = full();
    let before = home.tree();
    let (code, out, _) = home.run(&["install", "--dry-run", "zed", "codex"]);
    assert_eq!(code, 0);
    assert_eq!(home.tree(), before);
    let path = home.at(".config/zed/settings.json");
    assert!(out.contains(&format!("--- {0}\n+++ {0}\n", path.display())), "{out}");
    assert!(
        out.contains(
            "-  \"context_servers\": {},\n+  \"context_servers\": {\n+    \"lorekeep\": {\n"
        ),
        "{out}"
    );
    assert!(out.contains("   \"theme\": \"x\", // dark\n"), "{out}");
    assert!(out.contains("+[mcp_servers.lorekeep]\n"), "{out}");
    assert!(out.contains("--- /dev/null\n"), "{out}");
    assert!(out.contains("\twould be installed\n"), "{out}");
    home.run(&["install", "zed"]);
    let before = home.tree();
    let (_, out, _) = home.run(&["uninstall", "zed", "--dry-run"]);
    assert!(
        out.contains("-    \"lorekeep\": {\n") && out.contains("would be uninstalled"),
        "{out}"
    );
    assert_eq!(home.tree(), before);
}

#[test]
fn where_no_client_is_found_it_is_said_what_was_looked_for() {
    let home = Home::new(&[]);
    let (code, out, err) = home.run(&["install"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("no client was found") && err.contains("/.codex\n"), "{err}");
    assert!(home.tree().is_empty());
    assert_eq!(home.run(&["install", "emacs"]).0, 2);
}

#[test]
fn a_client_that_is_named_need_not_be_found_and_leaves_no_folder() {
    let home = Home::new(&[]);
    let (code, out, _) = home.run(&["install", "goose", "codex", "vscode"]);
    assert_eq!((code, out.lines().count()), (0, 6), "{out}");
    assert!(out.contains("goose\tnot found\t"), "{out}");
    assert!(home.at(".config/goose/config.yaml").exists());
    assert!(home.run(&["install"]).1.contains("codex\tfound\t"));
    assert_eq!(home.run(&["uninstall", "goose"]).0, 0);
    assert!(!home.at(".config/goose").exists() && home.at(".config/Code").exists());
    assert_eq!(home.run(&["uninstall"]).0, 0);
    assert!(home.tree().is_empty(), "{:?}", home.tree().keys());
}

#[test]
fn variables_say_where_clients_keep_their_files() {
    let home = Home::new(&[]);
    let mut command = home.command(&["install", "codex", "zed", "claude-code", "gemini"]);
    command
        .env("CODEX_HOME", home.at("c"))
        .env("XDG_CONFIG_HOME", home.at("x"))
        .env("CLAUDE_CONFIG_DIR", home.at("d"))
        .env("GEMINI_CLI_HOME", home.at("g"));
    assert_eq!(said(command).0, 0);
    for file in [
        "c/config.toml",
        "c/hooks.json",
        "x/zed/settings.json",
        "d/.claude.json",
        "d/settings.json",
        "g/.gemini/settings.json",
        "g/.gemini/GEMINI.md",
    ] {
        assert!(home.at(file).exists(), "{file}");
    }
    assert!(!home.at(".gemini").exists());
}

#[test]
fn what_is_refused_stays_and_the_others_go_on() {
    let home = Home::new(&[
        (".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}\n"),
        (".codex/config.toml", "model = \n"),
        (".config/goose/config.yaml", "extensions: {a: {cmd: x}}\n"),
        (".config/zed/settings.json", "[]"),
        (".config/Code/User/mcp.json/", ""),
        (".config/Claude/", ""),
        (".codeium/windsurf/mcp_config.json", "{}"),
        (".gemini/", ""),
        (".config/opencode/opencode.json", "{}"),
    ]);
    symlink(
        home.at(".config/Claude/claude_desktop_config.json"),
        home.at(".config/Claude/claude_desktop_config.json"),
    )
    .unwrap();
    let locked = home.at(".codeium/windsurf/mcp_config.json");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(home.at(".config/opencode"), fs::Permissions::from_mode(0o555)).unwrap();
    let broken = [
        ".cursor/mcp.json",
        ".codex/config.toml",
        ".config/goose/config.yaml",
        ".config/zed/settings.json",
    ];
    let before = broken.map(|file| home.read(file));
    let (code, out, err) = home.run(&["install"]);
    fs::set_permissions(home.at(".config/opencode"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(code, 1);
    for why in [
        "mcp.json: line 3, column 11: it is no JSON: Expected comma; it was not changed",
        "config.toml: line 1, column 9: it is no TOML",
        "config.yaml: line 1, column 1: extensions must have each entry on lines of its own",
        "settings.json: line 1, column 1: the file must be a JSON object",
        "mcp.json: it is no file",
        "claude_desktop_config.json: its links lead in a circle",
        "mcp_config.json: it is read-only",
        "opencode is read-only: `chmod u+w` it",
    ] {
        assert!(err.contains(why), "{why}: {err}");
    }
    assert_eq!(broken.map(|file| home.read(file)), before);
    assert_eq!(fs::read_to_string(&locked).unwrap(), "{}");
    assert_eq!(home.read(".config/opencode/opencode.json"), "{}");
    assert!(out.contains("settings.json\tinstalled\n"), "Gemini's: {out}");
    assert_eq!(out.matches("\trefused").count(), 8, "{out}");
    // Hooks and instructions would speak of a server that is not there.
    let rest = [
        ".cursor/hooks.json",
        ".codex/hooks.json",
        ".codex/AGENTS.md",
        ".config/goose/.goosehints",
    ];
    for file in rest {
        assert!(!home.at(file).exists(), "{file}");
    }
    assert_eq!(out.matches("\tleft out").count(), rest.len(), "{out}");
}

#[test]
fn a_file_of_a_dotfiles_folder_is_changed_where_it_is() {
    let home = Home::new(&[("dotfiles/config.toml", CODEX), (".codex/", "")]);
    symlink("../dotfiles/config.toml", home.at(".codex/config.toml")).unwrap();
    fs::set_permissions(home.at("dotfiles/config.toml"), fs::Permissions::from_mode(0o600))
        .unwrap();
    assert_eq!(home.run(&["install", "codex"]).0, 0);
    assert!(fs::symlink_metadata(home.at(".codex/config.toml")).unwrap().is_symlink());
    assert!(home.read("dotfiles/config.toml").contains("[mcp_servers.lorekeep]"));
    let mode = fs::metadata(home.at("dotfiles/config.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(home.run(&["uninstall", "codex"]).0, 0);
    assert_eq!(home.read("dotfiles/config.toml"), CODEX);
    assert_eq!(fs::read_dir(home.at("dotfiles")).unwrap().count(), 1);
}

#[test]
fn what_others_write_between_install_and_uninstall_stays() {
    let home = Home::new(&[(".config/zed/settings.json", ZED), (".cursor/", "")]);
    home.run(&["install"]);
    let text = home.read(".config/zed/settings.json").replace("\"x\"", "\"y\"");
    home.write(".config/zed/settings.json", &text);
    let text = home.read(".cursor/mcp.json").replacen("{\n", "{\n  \"later\": 1,\n", 1);
    home.write(".cursor/mcp.json", &text);
    assert_eq!(home.run(&["uninstall"]).0, 0);
    assert_eq!(home.read(".config/zed/settings.json"), ZED.replace("\"x\"", "\"y\""));
    assert_eq!(home.json(".cursor/mcp.json"), json!({"later": 1}));
    assert_eq!(home.read(".config/zed/settings.json.lorekeep-backup"), ZED, "it is kept");
}

#[test]
fn an_entry_of_our_name_gives_way_only_by_force() {
    let text = "{\"mcpServers\": {\"lorekeep\": {\"command\": \"npx\", \"args\": [\"x\"]}}}";
    let home = Home::new(&[(".cursor/mcp.json", text)]);
    let (code, _, err) = home.run(&["install", "cursor"]);
    assert!(code == 1 && err.contains("runs \"npx\"") && err.contains("--force"), "{err}");
    assert_eq!(home.read(".cursor/mcp.json"), text);
    assert_eq!(home.run(&["install", "cursor", "--force"]).0, 0);
    assert_eq!(home.json(".cursor/mcp.json")["mcpServers"]["lorekeep"]["command"], BINARY);
}

#[test]
fn hooks_and_instructions_can_be_left_out() {
    let home = Home::new(&[]);
    let args = ["install", "claude-code", "codex", "gemini", "--no-hooks", "--no-instructions"];
    let (code, out, _) = home.run(&args);
    assert_eq!((code, out.lines().count()), (0, 3), "{out}");
    assert!(!home.at(".claude").exists() && !home.at(".codex/hooks.json").exists());
    assert!(home.json(".gemini/settings.json").get("hooks").is_none());
    home.run(&["install", "gemini"]);
    home.run(&["uninstall"]);
    assert!(home.tree().is_empty(), "{:?}", home.tree().keys());
}

#[test]
fn a_project_gets_files_of_its_own() {
    let home = Home::new(&[
        (".claude/", ""),
        (".cursor/", ""),
        (".codex/", ""),
        (".config/goose/", ""),
        ("p/.git/HEAD", "ref: refs/heads/main\n"),
        ("p/src/", ""),
        ("p/CLAUDE.md", "@AGENTS.md\n"),
        ("p/AGENTS.md", "# Project\n"),
    ]);
    let before = home.tree();
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(home.at("p/src"));
        said(command)
    };
    let (code, out, err) = run(&["install", "--project"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("goose"), "it has no files of a project: {out}");
    for file in [".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".codex/config.toml"] {
        assert!(home.at("p").join(file).exists(), "{file}");
    }
    assert_eq!(home.read("p/CLAUDE.md"), "@AGENTS.md\n");
    assert_eq!(home.read("p/AGENTS.md").matches("lorekeep:begin").count(), 1);
    assert!(!home.at(".cursor/mcp.json").exists(), "the user's files are not touched");
    // The team gets these files: what is a path here is none elsewhere.
    assert_eq!(home.json("p/.mcp.json")["mcpServers"]["lorekeep"]["command"], "lorekeep");
    assert!(home.read("p/.cursor/hooks.json").contains("\"lorekeep hook cursor stop\""));
    for (path, bytes) in home.tree().iter().filter(|(path, _)| path.starts_with(home.at("p"))) {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default());
        assert!(!text.contains(BINARY), "{}: {text}", path.display());
    }
    assert!(err.contains("into a directory of PATH"), "nothing finds it here: {err}");
    assert!(err.contains("in a project that you have not trusted"), "Codex: {err}");
    home.write(
        "p/.mcp.json",
        &home.read("p/.mcp.json").replace("\"lorekeep\",", "\"/old/lorekeep\","),
    );
    assert!(run(&["install", "--project"]).1.contains(".mcp.json\tupdated"));
    assert_eq!(home.json("p/.mcp.json")["mcpServers"]["lorekeep"]["command"], "lorekeep");
    run(&["uninstall", "--project", "cursor"]);
    assert!(!home.at("p/.cursor").exists());
    assert!(home.read("p/AGENTS.md").contains("lorekeep:begin"), "others read it too");
    assert_eq!(run(&["uninstall", "--project"]).0, 0);
    assert_eq!(home.tree(), before);
    let (code, _, err) = run(&["install", "--project", "goose"]);
    assert!(code == 1 && err.contains("it has no files of a project"), "{err}");
}

#[test]
fn claude_codes_file_is_edited_as_the_dry_run_says_whatever_is_on_the_path() {
    let home = Home::new(&[(".claude.json", CLAUDE)]);
    home.program("claude", "echo \"$@\" >> \"$HOME/asked\"; echo '{}' > \"$HOME/.claude.json\"");
    let args = ["install", "claude-code", "--no-hooks", "--no-instructions"];
    let (_, shown, _) = home.run(&[&args[..], &["--dry-run"]].concat());
    let (code, out, err) = home.run(&args);
    assert!(code == 0 && out.contains(".claude.json\tinstalled"), "{out}{err}");
    let now = home.read(".claude.json");
    assert!(now.starts_with(CLAUDE.split("\n  }").next().unwrap()), "{now}");
    let lines = |text: &str, sign: char| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(sign) && !line.starts_with("+++"));
        lines.map(|line| line[1..].to_owned()).collect()
    };
    let added: Vec<String> = lines(&shown, '+');
    assert!(
        !added.is_empty() && added.iter().all(|line| now.lines().any(|it| it == line)),
        "{now}"
    );
    assert_eq!(home.read(".claude.json.lorekeep-backup"), CLAUDE);
    assert_eq!(home.run(&["uninstall"]).0, 0);
    assert_eq!(home.read(".claude.json"), CLAUDE);
    assert!(!home.at("asked").exists(), "its program is not run");
}

#[test]
fn what_clients_will_not_start_is_said() {
    let home = Home::new(&[]);
    let (_, _, err) = home.run(&["install", "gemini", "codex"]);
    assert!(
        err.contains("gemini: in a folder that you have not trusted it starts no server"),
        "{err}"
    );
    assert!(err.contains("--skip-trust") && err.contains("codex: it asks once"), "{err}");
    assert!(!err.contains("codex exec --trust"), "its own files need no trust: {err}");
}

#[test]
fn the_path_by_which_a_shell_finds_the_program_is_written() {
    let home = Home::new(&[("bin/", ""), (".cursor/", "")]);
    symlink(BINARY, home.at("bin/lorekeep")).unwrap();
    home.run(&["install"]);
    let command = home.at("bin/lorekeep");
    assert_eq!(
        home.json(".cursor/mcp.json")["mcpServers"]["lorekeep"]["command"],
        command.to_str().unwrap()
    );
    fs::remove_file(command).unwrap();
    let (_, out, _) = home.run(&["install", "cursor"]);
    assert_eq!(states(&out), ["updated", "updated"]);
    assert_eq!(home.json(".cursor/mcp.json")["mcpServers"]["lorekeep"]["command"], BINARY);
    home.run(&["uninstall"]);
    assert_eq!(home.tree().len(), 2, "the two folders that were there: {:?}", home.tree().keys());
}

#[test]
fn a_program_of_another_name_writes_nothing_that_it_would_not_know_again() {
    let home = Home::new(&[("bin/", ""), (".cursor/mcp.json", "{}\n")]);
    let renamed = home.at("bin/renamed");
    fs::copy(BINARY, &renamed).unwrap();
    let mut command = Command::new(&renamed);
    command.env_clear().env("HOME", home.dir.path()).args(["install", "cursor"]);
    let (code, _, err) = said(command);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("should be called lorekeep"), "{err}");
    assert_eq!(home.read(".cursor/mcp.json"), "{}\n");
}
