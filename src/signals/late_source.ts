/**
 * A source that is late: the properties of an account lack the same newest days, and none of them has any. What is left out at the
 * newest end is then no zero yet: its days are not tested for a while, and one flag tells it instead.
 */

import { Slices } from "../base/concurrency.ts";
import { calendarDay, dayNumber, dayOfNumber, utcDayOf } from "../base/time.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { holdOpen, release } from "../flags/reconcile.ts";
import { type Attachment, findCredential, listCredentials } from "../providers/credentials.ts";
import { listAttachmentsWith } from "../providers/properties.ts";
import { findSeries, readBlocks } from "../reports/series.ts";
import { DayReader } from "../reports/series_days.ts";
import { RULES, raisedTitle, SOURCE_SILENT } from "../sites/rule_catalogue.ts";
import { isRetired } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import type { Db } from "../store/store.ts";
import { lastTimeZone, pullStanding } from "./attempts.ts";
import { SETTLE_DAYS } from "./decide.ts";

const PROVIDER = "analytics";

/** Days after it settled for which a day that a late source lacks is not tested. */
const PATIENCE_DAYS = 5;

/** A property with few visitors lacks days in any week: its lack says something only where it had nearly every day of the week before. */
const WEEK = { days: 7, told: 6 } as const;

/** How far back a property's days are read. */
const REACH_DAYS = 100;

/** Sites named in the inputs at most. */
const MOST_NAMED = 50;

/** A property as it was last collected; days as day numbers of its calendar. */
interface CollectedProperty {
  readonly asset: string;
  /** The day on which it last answered. */
  readonly collectedOn: number;
  /** The days that it has figures of, ascending; those it left out are not among them. */
  readonly days: readonly number[];
}

/** The days that the properties of an account lack. */
export interface Lateness {
  readonly from: number;
  /** The newest of them that is settled. */
  readonly to: number;
  /** The sites whose properties lack them. */
  readonly assets: readonly string[];
}

/** What the properties of an account lack together; undefined where one has it, or fewer than two lack it. Pure. */
export function latenessOf(properties: readonly CollectedProperty[]): Lateness | undefined {
  const newest = Math.max(...properties.map(({ days }) => days.at(-1) ?? Number.NEGATIVE_INFINITY));
  const from = newest + 1;
  const lacking = properties.filter(
    ({ collectedOn, days }) =>
      collectedOn > from && days.filter((day) => day >= from - WEEK.days).length >= WEEK.told,
  );
  const to = Math.max(...lacking.map(({ collectedOn }) => collectedOn)) - SETTLE_DAYS;
  return lacking.length < 2 || to < from
    ? undefined
    : { from, to, assets: lacking.map(({ asset }) => asset) };
}

/** Whether a day of a late source is not tested yet. */
export function isAwaited(day: number, lateness: Lateness | undefined, today: number): boolean {
  return lateness !== undefined && day >= lateness.from && today < day + SETTLE_DAYS + PATIENCE_DAYS;
}

/** How late the accounts are, each read once. */
export class LateSources {
  readonly #db: Db;
  readonly #now: number;
  readonly #known = new Map<string, Promise<Lateness | undefined>>();

  constructor(db: Db, now: number) {
    this.#db = db;
    this.#now = now;
  }

  /** How late the source of an account is. */
  of(credential: string): Promise<Lateness | undefined> {
    const known = this.#known.get(credential) ?? this.#read(credential);
    this.#known.set(credential, known);
    return known;
  }

  async #read(credential: string): Promise<Lateness | undefined> {
    const db = this.#db;
    const today = dayNumber(utcDayOf(this.#now));
    const told: { readonly of: Attachment; readonly days: number[] }[] = [];
    const slices = new Slices();
    for (const of of listAttachmentsWith(db, credential)) {
      await slices.next();
      if (of.provider !== PROVIDER || isRetired(db, of.asset)) continue;
      const days = reportedDays(db, of.asset, today);
      // It has a day that is settled in no calendar yet: nothing lags, and the others need not be read.
      if ((days.at(-1) ?? 0) >= today - 1) return undefined;
      if (days.length > 0) told.push({ of, days });
    }
    const collected: CollectedProperty[] = [];
    for (const { of, days } of told) {
      await slices.next();
      const { reportedAt } = pullStanding(db, of);
      if (reportedAt === undefined || reportedAt > this.#now) continue;
      collected.push({ asset: of.asset, collectedOn: calendarDay(reportedAt, lastTimeZone(db, of)), days });
    }
    return latenessOf(collected);
  }
}

/** The days of a site that analytics told figures of. */
function reportedDays(db: Db, asset: string, today: number): number[] {
  const series = findSeries(db, { asset, source: PROVIDER, metric: "event_count" });
  const days: number[] = [];
  for (const { block, days: bytes } of series === undefined
    ? []
    : readBlocks(db, series, today - REACH_DAYS, today + 1)) {
    for (const reader = new DayReader(bytes, block); reader.next(); ) {
      if (reader.basis === "reported") days.push(reader.day);
    }
  }
  return days;
}

/** Holds one flag for each account whose source is late. */
export async function holdSilentSources({ store, writer, clock, ids, config }: Core): Promise<void> {
  const { db } = store;
  const now = clock.now();
  const late = new LateSources(db, now);
  const open = new Map(
    listOpenSubjects(db, SOURCE_SILENT, config.serviceAsset).map(({ subject, inputs }) => [subject, inputs]),
  );
  const accounts = new Set([
    ...listCredentials(db).flatMap(({ id, providers }) => (providers.includes(PROVIDER) ? [id] : [])),
    ...open.keys(),
  ]);
  const on = { rule: SOURCE_SILENT, asset: config.serviceAsset, now };
  for (const subject of accounts) {
    const lateness = await late.of(subject);
    const inputs = lateness && inputsOf(lateness, findCredential(db, subject)?.label ?? subject);
    const held = open.get(subject);
    if (inputs === undefined && held === undefined) continue;
    if (inputs !== undefined && Bun.deepEquals(inputs, held)) continue;
    await writer.write((tx) => {
      if (inputs === undefined) return void release(tx, { ...on, subject });
      const message = raisedTitle(SOURCE_SILENT, subject, inputs, now);
      const raised = RULES[SOURCE_SILENT].raised;
      holdOpen(tx, { ...on, subject, ...raised, message, inputs, reading: inputs, newId: ids.uuid });
    });
  }
}

function inputsOf({ from, to, assets }: Lateness, account: string) {
  return {
    account,
    provider: PROVIDER,
    from: dayOfNumber(from),
    to: dayOfNumber(to),
    properties: assets.length,
    sites: assets.slice(0, MOST_NAMED),
  };
}
