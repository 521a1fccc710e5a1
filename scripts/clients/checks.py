"""What every MCP client must see of the server, whichever client it is.

A client is an object with `async ask(method, **params)`, which sends one request and returns the
result as the protocol writes it (a dict), or None if the client cannot send that request. Each
check prints one line, `ok LABEL: CHECK` or `FAILED LABEL: CHECK: WHY`; clients.sh counts them.
Standard library only, so that it runs in every environment.
"""

import asyncio
import json
import sys

TOOLS = {
    "memory_add",
    "memory_search",
    "memory_delete",
    "knowledge_query",
    "knowledge_check",
    "knowledge_show",
    "sync_now",
    "sync_status",
    "add_memory_link",
    "build_memory_from_text",
    "get_memory_object",
    "update_memory_object",
    "invalidate_memory_link",
    "delete_memory_object",
    "store_memory",
    "query_memories",
    "update_memory",
    "delete_memory",
    "get_memory_stats",
    "index_file",
    "index_directory",
    "search",
    "search_with_filters",
    "search_with_budget",
    "delete_chunks",
    "delete_file",
    "clear_index",
    "get_index_stats",
    "memory_store",
    "memory_recall",
    "memory_validate",
    "memory_forget",
    "memory_context",
    "memory_apply",
    "memory_outcome",
    "memory_relate",
    "memory_edge_forget",
    "memory_inspect_graph",
    "memory_count",
    "memory_list",
    "validation_history",
    "memory_detect_contradictions",
    "memory_check_supersedes",
    "memory_analyze_health",
    "bridge-context",
    "bridge-record",
    "get_context_for_prompt",
    "record_decision",
    "supersede_decision",
    "accept_proposal",
    "reject_proposal",
    "search_decisions",
    "get_decisions",
    "get_decision_history",
    "get_recent_events",
    "link_evidence",
    "update_decision",
    "sync_git",
    "forget",
    "grz_read_file",
    "grz_write_file",
    "grz_edit_file",
    "grz_execute_command",
    "brave_web_search",
    "brave_local_search",
    "jina_read_url",
}
HERON = "The heron nests behind the old mill"
OTTER = "The otter is seen at the weir at dusk"
TIMEOUT = 30  # seconds for each check


class Cannot(Exception):
    """The client has no way to send the request: the check is skipped, and said to be."""


def require(condition, why):
    """Fails the check unless the condition holds; `assert` would vanish under python -O."""
    if not condition:
        raise AssertionError(why)


def payload(result):
    """What a tool answered: the JSON in its text, which structured content must repeat."""
    value = json.loads(result["content"][0]["text"])
    structured = result.get("structuredContent")
    if not result.get("isError"):
        require(structured is not None, "there is no structuredContent")
    if structured is not None:
        require(structured == value, f"text {value} but structuredContent {structured}")
    return value


async def call(client, tool, arguments):
    """A call that must succeed."""
    result = await client.ask("tools/call", name=tool, arguments=arguments)
    require(not result.get("isError"), f"isError: {result}")
    return payload(result)


async def call_fails(client, tool, arguments):
    """A call that must fail as a result of the tool, not of the protocol."""
    result = await client.ask("tools/call", name=tool, arguments=arguments)
    require(result.get("isError") is True, f"no isError: {result}")
    return payload(result)


async def lists_tools(client):
    """tools/list has exactly the expected tools, each with an output schema"""
    tools = (await client.ask("tools/list"))["tools"]
    names = [tool["name"] for tool in tools]
    require(len(names) == len(TOOLS) and set(names) == TOOLS, f"the tools are {names}")
    bare = [tool["name"] for tool in tools if (tool.get("outputSchema") or {}).get("type") != "object"]
    require(not bare, f"no output schema: {bare}")


async def adds(client):
    """memory_add stores"""
    got = await call(client, "memory_add", {"content": HERON})
    require(got["success"] is True and got["memoryId"].startswith("mem_"), got)


async def searches(client):
    """memory_search finds what memory_add stored"""
    got = await call(client, "memory_search", {"query": "heron mill"})
    require(any(found["content"] == HERON for found in got["results"]), got)


async def stores(client):
    """store_memory stores"""
    got = await call(client, "store_memory", {"type": "learning", "content": OTTER, "tags": ["river"]})
    require(OTTER in json.dumps(got), got)


async def queries(client):
    """query_memories finds what store_memory stored"""
    got = await call(client, "query_memories", {"query": "otter"})
    require(any(found["content"] == OTTER for found in got["memories"]), got)


async def layer_error(client):
    """memory_add without content fails in its own dialect"""
    got = await call_fails(client, "memory_add", {})
    require(got["success"] is False and got["errorCode"] == "INVALID_INPUT", got)
    require("content" in got["message"], got)


async def note_error(client):
    """store_memory without type fails in its own dialect"""
    got = await call_fails(client, "store_memory", {"content": OTTER})
    require(got["error"]["code"] == "INVALID_INPUT", got)
    require("type" in got["error"]["message"], got)


async def lists_resources(client):
    """resources/list has memory://stats"""
    resources = (await client.ask("resources/list"))["resources"]
    require("memory://stats" in [resource["uri"] for resource in resources], resources)


async def reads_stats(client):
    """resources/read of memory://stats counts both memories"""
    contents = (await client.ask("resources/read", uri="memory://stats"))["contents"]
    require(json.loads(contents[0]["text"])["total_memories"] == 2, contents)


async def lists_prompts(client):
    """prompts/list has recall"""
    prompts = (await client.ask("prompts/list"))["prompts"]
    require("recall" in [prompt["name"] for prompt in prompts], prompts)


async def gets_recall(client):
    """prompts/get of recall brings what is remembered"""
    got = await client.ask("prompts/get", name="recall", arguments={"query": "heron"})
    require(HERON in got["messages"][0]["content"]["text"], got)


async def completes(client):
    """completion/complete of a layer"""
    got = await client.ask("completion/complete", prompt="recall", argument="layer", value="co")
    if got is None:
        raise Cannot("the client has no completion")
    require(got["completion"]["values"] == ["company"], got)


ALL = [
    lists_tools,
    adds,
    searches,
    stores,
    queries,
    layer_error,
    note_error,
    lists_resources,
    reads_stats,
    lists_prompts,
    gets_recall,
    completes,
]


async def run(label, client, version, got_version):
    """Runs all checks, after that of the revision the client and the server agreed on."""

    async def agreed(_):
        require(got_version == version, f"the revision is {got_version}")

    agreed.__doc__ = f"speaks {version}"
    failed = 0
    for check in [agreed, *ALL]:
        try:
            await asyncio.wait_for(check(client), TIMEOUT)
            line = f"ok {label}: {check.__doc__}"
        except Cannot as why:
            line = f"skipped: {label}: {check.__doc__}: {why}"
        except Exception as error:  # noqa: BLE001 - whatever a client raises is a failed check
            failed += 1
            why = " ".join(f"{type(error).__name__}: {error}".split())
            line = f"FAILED {label}: {check.__doc__}: {why[:600]}"
        print(line, flush=True)
    if failed:
        sys.exit(1)
