// Fills the templates of packaging/: a JSON file, or every one of a folder. `@name@` in a text becomes the
// fact of that name; a text that is nothing but a placeholder becomes the fact itself, be it a list. A
// placeholder without a fact is an error. Facts come from Cargo.toml, packaging/facts.json and the caller,
// so that none is written twice.
//
// usage: node fill.mjs SOURCE TARGET TOOLS [NAME=VALUE...]
//
// TOOLS is what `lorekeep tools --json` said.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const [source, target, tools, ...given] = process.argv.slice(2);
const facts = gather();

function gather() {
  const read = (path) => readFileSync(join(root, path), "utf8");
  const all = JSON.parse(read("packaging/facts.json"));
  for (const one of given) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one);
    all[name] = value;
  }
  const shared = read("Cargo.toml").split("[workspace.package]")[1].split("\n[")[0];
  all.version = key(shared, "version");
  all.license = key(shared, "license");
  all.description = key(read("crates/lorekeep/Cargo.toml"), "description");
  all.tools = JSON.parse(readFileSync(tools, "utf8")).tools.map(({ name, description }) => ({
    name,
    description: description.split(/(?<=[.;:])\s/)[0].replace(/[.;:]$/, ""),
  }));
  if (all.bundle) {
    all.sha256 = createHash("sha256").update(readFileSync(all.bundle)).digest("hex");
    all.bundle = basename(all.bundle);
  }
  const { host, pathname } = new URL(all.repository);
  all.repositoryHost = host.split(".")[0];
  all.releases = "releases/download";
  all.registryName = `io.${all.repositoryHost}.${pathname.split("/")[1]}/${all.name}`;
  return all;
}

function key(toml, name) {
  const found = new RegExp(`^${name} = "(.*)"$`, "m").exec(toml);
  if (!found) throw new Error(`Cargo.toml has no ${name}`);
  return found[1];
}

function fact(name, where) {
  if (!(name in facts)) throw new Error(`${where}: there is no fact for @${name}@`);
  return facts[name];
}

function fill(value, where) {
  if (typeof value === "string") {
    const whole = /^@(\w+)@$/.exec(value);
    return whole ? fact(whole[1], where) : value.replace(/@(\w+)@/g, (_, name) => fact(name, where));
  }
  if (Array.isArray(value)) return value.map((one) => fill(one, where));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [fill(name, where), fill(one, where)]));
}

function copy(from, to) {
  if (statSync(from).isDirectory()) {
    for (const name of readdirSync(from)) copy(join(from, name), join(to, name));
    return;
  }
  const filled = fill(JSON.parse(readFileSync(from, "utf8")), from);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, `${JSON.stringify(filled, null, 2)}\n`);
}

copy(source, target);
