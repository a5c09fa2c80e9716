/** What is known of a property's reports before a run asks for them. */
import { type Db, statement } from "../db/mod.ts";
import { listRuns } from "../jobs/mod.ts";
import { isLimit } from "../provider/contract.ts";
import type { FaultCode } from "../provider/fault_codes.ts";
import type { ReportFamily } from "../provider/report/contract.ts";
import type { ArchiveTarget } from "./contract.ts";
import { failingDates, findDay } from "./day_store.ts";
import { DATES, type KnownFamily, MOST_UNRESOLVED } from "./plan.ts";
import { categoryAt, USABLE_PLACES } from "./report_row.ts";
import { listTargets } from "./target_store.ts";

/** The job whose runs fill the archive. */
export const ARCHIVE_JOB = "analysis";

/** How long after a run that did not come to its end the next one takes up where it ended, in milliseconds. */
const RESUMED_WITHIN_MS = 20 * 3_600_000;
/** Runs in a row that broke off, of which the next leaves out what they got. */
const MOST_RESUMED = 16;

/** A property of a site, whichever connection it was asked over. */
export type PropertyOf = Pick<ArchiveTarget, "asset" | "provider" | "property">;

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
function unresolvedDates(
  db: Db,
  targets: readonly number[],
  { provider }: ReportFamily,
  today: number,
): number[] {
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
