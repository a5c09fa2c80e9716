/** How each report of a property stands over all of its dates, as far as health asks: one read of a target, however long it is archived. */

import { dayOfNumber } from "../base/time.ts";
import {
  type Evidence,
  familyKey,
  listFailingBefore,
  type Observation,
  type Scope,
  type Success,
} from "../health/family.ts";
import { type Attempt, after, endDoubt, isUnrecorded, recordRead, recordResult } from "../health/record.ts";
import { archiveScope } from "../health/scopes.ts";
import { findEvidence } from "../health/state_store.ts";
import { findFamily, type ReportFamily } from "../providers/report_families.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  ARCHIVE_OUTCOMES,
  categoryAt,
  coveredBy,
  failingDates,
  isUsable,
  type ManifestRow,
  outcomeAt,
  type ReportRecord,
} from "./day_store.ts";
import { DATES, type NumberedTarget } from "./plan_store.ts";

/**
 * What an attempt to get a report came to, told to health. That a report came well is known from the manifest: it leaves a row of its own
 * only where the same report failed before, or health would grow with every report of every day.
 */

/** The capability that a provider's archive is. */
export const archiveCapability = (provider: string): string => `${provider}.archive`;

/** The key of one report of one date (a day number): current producers name no query and no device. */
export const reportKey = (report: string, date: number): string =>
  familyKey({ report, date: dayOfNumber(date), query: "", device: "" });

/** What names an attempt: its row of the manifest. */
const attemptName = (report: number): string => `archive:${report}`;

/** What is told. */
interface ToldReport {
  readonly workspace: string;
  /** Its row of the manifest. */
  readonly report: Pick<
    ManifestRow,
    | "id"
    | "target"
    | "date"
    | "attemptedAt"
    | "tookMs"
    | "outcome"
    | "category"
    | "failureCode"
    | "nextRetryAt"
  >;
  /** Whether what failed concerns everything that is asked over the connection (`Fault.scope`). */
  readonly isOfAccount: boolean;
}

/**
 * Records the result of an attempt in the transaction that stores its row. A usable result ends what was in doubt about the connection, and
 * what failed of the same report for a day that can be asked for no more. False where it could not be recorded.
 */
export function tellReport(tx: Tx, { workspace, report, isOfAccount }: ToldReport): boolean {
  const { target, date, category, failureCode, nextRetryAt } = report;
  const scope = archiveScope(workspace, target);
  const own = { ...scope, family: reportKey(target.family, date) };
  const attempt = attemptOf(report);
  if (isUsable(report.outcome)) {
    const result = { ok: true, coveredDate: coveredBy(report.outcome, date) } as const;
    const isRecorded = isAwaited(tx, own) ? recordResult(tx, own, attempt, result) : true;
    const isMadeGood = recordMadeGood(tx, scope, report, result);
    return endDoubt(tx, scope, attempt) && isRecorded && isMadeGood;
  }
  const isKnown = recordBefore(tx, own, report);
  const fault = { category: category ?? "monitoring_failure", code: failureCode } as const;
  return recordRead(tx, own, attempt, { ok: false, ...fault, nextRetryAt, isOfAccount }) && isKnown;
}

/** Whether a usable result is to be told: where an outcome of it was, or could not be. */
const isAwaited = (tx: Tx, scope: Scope): boolean => hasEvidence(tx, scope) || isUnrecorded(tx, scope);

/** What cannot be read may be there: telling more shows what is wrong with it. */
function hasEvidence(tx: Tx, scope: Scope): boolean {
  try {
    return findEvidence(tx, scope) !== undefined;
  } catch {
    return true;
  }
}

/** What a provider keeps at the moment it is asked cannot be asked for later: its next report stands in for those that failed. */
function recordMadeGood(tx: Tx, scope: Scope, report: ToldReport["report"], result: Success): boolean {
  const { provider, family } = report.target;
  if (findFamily(provider, family)?.of === "day") return true;
  return listFailingBefore(tx, scope, { report: family, date: dayOfNumber(report.date) })
    .map((failed) => recordResult(tx, { ...scope, family: familyKey(failed) }, attemptOf(report), result))
    .every(Boolean);
}

interface GoodRow {
  readonly id: number;
  readonly at: number;
  readonly took_ms: number;
  readonly outcome: number;
}

const findGood = statement<GoodRow, [string, string, string, string, string, number]>(
  `SELECT r.id, r.attempted_at AS at, r.took_ms, r.outcome FROM archive_target t
   JOIN archive_day d ON d.target = t.id AND d.date = ?6 JOIN archive_report r ON r.id = d.good
   WHERE t.asset = ?1 AND t.provider = ?2 AND t.connection_revision = ?3 AND t.property = ?4 AND t.family = ?5`,
);

/** Before the first failure of a report is told, what it last came to is: the failure is then no first sight of it. */
function recordBefore(tx: Tx, own: Scope, { id, target, date }: ToldReport["report"]): boolean {
  if (hasEvidence(tx, own)) return true;
  const { asset, provider, connectionRevision, property, family } = target;
  const good = findGood(tx).first(asset, provider, connectionRevision, property, family, date);
  const outcome = ARCHIVE_OUTCOMES[good?.outcome ?? -1];
  if (good === undefined || outcome === undefined || good.id === id) return true;
  const before = { id: good.id, attemptedAt: good.at, tookMs: good.took_ms };
  return recordResult(tx, own, attemptOf(before), { ok: true, coveredDate: coveredBy(outcome, date) });
}

function attemptOf({ id, attemptedAt, tookMs }: Pick<ManifestRow, "id" | "attemptedAt" | "tookMs">): Attempt {
  return { attempt: attemptName(id), startedAt: attemptedAt, observedAt: attemptedAt + tookMs };
}

/** What the attempts of the manifest say of the health of a report of a date, as if each had been told to it. */

/** A row of the manifest, as far as it says what came of an attempt. */
type AttemptRow = Pick<
  ReportRecord,
  "id" | "date" | "attempted_at" | "took_ms" | "outcome" | "category" | "failure_code" | "next_retry_at"
>;

/** What an attempt came to. */
function observationOf(row: AttemptRow): Observation {
  const outcome = outcomeAt(row.outcome);
  return {
    attempt: attemptName(row.id),
    startedAt: row.attempted_at,
    observedAt: row.attempted_at + row.took_ms,
    result: isUsable(outcome)
      ? { ok: true, coveredDate: coveredBy(outcome, row.date) }
      : {
          ok: false,
          category: categoryAt(row.category) ?? "monitoring_failure",
          code: row.failure_code,
          nextRetryAt: row.next_retry_at,
        },
  };
}

const COLUMNS = "id, date, attempted_at, took_ms, outcome, category, failure_code, next_retry_at";
const between = statement<AttemptRow, [number, number, number]>(
  `SELECT ${COLUMNS} FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? ORDER BY date, id`,
);
const byId = statement<AttemptRow, [number]>(`SELECT ${COLUMNS} FROM archive_report WHERE id = ?`);

/** What is known of each date of a target, from one to another, that was tried: without what a later attempt shows to be ahead of the clock. */
function evidenceBetween(db: Db, target: number, from: number, to: number): Map<number, Evidence> {
  const tried = new Map<number, AttemptRow[]>();
  for (const row of between(db).all(target, from, to)) {
    const before = tried.get(row.date) ?? [];
    const end = row.attempted_at + row.took_ms;
    tried.set(row.date, [...before.filter(({ attempted_at }) => attempted_at <= end), row]);
  }
  const known = new Map<number, Evidence>();
  for (const row of [...tried.values()].flat()) {
    known.set(row.date, after(known.get(row.date), observationOf(row)));
  }
  return known;
}

/** What one attempt came to; undefined where there is none of that number. */
function findObservation(db: Db, report: number): Observation | undefined {
  const row = byId(db).first(report);
  return row && observationOf(row);
}

/** Of a report how many of its newest dates one run asks for: of what is kept of a moment only that one. */
export const datesOfRun = ({ of }: Pick<ReportFamily, "of">): number => (of === "day" ? DATES : 1);

/** What came of a report of one date, a day number. */
export interface ReportOutcome {
  readonly date: number;
  readonly evidence: Evidence;
}

/** A report of a property. Moments are milliseconds since the epoch, dates are day numbers. */
export interface ReportFacts {
  /** The row of `archive_target`. */
  readonly target: number;
  readonly family: ReportFamily;
  /** Dates that were tried, and the newest of them. */
  readonly dates: number;
  readonly lastDate: number;
  /** Those of the newest ones, which the last run asked for, that do not fail. */
  readonly fine: number;
  /** Those of them that fail, and were not made good. */
  readonly failing: number;
  /** The newest of these. */
  readonly failure: ReportOutcome | undefined;
  /** When the latest attempt began, and when it was known what it came to. */
  readonly latestAt: number;
  readonly observedAt: number;
  /** The latest usable one. */
  readonly usable: { readonly id: number; readonly date: number; readonly at: number } | undefined;
  /** The newest date that there is a whole report of. */
  readonly coveredDate: number | undefined;
}

const DAY_MS = 86_400_000;

interface FactsRow {
  readonly target: number;
  readonly dates: number;
  readonly lastDate: number;
  readonly failing: number;
  readonly latestAt: number;
  readonly took: number;
  readonly usable: number | null;
  readonly usableDate: number | null;
  readonly usableAt: number | null;
  /** A bit for each of the newest dates that does not fail, the newest first. */
  readonly fine: number | null;
  readonly covered: number | null;
}

/** The newest date that had come when the report was last asked for: those after it are of a clock that ran ahead. */
const ASKED_ON = `(l.attempted_at + l.took_ms) / ${DAY_MS}`;
const LAST = `iif(s.last_date <= ${ASKED_ON}, s.last_date, coalesce(
    (SELECT max(d.date) FROM archive_day d WHERE d.target = s.target AND d.date <= ${ASKED_ON}), s.last_date))`;
const FACTS = `SELECT s.target, ${LAST} AS lastDate, s.failing, l.attempted_at AS latestAt, l.took_ms AS took,
    s.dates - (SELECT count(*) FROM archive_day d WHERE d.target = s.target AND d.date > ${LAST}) AS dates,
    s.usable, u.date AS usableDate, u.attempted_at AS usableAt,
    (SELECT sum((1 - d.failing) << (${LAST} - d.date)) FROM archive_day d
     WHERE d.target = s.target AND d.date BETWEEN ${LAST} - ${DATES - 1} AND ${LAST}) AS fine,
    (SELECT d.date FROM archive_day d
     WHERE d.target = s.target AND d.good IS NOT NULL AND d.date <= ${LAST} ORDER BY d.date DESC LIMIT 1) AS covered
  FROM archive_standing s JOIN archive_report l ON l.id = s.latest LEFT JOIN archive_report u ON u.id = s.usable`;
const every = statement<FactsRow, []>(FACTS);
const one = statement<FactsRow, [number]>(`${FACTS} WHERE s.target = ?`);
const part = statement<FactsRow, [number, number]>(`${FACTS} WHERE s.target % ? = ?`);

/** Which reports are read: all of them, those of some targets, or every so many-th target. */
export type WantedFacts = "all" | readonly number[] | { readonly each: number; readonly from: number };

/** How reports stand. One that no release since names is left out. */
export function readFacts(
  db: Db,
  targets: ReadonlyMap<number, NumberedTarget>,
  wanted: WantedFacts,
): ReportFacts[] {
  return rowsOf(db, wanted).flatMap((row) => {
    const target = targets.get(row.target);
    const family = target && findFamily(target.provider, target.family);
    return family === undefined ? [] : [factsOf(db, family, row)];
  });
}

function rowsOf(db: Db, wanted: WantedFacts): FactsRow[] {
  if (wanted === "all") return every(db).all();
  if ("each" in wanted) return part(db).all(wanted.each, wanted.from);
  return wanted.flatMap((target) => one(db).all(target));
}

function factsOf(db: Db, family: ReportFamily, row: FactsRow): ReportFacts {
  const {
    target,
    dates,
    lastDate,
    latestAt,
    took,
    usable: id,
    usableDate: date,
    usableAt: at,
    covered,
  } = row;
  const usable = id === null || date === null || at === null ? undefined : { id, date, at };
  const facts = {
    target,
    family,
    dates,
    lastDate,
    fine: bitsIn((row.fine ?? 0) & ((1 << datesOfRun(family)) - 1)),
    latestAt,
    observedAt: latestAt + took,
    usable,
    coveredDate: covered ?? undefined,
  };
  if (row.failing === 0) return { ...facts, failing: 0, failure: undefined };
  const failing = failingOf(db, { target, family, lastDate, usable });
  return { ...facts, failing: failing.count, failure: failing.newest };
}

const bitsIn = (bits: number): number => bits.toString(2).replaceAll("0", "").length;

const countFailing = statement<{ count: number; newest: number | null }, [number, number]>(
  "SELECT count(*) AS count, max(date) AS newest FROM archive_day WHERE failing = 1 AND target = ? AND date <= ?",
);
/** What the next report stands in for is what began before it, of an earlier date. */
const NOT_MADE_GOOD = `FROM archive_day d JOIN archive_report l ON l.id = d.latest
  WHERE d.failing = 1 AND d.target = ? AND d.date <= ? AND (d.date >= ? OR l.attempted_at >= ?)`;
const countLasting = statement<{ count: number; newest: number | null }, [number, number, number, number]>(
  `SELECT count(*) AS count, max(d.date) AS newest ${NOT_MADE_GOOD}`,
);

type Made = Pick<ReportFacts, "target" | "family" | "lastDate" | "usable">;

function failingOf(db: Db, of: Made): { readonly count: number; readonly newest: ReportOutcome | undefined } {
  const { target, family, lastDate, usable } = of;
  const found =
    family.of === "day" || usable === undefined
      ? countFailing(db).first(target, lastDate)
      : countLasting(db).first(target, lastDate, usable.date, usable.at);
  const { count = 0, newest = null } = found ?? {};
  return { count, newest: newest === null ? undefined : findOutcome(db, of, newest) };
}

const lastingDates = statement<{ date: number }, [number, number, number, number, number]>(
  `SELECT d.date ${NOT_MADE_GOOD} ORDER BY d.date DESC LIMIT ?`,
);

/** The newest dates of a report that fail and were not made good, newest first. */
export function listFailing(db: Db, { target, family, lastDate, usable }: Made, limit: number): number[] {
  if (family.of === "day" || usable === undefined) return failingDates(db, target, lastDate + 1, limit);
  return lastingDates(db)
    .all(target, lastDate, usable.date, usable.at, limit)
    .map(({ date }) => date);
}

/** What came of a report of a date; undefined where it was never tried. */
function findOutcome(db: Db, of: Made, date: number): ReportOutcome | undefined {
  return listOutcomes(db, of, date, date)[0];
}

/**
 * What came of a report of each date that was tried, from one to another. What is kept of a moment cannot be asked for later: the latest usable
 * report of a later date stands in for those before it.
 */
export function listOutcomes(
  db: Db,
  { target, family, usable }: Made,
  from: number,
  to: number,
): ReportOutcome[] {
  const known = evidenceBetween(db, target, from, to);
  const next = family.of === "day" || usable === undefined ? undefined : findObservation(db, usable.id);
  return [...known].map(([date, evidence]) => ({
    date,
    evidence:
      next !== undefined && usable !== undefined && usable.date > date ? after(evidence, next) : evidence,
  }));
}
