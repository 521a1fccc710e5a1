"""Drives the reference memory server: entities, observations, relations, and deletions of each."""

import os
import pathlib

from driving import McpServer, out_folder, write_truth

folder = out_folder()
path = pathlib.Path(os.environ["WORK"]) / "memory.jsonl"
server = McpServer(["node", os.environ["PACKAGE"] + "/dist/index.js"], env=os.environ | {"MEMORY_FILE_PATH": str(path)})


def entity(name, kind, *observations):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(source, kind, target):
    return {"from": source, "relationType": kind, "to": target}


server.call("create_entities", entities=[
    entity("Ada_Lovelace", "person", "Prefers tabs over spaces", "Leads Team Birds since 2022", "Speaks English and français"),
    entity("Heron", "project", "The billing service", "Issue #42 broke the parser", "Keeps invoices for ten years"),
    entity("PostgreSQL", "technology", "Version 15 until March"),
    entity("größe-98", "metric", "Die Tabelle ist 98 GB groß, straße", "naïve café"),
    entity("日本語", "language", "請求書は十年間保存する"),
    entity("Empty entity", "concept"),
    entity("Payment Gateway", "service", "100 requests a second\nper merchant", "https://pay.example.com/v2#charges", "Emoji are kept: 🚀"),
    entity("Gone", "concept", "Deleted with its relations"),
    entity("Team Birds", "team", "Meets at 10:00", "Meets at 10:00 in room Heron"),
    entity("heron", "bird", "Differs from the project in its capital letter"),
])
server.call("create_relations", relations=[
    relation("Ada_Lovelace", "leads", "Team Birds"), relation("Team Birds", "owns", "Heron"), relation("Heron", "stores data in", "PostgreSQL"),
    relation("Heron", "uses", "Payment Gateway"), relation("Heron", "has_metric", "größe-98"), relation("Gone", "uses", "Heron"),
    relation("Ada_Lovelace", "is named after", "Ada_Lovelace"), relation("Heron", "uses", "PostgreSQL"), relation("Heron", "beschrieben in", "日本語"),
])
server.call("add_observations", observations=[{"entityName": "PostgreSQL", "contents": ["Version 17 since June", "Replicates logically"]}, {"entityName": "Heron", "contents": ["Added later"]}])
server.call("delete_observations", deletions=[{"entityName": "PostgreSQL", "observations": ["Version 15 until March"]}])
server.call("delete_relations", relations=[relation("Heron", "uses", "PostgreSQL")])
server.call("delete_entities", entityNames=["Gone"])
graph = server.call("read_graph")
server.close()
(folder / "memory.jsonl").write_bytes(path.read_bytes())
observations = sum(len(item["observations"]) for item in graph["entities"])
write_truth(folder, entities=graph["entities"], relations=graph["relations"], counts={"observations": observations})
