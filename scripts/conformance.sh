#!/usr/bin/env bash
# Runs the official MCP conformance suite against a server binary, for both revisions.
#
# usage: conformance.sh CACHE_DIR SERVER_BINARY [ARGUMENT...]
#
# CACHE_DIR keeps Node 22 and the suite between runs (installed with npm if missing).
# The server must print "listening on http://127.0.0.1:PORT/mcp" on stderr.
# Exit status: 0 if every check passed, 1 if one failed, 2 if something is missing.
set -euo pipefail

SUITE='@modelcontextprotocol/conformance'
SUITE_VERSION='0.2.0-alpha.12'
REVISIONS='2025-11-25 2026-07-28'
TIMEOUT_MS=15000

missing() {
    printf 'conformance: %s\n' "$*" >&2
    exit 2
}

[ $# -ge 2 ] || missing 'usage: conformance.sh CACHE_DIR SERVER_BINARY [ARGUMENT...]'
cache=$1
binary=$2
shift 2
[ -x "$binary" ] || missing "the server binary $binary does not exist or cannot be run"
mkdir -p "$cache" || missing "the cache directory $cache cannot be created"
cache=$(cd "$cache" && pwd)
node="$cache/node22/node_modules/node/bin/node"
suite="$cache/suite/node_modules/$SUITE"

# fetch DIRECTORY PACKAGE: an npm package in a directory of its own.
fetch() {
    command -v npm >/dev/null ||
        missing "npm is missing; it is needed to install $2 (or put the package into $1)"
    mkdir -p "$1"
    printf 'conformance: installing %s\n' "$2" >&2
    npm install --prefix "$1" --no-audit --no-fund --no-progress --loglevel=error "$2" >&2 ||
        missing "npm could not install $2 (is the package registry reachable?)"
}

"$node" --version >/dev/null 2>&1 || fetch "$cache/node22" 'node@22'
"$node" --version >/dev/null 2>&1 ||
    missing "Node 22 is missing: npm installed node@22, but $node does not run"
grep -qsF "\"version\": \"$SUITE_VERSION\"" "$suite/package.json" ||
    fetch "$cache/suite" "$SUITE@$SUITE_VERSION"
[ -f "$suite/dist/index.js" ] || missing "the suite is missing: no $suite/dist/index.js"

work=$(mktemp -d)
server=''
finish() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$binary" "$@" </dev/null >/dev/null 2>"$work/server.log" &
server=$!
url=''
for _ in $(seq 100); do
    url=$(sed -n 's/^.*listening on \(http:[^ ]*\).*$/\1/p' "$work/server.log" | head -n 1)
    [ -z "$url" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if [ -z "$url" ]; then
    cat "$work/server.log" >&2
    missing 'the server did not print "listening on URL" on stderr within 10 s'
fi

# Counts the checks of one run and names those that did not pass.
count='
const fs = require("fs"), path = require("path");
const [root, log] = process.argv.slice(1);
let passed = 0, failed = 0, warnings = 0;
const runs = fs.existsSync(root) ? fs.readdirSync(root).sort() : [];
for (const run of runs) {
    const file = path.join(root, run, "checks.json");
    if (!fs.existsSync(file)) continue;
    for (const check of JSON.parse(fs.readFileSync(file, "utf8"))) {
        const where = `${run.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, "")}: ${check.id}`;
        if (check.status === "SUCCESS") passed++;
        if (check.status === "FAILURE") failed++;
        if (check.status === "WARNING") warnings++;
        if (["FAILURE", "WARNING"].includes(check.status))
            console.error(`  ${check.status} ${where}: ${check.errorMessage ?? check.description}`);
    }
}
// A scenario that could not run leaves no file, only a line in the summary.
const total = /^Total: (\d+) passed, (\d+) failed/m.exec(fs.readFileSync(log, "utf8"));
failed = total ? Math.max(failed, Number(total[2])) : failed + 1;
console.log(passed, failed, warnings);
'

passed=0
failed=0
for revision in $REVISIONS; do
    log="$work/$revision.log"
    status=0
    "$node" "$suite/dist/index.js" server --url "$url" --requirements "$revision" \
        --timeout "$TIMEOUT_MS" --output-dir "$work/$revision" >"$log" 2>&1 || status=$?
    read -r good bad warnings < <("$node" -e "$count" "$work/$revision" "$log")
    printf '%s: %s passed, %s failed, %s warnings\n' "$revision" "$good" "$bad" "$warnings"
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    if [ "$bad" -ne 0 ]; then
        printf '%s\n' '--- end of the log of the suite ---' >&2
        tail -n 60 "$log" >&2
    fi
    if ! kill -0 "$server" 2>/dev/null; then
        printf 'conformance: the server died\n' >&2
        bad=$((bad + 1))
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done
printf 'conformance: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] || exit 1
