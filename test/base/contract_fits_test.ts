import { expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { fitsContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";

const CONTRACTS = [
  ["nightly", PulseSchema, fullPulse()],
  ["codebase", CodebaseReportSchema, fullCodebaseReport()],
] as const;

/** Numbers of changed bodies: 150 runs of 125 changes of each of the two. A mistake that one in 2,000 changes shows is then all but sure to be seen. */
const RUNS = 150;
const CHANGES = 125;

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  1,
  -1,
  0.5,
  100,
  101,
  1e300,
  2 ** 53,
  "",
  "x",
  "a\nb",
  "\ud800",
  "../x",
  "/x",
  "a\\b",
  "x".repeat(201),
  "😀".repeat(513),
  [],
  [1],
  ["x"],
  {},
  { x: 1 },
  Array.from({ length: 60 }, () => "x"),
  "2026-03-01T02:30:00Z",
  "2026-02-30T02:30:00Z",
  "info",
  "error",
];

/** Numbers from 0 up to 1 that a seed leads to (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Holder = Record<string, unknown> | unknown[];

/** Every object and list in a body. */
function holders(value: unknown): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Holder, ...Object.values(value).flatMap(holders)];
}

/** Changes a body in at most two places: a value for another, one more, one less. */
function changed(body: object, random: () => number): unknown {
  const copy: unknown = structuredClone(body);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  for (let times = Math.floor(random() * 3); times > 0; times--) {
    const holder = one(holders(copy)) as Record<string, unknown>;
    const key = one([
      ...Object.keys(holder),
      "more",
      "toString",
      "0",
      "constructor",
      "prototype",
      "__proto__",
      "a\nb",
    ]);
    if (random() < 0.2 && !Array.isArray(holder)) delete holder[key];
    // As JSON.parse makes it: a field of its own, whatever its name.
    else {
      const value = structuredClone(random() < 0.5 ? (one(Object.values(holder)) ?? null) : one(ODD));
      Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return copy;
}

for (const [name, schema, body] of CONTRACTS) {
  test(`a ${name} report takes the short way exactly where valibot accepts it, knows every field and changes nothing`, () => {
    let short = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = numbersFrom(seed);
        for (let n = 0; n < CHANGES; n++) {
          const input = changed(body, random);
          const judged = v.safeParse(schema, input, { abortPipeEarly: false });
          const isSame = judged.success && Bun.deepEquals(judged.output, input, true);
          expect([fitsContract(schema, input), input]).toEqual([isSame, input]);
          if (isSame) short++;
        }
      }),
      { numRuns: RUNS },
    );
    // Neither answer is rare.
    expect(short).toBeGreaterThan((RUNS * CHANGES) / 10);
    expect(short).toBeLessThan((RUNS * CHANGES * 9) / 10);
  });
}
