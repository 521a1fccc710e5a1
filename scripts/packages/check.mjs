// Proves what the validators of others cannot know: that the skills name tools that exist and their examples
// run, that all manifests agree, and that the server starts as each of them says.
//
// usage: node check.mjs BINARY DIST BUNDLE SKILLS SCRATCH
//
// BUNDLE is the unpacked MCPB. It prints a line a check: `ok …`, `FAILED …: why` or `skipped: …`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";

const [binary, dist, bundle, skills, scratch] = process.argv.slice(2);
const REVISION = "2025-11-25";
const SECONDS = 60;
const plugin = join(dist, "plugin");
const env = { PATH: process.env.PATH, HOME: scratch, LANG: "C.UTF-8", LOREKEEP_DATA_DIR: join(scratch, "store") };
const project = join(scratch, "project");
let failed = 0;

async function check(what, works) {
  try {
    const skip = await works();
    console.log(skip ? `skipped: ${what}: ${skip}` : `ok ${what}`);
  } catch (why) {
    failed += 1;
    console.log(`FAILED ${what}: ${why.message.replace(/\s+/g, " ").slice(0, 600)}`);
  }
}

function must(holds, why) {
  if (!holds) throw new Error(why);
}

function json(...path) {
  return JSON.parse(readFileSync(join(...path), "utf8"));
}

function lorekeep(...args) {
  return spawnSync(binary, args, { cwd: project, env, encoding: "utf8", timeout: SECONDS * 1000 });
}

function tools(toolsets) {
  return JSON.parse(lorekeep("tools", "--toolsets", toolsets, "--json").stdout).tools;
}

// ---- skills

// Every word that the schemas of the tools know: their names, properties, defaults and the values to choose from.
function vocabulary(all) {
  const words = new Set();
  const walk = (value) => {
    if (value === null || typeof value !== "object") return;
    Object.keys(value.properties ?? {}).forEach((name) => words.add(name));
    [value.default, ...(value.enum ?? [])].forEach((one) => words.add(one));
    Object.values(value).forEach(walk);
  };
  for (const tool of all) {
    words.add(tool.name);
    words.add(tool.toolset);
    walk(tool);
  }
  return words;
}

function frontMatter(text, folder) {
  const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  must(head, "there is no front matter");
  const fields = Object.fromEntries(
    head.split("\n").map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [line, ""]),
  );
  must(
    Object.keys(fields).join() === "name,description",
    `the front matter has ${Object.keys(fields)}; it takes name and description`,
  );
  must(fields.name === folder, `the name is ${fields.name}, the folder ${folder}`);
  must(
    /^[a-z0-9]+(-[a-z0-9]+)*$/.test(fields.name) && fields.name.length <= 64,
    `${fields.name} is no name for a skill`,
  );
  const { length } = fields.description;
  must(length > 0 && length <= 1024, `the description has ${length} characters; it takes 1 to 1024`);
  must(!/: | #/.test(fields.description), "the description has a colon or a hash, which YAML reads otherwise");
  const lines = text.trimEnd().split("\n").length;
  must(lines <= 60, `it has ${lines} lines; it takes 60`);
}

// A word in backticks that looks like a name must be one. Options, variables and commands are no such words.
function names(text, known) {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  const told = [...prose.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
  const wrong = told.filter(
    (word) => /^[a-z]\w*([_-]\w+)*$/i.test(word) && !/^[A-Z_]+$/.test(word) && !known.has(word),
  );
  must(wrong.length === 0, `no tool, argument or value is called ${[...new Set(wrong)].join(", ")}`);
}

// `lorekeep check --staged` in a skill: there must be such a command, with such an option.
function commands(text) {
  for (const [, said] of text.matchAll(/(?:`|^)lorekeep ([a-z][^`#\n]*)/gm)) {
    const words = said.trim().split(/\s+/);
    const parts = words.slice(0, words[0] === "knowledge" || words[1] === "merge" ? 2 : 1);
    const { status, stdout } = lorekeep(...parts, "--help");
    must(status === 0, `there is no command lorekeep ${parts.join(" ")}`);
    for (const option of words.filter((word) => word.startsWith("--"))) {
      must(
        new RegExp(`(^|[ ,])${option}([ ,=]|$)`, "m").test(stdout),
        `lorekeep ${parts.join(" ")} has no ${option}`,
      );
    }
  }
}

// The newest result that has a field of this name.
function earlier(results, name) {
  const find = (value) => {
    if (value === null || typeof value !== "object") return undefined;
    if (typeof value[name] === "string") return value[name];
    return Object.values(value)
      .map(find)
      .find((one) => one !== undefined);
  };
  const found = [...results]
    .reverse()
    .map(find)
    .find((one) => one !== undefined);
  must(found, `no result before has a field ${name}`);
  return found;
}

// Each example is a call; `<name>` in it stands for the field of that name in a result before.
function examples(text, all) {
  const results = [];
  for (const [, block] of text.matchAll(/^```json\n([\s\S]*?)^```$/gm)) {
    const example = JSON.parse(block);
    must(
      Object.keys(example).join() === "tool,arguments",
      `an example has tool and arguments, not ${Object.keys(example)}`,
    );
    const tool = all.find(({ name }) => name === example.tool);
    must(tool, `there is no tool ${example.tool}`);
    const wrong = Object.keys(example.arguments).filter((name) => !(name in tool.inputSchema.properties));
    must(wrong.length === 0, `${example.tool} has no argument ${wrong}`);
    const filled = JSON.stringify(example.arguments).replace(/"<(\w+)>"/g, (_, name) =>
      JSON.stringify(earlier(results, name)),
    );
    const { status, stdout, stderr } = lorekeep("call", example.tool, filled);
    must(status === 0, `${example.tool} ${filled}: ${stdout}${stderr}`);
    const result = JSON.parse(stdout);
    must(result.status !== "conflict", `${example.tool} ${filled}: ${stdout}`);
    results.push(result);
  }
  must(results.length > 0, "it has no example");
}

async function checkSkills() {
  const all = tools("all");
  const known = vocabulary(all);
  const texts = readdirSync(skills).map((folder) => [
    folder,
    readFileSync(join(skills, folder, "SKILL.md"), "utf8"),
  ]);
  for (const [folder, text] of texts) {
    await check(`skill ${folder}: front matter and length`, () => frontMatter(text, folder));
    await check(`skill ${folder}: names and commands exist`, () => {
      names(text, known);
      commands(text);
    });
    await check(`skill ${folder}: the examples run`, () => examples(text, all));
  }
  await check(`skills teach all ${all.length} tools`, () => {
    const left = all.filter(
      ({ name }) => !texts.some(([, text]) => text.includes(`\`${name}\``) || text.includes(`"${name}"`)),
    );
    must(left.length === 0, `none tells of ${left.map(({ name }) => name).join(", ")}`);
  });
}

// ---- manifests

async function checkManifests() {
  const { version } = json(bundle, "manifest.json");
  await check("manifests: all are of one version", () => {
    const market = json(plugin, ".claude-plugin/marketplace.json");
    const server = json(dist, "server.json");
    const said = [
      ".claude-plugin/plugin.json",
      ".codex-plugin/plugin.json",
      "plugin.json",
      "gemini-extension.json",
    ].map((path) => json(plugin, path).version);
    said.push(market.metadata.version, market.plugins[0].version, server.version, server.packages[0].version);
    said.push(lorekeep("--version").stdout.trim().split(" ")[1]);
    must(
      said.every((one) => one === version),
      `${version} and ${said}`,
    );
  });
  await check("server.json: names the bundle, with its hash, on stdio", () => {
    const { $schema, name, description, packages } = json(dist, "server.json");
    const file = readdirSync(dist).find((one) => one.endsWith(".mcpb"));
    const hash = createHash("sha256")
      .update(readFileSync(join(dist, file)))
      .digest("hex");
    const [one] = packages;
    must($schema.includes("/2025-12-11/"), $schema);
    must(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name), `the name ${name}`);
    must(description.length <= 100, `the description has ${description.length} characters; it takes 100`);
    must(
      packages.length === 1 && one.registryType === "mcpb" && one.transport.type === "stdio",
      JSON.stringify(one),
    );
    must(one.fileSha256 === hash, `fileSha256 is ${one.fileSha256}, the file's ${hash}`);
    must(basename(one.identifier) === file, `${one.identifier} is not ${file}`);
  });
}

// ---- the server, as each package starts it

function expand(text, values) {
  return text.replace(/\$\{([^}:]+)(?::-([^}]*))?\}/g, (_, name, or) => {
    const value = values[name] ?? or;
    must(value !== undefined, `nobody knows \${${name}}`);
    return value;
  });
}

// Starts a server and asks for its tools; ends it by closing its input.
function listTools({ command, args = [], env: more = {} }, values, cwd) {
  const own = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, expand(value, values)]));
  const server = spawn(
    expand(command, values),
    args.map((one) => expand(one, values)),
    { cwd, env: { ...env, ...own } },
  );
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return new Promise((answer, fail) => {
    const found = [];
    let said = "";
    const late = setTimeout(() => fail(new Error(`no answer in ${SECONDS} s: ${said}`)), SECONDS * 1000);
    server.on("error", fail);
    server.stdin.on("error", () => {});
    server.stderr.on("data", (text) => (said += text));
    server.on("exit", (code) => {
      clearTimeout(late);
      fail(new Error(`it ended with ${code}: ${said}`));
    });
    createInterface({ input: server.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      if (error) fail(new Error(JSON.stringify(error)));
      if (id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list", params: {} });
      }
      if (id === 2) {
        found.push(...result.tools);
        if (result.nextCursor) return send({ id: 2, method: "tools/list", params: { cursor: result.nextCursor } });
        answer(found);
      }
    });
    const client = { name: "packages", version: "1" };
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: REVISION, capabilities: {}, clientInfo: client },
    });
  }).finally(() => server.stdin.end());
}

async function checkStarts() {
  const manifest = json(bundle, "manifest.json");
  const expected = manifest.tools
    .map(({ name }) => name)
    .sort()
    .join();
  const chosen = Object.fromEntries(
    Object.entries(manifest.user_config).map(([name, { default: value }]) => [`user_config.${name}`, value]),
  );
  const starts = [
    ["bundle", manifest.server.mcp_config, { __dirname: bundle, ...chosen }, project],
    [
      "plugin for Claude Code",
      json(plugin, ".mcp.json").mcpServers.lorekeep,
      { CLAUDE_PLUGIN_ROOT: plugin },
      project,
    ],
    ["agent plugin", json(plugin, "mcp.json").mcpServers.lorekeep, { PLUGIN_ROOT: plugin }, plugin],
    [
      "extension for Gemini CLI",
      json(plugin, "gemini-extension.json").mcpServers.lorekeep,
      { extensionPath: plugin, "/": "/" },
      project,
    ],
  ];
  for (const [name, config, values, cwd] of starts) {
    await check(`${name}: starts as its manifest says, with the tools it promises`, async () => {
      const found = (await listTools(config, values, cwd))
        .map((tool) => tool.name)
        .sort()
        .join();
      must(found === expected, `it offers ${found}`);
    });
  }
}

// ---- hooks

function hook(client, event, { command, args }) {
  const input = JSON.stringify({
    session_id: "s",
    cwd: project,
    hook_event_name: event,
    prompt: "Which database do we use?",
    source: "startup",
  });
  const options = {
    cwd: project,
    env: { ...env, PLUGIN_ROOT: plugin },
    input,
    encoding: "utf8",
    timeout: SECONDS * 1000,
  };
  const values = { CLAUDE_PLUGIN_ROOT: plugin, PLUGIN_ROOT: plugin };
  const whole = [command, ...(args ?? [])].join(" ");
  must(whole.endsWith(` hook ${client} ${event}`), `${event} runs ${whole}`);
  return args
    ? spawnSync(expand(command, values), args, options)
    : spawnSync("sh", ["-c", expand(command, values)], options);
}

async function checkHooks() {
  for (const client of ["claude-code", "codex"]) {
    await check(`hooks of ${client}: tell what is known, and nothing else`, () => {
      if (lorekeep("hook", "--help").status !== 0) return "this binary has no command hook";
      for (const [event, groups] of Object.entries(json(plugin, "hooks", `${client}.json`).hooks)) {
        const { status, stdout, stderr } = hook(client, event, groups[0].hooks[0]);
        must(status === 0 && stderr === "", `${event}: exit ${status}: ${stderr}`);
        const answer = stdout.trim() ? JSON.parse(stdout).hookSpecificOutput : undefined;
        must(!answer || answer.hookEventName === event, `${event} is answered by ${stdout}`);
        // A hook fails open, so that silence proves nothing; the skills' examples left something to tell.
        must(event !== "SessionStart" || answer?.additionalContext, `${event}: it tells nothing`);
      }
    });
  }
}

mkdirSync(join(project, "docs"), { recursive: true });
writeFileSync(
  join(project, "docs/deploy.md"),
  "# Deploys\n\n## Roll back\n\nA deploy is rolled back with `deploy --undo`.\n",
);
writeFileSync(join(project, "notes.txt"), "one\ntwo\n");
await checkSkills();
await checkManifests();
await checkStarts();
await checkHooks();
process.exitCode = failed ? 1 : 0;
