/** Provider signals as tests make them up: answers, what they come to, and stored days. */

import * as fc from "fast-check";
import { addDays, dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import type { DailyReport, Provider } from "../../src/providers/adapter.ts";
import type { DayValue } from "../../src/reports/series_days.ts";
import { awaitSignalJudging } from "../../src/signals/answer_record.ts";
import { type Decision, type Held, isTold } from "../../src/signals/decide.ts";
import type { DayFigure, Observed } from "../../src/signals/observations.ts";
import type { Writer } from "../../src/store/writer.ts";
import { plantSeries } from "./series.ts";

/** The number of a day. */
export const dayOf = (date: string): number => dayNumber(date as UtcDay);

/** An answer of analytics over days, those without values left out. */
export function answerOf(
  provider: Provider,
  days: Readonly<Record<string, readonly (number | null)[] | number>>,
  rest: Partial<DailyReport> & { readonly from?: number; readonly to?: number } = {},
): DailyReport {
  const width = provider === "webmaster-tools" ? 2 : 4;
  const told = Object.entries(days)
    .map(([date, values]) => ({
      day: dayOf(date),
      values: typeof values === "number" ? Array.from({ length: width }, () => values) : values,
    }))
    .sort((one, other) => one.day - other.day);
  return {
    provider,
    timeZone: provider === "webmaster-tools" ? undefined : "America/Los_Angeles",
    from: told[0]?.day ?? 0,
    to: told.at(-1)?.day ?? 0,
    days: told,
    firstIncomplete: undefined,
    notes: [],
    ...rest,
  };
}

/** A figure of a day that an answer can come to. */
export const figureArbitrary: fc.Arbitrary<DayFigure> = fc.oneof(
  fc.constant<DayFigure>({ state: "missing", basis: null, value: null }),
  fc.record({
    state: fc.constantFrom("final" as const, "provisional" as const, "excluded" as const),
    basis: fc.constantFrom("reported" as const, "omitted" as const),
    value: fc.oneof(
      fc.nat(300),
      fc.maxSafeNat(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    ),
  }),
);

/** Anything that an observation can say. */
export const observedArbitrary: fc.Arbitrary<Observed> = fc.record({
  firstData: fc.option(fc.nat(30_000), { nil: undefined }),
  figures: fc
    .uniqueArray(fc.record({ day: fc.nat(30_000), place: fc.nat(3), to: figureArbitrary }), {
      maxLength: 40,
      selector: ({ day, place }) => day * 4 + place,
    })
    .map((figures) => figures.sort((one, other) => one.day - other.day || one.place - other.place)),
});

/** Nothing is stored yet. */
export const NOTHING_HELD: Held = {
  figures: [new Map(), new Map(), new Map(), new Map()],
  isSameProperty: false,
  firstData: undefined,
  changedAt: undefined,
  zone: undefined,
};

/** What is stored of a site and source after an answer that was collected at `at` came to a decision. */
export function heldAfter(held: Held, report: DailyReport, decision: Decision, at: number): Held {
  const isToldAnew = isTold(decision);
  const zoneName = isToldAnew ? report.timeZone : (held.zone?.name ?? report.timeZone);
  return {
    figures: held.figures.map((days, place) => {
      const after = new Map(days);
      for (const { day, to } of decision.figures.filter((figure) => figure.place === place)) {
        if (to.state === "missing") after.delete(day);
        else after.set(day, to);
      }
      return after;
    }),
    isSameProperty: held.isSameProperty || isToldAnew,
    firstData: decision.firstData,
    changedAt: isToldAnew ? at : held.changedAt,
    zone: zoneName === undefined ? undefined : { name: zoneName, answeredAt: at },
  };
}

/** A figure as tests write it down: `final 5`, `final 0 omitted`, `missing`. */
export function figureText(figure: DayFigure | undefined): string {
  if (figure === undefined) return "missing";
  const { state, basis, value } = figure;
  return [state, ...(value === null ? [] : [String(value)]), ...(basis === "omitted" ? [basis] : [])].join(
    " ",
  );
}

/** What is stored of the first figure, by day. */
export function storedText(held: Held, place = 0): Record<string, string> {
  const days = [...(held.figures[place] ?? [])].sort(([one], [other]) => one - other);
  return Object.fromEntries(days.map(([day, figure]) => [dayOfNumber(day), figureText(figure)]));
}

// Figures of providers as tests plant them: days of a series, and the place in the queue that a pull leaves with them.

/** A day that its provider told. */
export const told = (value: number, state: DayValue["state"] = "final"): DayValue => ({
  state,
  basis: "reported",
  value,
  total: null,
});

/** A day of which nothing was said though it was asked for. */
export const MISSING_DAY: DayValue = { state: "missing", basis: null, value: null, total: null };

/** Puts so many days up to one in place, and lets the site and source wait to be judged, in one transaction. */
export function pullSignals(
  { writer }: { readonly writer: Pick<Writer, "write"> },
  of: { readonly asset: string; readonly source: Provider },
  span: { readonly last: UtcDay; readonly days: number },
  figures: Readonly<Record<string, (back: number, day: UtcDay) => DayValue | undefined>>,
): Promise<void> {
  return writer.write((tx) => {
    for (const [metric, make] of Object.entries(figures)) {
      const days = Array.from({ length: span.days }, (_, place) => {
        const back = span.days - 1 - place;
        const day = addDays(span.last, -back);
        return [day, make(back, day)] as const;
      });
      plantSeries(tx, { ...of, metric }, days);
    }
    awaitSignalJudging(tx, of.asset, of.source);
  });
}
