"""Drives memorygraph by its MCP server, and exports the same store as JSON with its own command."""
import os
import pathlib
import re
import subprocess
import sys

from driving import McpServer, keep_database, out_folder, rows, write_truth

folder = out_folder()
database = pathlib.Path(os.environ["WORK"]) / "memory.db"
env = os.environ | {"MEMORY_SQLITE_PATH": str(database), "MEMORY_BACKEND": "sqlite", "MEMORY_TOOL_PROFILE": "extended"}
program = os.path.join(os.path.dirname(sys.executable), "memorygraph")
server = McpServer([program], env=env)
MEMORIES = [
    ("problem", "Webhook times out", "The webhook times out after 3 s", ["webhook"], 0.7, {"project_path": "/srv/heron", "files_involved": ["src/hook.rs"], "languages": ["rust"]}),
    ("solution", "Retry with back-off", "Exponential back-off fixed the flaky webhook", ["webhook", "retry"], 0.8, {"technologies": ["http"]}),
    ("error", "Issue #42", "Issue #42 broke the parser", ["issue #42"], 0.333333, None),
    ("fix", "Parser accepts '#'", "Only a # before a word begins a tag", ["parser"], 0.9, None),
    ("project", "PostgreSQL for invoices", "Größe 98 GB; straße und naïve Wörter bleiben", ["größe"], 1.0, {"additional_metadata": {"score": 0.1}}),
    ("technology", "PostgreSQL", "Version 17 since June", ["pg"], 0.5, None),
    ("code_pattern", "請求書", "請求書は十年間保存する 🚀", ["日本語"], 0.6, None),
    ("general", "A memory without tags", "Nobody tagged this", [], 0.0, None),
    ("workflow", "Deploys", "Tuesdays\n- build\n- test\n- ship", ["deploy"], 0.4, None),
    ("task", "Deleted task", "It must not come back", ["gone"], 0.5, None),
    ("task", "Rotate keys", "Rotate the signing keys each quarter", ["security"], 0.65, None),
]
ids = []
for kind, title, content, tags, importance, context in MEMORIES:
    more = {"context": context} if context else {}
    answer = server.call("store_memory", type=kind, title=title, content=content, tags=tags, importance=importance, summary=f"In short: {title}", **more)
    ids.append(re.search(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(answer)).group())
for source, target, kind, strength, confidence, context in [(1, 0, "SOLVES", 0.9, 0.95, "measured for a week"), (3, 2, "ADDRESSES", 0.8, 0.7, "in commit 3f2a"), (4, 5, "REQUIRES", 0.5, 0.333333, "since it needs transactions"), (0, 2, "CAUSES", 0.4, 0.2, ""), (8, 10, "RELATED_TO", 0.1, 0.5, "both on Tuesdays"), (9, 0, "RELATED_TO", 0.3, 0.5, "goes with the deleted")]:
    server.call("create_relationship", from_memory_id=ids[source], to_memory_id=ids[target], relationship_type=kind, strength=strength, confidence=confidence, context=context)
server.call("update_memory", memory_id=ids[5], content="Version 17 since June, replicates logically", tags=["pg", "changed"], importance=0.55)
server.call("delete_memory", memory_id=ids[9])
answers = {ids[n]: server.call("get_memory", memory_id=ids[n], include_relationships=True) for n in range(len(ids)) if n != 9}
server.close()
subprocess.run([program, "export", "--format", "json", "--output", str(folder / "export.json")], env=env, check=True)
write_truth(folder, items=answers, deleted=[ids[9]], nodes=rows(database, "SELECT * FROM nodes ORDER BY created_at"), relations=rows(database, "SELECT * FROM relationships ORDER BY created_at"))
keep_database(database, folder / "memory.db.gz")
