/**
 * What an attempt to get a report came to, told to health. That a report came well is known from the manifest: it leaves a row of its own
 * only where the same report failed before, or health would grow with every report of every day.
 */

import { dayOfNumber } from "../base/time.ts";
import { archiveScope, familyKey, listFailingBefore, type Scope, type Success } from "../health/health.ts";
import { type Attempt, endDoubt, isUnrecorded, recordRead, recordResult } from "../health/record.ts";
import { findEvidence } from "../health/state_store.ts";
import { findFamily } from "../providers/report_families.ts";
import { statement, type Tx } from "../store/store.ts";
import { ARCHIVE_OUTCOMES, coveredBy, isUsable, type ManifestRow } from "./manifest_row.ts";

/** The capability that a provider's archive is. */
export const archiveCapability = (provider: string): string => `${provider}.archive`;

/** The key of one report of one date (a day number): current producers name no query and no device. */
export const reportKey = (report: string, date: number): string =>
  familyKey({ report, date: dayOfNumber(date), query: "", device: "" });

/** What names an attempt: its row of the manifest. */
export const attemptName = (report: number): string => `archive:${report}`;

/** What is told. */
interface RecordedAttempt {
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
export function recordReportHealth(tx: Tx, { workspace, report, isOfAccount }: RecordedAttempt): boolean {
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
function recordMadeGood(tx: Tx, scope: Scope, report: RecordedAttempt["report"], result: Success): boolean {
  const { provider, family } = report.target;
  if (findFamily(provider, family)?.of === "day") return true;
  return listFailingBefore(tx, scope, { report: family, date: dayOfNumber(report.date) })
    .map((failed) => recordResult(tx, { ...scope, family: familyKey(failed) }, attemptOf(report), result))
    .every(Boolean);
}

const findGood = statement<
  { id: number; at: number; took_ms: number; outcome: number },
  [string, string, string, string, string, number]
>(
  `SELECT r.id, r.attempted_at AS at, r.took_ms, r.outcome FROM archive_target t
   JOIN archive_day d ON d.target = t.id AND d.date = ?6 JOIN archive_report r ON r.id = d.good
   WHERE t.asset = ?1 AND t.provider = ?2 AND t.connection_revision = ?3 AND t.property = ?4 AND t.family = ?5`,
);

/** Before the first failure of a report is told, what it last came to is: the failure is then no first sight of it. */
function recordBefore(tx: Tx, own: Scope, { id, target, date }: RecordedAttempt["report"]): boolean {
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
