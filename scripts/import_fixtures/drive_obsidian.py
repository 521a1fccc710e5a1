"""Writes a small Obsidian vault; no package installs the application, so it is made by hand."""
from driving import out_folder, write_files, write_truth

folder = out_folder()
NOTES = {
    "Heron.md": '---\naliases: [Billing]\ntags: [project, größe]\nowner: "[[People/Ada|Ada]]"\nrelated:\n  - "[[PostgreSQL]]"\n  - "[[Payment Gateway#Limits]]"\nstatus: active\nbudget: 12500.5\ndue: 2026-03-01\ndone: false\ncssclasses: [wide]\n---\n\n# Heron\n\nThe billing service of [[Team Birds]]. Issue #42 broke the parser, see #parser and #status/open.\n\n![[Diagram.png]]\n![[PostgreSQL#Versions]]\n\n> [!warning] Careful\n> Invoices are kept for ten years. ^keep\n\n- [ ] Test restores\n- [x] Copy the invoices\n',
    "PostgreSQL.md": "---\ntags: technology\nversion: 17\n---\n\n## Versions\n\n17 since June, as [[Heron#Heron|the service]] asked. %%a comment of the author%%\n\n```sql\n-- [[not a link]] #not-a-tag\n```\n",
    "People/Ada.md": '---\nborn: 1815-12-10\nteam: "[[Team Birds]]"\nemail: ada@example.com\n---\n\nPrefers tabs over spaces. mentor:: [[Grace]]\n\nSee [the plan](../Plans/Migration%20Plan.md) and [[Heron^keep]].\n',
    "Payment Gateway.md": "# Payment Gateway\n\n## Limits\n\n100 requests a second #rate\n",
    "Team Birds.md": "Members: [[People/Ada]], [[Grace]].\n",
    "Plans/Migration Plan.md": '---\nparent: "[[Heron]]"\n---\n\n1. Copy\n2. Switch\n\n![[Heron#^keep]]\n',
    "Daily/2026-01-12.md": "- 10:00 [[Team Birds]] met in room Heron #meeting\n- ==Highlighted== and $x^2$\n",
}
OTHERS = {
    "Templates/Daily.md": "---\ncreated: {{date}}\n---\n\n# {{title}}\n\n- {{time}} [[Team Birds]]\n",
    ".obsidian/app.json": {"alwaysUpdateLinks": True},
    ".obsidian/templates.json": {"folder": "Templates"},
    "Board.canvas": {"nodes": [{"id": "1", "type": "file", "file": "Heron.md", "x": 0, "y": 0, "width": 200, "height": 100}], "edges": []},
    "Everything.base": "views:\n  - type: table\n    name: All\n",
}
write_files(folder, {f"vault/{name}": text for name, text in (NOTES | OTHERS).items()})
write_truth(folder, notes=sorted(NOTES), not_notes=sorted(OTHERS), property_links=[["Heron", "owner", "Ada"], ["Heron", "related", "PostgreSQL"], ["Heron", "related", "Payment Gateway"], ["Ada", "team", "Team Birds"], ["Migration Plan", "parent", "Heron"]],
            property_values={"Heron": {"status": "active", "budget": 12500.5, "due": "2026-03-01", "done": False}, "PostgreSQL": {"version": 17}, "Ada": {"born": "1815-12-10", "email": "ada@example.com"}},
            embeds=[["Heron", "Diagram.png"], ["Heron", "PostgreSQL#Versions"], ["Migration Plan", "Heron#^keep"]], text_links=[["Heron", "Team Birds"], ["PostgreSQL", "Heron"], ["Ada", "Grace"], ["Ada", "Migration Plan"], ["Ada", "Heron"], ["Team Birds", "Ada"], ["Team Birds", "Grace"], ["2026-01-12", "Team Birds"]])
