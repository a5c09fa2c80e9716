import { isRetired } from "../assets/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { type ChangedFlag, reconcileFlags } from "../flags/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import { keptIgnored } from "../reports/mod.ts";
import type { CodebaseThresholds } from "../rules/mod.ts";
import { comparisonDays, comparisonFor } from "./comparison.ts";
import type { CodebaseReport } from "./contract.ts";
import { judgeCodebase, type RuleReport } from "./rules.ts";
import { appendReport, findLatest, listComparisonCandidates } from "./store.ts";

/** What accepting a report did. */
export interface AcceptedReport {
  readonly date: UtcDay;
  readonly revision: number;
  readonly comparison: { readonly date: UtcDay; readonly revision: number } | null;
  readonly alerts: { readonly raised: readonly ChangedFlag[]; readonly resolved: readonly ChangedFlag[] };
}

/** A report that passed the contract, with its text as it is to be kept. */
export interface AcceptableReport {
  readonly report: CodebaseReport;
  readonly body: string;
  readonly receivedAt: number;
  readonly thresholds: CodebaseThresholds;
  readonly newId: () => string;
  /** Pointers to what of it the contract does not know. */
  readonly ignored?: readonly string[];
}

/**
 * Stores a report as the next revision of its UTC day and runs the five rules, in the caller's transaction. The rules read the
 * site's latest report, which is another one when this report is for an older day. A retired site's report is kept and not judged.
 */
export function acceptReport(tx: Tx, accepted: AcceptableReport): AcceptedReport {
  const { report, body, receivedAt, thresholds, newId, ignored = [] } = accepted;
  const asset = report.asset;
  const generatedAt = parseInstant(report.generatedAt);
  if (generatedAt === undefined)
    throw new TypeError("a report without a readable generatedAt passed the contract");
  const date = utcDayOf(generatedAt);
  const { revision, isLatest } = appendReport(tx, {
    asset,
    date,
    received_at: receivedAt,
    generated_at: generatedAt,
    ignored: keptIgnored(ignored),
    measures: JSON.stringify(report.measures),
    tools: report.tools === undefined ? null : JSON.stringify(report.tools),
    notes: report.notes === undefined ? null : JSON.stringify(report.notes),
    body,
  });
  const { measures, tools, notes = {} } = report;
  const own: RuleReport = { date, revision, measures, tools, notes };
  const latest = isLatest ? own : (findLatest(tx, asset, receivedAt) ?? own);
  const comparison = findComparison(tx, asset, latest.date);
  const judged = isRetired(tx, asset) ? [] : judgeCodebase(latest, comparison, thresholds);
  const { raised, resolved } = reconcileFlags(tx, {
    asset,
    origin: "rule",
    judged: judged.map(({ rule, verdict }) => ({ rule, source: null, subject: "", metric: null, verdict })),
    now: receivedAt,
    actor: "rule",
    newId,
  });
  return {
    date,
    revision,
    comparison: comparison === undefined ? null : { date: comparison.date, revision: comparison.revision },
    alerts: { raised, resolved },
  };
}

/** The comparison report of a site's latest report: the one choice that rules and Tower share. */
export function findComparison(db: Db, asset: string, latest: UtcDay) {
  return comparisonFor(latest, listComparisonCandidates(db, asset, comparisonDays(latest)));
}
