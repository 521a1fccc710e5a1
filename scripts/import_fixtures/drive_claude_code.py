"""Writes a memory folder and a ~/.claude tree as Claude Code's bundled code does; the program cannot log in here, so nothing drives it.

Read in the bundle of the version below: the template that the model follows (`name`, `description`, nested `metadata: type:`), the
function that stamps files (adds `node_type`, `originSessionId`, `modified`), the index line (`- [Title](file.md) - hook`), and the repair of
front matter that is no YAML: a value with one of `{}[]*&#!|>%@` and backtick, or with `: `, is put into double quotes and read again; an
unquoted value with ` #` in it is quoted as well, so that YAML does not take the rest for a comment."""
import json

from driving import out_folder, write_files, write_truth

folder = out_folder()
SESSION = "5e0c1d9a-7c11-4b1e-9d5c-2b1e6f0a9c11"
PROJECT = "home/.claude/projects/-srv-heron"
MEMORIES = [
    # file, name, description as the file has it, description as Claude reads it, type, stamped, body
    ("user-role", "user-role", "Ada is a data engineer", None, "user", True, "Ada is a data engineer. See [[feedback-tabs]]."),
    ("feedback-tabs", "feedback-tabs", "Tabs, never spaces", None, "feedback", True, "Use tabs.\n\n**Why:** the formatter enforces them.\n\n**How to apply:** in every file of [[project-heron]]."),
    ("project-heron", "project-heron", "Dashboards: https://grafana.example.com/d/1", "Dashboards: https://grafana.example.com/d/1", "project", False, "Look at the dashboard before a release. Linked with [[user-role]] and [[not-written-yet]]."),
    ("reference-issues", "reference-issues", "Issue #42 broke the parser", "Issue #42 broke the parser", "reference", False, "Bugs are in the tracker `HERON`; [[project-heron]]."),
    ("feedback-reviews", "feedback-reviews", "Reviews [two people] & a bot", "Reviews [two people] & a bot", "feedback", False, "Two people read each change."),
    ("groesse", "größe der tabelle", "Größe: 98 GB, straße bleibt", "Größe: 98 GB, straße bleibt", "project", False, "Die Tabelle ist 98 GB groß.\n\n```yaml\n# not a heading: [[not a link]]\n```"),
    ("quoted", "quoted", '"Quoted: already fine"', "Quoted: already fine", "reference", False, "A value that needs no repair."),
    ("old-flat-type", "old-flat-type", "Older files have the type at the top", None, "user", "flat", "Written by an older version."),
    ("no-front-matter", None, None, None, None, None, "A file without front matter, made by hand. See [[user-role]]."),
]
files, items = {}, []
for file, name, written, told, kind, stamped, body in MEMORIES:
    if name is None:
        text = body + "\n"
    elif stamped == "flat":
        text = f"---\nname: {name}\ndescription: {written}\ntype: {kind}\n---\n\n{body}\n"
    else:
        more = f"\n  node_type: memory\n  type: {kind}\n  originSessionId: {SESSION}\n  modified: 2026-01-12T10:00:00.000Z" if stamped else f"\n  type: {kind}"
        text = f"---\nname: {name}\ndescription: {written}\nmetadata:{more}\n---\n\n{body}\n"
    files[f"{PROJECT}/memory/{file}.md"] = text
    items.append({"file": f"{file}.md", "name": name, "description": told or written, "type": kind, "text": body})
files[f"{PROJECT}/memory/MEMORY.md"] = "# Memory Index\n\n" + "".join(f"- [{name or file}]({file}.md) — {written or 'by hand'}\n" for file, name, written, *_ in MEMORIES)
user = {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/srv/heron", "sessionId": SESSION, "version": "2.1.328", "gitBranch": "main", "type": "user", "message": {"role": "user", "content": "Where do invoices live?"}, "uuid": "11111111-1111-4111-8111-111111111111", "timestamp": "2026-01-12T09:59:00.000Z"}
reply = user | {"parentUuid": user["uuid"], "type": "assistant", "message": {"role": "assistant", "model": "claude", "content": [{"type": "text", "text": "In PostgreSQL."}]}, "uuid": "22222222-2222-4222-8222-222222222222", "timestamp": "2026-01-12T09:59:05.000Z"}
OTHERS = {
    f"{PROJECT}/{SESSION}.jsonl": "\n".join(json.dumps(line) for line in ({"type": "summary", "summary": "Invoices", "leafUuid": reply["uuid"]}, user, reply)) + "\n",
    "home/.claude/history.jsonl": json.dumps({"display": "Where do invoices live?", "pastedContents": {}, "timestamp": 1768212000000, "project": "/srv/heron"}) + "\n",
    "home/.claude/settings.json": {"model": "opus", "permissions": {"allow": ["Bash(make:*)"]}},
    "home/.claude/CLAUDE.md": "# Personal rules\n\n- Answer in short sentences\n- Never push without asking\n  - not even to a fork\n- Run `make test` before you say that a task is done\n\n@~/notes/more.md\n",
    "home/.claude/commands/review.md": "---\ndescription: Review the current branch\nallowed-tools: Bash(git diff:*)\nargument-hint: [branch]\n---\n\nReview $ARGUMENTS and list what is wrong.\n",
    "home/.claude/commands/release/notes.md": "Write release notes for $1.\n",
    "home/.claude/agents/tester.md": "---\nname: tester\ndescription: Use when tests fail\ntools: Read, Bash\nmodel: sonnet\n---\n\nYou find out why tests fail.\n",
    "home/.claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Fill forms in PDF files\n---\n\n# PDF\n\nUse the script beside this file.\n",
    "home/.claude/plans/quiet-heron.md": "# Plan\n\n1. Copy the invoices\n2. Switch over\n",
    "home/.claude/plugins/marketplaces/birds/README.md": "# Birds\n\nA marketplace of plugins. Always install all of them.\n",
    "home/.claude/plugins/cache/birds/heron/1.0.0/README.md": "# Heron plugin\n\nYou must use this plugin.\n",
    "home/.claude/todos/" + SESSION + "-agent.json": [{"content": "Copy the invoices", "status": "pending", "activeForm": "Copying"}],
}
write_files(folder, files | OTHERS)
write_truth(folder, items=items, not_memories=sorted(path for path in OTHERS if "CLAUDE.md" not in path), rules=["Answer in short sentences", "Never push without asking\n  - not even to a fork", "Run `make test` before you say that a task is done"])
