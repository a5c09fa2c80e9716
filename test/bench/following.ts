/**
 * The flow rules beside everything else: 1,000 sites with 12 metrics each have a report waiting. Prints how many are judged a second,
 * beside how many are accepted a second in the same process; how long the event loop and the transactions of the follower hold; and
 * the same for a report of 200 metrics whose totals all leap to the largest number there is.
 */

import { join } from "node:path";
import { migrateStore, openStore, type Tx, Writer } from "../../src/db/mod.ts";
import { FlowFollower } from "../../src/flow/mod.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { acceptPulse, type Pulse } from "../../src/pulse/mod.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { wavering } from "../support/nightly.ts";
import { plantDays } from "../support/series.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const TODAY = "2026-03-01" as UtcDay;
const SITES = 1_000;
const METRICS = 12;
const DAYS = 60;
const BOMB = 200;

using folder = temporaryFolder();
const store = openStore(join(folder.path, "t.db"));
migrateStore(store);
const writer = new Writer(store);
const clock = new FakeClock();

/** How long each write of the follower took, those of one commit together. */
const held: number[] = [];
let lastEnd = Number.NEGATIVE_INFINITY;
const watched: Pick<Writer, "write"> = {
  write: (job, options) =>
    writer.write(
      ((tx: Tx) => {
        const begun = performance.now();
        const value = job(tx);
        const end = performance.now();
        // Writes of one commit follow on each other without a turn of the event loop between them.
        if (begun - lastEnd < 0.2) held.push((held.pop() ?? 0) + end - begun);
        else held.push(end - begun);
        lastEnd = end;
        return value;
      }) as typeof job,
      options,
    ),
};
const follower = new FlowFollower({
  store,
  writer: watched,
  clock,
  ids: systemIds,
  thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
  isJudgedElsewhere: () => false,
});

function accept(asset: string, day: UtcDay, metrics: Pulse["metrics"]): Promise<unknown> {
  const report = { asset, generatedAt: `${day}T03:00:00Z`, metrics };
  const body = JSON.stringify(report);
  return writer.write((tx) => {
    acceptPulse(tx, { report, body, receivedAt: clock.now(), newId: systemIds.uuid });
  });
}

const nameOf = (site: number) => `site-${String(site).padStart(4, "0")}`;
const made = <T>(size: number, of: (place: number) => T): T[] =>
  Array.from({ length: size }, (_, at) => of(at));

function percentile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
}

/** Judges what waits and prints how long the loop and the transactions held meanwhile. */
async function judge(what: string): Promise<number> {
  held.length = 0;
  const gaps: number[] = [];
  let watching = true;
  const loop = (async () => {
    for (let last = performance.now(); watching; last = performance.now()) {
      await Bun.sleep(1);
      gaps.push(performance.now() - last - 1);
    }
  })();
  const begun = performance.now();
  await follower.settle();
  const took = performance.now() - begun;
  watching = false;
  await loop;
  console.log(
    `${what}: ${took.toFixed(0)} ms; the loop held ${percentile(gaps, 0.5)} ms at the median, ${percentile(gaps, 0.99)} at the 99th percentile; ${held.length} transactions held ${percentile(held, 0.5)}, ${percentile(held, 0.99)}, at most ${percentile(held, 1)} ms`,
  );
  return took;
}

store.raw.transaction(() => {
  for (let site = 0; site < SITES; site++) {
    for (let metric = 0; metric < METRICS; metric++) {
      plantDays(
        store,
        { asset: nameOf(site), metric: `m${metric}` },
        made(DAYS, (at) => {
          const back = DAYS - at;
          return [addDays(TODAY, -back), { last24h: wavering(20, back, site + metric + 1) }];
        }),
      );
    }
  }
})();

const begun = performance.now();
await Promise.all(
  made(SITES, (site) =>
    accept(
      nameOf(site),
      TODAY,
      Object.fromEntries(
        made(METRICS, (metric) => [`m${metric}`, { last24h: wavering(20, 0, site + metric + 1) }]),
      ),
    ),
  ),
);
const accepted = performance.now() - begun;
const judged = await judge(`${SITES} reports of ${METRICS} metrics`);
console.log(
  `judged ${((SITES / judged) * 1_000).toFixed(0)} a second, ${(judged / accepted).toFixed(1)} times what accepting takes`,
);
for (const [back, total] of [
  [1, 1],
  [0, Number.MAX_SAFE_INTEGER],
] as const) {
  await accept(
    "bomb",
    addDays(TODAY, -back),
    Object.fromEntries(made(BOMB, (metric) => [`m${metric}`, { last24h: 5, total }])),
  );
}
await judge(`a report of ${BOMB} metrics that all pass a milestone`);
await follower.stop();
writer.close();
store.close();
