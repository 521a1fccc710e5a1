#!/usr/bin/env bash
# Proves the server with MCP clients that others wrote: the Python clients 2.x and 1.x, Inspector
# and Claude Code; that `lorekeep install` puts it into Claude Code, OpenCode and Gemini CLI; and that
# Gemini CLI and Codex take its hooks.
#
# usage: clients.sh CACHE_DIR SERVER_BINARY
#
# CACHE_DIR keeps the clients between runs (installed with pip and npm if missing).
# Each client gets a temporary home and a store of its own. An agent is skipped, and said to be,
# where it cannot be installed.
# Exit status: 0 if every check passed, 1 if one failed, 2 if something is missing.
set -euo pipefail

PYTHON2_VERSION='2.3.0'
PYTHON1_VERSION='1.30.0'
INSPECTOR='@modelcontextprotocol/inspector'
INSPECTOR_VERSION='2.12.0'
OPENCODE='opencode'
OPENCODE_VERSION='1.18.33'
MODERN='2026-07-28'
LEGACY='2025-11-25'

me=clients
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

[ $# -eq 2 ] || missing 'usage: clients.sh CACHE_DIR SERVER_BINARY'
[ -x "$2" ] || missing "the server binary $2 does not exist or cannot be run"
binary=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
for tool in python3 npm; do
    command -v "$tool" >/dev/null ||
        missing "$tool is missing; it is needed to install the clients"
done
open_cache "$1"

# need_python DIRECTORY VERSION: an environment with that version of the Python client.
need_python() {
    local venv="$cache/$1" has="import importlib.metadata as m; assert m.version('mcp') == '$2'"
    ! "$venv/bin/python" -c "$has" >/dev/null 2>&1 || return 0
    printf '%s: installing mcp==%s (Python)\n' "$me" "$2" >&2
    python3 -m venv --clear "$venv" >&2 ||
        missing 'python3 cannot make a virtual environment (is its venv module installed?)'
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "mcp==$2" >&2 ||
        missing "pip could not install mcp==$2 (it needs Python 3.10; is the index reachable?)"
}

need_python python2 "$PYTHON2_VERSION"
need_python python1 "$PYTHON1_VERSION"
need_node
need_package inspector "$INSPECTOR" "$INSPECTOR_VERSION"
inspector="$cache/inspector/node_modules/.bin/mcp-inspector"

work=$(mktemp -d)
results="$work/results"
: >"$results"
finish() {
    stop_server
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# enter NAME: a scratch directory with an empty home; the store will be in it as well.
enter() {
    scratch="$work/$1"
    mkdir -p "$scratch/home"
    cd "$scratch"
}

# alone COMMAND...: without any setting of the caller's.
alone() {
    env -i PATH="$PATH" HOME="$scratch/home" LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 "$@"
}

# check LABEL COMMAND...: runs a client; its lines count, and dying without one is a failure.
check() {
    local label=$1 status=0 log="$work/log"
    shift
    alone "$@" >"$log" 2>"$work/stderr" || status=$?
    if [ "$status" -ne 0 ] && ! grep -q '^FAILED ' "$log"; then
        printf 'FAILED %s: the client ended with status %s\n' "$label" "$status" >>"$log"
    fi
    [ "$status" -eq 0 ] || tail -n 40 "$work/stderr" >&2
    tee -a "$results" <"$log"
}

# A client's own Python scripts; the standard library is enough for inspector.py and claude.py.
python2="$cache/python2/bin/python"
python1="$cache/python1/bin/python"

for era in "auto $MODERN" "legacy $LEGACY"; do
    read -r mode version <<<"$era"
    label="python $PYTHON2_VERSION $mode"
    enter "python2-$mode"
    check "$label" "$python2" "$here/clients/python2.py" "$label" "$mode" "$version" \
        "$binary" serve --toolsets all --data-dir "$scratch/store"
done

label="python $PYTHON1_VERSION"
enter python1
check "$label" "$python1" "$here/clients/python1.py" "$label" "$LEGACY" \
    "$binary" serve --toolsets all --data-dir "$scratch/store"

for era in "legacy $LEGACY" "modern $MODERN"; do
    read -r mode version <<<"$era"
    label="inspector $INSPECTOR_VERSION $mode"
    enter "inspector-$mode"
    check "$label" "$python2" "$here/clients/inspector.py" "$label" "$mode" "$version" \
        "$node" "$inspector" "$binary" serve --toolsets all --data-dir "$scratch/store"
done

for era in "auto $MODERN" "legacy $LEGACY"; do
    read -r mode version <<<"$era"
    label="python $PYTHON2_VERSION $mode over http"
    enter "http-$mode"
    if start_server "$scratch/server.log" env -i PATH="$PATH" HOME="$scratch/home" \
        "$binary" serve --http 127.0.0.1:0 --toolsets all --data-dir "$scratch/store"; then
        check "$label" "$python2" "$here/clients/python2.py" "$label" "$mode" "$version" "$url" \
            "$scratch/store/http-token"
    else
        printf 'FAILED %s: the server does not listen\n' "$label" | tee -a "$results"
    fi
    stop_server
done

# skip AGENT WORD...: it is not here, and why.
skip() {
    local agent=$1
    shift
    printf 'skipped: %s: %s\n' "$agent" "$*" | tee -a "$results"
}

# installed AGENT NAME DIRECTORIES PROGRAM: what `lorekeep install` does for it.
installed() {
    local label="$1 by lorekeep install"
    enter "installed-$2"
    check "$label" "$python2" "$here/clients/installed.py" "$label" "$2" "$3" "$4" "$binary"
}

agent="claude code $CLAUDE_VERSION"
if ! name=$(platform_package "$CLAUDE"); then
    skip "$agent" "there is none for $(uname -sm)"
elif ! (need_package claude "$name" "$CLAUDE_VERSION"); then
    skip "$agent" "npm could not install $name@$CLAUDE_VERSION"
else
    program="$cache/claude/node_modules/$name"
    enter claude
    check "$agent" "$python2" "$here/clients/claude.py" "$agent" "$program/claude" "$binary" serve
    installed "$agent" claude-code "$program" claude
fi

agent="opencode $OPENCODE_VERSION"
if ! name=$(platform_package "$OPENCODE"); then
    skip "$agent" "there is none for $(uname -sm)"
elif ! (need_package opencode "$name" "$OPENCODE_VERSION"); then
    skip "$agent" "npm could not install $name@$OPENCODE_VERSION"
else
    installed "$agent" opencode "$cache/opencode/node_modules/$name/bin" opencode
fi

agent="gemini cli $GEMINI_VERSION"
if ! (need_package gemini "$GEMINI" "$GEMINI_VERSION"); then
    skip "$agent" "npm could not install $GEMINI@$GEMINI_VERSION"
else
    programs="$cache/gemini/node_modules/.bin:$(dirname "$node")"
    installed "$agent" gemini "$programs" gemini
    enter hooks-gemini
    check "$agent hooks" "$python2" "$here/clients/hooks.py" "$agent hooks" gemini "$programs" "$binary"
fi

agent="codex $CODEX_VERSION"
if ! (need_package codex "$CODEX" "$CODEX_VERSION"); then
    skip "$agent" "npm could not install $CODEX@$CODEX_VERSION"
else
    programs="$cache/codex/node_modules/.bin:$(dirname "$node")"
    enter hooks-codex
    check "$agent hooks" "$python2" "$here/clients/hooks.py" "$agent hooks" codex "$programs" "$binary"
fi

count() {
    grep -c "^$1" "$results" || true
}
passed=$(count 'ok ')
failed=$(count 'FAILED ')
skipped=$(count 'skipped: ')
printf 'clients: %s passed, %s failed' "$passed" "$failed"
[ "$skipped" -eq 0 ] || printf ', %s skipped' "$skipped"
printf '\n'
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
