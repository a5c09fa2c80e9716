/**
 * The flow rules on nightly reports, off the path of the answer: every accepted report is judged once, in the order of acceptance,
 * within a second, and those that were accepted just before a crash are made up at the next start.
 *
 * A report is judged in three steps: its readings are put in place (one write), each of its metrics is judged on the history as it
 * then stands (pure, a few at a time so that the event loop stays free), and the verdicts, flags and the place reached are
 * written together (one write). A crash between them repeats the report from the start and leads to the same.
 */
import { isRetired } from "../assets/mod.ts";
import { type Db, findServiceState, putServiceState, type Store, type Tx, type Writer } from "../db/mod.ts";
import { type JudgedRule, latestMilestone, raiseResolved, reconcileAlerts } from "../flags/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { logOf } from "../platform/log.ts";
import { listAccepted, listDaily, type Pulse, replaceReadings, type StoredPulse } from "../pulse/mod.ts";
import { milestoneMessage } from "./message.ts";
import { expectedByChance, judgedRules, judgeMetric, type MetricVerdict } from "./metric_verdict.ts";
import { milestonesPassed } from "./milestone.ts";
import { flowSeries } from "./series.ts";
import { addTally, putVerdict } from "./store.ts";
import type { FlowThresholds } from "./thresholds.ts";

/** What following needs. */
export interface FollowDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly thresholdsOf: (asset: string, metric: string) => FlowThresholds;
  /** Metrics that another rule judges already. */
  readonly isJudgedElsewhere: (asset: string, metric: string) => boolean;
}

/** Days of history a verdict may read: the longest cohort of the longest allowed window, and the span of the dispersion. */
export const HISTORY_DAYS = 200;

const CURSOR = "flow.judged_pulse";
const BATCH = 32;
/** Longest stretch of judging before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 4;
const RETRY_MS = 1_000;

/** Id of the last accepted report that is judged; 0 before the first. */
export function judgedUpTo(db: Db): number {
  return Number(findServiceState(db, CURSOR) ?? "0");
}

/** Follows accepted reports with the flow rules. */
export class FlowFollower {
  readonly #deps: FollowDeps;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Says that there may be something to judge. */
  kick(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when everything accepted so far is judged. */
  async settle(): Promise<void> {
    this.kick();
    await this.#running;
  }

  /** Stops after the report under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        while (!this.#stopped && (await this.#step())) await Bun.sleep(0);
      } catch (error) {
        logOf("flow").error("judging failed and is tried again", { reason: String(error) });
        this.#again = true;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  async #step(): Promise<boolean> {
    const { store, writer } = this.#deps;
    const run = distinctRun(listAccepted(store.db, judgedUpTo(store.db), BATCH));
    const last = run.at(-1);
    if (last === undefined) return false;
    const parsed = run.map((report) => ({ report, pulse: JSON.parse(report.body) as Pulse }));
    await writer.write((tx) => {
      for (const { report, pulse } of parsed) replaceReadings(tx, report, pulse.metrics);
    });
    const judged: JudgedReport[] = [];
    for (const { report, pulse } of parsed) judged.push(await this.#judge(report, pulse));
    const now = this.#deps.clock.now();
    await writer.write((tx) => {
      for (const one of judged) this.#record(tx, one, now);
      putServiceState(tx, CURSOR, String(last.id), now);
    });
    return true;
  }

  async #judge(report: StoredPulse, pulse: Pulse): Promise<JudgedReport> {
    const { store, thresholdsOf, isJudgedElsewhere } = this.#deps;
    const { asset } = report;
    const metrics: JudgedMetric[] = [];
    const milestones: { readonly metric: string; readonly milestone: number; readonly total: number }[] = [];
    // Judged as of its acceptance, also when that is made up later; a report that was accepted did not lie ahead itself.
    const accepted = Math.max(report.receivedAt, report.generatedAt);
    let sliceStarted = performance.now();
    for (const [metric, figures] of Object.entries(pulse.metrics)) {
      const span = { from: addDays(report.date, -HISTORY_DAYS), to: addDays(report.date, HISTORY_DAYS) };
      const history = listDaily(store.db, asset, metric, span, accepted);
      if (figures.last24h !== undefined && !isJudgedElsewhere(asset, metric)) {
        const counts = history.flatMap(({ date, last24h }) =>
          last24h === null ? [] : [[date, { value: last24h, state: "final" }] as const],
        );
        const day = counts.at(-1)?.[0] ?? report.date;
        const thresholds = thresholdsOf(asset, metric);
        const verdict = judgeMetric(flowSeries(counts), day, thresholds);
        metrics.push({ metric, day, verdict, rules: judgedRules(metric, verdict, thresholds) });
      }
      const isNewest = history.every(({ date }) => date <= report.date);
      if (figures.total !== undefined && isNewest) {
        const totals = history.flatMap(({ date, total }) =>
          total === null || date === report.date ? [] : [total],
        );
        const previous = totals.length === 0 ? undefined : Math.max(...totals);
        const milestone = milestonesPassed(previous, figures.total).at(-1);
        if (milestone !== undefined) milestones.push({ metric, milestone, total: figures.total });
      }
      if (performance.now() - sliceStarted > SLICE_MS) {
        await Bun.sleep(0);
        sliceStarted = performance.now();
      }
    }
    return { report, metrics, milestones };
  }

  #record(tx: Tx, judged: JudgedReport, now: number): void {
    const { report, metrics, milestones } = judged;
    const { asset } = report;
    if (isRetired(tx, asset)) return;
    const newId = () => this.#deps.ids.uuid();
    const { raised } = reconcileAlerts(tx, {
      asset,
      origin: "rule",
      judged: metrics.flatMap(({ rules }): readonly JudgedRule[] => rules),
      now,
      actor: "rule",
      newId,
    });
    for (const { metric, day, verdict } of metrics) {
      putVerdict(tx, { asset, metric, judgedAt: now, date: day, verdict });
    }
    for (const { metric, milestone, total } of milestones) {
      if (milestone <= (latestMilestone(tx, asset, "pulse", metric) ?? 0)) continue;
      raiseResolved(
        tx,
        {
          asset,
          rule: "milestone-total",
          source: "pulse",
          subject: metric,
          origin: "rule",
          severity: "info",
          kind: "milestone",
          metric,
          message: milestoneMessage(metric, milestone),
          rule_inputs: { milestone, total, report: { date: report.date, revision: report.revision } },
        },
        { id: newId(), now, actor: "rule", resolution: "milestone" },
      );
    }
    const tests = metrics.filter(({ verdict }) => verdict.flow.outcome === "tested").length;
    if (metrics.length === 0) return;
    addTally(tx, utcDayOf(now), asset, {
      tests,
      notTested: metrics.length - tests,
      raised: raised.filter(({ rule }) => rule !== "percent-drop").length,
      expected: metrics.reduce((sum, { verdict }) => sum + expectedByChance(verdict), 0),
    });
  }
}

interface JudgedMetric {
  readonly metric: string;
  readonly day: UtcDay;
  readonly verdict: MetricVerdict;
  readonly rules: readonly JudgedRule[];
}

interface JudgedReport {
  readonly report: StoredPulse;
  readonly metrics: readonly JudgedMetric[];
  readonly milestones: readonly {
    readonly metric: string;
    readonly milestone: number;
    readonly total: number;
  }[];
}

/**
 * The first reports of the list that are of different sites: they can be judged side by side, since none is part of another's
 * history. A second report of a site waits, so that a burst is not collapsed.
 */
function distinctRun(reports: readonly StoredPulse[]): StoredPulse[] {
  const seen = new Set<string>();
  const run: StoredPulse[] = [];
  for (const report of reports) {
    if (seen.has(report.asset)) break;
    seen.add(report.asset);
    run.push(report);
  }
  return run;
}
