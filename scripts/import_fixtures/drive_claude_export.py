"""Writes a Claude export; there is no program to drive, so the shape follows public descriptions and parsers of real exports.

With memories, projects and their documents, the text of attachments, and the ZIP as it is downloaded."""
import json
import zipfile

from driving import out_folder, write_files, write_truth

folder = out_folder()
ACCOUNT = "00000000-0000-4000-8000-000000000001"
PROJECT = "00000000-0000-4000-8000-00000000000a"


def message(number, sender, text, content=None, attachments=(), files=()):
    at = f"2026-01-12T10:{number:02}:00.123456Z"
    return {"uuid": f"00000000-0000-4000-8000-1000000000{number:02}", "text": text, "content": content or [{"start_timestamp": at, "stop_timestamp": at, "type": "text", "text": text, "citations": []}], "sender": sender, "created_at": at, "updated_at": at, "attachments": list(attachments), "files": list(files)}


def conversation(number, name, summary, messages):
    return {"uuid": f"00000000-0000-4000-8000-20000000000{number}", "name": name, "summary": summary, "created_at": "2026-01-12T10:00:00.000000Z", "updated_at": "2026-01-12T11:00:00.000000Z", "account": {"uuid": ACCOUNT}, "chat_messages": messages}


NOTES = {"file_name": "notes.txt", "file_size": 62, "file_type": "txt", "extracted_content": "Invoices are kept for ten years.\nIssue #42 broke the parser.\n"}
FILES = {
    "conversations.json": [
        conversation(1, "Invoices", "Where invoices live", [message(1, "human", "Where do invoices live?", attachments=[NOTES], files=[{"file_name": "chart.png"}]), message(2, "assistant", "In PostgreSQL.", content=[{"type": "thinking", "thinking": "Let me see", "summaries": []}, {"type": "text", "text": "In PostgreSQL.", "citations": []}, {"type": "tool_use", "name": "artifacts", "input": {"id": "plan", "title": "Plan", "type": "text/markdown", "content": "# Plan\n\nCopy, then switch."}}, {"type": "tool_result", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]}])]),
        conversation(2, "", "", [message(3, "human", "Größe, straße, 日本語 🚀"), message(4, "assistant", "Verstanden.")]),
        conversation(3, "Empty", "", []),
    ],
    "memories.json": [{"conversations_memory": "**Work context**\n\nAda is a data engineer who builds Heron.\n\n**Personal context**\n\nPrefers tabs over spaces.\n\n**Top of mind**\n\nThe migration to PostgreSQL 17.", "project_memories": {PROJECT: "**Purpose & context**\n\nHeron is the billing service. Deploys run on Tuesdays."}, "account_uuid": ACCOUNT}],
    "projects.json": [{"uuid": PROJECT, "name": "Heron", "description": "The billing service", "is_private": True, "is_starter_project": False, "prompt_template": "Answer in short sentences and name files.", "created_at": "2026-01-01T00:00:00.000000+00:00", "updated_at": "2026-01-10T00:00:00.000000+00:00", "creator": {"uuid": ACCOUNT, "full_name": "Ada"}, "docs": [{"uuid": "00000000-0000-4000-8000-0000000000d1", "filename": "storage.md", "content": "# Storage\n\nInvoices are kept for ten years.\n", "created_at": "2026-01-02T00:00:00.000000+00:00"}]}],
    "users.json": [{"uuid": ACCOUNT, "full_name": "Ada", "email_address": "ada@example.com", "verified_phone_number": None}],
}
write_files(folder / "export", FILES)
with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in FILES.items():
        archive.writestr(zipfile.ZipInfo(name, (2026, 1, 12, 0, 0, 0)), json.dumps(content, ensure_ascii=False), zipfile.ZIP_DEFLATED)
write_truth(folder, conversations=["Invoices", "", "Empty"], attachment_texts=[NOTES["extracted_content"]], memories=FILES["memories.json"], projects=[{"name": "Heron", "prompt": "Answer in short sentences and name files.", "docs": ["storage.md"]}], artifacts=["# Plan\n\nCopy, then switch."])
