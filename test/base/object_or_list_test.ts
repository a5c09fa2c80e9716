import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse_contract.ts";
import { annotationSchema } from "../../src/sites/annotation_schema.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";

const bodies = {
  "a codebase report": { schema: CodebaseReportSchema, body: fullCodebaseReport() },
  "a nightly report": { schema: PulseSchema, body: fullPulse() },
  "an annotation": {
    schema: annotationSchema(() => Number.MAX_SAFE_INTEGER),
    body: { asset: "harbor", at: "2026-03-01T00:00:00Z", kind: "deploy", ref: "v1", note: "x" },
  },
} as const;

/** Every object and list inside a value, by its JSON Pointer. */
function* placesOf(value: unknown, pointer = ""): Generator<{ pointer: string; value: object }> {
  if (typeof value !== "object" || value === null) return;
  yield { pointer, value };
  for (const [key, part] of Object.entries(value)) yield* placesOf(part, `${pointer}/${key}`);
}

/** A copy of `body` with another value at a place. */
function withAt(body: unknown, pointer: string, value: unknown): unknown {
  if (pointer === "") return value;
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = pointer.split("/").slice(1);
  const last = keys.pop() ?? "";
  let at = copy;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  at[last] = value;
  return copy;
}

/** What is neither, and would have keys or a length of its own all the same. */
const SCALARS = [null, false, 5, "x".repeat(1_001)];

describe("a list where an object belongs, an object where a list belongs, and what is neither, break the contract (decisions 3, check 8)", () => {
  for (const [name, { schema, body }] of Object.entries(bodies)) {
    for (const { pointer, value } of placesOf(body)) {
      const others = Array.isArray(value)
        ? [{}, { ...value }, { length: value.length }]
        : [[], [value], Object.values(value), Object.entries(value)];
      test(`${name} at ${pointer || "its root"}`, () => {
        expect(readContract(schema, body).ok).toBe(true);
        for (const other of [...others, ...SCALARS]) {
          const judged = readContract(schema, withAt(body, pointer, other));
          const broken = judged.ok ? [] : judged.errors.map((error) => `${error.pointer} ${error.rule}`);
          expect(broken).toEqual([`${pointer} type`]);
        }
      });
    }
  }
});
