/** What holds of any answers, in any order: of a provider that lags, leaves days out, changes its mind and its calendar. */

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { calendarDay } from "../../src/base/time.ts";
import { type DailyReport, NO_COUNTS, PROVIDERS, SIGNAL_METRICS } from "../../src/providers/adapter.ts";
import { decide, type Held } from "../../src/signals/decide.ts";
import { heldAfter, NOTHING_HELD } from "../support/signals.ts";

const BEGAN = Date.parse("2026-03-20T00:00:00Z");
const HOUR_MS = 3_600_000;
const FIRST = Math.floor(BEGAN / (24 * HOUR_MS));
const ZONES = ["America/Los_Angeles", "Europe/Paris", "Asia/Tokyo", "Pacific/Auckland"] as const;

interface Answered {
  readonly report: DailyReport;
  readonly at: number;
}

/** An answer at any time within three weeks, about any range around then. */
const answered = (provider: (typeof PROVIDERS)[number]): fc.Arbitrary<Answered> =>
  fc
    .record({
      hours: fc.nat(24 * 21),
      zone: fc.constantFrom(...ZONES),
      back: fc.nat(12),
      told: fc.array(fc.option(fc.array(fc.option(fc.nat(9)), { minLength: 4, maxLength: 4 })), {
        maxLength: 14,
      }),
      firstIncomplete: fc.option(fc.nat(14), { nil: undefined }),
      isThresholded: fc.boolean(),
    })
    .map(({ hours, zone, back, told, firstIncomplete, isThresholded }) => {
      const at = BEGAN + hours * HOUR_MS;
      const from = FIRST + Math.floor(hours / 24) - back;
      const width = SIGNAL_METRICS[provider].length;
      const days = told.flatMap((values, place) =>
        values === null ? [] : [{ day: from + place, values: values.slice(0, width) }],
      );
      const report: DailyReport = {
        provider,
        timeZone: provider === "webmaster-tools" ? undefined : provider === "analytics" ? zone : ZONES[0],
        from,
        to: from + told.length - 1,
        days,
        firstIncomplete:
          provider === "search-console" && firstIncomplete !== undefined ? from + firstIncomplete : undefined,
        notes: isThresholded ? ["thresholded"] : [],
      };
      return { report, at };
    });

const series = fc
  .constantFrom(...PROVIDERS)
  .chain((provider) => fc.array(answered(provider), { minLength: 1, maxLength: 8 }));

/** Runs answers one after another, in the order of their collection or in any other, and looks at each step. */
function eachStep(
  answers: readonly Answered[],
  look: (before: Held, after: Held, answer: Answered) => void,
): void {
  let held = NOTHING_HELD;
  for (const answer of answers) {
    const { report, at } = answer;
    const after = heldAfter(held, report, decide(report, held, at), at);
    look(held, after, answer);
    held = after;
  }
}

describe("whatever is answered, and in whatever order it comes", () => {
  test("the same answer twice changes nothing the second time", () => {
    fc.assert(
      fc.property(series, (answers) => {
        eachStep(answers, (_, after, { report, at }) => {
          expect(decide(report, after, at).figures).toStrictEqual([]);
        });
      }),
    );
  });

  test("what was final stays, with a value, unless its day is not over by the clock that is; what was excluded stays excluded", () => {
    fc.assert(
      fc.property(series, (answers) => {
        eachStep(answers, (before, after, { report, at }) => {
          const today = calendarDay(at, report.timeZone);
          for (const [place, days] of before.figures.entries()) {
            for (const [day, was] of days) {
              const is = after.figures[place]?.get(day);
              if (was.state === "excluded") expect(is?.state).toBe("excluded");
              if (was.state !== "final") continue;
              const stays = day < today ? ["final", "excluded"] : ["final", "excluded", "provisional"];
              expect(stays).toContain(is?.state ?? "gone");
              expect(is?.value).not.toBeNull();
            }
          }
        });
      }),
    );
  });

  test("a zero that nobody told is of a count, past, after the first day with data, and beside no day that was told before", () => {
    fc.assert(
      fc.property(series, (answers) => {
        eachStep(answers, (before, after, { report, at }) => {
          const metrics: readonly string[] = SIGNAL_METRICS[report.provider];
          for (const [place, days] of after.figures.entries()) {
            for (const [day, is] of days) {
              if (is.basis !== "omitted" || before.figures[place]?.get(day)?.basis === "omitted") continue;
              expect(NO_COUNTS).not.toContain(metrics[place] ?? "");
              expect(is.value).toBe(0);
              expect(day).toBeLessThan(calendarDay(at, report.timeZone));
              expect(day).toBeGreaterThanOrEqual(after.firstData ?? Number.POSITIVE_INFINITY);
              expect(report.notes).toStrictEqual([]);
            }
          }
        });
      }),
    );
  });

  test("nothing is ever said of a day ahead of the provider's today", () => {
    fc.assert(
      fc.property(series, (answers) => {
        eachStep(answers, (before, after, { report, at }) => {
          const ends = [
            calendarDay(at, report.timeZone),
            ...(before.zone === undefined ? [] : [calendarDay(at, before.zone.name)]),
          ];
          for (const [place, days] of after.figures.entries()) {
            for (const day of days.keys()) {
              if (before.figures[place]?.has(day) !== true)
                expect(day).toBeLessThanOrEqual(Math.max(...ends));
            }
          }
        });
      }),
    );
  });
});
