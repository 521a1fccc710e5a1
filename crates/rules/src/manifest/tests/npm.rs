//! `package.json`.

use super::check;

#[test]
fn what_npm_is_told_is_found() {
    check(
        "web/package.json",
        &[
            ("{}", Ok(&[])),
            (r#"{"name": "a", "version": "1", "x": {"dependencies": {"b": "1"}}}"#, Ok(&[])),
            (
                "{\n  \"dependencies\": {\n    \"a\": \"^1.2\",\n    \"@b/c\": \">=2 <3\"\n  }\n}",
                Ok(&["3: a ^1.2", "4: @b/c >=2 <3"]),
            ),
            (
                "{\"devDependencies\": {\"a\": \"1\"},\n\"peerDependencies\": {\"a\": \"2\"},\n\
                 \"optionalDependencies\": {\"b\": \"*\"}}",
                Ok(&["1: a 1", "2: a 2", "3: b *"]),
            ),
            ("{\"dependencies\": {\n\"a\": \"1\",\n\"a\": \"2\"}}", Ok(&["2: a 1", "3: a 2"])),
            (
                "{\"dependencies\": {\n\"a\": \"npm:b@^1.2\",\n\"c\": \"npm:@d/e@1\",\n\"f\": \"npm:@g/h\"}}",
                Ok(&["2: b ^1.2", "3: @d/e 1", "4: @g/h"]),
            ),
            (
                "{\"bundledDependencies\": [\"a\",\n1, \"b\"], \"bundleDependencies\": true}",
                Ok(&["1: a", "2: b"]),
            ),
            (
                "{\"dependencies\": {\"a\": \"file:../a\", \"b\": \"git+https://x/y.git\", \"c\": \"d/e\",\n\
                 \"f\": \"workspace:*\", \"g\": \"workspace:^1.2\", \"h\": \"\", \"i\": \"latest\",\n\
                 \"j\": {\"x\": [\"y\", {}]}, \"k\": null}}",
                Ok(&[
                    "1: a",
                    "1: b",
                    "1: c",
                    "2: f",
                    "2: g ^1.2",
                    "2: h",
                    "2: i latest",
                    "3: j",
                    "3: k",
                ]),
            ),
            (
                "{\"scripts\": {\"x\": \"\\\"}\\\\\"},\n\"a\": [[\"dependencies\", {}], 1.5e3, true],\n\
                 \"dependencies\": {\"\\u0061\\\"\": \"1\"}}",
                Ok(&["3: a\" 1"]),
            ),
            ("{\"dependencies\": [], \"devDependencies\": {\"a\": \"1\"}}", Ok(&["1: a 1"])),
            ("\u{feff}{\r\n\"dependencies\":{\r\n\"a\":\"1\"}}", Ok(&["3: a 1"])),
            ("{\"x\": \"dependencies\", \"y\": \"a\"}", Ok(&[])),
            ("", Err("line 1: EOF while parsing a value")),
            ("{\n// no\n}", Err("line 2: key must be a string")),
            ("{\"a\": 1,\n}", Err("line 2: key must be a string")),
            ("{\"dependencies\": {\"a\": \"1\"}", Err("line 1: EOF")),
            ("\n[]", Err("line 2: a manifest should be an object")),
            ("{\"dependencies\":\n [\"a\"]}", Err("line 2: `dependencies` should be an object")),
            ("{\"dependencies\": \"a\"}", Err("line 1: `dependencies` should be an object")),
        ],
    );
}
