/** Keeping what the rules said of the series of a site and source, in the caller's transaction: verdicts, monitoring failures, tally. */
import type { Tx } from "../db/mod.ts";
import type { ChangedFlag, SeriesSource } from "../flags/mod.ts";
import {
  listLasting,
  type Monitored,
  type MonitoringFailure,
  noteFailure,
  noteRecovery,
} from "../monitoring/mod.ts";
import { ruleOf } from "../rules/mod.ts";
import { failureOf, type JudgedSeries } from "./judge_series.ts";
import { expectedByChance } from "./metric_verdict.ts";
import type { Tally } from "./tally_store.ts";
import { putVerdict } from "./verdict_store.ts";

/** Time and ids come from the caller. */
export interface RecordedBy {
  readonly now: number;
  readonly newId: () => string;
}

/** Whose series. */
export interface SeriesOwner {
  readonly asset: string;
  readonly source: SeriesSource;
}

/** Flags of the flow test among those raised; percent-drop is no test of chance. */
export function raisedByChance(raised: readonly ChangedFlag[]): number {
  return raised.filter(({ rule }) => ruleOf(rule)?.isTestOfChance === true).length;
}

/**
 * Keeps the verdicts, and says of each metric that cannot be judged, or can be again, that it is so. What they come to is the tally,
 * to which a figure that is no count does not belong: no test of it was ever due.
 */
export function recordVerdicts(
  tx: Tx,
  owner: SeriesOwner,
  metrics: readonly {
    readonly metric: string;
    readonly judged: JudgedSeries | undefined;
    /** Whether its day was counted before: a figure and day are one test. */
    readonly isCounted?: boolean;
  }[],
  raised: number,
  now: number,
): Tally {
  const { asset, source } = owner;
  const failing = new Set(failuresOf(tx, owner).map(({ subject }) => subject));
  let [tests, notTested, expected] = [0, 0, 0];
  for (const { metric, judged, isCounted } of metrics) {
    if (judged === undefined) continue;
    const { day, verdict } = judged;
    putVerdict(tx, { asset, source, metric, judgedAt: now, date: day, verdict });
    const reason = failureOf(verdict);
    if (reason !== undefined) noteFailure(tx, watched(owner, metric), { reason, now });
    else if (failing.has(metric)) noteRecovery(tx, watched(owner, metric), now);
    if (isCounted === true) continue;
    if (verdict.flow.outcome === "tested") tests++;
    else if (verdict.flow.reason !== "not_a_count") notTested++;
    expected += expectedByChance(verdict);
  }
  return { tests, notTested, raised, expected };
}

/** What is watched of a series; as its metric, '' stands for all that the source told of the site. */
export function watched({ asset, source }: SeriesOwner, metric: string): Monitored {
  return { kind: "rule", asset, source, subject: metric };
}

/** The failures to judge what a source told of a site. */
export function failuresOf(tx: Tx, { asset, source }: SeriesOwner): MonitoringFailure[] {
  return listLasting(tx, { kind: "rule", asset }).filter((failure) => failure.source === source);
}
