/**
 * Days as pages show them. What a site sends is shown on the day it mostly counts (`reports/shown_day.ts`), beside what providers tell of
 * that day. Stored messages, rule inputs and the API keep the date of the report: that is what a flag can be worked out from again.
 */

import { addDays, parseUtcDay } from "../base/time.ts";
import { newsOf } from "../flags/api.ts";
import type { FlagRow } from "../flags/flags.ts";
import type { Entry } from "../integrations/attention.ts";
import { type DayOffset, dayOffsetOf } from "../reports/shown_day.ts";
import { METRIC_RULES, SENT } from "../sites/rule_catalogue.ts";
import type { Db } from "../store/store.ts";

/** Data with every calendar day in it moved; a report that it names keeps its date. */
export function daysMoved<T>(data: T, by: DayOffset): T {
  return by === 0 ? data : (moved(data, by) as T);
}

function moved(data: unknown, by: DayOffset): unknown {
  if (typeof data === "string") {
    const day = parseUtcDay(data);
    return day === undefined ? data : addDays(day, by);
  }
  if (Array.isArray(data)) return data.map((item) => moved(item, by));
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, key === "report" ? value : moved(value, by)]),
  );
}

/** Moves the days of flags on what sites sent to where these are shown; of each site its offset is read once, and not where it is `known`. */
export function flagsShown(db: Db, known?: { readonly asset: string; readonly offset: DayOffset }) {
  const offsets = new Map<string, DayOffset>(known && [[known.asset, known.offset]]);
  return <T extends Pick<FlagRow, "asset" | "rule" | "source" | "rule_inputs">>(flag: T): T => {
    if (flag.source !== SENT || !METRIC_RULES.some((rule) => rule === flag.rule)) return flag;
    const by = offsets.get(flag.asset) ?? dayOffsetOf(db, flag.asset);
    offsets.set(flag.asset, by);
    return { ...flag, rule_inputs: daysMoved(flag.rule_inputs, by) };
  };
}

/** The ranking with the days that its flags are shown on in its sentences, each made as it is shown: few of them are. */
export function entriesShown(db: Db, entries: readonly Entry[], now: number): Entry[] {
  const shown = flagsShown(db);
  return entries.map((entry) => {
    const [worst, ...others] = entry.rows;
    if (worst === undefined) return entry;
    return {
      ...entry,
      get title() {
        return newsOf(shown(worst), now);
      },
      get also() {
        return others.map((flag) => newsOf(shown(flag), now));
      },
    };
  });
}
