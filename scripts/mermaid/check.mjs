// Stores memories whose texts try to break out of a label, relates them in a circle and crosswise,
// and has Mermaid parse what memory_inspect_graph draws of them; and a chain of decisions with such
// titles, as `lorekeep history --graph mermaid` draws it.
//
// usage: node check.mjs BINARY STORE
import { spawnSync } from "node:child_process";
import { JSDOM } from "jsdom";

const [binary, store] = process.argv.slice(2);
const { window } = new JSDOM("<!doctype html><body></body>");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");

const contents = [
  "plain words",
  'quotes "double" and \'single\' and `back`',
  "brackets [a] {b} (c) <d> ]} )> -->|x| A",
  "a line\nanother line\r\nend",
  "end subgraph click A href \"javascript:alert(1)\"",
  "#quot; #35; %% comment; graph TD; A-->B;",
  "<script>alert(1)</script><b>bold</b> & amp; &lt;",
  "emoji 🚢 日本語 العربية",
  "back\\slash and ; semicolon : colon | pipe",
  "%%{init: {'theme': 'dark'}}%%",
  "x".repeat(5000),
  "style A fill:#f9f\nclassDef default fill:#fff",
];
const relations = ["relates_to", "supersedes", "caused_by", "contradicts"];
let passed = 0;
let failed = 0;

function call(tool, given) {
  const ran = spawnSync(binary, ["call", tool, JSON.stringify(given), "--data-dir", store], {
    encoding: "utf8",
  });
  if (ran.status !== 0) throw new Error(`${tool} failed: ${ran.stdout}${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

async function check(what, works) {
  try {
    await works();
    passed += 1;
  } catch (why) {
    failed += 1;
    console.log(`FAILED ${what}: ${why.message}`);
  }
}

const ids = contents.map((content) => call("memory_store", { content, memory_type: "fact" }).data.id);
ids.forEach((source_id, at) => {
  const relation = relations[at % relations.length];
  call("memory_relate", { source_id, target_id: ids[(at + 1) % ids.length], relation, weight: 0.5 });
  call("memory_relate", { source_id, target_id: ids[(at + 5) % ids.length], relation: "relates_to" });
});
for (const [at, memory_id] of ids.entries()) {
  for (const max_depth of [1, 4]) {
    const { mermaid: text } = call("memory_inspect_graph", { memory_id, max_depth, output_format: "mermaid" });
    await check(`memory ${at}, depth ${max_depth}`, async () => {
      const parsed = await mermaid.parse(text);
      if (parsed.diagramType !== "flowchart-v2") throw new Error(`it is a ${parsed.diagramType}`);
    });
    await check(`memory ${at}, depth ${max_depth}, lines`, async () => {
      const nodes = text.split("\n").filter((line) => /^\s*\w+\[/.test(line)).length;
      const wanted = max_depth === 4 ? ids.length : 5;
      if (nodes !== wanted) throw new Error(`${nodes} nodes are drawn instead of ${wanted}:\n${text}`);
    });
  }
}
const rationale = "it has a reason, and a long one";
const titles = contents.map((content) => content.slice(0, 200));
let fid = call("record_decision", { title: titles[0], target: "diagrams", rationale }).fid;
for (const title of titles.slice(1)) {
  fid = call("supersede_decision", { fid, title, target: "diagrams", rationale }).new_fid;
}
const drawn = spawnSync(binary, ["history", fid, "--graph", "mermaid", "--data-dir", store], {
  encoding: "utf8",
});
await check("a chain of decisions", async () => {
  const parsed = await mermaid.parse(drawn.stdout);
  if (parsed.diagramType !== "flowchart-v2") throw new Error(`it is a ${parsed.diagramType}`);
});
await check("a chain of decisions, lines", async () => {
  const edges = drawn.stdout.split("\n").filter((line) => line.includes("-->|superseded by|")).length;
  if (edges !== titles.length - 1) throw new Error(`${edges} edges are drawn:\n${drawn.stdout}`);
});
const names = contents.map((content) => content.replace(/[\p{Cc}]/gu, " ").trim().slice(0, 200)).filter((name) => name);
names.forEach((to) => call("add_memory_link", { from: "hub", relation: to.slice(0, 60).trim(), to }));
const facts = spawnSync(binary, ["graph", "hub", "--format", "mermaid", "--data-dir", store], { encoding: "utf8" });
await check("facts", async () => {
  const parsed = await mermaid.parse(facts.stdout);
  if (parsed.diagramType !== "flowchart-v2") throw new Error(`it is a ${parsed.diagramType}`);
});
await check("a diagram that is none", async () => {
  const refused = await mermaid.parse("flowchart TD\n  a[\"x\"] --> ]").then(() => false, () => true);
  if (!refused) throw new Error("the parser takes anything");
});
console.log(`mermaid: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
