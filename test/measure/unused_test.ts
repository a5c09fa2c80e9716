import { expect, test } from "bun:test";
import { measureFiles } from "./run.ts";

test("a planted orphan is found, an orphan that a text names is not", async () => {
  const files = {
    "package.json": JSON.stringify({ name: "p", main: "src/index.js" }),
    "src/index.js": 'import "./used.js";\n',
    "src/used.js": "export const spare = 1;\n",
    "src/forgotten.js": "export function f() {}\n",
    "src/scheduled.js": "export function g() {}\n",
    crontab: "0 4 * * * node src/scheduled.js\n",
  };
  const { report: measured } = await measureFiles(files);
  expect(measured.measures.unused_files).toBe(1);
  expect(measured.findings?.unused?.[0]).toEqual({ kind: "file", path: "src/forgotten.js" });
});
