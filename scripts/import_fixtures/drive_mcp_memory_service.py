"""Drives mcp-memory-service by its storage library: versions, deletions, graph edges, stores and odd tags.

The embedding model is the one that the package falls back to without a model from a hub (hashes)."""
import asyncio
import os

os.environ.update(MCP_MEMORY_ALLOW_HASH_EMBEDDINGS="1", HF_HUB_OFFLINE="1", MCP_MEMORY_USE_ONNX="false", MCP_MEMORY_SYNC_AGENT_ID="fixture")

from driving import EPOCH, keep_database, out_folder, rows, write_truth
from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.graph import GraphStorage
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash

TEXTS = [
    # text, tags, type, metadata
    ("The billing service keeps its invoices in PostgreSQL 15", ["billing", "proj:heron"], "decision", {"source": "cli", "score": 0.1}),
    ("Größe der Tabelle: 98 GB, straße und naïve Wörter bleiben", ["größe", "naïve"], "observation", {"ratio": 0.30000000000000004}),
    ("Deploys run on Tuesdays, never on Fridays", ["deploy", "rule"], "pattern", {"importance": 0.9}),
    ("Issue #42 broke the parser; see commit 3f2a", ["issue #42", "parser"], "error", {"pi": 3.141592653589793, "tiny": 1e-07}),
    ("A memory that nobody tagged", [], "note", {}),
    ("Another one without tags or kind", [], None, {}),
    ("Two\nlines, and a third\n\n- with a list\n- and `code`", ["multi-line"], "note", {"nested": {"list": [1, 2.5, "three"], "flag": True}}),
    ("Ada prefers tabs over spaces", ["style", "user:ada"], "preference", {"importance_score": 0.75}),
    ("The staging database is a copy of production made every night", ["staging"], "context", {"quality_score": 0.654321987654321}),
    ("Run the linter before every commit", ["lint", "rule"], "pattern", {}),
    ("日本語のメモ: 請求書は十年間保存する", ["日本語"], "note", {}),
    ("Retry with exponential backoff fixed the flaky webhook", ["webhook"], "learning", {"session": "s-17"}),
    ("The webhook times out after 3 s", ["webhook"], "error", {}),
    ("Rotate the signing keys each quarter", ["security"], "task", {"due": "2026-01-01"}),
    ("Emoji are kept: 🚀 and 🐦", ["emoji"], "note", {}),
    ("The team meets at 10:00 in room Heron", ["meeting"], "meeting", {}),
]


async def drive(path):
    storage = SqliteVecMemoryStorage(path)
    await storage.initialize()
    storage.semantic_dedup_enabled = False

    async def add(text, tags, kind, metadata, at, store="default"):
        made = Memory(content=text, content_hash=generate_content_hash(text), tags=list(tags), memory_type=kind, metadata=dict(metadata), created_at=at, updated_at=at)
        stored, why = await storage.store(made, store=store)
        assert stored, (text, why)
        return made.content_hash

    hashes = [await add(text, tags, kind, metadata, EPOCH + n * 3600.125) for n, (text, tags, kind, metadata) in enumerate(TEXTS)]
    for n in range(3):
        await add(f"Kept in the store of the second agent, number {n}", ["agent"], "note", {}, EPOCH + 90000 + n, store="second-agent")
    # Two chains of versions: three versions of the first memory, two of the third.
    for old, versions in ((hashes[0], ["16 since March", "17 since June, with logical replication"]), (hashes[2], ["and never before a holiday"])):
        for version in versions:
            text = f"{TEXTS[hashes.index(old) if old in hashes else 0][0]}; {version}"
            done, why, old = await storage.update_memory_versioned(old, text, reason="it changed")
            assert done, why
    for n in range(4):
        gone = await add(f"Deleted memory number {n}: it must not come back", ["gone"], "note", {}, EPOCH + 200000 + n)
        assert (await storage.delete(gone))[0]
    winner = await add("The API listens on port 8443", ["api"], "decision", {}, EPOCH + 300000)
    loser = await add("The API listens on port 8080", ["api"], "decision", {}, EPOCH + 300001)
    await storage._record_conflicts(loser, [{"existing_hash": winner, "similarity": 0.97, "divergence": 0.4}])
    await storage.resolve_conflict(winner, loser)
    await storage.update_memory_metadata(hashes[7], {"tags": ["style", "user:ada", "changed"], "metadata": {"reviewed": True}})

    graph = GraphStorage(path)
    edges = [(12, 11, "fixes", 0.61), (11, 12, "causes", 0.333333333333333), (3, 9, "supports", 0.5), (9, 2, "related", 0.7000000000000001), (8, 1, "follows", 0.42), (5, 4, "contradicts", 0.9), (13, 15, "related", 0.31)]
    for source, target, kind, similarity in edges:
        metadata = {"context": f"edge of kind {kind}", "confidence": similarity}
        assert await graph.store_association(hashes[source], hashes[target], similarity, ["semantic", "causal"], metadata, EPOCH + 400000, kind)
    for source, entity, kind in ((0, "PostgreSQL", "technology"), (7, "Ada", "person"), (15, "Ada", "person")):
        assert await graph.store_entity_link(hashes[source], entity, kind)

    live = [(store, item) for store in await storage.get_stores() for item in await storage.get_all_memories(store=store)]
    tombstones = await storage.get_all_content_hashes(include_deleted=True) - await storage.get_all_content_hashes()
    chains = {item.content_hash: await storage.get_memory_history(item.content_hash) for _, item in live}
    entities = await graph.list_entities()
    conflicts = await storage.get_conflicts()
    await graph.close()
    await storage.close()
    return {
        "items": [item.to_dict() | {"metadata": item.metadata, "store": store} for store, item in live],
        "deleted": sorted(tombstones),
        "histories": {key: value for key, value in chains.items() if len(value) > 1},
        "entities": entities,
        "open_conflicts": conflicts,
    }


folder = out_folder()
database = os.path.join(os.environ["WORK"], "sqlite_vec.db")
truth = asyncio.run(drive(database))
truth["edges"] = rows(database, "SELECT * FROM memory_graph ORDER BY source_hash, target_hash")
truth["superseded"] = [row["content_hash"] for row in rows(database, "SELECT content_hash FROM memories WHERE superseded_by IS NOT NULL AND superseded_by <> '' ORDER BY id")]
truth["columns"] = [row["name"] for row in rows(database, "PRAGMA table_info(memories)")]
write_truth(folder, **truth)
keep_database(database, folder / "sqlite_vec.db.gz")
