#!/usr/bin/env bash
# Proves with Mermaid's own parser that the diagrams we draw are diagrams, whatever the memories say.
#
# usage: mermaid.sh CACHE_DIR BINARY
#
# CACHE_DIR keeps Mermaid between runs (installed with npm if missing).
# Exit status: 0 if every check passed, 1 if one failed, 2 if something is missing.
set -euo pipefail

MERMAID_VERSION='12.3.0'
JSDOM_VERSION='26.1.0'

me=mermaid
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

[ $# -eq 2 ] || missing 'usage: mermaid.sh CACHE_DIR BINARY'
[ -x "$2" ] || missing "the binary $2 does not exist or cannot be run"
binary=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
open_cache "$1"
need_node
need_package mermaid mermaid "$MERMAID_VERSION"
need_package mermaid jsdom "$JSDOM_VERSION"

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp "$here/mermaid/check.mjs" "$cache/mermaid/check.mjs"
HOME=$home "$node" "$cache/mermaid/check.mjs" "$binary" "$home/store"
