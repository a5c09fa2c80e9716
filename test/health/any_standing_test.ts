/**
 * How targets stand: of every obligation, with evidence of all kinds, sound and not, under every configuration, at and around each moment
 * at which something is due, recorded (`test/support/mixtures.ts`).
 */

import { test } from "bun:test";
import type { Evidence } from "../../src/health/health.ts";
import { AHEAD_MS, type Asked, dueOf, type Obligation, standingOf } from "../../src/health/state.ts";
import type { FailureCategory } from "../../src/providers/faults.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

const NOW = Date.parse("2026-11-20T12:20:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AT = NOW - 5 * MINUTE;
const [TICKS, DAILY] = ["*/15 * * * *", "15 12 * * *"];

const OBLIGATIONS: Readonly<Record<string, Obligation>> = {
  quarterly: { kind: "ticks", at: TICKS, slackMs: 30 * MINUTE },
  daily: { kind: "ticks", at: DAILY, slackMs: 6 * HOUR },
  weekly: { kind: "ticks", at: DAILY, slackMs: 6 * HOUR, restMs: 7 * DAY - HOUR, since: AT },
  rested: { kind: "ticks", at: DAILY, slackMs: 6 * HOUR, restMs: 7 * DAY - HOUR },
  every: { kind: "every", everyMs: 7 * DAY, graceMs: DAY },
  silence: { kind: "silence", hours: 26, liveSince: undefined },
  live: { kind: "silence", hours: 26, liveSince: NOW - MINUTE },
  "live to come": { kind: "silence", hours: 26, liveSince: NOW + 9 * DAY },
  within: { kind: "within", forMs: 10 * MINUTE },
  waiting: { kind: "pending", since: NOW - MINUTE, graceMs: 10 * MINUTE },
  served: { kind: "pending", since: AT, graceMs: 10 * MINUTE },
  quiet: { kind: "pending", since: undefined, graceMs: 10 * MINUTE },
  none: { kind: "none" },
  "no ticks": { kind: "ticks", at: "never", slackMs: 0 },
  "of no date": { kind: "ticks", at: "0 0 31 2 *", slackMs: 0 },
  seconds: { kind: "ticks", at: "* * * * * *", slackMs: 0 },
  "no slack": { kind: "ticks", at: TICKS, slackMs: Number.NaN },
  "no hours": { kind: "silence", hours: Number.NaN, liveSince: undefined },
};

const latest = { attempt: "a", startedAt: AT, category: null, code: null, nextRetryAt: null };
const success = { attempt: "a", startedAt: AT, coveredDate: "2026-11-18" };
const good: Evidence = { latest, success, failingSince: undefined, recordedAt: NOW };
const of = (later: object, of: object = {}) =>
  ({ ...good, latest: { ...latest, ...later }, success: { ...success, ...of } }) as Evidence;
const startedAt = (at: number) => of({ startedAt: at }, { startedAt: at });
const EVIDENCE: Readonly<Record<string, Asked["evidence"]>> = {
  none: undefined,
  unreadable: "unreadable",
  usable: good,
  "usable without a day": of({}, { coveredDate: null }),
  failed: of({ category: "access" }),
  "failed always": { ...of({ category: "network" }), success: undefined },
  "failed, beside a success that cannot be": of({ category: "access" }, { coveredDate: "x" }),
  "failed of no category that there is": of({ category: "weather" as FailureCategory }),
  "of no attempt": of({ attempt: "" }),
  "of no moment": startedAt(Number.NaN),
  "before all time": startedAt(-1),
  "a little ahead": startedAt(NOW + AHEAD_MS),
  ahead: startedAt(NOW + AHEAD_MS + 1),
  "without a success": { ...good, success: undefined },
  "beside an older success": of({}, { startedAt: AT - 1 }),
  "of no day": of({}, { coveredDate: "2026-02-31" }),
  "of tomorrow": of({}, { coveredDate: "2026-11-21" }),
  "of a day to come": of({}, { coveredDate: "2026-11-22" }),
};
const LATER = [
  0,
  MINUTE,
  9 * MINUTE,
  HOUR,
  2 * HOUR,
  26 * HOUR,
  2 * DAY,
  3 * DAY,
  8 * DAY,
  15 * DAY,
  4_000 * DAY,
];

const stateOf = (given: Partial<Asked>) => {
  const configuration = { isConnected: true, isPaused: false, isObserved: true };
  const usual = {
    configuration,
    evidence: good,
    sourceAttemptAt: undefined,
    obligation: { kind: "none" },
    now: NOW,
  };
  const { state, cause } = standingOf({ ...usual, ...given } as Asked);
  return cause === undefined ? state : `${state} (${cause})`;
};

test("by what is due and what is known, as time passes", () => {
  const all = Object.keys(OBLIGATIONS).flatMap((due) =>
    Object.keys(EVIDENCE).map((known) => `${due}: ${known}`),
  );
  recordEach(all, (name) => {
    const [due = "", known = ""] = name.split(": ");
    const given = { obligation: OBLIGATIONS[due] as Obligation, evidence: EVIDENCE[known] };
    const states = LATER.map((ms) => stateOf({ ...given, now: NOW + ms }));
    const edges = Object.values(
      standingOf({ ...given, configuration: "unreadable", sourceAttemptAt: undefined, now: NOW }).due,
    )
      .filter((moment) => moment !== null && moment > NOW)
      .map((moment) => [-1, 0].map((by) => stateOf({ ...given, now: moment + by })));
    return [states.filter((state, place) => state !== states[place - 1]), edges];
  });
});

test("when the next result is due, late and needed no more: around a tick, in the evening, over a leap day and the end of a year", () => {
  const results = words(
    "2026-11-18T12:14:59.999Z 2026-11-18T12:15Z 2026-11-18T18:00Z 2028-02-28T13:00Z 2026-12-31T23:59Z",
  );
  recordEach(Object.keys(OBLIGATIONS), (name) =>
    [undefined, ...results.map((text) => Date.parse(text))].map((succeededAt) => {
      const due = dueOf(OBLIGATIONS[name] as Obligation, succeededAt, NOW);
      return Object.values(due)
        .map((at) => (at ? new Date(at).toISOString().slice(0, 16) : at))
        .join(" ");
    }),
  );
});

test("by what is set up, and by attempts of the source that nothing was recorded of", () => {
  const configurations = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
    ...{ isConnected: (bits & 1) > 0, isPaused: (bits & 2) > 0, isObserved: (bits & 4) > 0 },
  }));
  recordEach([...configurations, "unreadable" as const], (configuration) =>
    Object.values(EVIDENCE).map((evidence) => stateOf({ configuration, evidence })),
  );
  recordEach(["no attempt", -1, 0, 1, NOW - AT, "at no moment"], (by) => {
    const sourceAttemptAt = by === "no attempt" ? undefined : AT + Number(by);
    return Object.values(EVIDENCE).map((evidence) => stateOf({ sourceAttemptAt, evidence }));
  });
});
