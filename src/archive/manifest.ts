/** The manifest: one row an attempt, and the read models that are kept beside it in the same transaction. */

import type { Provider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { categoryAt } from "../signals/attempts.ts";
import { runNames } from "../store/job_runs.ts";
import { appending, columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { archiveReport, archiveStanding } from "./archive_tables.ts";
import {
  ARCHIVE_OUTCOMES,
  type ArchiveNote,
  type ArchiveOutcome,
  type ArchiveTarget,
  bitsOf,
  type DayRow,
  type DayStand,
  dayAfter,
  dayRow,
  daysBetween,
  findDay,
  isLater,
  isUsable,
  type ManifestRow,
  notesAt,
  outcomeAt,
  putDay,
  type ReportRecord,
  type TakenIn,
} from "./manifest_row.ts";
import { OBJECT_COLUMNS, type ObjectRow, objectOf, objectRows, recordObject } from "./objects.ts";
import { targetId, targetsById } from "./plan.ts";

/** How a report stands over all of its dates: a read model, made of its days and of its latest attempts. */
export type StandingRow = typeof archiveStanding.$inferSelect;

/** The attempts that a report stands by, over all of its dates. */
export interface ReportStand {
  readonly latest: TakenIn;
  /** The latest usable one. */
  readonly usable: TakenIn | undefined;
}

/** What a report stands by after one more attempt, in the order in which they were recorded. */
export function standAfter(stand: ReportStand | undefined, attempt: TakenIn): ReportStand {
  return {
    latest: stand === undefined || isLater(attempt, stand.latest) ? attempt : stand.latest,
    usable: isUsable(attempt.outcome) && isLater(attempt, stand?.usable) ? attempt : stand?.usable,
  };
}

/** How a report stands after an attempt that changed a date. */
function standingAfter(
  standing: StandingRow | undefined,
  { latest, usable }: ReportStand,
  { before, after }: { readonly before: DayRow | undefined; readonly after: DayRow },
): StandingRow {
  return {
    target: after.target,
    dates: (standing?.dates ?? 0) + (before === undefined ? 1 : 0),
    failing: (standing?.failing ?? 0) + after.failing - (before?.failing ?? 0),
    last_date: Math.max(standing?.last_date ?? after.date, after.date),
    latest: latest.id,
    usable: usable?.id ?? null,
  };
}

const COLUMNS = columnsOf(archiveStanding);
const find = statement<StandingRow, [number]>(`SELECT ${COLUMNS} FROM archive_standing WHERE target = ?`);
const putStanding = replacing(archiveStanding);

/** An attempt as it is to be recorded. Its object is safe in the store already. */
export interface NewReport extends Omit<ManifestRow, "id" | "run"> {
  /** The run's row in `job_run`. */
  readonly run: number;
}

const append = appending(archiveReport);
// An attempt is known by its run, its report and the moment it began.
const findSame = statement<{ id: number }, [number, number, number, number]>(
  "SELECT id FROM archive_report WHERE target = ? AND date = ? AND run = ? AND attempted_at = ?",
);

const putRun = statement<never, [number, number, number]>(
  "INSERT INTO archive_run (run, first, last) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last",
);

/**
 * Records an attempt, and what it makes of its date and of its report as a whole. Times are rounded to milliseconds. A write that is tried
 * again makes no second row. Returns the row, and that of `archive_target`.
 */
export function recordReport(tx: Tx, report: NewReport) {
  const target = targetId(tx, report.target);
  const { run, date, outcome } = report;
  const attempted_at = Math.round(report.attemptedAt);
  const same = findSame(tx).first(target, date, run, attempted_at);
  if (same !== undefined) return { id: same.id, target };
  const row = {
    run,
    target,
    date,
    range_from: report.rangeFrom,
    attempted_at,
    took_ms: Math.max(0, Math.round(report.tookMs)),
    outcome: ARCHIVE_OUTCOMES.indexOf(outcome),
    category: report.category === null ? null : FAILURE_CATEGORIES.indexOf(report.category),
    failure_code: report.failureCode,
    next_retry_at: report.nextRetryAt === null ? null : Math.round(report.nextRetryAt),
    requests: report.requests,
    object: report.object === null ? null : recordObject(tx, report.object, attempted_at),
    complete: report.complete ? 1 : 0,
    notes: bitsOf(report.notes),
  };
  const id = append(tx, row);
  putRun(tx).run(run, id, id);
  takeIn(tx, { id, target, date, attemptedAt: attempted_at, endedAt: attempted_at + row.took_ms, outcome });
  return { id, target };
}

/** Lets how its date and its report stand follow an attempt. */
function takeIn(tx: Tx, attempt: TakenIn): void {
  const { target, date } = attempt;
  const before = findDay(tx, target, date);
  const after = dayRow(dayAfter(dayStand(tx, before), attempt));
  if (before?.latest === after.latest) putDay(tx, after);
  else recounted(tx, target, date, () => putDay(tx, after));
  const standing = find(tx).first(target);
  const stand = standAfter(reportStand(tx, standing), attempt);
  putStanding(tx, standingAfter(standing, stand, { before, after }));
}

// Over two connections a site's report of a date may have two rows: the attempt that was recorded later counts.
const countedAttempt = statement<{ report: number | null }, [number, number]>(
  `SELECT max(d.latest) AS report FROM archive_target t
   JOIN archive_target s ON s.asset = t.asset AND s.provider = t.provider AND s.family = t.family
   JOIN archive_day d ON d.target = s.id AND d.date = ?2 WHERE t.id = ?1`,
);
const addToTally = statement<never, [number, number]>(
  `INSERT INTO archive_tally (date, provider, family, outcome, category, sites)
   SELECT r.date, t.provider, t.family, r.outcome, coalesce(r.category, -1), ?2
   FROM archive_report r JOIN archive_target t ON t.id = r.target WHERE r.id = ?1
   ON CONFLICT DO UPDATE SET sites = sites + excluded.sites`,
);

/** Changes how a date of a target stands, and moves its site in the counts of that date where another attempt counts for it now. */
function recounted(tx: Tx, target: number, date: number, change: () => void): void {
  const before = countedAttempt(tx).first(target, date)?.report ?? null;
  change();
  const after = countedAttempt(tx).first(target, date)?.report ?? null;
  if (before === after) return;
  if (before !== null) addToTally(tx).run(before, -1);
  if (after !== null) addToTally(tx).run(after, 1);
}

function dayStand(tx: Tx, day: DayRow | undefined): DayStand | undefined {
  const latest = day && takenIn(tx, day.latest);
  return latest && { latest, good: takenIn(tx, day.good) };
}

function reportStand(tx: Tx, standing: StandingRow | undefined): ReportStand | undefined {
  const latest = standing && takenIn(tx, standing.latest);
  return latest && { latest, usable: takenIn(tx, standing.usable) };
}

const findTaken = statement<Omit<TakenIn, "outcome"> & { readonly outcome: number }, [number]>(
  "SELECT id, target, date, attempted_at AS attemptedAt, attempted_at + took_ms AS endedAt, outcome FROM archive_report WHERE id = ?",
);

function takenIn(tx: Tx, id: number | null): TakenIn | undefined {
  const row = id === null ? undefined : findTaken(tx).first(id);
  return row && { ...row, outcome: outcomeAt(row.outcome) };
}

/** A row of the manifest with its object, as they are read together. */
export type JoinedRow = ReportRecord & { readonly [K in keyof ObjectRow]: ObjectRow[K] | null };

/** What a row of the manifest is read from; the report is `r`. */
export const JOINED = `SELECT r.*,
   ${OBJECT_COLUMNS.map((name) => `o.${name}`).join(", ")}
   FROM archive_report r LEFT JOIN archive_object o ON o.id = r.object`;

/** Which of these are of a run, the first parameter. */
export const OF_RUN = `r.run = ?1 AND r.id BETWEEN (SELECT first FROM archive_run WHERE run = ?1)
   AND (SELECT last FROM archive_run WHERE run = ?1)`;

const NOWHERE: ArchiveTarget = {
  asset: "",
  provider: "analytics",
  connectionRevision: "",
  property: "",
  family: "",
};

/** A row of the manifest by its names. */
export function manifestRow(db: Db, row: JoinedRow): ManifestRow {
  const { sha256, bytes, stored_bytes, stored_sha256, content, rows } = row;
  const isWhole =
    sha256 !== null &&
    bytes !== null &&
    stored_bytes !== null &&
    stored_sha256 !== null &&
    content !== null &&
    rows !== null;
  return {
    id: row.id,
    run: runNames(db, row.run).run,
    target: targetsById(db).get(row.target) ?? NOWHERE,
    date: row.date,
    rangeFrom: row.range_from,
    attemptedAt: row.attempted_at,
    tookMs: row.took_ms,
    outcome: outcomeAt(row.outcome),
    category: categoryAt(row.category),
    failureCode: row.failure_code,
    nextRetryAt: row.next_retry_at,
    requests: row.requests,
    object: isWhole ? objectOf({ ...row, sha256, bytes, stored_bytes, stored_sha256, content, rows }) : null,
    complete: row.complete === 1,
    notes: notesAt(row.notes),
  };
}

const oneById = statement<JoinedRow, [number]>(`${JOINED} WHERE r.id = ?`);
export const reportsNumbered = statement<JoinedRow, [string]>(
  `${JOINED} WHERE r.id IN (SELECT value FROM json_each(?)) ORDER BY r.id DESC`,
);
const ofObjectRow = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE r.object = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
);

/** A row of the manifest; undefined where there is none of that number. */
export function findReport(db: Db, id: number): ManifestRow | undefined {
  const row = oneById(db).first(id);
  return row === undefined ? undefined : manifestRow(db, row);
}

const noted = statement<{ notes: number }, [number]>("SELECT notes FROM archive_report WHERE id = ?");

/** What is known of a report beside its rows; undefined where there is no such attempt. */
export function notesOf(db: Db, id: number): ArchiveNote[] | undefined {
  const row = noted(db).first(id);
  return row && notesAt(row.notes);
}

/**
 * The attempts before a row that an object is the report of, the newest first. Each of the object's few rows is asked for by itself: an
 * empty report is that of a million attempts, which must not be put in order for the first of them.
 */
export function attemptsOfObject(db: Db, sha256: string, before: number, limit: number): JoinedRow[] {
  return objectRows(db, sha256)
    .flatMap((object) => ofObjectRow(db).all(object, before, limit))
    .sort((one, other) => other.id - one.id)
    .slice(0, limit);
}

/** The same, named. */
export function reportsOfObject(db: Db, sha256: string, limit = 100): ManifestRow[] {
  return attemptsOfObject(db, sha256, Number.MAX_SAFE_INTEGER, limit).map((row) => manifestRow(db, row));
}

/** Which dates of which targets are listed: day numbers, both included. */
interface WantedDays {
  /** Numbers of targets. */
  readonly targets: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The latest attempt of each date that was tried of targets, by target, newest date first. */
export function latestReports(
  db: Db,
  { targets, from, to }: WantedDays,
): (readonly [target: number, latest: ManifestRow])[] {
  const days = daysBetween(db, targets, from, to);
  const rows = reportsNumbered(db).all(JSON.stringify(days.map(({ latest }) => latest)));
  const reports = new Map(rows.map((row) => [row.id, manifestRow(db, row)]));
  return days.flatMap(({ target, latest: id }) => {
    const latest = reports.get(id);
    return latest === undefined ? [] : [[target, latest] as const];
  });
}

const latestOf = statement<Pick<StandingRow, "target" | "latest">, [string]>(
  `SELECT s.target, s.latest FROM archive_target t JOIN archive_standing s ON s.target = t.id WHERE t.asset = ?`,
);

/** The latest attempt of each target of a site that was ever tried: rows of the manifest. */
export const latestOfTargets = (db: Db, asset: string): ReadonlyMap<number, number> =>
  new Map(
    latestOf(db)
      .all(asset)
      .map(({ target, latest }) => [target, latest]),
  );

const outcomesOfRun = statement<{ outcome: number; attempts: number }, [number]>(
  `SELECT outcome, count(*) AS attempts FROM archive_report r WHERE ${OF_RUN} GROUP BY outcome ORDER BY outcome`,
);

/** What came of the attempts of a run, by outcome. */
export function reportsOfRun(db: Db, run: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    outcomesOfRun(db)
      .all(run)
      .map(({ outcome, attempts }) => [outcomeAt(outcome), attempts]),
  );
}

// What pages of the archive show of very many attempts, without reading them: counts, sums, and the dates of one site.

/** How many sites' reports of a date came to this, each by its latest attempt over all of its connections. */
export interface ArchiveTally {
  readonly provider: Provider;
  readonly family: string;
  /** Day number. */
  readonly date: number;
  readonly outcome: ArchiveOutcome;
  readonly category: FailureCategory | null;
  readonly sites: number;
}

type Counted<Row> = Omit<Row, "outcome" | "category"> & {
  readonly outcome: number;
  readonly category: number;
};

const named = <Row>({ outcome, category, ...row }: Counted<Row>) => ({
  ...row,
  outcome: outcomeAt(outcome),
  category: categoryAt(category < 0 ? null : category),
});

const tallied = statement<Counted<ArchiveTally>, [number, number]>(
  "SELECT date, provider, family, outcome, category, sites FROM archive_tally WHERE date BETWEEN ? AND ? AND sites > 0",
);

/** The counts of dates, both included. */
export function listTally(db: Db, from: number, to: number): ArchiveTally[] {
  return tallied(db).all(from, to).map(named);
}

const ofSite = statement<Counted<ArchiveTally>, [string, number, number]>(
  `SELECT t.provider, t.family, d.date, r.outcome, coalesce(r.category, -1) AS category, 1 AS sites
   FROM archive_target t JOIN archive_day d ON d.target = t.id JOIN archive_report r ON r.id = d.latest
   WHERE t.asset = ? AND d.date BETWEEN ? AND ? ORDER BY d.latest`,
);

/** The same of one site: one for each family and date that was tried. */
export function listTallyOf(db: Db, asset: string, from: number, to: number): ArchiveTally[] {
  // Over two connections there may be two of one date: the later attempt stands.
  const latest = new Map(
    ofSite(db)
      .all(asset, from, to)
      .map((row) => [`${row.provider} ${row.family} ${row.date}`, row]),
  );
  return [...latest.values()].map(named);
}

const earlier = statement<{ found: number }, [string, number]>(
  "SELECT 1 AS found FROM archive_tally WHERE provider = ? AND date < ? AND sites > 0 ORDER BY date DESC LIMIT 1",
);
const earlierOfSite = statement<{ found: number }, [string, string, number]>(
  `SELECT 1 AS found FROM archive_target t JOIN archive_day d ON d.target = t.id
   WHERE t.asset = ? AND t.provider = ? AND d.date < ? LIMIT 1`,
);

/** Whether a provider's reports of dates before a day were asked for, of all sites or of one. */
export function isTriedBefore(db: Db, provider: Provider, asset: string | null, day: number): boolean {
  const found =
    asset === null ? earlier(db).first(provider, day) : earlierOfSite(db).first(asset, provider, day);
  return found !== undefined;
}
