"""Drives Serena's own memory manager: the one that its tools write_memory, edit_memory, rename_memory and delete_memory call."""
import os
import pathlib
import shutil

from driving import out_folder, write_truth
from serena.memories.memory_manager import MemoryManager

folder = out_folder()
data = pathlib.Path(os.environ["WORK"]) / "heron" / ".serena"
memories = MemoryManager(data)


def save(name, content):
    memories.save_memory(name, content, is_tool_context=True)


save("project_overview", "# Heron\n\nThe billing service. Issue #42 broke the parser; see `mem:style/conventions`.\n")
save("suggested_commands", "# Commands\n\n- `make test` runs everything\n- `make lint # fast` runs the linter\n")
save("style/conventions", "Ada prefers tabs over spaces.\n\n## Names\n\nGröße, straße and naïve stay as they are.\n")
save("style/reviews", "Two people read each change; refer to `mem:project_overview` and `mem:task_completion`.\n")
save("task_completion", "---\nnot: front matter, only a line\n---\n\nRun `make test` before you say that a task is done.\n")
save("modules/日本語", "請求書は十年間保存する 🚀\n")
save("modules/billing/invoices", "Invoices are kept for ten years.\n")
save("no_heading", "One line without a heading or a line's end")
save("gone", "It must not come back\n")
save("global/preferences", "Answers in short sentences, in every project.\n")
memories.edit_memory("modules/billing/invoices", "ten years", "ten years (§ 147 AO)", mode="literal", allow_multiple_occurrences=False, is_tool_context=True)
memories.rename_memory_and_propagate_references("task_completion", "workflow/done", is_tool_context=True)
memories.delete_memory("gone", is_tool_context=True)
names = memories.list_memories().get_full_list()
items = [{"name": name, "text": memories.load_memory(name)} for name in names]
shutil.copytree(data / "memories", folder / "heron" / ".serena" / "memories")
shared = pathlib.Path(memories._global_memory_dir)
shutil.copytree(shared, folder / "home" / shared.relative_to(os.environ["HOME"]))
write_truth(folder, items=items, deleted=["gone"], renamed={"task_completion": "workflow/done"})
