//! Imports of C and C++.

use super::check;

#[test]
fn what_c_includes_is_found() {
    check(
        "a.c",
        &[
            ("#include <x/y.h>", &["1: #include <x/y.h> | x/y.h"]),
            ("#include \"x.h\"", &["1: #include \"x.h\" | x.h"]),
            ("#include<x.h>", &["1: #include<x.h> | x.h"]),
            ("  #  include   \"x.h\"  // why", &["1: # include \"x.h\" | x.h"]),
            ("# include MACRO", &["1: # include MACRO | MACRO"]),
            ("#include_next <x.h>", &["1: #include_next <x.h> | x.h"]),
            ("#import <A/A.h>", &["1: #import <A/A.h> | A/A.h"]),
            ("#include /* why */ <x.h> /* not */", &["1: #include <x.h> | x.h"]),
            ("/* a */ #include <x.h>", &["1: #include <x.h> | x.h"]),
            ("/* a\n b */ /* c */ #include <x.h>", &["2: #include <x.h> | x.h"]),
            (
                "#include \\\n  <x.h>\n#include <y.h>",
                &["1: #include <x.h> | x.h", "3: #include <y.h> | y.h"],
            ),
            ("#inc\\\r\nlude <x.h>", &["1: #include <x.h> | x.h"]),
            ("\\\n#include <x.h>", &[]),
            ("int a;\n#include <x.h>\nint b;", &["2: #include <x.h> | x.h"]),
            ("#if 0\n#include <x.h>\n#endif", &["2: #include <x.h> | x.h"]),
            (
                "\u{feff}#include <x.h>\r\n#include <y.h>\r\n",
                &["1: #include <x.h> | x.h", "2: #include <y.h> | y.h"],
            ),
            ("#include <a//b.h>", &["1: #include <a//b.h> | a//b.h"]),
            ("#include \"a\\b.h\"", &["1: #include \"a\\b.h\" | a\\b.h"]),
            ("#error don't\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("char c = '\"';\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("char c = '\\'';\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("int i = 1'000'0;\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("char *s = \"not closed\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("#define A(x) #x\n#include <x.h>", &["2: #include <x.h> | x.h"]),
            ("#define A \\\n  b\n#include <x.h>", &["3: #include <x.h> | x.h"]),
            ("int a = b / c; /* d */\n#include <x.h>", &["2: #include <x.h> | x.h"]),
        ],
    );
}

#[test]
fn what_only_looks_like_an_include_is_none() {
    let texts = [
        "",
        "// #include <x.h>",
        "/*\n#include <x.h>\n*/",
        "/*\n#include <x.h>",
        "// a \\\n#include <x.h>",
        "// a \\\r\n#include <x.h>",
        "char *s = \"\\\n#include <x.h>\\\n\";",
        "char *s = \"#include <x.h>\";",
        "int a; #include <x.h>",
        "#define A \\\n#include <x.h>",
        "#define A #include <x.h>",
        "#if __has_include(<x.h>)",
        "#ifdef include",
        "#included <x.h>",
        "#include",
        "#include <x.h",
        "#include \"x.h",
        "#include <>",
        "#include \"\"",
        "#include + x",
        "#\ninclude <x.h>",
        "#include\n<x.h>",
        "include <x.h>",
        "#pragma once",
        "#undef import",
        "import std;",
        "const char *s = R\"(\n#include <x.h>\n)\";",
    ];
    let cases: Vec<super::Case> = texts.into_iter().map(|text| (text, [].as_slice())).collect();
    check("a.h", &cases);
}

#[test]
fn what_cpp_imports_is_found() {
    check(
        "a.cpp",
        &[
            (
                "#include <vector>\nimport std;",
                &["1: #include <vector> | vector", "2: import std; | std"],
            ),
            ("import a.b.c;", &["1: import a.b.c; | a.b.c"]),
            ("import :part;", &["1: import :part; | :part"]),
            ("import a:part;", &["1: import a:part; | a:part"]),
            ("import <x>;", &["1: import <x>; | x"]),
            ("import \"x.h\";", &["1: import \"x.h\"; | x.h"]),
            ("export import m;", &["1: export import m; | m"]),
            ("export\nimport m ;", &["1: export import m ; | m"]),
            ("module;\n\nimport m; import n;", &["3: import m; | m", "3: import n; | n"]),
            ("export module a;\nimport b; // c", &["2: import b; | b"]),
            ("/* a */ import b;", &["1: import b; | b"]),
            ("\u{feff}import a;\r\nimport b;", &["1: import a; | a", "2: import b; | b"]),
            ("import a", &["1: import a | a"]),
            ("auto s = R\"x()\" )x\"; import a;", &["1: import a; | a"]),
            ("auto s = u8R\"(\n#include <x>\n)\";\n#include <y>", &["4: #include <y> | y"]),
            ("auto i = 0xAB'CD'EF; import a;", &["1: import a; | a"]),
            ("auto c = u8'\"'; import a;", &["1: import a; | a"]),
            ("// import a;", &[]),
            ("/* import a; */", &[]),
            ("auto s = \"\\\nimport a;\";", &[]),
            ("auto s = R\"(\nimport a;\n)\";", &[]),
            ("auto s = R\"(\nimport a;\n", &[]),
            ("int import = 3;", &[]),
            ("import(a);", &[]),
            ("import = 3;", &[]),
            ("import a = b;", &[]),
            ("import a::b;", &[]),
            ("import ::a;", &[]),
            ("x.import a;", &[]),
            ("export class A;", &[]),
            ("export module a;", &[]),
            ("imported a; reimport b;", &[]),
            ("import <x", &[]),
            ("import", &[]),
        ],
    );
}
