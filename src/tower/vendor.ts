/**
 * Copies what browsers load from packages into `public/vendor`, and writes down what it is (`bun run vendor`, after a package
 * of the list has changed). The package stays in `package.json`: its version is looked after there and nowhere else.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const FOLDER = join(ROOT, "public", "vendor");

/** Each file as it is served, with the package it comes from and its place there. */
const VENDORED = [{ name: "htmx.min.js", from: "htmx.org", file: "dist/htmx.min.js" }] as const;

/** What belongs into the folder, by name. */
export function vendored(): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const rows = VENDORED.map(({ name, from, file }) => {
    const home = join(ROOT, "node_modules", from);
    const { version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
      readonly version: string;
      readonly license: string;
    };
    files.set(name, readFileSync(join(home, file)));
    return `| ${name} | ${from}, \`${file}\`, copied unchanged | ${version} | ${license} |`;
  });
  const notes = `# Vendored files

| File | Package | Version | Licence |
|---|---|---|---|
${rows.join("\n")}

Made by \`bun run vendor\`: after an upgrade run it again. A test compares this folder with what it makes.
`;
  return files.set("README.md", Buffer.from(notes));
}

if (import.meta.main) {
  for (const [name, bytes] of vendored()) writeFileSync(join(FOLDER, name), bytes);
}
