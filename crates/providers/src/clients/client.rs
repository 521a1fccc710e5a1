//! The clients: their names, how each is found on a machine, and the files of each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::hooks::HookSet;
use super::part::{Part, Shape};

/// A client that Lorekeep can be put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Gemini CLI.
    Gemini,
    /// Windsurf.
    Windsurf,
    /// Zed.
    Zed,
    /// OpenCode.
    OpenCode,
    /// Goose.
    Goose,
}

/// The system that paths are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and its like.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const fn here() -> Self {
        match () {
            () if cfg!(target_os = "macos") => Self::MacOs,
            () if cfg!(target_os = "windows") => Self::Windows,
            () => Self::Linux,
        }
    }
}

/// Where the files of a person are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The home directory.
    pub dir: PathBuf,
    /// Where configuration goes by convention.
    pub config: PathBuf,
    /// Where the system's applications keep theirs.
    pub applications: PathBuf,
    /// Codex's own directory.
    pub codex: PathBuf,
    /// Claude Code's own directory, if it was said.
    pub claude: Option<PathBuf>,
    /// Gemini CLI's own directory.
    pub gemini: PathBuf,
    /// The directories that programs are looked for in.
    pub programs: Vec<PathBuf>,
    /// The system.
    pub system: System,
}

impl Home {
    /// The home that variables tell of; `get` reads one. None if they tell of none.
    pub fn of_variables(system: System, get: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let folder = |name: &str| get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let absolute = |name: &str| folder(name).filter(|path| path.is_absolute());
        let dir = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        let config = absolute("XDG_CONFIG_HOME").unwrap_or_else(|| dir.join(".config"));
        let applications = match system {
            System::Linux => config.clone(),
            System::MacOs => dir.join("Library/Application Support"),
            System::Windows => {
                folder("APPDATA").unwrap_or_else(|| dir.join("AppData").join("Roaming"))
            }
        };
        Some(Self {
            codex: folder("CODEX_HOME").unwrap_or_else(|| dir.join(".codex")),
            claude: folder("CLAUDE_CONFIG_DIR"),
            gemini: folder("GEMINI_CLI_HOME").unwrap_or_else(|| dir.clone()).join(".gemini"),
            programs: get("PATH").iter().flat_map(std::env::split_paths).collect(),
            dir,
            config,
            applications,
            system,
        })
    }

    /// A program by its name.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] =
            if self.system == System::Windows { &[".exe", ".cmd"] } else { &[""] };
        let paths = self.programs.iter().filter(|dir| dir.is_absolute());
        let mut paths =
            paths.flat_map(|dir| endings.iter().map(move |end| dir.join(format!("{name}{end}"))));
        paths.find(|path| path.is_file())
    }

    fn claude(&self) -> PathBuf {
        self.claude.clone().unwrap_or_else(|| self.dir.join(".claude"))
    }
}

/// For whom something is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// For the person, everywhere.
    User,
    /// For who works in this folder.
    Project(PathBuf),
}

/// What is installed beside the entry of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras {
    /// Hooks, where the client has them.
    pub hooks: bool,
    /// Instructions, where the client reads them.
    pub instructions: bool,
}

impl Extras {
    /// All of it.
    pub const ALL: Self = Self { hooks: true, instructions: true };
}

/// A file of a client, and what of it is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFile {
    /// Where it is.
    pub path: PathBuf,
    pub(crate) parts: Vec<Part>,
}

const CLAUDE_HOOKS: HookSet = HookSet {
    client: "claude-code",
    events: &["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
    timeout: 5,
    is_flat: false,
    has_version: false,
};
/// Codex gives `SessionEnd` 3 s at most, and warns at each start of a hook that asks for more.
const CODEX_HOOKS: HookSet = HookSet { client: "codex", timeout: 3, ..CLAUDE_HOOKS };
const GEMINI_HOOKS: HookSet = HookSet {
    client: "gemini",
    events: &["SessionStart", "BeforeAgent", "AfterAgent"],
    timeout: 5_000,
    is_flat: false,
    has_version: false,
};
const CURSOR_HOOKS: HookSet = HookSet {
    client: "cursor",
    events: &["sessionStart", "stop"],
    timeout: 5,
    is_flat: true,
    has_version: true,
};

impl Client {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Gemini,
        Self::Windsurf,
        Self::Zed,
        Self::OpenCode,
        Self::Goose,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Gemini => "gemini",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::OpenCode => "opencode",
            Self::Goose => "goose",
        }
    }

    /// The client of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Whether it is on this machine: it has a folder here, or its program is found.
    pub fn is_found(self, home: &Home) -> bool {
        self.traces(home).iter().any(|path| path.exists())
            || self.program().is_some_and(|name| home.program(name).is_some())
    }

    /// The folder by which it is found.
    pub fn folder(self, home: &Home) -> PathBuf {
        self.traces(home).swap_remove(0)
    }

    /// What it leaves on a machine, its folder first.
    fn traces(self, home: &Home) -> Vec<PathBuf> {
        match self {
            Self::ClaudeCode => vec![home.claude(), home.dir.join(".claude.json")],
            Self::ClaudeDesktop => vec![home.applications.join("Claude")],
            Self::Codex => vec![home.codex.clone()],
            Self::Cursor => vec![home.dir.join(".cursor")],
            Self::VsCode => vec![home.applications.join("Code")],
            Self::Gemini => vec![home.gemini.clone()],
            Self::Windsurf => vec![home.dir.join(".codeium").join("windsurf")],
            Self::Zed => vec![folder_of_zed(home)],
            Self::OpenCode => vec![home.config.join("opencode")],
            Self::Goose => vec![folder_of_goose(home)],
        }
    }

    /// Its program, unless others have one of that name.
    const fn program(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("claude"),
            Self::Codex => Some("codex"),
            Self::Cursor => Some("cursor"),
            Self::Gemini => Some("gemini"),
            Self::Windsurf => Some("windsurf"),
            Self::OpenCode => Some("opencode"),
            Self::ClaudeDesktop | Self::VsCode | Self::Zed | Self::Goose => None,
        }
    }

    /// Its files, the one with the entry of the server first; none if it has none for a project.
    pub fn files(self, home: &Home, scope: &Scope, extras: Extras) -> Vec<ClientFile> {
        let (server, part) = match scope {
            Scope::User => self.user_server(home),
            Scope::Project(root) => match self.project_server() {
                Some((name, part)) => (beside(&root.join(name)), part),
                None => return Vec::new(),
            },
        };
        let mut files = vec![ClientFile { path: server, parts: vec![part] }];
        if let Some((path, hooks)) = self.hooks(home, scope).filter(|_| extras.hooks) {
            let part = Part::Hooks(hooks);
            match files.iter_mut().find(|file| file.path == path) {
                Some(file) => file.parts.push(part),
                None => files.push(ClientFile { path, parts: vec![part] }),
            }
        }
        if let Some(path) = self.instructions(home, scope).filter(|_| extras.instructions) {
            files.push(ClientFile { path, parts: vec![Part::Instructions] });
        }
        files
    }

    fn user_server(self, home: &Home) -> (PathBuf, Part) {
        let servers = |shape| Part::Json("mcpServers", shape);
        match self {
            Self::ClaudeCode => {
                let folder = home.claude.as_ref().unwrap_or(&home.dir);
                (folder.join(".claude.json"), servers(Shape::Typed))
            }
            Self::ClaudeDesktop => {
                let folder = home.applications.join("Claude");
                (folder.join("claude_desktop_config.json"), servers(Shape::Plain))
            }
            Self::Codex => (home.codex.join("config.toml"), Part::Toml("mcp_servers")),
            Self::Cursor => (home.dir.join(".cursor").join("mcp.json"), servers(Shape::Typed)),
            Self::VsCode => {
                let folder = home.applications.join("Code").join("User");
                (folder.join("mcp.json"), Part::Json("servers", Shape::Typed))
            }
            Self::Gemini => (home.gemini.join("settings.json"), servers(Shape::Plain)),
            Self::Windsurf => {
                let folder = home.dir.join(".codeium").join("windsurf");
                (folder.join("mcp_config.json"), servers(Shape::Plain))
            }
            Self::Zed => {
                let part = Part::Json("context_servers", Shape::Plain);
                (folder_of_zed(home).join("settings.json"), part)
            }
            Self::OpenCode => {
                let path = home.config.join("opencode").join("opencode.json");
                (beside(&path), Part::Json("mcp", Shape::Local))
            }
            Self::Goose => (folder_of_goose(home).join("config.yaml"), Part::Yaml("extensions")),
        }
    }

    fn project_server(self) -> Option<(&'static str, Part)> {
        let servers = |shape| Part::Json("mcpServers", shape);
        match self {
            Self::ClaudeCode => Some((".mcp.json", servers(Shape::Typed))),
            Self::Codex => Some((".codex/config.toml", Part::Toml("mcp_servers"))),
            Self::Cursor => Some((".cursor/mcp.json", servers(Shape::Typed))),
            Self::VsCode => Some((".vscode/mcp.json", Part::Json("servers", Shape::Typed))),
            Self::Gemini => Some((".gemini/settings.json", servers(Shape::Plain))),
            Self::Zed => Some((".zed/settings.json", Part::Json("context_servers", Shape::Plain))),
            Self::OpenCode => Some(("opencode.json", Part::Json("mcp", Shape::Local))),
            Self::ClaudeDesktop | Self::Windsurf | Self::Goose => None,
        }
    }

    fn hooks(self, home: &Home, scope: &Scope) -> Option<(PathBuf, HookSet)> {
        let (user, project, file, hooks) = match self {
            Self::ClaudeCode => (home.claude(), ".claude", "settings.json", CLAUDE_HOOKS),
            Self::Codex => (home.codex.clone(), ".codex", "hooks.json", CODEX_HOOKS),
            Self::Gemini => (home.gemini.clone(), ".gemini", "settings.json", GEMINI_HOOKS),
            Self::Cursor => (home.dir.join(".cursor"), ".cursor", "hooks.json", CURSOR_HOOKS),
            _ => return None,
        };
        let folder = match scope {
            Scope::User => user,
            Scope::Project(root) => root.join(project),
        };
        Some((folder.join(file), hooks))
    }

    /// The file of instructions that it reads.
    pub fn instructions(self, home: &Home, scope: &Scope) -> Option<PathBuf> {
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => Some(home.claude().join("CLAUDE.md")),
            (Self::Codex, Scope::User) => Some(home.codex.join("AGENTS.md")),
            (Self::Gemini, Scope::User) => Some(home.gemini.join("GEMINI.md")),
            (Self::Goose, Scope::User) => Some(folder_of_goose(home).join(".goosehints")),
            (_, Scope::User) => None,
            (Self::ClaudeCode, Scope::Project(root)) => {
                let own = root.join("CLAUDE.md");
                Some(if imports_agents(&own) { root.join("AGENTS.md") } else { own })
            }
            (Self::Gemini, Scope::Project(root)) => Some(root.join("GEMINI.md")),
            (_, Scope::Project(root)) => Some(root.join("AGENTS.md")),
        }
    }
}

fn folder_of_zed(home: &Home) -> PathBuf {
    match home.system {
        System::Windows => home.applications.join("Zed"),
        System::Linux | System::MacOs => home.config.join("zed"),
    }
}

fn folder_of_goose(home: &Home) -> PathBuf {
    match home.system {
        System::Windows => home.applications.join("Block").join("goose").join("config"),
        System::Linux | System::MacOs => home.config.join("goose"),
    }
}

/// The file of a path; or its sister that may have comments, if only that is there.
fn beside(path: &Path) -> PathBuf {
    let sister = path.with_extension("jsonc");
    let is_sister = path.ends_with("opencode.json") && !path.exists() && sister.exists();
    if is_sister { sister } else { path.to_owned() }
}

/// Whether instructions take in those of AGENTS.md, and have no block of ours.
fn imports_agents(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let imports = text.lines().any(|line| line.trim() == "@AGENTS.md");
    imports && !text.contains("lorekeep:begin")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(system: System, variables: &[(&str, &str)]) -> Home {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Home::of_variables(system, get).unwrap()
    }

    fn user_files(client: Client, home: &Home) -> Vec<String> {
        let files = client.files(home, &Scope::User, Extras::ALL);
        files.iter().map(|file| file.path.display().to_string().replace('\\', "/")).collect()
    }

    #[test]
    fn every_client_has_a_name_that_finds_it() {
        for client in Client::ALL {
            assert_eq!(Client::named(client.name()), Some(client));
        }
        assert_eq!(Client::named("emacs"), None);
    }

    #[test]
    fn files_are_where_each_system_has_them() {
        let linux = home(System::Linux, &[("HOME", "/h")]);
        let mac = home(System::MacOs, &[("HOME", "/h")]);
        let windows = home(System::Windows, &[("USERPROFILE", "/u"), ("APPDATA", "/r")]);
        for (client, on_linux, on_mac, on_windows) in [
            (Client::ClaudeCode, "/h/.claude.json", "/h/.claude.json", "/u/.claude.json"),
            (
                Client::ClaudeDesktop,
                "/h/.config/Claude/claude_desktop_config.json",
                "/h/Library/Application Support/Claude/claude_desktop_config.json",
                "/r/Claude/claude_desktop_config.json",
            ),
            (
                Client::Codex,
                "/h/.codex/config.toml",
                "/h/.codex/config.toml",
                "/u/.codex/config.toml",
            ),
            (Client::Cursor, "/h/.cursor/mcp.json", "/h/.cursor/mcp.json", "/u/.cursor/mcp.json"),
            (
                Client::VsCode,
                "/h/.config/Code/User/mcp.json",
                "/h/Library/Application Support/Code/User/mcp.json",
                "/r/Code/User/mcp.json",
            ),
            (
                Client::Zed,
                "/h/.config/zed/settings.json",
                "/h/.config/zed/settings.json",
                "/r/Zed/settings.json",
            ),
            (
                Client::Goose,
                "/h/.config/goose/config.yaml",
                "/h/.config/goose/config.yaml",
                "/r/Block/goose/config/config.yaml",
            ),
        ] {
            assert_eq!(user_files(client, &linux)[0], on_linux);
            assert_eq!(user_files(client, &mac)[0], on_mac);
            assert_eq!(user_files(client, &windows)[0], on_windows);
        }
    }

    #[test]
    fn variables_move_the_folders() {
        let moved = home(
            System::Linux,
            &[
                ("HOME", "/h"),
                ("CODEX_HOME", "/c"),
                ("CLAUDE_CONFIG_DIR", "/d"),
                ("GEMINI_CLI_HOME", "/g"),
                ("XDG_CONFIG_HOME", "/x"),
            ],
        );
        assert_eq!(
            user_files(Client::Codex, &moved),
            ["/c/config.toml", "/c/hooks.json", "/c/AGENTS.md"]
        );
        assert_eq!(
            user_files(Client::ClaudeCode, &moved),
            ["/d/.claude.json", "/d/settings.json", "/d/CLAUDE.md"]
        );
        assert_eq!(
            user_files(Client::Gemini, &moved),
            ["/g/.gemini/settings.json", "/g/.gemini/GEMINI.md"]
        );
        assert_eq!(Client::Gemini.folder(&moved), Path::new("/g/.gemini"));
        assert_eq!(user_files(Client::OpenCode, &moved), ["/x/opencode/opencode.json"]);
        assert_eq!(
            user_files(Client::Goose, &moved),
            ["/x/goose/config.yaml", "/x/goose/.goosehints"]
        );
        assert_eq!(Home::of_variables(System::Linux, |_| None), None);
    }

    #[test]
    fn a_project_has_files_of_most_clients() {
        let home = home(System::Linux, &[("HOME", "/h")]);
        let scope = Scope::Project("/p".into());
        let none =
            Client::ALL.into_iter().filter(|one| one.files(&home, &scope, Extras::ALL).is_empty());
        assert_eq!(
            none.collect::<Vec<_>>(),
            [Client::ClaudeDesktop, Client::Windsurf, Client::Goose]
        );
        let gemini = Client::Gemini.files(&home, &scope, Extras::ALL);
        assert_eq!(gemini.len(), 2, "one file has the entry and the hooks");
        let bare = Extras { hooks: false, instructions: false };
        assert_eq!(Client::ClaudeCode.files(&home, &scope, bare).len(), 1);
    }
}
