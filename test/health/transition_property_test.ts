/**
 * What an outcome makes of what is known, whatever the order in which outcomes come: late, tied, truncated, of an older connection,
 * told twice. Compared with a walk over the sorted outcomes that shares no code with it.
 */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Evidence, Observation } from "../../src/health/health.ts";
import { after, changeOf, joined } from "../../src/health/record.ts";
import { standingOf } from "../../src/health/state.ts";
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
const STARTS = [40, 30, 20, 10].map((minutes) => NOW - minutes * 60_000);

/** An outcome, and the connection revision that its attempt began under. */
interface Arrival {
  readonly revision: "older" | "current";
  readonly observation: Observation;
}

const kinds = STARTS.flatMap((startedAt) => RESULTS.map((result) => ({ startedAt, result })));
const observationOf = (place: number, kind: number): Observation => {
  const { startedAt, result } = kinds[kind] ?? { startedAt: 0, result: RESULTS[0] as Observation["result"] };
  return { attempt: `pull:${place}`, startedAt, observedAt: startedAt + 1 + place, result };
};

/** What each revision's target knows after these arrivals. */
function known(arrivals: readonly Arrival[]): Map<string, Evidence> {
  const targets = new Map<string, Evidence>();
  for (const { revision, observation } of arrivals) {
    targets.set(revision, after(targets.get(revision), observation));
  }
  return targets;
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  else {
    for (const [place, item] of items.entries()) {
      const rest = items.filter((_, other) => other !== place);
      for (const permutation of permutations(rest)) yield [item, ...permutation];
    }
  }
}

const CONFIGURED = { isConnected: true, isPaused: false, isObserved: true };

/** The state that the table gives for what came to the current connection. */
function stateByTable(observations: readonly Observation[]): string {
  const ending = endingOf(observations);
  if (ending === undefined) return "never_run";
  return ending.isFailing ? "failing" : "working";
}

/** A result that stands for as long as nobody waits. */
const STANDS = { kind: "within", forMs: 3_600_000 } as const;

/** What the table gives of a connection revision. */
interface Expected {
  readonly ending: ReturnType<typeof endingOfEvidence>;
  readonly state: string;
}

const REVISIONS = ["older", "current"] as const;

/** What these must end in: worked out once, since no order of theirs makes a difference. */
function expectedOf(arrivals: readonly Arrival[]): ReadonlyMap<string, Expected> {
  return new Map(
    REVISIONS.map((revision): [string, Expected] => {
      const own = arrivals.filter((one) => one.revision === revision).map(({ observation }) => observation);
      const ending = endingOf(own);
      if (ending === undefined) return [revision, { ending, state: stateByTable(own) }];
      const { failingSince: _, ...decisive } = ending;
      return [revision, { ending: decisive, state: stateByTable(own) }];
    }),
  );
}

/** Says what is not as expected. */
function differenceOf(
  order: readonly Arrival[],
  expected: ReadonlyMap<string, Expected>,
): string | undefined {
  const targets = known(order);
  for (const revision of REVISIONS) {
    const evidence = targets.get(revision);
    const ending = endingOfEvidence(evidence);
    const asked = {
      configuration: CONFIGURED,
      evidence,
      sourceAttemptAt: undefined,
      obligation: STANDS,
      now: NOW,
    };
    const found = { ending, state: standingOf(asked).state };
    if (!Bun.deepEquals(found, expected.get(revision))) {
      return `${revision}: ${JSON.stringify(found)} is not ${JSON.stringify(expected.get(revision))}`;
    }
  }
  return undefined;
}

const arrival = (most: number) =>
  fc.record({ isOlder: fc.integer({ min: 0, max: 4 }), kind: fc.nat(most - 1) });
const six = fc.array(arrival(kinds.length), { minLength: 6, maxLength: 6 }).map((drawn) =>
  drawn.map(
    ({ isOlder, kind }, place): Arrival => ({
      revision: isOlder === 0 ? "older" : "current",
      observation: observationOf(place, kind),
    }),
  ),
);

describe("outcomes end in the state that the table gives, in whatever order they come (reliability S2)", () => {
  test("every permutation of six outcomes: 144,000 cases", () => {
    let cases = 0;
    fc.assert(
      fc.property(six, (arrivals) => {
        const expected = expectedOf(arrivals);
        for (const order of permutations(arrivals)) {
          cases++;
          const wrong = differenceOf(order, expected);
          if (wrong !== undefined) throw new Error(`${wrong} after ${JSON.stringify(order)}`);
        }
      }),
      { numRuns: 200, endOnFailure: true },
    );
    expect(cases).toBe(144_000);
  }, 60_000);

  test("what two saw of one target comes together as if one had seen all of it", () => {
    fc.assert(
      fc.property(six, fc.nat(6), (arrivals, cut) => {
        const all = arrivals.map(({ observation }) => observation);
        const fold = (part: readonly Observation[]) =>
          part.reduce<Evidence | undefined>((evidence, one) => after(evidence, one), undefined);
        const [a, b] = [fold(all.slice(0, cut)), fold(all.slice(cut))];
        const whole = endingOfEvidence(fold(all));
        if (a === undefined || b === undefined) return;
        expect(endingOfEvidence(joined(a, b))).toEqual(whole);
        expect(endingOfEvidence(joined(b, a))).toEqual(whole);
        expect(joined(a, a)).toBe(a);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("what is told again changes nothing", () => {
  const again = fc.array(fc.nat(5), { maxLength: 12 });

  test("any outcome, in any order: neither the latest attempt, nor the latest success, nor an event", () => {
    fc.assert(
      fc.property(six, again, (arrivals, places) => {
        const all = arrivals.map(({ observation }) => observation);
        const first = all.reduce<Evidence | undefined>((sum, one) => after(sum, one), undefined);
        let evidence = first;
        for (const place of places) {
          const one = all[place];
          if (one === undefined) continue;
          const next = after(evidence, one);
          expect(changeOf(evidence, next)).toBeUndefined();
          evidence = next;
        }
        const { failingSince: _, ...kept } = first ?? { failingSince: undefined };
        expect(evidence).toMatchObject(kept);
      }),
      { numRuns: 2_000 },
    );
  });

  test("outcomes that came in their order: not even a row is written", () => {
    fc.assert(
      fc.property(six, again, (arrivals, places) => {
        const all = inOrder(arrivals.map(({ observation }) => observation));
        const evidence = all.reduce<Evidence | undefined>((sum, one) => after(sum, one), undefined);
        for (const place of places) {
          const one = all[place];
          if (one !== undefined) expect(after(evidence, one)).toBe(evidence as Evidence);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("events tell the first failure, each change of category and each recovery, and nothing else", () => {
  const arrivalsToOne = six.map((arrivals) => arrivals.map(({ observation }) => observation));

  test("in any order of arrival", () => {
    fc.assert(
      fc.property(arrivalsToOne, (arrivals) => {
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
});

describe("since when a target fails", () => {
  test("is the start of the first failure since the last success, where outcomes come in their order", () => {
    fc.assert(
      fc.property(six, (arrivals) => {
        const all = inOrder(arrivals.map(({ observation }) => observation));
        const evidence = all.reduce<Evidence | undefined>((sum, one) => after(sum, one), undefined);
        expect(evidence?.failingSince).toBe(endingOf(all)?.failingSince as never);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is never before the last success nor after the latest failure, in whatever order they come", () => {
    fc.assert(
      fc.property(six, (arrivals) => {
        for (const evidence of known(arrivals).values()) {
          const { latest, success, failingSince } = evidence;
          expect(failingSince === undefined).toBe(latest.category === null);
          if (failingSince === undefined) continue;
          expect(failingSince).toBeLessThanOrEqual(latest.startedAt);
          expect(failingSince).toBeGreaterThanOrEqual(success?.startedAt ?? 0);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
