/** Obligations as data: when the next usable result is due, from when on the last one is stale, and from when on nothing is due. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dueOf, type Obligation } from "../../src/health/state.ts";
import { isSilent, silenceLimit } from "../../src/rules/freshness.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(`2026-${text}Z`);
const text = (moment: number | null) =>
  moment === null ? null : new Date(moment).toISOString().slice(5, 16);

/** The due moments of an obligation after a result, as `11-20T12:15`. */
function due(obligation: Obligation, succeededAt: number | undefined, now = succeededAt ?? 0) {
  const { dueAt, staleAt, idleAt } = dueOf(obligation, succeededAt, now);
  return [text(dueAt), text(staleAt), text(idleAt)];
}

describe("what comes by schedule", () => {
  const rows: readonly (readonly [
    what: string,
    of: Obligation,
    succeeded: string,
    due: string,
    stale: string,
  ])[] = [
    [
      "every quarter of an hour",
      { kind: "ticks", at: "*/15 * * * *", slackMs: 30 * MINUTE },
      "11-20T12:00:07",
      "11-20T12:15",
      "11-20T13:00",
    ],
    [
      "each night: two missed nights, and the time that a run may take",
      { kind: "ticks", at: "30 2 * * *", slackMs: 3 * HOUR },
      "11-18T02:31:00",
      "11-19T02:30",
      "11-20T05:30",
    ],
    [
      "a daily family of the archive: two missed cadences",
      { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR },
      "11-18T12:15:40",
      "11-19T12:15",
      "11-20T18:15",
    ],
    [
      "a weekly family of the archive: two missed weeks",
      { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR, restMs: 7 * DAY - HOUR },
      "11-16T12:20:00",
      "11-23T12:15",
      "11-30T18:15",
    ],
    [
      "a weekly family that a person asked for in the evening: at the first run when it is a week old",
      { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR, restMs: 7 * DAY - HOUR },
      "11-16T18:00:00",
      "11-24T12:15",
      "12-01T18:15",
    ],
    [
      "a date of several that are asked for together: since the newest of them came",
      { kind: "ticks", at: "15 12 * * *", slackMs: 6 * HOUR, since: at("11-19T12:15:40") },
      "11-18T12:15:40",
      "11-20T12:15",
      "11-21T18:15",
    ],
  ];
  for (const [what, obligation, succeeded, dueAt, staleAt] of rows) {
    test(what, () => {
      expect(due(obligation, at(succeeded))).toEqual([dueAt, staleAt, null]);
    });
  }

  test("a result that began with its tick serves that tick, and the next one is due", () => {
    const daily: Obligation = { kind: "ticks", at: "15 12 * * *", slackMs: 0 };
    expect(due(daily, at("11-18T12:15:00"))[0]).toBe("11-19T12:15");
    expect(due(daily, at("11-18T12:14:59.999"))[0]).toBe("11-18T12:15");
  });

  test("over the change of a year and a leap day", () => {
    const daily: Obligation = { kind: "ticks", at: "30 2 * * *", slackMs: 0 };
    const succeeded = Date.parse("2028-02-28T03:00:00Z");
    const { dueAt, staleAt } = dueOf(daily, succeeded, succeeded);
    expect([dueAt, staleAt]).toEqual([
      Date.parse("2028-02-29T02:30:00Z"),
      Date.parse("2028-03-01T02:30:00Z"),
    ]);
  });

  test("any result of any minute is due at the next quarter", () => {
    const quarterly: Obligation = { kind: "ticks", at: "*/15 * * * *", slackMs: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 * 365 * DAY }), (offset) => {
        const succeeded = at("01-01T00:00:00") + offset;
        const next = (Math.floor(succeeded / (15 * MINUTE)) + 1) * 15 * MINUTE;
        const { dueAt, staleAt } = dueOf(quarterly, succeeded, succeeded);
        expect([dueAt, staleAt]).toEqual([next, next + 15 * MINUTE]);
      }),
      { numRuns: 300 },
    );
  });

  test("an expression that never comes, is none, or counts seconds is refused", () => {
    for (const bad of ["0 0 31 2 *", "sometimes", "*/10 * * * * *", ""]) {
      expect(() => dueOf({ kind: "ticks", at: bad, slackMs: 0 }, 1, 1)).toThrow();
    }
  });
});

describe("what a site sends by itself", () => {
  const hours = (liveSince?: number): Obligation => ({ kind: "silence", hours: 26, liveSince });

  test("is due within its hours from its last report, or from going live where that was later", () => {
    const received = at("11-18T04:00:00");
    expect(due(hours(), received)).toEqual(["11-19T06:00", "11-19T06:00", null]);
    expect(due(hours(received - DAY), received)[1]).toBe("11-19T06:00");
    expect(due(hours(received + DAY), received, received + 2 * DAY)[1]).toBe("11-20T06:00");
    // Going live at a moment ahead of the clock would keep it quiet until then.
    expect(due(hours(received + 9 * DAY), received, received + 2 * DAY)[1]).toBe("11-19T06:00");
  });

  test("is stale at the very moment at which the rule on silent sites holds", () => {
    const offset = fc.integer({ min: -40 * HOUR, max: 40 * HOUR });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 80 }),
        fc.option(offset, { nil: undefined }),
        offset,
        (silent, live, passed) => {
          const receivedAt = at("11-18T04:00:00");
          const now = receivedAt + Math.abs(passed);
          const wentLiveAt = live === undefined ? undefined : receivedAt + live;
          const site = { wentLiveAt, receivedAt, silentHours: silent };
          const { staleAt } = dueOf(
            { kind: "silence", hours: silent, liveSince: wentLiveAt },
            receivedAt,
            now,
          );
          expect(staleAt).toBe(receivedAt + silenceLimit(site, now));
          expect(now >= (staleAt ?? 0)).toBe(isSilent(site, now));
        },
      ),
    );
  });
});

describe("what happens when something does", () => {
  const done = at("11-18T10:00:00");

  test("a result stands for its time, then nothing is due", () => {
    expect(due({ kind: "within", forMs: 8 * DAY }, done)).toEqual([null, null, "11-26T10:00"]);
  });

  test("a check that passed leaves nothing due", () => {
    expect(due({ kind: "none" }, done)).toEqual([null, null, "11-18T10:00"]);
  });

  test("what waits to be sent is due from then on; what was sent since is not", () => {
    const pending = (since: number | undefined): Obligation => ({
      kind: "pending",
      since,
      graceMs: 10 * MINUTE,
    });
    expect(due(pending(undefined), done)).toEqual([null, null, "11-18T10:00"]);
    expect(due(pending(done + HOUR), done)).toEqual(["11-18T11:00", "11-18T11:10", null]);
    expect(due(pending(done), done)).toEqual([null, null, null]);
  });
});

test("where no result ever came nothing can be late", () => {
  const all: readonly Obligation[] = [
    { kind: "ticks", at: "*/15 * * * *", slackMs: 0 },
    { kind: "every", everyMs: 1, graceMs: 0 },
    { kind: "silence", hours: 1, liveSince: 0 },
    { kind: "within", forMs: 1 },
    { kind: "pending", since: 1, graceMs: 1 },
    { kind: "none" },
  ];
  expect(new Set(all.map((one) => JSON.stringify(due(one, undefined, 9))))).toEqual(
    new Set(["[null,null,null]"]),
  );
});
