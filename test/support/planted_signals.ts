/** Figures of providers as tests plant them: days of a series, and the place in the queue that a pull leaves with them. */

import { addDays, dayNumber, type UtcDay } from "../../src/base/time.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { addSeries, findSeries, putDays } from "../../src/reports/series.ts";
import type { DayValue } from "../../src/reports/series_days.ts";
import { awaitSignalJudging } from "../../src/signals/answer_record.ts";
import type { Tx } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";

/** Which figure of which site. */
export interface PlantedSignal {
  readonly asset: string;
  readonly source: Provider;
  readonly metric: string;
}

/** A day that its provider told. */
export const told = (value: number, state: DayValue["state"] = "final"): DayValue => ({
  state,
  basis: "reported",
  value,
  total: null,
});

/** A day of which nothing was said though it was asked for. */
export const MISSING_DAY: DayValue = { state: "missing", basis: null, value: null, total: null };

/** Puts days in place, oldest first. */
export function plantSignal(
  tx: Tx,
  of: PlantedSignal,
  days: readonly (readonly [day: UtcDay, to: DayValue | undefined])[],
): void {
  const changes = days.map(([day, to]) => ({ day: dayNumber(day), to }));
  putDays(tx, findSeries(tx, of) ?? addSeries(tx, of, changes.at(-1)?.day ?? 0), changes);
}

/** Puts so many days up to one in place, and lets the site and source wait to be judged, in one transaction. */
export function pullSignals(
  { writer, clock }: { readonly writer: Pick<Writer, "write">; readonly clock: { now(): number } },
  of: Pick<PlantedSignal, "asset" | "source">,
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
      plantSignal(tx, { ...of, metric }, days);
    }
    awaitSignalJudging(tx, of.asset, of.source, clock.now());
  });
}
