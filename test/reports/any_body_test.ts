/**
 * What the contracts of reports say of bodies that have something in every place, in which one thing is otherwise: lost, doubled, of another
 * kind, at a bound and beyond it, or under another name; recorded (`test/support/mixtures.ts`).
 */

import { expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { brief } from "../support/brief.ts";
import {
  CHANGES,
  type Change,
  changed,
  ODD_NUMBERS,
  ODD_TEXTS,
  pathsOf,
  valueAt,
} from "../support/changed_json.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { recordEach } from "../support/mixtures.ts";

const COUNTS = [0, 10, 11, 12, 13, 20, 21, 50, 51, 100, 101, 1_000, 1_001];

/** What stands in the place of a value besides what may stand in any place: others of its kind. */
function othersOf(value: unknown): unknown[] {
  if (typeof value === "string") return [...ODD_TEXTS];
  if (typeof value === "number") return [...ODD_NUMBERS];
  if (Array.isArray(value)) return COUNTS.map((count) => Array.from({ length: count }, () => value[0]));
  const [first] = Object.values(value as object);
  const many = [200, 201].map((count) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, first])),
  );
  return [...many, ...ODD_TEXTS.map((name) => ({ ...(value as object), [name]: first }))];
}

const wordOf = ({ kind, ...to }: Change) => ("value" in to ? JSON.stringify(to.value) : kind);
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
