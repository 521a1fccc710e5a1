// Makes a repository with findings of every kind and texts that are hard to write, and validates what
// `lorekeep check --format sarif` says of it against the published schema.
//
// usage: node check.mjs BINARY SCHEMA PROJECT
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Ajv from "ajv";
import formats from "ajv-formats";

const [binary, schema, project] = process.argv.slice(2);
// The published schema has a pattern with a bracket too many, which only old regular expressions take.
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats(ajv);
const isValid = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));
let passed = 0;
let failed = 0;

function run(program, ...args) {
  const ran = spawnSync(program, args, { cwd: project, encoding: "utf8" });
  if (ran.error) throw ran.error;
  return ran;
}

function git(...args) {
  const ran = run("git", "-c", "user.name=Pat", "-c", "user.email=pat@example.org", ...args);
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
}

function write(path, text) {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function item(id, severity, constraints, more = "") {
  const rules = constraints.map((one) => `  - ${JSON.stringify(one)}`).join("\n");
  const head = `type: policy\ntitle: ${JSON.stringify(`The "rule" <${id}> \u{1f6a2}`)}\n`;
  const text = `---\n${head}status: accepted\nseverity: ${severity}\nconstraints:\n${rules}\n${more}---\n# x\n`;
  write(`.lorekeep/knowledge/policies/${id}.md`, text);
}

function check(what, works) {
  try {
    works();
    passed += 1;
  } catch (why) {
    failed += 1;
    console.log(`FAILED ${what}: ${why.message}`);
  }
}

// A check with these options: its log, which must be valid, with so many results at least.
function sarif(what, least, ...options) {
  check(what, () => {
    const ran = run(binary, "check", "--format", "sarif", ...options);
    if (ran.status !== 0 && ran.status !== 1) throw new Error(`exit ${ran.status}: ${ran.stderr}`);
    const log = JSON.parse(ran.stdout);
    if (!isValid(log)) throw new Error(JSON.stringify(isValid.errors.slice(0, 5)));
    const [{ results, tool }] = log.runs;
    if (results.length < least) throw new Error(`${results.length} results: ${ran.stdout}`);
    for (const { ruleId, ruleIndex, locations, partialFingerprints } of results) {
      if (tool.driver.rules[ruleIndex].id !== ruleId) throw new Error(`${ruleId} is not ${ruleIndex}`);
      if (locations.length !== 1) throw new Error(`${ruleId} has no place`);
      if (!partialFingerprints["lorekeep/v1"]) throw new Error(`${ruleId} has no fingerprint`);
    }
    const ids = tool.driver.rules.map((rule) => rule.id);
    if (new Set(ids).size !== ids.length) throw new Error(`rules come twice: ${ids}`);
  });
}

mkdirSync(project, { recursive: true });
git("init", "--quiet", "--initial-branch=main");
sarif("no knowledge", 0);
item("code", "block", [
  { operator: "must_not_use", target: "code", pattern: "mysql_connect\\(", message: "50% <b>\n\u0007" },
  { operator: "must_not_match", target: "code", pattern: "LATER", severity: "info" },
  { operator: "must_match", target: "code", pattern: "Copyright", severity: "warn" },
  { operator: "must_use", target: "code", pattern: "tracing" },
  { operator: "must_not_use", target: "import", pattern: "mysql" },
  { operator: "must_not_use", target: "config", pattern: "password" },
]);
item("files", "warn", [
  { operator: "must_exist", target: "file", pattern: "LICENSE" },
  { operator: "must_not_exist", target: "file", pattern: "*.jks" },
  { operator: "must_match", target: "file", pattern: "[a-z]*", appliesTo: ["src/**"] },
]);
item("dependencies", "block", [
  { operator: "must_not_use", target: "dependency", pattern: "mysql.*" },
  { operator: "must_use", target: "dependency", pattern: "pg" },
]);
item("flawed", "block", [
  { operator: "must_not_use", target: "code", pattern: "(" },
  { operator: "should_use", target: "code", pattern: "x" },
  { operator: "must_not_use", target: "code", pattern: "same" },
  { operator: "must_not_use", target: "code", pattern: "same" },
], "waivers:\n  - {paths: [legacy/**], reason: it goes, until: 2020-01-01}\n");
sarif("nothing but knowledge", 0);
write("src/ä b%,:#?.rs", "\u001b[31m mysql_connect(1); \u0000".replace("\u0000", "\ufffe"));
write("src/db.py", "import mysql\n# LATER same\n".repeat(3));
write("legacy/a.txt", "same\r\nsame\r\n");
write("conf/app.yaml", `password: "${"x".repeat(5000)}"\n`);
write("keys/a.jks", Buffer.from([0xfe, 0xed, 0, 1]));
write("src/latin.txt", Buffer.from([0xe9, 0x0a]));
write("package.json", '{"dependencies": {"mysql2": "3.0.0"}}');
write("broken/Cargo.toml", "[");
sarif("findings of every kind", 15, "--min-severity", "info");
sarif("the heavy ones", 5, "--min-severity", "block");
sarif("one item", 1, "--item", "files");
sarif("a folder", 1, "src");
git("add", "--all");
sarif("what is staged", 10, "--staged");
git("commit", "--quiet", "--message", "x");
sarif("no change", 0, "--diff", "HEAD");
write("src/new.rs", "mysql_connect(2);\n");
sarif("a change", 1, "--diff", "HEAD");
check("a baseline", () => {
  const ran = run(binary, "check", "--update-baseline", "--allow-problems"); // one manifest is broken
  if (ran.status !== 0) throw new Error(`exit ${ran.status}: ${ran.stdout}${ran.stderr}`);
});
sarif("what is known", 10);
check("what is known is suppressed", () => {
  const log = JSON.parse(run(binary, "check", "--format", "sarif").stdout);
  const isKnown = ({ suppressions }) => suppressions?.length === 1;
  if (!log.runs[0].results.every(isKnown)) throw new Error("some is not");
});
check("a log that is none", () => {
  if (isValid({ version: "2.1.0", runs: [{ results: [{ ruleId: 5 }] }] })) {
    throw new Error("the validator takes anything");
  }
});
console.log(`sarif: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
