/** What may have changed since an operator last looked, and how urgent each change is. Pure. */

import { countWords as countOf } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import type { Severity } from "../../flags/flags.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import type { AnnotationKind } from "../../sites/annotation_schema.ts";
import { formatDay, formatMoment } from "../format.ts";
import { categoryInside } from "../kit/category_words.ts";

/** What became of something since then: `passed` came and went. */
type Turn = "begun" | "passed" | "over";

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

/** What a line of the morning view says after the name of its site. Pure. */

const TOGETHER: Readonly<Record<FlagTopic, (flags: number) => string>> = {
  down: (flags) => `${flags} figures fell below what is expected`,
  up: (flags) => `${flags} figures rose above what is expected`,
  lasting: (flags) => `${flags} figures changed lastingly`,
  total: (flags) => `${flags} totals passed a milestone`,
  codebase: (flags) => `${flags} flags on its code`,
  machine: (flags) => `${flags} flags on the machine`,
  pull: (flags) => `${flags} flags on what is pulled`,
  issue: (flags) => `${flags} flags on issues that webmaster tools reports`,
  sent: (flags) => `${flags} flags that the site sent`,
};

/** Flags of one site that are one event: "4 figures fell below what is expected from 18 to 20 Nov". */
export function flagsWords(flags: readonly FlagChange[], now: number): string {
  const [first] = flags;
  if (first === undefined) return "";
  if (first.turn === "over") return `${countOf(flags.length, "flag")} resolved`;
  const told = `${TOGETHER[first.about](flags.length)}${daysWords(flags, now)}`;
  return first.turn === "passed" ? `${told}; that is over` : told;
}

function daysWords(flags: readonly FlagChange[], now: number): string {
  const days = flags.flatMap(({ days: judged }) => judged ?? []);
  if (days.length === 0) return "";
  const from = formatDay(dayOfNumber(Math.min(...days.map((day) => day.from))), now);
  const to = formatDay(dayOfNumber(Math.max(...days.map((day) => day.to))), now);
  return from === to ? ` on ${to}` : ` from ${from} to ${to}`;
}

/** What is said after the title of a flag that stands alone. */
export const FLAG_END: Readonly<Record<FlagChange["turn"], string>> = {
  begun: "",
  passed: "; that is over",
  over: "; resolved",
};

/** "fell silent": after a site's name, or after how many there are. */
export function silenceWords({ turn, reports }: SilenceChange): string {
  if (turn === "begun") return "fell silent";
  if (turn === "passed")
    return reports ? "fell silent and reported again" : "fell silent; nothing is expected of it now";
  return reports ? "reported again after a silence" : "silent before: nothing is expected of it now";
}

/** "Search console, daily: failing since 22 Nov 02:30, access", after the name of whom it concerns. */
export function integrationWords(
  what: string,
  { turn, category }: IntegrationChange,
  since: number,
  now: number,
): string {
  const why = categoryInside(category);
  if (turn === "begun") return `${what}: failing since ${formatMoment(since, now)}, ${why}`;
  return turn === "passed"
    ? `${what}: failed and works again, it was ${why}`
    : `${what}: works again, it was ${why}`;
}

const BECAME: Readonly<Record<SiteChange["became"], string>> = {
  added: "added",
  live: "live now",
  "pre-launch": "set back to pre-launch",
  retired: "retired",
  removed: "taken out of the portfolio",
};

/** "added": after a site's name, or after how many there are. */
export const becameWords = ({ became }: SiteChange): string => BECAME[became];

const KINDS: Readonly<Record<AnnotationKind, string>> = {
  deploy: "deploy",
  "model-change": "change of a model",
  config: "change of configuration",
  incident: "incident",
  "autonomy-change": "change of autonomy",
  external: "event elsewhere",
};
const MANY: Readonly<Record<AnnotationKind, string>> = {
  deploy: "deploys",
  "model-change": "changes of models",
  config: "changes of configuration",
  incident: "incidents",
  "autonomy-change": "changes of autonomy",
  external: "events elsewhere",
};

/** "5 deploys". */
export function annotationsWords({
  kind,
  count,
}: {
  readonly kind: AnnotationKind;
  readonly count: number;
}): string {
  return countOf(count, KINDS[kind], MANY[kind]);
}
