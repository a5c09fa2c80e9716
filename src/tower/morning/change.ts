/** What may have changed since an operator last looked, and how urgent each change is. Pure. */
import type { Severity } from "../../flags/mod.ts";
import type { FailureCategory } from "../../provider/contract.ts";

/** What became of something since then: `passed` came and went. */
export type Turn = "begun" | "passed" | "over";

/** A flag that was raised, resolved, or both. One that tells a lasting thing anew is no change. */
export interface FlagChange {
  readonly of: "flag";
  readonly id: string;
  readonly asset: string;
  readonly severity: Severity;
  readonly turn: Turn;
  /** Whether it is open and lies within what chance gives. */
  readonly isWithinChance: boolean;
  /** What it is about: flags of one kind that were raised together are one event. */
  readonly about: FlagTopic;
  /** The days that were judged, whole days since 1970-01-01; null where it judges none. */
  readonly days: { readonly from: number; readonly to: number } | null;
  /** When it was raised, or resolved where that is the change; milliseconds since the epoch. */
  readonly at: number;
}

/** Which way figures went, else what was judged. */
export type FlagTopic =
  | "down"
  | "up"
  | "lasting"
  | "total"
  | "codebase"
  | "machine"
  | "pull"
  | "issue"
  | "sent";

/** A site that fell silent, reports again, or did both. */
export interface SilenceChange {
  readonly of: "silence";
  /** The flag about it. */
  readonly id: string;
  readonly asset: string;
  readonly turn: Turn;
  /** Whether it is over because the site reports again; otherwise nothing is expected of it any more. */
  readonly reports: boolean;
  readonly at: number;
}

/** An integration that began to fail, fails for another reason, or recovered. */
export interface IntegrationChange {
  readonly of: "integration";
  readonly capability: string;
  readonly label: string;
  /** '' for a whole connection. */
  readonly asset: string;
  /** Tells targets of one site apart. */
  readonly target: string;
  readonly turn: Turn;
  readonly category: FailureCategory;
  readonly at: number;
}

/** A site that was added, taken out, or whose lifecycle is another. */
export interface SiteChange {
  readonly of: "site";
  readonly asset: string;
  readonly became: "added" | "live" | "pre-launch" | "retired" | "removed";
  readonly at: number;
}

export type Change = FlagChange | SilenceChange | IntegrationChange | SiteChange;

/** Changes that are one event, told in one line. */
export interface Line {
  /** The same for the same event whatever else changed: a refresh finds the line by it. */
  readonly key: string;
  /** Never empty; newest first. */
  readonly changes: readonly Change[];
  /** The sites concerned, by name; none where a whole connection is. */
  readonly sites: readonly string[];
  /** When the first and the last of it happened. */
  readonly from: number;
  readonly to: number;
}

const FLAG_URGENCY: Readonly<Record<Turn, Readonly<Record<Severity, number>>>> = {
  begun: { error: 0, warn: 3, info: 5 },
  passed: { error: 6, warn: 7, info: 8 },
  over: { error: 11, warn: 11, info: 11 },
};

/** Behind every other flag that is open, before what is over. */
const WITHIN_CHANCE = 5.5;

/** How soon somebody has to look at a change: the lowest first. */
export function urgencyOf(change: Change): number {
  switch (change.of) {
    case "flag":
      return change.isWithinChance ? WITHIN_CHANCE : FLAG_URGENCY[change.turn][change.severity];
    case "silence":
      return { begun: 1, passed: 9, over: 10 }[change.turn];
    case "integration":
      return { begun: 2, passed: 9, over: 10 }[change.turn];
    case "site":
      return change.became === "added" ? 12 : 13;
  }
}
