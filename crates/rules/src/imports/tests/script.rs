//! Imports of JavaScript and TypeScript.

use super::check;

#[test]
fn what_a_script_imports_is_found() {
    check(
        "a.ts",
        &[
            ("import \"m\";", &["1: import \"m\"; | m"]),
            ("import x from 'm'", &["1: import x from 'm' | m"]),
            ("import x, {a as b} from \"m\";", &["1: import x, {a as b} from \"m\"; | m"]),
            (
                "\nimport {\n  a, // one\n  type B,\n} from './m';\nimport c from 'd';",
                &["2: import { a, type B, } from './m'; | ./m", "6: import c from 'd'; | d"],
            ),
            ("import * as n from 'm'", &["1: import * as n from 'm' | m"]),
            ("import type { T } from 'm'", &["1: import type { T } from 'm' | m"]),
            ("import{a}from'm'", &["1: import{a}from'm' | m"]),
            ("import from from 'm'", &["1: import from from 'm' | m"]),
            ("import { \"a b\" as c } from 'm'", &["1: import { \"a b\" as c } from 'm' | m"]),
            ("import x = require('m');", &["1: import x = require('m'); | m"]),
            (
                "import d from './d.json' with { type: 'json' };",
                &["1: import d from './d.json' with { type: 'json' }; | ./d.json"],
            ),
            (
                "import d from './d' assert {type: \"json\"}\nx",
                &["1: import d from './d' assert {type: \"json\"} | ./d"],
            ),
            ("import 'a'\nwith (x) { y() }", &["1: import 'a' | a"]),
            ("export * from 'm'", &["1: export * from 'm' | m"]),
            ("export * as n from 'm'", &["1: export * as n from 'm' | m"]),
            ("export { a, b as c } from 'm';", &["1: export { a, b as c } from 'm'; | m"]),
            ("export type { T } from 'm'", &["1: export type { T } from 'm' | m"]),
            ("const x = require('m')", &["1: require('m') | m"]),
            ("const { a } = require(\"m\").b;", &["1: require(\"m\") | m"]),
            ("const x = await import('m')", &["1: import('m') | m"]),
            ("const x = import(`m`)", &["1: import(`m`) | m"]),
            ("import(/* chunk */ 'm')", &["1: import( 'm') | m"]),
            (
                "import('m', { with: { type: 'json' } })",
                &["1: import('m', { with: { type: 'json' } }) | m"],
            ),
            ("type T = import('m').T", &["1: import('m') | m"]),
            ("[...require('m')]", &["1: require('m') | m"]),
            ("export const x = require('m');", &["1: export const x = require('m'); | m"]),
            ("require('a'); require('b')", &["1: require('a') | a", "1: require('b') | b"]),
            ("\u{feff}import 'a'\r\nimport 'b'\r\n", &["1: import 'a' | a", "2: import 'b' | b"]),
            ("import x, // one\n{ y } /* two */ from 'm'", &["1: import x, { y } from 'm' | m"]),
            // Behind templates, regular expressions and markup.
            ("x = `a ${ `b ${c}` } '`; import 'm'", &["1: import 'm' | m"]),
            ("x = `${{ a: '}' }.a}`\nimport 'm'", &["2: import 'm' | m"]),
            ("x = `${require('m')}`", &["1: require('m') | m"]),
            ("x = `\\`${'`'}`; import 'm'", &["1: import 'm' | m"]),
            ("x = /['\"`]/; import 'm'", &["1: import 'm' | m"]),
            ("x = y.replace(/\\/[/'`]/g, ''); import 'm'", &["1: import 'm' | m"]),
            ("return /`/.test(x)\nimport 'm'", &["2: import 'm' | m"]),
            ("x = /* c */ /`/\nimport 'm'", &["2: import 'm' | m"]),
            ("x = a / b; y = `c`; z = d / e; import 'm'", &["1: import 'm' | m"]),
            ("x = (a) / 2; import 'm' // '/", &["1: import 'm' | m"]),
            ("<p a={b} />; <p>don't</p>\nimport 'm'", &["2: import 'm' | m"]),
            ("x = 'not closed\nimport 'm'", &["2: import 'm' | m"]),
        ],
    );
}

#[test]
fn what_only_looks_like_an_import_of_a_script_is_none() {
    let texts = [
        "",
        "// import 'm'",
        "/* import 'm' */",
        "/* import 'm'",
        "x = \"import 'm'\"",
        "x = `import 'm'`",
        "x = `\nimport 'm'\n${a}\nimport 'n'`",
        "x = `import 'm'",
        "x = /import 'm'/",
        "x = /[/]require('m')/",
        "import.meta.url",
        "import . meta",
        "foo.require('m')",
        "foo?.import('m')",
        "#require('m')",
        "require(name)",
        "require('m' + x)",
        "require(`m${x}`)",
        "require.resolve('m')",
        "import(name)",
        "import(`./${x}.js`)",
        "important('m'); $import('m'); requires('m')",
        "export const from = 'm'",
        "export default 'm'",
        "export { a, b };\n'm'",
        "export function f() { return 'm' }",
        "export type A = B | 'm'",
        "import x = A.B;",
        "x = { import: 'm', require: 'n' }",
        "import { a, b",
        "import x from",
        "import x from y",
        "import 'm",
        "import",
    ];
    let cases: Vec<super::Case> = texts.into_iter().map(|text| (text, [].as_slice())).collect();
    check("a.tsx", &cases);
}

#[test]
fn of_a_page_only_the_scripts_are_read() {
    let page = "<template>\n<p>import 'a'</p>\n</template>\n<!-- <script>import 'b'</script> -->\n\
                <script setup lang=\"ts\">\nimport c from 'c'\n</script>\n<scripted>import 'd'\n\
                <SCRIPT>import 'e'</SCRIPT>\nimport 'f'\n<style>'</style>";
    for path in ["a.vue", "a.svelte"] {
        let found = super::read(path, page).unwrap();
        let found: Vec<_> =
            found.iter().map(|import| (import.line, import.modules[0].as_str())).collect();
        assert_eq!(found, [(6, "c"), (9, "e")], "{path}");
    }
    assert_eq!(super::read("a.vue", "<script>import 'a'").unwrap().len(), 1);
    assert_eq!(super::read("a.vue", "<script").unwrap(), []);
}
