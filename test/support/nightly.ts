/** Histories of nightly reports, stored the way they arrive: through the accepting door, judged by the real follower. */

import type { Clock } from "../../src/base/base.ts";
import { addDays, dayOfNumber, formatInstant, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { acceptReport } from "../../src/reports/codebase.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import { endWaiting, findPulseById, listTurns, type Pulse } from "../../src/reports/pulse.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { replaceReadings } from "../../src/reports/readings.ts";
import { findSeries, listBlocks, readBlock } from "../../src/reports/series.ts";
import { daysOf, unlessDamaged } from "../../src/reports/series_days.ts";
import { isFreshnessMetric } from "../../src/rules/freshness.ts";
import { FlowFollower } from "../../src/rules/rules.ts";
import { replaceFamilies } from "../../src/sites/sites.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import type { Db } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import type { TestGround } from "./deps.ts";
import { DEFAULT_CODEBASE_THRESHOLDS, DEFAULT_FLOW_THRESHOLDS } from "./thresholds.ts";

/** Minutes after midnight at which the made-up sites report. */
const NIGHTLY_MS = 3 * 3_600_000 + 27 * 60_000;

/** Accepts one report as if it had been received a few seconds after it was made. */
export function accept(ground: Pick<TestGround, "writer" | "ids">, report: Pulse, receivedAt?: number) {
  const at = receivedAt ?? Date.parse(report.generatedAt) + 4_000;
  return ground.writer.write((tx) =>
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt: at, newId: () => ground.ids.uuid() }),
  );
}

/** Accepts a codebase report, now where no other time is given. */
export function acceptCodebase(
  { writer, clock, ids }: Pick<TestGround, "writer" | "ids"> & { readonly clock: Clock },
  report: CodebaseReport,
  receivedAt = clock.now(),
) {
  const by = { receivedAt, thresholds: DEFAULT_CODEBASE_THRESHOLDS, newId: () => ids.uuid() };
  return writer.write((tx) => acceptReport(tx, { report, body: JSON.stringify(report), ...by }));
}

/** Puts the readings of every accepted report in place, in the order of acceptance, without judging them. */
export function placeAll({ writer }: TestGround): Promise<void> {
  return writer.write((tx) => {
    for (let turns = listTurns(tx, "", 100); turns.length > 0; turns = listTurns(tx, "", 100)) {
      for (const { asset, pulse } of turns) {
        const report = findPulseById(tx, pulse);
        if (report !== undefined) replaceReadings(tx, report, JSON.parse(report.body).metrics);
        endWaiting(tx, asset, pulse);
      }
    }
  });
}

/** What is stored of a metric that a site sent, by day, oldest first; days that are damaged are left out. */
export function listDaily(db: Db, asset: string, metric: string) {
  const id = findSeries(db, { asset, source: "pulse", metric });
  const blocks = id === undefined ? [] : listBlocks(db, id);
  return blocks.flatMap((block) =>
    [...(unlessDamaged(() => daysOf(readBlock(db, id ?? 0, block), block)) ?? [])].map(
      ([day, { value: last24h, total }]) => ({ date: dayOfNumber(day), last24h, total }),
    ),
  );
}

/** A follower on the test's ground. */
export function followerOn(
  ground: TestGround,
  options: { readonly thresholds?: Partial<FlowThresholds>; readonly serviceAsset?: string } = {},
): FlowFollower {
  const thresholds = { ...DEFAULT_FLOW_THRESHOLDS, ...options.thresholds };
  return new FlowFollower({
    ...ground,
    thresholdsOf: () => thresholds,
    isJudgedElsewhere: (asset, metric) =>
      asset === (options.serviceAsset ?? "tower") && isFreshnessMetric(metric),
  });
}

/** Judges everything that was accepted on the test's ground. */
export async function judgeAll(
  ground: TestGround,
  options?: Parameters<typeof followerOn>[1],
): Promise<void> {
  const follower = followerOn(ground, options);
  await follower.settle();
  await follower.stop();
}

/** Sends one report for each of `days` days up to `last`, oldest first; a day for which `make` answers null is missed. */
export async function sendNights(
  ground: TestGround,
  asset: string,
  span: { readonly last: UtcDay; readonly days: number },
  make: (back: number, day: UtcDay) => Omit<Pulse, "asset" | "generatedAt"> | null,
): Promise<void> {
  const pending: Promise<unknown>[] = [];
  for (let back = span.days - 1; back >= 0; back--) {
    const day = addDays(span.last, -back);
    const made = make(back, day);
    if (made === null) continue;
    const generatedAt = formatInstant(startOfDay(day) + NIGHTLY_MS);
    pending.push(accept(ground, { asset, generatedAt, ...made }));
    if (pending.length >= 200) await Promise.all(pending.splice(0));
  }
  await Promise.all(pending);
}

/** Declares metric families of a site. */
export function declare(writer: Writer, asset: string, families: readonly string[]): Promise<void> {
  return writer.write((tx) =>
    replaceFamilies(
      tx,
      asset,
      families.map((family) => ({ family, storage: "d1" as const })),
    ),
  );
}

/** A count that wavers around a mean with a weekly shape, the same in every run. */
export function wavering(mean: number, back: number, seed = 1): number {
  const week = back % 7 < 2 ? 0.8 : 1.08;
  const chance = Math.sin((back + 1) * 12.9898 * seed) * 43_758.5453;
  return Math.max(0, Math.round(mean * week + (chance - Math.floor(chance) - 0.5) * Math.sqrt(mean) * 2));
}
