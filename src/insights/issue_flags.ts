/** provider-issue: which flags of a site a complete report of crawl issues holds open, and which it ends. Pure. */

import type { RuleInputs, Severity } from "../flags/mod.ts";
import { formatInstant, parseInstant } from "../lib/instant.ts";
import { issueTypeOf, PROVIDER_ISSUE, RULES, raisedTitle } from "../rules/mod.ts";
import type { InsightBody } from "./contract.ts";

export type ReportedIssues = NonNullable<InsightBody["issues"]>;

/** A complete report of the issues of a site. */
export interface IssueReport {
  readonly issues: ReportedIssues;
  /** The provider's own id of the property that it is of. */
  readonly property: string;
  /** The row of the manifest. */
  readonly manifest: number;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly now: number;
}

/** What was told of a type before. */
export interface ToldBefore {
  readonly inputs: RuleInputs;
  readonly isOpen: boolean;
}

/** The flag of a type of issue, as this report leaves it. */
export interface IssueHeld {
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

export interface IssueFlags {
  readonly held: readonly IssueHeld[];
  /** Ended before others are raised. */
  readonly over: readonly IssueOver[];
}

/** A flag that is over, by the type it is of. */
export interface IssueOver {
  readonly type: string;
  readonly resolution: "no_longer_reported" | "attached_elsewhere";
}

/**
 * Judges a report. `before` is the newest flag of each type that is open, or that an operator resolved while the provider went on
 * reporting it: both keep since when it is reported. What was told of another property of the site is over, and begins anew.
 */
export function judgeIssues(report: IssueReport, before: ReadonlyMap<string, ToldBefore>): IssueFlags {
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
