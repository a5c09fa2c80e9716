/**
 * What an attempt to get a report came to, told to health. That a report came well is known from the manifest: it leaves a row of its own
 * only where the same report failed before, or health would grow with every report of every day.
 */
import { statement, type Tx } from "../db/mod.ts";
import {
  type Failure,
  familyKey,
  findEvidence,
  isUnrecorded,
  listFailingBefore,
  opaqueId,
  recordBeside,
  type Scope,
  type Success,
} from "../health/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import { findFamily } from "../provider/report/families.ts";
import { ARCHIVE_OUTCOMES, type ArchiveTarget, coveredBy, isUsable, type ManifestRow } from "./contract.ts";

/** The capability that a provider's archive is. */
export const archiveCapability = (provider: string): string => `${provider}.archive`;

/** What is monitored of a property's archive, but for the report; of everything over the connection without site and property (''). */
export function archiveScope(
  workspace: string,
  {
    asset,
    provider,
    connectionRevision,
    property,
  }: Pick<ArchiveTarget, "asset" | "provider" | "connectionRevision" | "property">,
): Scope {
  return {
    workspace,
    provider,
    connectionRevision,
    capability: archiveCapability(provider),
    asset,
    target: asset === "" ? opaqueId(connectionRevision) : opaqueId(provider, property),
    family: "",
  };
}

/** The key of one report of one date (a day number): current producers name no query and no device. */
export const reportKey = (report: string, date: number): string =>
  familyKey({ report, date: dayOfNumber(date), query: "", device: "" });

/** What names an attempt: its row of the manifest. */
export const attemptName = (report: number): string => `archive:${report}`;

/** What is told. */
export interface ToldReport {
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
 * Tells what an attempt came to, in the transaction that stores its row. A usable result shows that the connection works, too, where that
 * was in doubt, and makes good what failed of the same report for a day that can be asked for no more. False where it could not be
 * told; throws only what ends the whole transaction.
 */
export function tellReport(tx: Tx, { workspace, report, isOfAccount }: ToldReport): boolean {
  const { target, date, category, failureCode } = report;
  const scope = archiveScope(workspace, target);
  const own = { ...scope, family: reportKey(target.family, date) };
  const account = archiveScope(workspace, { ...target, asset: "", property: "" });
  if (isUsable(report.outcome)) {
    const result = { ok: true, coveredDate: coveredBy(report.outcome, date) } as const;
    const isTold = isAwaited(tx, own) ? tell(tx, own, report, result) : true;
    const isMadeGood = tellMadeGood(tx, scope, report, result);
    const isLetIn = isInDoubt(tx, account)
      ? tell(tx, account, report, { ok: true, coveredDate: null })
      : true;
    return isTold && isMadeGood && isLetIn;
  }
  const result = {
    ok: false,
    category: category ?? "monitoring_failure",
    code: failureCode,
    nextRetryAt: report.nextRetryAt,
  } as const;
  const isKnown = tellBefore(tx, own, report);
  const isTold = tell(tx, own, report, result) && isKnown;
  return isOfAccount ? tell(tx, account, report, result) && isTold : isTold;
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

/** Whether the last that is known of a scope is a failure, or could not be recorded. */
function isInDoubt(tx: Tx, scope: Scope): boolean {
  try {
    return (findEvidence(tx, scope)?.latest.category ?? null) !== null || isUnrecorded(tx, scope);
  } catch {
    return true;
  }
}

/** What a provider keeps at the moment it is asked cannot be asked for later: its next report stands in for those that failed. */
function tellMadeGood(tx: Tx, scope: Scope, report: ToldReport["report"], result: Success): boolean {
  const { provider, family } = report.target;
  if (findFamily(provider, family)?.of === "day") return true;
  return listFailingBefore(tx, scope, { report: family, date: dayOfNumber(report.date) })
    .map((failed) => tell(tx, { ...scope, family: familyKey(failed) }, report, result))
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
function tellBefore(tx: Tx, own: Scope, { id, target, date }: ToldReport["report"]): boolean {
  if (hasEvidence(tx, own)) return true;
  const { asset, provider, connectionRevision, property, family } = target;
  const good = findGood(tx).first(asset, provider, connectionRevision, property, family, date);
  const outcome = ARCHIVE_OUTCOMES[good?.outcome ?? -1];
  if (good === undefined || outcome === undefined || good.id === id) return true;
  const before = { id: good.id, attemptedAt: good.at, tookMs: good.took_ms };
  return tell(tx, own, before, { ok: true, coveredDate: coveredBy(outcome, date) });
}

/** It is told as soon as it is known. */
function tell(
  tx: Tx,
  scope: Scope,
  { id, attemptedAt, tookMs }: Pick<ManifestRow, "id" | "attemptedAt" | "tookMs">,
  result: Success | Failure,
): boolean {
  const observedAt = attemptedAt + tookMs;
  return recordBeside(
    tx,
    scope,
    { attempt: attemptName(id), startedAt: attemptedAt, observedAt, result },
    observedAt,
  );
}
