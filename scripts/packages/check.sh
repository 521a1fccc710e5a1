# shellcheck shell=bash disable=SC2153,SC2154
# Proves the packages; sourced by scripts/package with what it set. Validators of others judge the forms:
# mcpb, Claude Code, Codex, Gemini CLI, and skillsaw, which has the published schemas of server.json and of
# Agent Plugins. What only we can know is in check.mjs. Each check is a line; one that cannot run says why.

CODEX='@openai/codex'
CODEX_VERSION='0.166.0'
SKILLSAW_VERSION='0.22.0'

# In the foreground, so that who interrupts the script interrupts the command; not every machine has it.
limit=()
! timeout --foreground 1 true 2>/dev/null || limit=(timeout --foreground 120)

# told LABEL COMMAND...: a check that passes if the command does, and tells what it said if not.
told() {
    local label=$1
    shift
    if alone ${limit[@]+"${limit[@]}"} "$@" </dev/null >"$work/said" 2>&1; then
        printf 'ok %s\n' "$label"
    else
        printf 'FAILED %s: %s\n' "$label" "$(tr -s '[:space:]' ' ' <"$work/said" | tail -c 600)"
    fi | tee -a "$results"
}

# says LABEL TEXT COMMAND...: as told, and it must say TEXT.
says() {
    local label=$1 text=$2
    shift 2
    # shellcheck disable=SC2016 # it is for the inner shell
    told "$label" bash -c 'said=$("${@:2}" 2>&1) || exit; printf "%s\n" "$said"; [[ $said == *"$1"* ]]' \
        _ "$text" "$@"
}

skip() {
    printf 'skipped: %s\n' "$*" | tee -a "$results"
}

# need_skillsaw: fails if it cannot be had.
need_skillsaw() {
    "$cache/skillsaw/bin/skillsaw" --version 2>/dev/null | grep -qF "$SKILLSAW_VERSION" && return
    printf '%s: installing skillsaw==%s (Python)\n' "$me" "$SKILLSAW_VERSION" >&2
    python3 -m venv --clear "$cache/skillsaw" >&2 &&
        "$cache/skillsaw/bin/python" -m pip install --quiet --disable-pip-version-check \
            "skillsaw==$SKILLSAW_VERSION" >&2
}

check_archive() {
    mkdir -p "$work/unpacked"
    told 'archive: unpacks' tar -C "$work/unpacked" -xzf "$out/lorekeep-$version-$target.tar.gz"
    local folder="$work/unpacked/lorekeep-$version-$target"
    says 'archive: the binary runs' "lorekeep $version" "$folder/$program" --version
    for file in README.md LICENSE-MIT LICENSE-APACHE lorekeep.1; do
        told "archive: has $file" test -s "$folder/$file"
    done
    for shell in bash elvish fish powershell zsh; do
        told "archive: has completions for $shell" test -s "$folder/completions/lorekeep.$shell"
    done
}

# What the binary needs of the machine it will run on: nothing, or the C library alone.
check_libraries() {
    command -v ldd >/dev/null || { skip 'libraries: ldd is missing' && return; }
    local needs more
    needs=$(ldd "$work/$program" 2>&1 | sed -n 's/^[[:space:]]*\([^ ]*\) => .*/\1/p' | sort | tr '\n' ' ')
    more=$(printf '%s' "$needs" | tr ' ' '\n' | grep -vE '^lib(c|m|gcc_s|dl|rt|pthread)\.so|^$' || true)
    if [ -z "$needs" ]; then
        printf 'ok libraries: the binary is static\n'
    elif [[ $target == *musl* ]] || [ -n "$more" ]; then
        printf 'FAILED libraries: the binary needs %s\n' "$needs"
    else
        printf 'ok libraries: the binary needs the C library alone: %s(%s or later)\n' "$needs" \
            "$(grep -ao 'GLIBC_2\.[0-9]*' "$work/$program" | sort -uV | tail -n 1)"
    fi | tee -a "$results"
}

check_bundle() {
    told 'bundle: mcpb unpacks it' "$node" "$mcpb" unpack "$out/lorekeep-$version.mcpb" "$work/mcpb"
    told "bundle: mcpb $MCPB_VERSION takes the manifest" "$node" "$mcpb" validate "$work/mcpb/manifest.json"
    told 'bundle: the binary may be run' test -x "$work/mcpb/server/$program"
}

check_claude() {
    local name claude label="claude code $CLAUDE_VERSION"
    name=$(platform_package "$CLAUDE") || { skip "claude code: there is none for $(uname -sm)" && return; }
    (need_package claude "$name" "$CLAUDE_VERSION") ||
        { skip "claude code: npm could not install $name@$CLAUDE_VERSION" && return; }
    claude="$cache/claude/node_modules/$name/claude"
    for manifest in plugin marketplace; do
        told "$label: takes $manifest.json" \
            "$claude" plugin validate "$out/plugin/.claude-plugin/$manifest.json"
    done
    told "$label: adds the marketplace" "$claude" plugin marketplace add "$out/plugin"
    told "$label: installs the plugin" "$claude" plugin install lorekeep@lorekeep
    says "$label: lists it, enabled" "✔ enabled" "$claude" plugin list
    says "$label: has its six skills" 'Skills (6)' "$claude" plugin details lorekeep
    says "$label: has its hooks" 'SessionStart, UserPromptSubmit, Stop' "$claude" plugin details lorekeep
    says "$label: connects to its server" '✔ Connected' "$claude" mcp list
}

check_codex() {
    local label="codex $CODEX_VERSION" codex="$cache/codex/node_modules/.bin/codex"
    (need_package codex "$CODEX" "$CODEX_VERSION") ||
        { skip "codex: npm could not install $CODEX@$CODEX_VERSION" && return; }
    told "$label: adds the marketplace" "$node" "$codex" plugin marketplace add "$out/plugin"
    told "$label: adds the plugin" "$node" "$codex" plugin add lorekeep@lorekeep
    says "$label: lists it, enabled" 'installed, enabled' "$node" "$codex" plugin list
    says "$label: has its server" "/bin/$program" "$node" "$codex" mcp list
}

check_gemini() {
    local label="gemini cli $GEMINI_VERSION" gemini="$cache/gemini/node_modules/.bin/gemini"
    (need_package gemini "$GEMINI" "$GEMINI_VERSION") ||
        { skip "gemini cli: npm could not install $GEMINI@$GEMINI_VERSION" && return; }
    told "$label: takes the extension" "$node" "$gemini" extensions validate "$out/plugin"
    told "$label: links it" "$node" "$gemini" extensions link "$out/plugin" --consent
    says "$label: lists it with its skills" 'lorekeep-memory: ' "$node" "$gemini" extensions list
}

check_schemas() {
    local lint=("$cache/skillsaw/bin/skillsaw" lint --quiet --strict --no-custom-rules --no-plugins --no-color)
    need_skillsaw || { skip "schemas: pip could not install skillsaw==$SKILLSAW_VERSION" && return; }
    mkdir -p "$work/registry"
    cp "$out/server.json" "$work/registry"
    told 'schemas: server.json' "${lint[@]}" --type mcp-registry "$work/registry"
    told 'schemas: Agent Plugins, Codex, Claude Code and the skills' "${lint[@]}" "$out/plugin"
}

check_archive
check_libraries
check_bundle
# shellcheck disable=SC2310 # a failed check is a line
"$node" "$here/packages/check.mjs" "$work/$program" "$out" "$work/mcpb" "$out/plugin/skills" "$work/scratch" |
    tee "$work/said" || grep -q '^FAILED ' "$work/said" ||
    printf 'FAILED check.mjs: it died\n' | tee -a "$results"
cat "$work/said" >>"$results"
check_schemas
check_claude
check_codex
check_gemini

count() {
    grep -c "^$1" "$results" || true
}
passed=$(count 'ok ')
failed=$(count 'FAILED ')
skipped=$(count 'skipped: ')
printf '%s: %s passed, %s failed' "$me" "$passed" "$failed"
[ "$skipped" -eq 0 ] || printf ', %s skipped' "$skipped"
printf '\n'
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
