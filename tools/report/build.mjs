// Makes src/report/page.html, the one file that `hoist report` fills with data; with --check only says whether the
// one in the repository is what these sources give. `npm ci && npm run build`
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../src/report/page.html");

// What the page is made of. tests/report/test_bundle.py computes the same, so that a change without a build is noticed.
function hashOfSources() {
  const hash = createHash("sha256");
  const files = ["build.mjs", "package.json", "package-lock.json", ...readdirSync(join(here, "src")).map((name) => `src/${name}`)];
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(here, file)));
  return hash.digest("hex");
}

// The licences of all packages of which the bundle has a part, equal texts once.
function licences(inputs) {
  const packages = new Map();
  for (const path of Object.keys(inputs)) {
    const folder = path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
    if (!folder) continue;
    const { name, version } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((each) => join(here, folder, each)).find(existsSync);
    if (!file) throw new Error(`${name} has no licence file`);
    packages.set(`${name} ${version}`, readFileSync(file, "utf8").trim());
  }
  const texts = new Map();
  for (const [name, text] of [...packages].sort()) texts.set(text, [...(texts.get(text) ?? []), name]);
  return [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n----\n\n");
}

async function page() {
  const options = { absWorkingDir: here, bundle: true, minify: true, write: false, target: "es2022", charset: "ascii" };
  const script = await esbuild.build({ ...options, entryPoints: ["src/main.ts"], format: "iife", metafile: true });
  const style = await esbuild.build({ ...options, entryPoints: ["src/style.css"] });
  const code = script.outputFiles[0].text.trim();
  if (/<\/script|<!--/i.test(code)) throw new Error("the script would end its element");
  const parts = {
    sources: hashOfSources(),
    script_hash: createHash("sha256").update(code).digest("base64"),
    style: style.outputFiles[0].text.trim(),
    licences: licences(script.metafile.inputs).replaceAll("<", "&lt;"),
    script: code,
  };
  const shell = readFileSync(join(here, "src/page.html"), "utf8");
  return shell.replace(/\{\{(\w+)\}\}/g, (whole, name) => parts[name] ?? whole);
}

const built = await page();
if (process.argv.includes("--check")) {
  if (!existsSync(target) || readFileSync(target, "utf8") !== built) {
    console.error("src/report/page.html is not what tools/report gives: run `npm run build` there");
    process.exit(1);
  }
} else {
  writeFileSync(target, built);
  console.log(`src/report/page.html: ${(built.length / 1024).toFixed(0)} KiB`);
}
