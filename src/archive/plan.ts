/** What a run of the archive asks for: known targets, what is due of each family, and what is known of a property's reports. */

import { calendarDay, HOUR_MS } from "../base/time.ts";
import type { Provider } from "../providers/adapter.ts";
import { type FaultCode, isLimit } from "../providers/faults.ts";
import { familiesOf, type ReportAsked, type ReportFamily } from "../providers/report_families.ts";
import { SEARCH_CONSOLE_ZONE } from "../providers/search_console.ts";
import { categoryAt } from "../signals/attempts.ts";
import { listRuns } from "../store/job_runs.ts";
import { numberedRows } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import { archiveTarget } from "./archive_tables.ts";
import { type ArchiveTarget, failingDates, findDay, USABLE_PLACES } from "./manifest_row.ts";

// Which reports of a property a run asks for, and in which order. Pure.

/** Completed dates of the provider's calendar that every run asks for (spec, Scheduled work). */
export const DATES = 4;
/** Days that `events-28d` is over. */
const RANGE_DAYS = 28;
/** Most dates of a family that are asked for anew, since nothing came of them. */
export const MOST_UNRESOLVED = 10;

/** A weekly report is due this long after the last one: an hour less, so that a run that begins a little earlier is not a day later. */
const WEEK_MS = 7 * 24 * HOUR_MS - HOUR_MS;

/** What is known of a family of a property before a run. Dates are day numbers, times milliseconds since the epoch. */
export interface KnownFamily {
  /** Dates of which nothing came so far, newest first. */
  readonly unresolved: readonly number[];
  /** When the last usable snapshot was asked for. */
  readonly lastUsableAt: number | undefined;
  /** Dates that the run before got, where that one did not come to its end. */
  readonly got: ReadonlySet<number>;
}

/** A report to ask for: its first and its last day, the same of a report of one day. */
export type PlannedReport = Pick<ReportAsked, "family" | "from" | "to">;

export type PropertyPlan = ReturnType<typeof planProperty>;

/** When a run plans. */
interface PlanTime {
  readonly now: number;
  /** When the run began: its UTC day is that of the snapshots. */
  readonly startedAt: number;
  /** The property's time zone as far as it is known. */
  readonly timeZone: string | undefined;
}

/** The day of a provider's own calendar: of the property's for analytics, Pacific for search console, UTC for webmaster tools. */
export const providerDay = (provider: Provider, ms: number, timeZone: string | undefined): number =>
  calendarDay(ms, provider === "analytics" ? timeZone : ZONES[provider]);

const ZONES = { "search-console": SEARCH_CONSOLE_ZONE, "webmaster-tools": "UTC" } as const;

/**
 * The reports of a property: the newest date of every family first, so that a run that breaks off has what is looked at most; then the
 * dates before it, and last those that were never got.
 */
export function planProperty(
  provider: Provider,
  { now, startedAt, timeZone }: PlanTime,
  known: (family: ReportFamily) => KnownFamily,
) {
  const newest = providerDay(provider, now, timeZone) - 1;
  const families = familiesOf(provider).map((family) => ({ family, known: known(family) }));
  const daily = families.filter(({ family }) => family.of === "day");
  const planned: (PlannedReport & { readonly isGot: boolean })[] = [];
  const first = families.flatMap(({ family, known: { got, lastUsableAt } }) => {
    if (family.of === "snapshot") {
      if (got.size === 0 && !isDue(family, lastUsableAt, now)) return [];
      const date = providerDay(provider, startedAt, undefined);
      return [{ family, from: date, to: date, isGot: got.size > 0 }];
    }
    const from = family.of === "day" ? newest : newest - RANGE_DAYS + 1;
    return [{ family, from, to: newest, isGot: got.has(newest) }];
  });
  planned.push(...first);
  for (let date = newest - 1; date > newest - DATES; date--) {
    planned.push(
      ...daily.map(({ family, known: { got } }) => ({ family, from: date, to: date, isGot: got.has(date) })),
    );
  }
  for (const { family, known: of } of daily) {
    const dates = of.unresolved.filter((date) => date <= newest - DATES).slice(0, MOST_UNRESOLVED);
    planned.push(...dates.map((date) => ({ family, from: date, to: date, isGot: of.got.has(date) })));
  }
  return {
    /** In the order in which they are asked for. */
    reports: planned.filter(({ isGot }) => !isGot).map(({ family, from, to }) => ({ family, from, to })),
    /** How many the run before got. */
    resumed: planned.filter(({ isGot }) => isGot).length,
  };
}

/** Whether a snapshot comes up. What lies ahead of the clock is of a clock that was, and puts nothing off. */
function isDue({ everyDays }: ReportFamily, lastUsableAt: number | undefined, now: number): boolean {
  if (everyDays === 1 || lastUsableAt === undefined) return true;
  const since = now - lastUsableAt;
  return since < -HOUR_MS || since >= WEEK_MS;
}

// A target with its number.

export type NumberedTarget = Readonly<typeof archiveTarget.$inferSelect>;

/** What targets are narrowed to; what is undefined narrows nothing. */
export interface WantedTargets {
  readonly asset?: string | undefined;
  readonly provider?: Provider | undefined;
  readonly family?: string | undefined;
}

const numbered = numberedRows(archiveTarget);

/** The number of a target, given to it at its first attempt; undefined where nothing was ever tried of it. */
export const { idOf: targetId, find: findTarget } = numbered;

/** Every target by its number. */
export const targetsById = (db: Db): ReadonlyMap<number, NumberedTarget> => numbered.all(db).byId;

/** The targets that were ever tried, of those wanted, in the order of their numbers: those of connections that are gone, too. */
export function listTargets(
  db: Db,
  { asset, provider, family }: WantedTargets = {},
): readonly NumberedTarget[] {
  const { byId, byAsset } = numbered.all(db);
  const all = asset === undefined ? [...byId.values()] : (byAsset.get(asset) ?? []);
  if (provider === undefined && family === undefined) return all;
  return all.filter(
    (target) =>
      (provider === undefined || target.provider === provider) &&
      (family === undefined || target.family === family),
  );
}

/** The job whose runs fill the archive. */
export const ARCHIVE_JOB = "analysis";

/** How long after a run that did not come to its end the next one takes up where it ended, in milliseconds. */
const RESUMED_WITHIN_MS = 20 * 3_600_000;
/** Runs in a row that broke off, of which the next leaves out what they got. */
const MOST_RESUMED = 16;

/** A property of a site, whichever connection it was asked over. */
type PropertyOf = Pick<ArchiveTarget, "asset" | "provider" | "property">;

const lagging = statement<{ date: number }, [number, number, number]>(
  "SELECT date FROM archive_day WHERE target = ? AND date BETWEEN ? AND ? AND good IS NULL AND failing = 0 ORDER BY date DESC",
);
const usableAt = statement<{ at: number }, [number]>(
  `SELECT r.attempted_at AS at FROM archive_standing s JOIN archive_report r ON r.id = s.usable WHERE s.target = ?`,
);
const gotSince = statement<{ date: number }, [number, number, number]>(
  `SELECT DISTINCT date FROM archive_report WHERE target = ? AND date >= ? AND run >= ? AND outcome IN (${USABLE_PLACES})`,
);

const tooLarge = statement<{ latest: number }, [number, number, string]>(
  `SELECT d.latest FROM archive_day d JOIN archive_report r ON r.id = d.latest
   WHERE d.target = ? AND d.date = ? AND r.failure_code = ?`,
);
const OVER_CEILING: FaultCode = "report_over_ceiling";

/** How far back a date is looked for that was not final when it was last asked for, in days. */
const LAG_DAYS = 30;
/** How far back a run that is taken up may have asked for dates, in days: those that nothing had come of lie before. */
const GOT_DAYS = 400;

/** The first of the runs before `run` that broke off one after the other, of which nothing needs to be asked twice. */
export function resumedFrom(db: Db, run: number, now: number): number | undefined {
  let first: number | undefined;
  for (const { id, startedAt, end } of listRuns(db, ARCHIVE_JOB, MOST_RESUMED, run)) {
    const age = now - startedAt;
    // A run without an end is one whose end could not be stored.
    const isWhole = end !== undefined && end.fault === null;
    if (isWhole || age < 0 || age >= RESUMED_WITHIN_MS) return first;
    first = id;
  }
  return first;
}

const limitedAt = statement<
  { next_retry_at: number | null; category: number | null; attempted_at: number },
  [number]
>(
  `SELECT r.next_retry_at, r.category, r.attempted_at FROM archive_standing s JOIN archive_report r ON r.id = s.latest WHERE s.target = ?`,
);

/** Until when a limit that was met by the archive holds a property; undefined where none does. What lies ahead of the clock holds nothing. */
export function archiveLimitedUntil(db: Db, of: PropertyOf, now: number): number | undefined {
  const untils = listTargets(db, of)
    .filter(({ property }) => property === of.property)
    .flatMap(({ id }) => {
      const row = limitedAt(db).first(id);
      if (row === undefined || row.attempted_at > now || !isLimit(categoryAt(row.category))) return [];
      return row.next_retry_at === null || row.next_retry_at <= now ? [] : [row.next_retry_at];
    });
  return latest(untils);
}

/** What is known of a family of a property; dates of the provider's calendar, `today` the day that is not over. */
export function knownFamily(
  db: Db,
  of: PropertyOf,
  family: ReportFamily,
  { today, resumes }: { readonly today: number; readonly resumes: number | undefined },
): KnownFamily {
  const targets = listTargets(db, { asset: of.asset, provider: of.provider, family: family.name })
    .filter(({ property }) => property === of.property)
    .map(({ id }) => id);
  return {
    unresolved: family.of === "day" ? unresolvedDates(db, targets, family, today) : [],
    lastUsableAt: latest(targets.flatMap((target) => usableAt(db).first(target)?.at ?? [])),
    got: new Set(
      resumes === undefined
        ? []
        : targets.flatMap((target) =>
            gotSince(db)
              .all(target, today - GOT_DAYS, resumes)
              .map(({ date }) => date),
          ),
    ),
  };
}

const latest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.max(...times));

/** Dates whose latest attempt failed, or found them not final yet, and that no attempt over another connection made good. */
function unresolvedDates(db: Db, targets: readonly number[], { provider }: ReportFamily, today: number) {
  // Over another connection some of them may be good by now.
  const limit = targets.length > 1 ? 5 * MOST_UNRESOLVED : MOST_UNRESOLVED + DATES;
  const dates = targets.flatMap((target) => [
    ...failingDates(db, target, today, limit),
    ...(provider === "search-console"
      ? lagging(db)
          .all(target, today - LAG_DAYS, today - 1)
          .map(({ date }) => date)
      : []),
  ]);
  const isGood = (date: number) =>
    targets.some((target) => {
      const day = findDay(db, target, date);
      return day !== undefined && day.failing === 0 && day.good !== null;
    });
  // What is larger than is taken of a report is so every day.
  const isTooLarge = (date: number) =>
    targets.some((target) => tooLarge(db).first(target, date, OVER_CEILING) !== undefined);
  return [...new Set(dates)]
    .filter((date) => !isGood(date) && !isTooLarge(date))
    .sort((one, other) => other - one);
}
