//! Configurations as people have them, odd ones too, put through installing and uninstalling.

use std::path::PathBuf;

use super::client::{Client, ClientFile, Extras, Home, Scope, System};
use super::part::{Part, Wish};
use super::plan::{Backup, Edit};

/// JSON, with comments and without: names, and texts.
const JSON: [(&str, &str); 19] = [
    ("nothing", ""),
    ("blank", "\n\n"),
    ("only comments", "// Settings.\n/* none\n   yet */\n"),
    ("empty object", "{}"),
    ("empty object and line", "{}\n"),
    ("empty object with room", "{\n\n}\n"),
    ("empty object with a comment", "{\n  // nothing here yet\n}\n"),
    ("one line", "{\"theme\": \"dark\", \"mcpServers\": {\"a\": {\"command\": \"a\"}}}\n"),
    ("tight", "{\"numStartups\":3,\"mcpServers\":{},\"projects\":{\"/p\":{\"mcpServers\":{}}}}"),
    (
        "two blanks",
        "{\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"@x/server\"\n      ],\n      \"env\": {\"TOKEN\": \"${TOKEN}\"}\n    }\n  }\n}\n",
    ),
    (
        "four blanks",
        "{\n    \"servers\": {\n        \"a\": {\n            \"url\": \"https://x/{}\"\n        }\n    },\n    \"inputs\": []\n}\n",
    ),
    (
        "tabs",
        "{\n\t\"context_servers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"a\"\n\t\t}\n\t}\n}\n",
    ),
    (
        "line ends of Windows",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"C:\\\\a.exe\"\r\n    }\r\n  }\r\n}\r\n",
    ),
    ("a mark before it", "\u{feff}{\n  \"mcp\": {}\n}\n"),
    (
        "Zed's own",
        "// Zed settings\n//\n// For information on how to configure Zed, see the Zed\n// documentation: https://zed.dev/docs/configuring-zed\n{\n  \"ui_font_size\": 16, // large\n  \"theme\": {\n    \"mode\": \"system\",\n    \"light\": \"One Light\",\n  },\n  \"context_servers\": {\n    // \"old\": { \"command\": \"old\" },\n    \"docs\": {\n      \"command\": \"docs\",\n      \"args\": [], // none\n    }, // the docs\n    // the end\n  },\n}\n",
    ),
    (
        "comments between keys",
        "{ // first\n  \"a\": 1, /* second */\n  // third\n  \"hooks\": {\n    // fourth\n    \"Stop\": [\n      // fifth\n      { \"matcher\": \"\", \"hooks\": [ { \"type\": \"command\", \"command\": \"say // done\" } ] } // sixth\n    ] // seventh\n  } // eighth\n} // ninth\n// tenth\n",
    ),
    ("no line at the end", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}}}"),
    (
        "many hooks",
        "{\n  \"hooks\": {\n    \"SessionStart\": [{\"hooks\": []}],\n    \"UserPromptSubmit\": [],\n    \"BeforeAgent\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": 1}]}]\n  },\n  \"version\": 1\n}\n",
    ),
    (
        "mixed ends and blanks",
        "{\n   \"a\":1,\r\n\t \"b\" : [1,2 , 3],\n\n\n \"mcpServers\" : { \"x\":{} }\n\n}\n\n\n",
    ),
];

/// Codex's configuration.
const TOML: [(&str, &str); 9] = [
    ("nothing", ""),
    ("only comments", "# Codex\n#\n"),
    (
        "tables",
        "model = \"gpt-5\" # mine\napproval_policy = \"on-request\"\n\n[mcp_servers.docs]\ncommand = \"docs\"\nargs = [\n  \"-y\", # yes\n]\n\n[mcp_servers.docs.env]\nTOKEN = \"x\"\n\n[projects.\"/p/a\"]\ntrust_level = \"trusted\"\n",
    ),
    (
        "dotted keys",
        "mcp_servers.docs.command = \"docs\"\nmcp_servers.docs.args = []\nmodel = 'x'\n",
    ),
    (
        "inline tables",
        "mcp_servers = { docs = { command = \"docs\", args = [] } }\n[tui]\nnotifications = true\n",
    ),
    (
        "lists of tables",
        "[[profiles]]\nname = \"a\"\n\n[[profiles]]\nname = \"b\"\n[mcp_servers]\n",
    ),
    ("line ends of Windows", "model = \"x\"\r\n\r\n[tui]\r\na = 1\r\n"),
    ("a mark and no line at the end", "\u{feff}[tui]\na = \"\"\"\n[mcp_servers.lorekeep]\n\"\"\""),
    ("blank lines at the end", "[features]\nhooks = true\n\n\n"),
];

/// Goose's configuration.
const YAML: [(&str, &str); 8] = [
    ("nothing", ""),
    ("only comments", "# Goose\n\n"),
    (
        "as Goose writes it",
        "extensions:\n  developer:\n    available_tools: []\n    bundled: true\n    description: 'Write: files'\n    enabled: true\n    name: developer\n    timeout: 300\n    type: builtin\n  github:\n    args:\n    - -y\n    - '@x/server'\n    cmd: npx\n    enabled: false\n    env_keys:\n    - TOKEN\n    envs: {}\n    type: stdio\nGOOSE_MODEL: gpt-5\nGOOSE_PROVIDER: openai\n",
    ),
    (
        "comments everywhere",
        "# top\nGOOSE_MODE: auto   # mode\n\nextensions:   # mine\n    # first\n    memory:\n        enabled: true # yes\n\n        type: builtin\n    # last\n# at the edge\n\nOTHER:\n    - 1\n",
    ),
    ("no section", "GOOSE_MODEL: x\nlist: [1, 2]\n"),
    ("empty section", "extensions: {}\nGOOSE_MODEL: x\n"),
    ("line ends of Windows", "extensions:\r\n  a:\r\n    enabled: true\r\nb: 1\r\n"),
    ("no line at the end", "---\nextensions:\n  a:\n    text: |\n      lorekeep:\n        cmd: x"),
];

/// Instructions.
const MARKDOWN: [(&str, &str); 5] = [
    ("nothing", ""),
    ("a heading", "# Mine\n"),
    ("line ends of Windows", "# Mine\r\n\r\n- Be kind.\r\n"),
    ("no line at the end", "\u{feff}# Mine\n\nBe kind."),
    ("blank lines at the end", "# Mine\n\n\n"),
];

fn home() -> Home {
    let get = |name: &str| (name == "HOME").then(|| "/nowhere".into());
    Home::of_variables(System::Linux, get).unwrap()
}

fn samples(part: Part) -> &'static [(&'static str, &'static str)] {
    match part {
        Part::Json(..) | Part::Hooks(_) => &JSON,
        Part::Toml(_) => &TOML,
        Part::Yaml(_) => &YAML,
        Part::Instructions => &MARKDOWN,
    }
}

fn wish(program: &str) -> Wish {
    Wish { program: program.to_owned(), force: false }
}

/// Every file of every client, with every sample of its format.
fn for_each(check: impl Fn(&ClientFile, &str, &str)) -> usize {
    let mut count = 0;
    for scope in [Scope::User, Scope::Project(PathBuf::from("/nowhere/p"))] {
        for client in Client::ALL {
            for file in client.files(&home(), &scope, Extras::ALL) {
                for (name, text) in samples(file.parts[0]) {
                    check(
                        &file,
                        text,
                        &format!("{}, {}: {name}", client.name(), file.path.display()),
                    );
                    count += 1;
                }
            }
        }
    }
    count
}

fn install(file: &ClientFile, before: Option<&str>, program: &str) -> Edit {
    let wish = wish(program);
    file.install(before.map(str::to_owned), &wish).unwrap_or_else(|why| panic!("{why}: {before:?}"))
}

/// The lines of `before` that are not in `after`, but for a comma at their end.
fn lost<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let bare = |line: &str| line.replace(',', "");
    let mut left: Vec<String> = after.lines().map(bare).collect();
    let is_lost = |line: &&str| match left.iter().position(|one| *one == bare(line)) {
        Some(at) => {
            left.drain(..=at);
            false
        }
        None => true,
    };
    before.lines().filter(is_lost).collect()
}

#[test]
fn what_was_installed_is_uninstalled_byte_for_byte() {
    let count = for_each(|file, text, label| {
        let edit = install(file, Some(text), "/opt/bin/lorekeep");
        let with = edit.after.clone().unwrap();
        assert_ne!(with, text, "{label}");
        assert_eq!(edit.backup, Backup::Make, "{label}");
        assert_eq!(
            install(file, Some(&with), "/opt/bin/lorekeep").after.as_ref(),
            Some(&with),
            "{label}"
        );
        let back = file.uninstall(Some(with), Some(text)).expect(label);
        assert_eq!((back.after.as_deref(), back.backup), (Some(text), Backup::Drop), "{label}");
    });
    assert!(count > 250, "{count}");
}

#[test]
fn lines_of_others_stay_as_they_are() {
    for_each(|file, text, label| {
        let with = install(file, Some(text), "/opt/bin/lorekeep").after.unwrap();
        // Brackets that were closed on the line where they were opened are opened now.
        let lost: Vec<&str> =
            lost(text, &with).into_iter().filter(|line| !line.contains(['{', '[', '}'])).collect();
        let is_blank = |line: &&str| line.trim().is_empty();
        assert!(lost.iter().all(is_blank), "{label}: {lost:?} of\n{text}\nis not in\n{with}");
        assert_eq!(with.contains("\r\n"), text.contains("\r\n"), "{label}");
    });
}

#[test]
fn without_the_copy_only_blanks_and_empty_brackets_may_differ() {
    let bare = |text: &str| text.replace(|c: char| c.is_whitespace(), "");
    for_each(|file, text, label| {
        let with = install(file, Some(text), "/opt/bin/lorekeep").after.unwrap();
        let left = file.uninstall(Some(with), None).expect(label).after.unwrap_or_default();
        let brackets = |text: &str| {
            let mut text = bare(text);
            for empty in [
                "\"version\":1",
                "\"mcpServers\":{},",
                "\"mcpServers\":{}",
                "\"mcp\":{}",
                "\"SessionStart\":[],",
                "\"UserPromptSubmit\":[],",
                "\"hooks\":[]",
                "extensions:{}",
                "mcp_servers={}",
            ] {
                text = text.replace(empty, "");
            }
            text.replace("{}", "").replace(',', "")
        };
        assert_eq!(brackets(&left), brackets(text), "{label}");
    });
}

#[test]
fn a_file_that_was_not_there_goes_again() {
    for_each(|file, _, label| {
        let edit = install(file, None, "/opt/bin/lorekeep");
        assert_eq!(edit.backup, Backup::Leave, "{label}: there is nothing to copy");
        let moved = install(file, edit.after.as_deref(), "/usr/bin/lorekeep");
        assert_eq!(moved.backup, Backup::Leave, "{label}: a file of ours needs no copy");
        assert!(moved.is_update);
        let back = file.uninstall(moved.after, None).expect(label);
        assert_eq!(back.after, None, "{label}");
    });
}

#[test]
fn what_others_did_meanwhile_stays() {
    let added = |part: Part, text: &str| match part {
        Part::Json(..) | Part::Hooks(_) => {
            let at = text.rfind('}').unwrap();
            let (before, after) = text.split_at(at);
            let is_empty = before.trim_end().ends_with(['{', ',']);
            format!(
                "{}{}\n\"later\": 1\n{after}",
                before.trim_end(),
                if is_empty { "" } else { "," }
            )
        }
        Part::Toml(_) => format!("{text}\n[later]\na = 1\n"),
        Part::Yaml(_) => format!("{text}\nlater: 1\n"),
        Part::Instructions => format!("{text}\nlater\n"),
    };
    for_each(|file, text, label| {
        // A comment behind the end of the line would swallow what is put there.
        if text.contains("// ninth")
            || text.contains("// the end")
            || text.contains("nothing here yet")
        {
            return;
        }
        let with = install(file, Some(text), "/opt/bin/lorekeep").after.unwrap();
        let later = added(file.parts[0], &with);
        let back = file.uninstall(Some(later), Some(text)).expect(label);
        let left = back.after.unwrap();
        assert!(left.contains("later") && !left.contains("/opt/bin/lorekeep"), "{label}: {left}");
        assert_eq!(back.backup, Backup::Leave, "{label}");
        install(file, Some(&left), "/opt/bin/lorekeep");
    });
}

#[test]
fn an_entry_that_was_there_before_us_is_not_brought_back() {
    let file = &Client::Cursor.files(&home(), &Scope::User, Extras::ALL)[0];
    let text = r#"{"mcpServers": {"lorekeep": {"command": "lorekeep", "args": ["serve"]}, "a": {"command": "a"}}}"#;
    let edit = install(file, Some(text), "/opt/bin/lorekeep");
    assert_eq!((edit.backup, edit.is_update), (Backup::Make, true));
    let back = file.uninstall(edit.after, Some(text)).unwrap();
    let left = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
    assert_eq!((back.after.as_deref(), back.backup), (Some(left), Backup::Leave));
}

#[test]
fn what_is_broken_is_refused() {
    for_each(|file, _, label| {
        let broken: &[&str] = match file.parts[0] {
            Part::Json(..) | Part::Hooks(_) => &[
                "{",
                "[]",
                "{\"a\": 1}}",
                "nonsense",
                "{\"mcpServers\": 1, \"servers\": 1, \"mcp\": 1, \"context_servers\": 1, \"hooks\": 1}",
            ],
            Part::Toml(_) => &["a = ", "[mcp_servers", "mcp_servers = 1"],
            Part::Yaml(_) => &["a: [", "- a", "extensions: 1", "\ta: 1"],
            Part::Instructions => &["<!-- lorekeep:begin -->", "<!-- lorekeep:end -->"],
        };
        for text in broken {
            let refused = file.install(Some((*text).to_owned()), &wish("/opt/bin/lorekeep"));
            assert!(refused.is_err(), "{label}: {text}");
        }
    });
}

#[test]
fn a_file_without_ours_is_left_alone_by_uninstalling() {
    for_each(|file, text, label| {
        for copy in [None, Some("{}")] {
            let edit = file.uninstall(Some(text.to_owned()), copy).expect(label);
            assert!(!edit.is_change(), "{label}");
        }
    });
}

/// A sample with one character left out, and cut off there, at every seventh place.
fn damaged(text: &str) -> impl Iterator<Item = String> {
    text.char_indices().step_by(7).flat_map(move |(at, c)| {
        let without = [&text[..at], &text[at + c.len_utf8()..]].concat();
        [without, text[..at].to_owned()]
    })
}

#[test]
fn what_is_damaged_is_refused_or_comes_back_byte_for_byte() {
    let files = [Client::ClaudeCode, Client::Codex, Client::Cursor, Client::Goose];
    let files = files.map(|client| client.files(&home(), &Scope::User, Extras::ALL));
    let (mut refused, mut changed) = (0, 0);
    for file in files.iter().flatten() {
        for text in samples(file.parts[0]).iter().flat_map(|(_, text)| damaged(text)) {
            let Ok(edit) = file.install(Some(text.clone()), &wish("/opt/bin/lorekeep")) else {
                refused += 1;
                continue;
            };
            changed += 1;
            let with = edit.after.unwrap();
            let again = file.install(Some(with.clone()), &wish("/opt/bin/lorekeep")).unwrap();
            assert_eq!(again.after.as_ref(), Some(&with), "{text}");
            let back = file.uninstall(Some(with), Some(&text)).expect(&text);
            assert_eq!(back.after.as_ref(), Some(&text));
        }
    }
    assert!(refused > 200 && changed > 200, "{refused} {changed}");
}
