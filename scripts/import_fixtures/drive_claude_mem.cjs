// Drives claude-mem's own session store, the module that its worker writes with, under Bun as the worker does.
// Only the model that writes its observations is left out: the texts come from here.
const fs = require("node:fs");
const path = require("node:path");
const { Database } = require("bun:sqlite");
const zlib = require("node:zlib");

const folder = path.resolve(process.argv[2]);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const file = path.join(process.env.WORK, "claude-mem.db");
const { SessionStore } = require(path.join(process.env.PACKAGE, "plugin/sqlite/SessionStore.js"));
const store = new SessionStore(file);
const START = 1760000000000;
const SESSIONS = [["session-one", "heron", "Where do invoices live?"], ["session-two", "heron", "Issue #42 broke the parser"], ["session-three", "birds", "請求書について"]];
for (const [content, project, prompt] of SESSIONS) {
  const id = store.createSDKSession(content, project, prompt);
  store.updateMemorySessionId(id, `memory-${content}`);
  store.saveUserPrompt(content, 1, prompt);
  store.saveUserPrompt(content, 2, "And now?");
}
const OBSERVATIONS = [
  ["session-one", "heron", "decision", "Invoices live in PostgreSQL", "Chosen for transactions", ["Version 17 since June", "Kept for ten years"], "Two databases were compared.", ["database", "trade-off"], ["docs/db.md"], []],
  ["session-one", "heron", "discovery", "Größe der Tabelle", null, ["98 GB groß, straße"], null, ["how-it-works"], [], []],
  ["session-two", "heron", "bugfix", "Issue #42: parser", "A # within a word is no tag", ["Broken since #7"], "The parser took `C#` for a tag.", ["problem-solution", "gotcha"], ["src/parser.rs"], ["src/parser.rs", "tests/parser.rs"]],
  ["session-two", "heron", "feature", "Retry with back-off", null, [], "Two\nlines", ["pattern"], [], ["src/hook.rs"]],
  ["session-two", "heron", "refactor", "Names follow the guide", null, ["No metaphors"], null, [], [], []],
  ["session-three", "birds", "change", "請求書は十年間保存する 🚀", null, ["税法"], "法律", ["what-changed"], [], []],
  ["session-three", "birds", "discovery", "Deploys run on Tuesdays", "Never on Fridays", [], null, [], [], []],
];
const ids = OBSERVATIONS.map(([session, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified], n) =>
  store.storeObservation(`memory-${session}`, project, { type, title, subtitle, facts, narrative, concepts, files_read, files_modified }, 1, 100 + n, START + n * 60000).id);
SESSIONS.forEach(([session, project, request], n) =>
  store.storeSummary(`memory-${session}`, project, { request, investigated: "The code", learned: "Größe matters; Issue #42", completed: n ? "A fix" : "", next_steps: "Test restores", notes: null, files_read: ["a.md"], files_edited: [] }, 2, 50, START + 3600000 + n));
const dump = new Database(file);
const rows = (table) => dump.prepare(`SELECT * FROM ${table} ORDER BY id`).all();
const truth = {
  items: store.getObservationsByIds(ids, { orderBy: "date_asc" }),
  summaries: rows("session_summaries"), prompts: rows("user_prompts"), sessions: rows("sdk_sessions"),
};
truth.counts = Object.fromEntries(Object.entries(truth).map(([name, list]) => [name, list.length]));
store.close();
dump.close();
// A connection of its own, without the statements that were prepared above.
const last = new Database(file);
last.exec("PRAGMA wal_checkpoint(TRUNCATE)");
last.exec("VACUUM");
last.close(true);
fs.writeFileSync(path.join(folder, "claude-mem.db.gz"), zlib.gzipSync(fs.readFileSync(file), { level: 9 }));
fs.writeFileSync(path.join(folder, "expected.json"), JSON.stringify(truth, null, 1) + "\n");
