/** What a provider told of one figure of a site, as the rules read it: days of the provider's own calendar, each with its state. */
import { listConsentSteps } from "../annotations/mod.ts";
import type { Db } from "../db/mod.ts";
import { dayNumber } from "../lib/day_number.ts";
import { startOfDay, type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import { calendarDay } from "../lib/zone_day.ts";
import type { Provider } from "../provider/contract.ts";
import { findSeries, readBlocks, stretchOf } from "../series/mod.ts";
import { findLastTold } from "../signals/mod.ts";
import { type FlowSeries, trimmed } from "./series.ts";

/** The provider whose figures a change of consent mode moves: its tags are loaded in browsers that may refuse them. */
export const MOVED_BY_CONSENT: Provider = "analytics";

const DAY_MS = 86_400_000;

/** The days of a series from so many before today on, where nothing is known of those at its ends. */
export function stretchOfSignal(db: Db, id: number, today: UtcDay, reach: number): FlowSeries {
  // East of Greenwich tomorrow has begun; it is never final, but it is never out of reach either.
  const to = dayNumber(today) + 1;
  const from = to - reach;
  const { firstDay, values: counts, states } = stretchOf(readBlocks(db, id, from, to), from, to);
  return trimmed({ firstDay, counts, states });
}

/** The days of the provider's calendar on which consent mode changed, since so many days before today. */
export function consentSteps(
  db: Db,
  {
    asset,
    source,
    timeZone,
  }: { readonly asset: string; readonly source: Provider; readonly timeZone: string },
  today: UtcDay,
  reach: number,
): number[] {
  if (source !== MOVED_BY_CONSENT) return [];
  return listConsentSteps(db, asset, startOfDay(today) - reach * DAY_MS).map((at) =>
    calendarDay(at, timeZone),
  );
}

/** One figure with what may be compared of it; undefined where nothing was ever told of it. */
export function findSignalSeries(
  db: Db,
  of: { readonly asset: string; readonly source: Provider; readonly metric: string },
  now: number,
  reach: number,
): FlowSeries | undefined {
  const { asset, source } = of;
  const today = utcDayOf(now);
  const id = findSeries(db, of);
  if (id === undefined) return undefined;
  const timeZone = findLastTold(db, asset, source)?.timeZone ?? "";
  const steps = consentSteps(db, { asset, source, timeZone }, today, reach);
  return { ...stretchOfSignal(db, id, today, reach), ...(steps.length > 0 && { steps }) };
}
