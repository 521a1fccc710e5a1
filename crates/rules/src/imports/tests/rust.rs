//! Imports of Rust.

use super::check;

#[test]
fn what_rust_uses_is_found() {
    check(
        "src/lib.rs",
        &[
            ("use a;", &["1: use a; | a"]),
            ("use a::b::c;\nuse d;", &["1: use a::b::c; | a::b::c", "2: use d; | d"]),
            (
                "use a::{b, c::{d, self}, e as f};",
                &["1: use a::{b, c::{d, self}, e as f}; | a::b, a::c::d, a::c, a::e"],
            ),
            (
                "\n\nuse a::{\n    b, // one\n    /* two */ c,\n};\n",
                &["3: use a::{ b, c, }; | a::b, a::c"],
            ),
            ("use a::*;", &["1: use a::*; | a::*"]),
            ("use a::{*, b};", &["1: use a::{*, b}; | a::*, a::b"]),
            ("use {a, b::c};", &["1: use {a, b::c}; | a, b::c"]),
            ("use ::a::b;", &["1: use ::a::b; | a::b"]),
            ("pub use a::b;", &["1: pub use a::b; | a::b"]),
            ("pub(crate)  use a;", &["1: pub(crate) use a; | a"]),
            ("pub(in crate::x)\nuse a;", &["1: pub(in crate::x) use a; | a"]),
            ("use a as _;", &["1: use a as _; | a"]),
            (
                "use crate::x; use super::y; use self::z;",
                &[
                    "1: use crate::x; | crate::x",
                    "1: use super::y; | super::y",
                    "1: use self::z; | self::z",
                ],
            ),
            ("extern crate a;", &["1: extern crate a; | a"]),
            ("#[macro_use]\nextern crate a as b;", &["2: extern crate a as b; | a"]),
            ("pub extern crate a;", &["1: pub extern crate a; | a"]),
            ("#[cfg(test)] use a;", &["1: use a; | a"]),
            ("fn f() {\n    use a::b;\n}", &["2: use a::b; | a::b"]),
            ("mod m { use a; }", &["1: use a; | a"]),
            ("use r#type::x;", &["1: use r#type::x; | type::x"]),
            ("use /* why */ a /* not */ ;", &["1: use a ; | a"]),
            ("\u{feff}use a;\r\nuse b;\r\n", &["1: use a; | a", "2: use b; | b"]),
            ("macro_rules! m { () => { use $crate::x; } }", &["1: use $crate::x; | $crate::x"]),
            ("use größe::x;", &["1: use größe::x; | größe::x"]),
            ("use a::{};", &["1: use a::{}; | "]),
            // Ends with the file.
            ("use a::b", &["1: use a::b | a::b"]),
            ("use a::{b, c", &["1: use a::{b, c | a::b, a::c"]),
            ("use a::", &["1: use a:: | a"]),
            // Behind what looks like a string and is none, and the other way round.
            ("fn f<'a>(x: &'a str) {}\nuse a;", &["2: use a; | a"]),
            ("const C: char = '\"'; use a;", &["1: use a; | a"]),
            ("const C: char = '\\''; use a; // '", &["1: use a; | a"]),
            ("const C: char = '\\u{1f600}'; use a;", &["1: use a; | a"]),
            ("const C: [char; 2] = ['ä', '\\\\']; use a;", &["1: use a; | a"]),
            ("const B: u8 = b'\"'; use a;", &["1: use a; | a"]),
            ("const S: &str = r#\"\" use b; \"#; use a;", &["1: use a; | a"]),
            ("const S: &[u8] = br\"\\\"; use a;", &["1: use a; | a"]),
            ("const S: &str = \"\\\" use b; \\\\\"; use a;", &["1: use a; | a"]),
        ],
    );
}

#[test]
fn what_only_looks_like_an_import_of_rust_is_none() {
    let texts = [
        "",
        "// use a;",
        "/// use a;",
        "/* use a; */",
        "/* /* */ use a; */",
        "/* use a;",
        "const S: &str = \"use a;\";",
        "const S: &str = \"\n use a;\n\";",
        "const S: &str = r\"use a;\";",
        "const S: &str = r##\"\"# use a; \"##;",
        "const S: &str = \"use a;",
        "mod x;",
        "pub mod x;",
        "pub fn f() {}",
        "fn f(x: &u8) -> impl Sized + use<'_> {}",
        "fn f() -> impl Sized + use<T> { x; }",
        "let r#use = a;",
        "let used = a; reuse a; use_a;",
        "extern \"C\" { fn f(); }",
        "pub extern \"C\" fn f() {}",
        "macro_rules! m { ($use:ident) => { $use a; } }",
        "m! { please use the other one; }",
        "m!(use a b;)",
        "use;",
        "use 'a;",
        "use a::{b c};",
    ];
    let cases: Vec<super::Case> = texts.into_iter().map(|text| (text, [].as_slice())).collect();
    check("a.rs", &cases);
}
