/** A tool version changes only together with a change of its number (measure.md 3.10; spec, Versioning). */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { sha256Hex } from "../../src/base/keys.ts";
import {
  COMPLEXITY_RULES,
  COMPLEXITY_RULES_VERSION,
  GRAMMAR_OF_LANGUAGE,
} from "../../src/measure/complexity_rules.ts";
import {
  DOCUMENT,
  DOUBTFUL_SEGMENTS,
  GENERATED_NAMES,
  GENERATED_SENTENCES,
  GENERATED_STARTS,
  GENERATORS,
  LIBRARIES,
  OWN_NAMES,
  RELEASES,
  STYLE_FOLDERS,
  VENDOR_PATTERNS,
  VENDOR_SEGMENT,
  VENDOR_SEGMENTS,
} from "../../src/measure/foreign/foreign.ts";
import { DATA, ICONS, MINIFIED, TRANSLATION } from "../../src/measure/foreign/shapes.ts";
import { AMBIGUOUS, LANGUAGES } from "../../src/measure/languages.ts";
import { LINE_COUNTER } from "../../src/measure/lines.ts";
import {
  DJANGO_CONVENTIONS,
  FOREIGN_CONVENTIONS,
  HAND_STARTED,
  PYTHON_CONVENTIONS,
} from "../../src/measure/modules/roots.ts";
import { SCRIPT_ENTRIES } from "../../src/measure/modules/script_entries.ts";
import {
  APART_FOLDERS,
  APART_PATTERNS,
  COPY_EXTENSIONS,
  IMPORTS,
} from "../../src/measure/repeats/comparable.ts";
import { MIN_LINES } from "../../src/measure/repeats/duplication.ts";
import { DUPLICATION_PARAMETERS } from "../../src/measure/repeats/shared_code.ts";
import { DUPLICATION_RULES_VERSION } from "../../src/measure/step_duplication.ts";
import { MODULE_RULES } from "../../src/measure/step_unused.ts";
import { SYNTAXES } from "../../src/measure/syntax.ts";
import {
  TEST_DIRECTORIES,
  TEST_FOLDER,
  TEST_NAMES,
  TEST_SEGMENTS,
  VERDICTS,
} from "../../src/measure/test_files.ts";

const PACKAGES = ["jscpd", "web-tree-sitter", "@vscode/tree-sitter-wasm", "tree-sitter-c"];

/** Raise the version that the change belongs to, change the image with it, then write the new digest here. */
const KNOWN = "c50b4a7e336be224dabe61aae7993713e2af1dd272557fe9dde186ec1c222643";

test("the rule tables and the tools' lock entries are those of the recorded versions", async () => {
  const lock = await Bun.file(join(import.meta.dir, "../../bun.lock")).text();
  const entries = lock
    .split("\n")
    .filter(
      (line) => PACKAGES.some((name) => line.startsWith(`    "${name}": [`)) || /^ {4}"jscpd-/.test(line),
    );
  expect(entries).toHaveLength(PACKAGES.length + 8);
  const rules = [
    [
      LINE_COUNTER,
      LANGUAGES,
      AMBIGUOUS,
      SYNTAXES,
      TEST_SEGMENTS,
      TEST_DIRECTORIES,
      TEST_NAMES,
      TEST_FOLDER,
      VERDICTS,
    ],
    [
      VENDOR_SEGMENT,
      VENDOR_SEGMENTS,
      DOUBTFUL_SEGMENTS,
      VENDOR_PATTERNS,
      LIBRARIES,
      OWN_NAMES,
      STYLE_FOLDERS,
      RELEASES,
    ],
    [
      GENERATED_NAMES,
      GENERATED_SENTENCES,
      GENERATED_STARTS,
      GENERATORS,
      MINIFIED,
      DATA,
      ICONS,
      TRANSLATION,
      DOCUMENT,
    ],
    [COMPLEXITY_RULES_VERSION, COMPLEXITY_RULES, GRAMMAR_OF_LANGUAGE],
    [
      DUPLICATION_PARAMETERS,
      DUPLICATION_RULES_VERSION,
      MIN_LINES,
      IMPORTS,
      COPY_EXTENSIONS,
      APART_FOLDERS,
      APART_PATTERNS,
    ],
    [MODULE_RULES, SCRIPT_ENTRIES, PYTHON_CONVENTIONS, DJANGO_CONVENTIONS, FOREIGN_CONVENTIONS, HAND_STARTED],
    entries,
  ];
  const text = JSON.stringify(rules, (_, value) => (value instanceof RegExp ? String(value) : value));
  expect(sha256Hex(text)).toBe(KNOWN);
});
