"""Claude Code adds the server to its user configuration, and its health check connects to it.

usage: claude.py LABEL CLAUDE COMMAND [ARGUMENT...]

It reads and writes $HOME, so give it a temporary one.
"""

import os
import subprocess
import sys

TIMEOUT = 60  # seconds for each command


def claude(binary, *arguments):
    """Runs one command of Claude Code; returns the exit status and all that it said."""
    quiet = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    try:
        done = subprocess.run(
            [binary, *arguments],
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer in {TIMEOUT} s"
    return done.returncode, done.stdout


def main(label, binary, *server):
    """Runs both checks."""
    status, said = claude(binary, "mcp", "add", "-s", "user", "lorekeep", "--", *server)
    results = [("claude mcp add takes the server", status == 0, said)]
    status, said = claude(binary, "mcp", "list")
    lines = [line for line in said.splitlines() if line.startswith("lorekeep:")]
    connected = status == 0 and len(lines) == 1 and lines[0].endswith("✔ Connected")
    results.append(("claude mcp list shows it connected", connected, said))
    for check, good, said in results:
        why = " ".join(said.split())
        print(f"ok {label}: {check}" if good else f"FAILED {label}: {check}: {why[:600]}")
    sys.exit(not all(good for _, good, _ in results))


main(*sys.argv[1:])
