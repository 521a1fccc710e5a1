//! `pyproject.toml` and `requirements.txt`.

use super::check;

#[test]
fn what_a_python_project_is_told_is_found() {
    check(
        "pyproject.toml",
        &[
            ("", Ok(&[])),
            ("[project]\nname = \"a\"\nrequires-python = \">=3.9\"", Ok(&[])),
            (
                "[project]\ndependencies = [\n  \"a\",\n  \"B.c_d-e >= 1 , <2 ; python_version < '3'\",\n\
                 \"f[x,y]~=1.0\", \"g @ https://h/i.whl\",\n\"j (==1.*)\"]",
                Ok(&["3: a", "4: B.c_d-e >= 1 , <2", "5: f ~=1.0", "5: g", "6: j ==1.*"]),
            ),
            (
                "[project.optional-dependencies]\nz = [\"a>1\"]\nb = [\n\"c!=2\"]",
                Ok(&["2: a >1", "4: c !=2"]),
            ),
            (
                "[dependency-groups]\ndev = [\"a\", {include-group = \"b\"}]\nb = [\"c\"]",
                Ok(&["2: a", "3: c"]),
            ),
            ("[build-system]\nrequires = [\"hatchling>=1\"]", Ok(&["2: hatchling >=1"])),
            (
                "[tool.poetry.dependencies]\npython = \"^3.9\"\na = \"^1.2\"\n\
                 b = { version = \"2\", extras = [\"x\"] }\nc = { git = \"https://x\" }\n\
                 d = [\n{ version = \"1\", python = \"<3\" },\n{ version = \"2\" }]",
                Ok(&["3: a ^1.2", "4: b 2", "5: c", "7: d 1", "8: d 2"]),
            ),
            (
                "[tool.poetry.group.dev.dependencies]\na = \"*\"\n[tool.poetry.dev-dependencies]\nb = \"1\"",
                Ok(&["2: a *", "4: b 1"]),
            ),
            (
                "[tool.uv]\ndev-dependencies = [\"a==1\"]\n[tool.pdm.dev-dependencies]\nx = [\"b\"]",
                Ok(&["2: a ==1", "4: b"]),
            ),
            ("[tool.other]\ndependencies = [\"a\"]", Ok(&[])),
            ("\u{feff}[project]\r\ndependencies = [\r\n\"a\",\r\n]", Ok(&["3: a"])),
            ("[project]\ndependencies = [\n\"a\",\n\"b c\"]", Err("line 4: `b c` should be a req")),
            ("[project]\ndependencies = [\"a=1\"]", Err("line 2: `a=1` should be a requirement")),
            ("[project]\ndependencies = \"a\"", Err("line 2: `dependencies` should be a list")),
            ("[tool.poetry.dependencies]\na = 1", Err("line 2: `a` should be a version")),
            ("[project]\n\ndependencies = [", Err("line 3: ")),
        ],
    );
}

#[test]
fn what_pip_is_told_is_found() {
    check(
        "requirements.txt",
        &[
            ("", Ok(&[])),
            ("a\n\nb==1.0\n c>=2,<3 \n", Ok(&["1: a", "3: b ==1.0", "4: c >=2,<3"])),
            ("# a\n  # b\nc # d\ne==1#f", Ok(&["3: c", "4: e ==1#f"])),
            ("a==1 \\\n    --hash=sha256:0 \\\n    --hash=sha256:1\nb", Ok(&["1: a ==1", "4: b"])),
            ("a \\\n>=1\nb", Ok(&["1: a >=1", "3: b"])),
            ("# a \\\nb", Ok(&["2: b"])),
            ("a \\", Ok(&["1: a"])),
            ("a[x]==1; python_version < '3' and y == 'z'", Ok(&["1: a ==1"])),
            ("a @ https://b/c.whl\nd@ git+https://e", Ok(&["1: a", "2: d"])),
            ("-r a.txt\n-c b.txt\n--index-url https://c\n-i d\n--pre\ne", Ok(&["6: e"])),
            ("-e git+https://a/b.git@v1#egg=c&subdirectory=d", Ok(&["1: c"])),
            ("--editable=git+https://a/b#egg=c[d]\n-e .\n-e ./e", Ok(&["1: c"])),
            ("git+ssh://git@a/b#egg=c\nhttps://a/b.whl\n./d\ne/f.tar.gz", Ok(&["1: c"])),
            ("\u{feff}a==1\r\nb==2\r\n", Ok(&["1: a ==1", "2: b ==2"])),
            ("a===1\nb~=1.4.2\nc!=1,>=0.5", Ok(&["1: a ===1", "2: b ~=1.4.2", "3: c !=1,>=0.5"])),
            ("a\nb c", Err("line 2: `b c` should be a requirement like `name>=1.2`")),
            ("a\n\n==1", Err("line 3: ")),
            ("a=1", Err("line 1: ")),
            ("a[x", Err("line 1: ")),
            ("{{ a }}", Err("line 1: ")),
        ],
    );
}
