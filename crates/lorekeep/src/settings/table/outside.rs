//! What agents may reach beyond the store.

use super::super::kind::Kind;
use super::{Flag, MODEL_REASON, OUTSIDE, ROW, SetBy, Setting, Variable};

const REACH_REASON: &str = "it decides what agents may reach";

pub(super) static ROWS: &[Setting] = &[
    Setting {
        key: "outside.roots",
        flag: Flag::Value(OUTSIDE, "root", "DIR"),
        variable: Variable::Named(&["LOREKEEP_ROOTS"]),
        kind: Kind::Paths,
        set_by: SetBy::User(REACH_REASON),
        default: "where the client works, else the working directory",
        help: "Folder whose files agents may read and change",
        apply: |d, v| d.outside.roots = v.paths(),
        ..ROW
    },
    Setting {
        key: "outside.allow-commands",
        flag: Flag::Switch(OUTSIDE, "allow-commands", true),
        variable: Variable::Named(&["LOREKEEP_ALLOW_COMMANDS"]),
        kind: Kind::Bool,
        set_by: SetBy::User(REACH_REASON),
        default: "false",
        help: "Let admins run commands in these folders",
        apply: |d, v| d.outside.allow_commands = v.is_true(),
        ..ROW
    },
    Setting {
        key: "outside.allow-private-urls",
        flag: Flag::Switch(OUTSIDE, "allow-private-urls", true),
        variable: Variable::Named(&["LOREKEEP_ALLOW_PRIVATE_URLS"]),
        kind: Kind::Bool,
        set_by: SetBy::User(REACH_REASON),
        default: "false",
        help: "Let agents read pages of this machine and its network",
        apply: |d, v| d.outside.allow_private_urls = v.is_true(),
        ..ROW
    },
    Setting {
        key: "outside.extractor",
        flag: Flag::Value(OUTSIDE, "extractor", "MODEL"),
        variable: Variable::Named(&["LOREKEEP_EXTRACTOR"]),
        set_by: SetBy::User(MODEL_REASON),
        default: "the client's model, else rules",
        help: "Model that extracts facts from texts: openai:MODEL[@URL] (key: LOREKEEP_EXTRACTOR_KEY) or \
               ollama:MODEL[@URL]",
        apply: |d, v| d.extractor = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "outside.brave-url",
        variable: Variable::Named(&["LOREKEEP_BRAVE_URL"]),
        set_by: SetBy::User(REACH_REASON),
        default: "the service's own",
        help: "Address of the Brave search service",
        apply: |d, v| d.outside.brave_url = Some(v.text()),
        ..ROW
    },
    Setting {
        key: "outside.jina-url",
        variable: Variable::Named(&["LOREKEEP_JINA_URL"]),
        set_by: SetBy::User(REACH_REASON),
        default: "the service's own",
        help: "Address of the Jina reader service",
        apply: |d, v| d.outside.jina_url = Some(v.text()),
        ..ROW
    },
];
