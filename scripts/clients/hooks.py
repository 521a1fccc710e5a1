"""The hooks of `lorekeep install` in Gemini CLI and Codex, with a model of our own on this machine.

Gemini CLI: the model is told our notes, and they do not come back as what a person said. Codex: it lists
the server, and warns of nothing in its hooks.

usage: hooks.py LABEL CLIENT DIRECTORY[:DIRECTORY...] LOREKEEP

CLIENT is gemini or codex; its program is found in the directories. It reads and writes $HOME, so give it a
temporary one.
"""

import json
import os
import pathlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TIMEOUT = 60  # seconds for each command
CODEX_TIMEOUT = 20  # it waits for a network that is not there, long after it read its hooks
PROMPT = "How do we deploy the web shop?"
NOTE = "We always deploy the web shop on Tuesdays"


class Model(BaseHTTPRequestHandler):
    """A model of Google's that answers the same to everything."""

    requests = []

    def do_POST(self):
        """Answers a request."""
        length = int(self.headers.get("content-length", 0))
        self.requests.append(self.rfile.read(length).decode())
        content = {"role": "model", "parts": [{"text": "Noted."}]}
        answer = json.dumps({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]})
        is_stream = "stream" in self.path
        body = (f"data: {answer}\n\n" if is_stream else answer).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


def run(environment, *command, timeout=TIMEOUT):
    """Runs a command; returns all that it said, as far as it came."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return (late.output or b"").decode(errors="replace")
    return done.stdout.decode(errors="replace")


def gemini(environment, lorekeep):
    """Asks Gemini CLI once, and looks at what the model was told and what was kept."""
    run(environment, lorekeep, "add", NOTE)
    settings = pathlib.Path(environment["HOME"], ".gemini", "settings.json")
    told = json.loads(settings.read_text())
    told["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    settings.write_text(json.dumps(told))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    more = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    said = run(environment | more, "gemini", "-m", "gemini-2.5-flash", "-p", PROMPT)
    asked = "".join(Model.requests)
    kept = run(environment, lorekeep, "call", "get_recent_events", "{}")
    waiting = run(environment, lorekeep, "review", "--json")
    return [
        ("the model is told our notes", NOTE in asked, said),
        ("what was said is kept", PROMPT in kept, kept),
        ("our notes are nobody's words", "Tuesdays" not in kept + waiting, kept + waiting),
    ]


def codex(environment, _lorekeep):
    """Starts Codex, which says what it thinks of its hooks before it asks a model."""
    listed = run(environment, "codex", "mcp", "list")
    command = ["codex", "exec", "--skip-git-repo-check", PROMPT]
    said = run(environment, *command, timeout=CODEX_TIMEOUT)
    return [
        ("codex mcp list shows it", "lorekeep" in listed and "enabled" in listed, listed),
        ("it starts and warns of no hook", PROMPT in said and "hook timeout" not in said, said),
    ]


def main(label, client, directories, lorekeep):
    """Runs the checks."""
    path = os.pathsep.join([directories, os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    run(environment, lorekeep, "install", client)
    results = {"gemini": gemini, "codex": codex}[client](environment, lorekeep)
    for check, good, said in results:
        why = " ".join(said.split())
        print(f"ok {label}: {check}" if good else f"FAILED {label}: {check}: {why[:600]}")
    sys.exit(not all(good for _, good, _ in results))


main(*sys.argv[1:])
