/** A tool version changes only together with a change of its number (measure.md 3.10; spec, Versioning). */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { sha256Hex } from "../../src/lib/digest.ts";
import {
  COMPLEXITY_RULES,
  COMPLEXITY_RULES_VERSION,
  GRAMMAR_OF_LANGUAGE,
} from "../../src/measure/complexity_rules.ts";
import {
  GENERATED_HEADER,
  GENERATED_NAMES,
  MINIFIED,
  VENDOR_PATTERNS,
  VENDOR_SEGMENTS,
} from "../../src/measure/foreign.ts";
import { DUPLICATION_PARAMETERS } from "../../src/measure/jscpd.ts";
import { LANGUAGES } from "../../src/measure/languages.ts";
import { LINE_COUNTER } from "../../src/measure/lines.ts";
import { SYNTAXES } from "../../src/measure/syntax.ts";
import { TEST_DIRECTORIES, TEST_NAMES, TEST_SEGMENTS } from "../../src/measure/test_files.ts";

const PACKAGES = ["jscpd", "web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"];

/** Raise the version that the change belongs to, change the image with it, then write the new digest here. */
const KNOWN = "852948db90f199a846324a30c4fbbfd15b82ecd1102d47b8ab94534a36b04a95";

test("the rule tables and the tools' lock entries are those of the recorded versions", async () => {
  const lock = await Bun.file(join(import.meta.dir, "../../bun.lock")).text();
  const entries = lock
    .split("\n")
    .filter(
      (line) => PACKAGES.some((name) => line.startsWith(`    "${name}": [`)) || /^ {4}"jscpd-/.test(line),
    );
  expect(entries).toHaveLength(PACKAGES.length + 8);
  const rules = [
    [LINE_COUNTER, LANGUAGES, SYNTAXES, TEST_SEGMENTS, TEST_DIRECTORIES, TEST_NAMES],
    [VENDOR_SEGMENTS, VENDOR_PATTERNS, GENERATED_NAMES, GENERATED_HEADER, MINIFIED],
    [COMPLEXITY_RULES_VERSION, COMPLEXITY_RULES, GRAMMAR_OF_LANGUAGE],
    [DUPLICATION_PARAMETERS],
    entries,
  ];
  const text = JSON.stringify(rules, (_, value) => (value instanceof RegExp ? String(value) : value));
  expect(sha256Hex(text)).toBe(KNOWN);
});
