"""What the drivers of import fixtures share: writing the truth file, keeping a database, and calling an MCP server."""
import gzip
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

# A fixed moment: drivers that may set dates use it, so that a new run differs from the last in little.
EPOCH = 1760000000.0  # 2025-10-09T08:53:20Z


def out_folder():
    """The folder that the fixture is written to, made empty."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def write_truth(folder, **truth):
    """Writes `expected.json`: what the peer itself answers when it is asked for its items."""
    more = truth.pop("counts", {})
    truth["counts"] = {name: len(value) for name, value in truth.items() if isinstance(value, (list, dict))} | more
    text = json.dumps(truth, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


def keep_database(source, target):
    """Moves a database's write-ahead log into it and writes it compressed, without time stamps of gzip."""
    db = sqlite3.connect(source)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    data = pathlib.Path(source).read_bytes()
    pathlib.Path(target).write_bytes(gzip.compress(data, 9, mtime=0))


def rows(source, query):
    """The rows of a query as dictionaries; only for what the peer has no way to be asked for."""
    db = sqlite3.connect(source)
    db.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in db.execute(query)]
    finally:
        db.close()


class McpServer:
    """An MCP server on stdio, called with the tools that its clients call."""

    def __init__(self, command, env=None, cwd=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd, text=True, encoding="utf-8")
        self.last = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fixtures", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        for line in self.process.stdout:
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method} {params}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"the server ended during {method} {params}")

    def call(self, tool, **arguments):
        """What a tool answers: its structure, else its text as JSON, else its text."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise RuntimeError(f"{tool} {arguments}: {text}")
        try:
            return result.get("structuredContent") or json.loads(text)
        except ValueError:
            return text

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def write_files(folder, files):
    """Writes a tree of files: path to text, or to a value that becomes JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        path.write_text(text, encoding="utf-8")
