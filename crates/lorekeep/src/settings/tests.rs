//! The table as a whole, precedence, and what a hostile project's file achieves.

use std::collections::BTreeSet;
use std::path::Path;

use clap::{Args as _, Command, FromArgMatches as _};
use tools::Toolset;

use super::kind::Kind;
use super::table::{Flag, SetBy};
use super::*;

const USER: &str = "/user/lorekeep.toml";

fn layer(path: &str, text: &str) -> Result<Layered> {
    let path = Path::new(path);
    let source = Source::File(path.to_owned());
    let entries = file::parse(text, path)?;
    let sourced = |value| Sourced { value, source: source.clone() };
    Ok(entries.into_iter().map(|entry| (entry.setting, sourced(entry.value))).collect())
}

fn user(text: &str) -> Result<Settings> {
    build([&layer(USER, text)?])
}

fn variables(all: &[(&str, &str)]) -> Result<Layered> {
    of_variables(&|name| {
        all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
}

fn options(args: &[&str]) -> Layered {
    let command = options::StoreArgs::augment_args(Command::new("x"));
    let command = options::OfferArgs::augment_args(command);
    let command = options::HttpArgs::augment_args(command);
    let matches = command.try_get_matches_from([&["x"], args].concat()).unwrap();
    let store = options::StoreArgs::from_arg_matches(&matches).unwrap();
    let offer = options::OfferArgs::from_arg_matches(&matches).unwrap();
    let http = options::HttpArgs::from_arg_matches(&matches).unwrap();
    [store.to_vec(), offer.to_vec(), http.to_vec()].concat()
}

/// A project in a folder of its own, with this file.
fn project(dir: &Path, text: &str) -> Result<ProjectFile> {
    let path = dir.join(FILE_NAME);
    let entries = file::parse(text, &path)?;
    Ok(ProjectFile { path, root: dir.to_owned(), entries, is_trusted: false })
}

/// The settings in a project, beside a user's own.
fn in_project(of_user: &str, text: &str) -> Result<Settings> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    settle(&layer(USER, of_user)?, Some(&project(&root, text)?), &Layered::new(), Path::new(USER))
}

#[test]
fn the_nearest_place_wins_key_by_key() {
    let flags = options(&["--toolsets", "notes", "--identity", "user=flag"]);
    let env = variables(&[
        ("LOREKEEP_TOOLSETS", "layers"),
        ("LOREKEEP_ROLE", "user"),
        ("LOREKEEP_IDENTITY", "user=env,team=env"),
        ("LOREKEEP_LIMITS", "notes-task=7"),
    ])
    .unwrap();
    let nearer: Layered = env.into_iter().chain(flags).collect();
    let of_user = "http = \"u\"\nread-only = true\ndata-dir = \"/u\"\nlimits.notes-core = 5\n\
                   identity.team = \"u\"\nidentity.org = \"u\"";
    let dir = tempfile::tempdir().unwrap();
    let file = project(dir.path(), "role = \"guest\"\nidentity.project = \"p\"").unwrap();
    let of_user = layer(USER, of_user).unwrap();
    let settings = settle(&of_user, Some(&file), &nearer, Path::new(USER)).unwrap();
    assert_eq!(settings.selection.toolsets, [Toolset::Notes]);
    assert!(settings.selection.read_only);
    assert_eq!(settings.role, Role::User, "a variable is nearer than the project's file");
    assert_eq!(settings.http.address.as_deref(), Some("u"));
    assert_eq!(settings.data_dir, Path::new("/u"));
    assert_eq!((settings.limits.notes_core_max, settings.limits.notes_task_max), (5, 7));
    let id = |layer| settings.identity.id(layer).map(|id| id.as_str().to_owned());
    assert_eq!(id(model::Layer::User).as_deref(), Some("flag"));
    assert_eq!(id(model::Layer::Team).as_deref(), Some("env"));
    assert_eq!(id(model::Layer::Org).as_deref(), Some("u"));
    assert_eq!(id(model::Layer::Project).as_deref(), Some("p"));
    let source =
        |key| settings.sources.iter().find(|(name, _)| *name == key).unwrap().1.source.clone();
    assert_eq!(source("role").to_string(), "LOREKEEP_ROLE");
    assert_eq!(source("toolsets").to_string(), "--toolsets");
    assert_eq!(source("read-only").to_string(), USER);
}

#[test]
fn keys_flags_and_variables_are_unique_and_every_row_is_complete() {
    let unique = |names: Vec<String>| {
        let all = names.len();
        assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), all);
    };
    unique(table::all().map(|row| row.key.to_owned()).collect());
    unique(table::all().filter_map(reference::flag).collect());
    for row in table::all() {
        assert!(!row.help.is_empty() && !row.default.is_empty(), "{}", row.key);
        assert!(!matches!(row.set_by, SetBy::User(reason) if reason.is_empty()), "{}", row.key);
        assert!(row.needs.is_none_or(|key| table::all().any(|row| row.key == key)));
        if let SetBy::User(_) = row.set_by {
            assert!(reference::is_in_files(row));
        }
    }
}

#[test]
fn every_variable_of_the_program_is_in_the_table() {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for row in table::all() {
        match row.variable {
            Variable::None => {}
            Variable::Named(names) | Variable::Read(names, _) => {
                known.extend(names.iter().map(|name| (*name).to_owned()));
            }
            Variable::Pair(family, _) => drop(known.insert(family.variable.to_owned())),
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found: BTreeSet<String> = BTreeSet::new();
    for entry in ignore::WalkBuilder::new(crates).build().flatten() {
        let path = entry.path();
        let is_source = path.components().any(|part| part.as_os_str() == "src");
        if !is_source || path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        for part in text.split("LOREKEEP_").skip(1) {
            let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
            let name = part.split(|c| !is_name(c)).next().unwrap_or_default();
            found.extend((!name.is_empty()).then(|| format!("LOREKEEP_{name}")));
        }
    }
    let strangers: Vec<_> = found.difference(&known).collect();
    assert!(strangers.is_empty(), "no row of the table has {strangers:?}");
    assert!(found.len() > 40, "{found:?}");
}

const INTRODUCTION: &str = "\
# Settings

This page is made from the table in `crates/lorekeep/src/settings/table/`.

A value comes from the nearest place that sets it: option, variable, project file, user file, default.
The user file is `lorekeep/lorekeep.toml` in the user's configuration directory.
The project file is the nearest `lorekeep.toml` from the working directory up to the git root.
Keys with a dot are tables in TOML: `http.address` is `address` in `[http]`.
A key that does not exist is an error.
`lorekeep config list` shows the values that hold here, and where each comes from.

A project file comes with a repository, so it may only restrict: the last column says what it may set.
A file that sets anything else is refused with the line and the key.
`lorekeep trust` trusts one folder with its file as it stands; when the file changes, the trust ends.
A project file is a regular file of the project, not a link to a file outside. Files over 1 MB are not read.

| key | option | variable | what | default | in a project file |
|---|---|---|---|---|---|
";

/// The reference page.
fn page() -> String {
    let code =
        |text: Option<String>| text.map_or_else(|| "–".to_owned(), |text| format!("`{text}`"));
    let mut page = String::from(INTRODUCTION);
    for setting in table::all() {
        let key = reference::is_in_files(setting).then(|| setting.key.to_owned());
        page += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            code(key),
            code(reference::flag(setting)),
            code(reference::variable(setting)),
            reference::help(setting),
            setting.default,
            reference::in_projects(setting)
        );
    }
    page
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/settings.md");
    let page = page();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/reference/settings.md differs from the table: UPDATE_SNAPSHOTS=1");
}

/// Values of a setting in every direction.
fn attempts(setting: &Setting) -> Vec<String> {
    let list = |names: &[&str]| format!("{names:?}");
    match setting.kind {
        Kind::Bool => vec!["true".into(), "false".into()],
        Kind::Int(min, _) => vec![min.max(1).to_string(), "5".into(), "1000000".into()],
        Kind::OneOf(names) => names().iter().map(|name| format!("{name:?}")).collect(),
        Kind::List(_) | Kind::Paths => [
            vec![],
            vec!["all"],
            vec!["layers"],
            vec!["notes"],
            vec!["agent-memory"],
            vec!["files", "web"],
            vec!["memory_delete"],
            vec!["memory_add"],
            vec!["grz_execute_command"],
            vec!["/"],
            vec!["*"],
            vec!["https://evil.example"],
            vec!["evil.example"],
        ]
        .iter()
        .map(|names| list(names))
        .collect(),
        Kind::Map => vec!["{ everything = \"admin\" }".into()],
        Kind::Duration => vec!["\"0\"".into(), "\"1s\"".into(), "\"900d\"".into()],
        Kind::Path => ["store", "docs/knowledge", "/etc", "..", "../x", "a/../../x", "out/x", "."]
            .iter()
            .map(|text| format!("{text:?}"))
            .collect(),
        Kind::Text | Kind::Checked(_) | Kind::Secret => [
            "ada",
            "default",
            "none",
            "openai:m@http://evil.example/v1",
            "http://evil.example",
            "0.0.0.0:80",
        ]
        .iter()
        .map(|text| format!("{text:?}"))
        .collect(),
    }
}

/// Every key of the table, in every direction, against three persons: nothing is loosened, and what is
/// refused is refused with key, line and file.
#[test]
fn a_hostile_project_restricts_or_is_refused_whatever_key_it_sets() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("docs")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    let persons = [
        "",
        "role = \"guest\"\nread-only = true\ntrust = \"human_only\"\nexclude-tools = [\"memory_delete\"]\n\
         inject = \"person\"\nkeep-queries = false\ntoolsets = [\"layers\"]",
        "toolsets = [\"all\"]\ninject = \"web\"\nsecrets.policy = \"keep\"\nidentity.user = \"me\"\n\
         outside.allow-commands = true\nhttp = \"127.0.0.1:1\"",
    ];
    let (mut accepted, mut refused) = (0, 0);
    for person in persons {
        let of_user = layer(USER, person).unwrap();
        let alone = build([&of_user]).unwrap();
        for setting in table::all() {
            for value in attempts(setting) {
                let text = format!("\n{} = {value}", setting.key);
                let settled = project(&root, &text).and_then(|file| {
                    settle(&of_user, Some(&file), &Layered::new(), Path::new(USER))
                });
                match settled {
                    Ok(settings) => {
                        project::assert_within(&alone, &settings, &root);
                        assert!(
                            !matches!(setting.set_by, SetBy::User(_) | SetBy::Environment),
                            "{text}"
                        );
                        accepted += 1;
                    }
                    Err(why) => {
                        let why = format!("{why:#}");
                        let place = format!("{}:2: ", root.join(FILE_NAME).display());
                        assert!(
                            why.starts_with(&place) && why.contains(setting.key),
                            "{text}: {why}"
                        );
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(accepted > 50 && refused > 400, "{accepted} accepted, {refused} refused");
}

#[test]
fn a_project_restricts_what_the_person_allows() {
    let settings = in_project(
        "exclude-tools = [\"memory_delete\"]\nidentity.user = \"me\"",
        "role = \"guest\"\nread-only = true\ntrust = \"human_only\"\ninject = \"person\"\n\
         toolsets = [\"layers\"]\nexclude-tools = [\"memory_add\"]\nidentity.project = \"web\"\n\
         knowledge-dir = \"docs/knowledge\"\nkeep-queries = false\nsecrets.policy = \"refuse\"",
    )
    .unwrap();
    assert_eq!((settings.role, settings.selection.read_only), (Role::Guest, true));
    assert_eq!((settings.trust, settings.inject), (Trust::HumanOnly, TrustLevel::Person));
    assert_eq!(settings.selection.exclude, ["memory_delete", "memory_add"]);
    assert_eq!(settings.selection.toolsets, [Toolset::Layers]);
    assert!(settings.knowledge_dir.unwrap().ends_with("docs/knowledge"));
    assert_eq!(settings.identity.id(model::Layer::Project).unwrap().as_str(), "web");
    assert_eq!(settings.identity.id(model::Layer::User).unwrap().as_str(), "me");
}

#[test]
fn a_refusal_says_where_the_key_belongs_and_how_to_trust_the_folder() {
    let refused = |of_user: &str, text: &str| in_project(of_user, text).unwrap_err().to_string();
    let told = refused("role = \"guest\"", "role = \"admin\"");
    assert!(
        told.contains("lorekeep.toml:1: a project's file may not set role = \"admin\""),
        "{told}"
    );
    assert!(told.contains("may only set a lower role; yours is \"guest\""), "{told}");
    assert!(told.contains("It belongs in /user/lorekeep.toml"), "{told}");
    assert!(told.contains("lorekeep trust /"), "{told}");
    let told = refused("", "data-dir = \".store\"");
    assert!(told.contains("decides whose text your agents read"), "{told}");
    let told = refused("", "toolsets = [\"all\"]");
    assert!(told.contains("fewer tools; yours is `layers`, `knowledge` (the default)"), "{told}");
}

#[test]
fn a_trusted_project_is_nearer_than_the_user_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = project(dir.path(), "data-dir = \"store\"\nrole = \"admin\"").unwrap();
    let trusted = ProjectFile { is_trusted: true, ..file };
    let of_user = layer(USER, "role = \"guest\"").unwrap();
    let settings = settle(&of_user, Some(&trusted), &Layered::new(), Path::new(USER)).unwrap();
    assert_eq!((settings.role, settings.data_dir), (Role::Admin, dir.path().join("store")));
}

#[test]
fn a_projects_settings_are_a_regular_file_of_the_project() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("clone");
    std::fs::create_dir(&root).unwrap();
    let secret = dir.path().join("pgpass");
    std::fs::write(&secret, "host:5432:db:ada:hunter2\n").unwrap();
    let path = root.join(FILE_NAME);
    let read = || project::read(&path, &root).map_err(|why| format!("{why:#}"));
    std::os::unix::fs::symlink(&secret, &path).unwrap();
    let told = read().unwrap_err();
    assert!(told.contains("is a link to a file outside the project"), "{told}");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(root.join("inside.toml"), "role = \"user\"\n").unwrap();
    std::os::unix::fs::symlink("inside.toml", &path).unwrap();
    assert_eq!(read().as_deref(), Ok("role = \"user\"\n"));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(read().unwrap_err().contains("not a regular file"));
    std::fs::remove_dir(&path).unwrap();
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(3 << 30).unwrap();
    assert!(read().unwrap_err().contains("larger than 1 MB"));
}

#[test]
fn a_system_to_stand_in_for_sets_the_limits_and_others_lift_them() {
    let limits = |text: &str| user(text).unwrap().limits;
    assert_eq!(limits("toolsets = [\"notes\"]"), Limits::default());
    assert_eq!(limits("toolsets = [\"agent-memory\"]"), Limits::AGENT_MEMORY);
    let lifted = limits("toolsets = [\"agent-memory\"]\nlimits.notes-core = 0");
    assert_eq!(lifted, Limits { notes_core_max: 0, ..Limits::AGENT_MEMORY });
    let chosen = in_project("toolsets = [\"all\"]", "toolsets = [\"agent-memory\"]").unwrap();
    assert_eq!(chosen.limits, Limits::default(), "a project limits no notes");
}

#[test]
fn variables_have_other_names_pairs_and_readings() {
    let of = |all: &[(&str, &str)]| build([&variables(all).unwrap()]).unwrap();
    assert_eq!(of(&[("LEDGERMIND_DEFAULT_ROLE", "guest")]).role, Role::Guest);
    assert_eq!(of(&[("LEDGERMIND_DEFAULT_ROLE", "GUEST")]).role, Role::Guest, "in any case");
    let both = [("LEDGERMIND_DEFAULT_ROLE", "guest"), ("LOREKEEP_ROLE", "user")];
    assert_eq!(of(&both).role, Role::User);
    let backups = of(&[("LOREKEEP_BACKUPS", "keep=2,every=1h")]).backups;
    assert_eq!((backups.keep, backups.every.as_secs()), (2, 3_600));
    assert_eq!(of(&[("LOREKEEP_BACKUPS", "every=0")]).backups.keep, 0);
    let scopes = [
        ("LOREKEEP_OAUTH_ISSUER", "https://login.example"),
        ("LOREKEEP_OAUTH_AUDIENCE", "https://lore.example/mcp"),
        ("LOREKEEP_OAUTH_SCOPES", "a=guest b=admin"),
    ];
    assert!(of(&scopes).http.oauth.is_some());
    let otel = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.example");
    assert!(!of(&[otel]).traces.enabled);
    assert!(of(&[otel, ("LOREKEEP_TRACES", "true")]).traces.enabled);
    let there = of(&[("LOREKEEP_TRACES", "https://c.example")]).traces;
    assert_eq!((there.enabled, there.endpoint.as_deref()), (true, Some("https://c.example")));
    assert!(!of(&[("OTEL_SDK_DISABLED", "true"), ("LOREKEEP_TRACES", "1")]).traces.enabled);
    assert!(user("traces.endpoint = \"http://127.0.0.1:4318\"").unwrap().traces.enabled);
    let wrong = |name, value| variables(&[(name, value)]).unwrap_err().to_string();
    assert_eq!(
        wrong("LOREKEEP_TRACES", "yes"),
        "LOREKEEP_TRACES must be true, false or an address (got \"yes\")"
    );
    assert_eq!(
        wrong("LOREKEEP_READ_ONLY", "maybe"),
        "LOREKEEP_READ_ONLY must be true or false (got \"maybe\")"
    );
    let told = wrong("LOREKEEP_LIMITS", "core=5");
    assert!(told.contains("notes-core, notes-learning, notes-task or event-days (got \"core\")"));
    let told = wrong("LOREKEEP_HTTP_LIMITS", "burst=0");
    assert_eq!(told, "LOREKEEP_HTTP_LIMITS burst must be a whole number from 1 (got \"0\")");
}

#[test]
fn what_is_wrong_is_named_with_what_is_accepted() {
    let wrong = |text: &str| user(text).unwrap_err().to_string();
    assert!(wrong("toolsets = [\"x\"]").contains("toolset \"x\" is unknown; it takes layers"));
    assert!(wrong("tools = [\"y\"]").contains("must be names of tools (got \"y\""));
    assert!(wrong("identity = { planet = \"x\" }").contains("unknown key \"identity.planet\""));
    assert!(wrong("identity = { user = \"a/b\" }").contains("\"a/b\" is not 1 to 128"));
    let token = format!("ghp_{}", "A7kD93lMq0XzR5tB8wNy2VhC6jFe4SgP1uRi");
    let told = wrong(&format!("identity.user = \"{token}\""));
    assert!(told.contains("what looks like a secret") && !told.contains(&token), "{told}");
    assert!(wrong("[http]\ntls-cert = \"c\"").contains("http.tls-cert needs http.tls-key"));
    let host = wrong("[http]\nallowed-hosts = [\"https://lore.example\"]");
    assert!(host.contains("\"https://lore.example\" is no name"), "{host}");
    assert!(wrong("[http]\nallowed-origins = [\"*\"]").contains("\"*\" is no site"));
    assert!(wrong("traces.endpoint = \"here\"").contains("must be an address such as"));
    let needless = settle(&Layered::new(), None, &options(&["--behind-proxy"]), Path::new(USER));
    assert!(needless.unwrap_err().to_string().contains("--behind-proxy is for HTTP; add --http"));
}

#[test]
fn an_issuer_and_an_audience_are_enough_for_oauth() {
    let least = "[http.oauth]\nissuer = \"https://login.example\"\naudience = \"https://lore.example/mcp\"\n";
    assert_eq!(user(least).unwrap().http.oauth.unwrap().issuer(), "https://login.example");
    let more = "jwks = \"https://login.example/k\"\nuser-claim = \"email\"\norg-claim = \"org\"\n\
                namespaces-claim = \"ledgers\"\nscopes = { lore = \"guest\", \"lore.all\" = \"admin\" }";
    assert!(user(&format!("{least}{more}")).is_ok());
    let wrong = |text: &str| user(text).unwrap_err().to_string();
    assert!(wrong("http.oauth.issuer = \"https://login.example\"").contains("needs audience"));
    assert!(wrong("http.oauth.audience = \"https://lore.example\"").contains("needs issuer"));
    assert!(wrong("http.oauth.isuer = \"x\"").contains("did you mean \"http.oauth.issuer\"?"));
    let with = |text: &str| wrong(&format!("{least}{text}"));
    assert!(with("scopes = { a = \"root\" }").contains("\"root\" is unknown; it takes guest"));
    assert!(with("scopes = { \"a b\" = \"user\" }").contains("is not a scope"));
    assert!(with("scopes = {}").contains("is empty"));
    assert!(with("jwks = \"http://login.example/k\"").contains("is not https"));
    assert!(with("resource = \"lore\"").contains("is no address"));
    assert!(wrong(&least.replace("https://lore.example/mcp", "api://7")).contains("set resource"));
    let plain = least.replace("https://login", "http://login");
    assert!(wrong(&plain).contains("issuer \"http://login.example\" is not https"));
}

#[test]
fn any_file_only_restricts_or_is_refused() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/config");
    let mut all: Vec<Vec<u8>> = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        all.push(std::fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(!all.is_empty());
    all.iter().for_each(|data| fuzz_config(data));
    // Every line of the corpus, left out or doubled or with another's beside it.
    let lines: Vec<&[u8]> = all.iter().flat_map(|data| data.split(|b| *b == b'\n')).collect();
    for (at, line) in lines.iter().enumerate() {
        for other in lines.iter().skip(at % 3).step_by(3) {
            fuzz_config(&[*line, b"\n".as_slice(), *other].concat());
        }
        fuzz_config(&line[..line.len() / 2]);
    }
}

#[test]
fn every_flag_of_the_table_is_an_option_of_serve() {
    use clap::CommandFactory;
    let command = crate::cli::Cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    for setting in table::all() {
        let name = match setting.flag {
            Flag::None => continue,
            Flag::Value(_, name, _) | Flag::Switch(_, name, _) => name,
            Flag::Pair(family, _) => family.flag.unwrap(),
        };
        let arg = serve.get_arguments().find(|arg| arg.get_long() == Some(name));
        assert!(arg.is_some_and(|arg| arg.get_help().is_some()), "serve has no --{name}");
    }
}
