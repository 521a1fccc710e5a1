"""Drives basic-memory by its MCP server: notes with observations, contexts, relations, front matter and links."""
import os
import pathlib
import shutil
import subprocess

from driving import McpServer, out_folder, rows, write_truth

folder = out_folder()
home = pathlib.Path(os.environ["HOME"])
project = home / "basic-memory"
os.environ.update(BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="false", BASIC_MEMORY_AUTO_UPDATE="false", BASIC_MEMORY_NO_PROMOS="1", DO_NOT_TRACK="1")
server = McpServer([os.path.join(os.path.dirname(os.sys.executable), "basic-memory"), "mcp"], env=dict(os.environ))

NOTES = [
    ("Heron Billing", "projects/heron", ["billing", "größe"], "note", """# Heron Billing

The billing service of Heron. It talks to [[Payment Gateway]] and is described in [[Invoice Format|the format page]].

## Observations
- [bug] Issue #42 broke the parser in release #7 #parser #regression (seen in production)
- [decision] Invoices are kept for ten years #legal (tax law, § 147 AO)
- [fact] The colour #ff8800 marks unpaid invoices
- [tech] C# and F# services share one schema #dotnet
- [größe] Die Tabelle ist 98 GB groß #straße
- [idea] A note with (brackets) in the middle and no context at its end
- [Longer Category] Categories may have spaces #one #two (context one)
- [requirement] Works with [[Payment Gateway]] in a sentence

## Relations
- uses [[Payment Gateway]] (since 2024)
- depends on [[PostgreSQL 15]] (for invoices)
- "is described by" [[Invoice Format]]
- [[Team Birds]]
- replaces [[Old Billing]] (migrated in March, see [[Migration Plan]])
"""),
    ("Payment Gateway", "projects/heron", ["payments"], "service", """# Payment Gateway

- [limit] 100 requests a second #rate (per merchant)
- [url] https://pay.example.com/v2#charges is the endpoint
- [ ] a box that is not ticked
- [x] a box that is
- used_by [[Heron Billing]]
- the meeting with [[Team Birds]] decided that [[Old Billing]] goes away

A sentence that mentions [[Heron Billing]] and goes on after the link, as people write.

```python
# - [not] an observation in code
print("[[not a link]]")
```
"""),
    ("Team Birds", "people", [], "team", """# Team Birds

- [member] Ada leads the team #person (since 2023)
- [member] Grace writes the parser #person
- owns [[Heron Billing]]
- owns [[Payment Gateway]] (with the platform team)
"""),
    ("Migration Plan", "projects/heron/plans", ["plan", "q1"], "plan", """# Migration Plan

## Steps

1. Copy the invoices.
2. Switch [[Heron Billing]] over.

### Risks

- [risk] A double charge #money (probability: low)
- [risk] Lost invoices
- blocks [[Old Billing]]

## Open questions

Who tells the customers?
"""),
    ("日本語のノート", "misc", ["日本語"], "note", "# 日本語のノート\n\n- [事実] 請求書は十年間保存する #法律 (税法)\n- 関連 [[Heron Billing]]\n"),
    ("To Be Deleted", "misc", [], "note", "# To Be Deleted\n\n- [fact] it must not come back\n"),
    ("Meeting 2026-01-12: Dashboards", "meetings", ["meeting"], "meeting", "# Meeting 2026-01-12: Dashboards\n\n- [action] Ada updates the dashboard: https://grafana.example.com/d/1 #todo (due Friday)\n- follows [[Migration Plan]]\n"),
]
for title, directory, tags, kind, content in NOTES:
    server.call("write_note", title=title, directory=directory, tags=tags, note_type=kind, content=content, project="main", metadata={"status": "draft", "priority": 3, "reviewers": ["ada", "grace"]} if title == "Heron Billing" else {})
server.call("edit_note", identifier="Heron Billing", operation="append", content="\n- [note] Appended later by an edit #edit (by an agent)\n", project="main")
server.call("edit_note", identifier="Team Birds", operation="find_replace", find_text="since 2023", content="since 2022", project="main")
server.call("move_note", identifier="Payment Gateway", destination_path="systems/Payment Gateway.md", project="main")
server.call("delete_note", identifier="To Be Deleted", project="main")
# People write notes in their editor, too; the peer reads this one with `reindex`.
(project / "by-hand.md").write_text("""---
title: Written by hand
type: note
permalink: by-hand/custom-permalink
tags: [hand, two words]
aliases: ["Hand Note"]
created: 2024-05-06T07:08:09+02:00
author: Ada
confidence: 0.85
related_to: "[[Heron Billing]]"
---

- [tip] Escape \\# where no tag is meant #tip
* [tip] a star begins an observation as well (star)
- relates to [[Heron Billing]] (by hand)
""", encoding="utf-8")
server.close()


subprocess.run([os.path.join(os.path.dirname(os.sys.executable), "basic-memory"), "reindex", "--project", "main"], check=True, env=dict(os.environ))

database = home / ".basic-memory" / "memory.db"
entities = rows(database, "SELECT id, title, note_type, entity_metadata, permalink, file_path, created_at, updated_at FROM entity ORDER BY file_path")
by_id = {entity.pop("id"): entity["title"] for entity in entities}
observations = [row | {"entity": by_id[row.pop("entity_id")]} for row in rows(database, "SELECT entity_id, category, content, context, tags FROM observation ORDER BY entity_id, id")]
relations = [row | {"from": by_id[row.pop("from_id")], "to": by_id.get(row.pop("to_id"))} for row in rows(database, "SELECT from_id, to_id, to_name, relation_type, context FROM relation ORDER BY from_id, id")]
shutil.copytree(project, folder / "notes")
write_truth(folder, entities=entities, observations=observations, relations=relations)
