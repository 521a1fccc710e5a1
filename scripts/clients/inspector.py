"""The checks with the command line of MCP Inspector, which starts the server for each request.

usage: inspector.py LABEL legacy|modern VERSION NODE INSPECTOR COMMAND [ARGUMENT...]

Run it in a scratch directory: it writes Inspector's configuration there.
"""

import asyncio
import json
import sys
from pathlib import Path

import checks

TOOL_FAILED = 5  # the exit status of Inspector when a tool answers isError


class Inspector:
    """How to run Inspector on one server."""

    def __init__(self, node, inspector, config):
        self.command = [node, inspector, "--cli", "--config", config, "--server", "lorekeep"]

    async def ask(self, method, **params):
        """Sends one request."""
        match method:
            case "tools/call":
                arguments = json.dumps(params["arguments"])
                more = ["--tool-name", params["name"], "--tool-args-json", arguments]
            case "resources/read":
                more = ["--uri", params["uri"]]
            case "prompts/get":
                pairs = [f"{name}={value}" for name, value in params["arguments"].items()]
                more = ["--prompt-name", params["name"], "--prompt-args", *pairs]
            case "completion/complete":
                return None  # Inspector completes in its web interface only
            case "tools/list":
                more = ["--strict"]  # also fails on schemas that some clients cannot read
            case _:
                more = []
        process = await asyncio.create_subprocess_exec(
            *self.command, "--quiet", "--format", "json", "--method", method, *more,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode not in (0, TOOL_FAILED) or not out:
            raise RuntimeError(f"exit status {process.returncode}: {err.decode()} {out.decode()}")
        result = json.loads(out)["result"]
        failed = process.returncode == TOOL_FAILED
        checks.require(failed == bool(result.get("isError")), f"{process.returncode}: {result}")
        return result


async def main(label, era, version, node, inspector, command, *arguments):
    """Writes the configuration and runs the checks."""
    entry = {"command": command, "args": arguments}
    if era == "modern":  # legacy is what Inspector does when nothing is said
        entry["protocolEra"] = era
    config = Path("inspector.json").absolute()
    config.write_text(json.dumps({"mcpServers": {"lorekeep": entry}}))
    client = Inspector(node, inspector, str(config))
    hello = await client.ask("initialize")
    await checks.run(label, client, version, hello["protocolVersion"])


asyncio.run(main(*sys.argv[1:]))
