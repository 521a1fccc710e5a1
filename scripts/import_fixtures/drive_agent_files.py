"""Writes what Codex, Gemini CLI and OpenCode keep in files; no model may be called here, so it is made by hand; the README of the fixtures says what was read in the packages.

Codex 0.169: the strict block format of MEMORY.md in the prompt that consolidates memories. Gemini CLI 0.61: an index MEMORY.md with notes
beside it in the project's temporary folder, and the section that older versions appended to GEMINI.md. OpenCode 1.18: AGENTS.md alone."""
from driving import out_folder, write_files, write_truth

folder = out_folder()
THREAD = "019b0c7e-4b6e-7d31-9b1c-2f60a1a5c001"
SUMMARY = "rollout_summaries/2026-01-12T10-00-00-LN3m-billing_parser.md"
CODEX = "home/.codex/memories"
FILES = {
    f"{CODEX}/MEMORY.md": f"""# Task Group: /srv/heron billing parser and invoices

scope: Work on the parser of invoices; not for deploys.
applies_to: cwd=/srv/heron; reuse_rule=safe in this checkout and its worktrees

## Task 1: Repair the parser after Issue #42, done

### rollout_summary_files

- {SUMMARY} (cwd=/srv/heron, rollout_path=/srv/codex/rollout-1.jsonl, updated_at=2026-01-12T10:30:00Z, thread_id={THREAD}, success)

### keywords

- parser, Issue #42, C#, größe

## Task 2: Move invoices to PostgreSQL 17, partial

### rollout_summary_files

- {SUMMARY} (cwd=/srv/heron, rollout_path=/srv/codex/rollout-1.jsonl, updated_at=2026-01-12T10:30:00Z, thread_id={THREAD})

### keywords

- PostgreSQL, invoices

## User preferences

- when writing code, the user asked: "tabs, never spaces" -> use tabs in every file [Task 1]
- when a task is done, the user corrected: "run make test first" -> run the tests before saying so [Task 1][Task 2]

## Reusable knowledge

- Invoices are kept for ten years [Task 2]

## Failures and how to do differently

- A # within a word was taken for a tag -> look at the character before it [Task 1]

# Task Group: any cwd, deploys

scope: When and how to deploy.
applies_to: cwd=any; reuse_rule=safe everywhere

## Task 1: Deploy on a Tuesday, done

### rollout_summary_files

- {SUMMARY} (cwd=/srv/heron, rollout_path=/srv/codex/rollout-1.jsonl, updated_at=2026-01-13T10:30:00Z, thread_id={THREAD})

### keywords

- deploy, Tuesday

## Reusable knowledge

- Deploys run on Tuesdays, never on Fridays [Task 1]
""",
    f"{CODEX}/memory_summary.md": "## User Profile\n\nAda is a data engineer.\n\n## User preferences\n\n- Tabs, never spaces\n\n## General Tips\n\n- Run `make test`\n\n## What's in Memory\n\n### /srv/heron\n\n- billing parser: parser, Issue #42\n  - desc: search here first for the parser\n",
    f"{CODEX}/raw_memories.md": f"# Raw Memories\n\n## Thread `{THREAD}`\nupdated_at: 2026-01-12T10:30:00+00:00\ncwd: /srv/heron\nrollout_path: /srv/codex/rollout-1.jsonl\nrollout_summary_file: 2026-01-12T10-00-00-LN3m-billing_parser.md\n\nThe parser took C# for a tag.\n",
    f"{CODEX}/{SUMMARY}": f"thread_id: {THREAD}\nupdated_at: 2026-01-12T10:30:00+00:00\ncwd: /srv/heron\n\n# Repaired the parser\n\nOutcome: success\n",
    "home/.codex/AGENTS.md": "# Personal instructions\n\n- Answer in short sentences\n",
    "home/.gemini/GEMINI.md": "# My rules\n\n- Never push without asking\n\n## Gemini Added Memories\n- Ada prefers tabs over spaces\n- Issue #42 broke the parser\n- Die Tabelle ist 98 GB groß, straße\n- 請求書は十年間保存する 🚀\n",
    "home/.gemini/tmp/heron/memory/MEMORY.md": "# Project memory\n\n- Deploys run on Tuesdays\n- Storage: see [storage.md](storage.md)\n",
    "home/.gemini/tmp/heron/memory/storage.md": "# Storage\n\n## Steps\n\n1. Copy the invoices\n2. Switch to PostgreSQL 17\n",
    "heron/AGENTS.md": "# Heron\n\nThe billing service.\n\n## Commands\n\n- `make test` runs everything\n- `make lint` runs the linter\n\n## Style\n\nTabs, never spaces.\n\n### Exceptions\n\n- YAML files\n",
    "heron/GEMINI.md": "@./AGENTS.md\n\n- Name the file and the line\n",
    "home/.config/opencode/AGENTS.md": "- Answer in short sentences\n- Größe vor Tempo\n",
}
write_files(folder, FILES)
write_truth(folder, gemini_added=["Ada prefers tabs over spaces", "Issue #42 broke the parser", "Die Tabelle ist 98 GB groß, straße", "請求書は十年間保存する 🚀"],
            codex_blocks=["/srv/heron billing parser and invoices", "any cwd, deploys"],
            codex_preferences=['when writing code, the user asked: "tabs, never spaces" -> use tabs in every file', 'when a task is done, the user corrected: "run make test first" -> run the tests before saying so'],
            codex_knowledge=["Invoices are kept for ten years", "A # within a word was taken for a tag -> look at the character before it", "Deploys run on Tuesdays, never on Fridays"],
            not_memories=[f"{CODEX}/raw_memories.md", f"{CODEX}/memory_summary.md", f"{CODEX}/{SUMMARY}"])
