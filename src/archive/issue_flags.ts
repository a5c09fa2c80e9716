/** provider-issue: which flags of a site a complete report of crawl issues holds open, and which it ends. */

import { formatInstant, parseInstant } from "../base/time.ts";
import type { RuleInputs } from "../flags/flags.ts";
import { holdOpen, release } from "../flags/lasting.ts";
import { findLatestOf, listOpenSubjects } from "../flags/queries.ts";
import { issueTypeOf } from "../sites/issue_types.ts";
import { PROVIDER_ISSUE, RULES, raisedTitle } from "../sites/rule_catalogue.ts";
import { hasAsset, isRetired } from "../sites/sites.ts";
import type { Tx } from "../store/store.ts";
import { type InsightBody, listInsights } from "./insights.ts";

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
