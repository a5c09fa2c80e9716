/**
 * Durable codebase reports through the real service, beside its yardsticks, in one run on the same machine (perf.md, Goals 1 to 3).
 *
 * `bun run bench ingest [--sites=200] [--days=60] [--rounds=3] [--seconds=3]`
 */

import { join } from "node:path";
import { systemIds } from "../../src/base/base.ts";
import { startOfDay, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { acceptReport } from "../../src/reports/codebase.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Tx } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";
import { firingReport, historyDays, largeReport, smallReport } from "./parts/bodies.ts";
import { type LoadOrder, type LoadResult, runLoad } from "./parts/load.ts";
import { cpuSeconds } from "./parts/memory.ts";
import { numberOf } from "./parts/processes.ts";
import { startBare, startTower, type Target } from "./parts/target.ts";

const SITES = numberOf("sites", 200);
const DAYS = numberOf("days", 60);
const MEASURE_MS = numberOf("seconds", 3) * 1_000;
const ROUNDS = numberOf("rounds", 3);
const CONNECTIONS = 16;
/** Characters of bodies that the client holds at once: of large ones not every site sends one. */
const MOST_HELD = 64 * 2 ** 20;

const today = utcDayOf(Date.now());
const sites = Array.from({ length: SITES }, (_, i) => ({
  asset: `site-${i}`,
  token: `bench-token-of-site-${i}`,
}));

type Body = (asset: string, date: UtcDay) => string;

function orderFor(port: number, body: Body): LoadOrder {
  const senders = sites.slice(0, Math.ceil(MOST_HELD / body("site-0", today).length));
  const requests = senders.map(({ asset, token }) => ({ token, body: body(asset, today) }));
  return {
    port,
    path: "/api/codebase-report",
    connections: CONNECTIONS,
    warmUpMs: 700,
    measureMs: MEASURE_MS,
    requests,
  };
}

/** A year of nights would be long in the making; the depth of history is a setting. */
function seedHistory(dataDir: string): void {
  const store = openStore(join(dataDir, "tower.db"));
  migrateStore(store);
  store.raw.run("PRAGMA synchronous = OFF");
  const tx = store.main as Tx;
  for (const date of historyDays(today, DAYS)) {
    store.raw.transaction(() => {
      for (const { asset } of sites) {
        const body = smallReport(asset, date);
        acceptReport(tx, {
          report: JSON.parse(body) as CodebaseReport,
          body,
          receivedAt: startOfDay(date),
          thresholds: DEFAULT_CODEBASE_THRESHOLDS,
          newId: systemIds.uuid,
        });
      }
    })();
  }
  store.close();
}

/** What a run saw, and what it cost the server. */
interface Measured extends LoadResult {
  /** CPU microseconds of the server per answer, all threads: what a busy machine disturbs least. 0 where it cannot be read. */
  readonly cpu: number;
}

async function measured(target: Target, body: Body): Promise<Measured> {
  try {
    const order = orderFor(target.port, body);
    const before = cpuSeconds(target.pid);
    const result = await runLoad(order);
    return { ...result, cpu: ((cpuSeconds(target.pid) - before) * 1e6) / Math.max(1, result.all) };
  } finally {
    await target.end();
  }
}

async function measureService(body: Body): Promise<Measured> {
  using folder = temporaryFolder();
  seedHistory(folder.path);
  return measured(await startTower(folder.path, sites), body);
}

async function measureBare(kind: "validated" | "commit", body: Body): Promise<Measured> {
  using folder = temporaryFolder();
  return measured(await startBare(kind, folder.path, sites), body);
}

interface Row {
  readonly name: string;
  readonly run: () => Promise<Measured>;
  readonly results: Measured[];
}

const rows: readonly Row[] = [
  {
    name: "E: bare validated group commit, 2 kB",
    run: () => measureBare("validated", smallReport),
    results: [],
  },
  { name: "Tower, 2 kB, five rules run", run: () => measureService(smallReport), results: [] },
  { name: "Tower, 2 kB, three rules fire", run: () => measureService(firingReport), results: [] },
  { name: "bare commit, 148 kB", run: () => measureBare("commit", largeReport), results: [] },
  {
    name: "E: bare validated group commit, 148 kB",
    run: () => measureBare("validated", largeReport),
    results: [],
  },
  { name: "Tower, 148 kB, five rules run", run: () => measureService(largeReport), results: [] },
];

function best(row: Row): Measured {
  const fastest = row.results.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  return { ...fastest, cpu: Math.min(...row.results.map(({ cpu }) => cpu)) };
}

/** Runs the bench and prints its table; the best of the rounds stands for a row, since a shared machine only ever takes away. */
export async function ingestBench(): Promise<void> {
  const bytes = [smallReport, largeReport].map((body) => Buffer.byteLength(body("site-0", today)));
  console.log(
    `ingest: c${CONNECTIONS}, ${SITES} sites, ${DAYS} days of history, bodies of ${bytes.join(" and ")} bytes, best of ${ROUNDS} rounds of ${MEASURE_MS} ms`,
  );
  // In turns, so that a disturbance of the machine meets every row alike.
  for (let round = 0; round < ROUNDS; round++) for (const row of rows) row.results.push(await row.run());
  for (const row of rows) {
    const { perSecond, p50, p99, max, refused, cpu } = best(row);
    const all = row.results.map((result) => Math.round(result.perSecond)).join(" ");
    console.log(
      `  ${row.name.padEnd(40)} ${perSecond.toFixed(0).padStart(6)} req/s  p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}  max ${max.toFixed(1)} ms  cpu ${cpu.toFixed(0)} us  refused ${refused}  (${all})`,
    );
  }
  const [bareSmall, small, firing, bareCommit, bareLarge, large] = rows.map(best);
  if (!bareSmall || !small || !firing || !bareCommit || !bareLarge || !large) return;
  const ratio = (a: Measured, b: Measured) =>
    `${(a.perSecond / b.perSecond).toFixed(2)} by requests, ${(b.cpu / a.cpu).toFixed(2)} by CPU`;
  console.log(
    `  goal 1, at least 0.6: 2 kB with five rules / E: ${ratio(small, bareSmall)}; three firing: ${ratio(firing, bareSmall)}`,
  );
  console.log(`  goal 2, at most 2: its p99 / that of E: ${(small.p99 / bareSmall.p99).toFixed(2)}`);
  console.log(
    `  goal 3, at least 0.5: 148 kB with five rules / bare commit: ${ratio(large, bareCommit)}; / E: ${ratio(large, bareLarge)}`,
  );
}

if (import.meta.main) await ingestBench();
