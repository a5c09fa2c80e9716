/** provider-issue: which flags of a site a complete report of crawl issues holds open, and which it ends. Pure. */

import { formatInstant, parseInstant } from "../base/time.ts";
import type { RuleInputs, Severity } from "../flags/flags.ts";
import { holdOpen, release } from "../flags/lasting.ts";
import { findLatestOf, listOpenSubjects } from "../flags/queries.ts";
import { issueTypeOf } from "../sites/issue_types.ts";
import { PROVIDER_ISSUE, RULES, raisedTitle } from "../sites/rule_catalogue.ts";
import { hasAsset, isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import { type InsightBody, listInsights } from "./insights.ts";

type ReportedIssues = NonNullable<InsightBody["issues"]>;

/** A complete report of the issues of a site. */
interface IssueReport {
  readonly issues: ReportedIssues;
  /** The provider's own id of the property that it is of. */
  readonly property: string;
  /** The row of the manifest. */
  readonly manifest: number;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly now: number;
}

/** What was told of a type before. */
interface ToldBefore {
  readonly inputs: RuleInputs;
  readonly isOpen: boolean;
}

/** The flag of a type of issue, as this report leaves it. */
interface IssueHeld {
  readonly type: string;
  readonly severity: Severity;
  readonly message: string;
  readonly inputs: {
    readonly issue_type: string;
    readonly url_count: number;
    /** At most 50, sorted. */
    readonly urls: readonly string[];
    readonly property: string;
    readonly first_seen: string;
    readonly last_seen: string;
    readonly manifest: number;
  };
  /** What this report says, without the URLs, which stand in the inputs. */
  readonly reading: { readonly url_count: number; readonly manifest: number };
}

interface IssueFlags {
  readonly held: readonly IssueHeld[];
  /** Ended before others are raised. */
  readonly over: readonly IssueOver[];
}

/** A flag that is over, by the type it is of. */
interface IssueOver {
  readonly type: string;
  readonly resolution: "no_longer_reported" | "attached_elsewhere";
}

/**
 * Judges a report. `before` is the newest flag of each type that is open, or that an operator resolved while the provider went on
 * reporting it: both keep since when it is reported. What was told of another property of the site is over, and begins anew.
 */
function judgeIssues(report: IssueReport, before: ReadonlyMap<string, ToldBefore>): IssueFlags {
  const { issues, property, manifest, now } = report;
  const reported = new Set(issues.map(({ type }) => type));
  const isSame = (told: ToldBefore) => told.inputs["property"] === property;
  const over = [...before].flatMap(([type, told]): IssueOver[] => {
    if (!told.isOpen || (isSame(told) && reported.has(type))) return [];
    return [{ type, resolution: isSame(told) ? "no_longer_reported" : "attached_elsewhere" }];
  });
  const held = issues.map(({ type, urls, of }): IssueHeld => {
    const told = before.get(type);
    const inputs = {
      issue_type: type,
      url_count: of,
      urls,
      property,
      first_seen: formatInstant(firstSeen(told !== undefined && isSame(told) ? told : undefined, now)),
      last_seen: formatInstant(now),
      manifest,
    };
    return {
      type,
      severity: issueTypeOf(type)?.severity ?? RULES[PROVIDER_ISSUE].raised.severity,
      message: raisedTitle(PROVIDER_ISSUE, type, inputs, now),
      inputs,
      reading: { url_count: of, manifest },
    };
  });
  return { held, over };
}

/** Never after now: a first look under a clock that ran ahead does not say so for months. */
function firstSeen(told: ToldBefore | undefined, now: number): number {
  const first = told?.inputs["first_seen"];
  return Math.min(now, (typeof first === "string" ? parseInstant(first) : undefined) ?? now);
}

// How a flag that an operator resolved ends.

const BY_HAND = "operator";

/**
 * Holds the provider-issue flags of a site to a complete report of its crawl issues, one that is empty too: one open flag a type, for as
 * long as the provider reports it. A failed or incomplete report is none, and nothing is called for it. A site that is retired, or gone,
 * has none. Runs inside the transaction that stores the report.
 */
export function holdProviderIssues(
  tx: Tx,
  report: IssueReport & { readonly asset: string; readonly newId: () => string },
): void {
  const { asset, now, newId } = report;
  if (!hasAsset(tx, asset) || isRetired(tx, asset)) return;
  const { held, over } = judgeIssues(report, toldBefore(tx, asset, report.issues));
  const on = { rule: PROVIDER_ISSUE, asset, now, actor: "provider" };
  for (const { type, resolution } of over) release(tx, { ...on, subject: type, resolution });
  for (const { type, severity, message, inputs, reading } of held) {
    const { kind } = RULES[PROVIDER_ISSUE].raised;
    holdOpen(tx, {
      ...on,
      subject: type,
      origin: "provider",
      severity,
      kind,
      message,
      inputs,
      reading,
      newId,
    });
  }
}

function toldBefore(tx: Tx, asset: string, issues: ReportedIssues): Map<string, ToldBefore> {
  const told = new Map<string, ToldBefore>();
  for (const { subject, inputs } of listOpenSubjects(tx, PROVIDER_ISSUE, asset)) {
    told.set(subject, { inputs, isOpen: true });
  }
  for (const { type } of issues) {
    if (told.has(type)) continue;
    const last = findLatestOf(tx, { rule: PROVIDER_ISSUE, asset, subject: type });
    const inputs = last?.resolution === BY_HAND ? last.rule_inputs : null;
    if (inputs !== null && wasReportedSince(tx, asset, type, inputs["last_seen"])) {
      told.set(type, { inputs, isOpen: false });
    }
  }
  return told;
}

/** Whether every report since a flag's last one named its type: that an operator resolved it does not end what the provider says. */
function wasReportedSince(tx: Tx, asset: string, type: string, lastSeen: unknown): boolean {
  const since = typeof lastSeen === "string" ? parseInstant(lastSeen) : undefined;
  if (since === undefined) return false;
  return listInsights(tx, { asset, provider: "webmaster-tools", families: ["crawl-issues"] })
    .filter(({ observedAt }) => observedAt > since)
    .every(({ issues = [] }) => issues.some((one) => one.type === type));
}
