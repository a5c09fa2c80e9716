/**
 * The flow rules on what providers tell, over a whole portfolio after one tick: how long judging every count takes, and how long the
 * answer to a nightly report takes meanwhile beside the same at rest. The service has one core.
 *
 * `bun run bench signal_rules [--sites=1000] [--days=200]`
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { ensureAssets } from "../../src/assets/mod.ts";
import { migrateStore, openStore, type Tx, Writer } from "../../src/db/mod.ts";
import { FlowFollower } from "../../src/flow/mod.ts";
import { dayNumber } from "../../src/lib/day_number.ts";
import { addDays, utcDayOf } from "../../src/lib/utc_day.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { SIGNAL_METRICS } from "../../src/provider/contract.ts";
import { addSeries, findSeries, putDays } from "../../src/series/mod.ts";
import { awaitSignalJudging } from "../../src/signals/mod.ts";
import { temporaryFolder } from "../support/folder.ts";
import { told } from "../support/planted_signals.ts";
import { randomPoisson, seeded } from "../support/random_counts.ts";
import { startService } from "../support/service.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";
import { onCore } from "./load.ts";
import { postPacket, RawClient } from "./raw_client.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const SITES = Number(given.get("sites") ?? 1_000);
const DAYS = Number(given.get("days") ?? 200);
const SOURCES = ["analytics", "search-console"] as const;
const EVERY_MS = 10;
const QUIET_MS = 4_000;
const PATIENCE_MS = 120_000;
const PROBE = { asset: "probe", token: "bench-token-of-the-probe" };

const last = addDays(utcDayOf(Date.now()), -3);
const random = seeded(1);

/** Histories whose newest day is judged, then one more day of every figure, for which nothing waits yet. */
async function seed(folder: string): Promise<void> {
  const store = openStore(join(folder, "tower.db"));
  migrateStore(store);
  const writer = new Writer(store);
  const names = Array.from({ length: SITES }, (_, site) => `site-${site}`);
  const put = (tx: Tx, from: number, to: number) => {
    for (const asset of names) {
      for (const source of SOURCES) {
        for (const [place, metric] of SIGNAL_METRICS[source].entries()) {
          const key = { asset, source, metric };
          const id = findSeries(tx, key) ?? addSeries(tx, key, dayNumber(last));
          const mean = [6, 40, 300, 3_000][place] ?? 1;
          const days = Array.from({ length: from - to + 1 }, (_, at) => {
            const stops = to === 0 && at === from - to && random() < 0.02;
            return { day: dayNumber(last) - from + at, to: told(stops ? 0 : randomPoisson(random, mean)) };
          });
          putDays(tx, id, days);
        }
      }
    }
  };
  await writer.write((tx) => {
    ensureAssets(tx, names, { actor: "bench", now: 0 });
    put(tx, DAYS, 1);
    for (const asset of names)
      for (const source of SOURCES) awaitSignalJudging(tx, asset, source, Date.now());
  });
  const follower = new FlowFollower({
    store,
    writer,
    clock: { now: () => Date.now() },
    ids: systemIds,
    thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
    isJudgedElsewhere: () => false,
  });
  await follower.settle();
  await follower.stop();
  await writer.write((tx) => put(tx, 0, 0));
  writer.close();
  store.close();
}

function timesOf(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms of ${times.length}`;
}

using folder = temporaryFolder();
await seed(folder.path);
const service = await startService(
  {
    DATA_DIR: folder.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    LOG_LEVEL: "error",
    INGEST_BURST: "1000000",
    INGEST_BYTES_PER_DAY: "1000000000000",
    INGEST_PER_SECOND: "1000000",
    ASSET_TOKENS: `${PROBE.asset}:${PROBE.token}`,
  },
  { before: onCore(0) },
);
const port = Number(new URL(service.ingestUrl).port);
const client = await RawClient.connect(port);
const report = {
  asset: PROBE.asset,
  generatedAt: `${utcDayOf(Date.now())}T00:00:00Z`,
  metrics: { signups: { last24h: 7 } },
};
const packet = postPacket(port, "/api/pulse", PROBE.token, JSON.stringify(report));
for (let at = 0; at < 100; at++) await client.ask(packet);

/** One report every so often while `goesOn`; one that is late because the one before hung is timed from when it was due. */
async function probing(goesOn: () => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let due = performance.now(); goesOn(); ) {
    times.push((await client.ask(packet, due)).ms);
    due += EVERY_MS;
    const early = due - performance.now();
    if (early > 0) await Bun.sleep(early);
    else due = performance.now();
  }
  return times;
}

const restUntil = performance.now() + QUIET_MS;
const rest = await probing(() => performance.now() < restUntil);

using db = new Database(join(folder.path, "tower.db"));
db.run("PRAGMA busy_timeout = 5000");
const count = (text: string) =>
  db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${text}`).get()?.n ?? 0;
const raisedBefore = count("flag");
db.run(
  "INSERT INTO signal_waiting (asset, source, since) SELECT DISTINCT asset, source, 0 FROM series WHERE source <> 'pulse'",
);
const waiting = count("signal_waiting");
const begun = performance.now();
let judgedMs = Number.NaN;
const watch = setInterval(() => {
  if (Number.isNaN(judgedMs) && count("signal_waiting") === 0) judgedMs = performance.now() - begun;
}, 20);
const busy = await probing(() => Number.isNaN(judgedMs) && performance.now() - begun < PATIENCE_MS);
clearInterval(watch);
const figures = count("series WHERE source <> 'pulse'");
process.stdout.write(
  [
    `${figures} figures of ${SITES} sites over ${DAYS} days: ${waiting} places in the queue judged in ${(judgedMs / 1_000).toFixed(1)} s, ${((judgedMs * 1_000) / figures).toFixed(0)} µs each, ${count("flag") - raisedBefore} flags raised`,
    `a nightly report at rest: ${timesOf(rest)}`,
    `while judging: ${timesOf(busy)}`,
    "",
  ].join("\n"),
);
client.close();
await service.end("SIGTERM");
