# shellcheck shell=bash
# What the scripts here share: installing into the cache directory, the versions of the agents that
# more than one tries, and a server on HTTP. It is sourced; the script that does so sets $me, its name in messages.
#
# The cache directory: node22/ (Node 22), and a directory for each npm package and Python
# environment. All of it comes by package name, through whatever registry npm and pip are set to.

INSTALL_SECONDS=300
# shellcheck disable=SC2034 # the scripts use them
{
    CLAUDE='@anthropic-ai/claude-code'
    CLAUDE_VERSION='2.1.325'
    GEMINI='@google/gemini-cli'
    GEMINI_VERSION='0.61.0'
    CODEX='@openai/codex'
    CODEX_VERSION='0.169.0'
}

# missing WORD...: something is not there that the script cannot do without.
missing() {
    # shellcheck disable=SC2154 # $me is set by the script
    printf '%s: %s\n' "$me" "$*" >&2
    exit 2
}

# open_cache DIRECTORY: makes the cache directory and sets $cache to its absolute path.
open_cache() {
    mkdir -p "$1" || missing "the cache directory $1 cannot be created"
    cache=$(cd "$1" && pwd)
}

# fetch DIRECTORY PACKAGE: an npm package in a directory of its own, within a limit of time (where
# the machine has timeout).
fetch() {
    local limit=()
    # In the foreground, so that who interrupts the script interrupts npm.
    ! timeout --foreground 1 true 2>/dev/null || limit=(timeout --foreground "$INSTALL_SECONDS")
    command -v npm >/dev/null ||
        missing "npm is missing; it is needed to install $2 (or put the package into $1)"
    mkdir -p "$1"
    printf '%s: installing %s\n' "$me" "$2" >&2
    # An empty array must vanish, in old versions of bash as well.
    ${limit[@]+"${limit[@]}"} npm install --prefix "$1" \
        --no-audit --no-fund --no-progress --loglevel=error \
        --prefer-offline --fetch-timeout=20000 --fetch-retries=4 "$2" >&2 ||
        missing "npm could not install $2 (is the package registry reachable?)"
}

# need_node: Node 22, the oldest that the suite and Inspector run on; sets $node.
need_node() {
    node="$cache/node22/node_modules/node/bin/node"
    "$node" --version >/dev/null 2>&1 || fetch "$cache/node22" 'node@22'
    "$node" --version >/dev/null 2>&1 ||
        missing "Node 22 is missing: npm installed node@22, but $node does not run"
}

# need_package DIRECTORY NAME VERSION: exactly that version; sets $package, where it is.
need_package() {
    package="$cache/$1/node_modules/$2"
    grep -qsF "\"version\": \"$3\"" "$package/package.json" || fetch "$cache/$1" "$2@$3"
}

# platform_package NAME: the name of the package that holds a program for this platform.
platform_package() {
    local os cpu libc=''
    case $(uname -s) in
        Linux) os=linux ;;
        Darwin) os=darwin ;;
        *) return 1 ;;
    esac
    case $(uname -m) in
        x86_64 | amd64) cpu=x64 ;;
        aarch64 | arm64) cpu=arm64 ;;
        *) return 1 ;;
    esac
    if [ $os = linux ] && [[ $(ldd --version 2>&1 || true) == *musl* ]]; then libc=-musl; fi
    printf '%s-%s-%s%s\n' "$1" $os $cpu $libc
}

server=''

# start_server LOG COMMAND...: sets $server to the process and $url to where it listens; fails if the
# server does not say within 60 s where that is.
start_server() {
    local log=$1
    shift
    "$@" </dev/null >/dev/null 2>"$log" &
    server=$!
    url=''
    for _ in $(seq 600); do
        url=$(sed -n 's/^.*listening on \(http:[^ ]*\).*$/\1/p' "$log" | head -n 1)
        [ -z "$url" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    return 1
}

stop_server() {
    [ -n "$server" ] || return 0
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=''
}
