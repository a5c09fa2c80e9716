import { expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { fitsContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { ODD_NUMBERS, ODD_TEXTS } from "../support/changed_json.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { seeded } from "../support/mixtures.ts";

const CONTRACTS = [
  ["nightly", PulseSchema, fullPulse()],
  ["codebase", CodebaseReportSchema, fullCodebaseReport()],
] as const;

/** Numbers of changed bodies: 150 runs of 125 changes of each of the two. A mistake that one in 2,000 changes shows is then all but sure to be seen. */
const RUNS = 150;
const CHANGES = 125;

const LISTS = [[], [1], ["x"], Array.from({ length: 60 }, () => "x")];
const ODD: readonly unknown[] = [null, true, -0, 1e300, {}, { x: 1 }, ...LISTS, ...ODD_TEXTS, ...ODD_NUMBERS];

const NAMES = ["more", "toString", "0", "constructor", "prototype", "__proto__", "a\nb"];
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
    const key = one([...Object.keys(holder), ...NAMES]);
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
        const random = seeded(seed);
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
