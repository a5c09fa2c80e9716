/** What an attempt came to, in one transaction: its row, how its date stands, what is kept of it, and what health is told. */

import { dayOfNumber, formatInstant, parseInstant } from "../base/time.ts";
import type { RuleInputs } from "../flags/flags.ts";
import { findLatestOf, listOpenSubjects } from "../flags/queries.ts";
import { holdOpen, release } from "../flags/reconcile.ts";
import { type Fault, faultOf, nextRetryAt } from "../providers/faults.ts";
import { endSlowProbe, noteAccountFault } from "../signals/answer_record.ts";
import { failedOutcome, type Went } from "../signals/attempts.ts";
import type { Question } from "../signals/pull.ts";
import { issueTypeOf, PROVIDER_ISSUE, RULES, raisedTitle } from "../sites/rule_catalogue.ts";
import { hasAsset, isRetired } from "../sites/sites.ts";
import { replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { archiveSkip } from "./archive_tables.ts";
import { type InsightBody, listInsights, putInsight } from "./insights.ts";
import { type NewReport, recordReport } from "./manifest.ts";
import {
  type ArchiveObject,
  type ArchiveTarget,
  findDay,
  isUsable,
  type ManifestRow,
} from "./manifest_row.ts";
import { dropPlace } from "./objects.ts";
import { findTarget, type NumberedTarget, type PlannedReport, targetId, targetsById } from "./plan.ts";
import { recordReportHealth } from "./report_health.ts";
import { noteWhole } from "./verify_events.ts";

/** Days after which an analytics day changes no more. */
const PROVISIONAL_DAYS = 2;

/** Whether figures of a date of analytics may still change; `today` is the property's day at which they were told. */
export const isProvisional = (date: number, today: number): boolean => today - date < PROVISIONAL_DAYS;

// Reports that are left out since their property is not set up for them: no attempt, no row of the manifest.

/** A report that is left out. */
interface Skip {
  readonly target: NumberedTarget;
  /** A reason of our own, such as `parameter_unregistered`. */
  readonly reason: string;
  /** When it was last seen, in milliseconds since the epoch. */
  readonly seenAt: number;
}

const put = replacing(archiveSkip);
const drop = statement<never, [number]>("DELETE FROM archive_skip WHERE target = ?");
const every = statement<{ target: number; reason: string; seen_at: number }, []>(
  "SELECT target, reason, seen_at FROM archive_skip ORDER BY target",
);

const one = statement<{ reason: string; seen_at: number }, [number]>(
  "SELECT reason, seen_at FROM archive_skip WHERE target = ?",
);

/** Whether the report of a target is left out, and why. */
export function findSkip(db: Db, target: number): Omit<Skip, "target"> | undefined {
  const row = one(db).first(target);
  return row === undefined ? undefined : { reason: row.reason, seenAt: row.seen_at };
}

/** Notes that a report is left out. */
export function noteSkip(tx: Tx, target: ArchiveTarget, reason: string, now: number): void {
  put(tx, { target: targetId(tx, target), reason, seen_at: now });
}

/** Notes that a report is asked for. */
export function endSkip(tx: Tx, target: ArchiveTarget): void {
  const id = findTarget(tx, target);
  if (id !== undefined) drop(tx).run(id);
}

/** The reports that are left out. */
export function listSkips(db: Db): Skip[] {
  const targets = targetsById(db);
  return every(db)
    .all()
    .flatMap(({ target: id, reason, seen_at }) => {
      const target = targets.get(id);
      return target === undefined ? [] : [{ target, reason, seenAt: seen_at }];
    });
}

/** An attempt as it went. Times are milliseconds since the epoch. */
export interface Attempted extends Omit<Went, "target"> {
  readonly question: Question;
  readonly report: PlannedReport;
}

/** What it came to. */
export interface AttemptResult extends Pick<ManifestRow, "outcome" | "complete" | "notes"> {
  /** Why it is no whole report. */
  readonly fault: Fault | undefined;
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
export const refusedBy = (fault: Fault): AttemptResult => ({
  outcome: failedOutcome(fault.category),
  complete: false,
  notes: [],
  fault,
  met: fault,
  object: undefined,
  insight: undefined,
});

/** Which report of a property it is. */
export const targetOf = (
  { asset, provider, connectionRevision, property }: Question,
  { family }: PlannedReport,
): ArchiveTarget => ({ asset, provider, connectionRevision, property, family: family.name });

/** The answer came, and by then the site's reports came from elsewhere. */
const SUPERSEDED = refusedBy(faultOf("connection_changed"));

/** What recording needs. */
export interface RecordDeps {
  readonly workspace: string;
  readonly writer: Pick<Writer, "write">;
  readonly newId: () => string;
}

/** Records an attempt, behind what answers wait for. Throws where storage takes nothing. */
export function recordAttempted(
  deps: RecordDeps,
  attempted: Attempted,
  came: AttemptResult,
): Promise<Recorded> {
  return deps.writer.write((tx) => write(tx, deps, attempted, came), {
    lowPriority: true,
    isRepeatable: true,
  });
}

function write(tx: Tx, deps: RecordDeps, attempted: Attempted, came: AttemptResult): Recorded {
  const { question, report, startedAt, finishedAt } = attempted;
  const isCurrent = question.isCurrent(tx);
  const result = isCurrent || came.met !== undefined ? came : SUPERSEDED;
  const { outcome, fault, complete, notes, met, object, insight, isMended } = result;
  const target = targetOf(question, report);
  const { asset, provider, property, family } = target;
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
  if (isMended && object !== undefined) {
    noteWhole(tx, object.sha256, finishedAt);
    dropPlace(tx, object.sha256);
  }
  if (insight !== undefined && findDay(tx, recorded.target, report.to)?.good === recorded.id) {
    const of = { asset, provider, family, date: dayOfNumber(report.to) };
    putInsight(tx, { ...insight, ...of, report: recorded.id, observedAt: startedAt }, recorded.target);
    if (insight.issues !== undefined) {
      const { issues } = insight;
      const { newId } = deps;
      holdProviderIssues(tx, { asset, property, issues, manifest: recorded.id, now: startedAt, newId });
    }
  }
  const told = { ...row, id: recorded.id };
  const isMonitored = recordReportHealth(tx, { workspace: deps.workspace, report: told, isOfAccount });
  return { outcome, isMonitored };
}

// provider-issue: which flags of a site a complete report of crawl issues holds open, and which it ends.

/** A complete report of the issues of a site. */
interface IssueReport {
  readonly asset: string;
  readonly issues: NonNullable<InsightBody["issues"]>;
  /** The provider's own id of the property that it is of. */
  readonly property: string;
  /** The row of the manifest. */
  readonly manifest: number;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly now: number;
  readonly newId: () => string;
}

/**
 * Holds the provider-issue flags of a site to a complete report of its crawl issues, one that is empty too: one open flag a type, for as
 * long as the provider reports it. A failed or incomplete report is none, and nothing is called for it. A site that is retired, or gone,
 * has none. Runs inside the transaction that stores the report.
 */
export function holdProviderIssues(tx: Tx, report: IssueReport): void {
  const { asset, issues, property, manifest, now, newId } = report;
  if (!hasAsset(tx, asset) || isRetired(tx, asset)) return;
  const on = { rule: PROVIDER_ISSUE, asset, now, actor: "provider" };
  const open = new Map(
    listOpenSubjects(tx, PROVIDER_ISSUE, asset).map(({ subject, inputs }) => [subject, inputs]),
  );
  // What was told of another property of the site is over, and begins anew.
  const isSame = (inputs: RuleInputs) => inputs["property"] === property;
  for (const [subject, inputs] of open) {
    if (isSame(inputs) && issues.some(({ type }) => type === subject)) continue;
    const resolution = isSame(inputs) ? "no_longer_reported" : "attached_elsewhere";
    release(tx, { ...on, subject, resolution });
  }
  const { raised } = RULES[PROVIDER_ISSUE];
  for (const { type, urls, of } of issues) {
    const before = open.get(type) ?? resolvedByHand(tx, asset, type);
    const inputs = {
      issue_type: type,
      url_count: of,
      urls,
      property,
      first_seen: formatInstant(firstSeen(before !== undefined && isSame(before) ? before : {}, now)),
      last_seen: formatInstant(now),
      manifest,
    };
    holdOpen(tx, {
      ...on,
      subject: type,
      origin: "provider",
      severity: issueTypeOf(type)?.severity ?? raised.severity,
      kind: raised.kind,
      message: raisedTitle(PROVIDER_ISSUE, type, inputs, now),
      inputs,
      // Without the URLs, which stand in the inputs.
      reading: { url_count: of, manifest },
      newId,
    });
  }
}

/** Never after now: a first look under a clock that ran ahead does not say so for months. */
const firstSeen = ({ first_seen: first }: RuleInputs, now: number): number =>
  Math.min(now, (typeof first === "string" ? parseInstant(first) : undefined) ?? now);

/** What the flag of a type said that an operator resolved while the provider went on reporting it: it keeps since when. */
function resolvedByHand(tx: Tx, asset: string, type: string): RuleInputs | undefined {
  const last = findLatestOf(tx, { rule: PROVIDER_ISSUE, asset, subject: type });
  const inputs = last?.resolution === "operator" ? last.rule_inputs : null;
  return inputs !== null && wasReportedSince(tx, asset, type, inputs["last_seen"]) ? inputs : undefined;
}

/** Whether every report since a flag's last one named its type: that an operator resolved it does not end what the provider says. */
function wasReportedSince(tx: Tx, asset: string, type: string, lastSeen: unknown): boolean {
  const since = typeof lastSeen === "string" ? parseInstant(lastSeen) : undefined;
  if (since === undefined) return false;
  return listInsights(tx, { asset, provider: "webmaster-tools", families: ["crawl-issues"] })
    .filter(({ observedAt }) => observedAt > since)
    .every(({ issues = [] }) => issues.some((one) => one.type === type));
}
