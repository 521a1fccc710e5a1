"""Drives mem0 by its library with its own stores, a local Qdrant folder and history.db; texts are kept as they are (infer=False)."""
import os
import pathlib

import fake_openai

work = pathlib.Path(os.environ["WORK"])
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(work / "mem0-home"), OPENAI_API_KEY="unused", OPENAI_BASE_URL=fake_openai.start())

from driving import keep_database, out_folder, rows, write_truth
from mem0 import Memory

folder = out_folder()
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"path": str(work / "qdrant"), "on_disk": True, "collection_name": "mem0", "embedding_model_dims": fake_openai.DIMENSIONS}},
    "embedder": {"provider": "openai", "config": {"model": "fake", "embedding_dims": fake_openai.DIMENSIONS}},
    "llm": {"provider": "openai", "config": {"model": "fake"}},
    "history_db_path": str(work / "history.db"),
})
ADDED = [
    ("Prefers tabs over spaces", {"user_id": "ada"}, {"category": "style", "score": 0.1}),
    ("Issue #42 broke the parser", {"user_id": "ada", "agent_id": "coder"}, {"tags": ["parser", "issue #42"]}),
    ("Größe 98 GB; straße und naïve Wörter bleiben", {"user_id": "ada"}, {}),
    ("請求書は十年間保存する 🚀", {"user_id": "ada", "run_id": "run-7"}, {"nested": {"a": [1, 2.5, None]}}),
    ("The billing service keeps its invoices in PostgreSQL 15", {"user_id": "ada"}, {"project": "heron"}),
    ("Grace writes the parser", {"user_id": "grace"}, {}),
    ("Answers in short sentences", {"agent_id": "coder"}, {"role": "rule"}),
    ("Two\nlines and - a list", {"user_id": "grace"}, {}),
    ("Deleted: it must not come back", {"user_id": "ada"}, {}),
    ("Deploys run on Tuesdays", {"user_id": "grace", "agent_id": "coder", "run_id": "run-8"}, {"priority": 3, "done": False}),
]
ids = [memory.add(text, metadata=metadata, infer=False, **owner)["results"][0]["id"] for text, owner, metadata in ADDED]
conversation = [{"role": "user", "content": "Where do we meet?"}, {"role": "assistant", "content": "In room Heron at 10:00"}]
ids += [item["id"] for item in memory.add(conversation, user_id="ada", infer=False)["results"]]
memory.update(ids[4], "The billing service keeps its invoices in PostgreSQL 16")
memory.update(ids[4], "The billing service keeps its invoices in PostgreSQL 17")
memory.delete(ids[8])
items = [memory.get(one) for one in ids if one != ids[8]]
histories = {one: memory.history(one) for one in ids}
memory.vector_store.client.close()
for path in sorted((work / "qdrant").rglob("*")):
    if path.is_file() and path.name != ".lock":
        target = folder / "qdrant" / path.relative_to(work / "qdrant")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".sqlite":
            keep_database(path, str(target) + ".gz")
        else:
            target.write_bytes(path.read_bytes())
keep_database(work / "history.db", folder / "history.db.gz")
write_truth(folder, items=items, deleted=[ids[8]], histories=histories, history_rows=rows(work / "history.db", "SELECT * FROM history"))
