//! Imports of Java and of Go.

use super::check;

#[test]
fn what_java_imports_is_found() {
    check(
        "A.java",
        &[
            ("import a.b.C;", &["1: import a.b.C; | a.b.C"]),
            ("import static a.b.C.m;", &["1: import static a.b.C.m; | a.b.C.m"]),
            ("import a.b.*;", &["1: import a.b.*; | a.b.*"]),
            ("import static a.B.*;", &["1: import static a.B.*; | a.B.*"]),
            ("import module java.base;", &["1: import module java.base; | java.base"]),
            ("import module.x.Y;", &["1: import module.x.Y; | module.x.Y"]),
            (
                "package a.b;\n\nimport c.D;\nimport e.F;\nclass A {}",
                &["3: import c.D; | c.D", "4: import e.F; | e.F"],
            ),
            ("/* Licence */\n// Note\npackage a;\nimport b.C;", &["4: import b.C; | b.C"]),
            ("import a\n  .b // why\n  .C;", &["1: import a .b .C; | a.b.C"]),
            ("import a./* x */b;", &["1: import a. b; | a.b"]),
            ("import a.B; import c.D;", &["1: import a.B; | a.B", "1: import c.D; | c.D"]),
            ("import a.B;;\nimport c.D;", &["1: import a.B; | a.B", "2: import c.D; | c.D"]),
            ("@NonNull\npackage a;\nimport b.C;", &["3: import b.C; | b.C"]),
            ("@x.A(b = \")\", c = @D(1)) package a;\nimport b.C;", &["2: import b.C; | b.C"]),
            (
                "\u{feff}import a.B;\r\nimport c.D;",
                &["1: import a.B; | a.B", "2: import c.D; | c.D"],
            ),
            ("import größe.Maß;", &["1: import größe.Maß; | größe.Maß"]),
            ("import a.B", &["1: import a.B | a.B"]),
            ("import a.B\nimport c.D;", &["2: import c.D; | c.D"]),
            ("import a.b$C;", &["1: import a.b$C; | a.b$C"]),
            ("import a.B;\nclass C {}\nimport d.E;", &["1: import a.B; | a.B"]),
            ("", &[]),
            ("// import a.B;", &[]),
            ("/* import a.B; */", &[]),
            ("/** {@code import a.B;} */ class C {}", &[]),
            ("/* import a.B;", &[]),
            ("class A { String s = \"import a.B;\"; }", &[]),
            ("class A {\n  // import a.B;\n}", &[]),
            ("package a;\nimported.x;", &[]),
            ("import a.B c;", &[]),
            ("import ;", &[]),
            ("import", &[]),
            ("@interface A { } import b.C;", &[]),
            ("@A(", &[]),
        ],
    );
}

#[test]
fn what_go_imports_is_found() {
    check(
        "a.go",
        &[
            ("package a\n\nimport \"fmt\"\n", &["3: import \"fmt\" | fmt"]),
            (
                "package a; import \"fmt\"; import \"os\"",
                &["1: import \"fmt\" | fmt", "1: import \"os\" | os"],
            ),
            ("package a\nimport f \"fmt\"", &["2: import f \"fmt\" | fmt"]),
            ("package a\nimport _ \"x/y\"", &["2: import _ \"x/y\" | x/y"]),
            ("package a\nimport . \"x\"", &["2: import . \"x\" | x"]),
            ("package a\nimport .\"x\"", &["2: import .\"x\" | x"]),
            ("package a\nimport `x`", &["2: import `x` | x"]),
            (
                "package a\n\nimport (\n\t\"fmt\"\n\n\tf \"x.y/z\" // why\n\t_ \"w\"\n)\n",
                &[
                    "4: import \"fmt\" | fmt",
                    "6: import f \"x.y/z\" | x.y/z",
                    "7: import _ \"w\" | w",
                ],
            ),
            ("package a\nimport (\"a\"; \"b\")", &["2: import \"a\" | a", "2: import \"b\" | b"]),
            ("package a\nimport ()\nimport \"b\"", &["3: import \"b\" | b"]),
            (
                "package a\n/*\n#include <x.h>\n*/\nimport \"C\"\nimport \"b\"",
                &["5: import \"C\" | C", "6: import \"b\" | b"],
            ),
            (
                "//go:build linux\n\n// Package a.\npackage a // b\nimport \"c\"",
                &["5: import \"c\" | c"],
            ),
            ("package a\nimport /* x */ \"b\"", &["2: import \"b\" | b"]),
            ("package a\nimport\n\"b\"", &["2: import \"b\" | b"]),
            ("\u{feff}package a\r\nimport (\r\n\"b\"\r\n)\r\n", &["3: import \"b\" | b"]),
            ("import \"a\"", &["1: import \"a\" | a"]),
            ("package a\nimport (\n\"b\"\n", &["3: import \"b\" | b"]),
            (
                "package a\nimport (\n\"b\"\n+\n\"c\"\n)",
                &["3: import \"b\" | b", "5: import \"c\" | c"],
            ),
            ("package a\nimport \"b\"\nfunc f() {}\nimport \"c\"", &["2: import \"b\" | b"]),
            ("", &[]),
            ("package", &[]),
            ("package a", &[]),
            ("package a\n// import \"b\"", &[]),
            ("package a\n/* import \"b\" */", &[]),
            ("package a\n/* import \"b\"", &[]),
            ("package a\nvar s = `\nimport \"b\"\n`", &[]),
            ("package a\nconst s = \"import \\\"b\\\"\"", &[]),
            ("package a\nimport b", &[]),
            ("package a\nimport \"b", &[]),
            ("package a\nimportant \"b\"", &[]),
            ("package a\nimport (", &[]),
        ],
    );
}
