//! `Cargo.toml`.

use super::check;

#[test]
fn what_cargo_is_told_is_found() {
    check(
        "Cargo.toml",
        &[
            ("", Ok(&[])),
            ("[package]\nname = \"a\"\nversion = \"1\"", Ok(&[])),
            ("[dependencies]\na = \"1\"\n\nb = \" ^1.2 \"", Ok(&["2: a 1", "4: b ^1.2"])),
            ("[dependencies]\nz = \"1\"\na = \"2\"", Ok(&["2: z 1", "3: a 2"])),
            (
                "[dev-dependencies]\na = \"1\"\n[build-dependencies]\nb = \"2\"\n[dependencies]\nc = \"3\"",
                Ok(&["2: a 1", "4: b 2", "6: c 3"]),
            ),
            (
                "[dev_dependencies]\na = \"1\"\n[build_dependencies]\nb = \"2\"",
                Ok(&["2: a 1", "4: b 2"]),
            ),
            (
                "[dependencies]\na = { version = \"1\", features = [\"x\"] }\nb = { path = \"../b\" }\n\
                 c = { git = \"https://x\", version = \"2\" }\nd = { workspace = true }\ne.workspace = true",
                Ok(&["2: a 1", "3: b", "4: c 2", "5: d", "6: e"]),
            ),
            ("[dependencies]\na = { package = \"b\", version = \"1\" }", Ok(&["2: b 1"])),
            (
                "[dependencies]\n\n[dependencies.a]\nversion = \"1\"\n\n[dependencies.\"b-c\"]\ngit = \"x\"",
                Ok(&["3: a 1", "6: b-c"]),
            ),
            ("dependencies.a = \"1\"\ndependencies.b.version = \"2\"", Ok(&["1: a 1", "2: b 2"])),
            (
                "[target.'cfg(unix)'.dependencies]\na = \"1\"\n\
                 [target.x86_64-pc-windows-gnu.dev-dependencies]\nb = \"2\"",
                Ok(&["2: a 1", "4: b 2"]),
            ),
            (
                "[workspace]\nmembers = [\"x\"]\n[workspace.dependencies]\na = \"=1.0\"\n\
                 [workspace.dev-dependencies]\nb = \"1\"",
                Ok(&["4: a =1.0"]),
            ),
            ("[dependencies]\na = \"1\"\n[dev-dependencies]\na = \"2\"", Ok(&["2: a 1", "4: a 2"])),
            (
                "[features]\na = [\"dep:b\"]\n[patch.crates-io]\nc = { path = \"c\" }\n\
                 [package.metadata.dependencies]\nd = \"1\"\n# e = \"1\"",
                Ok(&[]),
            ),
            ("\u{feff}[dependencies]\r\na = \"1\"\r\n", Ok(&["2: a 1"])),
            ("[dependencies]\na = 1", Err("line 2: `a` should be a version or a table")),
            ("\ndependencies = 1", Err("line 2: `dependencies` should be a table")),
            ("[dependencies]\na = \"1\"\nb = ", Err("line 3: ")),
            ("[dependencies]\na = \"1\"\na = \"2\"", Err("line 3: ")),
            ("[dependencies\n", Err("line 1: ")),
        ],
    );
}
