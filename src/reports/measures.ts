/** The 23 measures of a codebase report with their unit classes (spec, Measures). */

import * as v from "valibot";
import {
  AssetIdSchema,
  boundedList,
  codePoints,
  fields,
  hasControl,
  NO_CONTROL,
  plainObject,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { RepositoryPath } from "../base/repository.ts";
import { Timestamp } from "../base/time.ts";

/** How a measure is counted, and so which numbers it may hold. */
export type UnitClass = "count" | "percent" | "ratio" | "pass";

export const MEASURE_UNITS = {
  code_lines: "count",
  comment_lines: "count",
  files: "count",
  languages: "count",
  test_lines: "count",
  test_ratio: "ratio",
  duplication_percent: "percent",
  duplicated_lines: "count",
  duplicate_blocks: "count",
  unused_files: "count",
  unused_exports: "count",
  unused_dependencies: "count",
  complex_functions: "count",
  functions: "count",
  max_function_complexity: "count",
  mean_function_complexity: "ratio",
  commits_30d: "count",
  files_touched_30d: "count",
  large_commits_30d: "count",
  dependencies_direct: "count",
  build_passed: "pass",
  tests_passed: "pass",
  vulnerable_dependencies: "count",
} as const satisfies Record<string, UnitClass>;

export type MeasureKey = keyof typeof MEASURE_UNITS;

/** Measured values by key. An absent key is unmeasured; it is never 0. */
export type Measures = { readonly [K in MeasureKey]?: number };

/** What must be said beside measures, by key. */
export type MeasureNotes = { readonly [K in MeasureKey]?: string };

export const MEASURE_KEYS = Object.keys(MEASURE_UNITS) as readonly MeasureKey[];

/** The sentence of each unit rule, for answers. */
const UNIT_RULES: Readonly<Record<UnitClass, string>> = {
  count: "must be a whole number from 0 to 9007199254740991",
  percent: "must be a number from 0 to 100",
  ratio: "must be a number of 0 or more",
  pass: "must be 1 (passed) or 0 (failed)",
};

/** The same rules in JSON Schema, for the API's description. */
const UNIT_BOUNDS = {
  count: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  percent: { minimum: 0, maximum: 100 },
  ratio: { minimum: 0 },
  pass: { type: "integer", enum: [0, 1], description: "1 passed, 0 failed." },
} as const satisfies Readonly<Record<UnitClass, object>>;

/** Whether a value is a number the contract accepts for a unit class. */
export function holdsUnit(unit: UnitClass, value: unknown): value is number {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  switch (unit) {
    case "count":
      return Number.isSafeInteger(value) && value >= 0;
    case "percent":
      return value >= 0 && value <= 100;
    case "ratio":
      return value >= 0;
    case "pass":
      return value === 0 || value === 1;
  }
}

/** The stored measures that the contract accepts; anything else is unmeasured (spec, Presentation). */
export function acceptedMeasures(stored: Readonly<Record<string, unknown>>): Measures {
  const accepted: Partial<Record<MeasureKey, number>> = {};
  for (const key of MEASURE_KEYS) {
    const value = stored[key];
    if (holdsUnit(MEASURE_UNITS[key], value)) accepted[key] = value;
  }
  return accepted;
}

/** The keys without a value, in the order of the specification. */
export function unmeasuredKeys(measures: Measures): MeasureKey[] {
  return MEASURE_KEYS.filter((key) => measures[key] === undefined);
}

// What a codebase report may hold: units, bounds and path rules (spec, Codebase report and Limits).

/** Largest body of a codebase report, in bytes. */
export const MAX_REPORT_BYTES = 256 * 1024;

/** Bounds of the lists (spec, Limits). */
export const BOUNDS = {
  paths: 20,
  byLanguage: 12,
  duplicates: 20,
  duplicateFiles: 10,
  complexFunctions: 20,
  unused: 50,
  largestFiles: 10,
  dismissed: 50,
} as const;

const COMMIT = /^[0-9a-fA-F]{40}$/;
const NAME = 200;
const REF = 512;
const IMAGE = 512;
const REASON = 2_000;
/** Reasons of single findings are written by hand in one line, and there may be fifty of them. */
const DISMISSAL_REASON = 200;
const ADDRESS = 2_048;

function unit(unitClass: UnitClass) {
  return v.pipe(
    v.unknown(),
    v.check((value) => holdsUnit(unitClass, value), ruleMessage(unitClass, UNIT_RULES[unitClass])),
    v.transform((value) => (value as number) + 0),
    v.number(),
    v.metadata({ ...UNIT_BOUNDS[unitClass] }),
  );
}

/** Strings that name things inside one line: no control characters. */
function line(max: number) {
  return v.pipe(
    text(max),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ ...NO_CONTROL }),
  );
}

export const count = unit("count");

/** A line of a file or a number of lines, which is never 0: new fields ask for it, older ones take any count. */
const oneOrMore = v.pipe(
  v.unknown(),
  v.check(
    (value) => holdsUnit("count", value) && value > 0,
    ruleMessage("one-or-more", "must be a whole number from 1 to 9007199254740991"),
  ),
  v.transform((value) => value as number),
  v.number(),
  v.metadata({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

const measureEntries = Object.fromEntries(
  MEASURE_KEYS.map((key) => [key, v.exactOptional(unit(MEASURE_UNITS[key]))]),
) as Record<MeasureKey, v.ExactOptionalSchema<ReturnType<typeof unit>, undefined>>;

/** A text for each measure: why it is absent, or what must be said beside it. */
const wordEntries = Object.fromEntries(
  MEASURE_KEYS.map((key) => [key, v.exactOptional(text(REASON))]),
) as Record<MeasureKey, v.ExactOptionalSchema<ReturnType<typeof text>, undefined>>;

const Findings = fields({
  duplicates: v.exactOptional(
    boundedList(
      fields({
        lines: count,
        files: boundedList(
          fields({ path: RepositoryPath, startLine: count, lines: v.exactOptional(oneOrMore) }),
          BOUNDS.duplicateFiles,
        ),
      }),
      BOUNDS.duplicates,
    ),
  ),
  complexFunctions: v.exactOptional(
    boundedList(
      fields({ path: RepositoryPath, name: text(NAME), line: count, complexity: count, length: count }),
      BOUNDS.complexFunctions,
    ),
  ),
  unused: v.exactOptional(
    boundedList(
      fields({
        kind: text(NAME),
        path: RepositoryPath,
        name: v.exactOptional(line(NAME)),
        line: v.exactOptional(oneOrMore),
      }),
      BOUNDS.unused,
    ),
  ),
  largestFiles: v.exactOptional(
    boundedList(fields({ path: RepositoryPath, code_lines: count }), BOUNDS.largestFiles),
  ),
});

/** An entry of the repository's own list of findings to leave out, with how many it took away. */
const Dismissal = fields({
  kind: line(NAME),
  // A glob keeps the rules of a path: it names paths of the repository and nothing outside it.
  path: RepositoryPath,
  name: v.exactOptional(line(NAME)),
  reason: text(DISMISSAL_REASON),
  count,
});

export const CodebaseReportSchema = fields({
  asset: AssetIdSchema,
  generatedAt: Timestamp,
  repository: v.exactOptional(
    fields({
      remote: v.exactOptional(text(ADDRESS)),
      ref: v.exactOptional(line(REF)),
      commit: v.exactOptional(
        v.pipe(
          v.string(ruleMessage("type", "must be a string")),
          rule<string>("commit", (value) => COMMIT.test(value), "must be 40 hexadecimal characters"),
          v.metadata({ pattern: COMMIT.source }),
        ),
      ),
      committedAt: v.exactOptional(Timestamp),
    }),
  ),
  paths: v.exactOptional(boundedList(RepositoryPath, BOUNDS.paths)),
  tools: v.exactOptional(
    v.pipe(
      plainObject,
      // The bound of a value goes by its name: below.
      v.record(line(NAME), text(Number.MAX_SAFE_INTEGER), ruleMessage("type", "must be an object")),
      v.rawCheck(({ dataset, addIssue }) => {
        // Some of them may be no text: that is told already, and these besides.
        const tools = dataset.value as Record<string, unknown>;
        for (const [key, value] of Object.entries(tools)) {
          const most = key === "image" ? IMAGE : NAME;
          if (typeof value === "string" && value.length > most && codePoints(value) > most) {
            addIssue({
              message: ruleMessage("max-length", `must have at most ${most} characters`),
              path: [{ type: "object", origin: "value", input: tools, key, value }],
            });
          }
        }
      }),
      v.metadata({
        properties: { image: { type: "string", maxLength: IMAGE } },
        additionalProperties: { type: "string", maxLength: NAME },
        description:
          "What made the figures, by name, each with its version; the image it ran in, with its digest.",
      }),
    ),
  ),
  measures: fields(measureEntries),
  unmeasured: v.exactOptional(fields(wordEntries)),
  notes: v.exactOptional(fields(wordEntries)),
  byLanguage: v.exactOptional(
    boundedList(fields({ language: text(NAME), files: count, code_lines: count }), BOUNDS.byLanguage),
  ),
  findings: v.exactOptional(Findings),
  dismissed: v.exactOptional(boundedList(Dismissal, BOUNDS.dismissed)),
});

export type CodebaseReport = v.InferOutput<typeof CodebaseReportSchema>;
