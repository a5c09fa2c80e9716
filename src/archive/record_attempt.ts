/** What an attempt came to, in one transaction: its row, how its date stands, what is kept of it, and what health is told. */
import type { Tx, Writer } from "../db/mod.ts";
import { holdProviderIssues, type InsightBody, putInsight } from "../insights/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";
import type { Fault } from "../provider/contract.ts";
import { faultOf, nextRetryAt } from "../provider/fault.ts";
import { endSlowProbe, noteAccountFault, type Question } from "../signals/mod.ts";
import { type ArchiveObject, isUsable } from "./contract.ts";
import { noteWhole } from "./damage_store.ts";
import { findDay } from "./day_store.ts";
import { refusal, type Verdict } from "./judge_report.ts";
import { type NewReport, recordReport } from "./manifest_store.ts";
import type { PlannedReport } from "./plan.ts";
import { tellReport } from "./report_health.ts";
import { endSkip } from "./skip_store.ts";

/** An attempt as it went. Times are milliseconds since the epoch. */
export interface Attempted {
  /** The run's row in `job_run`. */
  readonly run: number;
  readonly question: Question;
  readonly report: PlannedReport;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly requests: number;
}

/** What it came to. */
export interface Came {
  readonly verdict: Verdict;
  /** What ended it, which its row may tell by another code: a later page that a quota refused. */
  readonly met: Fault | undefined;
  readonly object: ArchiveObject | undefined;
  readonly insight: InsightBody | undefined;
  /** Whether its object was damaged, and was stored anew over what was left of it. */
  readonly isMended?: boolean;
}

/** What came of recording it. */
export interface Recorded {
  readonly outcome: NewReport["outcome"];
  /** False where it stands, but could not be told to the health of its capability. */
  readonly isMonitored: boolean;
}

/** What an attempt without a report came to. */
export const refusedBy = (fault: Fault): Came => ({
  verdict: { ...refusal(fault), fault, complete: false, notes: [], isKept: false },
  met: fault,
  object: undefined,
  insight: undefined,
});

/** The answer came, and by then the site's reports came from elsewhere. */
const SUPERSEDED = refusedBy(faultOf("connection_changed"));

/** What recording needs. */
export interface RecordDeps {
  readonly workspace: string;
  readonly writer: Pick<Writer, "write">;
  readonly newId: () => string;
}

/** Records an attempt, behind what answers wait for. Throws where storage takes nothing. */
export function recordAttempted(deps: RecordDeps, attempted: Attempted, came: Came): Promise<Recorded> {
  return deps.writer.write((tx) => write(tx, deps, attempted, came), { behind: true, isRepeatable: true });
}

function write(tx: Tx, deps: RecordDeps, attempted: Attempted, came: Came): Recorded {
  const { question, report, startedAt, finishedAt } = attempted;
  const isCurrent = question.isCurrent(tx);
  const { verdict, met, object, insight, isMended } = isCurrent || came.met !== undefined ? came : SUPERSEDED;
  const { asset, provider, connectionRevision, property } = question;
  const { family } = report;
  const target = { asset, provider, connectionRevision, property, family: family.name };
  const { outcome, fault, complete, notes } = verdict;
  const row: NewReport = {
    run: attempted.run,
    target,
    date: report.to,
    rangeFrom: report.from === report.to ? null : report.from,
    attemptedAt: startedAt,
    tookMs: finishedAt - startedAt,
    outcome,
    category: fault?.category ?? null,
    failureCode: fault?.code ?? null,
    nextRetryAt: met === undefined ? null : nextRetryAt(met, finishedAt),
    requests: attempted.requests,
    object: object ?? null,
    complete,
    notes,
  };
  const recorded = recordReport(tx, row);
  const isOfAccount = met?.scope === "credential";
  if (isOfAccount) noteAccountFault(tx, { ...attempted, target }, met);
  else if (isUsable(outcome) && attempted.requests > 0) endSlowProbe(tx, { ...attempted, target });
  if (complete) endSkip(tx, target);
  if (isMended && object !== undefined) noteWhole(tx, object.sha256, finishedAt);
  if (insight !== undefined && findDay(tx, recorded.target, report.to)?.good === recorded.id) {
    const of = { asset, provider, family: family.name, date: dayOfNumber(report.to) };
    putInsight(tx, { ...insight, ...of, report: recorded.id, observedAt: startedAt }, recorded.target);
    if (insight.issues !== undefined) {
      const { issues } = insight;
      const { newId } = deps;
      holdProviderIssues(tx, { asset, property, issues, manifest: recorded.id, now: startedAt, newId });
    }
  }
  const told = { ...row, id: recorded.id };
  const isMonitored = tellReport(tx, { workspace: deps.workspace, report: told, isOfAccount });
  return { outcome, isMonitored };
}
