/** A row for each line of the specification's two tables on integration capability health, and for each move that it leaves open. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { type Evidence, HEALTH_STATES, type HealthState, type Observation } from "../../src/health/health.ts";
import { after, changeOf } from "../../src/health/record.ts";
import {
  AHEAD_MS,
  type Asked,
  type Configuration,
  type Obligation,
  standingOf,
} from "../../src/health/state.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../../src/providers/faults.ts";

const NOW = Date.parse("2026-11-20T12:20:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const QUARTERLY: Obligation = { kind: "ticks", at: "*/15 * * * *", slackMs: 30 * MINUTE };
const ARCHIVE: Obligation = { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR };
const SERP: Obligation = { kind: "every", everyMs: 7 * DAY, graceMs: DAY };
const EVENT_DRIVEN: Obligation = { kind: "none" };
const ON_DEMAND: Obligation = { kind: "within", forMs: 5 * MINUTE };

const CONFIGURED: Configuration = { isConnected: true, isPaused: false, isObserved: true };

/** An outcome of an attempt that began so many milliseconds ago: usable, or of a category. */
function outcome(ago: number, category?: FailureCategory, attempt = `pull:${ago}`): Observation {
  const startedAt = NOW - ago;
  return {
    attempt,
    startedAt,
    observedAt: Math.max(startedAt, 0) + 1_000,
    result:
      category === undefined
        ? { ok: true, coveredDate: "2026-11-18" }
        : { ok: false, category, code: null, nextRetryAt: null },
  };
}

const saw = (...outcomes: readonly Observation[]): Evidence | undefined =>
  outcomes.reduce<Evidence | undefined>((evidence, one) => after(evidence, one), undefined);

const WORKS = saw(outcome(5 * MINUTE));
const FAILS = saw(outcome(20 * MINUTE), outcome(5 * MINUTE, "access"));

const asked = (given: Partial<Asked>): Asked => ({
  configuration: CONFIGURED,
  evidence: undefined,
  sourceAttemptAt: undefined,
  obligation: QUARTERLY,
  now: NOW,
  ...given,
});
const stateOf = (one: Asked) => standingOf(one).state;
const state = (given: Partial<Asked>): HealthState => stateOf(asked(given));
const configured = (changed: Partial<Configuration>) => ({ ...CONFIGURED, ...changed });

describe("what each of the nine states means", () => {
  const rows: readonly (readonly [meaning: string, given: Partial<Asked>, state: HealthState])[] = [
    ["a usable result for the current obligation", { evidence: WORKS }, "working"],
    [
      "an empty answer is a usable one",
      {
        evidence: saw({ ...outcome(5 * MINUTE), result: { ok: true, coveredDate: null } }),
      },
      "working",
    ],
    ["an observed failure with no later recovery", { evidence: FAILS }, "failing"],
    ["age does not clear a failure", { evidence: FAILS, now: NOW + 4_000 * DAY }, "failing"],
    ["the last usable result no longer meets what is due", { evidence: WORKS, now: NOW + 2 * HOUR }, "stale"],
    ["configured and monitored, no attempt recorded", {}, "never_run"],
    ["event-driven, and nothing is due", { evidence: WORKS, obligation: EVENT_DRIVEN }, "idle"],
    [
      "a feed on demand that nobody asks for",
      { evidence: saw(outcome(6 * MINUTE)), obligation: ON_DEMAND },
      "idle",
    ],
    [
      "the operator disabled it",
      { evidence: WORKS, configuration: configured({ isPaused: true }) },
      "paused",
    ],
    [
      "the connection was removed",
      { evidence: WORKS, configuration: configured({ isConnected: false }) },
      "disconnected",
    ],
    [
      "enabled, with nothing that observes it reliably",
      { evidence: WORKS, configuration: configured({ isObserved: false }) },
      "unmonitored",
    ],
    ["the inventory cannot be read", { evidence: WORKS, configuration: "unreadable" }, "unknown"],
    ["the evidence cannot be read", { evidence: "unreadable" }, "unknown"],
    ["a moment lies in the future", { evidence: saw(outcome(-AHEAD_MS - 1)) }, "unknown"],
  ];
  for (const [meaning, given, expected] of rows) {
    test(`${expected}: ${meaning}`, () => {
      expect(state(given)).toBe(expected);
    });
  }

  test("every one of them stands in a row", () => {
    expect(new Set(rows.map(([, , one]) => one))).toEqual(new Set(HEALTH_STATES));
  });
});

describe("the moves that are given", () => {
  test("any, a failure that began later than the latest attempt: Failing, and an event", () => {
    for (const from of [undefined, WORKS, saw(outcome(3 * DAY))]) {
      const to = after(from, outcome(MINUTE, "network"));
      expect([state({ evidence: to }), changeOf(from, to)]).toEqual(["failing", "first_failure"]);
    }
    const other = after(FAILS, outcome(MINUTE, "network"));
    expect([state({ evidence: other }), changeOf(FAILS, other)]).toEqual(["failing", "category_change"]);
    const same = after(FAILS, outcome(MINUTE, "access"));
    expect([state({ evidence: same }), changeOf(FAILS, same)]).toEqual(["failing", undefined]);
  });

  test("Failing, a success that began later than the failure: Working, and a recovery", () => {
    const to = after(FAILS, outcome(MINUTE));
    expect([state({ evidence: to }), changeOf(FAILS, to)]).toEqual(["working", "recovery"]);
  });

  test("Working, time passes: Stale, after two missed cadences; DataForSEO-style one day after due", () => {
    const daily = saw(outcome(5 * MINUTE));
    const missed = (days: number) => NOW + days * DAY;
    expect([0, 1].map((days) => state({ evidence: daily, obligation: ARCHIVE, now: missed(days) }))).toEqual([
      "working",
      "working",
    ]);
    // Two ticks at 12:15 passed, and the time that a run may take.
    expect(state({ evidence: daily, obligation: ARCHIVE, now: missed(2) + 6 * HOUR })).toBe("stale");
    const dueAt = NOW - 5 * MINUTE + 7 * DAY;
    expect(state({ evidence: daily, obligation: SERP, now: dueAt + DAY - 1 })).toBe("working");
    expect(state({ evidence: daily, obligation: SERP, now: dueAt + DAY })).toBe("stale");
  });

  test("Failing, a success that began earlier than the failure and comes late: Failing; it may advance the last success", () => {
    const late = after(FAILS, outcome(10 * MINUTE));
    expect([state({ evidence: late }), changeOf(FAILS, late)]).toEqual(["failing", undefined]);
    expect(late.success?.startedAt).toBe(NOW - 10 * MINUTE);
    const older = after(late, outcome(15 * MINUTE));
    expect(older.success?.startedAt).toBe(NOW - 10 * MINUTE);
  });

  test("Failing, an incomplete or truncated response: Failing", () => {
    const to = after(FAILS, outcome(MINUTE, "incomplete_report"));
    expect(state({ evidence: to })).toBe("failing");
    expect(to.success).toEqual(FAILS?.success);
  });

  test("Failing, a failure and a success with one start: Failing until a later success, whichever came first", () => {
    const failure = outcome(5 * MINUTE, "network", "a");
    const success = outcome(5 * MINUTE, undefined, "b");
    for (const both of [saw(failure, success), saw(success, failure)]) {
      expect(state({ evidence: both })).toBe("failing");
      expect(state({ evidence: after(both, outcome(4 * MINUTE)) })).toBe("working");
    }
  });

  test("Working, an unmatched newer attempt of the source: not green", () => {
    const began = NOW - 5 * MINUTE;
    expect(state({ evidence: WORKS, sourceAttemptAt: began })).toBe("working");
    expect(state({ evidence: WORKS, sourceAttemptAt: began + 1 })).toBe("unknown");
    expect(state({ evidence: WORKS, sourceAttemptAt: began + 1, obligation: EVENT_DRIVEN })).toBe("unknown");
    // Nothing was recorded of the only attempt: that is not the same as none.
    expect(state({ evidence: undefined, sourceAttemptAt: began })).toBe("unknown");
    // A failure is not hidden by it.
    expect(state({ evidence: FAILS, sourceAttemptAt: NOW })).toBe("failing");
  });
});

describe("whatever is given", () => {
  const moment = fc.integer({ min: -10 * DAY, max: 2 * DAY }).map((offset) => NOW + offset);
  const category = fc.option(fc.constantFrom(...FAILURE_CATEGORIES), { nil: null });
  const evidence = fc.option(
    fc.record({
      latest: fc.record({
        attempt: fc.constantFrom("a", "b"),
        startedAt: moment,
        category,
        code: fc.constant(null),
        nextRetryAt: fc.constant(null),
      }),
      success: fc.option(
        fc.record({
          attempt: fc.constantFrom("a", "b"),
          startedAt: moment,
          coveredDate: fc.constantFrom(null, "2026-11-18", "2027-01-01", "", "x"),
        }),
        { nil: undefined },
      ),
      failingSince: fc.constant(undefined),
      recordedAt: moment,
    }),
    { nil: undefined },
  );
  const obligation = fc.constantFrom<Obligation[]>(QUARTERLY, ARCHIVE, SERP, EVENT_DRIVEN, ON_DEMAND);
  const given = fc.record({
    configuration: fc.record({ isConnected: fc.boolean(), isPaused: fc.boolean(), isObserved: fc.boolean() }),
    evidence,
    sourceAttemptAt: fc.option(moment, { nil: undefined }),
    obligation,
    now: fc.constant(NOW),
  });

  test("green rests on a connected, observed, unpaused capability whose latest attempt is usable, past, and the source's own latest", () => {
    fc.assert(
      fc.property(given, (one) => {
        if (stateOf(one) !== "working") return;
        const { latest, success } = one.evidence ?? {};
        expect(one.configuration).toEqual(CONFIGURED);
        expect(latest?.category).toBeNull();
        expect(success?.startedAt).toBe(latest?.startedAt as number);
        expect(latest?.startedAt).toBeLessThanOrEqual(NOW + AHEAD_MS);
        expect(one.sourceAttemptAt ?? 0).toBeLessThanOrEqual(latest?.startedAt ?? 0);
      }),
      { numRuns: 3_000 },
    );
  });
});

test("every obligation of the catalogue can be read", () => {
  const states = CAPABILITIES.flatMap(({ id, obligation }) =>
    obligation === "silent_hours" ? [] : [`${id}: ${state({ evidence: WORKS, obligation })}`],
  );
  expect(states.filter((one) => !/: (working|idle)$/.test(one))).toEqual([]);
});
