"""The checks with the Python client of MCP, version 2.

usage: python2.py LABEL auto|legacy VERSION COMMAND [ARGUMENT...]
       python2.py LABEL auto|legacy VERSION URL TOKEN_FILE
"""

import asyncio
import pathlib
import sys

import checks
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference


class Python2:
    """A connected client."""

    def __init__(self, client):
        self.client = client

    async def ask(self, method, **params):
        """Sends one request."""
        client = self.client
        match method:
            case "tools/call":
                result = await client.call_tool(params["name"], params["arguments"])
            case "resources/read":
                result = await client.read_resource(params["uri"])
            case "prompts/get":
                result = await client.get_prompt(params["name"], params["arguments"])
            case "completion/complete":
                ref = PromptReference(type="ref/prompt", name=params["prompt"])
                result = await client.complete(
                    ref, {"name": params["argument"], "value": params["value"]}
                )
            case _:  # tools/list, resources/list, prompts/list
                result = await getattr(client, "list_" + method.removesuffix("/list"))()
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(label, mode, version, *server):
    """Connects and runs the checks."""
    if server[0].startswith("http:"):
        token = pathlib.Path(server[1]).read_text(encoding="utf-8").strip()
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        target = streamable_http_client(server[0], http_client=http)
    else:
        target = StdioServerParameters(command=server[0], args=list(server[1:]))
    async with Client(target, mode=mode) as client:
        await checks.run(label, Python2(client), version, client.protocol_version)


asyncio.run(main(*sys.argv[1:]))
