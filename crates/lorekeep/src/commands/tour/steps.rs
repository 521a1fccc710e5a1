//! What the tour tells and types.

/// Some commands with a word on what they show.
pub(super) struct Step {
    /// What happens.
    pub says: &'static str,
    /// What is typed behind `lorekeep`; `{id}` is the first word that the last command printed.
    pub commands: &'static [&'static [&'static str]],
    /// How the last command ends; the others end with 0.
    pub code: i32,
}

/// A project that still does what will be ruled out.
pub(super) const FILES: [(&str, &str); 2] = [
    (
        "package.json",
        "{\n  \"name\": \"shop\",\n  \"dependencies\": {\n    \"mysql2\": \"^3.0.0\"\n  }\n}\n",
    ),
    ("src/db.ts", "// Orders live here.\nimport { createPool } from 'mysql2/promise';\n"),
];

const RULE: &str = "adr-001-use-postgresql-for-new-services";

pub(super) const STEPS: [Step; 10] = [
    Step {
        says: "Something about this project is worth remembering.",
        commands: &[&[
            "add",
            "Deploys go through the staging cluster first",
            "--layer",
            "project",
            "--tag",
            "deploy",
        ]],
        code: 0,
    },
    Step {
        says: "An agent that was written for another memory server keeps a note about its user.",
        commands: &[&[
            "call",
            "store_memory",
            r#"{"type": "core", "content": "Ada prefers pytest over unittest", "tags": ["python"]}"#,
        ]],
        code: 0,
    },
    Step {
        says: "Each finds what the other kept, by what it means: no word of this is in the note.",
        commands: &[
            &["recall", "which framework for unit tests?"],
            &["call", "query_memories", r#"{"tags": ["deploy"]}"#],
        ],
        code: 0,
    },
    Step { says: "A person sees what there is.", commands: &[&["list"]], code: 0 },
    Step {
        says: "Something is decided, with the reason. It becomes a file, and a commit in git.",
        commands: &[&[
            "decide",
            "Use PostgreSQL",
            "--target",
            "database",
            "--because",
            "The team knows it, and one database is enough.",
        ]],
        code: 0,
    },
    Step {
        says: "Later the team knows better. The new decision takes the place of the old, which stays readable.",
        commands: &[
            &[
                "decide",
                "Use PostgreSQL 16 with UUID keys",
                "--target",
                "database",
                "--supersedes",
                "{id}",
                "--because",
                "Two regions write at once, and counted keys would meet.",
            ],
            &["history", "{id}", "--graph"],
        ],
        code: 0,
    },
    Step {
        says: "A fact is a link between two things, with the time it holds.",
        commands: &[
            &[
                "call",
                "add_memory_link",
                r#"{"from": "Heron", "relation": "uses", "to": "MySQL", "summary": "The billing service"}"#,
            ],
            &["graph", "Heron"],
        ],
        code: 0,
    },
    Step {
        says: "A rule binds once it is accepted: what it forbids is found in the project, and blocks.",
        commands: &[
            &[
                "knowledge",
                "new",
                "Use PostgreSQL for new services",
                "--type",
                "adr",
                "--here",
                "--severity",
                "block",
                "--summary",
                "One database is enough, and all of us know this one",
                "--constraint",
                "must_not_use dependency mysql2?|mariadb",
                "--constraint",
                "must_not_use import ^mysql2?(/|$)",
            ],
            &["knowledge", "propose", RULE],
            &["knowledge", "accept", RULE, "--reason", "agreed on Monday"],
            &["check"],
        ],
        code: 1,
    },
    Step {
        says: "This is what an agent is told before a prompt.",
        commands: &[&["context", "Which database keys do we use?"]],
        code: 0,
    },
    Step { says: "And this is what there is now.", commands: &[&["stats"]], code: 0 },
];
