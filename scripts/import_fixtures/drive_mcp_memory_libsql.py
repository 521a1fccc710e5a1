"""Drives mcp-memory-libsql by its MCP server: entities, observations and relations in SQLite."""
import os
import pathlib

from driving import McpServer, keep_database, out_folder, rows, write_truth

folder = out_folder()
database = pathlib.Path(os.environ["WORK"]) / "memory-tool.db"
server = McpServer(["node", os.environ["PACKAGE"] + "/dist/index.js"], env=os.environ | {"LIBSQL_URL": f"file:{database}"})
server.call("create_entities", entities=[
    {"name": "Ada", "entityType": "person", "observations": ["Prefers tabs over spaces", "Leads Team Birds since 2022"]},
    {"name": "Heron", "entityType": "project", "observations": ["Issue #42 broke the parser", "Keeps invoices for ten years"]},
    {"name": "größe-98", "entityType": "metric", "observations": ["Die Tabelle ist 98 GB groß, straße"]},
    {"name": "日本語", "entityType": "language", "observations": ["請求書は十年間保存する 🚀"]},
    {"name": "PostgreSQL", "entityType": "technology", "observations": ["Version 17\nsince June"]},
    {"name": "Gone", "entityType": "concept", "observations": ["Deleted with its relations"]},
])
server.call("create_relations", relations=[{"source": a, "type": kind, "target": b} for a, kind, b in [("Ada", "leads", "Heron"), ("Heron", "stores data in", "PostgreSQL"), ("Heron", "has_metric", "größe-98"), ("Gone", "uses", "Heron"), ("Heron", "uses", "日本語"), ("Heron", "uses", "PostgreSQL")]])
server.call("create_entities", entities=[{"name": "Heron", "entityType": "service", "observations": ["Replaced by a second create"]}])
server.call("delete_relation", source="Heron", type="uses", target="PostgreSQL")
server.call("delete_entity", name="Gone")
graph = server.call("read_graph")
server.close()
write_truth(folder, graph=graph, entities=rows(database, "SELECT * FROM entities ORDER BY name"), observations=rows(database, "SELECT * FROM observations ORDER BY id"), relations=rows(database, "SELECT * FROM relations ORDER BY id"))
keep_database(database, folder / "memory-tool.db.gz")
