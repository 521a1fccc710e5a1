"""The checks with the Python client of MCP, version 1, on standard input and output.

usage: python1.py LABEL VERSION COMMAND [ARGUMENT...]
"""

import asyncio
import sys

import checks
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PromptReference
from pydantic import AnyUrl


class Python1:
    """A connected client."""

    def __init__(self, session):
        self.session = session

    async def ask(self, method, **params):
        """Sends one request."""
        session = self.session
        match method:
            case "tools/call":
                result = await session.call_tool(params["name"], params["arguments"])
            case "resources/read":
                result = await session.read_resource(AnyUrl(params["uri"]))
            case "prompts/get":
                result = await session.get_prompt(params["name"], params["arguments"])
            case "completion/complete":
                ref = PromptReference(type="ref/prompt", name=params["prompt"])
                result = await session.complete(
                    ref, {"name": params["argument"], "value": params["value"]}
                )
            case _:  # tools/list, resources/list, prompts/list
                result = await getattr(session, "list_" + method.removesuffix("/list"))()
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(label, version, command, *arguments):
    """Connects and runs the checks."""
    server = StdioServerParameters(command=command, args=list(arguments))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        await checks.run(label, Python1(session), version, hello.protocolVersion)


asyncio.run(main(*sys.argv[1:]))
