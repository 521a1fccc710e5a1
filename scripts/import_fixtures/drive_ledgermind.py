"""Drives LedgerMind by its library: decisions, chains of superseding, proposals, evidence, and its git history."""
import os
import pathlib
import shutil
import subprocess

# Its commits need an author, and none of this machine's.
os.environ.update(GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.com", GIT_COMMITTER_NAME="Ada", GIT_COMMITTER_EMAIL="ada@example.com", GIT_CONFIG_NOSYSTEM="1")

from driving import out_folder, rows, write_truth
from ledgermind.core.api.memory import Memory

folder = out_folder()
store = pathlib.Path(os.environ["WORK"]) / "ledgermind"
memory = Memory(storage_path=str(store))
made, refused = [], []


def record(title, target, rationale, consequences=(), evidence=None, **options):
    # It answers a near duplicate with an error, as it does to an agent.
    try:
        done = memory.record_decision(title, target, rationale, list(consequences), evidence, **options)
        made.append(done.metadata.get("file_id") if done.metadata else None)
    except Exception as why:  # pylint: disable=broad-except
        refused.append({"title": title, "why": str(why)})
        made.append(None)
    return made[-1]


def supersede(old, title, target, rationale, consequences=()):
    done = memory.supersede_decision(title, target, rationale, [old], list(consequences))
    made.append(done.metadata.get("file_id"))
    return made[-1]


first = record("Use PostgreSQL 15", "database", "Transactions are needed, and the team knows it well.", ["Set up pooling", "Train the team"])
size = record("Größe der Tabelle begrenzen", "größe-98", "Die Tabelle ist 98 GB groß; straße und naïve Wörter bleiben.")
record("請求書は十年間保存する", "請求書/保存", "税法により十年間の保存が必要である。")
record("Retry webhooks with back-off", "webhook retry: back-off (v2)", "Issue #42 broke the parser because of a storm of retries.")
record("Deploys run on Tuesdays", "Deploy/Schedule", "Support is complete on Tuesdays and Wednesdays.", ["No deploys on Fridays"])
record("Tabs, never spaces", "style", "Ada prefers tabs; the formatter enforces them.", evidence=[3, 17])
record("Keep secrets out of logs", "security.logs", "A token was found in a log file in May.", namespace="ops")
record("Café opening hours", "café", "The canteen closes at 14:00 on Fridays, as everybody asks.")
record("Emoji are allowed 🚀", "emoji 🚀", "They are shorter than words in status messages.")
second = supersede(first, "Use PostgreSQL 16", "database", "Version 15 leaves support; 16 replicates logically.", ["Upgrade in March"])
third = supersede(second, "Use PostgreSQL 17", "database", "Incremental backups save four hours each night.", ["Upgrade in June"])
supersede(size, "Größe der Tabelle auf 200 GB begrenzen", "größe-98", "Die Tabelle wächst um 20 GB im Jahr.")
memory.link_evidence(41, third)
memory.link_evidence(42, third)
memory.update_decision(third, {"consequences": ["Upgrade in June", "Test restores"]}, "Consequences: restores are tested")
for kind, title, target in (("proposal", "Cache invoices in memory", "cache"), ("constraint", "Every service speaks TLS", "tls"), ("assumption", "Traffic doubles each year", "traffic"), ("intervention", "Stopped the nightly job by hand", "nightly-job")):
    answer = memory.process_event(source="user" if kind == "intervention" else "agent", kind=kind, content=title, context={"title": title, "target": target, "rationale": f"{title}: this was said in the meeting of January.", "confidence": 0.625, "namespace": "default", "strengths": ["fast"], "objections": ["costs memory"]})
    made.append(answer.metadata.get("file_id"))
    if not made[-1]:
        refused.append({"title": title, "why": answer.reason})
memory.reject_proposal(made[-4], "Memory is too dear") if made[-4] else None

fids = [row["fid"] for row in rows(store / "semantic" / "semantic_meta.db", "SELECT fid FROM semantic_meta ORDER BY timestamp, fid")]
items = [memory.get_knowledge_item(fid) for fid in fids]
active = memory.get_decisions()
histories = {fid: memory.get_decision_history(fid) for fid in fids}
memory.close()

semantic = store / "semantic"
repository = next((path for path in (semantic, store) if (path / ".git").exists()), None)
commits = []
if repository:
    subprocess.run(["git", "-C", repository, "bundle", "create", "-q", folder / "history.bundle", "--all"], check=True)
    log = subprocess.run(["git", "-C", repository, "log", "--reverse", "--format=%H%x09%s", "--name-only"], check=True, capture_output=True, text=True)
    commits = [line.split("\t")[1] for line in log.stdout.splitlines() if "\t" in line]
for path in sorted(store.rglob("*")):
    parts = path.relative_to(store).parts
    # Hidden files stay out: its own .gitignore would hide the database from our repository.
    if path.is_file() and not any(part.startswith(".") for part in parts):
        target = folder / "ledgermind" / path.relative_to(store)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
write_truth(folder, items=items, listed_by_get_decisions=active, histories=histories, commits=commits, refused=refused)
