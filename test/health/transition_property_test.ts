/**
 * What an outcome makes of what is known, whatever the order in which outcomes come: late, tied, truncated, told twice. Compared with a
 * walk over the sorted outcomes that shares no code with it.
 */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Evidence, Observation } from "../../src/health/health.ts";
import { after, changeOf, joined } from "../../src/health/record.ts";
import { endingOf, endingOfEvidence, eventsOf, inOrder } from "../support/health_reference.ts";

/** Outcomes that differ in what matters: usable with rows and without any, truncated, refused, cut off on the way. */
const RESULTS: readonly Observation["result"][] = [
  { ok: true, coveredDate: "2026-11-17" },
  { ok: true, coveredDate: null },
  { ok: false, category: "incomplete_report", code: "report_truncated", nextRetryAt: null },
  { ok: false, category: "access", code: "signed_out", nextRetryAt: 9 },
  { ok: false, category: "network", code: null, nextRetryAt: null },
];
const NOW = Date.parse("2026-11-18T12:00:00Z");

const kind = fc.record({
  startedAt: fc.constantFrom(...[40, 30, 20, 10].map((minutes) => NOW - minutes * 60_000)),
  result: fc.constantFrom(...RESULTS),
});
const six = fc.array(kind, { minLength: 6, maxLength: 6 }).map((kinds) =>
  kinds.map(
    (one, place): Observation => ({
      ...one,
      attempt: `pull:${place}`,
      observedAt: one.startedAt + 1 + place,
    }),
  ),
);
const known = (all: readonly Observation[]) =>
  all.reduce<Evidence | undefined>((evidence, one) => after(evidence, one), undefined);

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  for (const [place, item] of items.length < 2 ? [] : items.entries()) {
    const rest = items.filter((_, other) => other !== place);
    for (const permutation of permutations(rest)) yield [item, ...permutation];
  }
}

test("outcomes end as the specification's table gives, in every order of six: 144,000 cases (reliability S2)", () => {
  let cases = 0;
  fc.assert(
    fc.property(six, (all) => {
      const { failingSince: _, ...expected } = endingOf(all) ?? { failingSince: undefined };
      for (const order of permutations(all)) {
        cases++;
        const ending = endingOfEvidence(known(order));
        if (!Bun.deepEquals(ending, expected))
          expect({ order, ending }).toEqual({ order, ending: expected as never });
      }
    }),
    { numRuns: 200, endOnFailure: true },
  );
  expect(cases).toBe(144_000);
});

test("what two saw of one target comes together as if one had seen all of it", () => {
  fc.assert(
    fc.property(six, fc.integer({ min: 1, max: 5 }), (all, cut) => {
      const [a, b] = [known(all.slice(0, cut)), known(all.slice(cut))] as [Evidence, Evidence];
      const whole = endingOfEvidence(known(all));
      expect([joined(a, b), joined(b, a)].map(endingOfEvidence)).toEqual([whole, whole]);
      expect(joined(a, a)).toBe(a);
    }),
    { numRuns: 2_000 },
  );
});

test("outcomes that came in their order, told again in any: not even a row is written", () => {
  fc.assert(
    fc.property(six, fc.array(fc.nat(5), { maxLength: 12 }), (arrivals, places) => {
      const all = inOrder(arrivals);
      const evidence = known(all) as Evidence;
      for (const place of places) expect(after(evidence, all[place] as Observation)).toBe(evidence);
    }),
    { numRuns: 2_000 },
  );
});

test("events tell the first failure, each change of category and each recovery, and nothing else, in any order of arrival", () => {
  fc.assert(
    fc.property(six, (arrivals) => {
      let evidence: Evidence | undefined;
      const events = arrivals.flatMap((observation) => {
        const next = after(evidence, observation);
        const change = changeOf(evidence, next);
        evidence = next;
        return change === undefined ? [] : [{ change, attempt: observation.attempt }];
      });
      expect(events).toEqual(eventsOf(arrivals));
    }),
    { numRuns: 5_000 },
  );
});

describe("since when a target fails", () => {
  test("is the start of the first failure since the last success, where outcomes come in their order", () => {
    fc.assert(
      fc.property(six, (arrivals) => {
        const all = inOrder(arrivals);
        expect(known(all)?.failingSince).toBe(endingOf(all)?.failingSince as never);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is never before the last success nor after the latest failure, in whatever order they come", () => {
    fc.assert(
      fc.property(six, (arrivals) => {
        const { latest, success, failingSince } = known(arrivals) as Evidence;
        expect(failingSince === undefined).toBe(latest.category === null);
        expect(failingSince ?? 0).toBeLessThanOrEqual(latest.startedAt);
        expect(failingSince ?? NOW).toBeGreaterThanOrEqual(success?.startedAt ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
