/**
 * What the contracts of reports say of bodies that have something in every place, in which one thing is otherwise: lost, doubled, of another
 * kind, at a bound and beyond it, or under another name; recorded (`test/support/mixtures.ts`).
 */

import { expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { brief } from "../support/brief.ts";
import { CHANGES, type Change, changed, type Path, pathsOf } from "../support/changed_json.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { recordEach } from "../support/mixtures.ts";

const LENGTHS = [200, 512, 2_000, 2_048].flatMap((bound) => [bound, bound + 1]);
const TEXTS = [
  ...[
    "",
    " ",
    "a\nb",
    "a\u0085",
    "\u0000",
    "\ud83d",
    "../a",
    "a/../b",
    "/a",
    "a\\b",
    "src/**/*.{js,ts}",
    "**/../x",
    "/x/**",
  ],
  ...["2026-03-01", "2026-02-30T00:00:00Z", "2026-03-01T04:00:00Z", "no spaces", "warn", "fatal"],
  ...["0".repeat(39), "0".repeat(40), "0".repeat(41), "ABCDEFabcdef".padEnd(40, "0"), `${"0".repeat(39)}g`],
  ...LENGTHS.flatMap((length) => ["x".repeat(length), "😀".repeat(length)]),
];
const NUMBERS = [0, 0.5, 1, 2, 100, 100.01, -0.1, 2 ** 53 - 1, 2 ** 53];
const COUNTS = [0, 10, 11, 12, 13, 20, 21, 50, 51, 100, 101, 1_000, 1_001];

/** What stands in the place of a value besides what may stand in any place: others of its kind. */
function othersOf(value: unknown): unknown[] {
  if (typeof value === "string") return TEXTS;
  if (typeof value === "number") return NUMBERS;
  if (Array.isArray(value)) return COUNTS.map((count) => Array.from({ length: count }, () => value[0]));
  const [first] = Object.values(value as object);
  const many = [200, 201].map((count) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, first])),
  );
  return [...many, ...TEXTS.map((name) => ({ ...(value as object), [name]: first }))];
}

const wordOf = ({ kind, ...to }: Change) => ("value" in to ? JSON.stringify(to.value) : kind);
const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce((at, key) => (at as Record<string | number, unknown>)[key], body);

test.each([
  ["nightly", PulseSchema, fullPulse()],
  ["codebase", CodebaseReportSchema, fullCodebaseReport({ notes: { files: "x" } })],
] as const)("of a %s report", (_, schema, whole) => {
  const said = (body: unknown) => {
    const judged = readContract(schema, body);
    if (!judged.ok)
      return judged.errors.map(({ pointer, rule, message }) => `${pointer} ${rule}: ${message}`);
    return judged.ignored.length > 0
      ? judged.ignored
      : Bun.deepEquals(judged.value, body)
        ? "as sent"
        : judged.value;
  };
  expect(said(whole)).toBe("as sent");
  recordEach(pathsOf(whole), (path) => {
    const others = othersOf(valueAt(whole, path)).map((value) => ({ kind: "other", value }) as const);
    const groups = Map.groupBy([...CHANGES, ...others], (to) =>
      JSON.stringify(said(changed(whole, path, to))),
    );
    return [...groups].map(([of, by]) => `${of}: ${by.map((to) => brief(wordOf(to), 24)).join(" ")}`);
  });
  recordEach([null, [], "text", 3, {}], said);
});
