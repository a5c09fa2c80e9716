import { type VisitorsMeasured, visitorDays, visitorsChange } from "../../codebase/mod.ts";
import type { Attachment } from "../../credentials/contract.ts";
import { listAttachmentsOf } from "../../credentials/mod.ts";
import type { Db } from "../../db/mod.ts";
import { dayNumber } from "../../lib/day_number.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { findSeries, readBlocks, stretchOf, unlessDamaged } from "../../series/mod.ts";

/** The visitors of a site around two of its codebase reports; days of the property's own calendar. */
export function readVisitors(
  db: Db,
  asset: string,
  reports: { readonly latest: UtcDay; readonly comparison: UtcDay },
  attached: () => readonly Pick<Attachment, "provider">[] = () => listAttachmentsOf(db, asset),
): VisitorsMeasured {
  const series = findSeries(db, { asset, source: "analytics", metric: "active_users" });
  if (series === undefined) return { notMeasured: whyNone(attached()) };
  const of = { latest: dayNumber(reports.latest), comparison: dayNumber(reports.comparison) };
  const { from, to } = visitorDays(of);
  const days = unlessDamaged(() => stretchOf(readBlocks(db, series, from, to), from, to));
  if (days === undefined)
    return { notMeasured: "Their stored days are damaged, and rebuilding makes them anew." };
  return visitorsChange(days, of);
}

function whyNone(attached: readonly Pick<Attachment, "provider">[]): string {
  const isAttached = attached.some(({ provider }) => provider === "analytics");
  return isAttached
    ? "Nothing was pulled from the analytics property yet."
    : "No analytics source is connected.";
}
