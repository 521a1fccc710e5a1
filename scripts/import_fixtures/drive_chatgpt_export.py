"""Writes a ChatGPT export; there is no program to drive, so the shape follows public descriptions and parsers of real exports.

With branches (a regenerated answer), custom instructions (`user_editable_context`), what the `bio` tool was told, several kinds of content,
and the ZIP as it is downloaded."""
import json
import zipfile

from driving import EPOCH, out_folder, write_files, write_truth

folder = out_folder()


def conversation(number, title, messages, current):
    """`messages`: id, parent, role, content, and what else the message has."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    for n, (one, parent, role, content, *more) in enumerate(messages):
        body = {"id": one, "author": {"role": role, "name": None, "metadata": {}}, "create_time": EPOCH + number * 1000 + n, "update_time": None, "content": content, "status": "finished_successfully", "end_turn": True, "weight": 1.0, "metadata": {}, "recipient": "all", "channel": None}
        for extra in more:
            body |= extra
        mapping[one] = {"id": one, "message": body, "parent": parent, "children": []}
        mapping[parent]["children"].append(one)
    return {"title": title, "create_time": EPOCH + number * 1000, "update_time": EPOCH + number * 1000 + len(messages), "mapping": mapping, "moderation_results": [], "current_node": current, "plugin_ids": None, "conversation_id": f"c-{number}", "id": f"c-{number}", "conversation_template_id": None, "gizmo_id": None, "is_archived": number == 2, "safe_urls": [], "default_model_slug": "auto"}


def text(*parts):
    return {"content_type": "text", "parts": list(parts)}


PROFILE = {"content_type": "user_editable_context", "user_profile": "The user provided the following information about themselves. This user profile is shown to you in all conversations they have.\nUser profile:\n```Ada, data engineer, prefers tabs```", "user_instructions": "The user provided the additional info about how they would like you to respond:\n```Answer in short sentences```"}
HIDDEN = {"metadata": {"is_visually_hidden_from_conversation": True, "user_context_message_data": {"about_user_message": "Ada, data engineer, prefers tabs", "about_model_message": "Answer in short sentences"}, "is_user_system_message": True}}
BIO = {"recipient": "bio"}
SAVED = {"author": {"role": "tool", "name": "bio", "metadata": {}}}
CONVERSATIONS = [
    conversation(0, "Invoices and Issue #42", [
        ("a1", "root", "user", PROFILE, HIDDEN), ("a2", "a1", "user", text("Where do invoices live?")), ("a3", "a2", "assistant", text("In MySQL.")), ("a4", "a2", "assistant", text("In PostgreSQL, for ten years.")),
        ("a5", "a4", "user", text("Remember that I prefer tabs. Größe, straße, 日本語 🚀")), ("a6", "a5", "assistant", text("Prefers tabs over spaces."), BIO), ("a7", "a6", "tool", text("Model set context updated."), SAVED), ("a8", "a7", "assistant", text("Noted."))], "a8"),
    conversation(1, "A chart", [
        ("b1", "root", "user", {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-abc", "size_bytes": 100, "width": 10, "height": 10}, "What does it show?"]}, {"metadata": {"attachments": [{"id": "file-abc", "name": "chart.png", "mime_type": "image/png", "size": 100}]}}),
        ("b2", "b1", "assistant", {"content_type": "thoughts", "thoughts": [{"summary": "Looking", "content": "It is a bar chart"}], "source_analysis_msg_id": "b3"}), ("b3", "b2", "assistant", {"content_type": "code", "language": "python", "text": "print(98)"}, {"recipient": "python"}), ("b4", "b3", "tool", {"content_type": "execution_output", "text": "98"}), ("b5", "b4", "assistant", text("98 GB."))], "b5"),
    conversation(2, None, [("c1", "root", "user", text("")), ("c2", "c1", "assistant", text("An archived chat without a title."))], "c2"),
    conversation(3, "Deploys", [("d1", "root", "user", text("Remember: deploys run on Tuesdays")), ("d2", "d1", "assistant", text("Deploys run on Tuesdays, never on Fridays."), BIO), ("d3", "d2", "tool", text("Model set context updated."), SAVED)], "d3"),
]
FILES = {"conversations.json": CONVERSATIONS, "user.json": {"id": "user-1", "email": "ada@example.com", "chatgpt_plus_user": True, "phone_number": None}, "message_feedback.json": [], "shared_conversations.json": [{"id": "s-1", "conversation_id": "c-0", "title": "Invoices", "is_anonymous": True}], "chat.html": "<html><body>the same again</body></html>\n"}
write_files(folder / "export", FILES)
with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in FILES.items():
        archive.writestr(zipfile.ZipInfo(name, (2026, 1, 12, 0, 0, 0)), content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), zipfile.ZIP_DEFLATED)
write_truth(folder, conversations=["Invoices and Issue #42", "A chart", None, "Deploys"], bio=["Prefers tabs over spaces.", "Deploys run on Tuesdays, never on Fridays."], custom_instructions={"about_user": "Ada, data engineer, prefers tabs", "about_model": "Answer in short sentences"}, not_on_the_current_branch=["In MySQL."], archived=["c-2"])
