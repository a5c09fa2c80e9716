import { hasAsset, isRetired } from "../assets/mod.ts";
import type { Tx } from "../db/mod.ts";
import { findLatestOf, holdOpen, listOpenSubjects, release } from "../flags/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { PROVIDER_ISSUE, RULES } from "../rules/mod.ts";
import { type IssueReport, judgeIssues, type ReportedIssues, type ToldBefore } from "./issue_flags.ts";
import { listInsights } from "./store.ts";

/** How a flag that an operator resolved ends. */
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
