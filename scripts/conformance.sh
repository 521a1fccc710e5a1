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

me=conformance
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -ge 2 ] || missing 'usage: conformance.sh CACHE_DIR SERVER_BINARY [ARGUMENT...]'
cache_dir=$1
binary=$2
shift 2
[ -x "$binary" ] || missing "the server binary $binary does not exist or cannot be run"
open_cache "$cache_dir"
need_node
need_package suite "$SUITE" "$SUITE_VERSION"
suite=$package
[ -f "$suite/dist/index.js" ] || missing "the suite is missing: no $suite/dist/index.js"

work=$(mktemp -d)
finish() {
    stop_server
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start_server "$work/server.log" "$binary" "$@" ||
    missing 'the server did not print "listening on URL" on stderr within 60 s'

# Counts the checks of one run and names those that did not pass.
# shellcheck disable=SC2016 # it is JavaScript
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
