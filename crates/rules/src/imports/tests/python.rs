//! Imports of Python.

use super::check;

#[test]
fn what_python_imports_is_found() {
    check(
        "a.py",
        &[
            ("import a", &["1: import a | a"]),
            ("import a, b.c as d", &["1: import a, b.c as d | a, b.c"]),
            ("from x import y", &["1: from x import y | x, x.y"]),
            (
                "from x.y import (p, q as r)",
                &["1: from x.y import (p, q as r) | x.y, x.y.p, x.y.q"],
            ),
            (
                "\nfrom x import (  # why\n    p,\n    # not\n    q,\n)\nimport z",
                &["2: from x import ( p, q, ) | x, x.p, x.q", "7: import z | z"],
            ),
            ("from . import z", &["1: from . import z | ., .z"]),
            ("from .. import z", &["1: from .. import z | .., ..z"]),
            ("from ..m import *", &["1: from ..m import * | ..m"]),
            ("from .m import a, b", &["1: from .m import a, b | .m, .m.a, .m.b"]),
            ("from ...m.n import a", &["1: from ...m.n import a | ...m.n, ...m.n.a"]),
            ("from x import *  # all", &["1: from x import * | x"]),
            ("import a; import b", &["1: import a | a", "1: import b | b"]),
            ("import a, \\\n    b", &["1: import a, b | a, b"]),
            ("from x \\\r\n  import y", &["1: from x import y | x, x.y"]),
            ("if x: import a", &["1: import a | a"]),
            (
                "try:\n    import a\nexcept ImportError:\n    import b as a\n",
                &["2: import a | a", "4: import b as a | b"],
            ),
            ("def f():\n\timport a.b.c", &["2: import a.b.c | a.b.c"]),
            ("\u{feff}import a\r\nimport b\r\n", &["1: import a | a", "2: import b | b"]),
            ("import größe", &["1: import größe | größe"]),
            ("m = __import__(\"a.b\")", &["1: __import__(\"a.b\") | a.b"]),
            ("m = importlib.import_module('a')", &["1: importlib.import_module('a') | a"]),
            ("m = import_module(\n  'a',\n)", &["1: import_module( 'a', ) | a"]),
            (
                "importlib.import_module('.a', package=\"b\")",
                &["1: importlib.import_module('.a', package=\"b\") | .a"],
            ),
            ("import importlib.util", &["1: import importlib.util | importlib.util"]),
            (
                "from importlib import import_module",
                &["1: from importlib import import_module | importlib, importlib.import_module"],
            ),
            // Behind strings of all kinds.
            ("x = '\"'; import a", &["1: import a | a"]),
            ("x = \"\"\" \" ' \"\"\"; import a", &["1: import a | a"]),
            ("x = f\"{d[\"k\"]}\"; import a", &["1: import a | a"]),
            ("x = f\"{{{y:'>10}\"; import a", &["1: import a | a"]),
            ("x = f'{y:{w}}' f\"{z!r:>{w}}\"; import a", &["1: import a | a"]),
            ("x = f'''{\n d['a']\n}'''\nimport a", &["4: import a | a"]),
            ("x = r'\\'; import a'\nimport b", &["2: import b | b"]),
            ("x = 'not closed\nimport a", &["2: import a | a"]),
            ("x = f'{not closed\nimport a", &["2: import a | a"]),
            ("x = 'goes \\\n on' \nimport a", &["3: import a | a"]),
            ("from x import (a, b", &["1: from x import (a, b | x, x.a, x.b"]),
            ("if x:\n    raise E from e\nimport a", &["3: import a | a"]),
        ],
    );
}

#[test]
fn what_only_looks_like_an_import_of_python_is_none() {
    let texts = [
        "",
        "# import a",
        "x = 1  # import a",
        "\"\"\"\nimport a\n\"\"\"",
        "'''\nfrom a import b\n'''",
        "def f():\n    r\"\"\"Says\n\n    >>> import a\n    \"\"\"",
        "'import a'",
        "\"import a",
        "f\"{'import a'} import b\"",
        "f'''\nimport a {x}\nimport b\n'''",
        "\"\"\"\nimport a",
        "yield from a",
        "raise E from e",
        "imported = 1",
        "important, from_, import_ = x",
        "x.import_module",
        "x.__import__('a')",
        "__import__(name)",
        "__import__('a' + b)",
        "__import__(f'a{b}')",
        "importlib.reload(a)",
        "importlib.import_module(name)",
        "import",
        "import 5 +",
        "import a b",
        "from a\nimport_b",
        "from import",
        "import a.",
    ];
    let cases: Vec<super::Case> = texts.into_iter().map(|text| (text, [].as_slice())).collect();
    check("a.pyi", &cases);
}
