"""`lorekeep install` puts the server into a client, whose own list shows it connected; `lorekeep
uninstall` takes it out.

usage: installed.py LABEL CLIENT DIRECTORY[:DIRECTORY...] PROGRAM LOREKEEP

CLIENT is its name for `lorekeep install`; its PROGRAM is found in the directories. It reads and
writes $HOME, so give it a temporary one.
"""

import os
import re
import subprocess
import sys

TIMEOUT = 60  # seconds for each command
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
}


def run(environment, *command):
    """Runs a command; returns the exit status and all that it said, without colours."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer in {TIMEOUT} s"
    return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)


def is_connected(said):
    """Whether a list shows the server, and that it is connected to it."""
    shown = re.compile(r"(^|\s)lorekeep\b.*(?<!dis)connected\b", re.IGNORECASE)
    return any(shown.search(line) for line in said.splitlines())


def main(label, client, directories, program, lorekeep):
    """Runs the checks."""
    path = os.pathsep.join([directories, os.environ["PATH"]])
    environment = os.environ | QUIET | {"PATH": path}
    status, said = run(environment, lorekeep, "install")
    lines = [line.split("\t") for line in said.splitlines() if line.startswith(f"{client}\t")]
    good = status == 0 and lines and all(line[1::2] == ["found", "installed"] for line in lines)
    results = [("lorekeep install finds it", good, said)]
    listing = [program, "mcp", "list"]
    status, said = run(environment, *listing)
    results.append((f"{program} mcp list shows it connected", status == 0 and is_connected(said), said))
    status, said = run(environment, lorekeep, "install")
    good = status == 0 and "\tinstalled" not in said and "\tupdated" not in said
    results.append(("lorekeep install a second time changes nothing", good, said))
    status, said = run(environment, lorekeep, "uninstall", client)
    after, shown = run(environment, *listing)
    good = status == 0 and after == 0 and "lorekeep" not in shown
    results.append((f"{program} mcp list does not show it after lorekeep uninstall", good, said + shown))
    for check, good, said in results:
        why = " ".join(said.split())
        print(f"ok {label}: {check}" if good else f"FAILED {label}: {check}: {why[:600]}")
    sys.exit(not all(good for _, good, _ in results))


main(*sys.argv[1:])
