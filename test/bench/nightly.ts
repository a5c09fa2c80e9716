/**
 * Nightly reports through the real service, over a grid of sites and days of history, each cell beside its yardstick E (the bare
 * service) in the same run: how many are accepted, how long an answer takes in peace, under full load and while a burst is judged,
 * when the burst is judged, what a value and a report take on the disk, and memory. The server has one core, the client the other.
 *
 * `bun run bench nightly [--sites=10,100,1000] [--days=30,365,1095] [--rounds=3] [--seconds=2] [--tables]`
 */

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { addDays, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type BurstResult, runBurst } from "./parts/burst.ts";
import { type LoadResult, runLoad } from "./parts/load.ts";
import { type Memory, memoryOf } from "./parts/memory.ts";
import {
  type NightlyHistory,
  nightlyReport,
  seedNightly,
  siteName,
  siteToken,
} from "./parts/nightly_history.ts";
import { numberOf, numbersOf } from "./parts/processes.ts";
import { buildService, startBare, startTower, type Target } from "./parts/target.ts";

const SITES = numbersOf("sites", [10, 100, 1_000]);
const DAYS = numbersOf("days", [30, 365, 1_095]);
const ROUNDS = numberOf("rounds", 3);
const SECONDS = numberOf("seconds", 2);
const METRICS = 12;
const CONNECTIONS = 16;
const BURST = 1_000;
const WARM_UP_MS = 500;
/** Days sent under full load before they are sent again as revisions. */
const MOST_LOAD_DAYS = 100;
/** Longest wait for a burst to be judged. */
const PATIENCE_MS = 60_000;
const PROBE = { asset: "probe", token: "bench-token-of-the-probe" };

const today = utcDayOf(Date.now());

/** The days of a cell: its history, then those of the burst, then those of the full load, which end today. */
function spanOf(sites: number): {
  readonly last: UtcDay;
  readonly burstDays: number;
  readonly loadDays: number;
} {
  const burstDays = Math.ceil(BURST / sites);
  const loadDays = Math.min(MOST_LOAD_DAYS, Math.ceil(8_000 / sites));
  // Up to yesterday: what is made tonight may lie ahead of now.
  return { last: addDays(today, -burstDays - loadDays - 1), burstDays, loadDays };
}

/** Reports of every site, day after day. */
function reports(sites: number, first: UtcDay, days: number) {
  return Array.from({ length: sites * days }, (_, at) => ({
    token: siteToken(at % sites),
    body: JSON.stringify(nightlyReport(at % sites, addDays(first, Math.floor(at / sites)), METRICS)),
  }));
}

function burstOn(target: Target, sites: number): Promise<BurstResult> {
  const { last, burstDays } = spanOf(sites);
  const metrics = { signups: { last24h: 7 } };
  const probe = { asset: PROBE.asset, generatedAt: `${today}T00:00:00Z`, metrics };
  return runBurst({
    port: target.port,
    path: "/api/pulse",
    ...(target.towerPort === undefined ? {} : { towerPort: target.towerPort }),
    probe: { token: PROBE.token, body: JSON.stringify(probe) },
    everyMs: 25,
    quietMs: 2_000,
    burst: reports(sites, addDays(last, 1), burstDays).slice(0, BURST),
    connections: CONNECTIONS,
    patienceMs: PATIENCE_MS,
  });
}

/** Reports that wait to be judged. */
async function waitingAt({ towerPort }: Target): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${towerPort}/readyz`);
  return ((await answer.json()) as { reports_waiting: number }).reports_waiting;
}

function loadOn(target: Target, sites: number): Promise<LoadResult> {
  const { loadDays } = spanOf(sites);
  return runLoad({
    port: target.port,
    path: "/api/pulse",
    connections: CONNECTIONS,
    warmUpMs: WARM_UP_MS,
    measureMs: SECONDS * 1_000,
    requests: reports(sites, addDays(today, -loadDays), loadDays),
  });
}

/** Bytes on the disk by what they are for. */
interface Sizes {
  readonly perValue: number;
  readonly perReport: number;
  /** What does not grow with the days: verdicts, sites, the audit. */
  readonly rest: number;
  readonly file: number;
  readonly tables: readonly { readonly name: string; readonly table: string; readonly bytes: number }[];
}

/** Tables that hold the values of the days, and those that have a row for each report. */
const VALUE_TABLES = /^(?:pulse_reading|pulse_metric|series)/;
const REPORT_TABLES = /^(?:pulse|flow_tally|flow_progress|report)/;

function sizesOf(dataDir: string, { sites, days, metrics }: NightlyHistory): Sizes {
  const db = new Database(join(dataDir, "tower.db"), { readonly: true });
  try {
    const tables = db
      .query<{ name: string; table: string; bytes: number }, []>(
        `SELECT d.name, coalesce(s.tbl_name, d.name) AS "table", sum(d.pgsize) AS bytes
         FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY d.name ORDER BY bytes DESC`,
      )
      .all();
    const sum = (of: (table: string) => boolean) =>
      tables.reduce((all, { table, bytes }) => all + (of(table) ? bytes : 0), 0);
    const isValue = (table: string) => VALUE_TABLES.test(table);
    const isReport = (table: string) => !isValue(table) && REPORT_TABLES.test(table);
    return {
      perValue: sum(isValue) / (sites * days * metrics),
      perReport: sum(isReport) / (sites * days),
      rest: sum((table) => !isValue(table) && !isReport(table)),
      file: sum(() => true),
      tables,
    };
  } finally {
    db.close();
  }
}

/** What one cell of the grid came to; of several rounds the best, since a shared machine only ever takes away. */
interface Cell {
  readonly sites: number;
  readonly days: number;
  readonly sizes: Sizes;
  readonly idle: Memory;
  readonly loaded: Memory;
  readonly ours: Measured;
  readonly e: Measured;
}

interface Measured {
  readonly load: LoadResult;
  /** Reports judged a second under that load. */
  readonly judgedPerSecond: number;
  readonly single: BurstResult;
}

async function measureCell(sites: number, days: number): Promise<Cell> {
  using folder = temporaryFolder();
  const history: NightlyHistory = { sites, days, metrics: METRICS, last: spanOf(sites).last };
  const begun = performance.now();
  await seedNightly(folder.path, history);
  const sizes = sizesOf(folder.path, history);
  console.error(
    `  ${sites} sites, ${days} days: seeded in ${((performance.now() - begun) / 1_000).toFixed(0)} s, ${(sizes.file / 1e6).toFixed(0)} MB`,
  );
  const bareFolder = temporaryFolder();
  const senders = Array.from({ length: sites }, (_, site) => ({
    asset: siteName(site),
    token: siteToken(site),
  }));
  const bare = await startBare("nightly", bareFolder.path, [...senders, PROBE]);
  const tower = await startTower(folder.path, [...senders, PROBE]);
  try {
    await Bun.sleep(3_000);
    const idle = memoryOf(tower.pid);
    const single = await burstOn(tower, sites);
    const bareSingle = await burstOn(bare, sites);
    const loads: LoadResult[] = [];
    let judged = 0;
    const bareLoads: LoadResult[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bareLoads.push(await loadOn(bare, sites));
      const before = await waitingAt(tower);
      const load = await loadOn(tower, sites);
      // The client's clock stops with its last answer; what is judged until the next look is little beside it.
      judged = Math.max(
        judged,
        (before + load.all - (await waitingAt(tower))) / (SECONDS + WARM_UP_MS / 1_000),
      );
      loads.push(load);
    }
    const loaded = memoryOf(tower.pid);
    return {
      sites,
      days,
      sizes,
      idle,
      loaded,
      ours: { load: best(loads), judgedPerSecond: judged, single },
      e: { load: best(bareLoads), judgedPerSecond: 0, single: bareSingle },
    };
  } finally {
    await Promise.all([tower.end(), bare.end()]);
    bareFolder[Symbol.dispose]();
  }
}

function best(results: readonly LoadResult[]): LoadResult {
  const fastest = results.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  return { ...fastest, p99: Math.min(...results.map(({ p99 }) => p99)) };
}

const ms = (time: number) => time.toFixed(2);

function print({ sites, days, sizes, idle, loaded, ours, e }: Cell): void {
  const { single } = ours;
  const accept = ours.load.perSecond / e.load.perSecond;
  const judged =
    single.judgedMs === undefined
      ? `not within ${PATIENCE_MS / 1_000} s`
      : `${(single.judgedMs / 1_000).toFixed(2)} s after its last answer (${single.waiting} waited then)`;
  console.log(`${sites} sites x ${days} days, ${METRICS} metrics`);
  console.log(
    `  accepting at c${CONNECTIONS}: ${ours.load.perSecond.toFixed(0)} req/s and judging ${ours.judgedPerSecond.toFixed(0)}/s of them, E ${e.load.perSecond.toFixed(0)}, ratio ${accept.toFixed(2)}; p50 ${ms(ours.load.p50)} (E ${ms(e.load.p50)}), p99 ${ms(ours.load.p99)} (E ${ms(e.load.p99)}), at most ${ours.load.max.toFixed(0)} ms; refused ${ours.load.refused + single.refused}`,
  );
  console.log(`  single reports in peace: ${timesText(single.quiet)}; E ${timesText(e.single.quiet)}`);
  console.log(
    `  a burst of ${BURST}: answered in ${single.burstMs.toFixed(0)} ms (E ${e.single.burstMs.toFixed(0)}), p99 ${ms(single.burst.p99)} (E ${ms(e.single.burst.p99)}); judged ${judged}`,
  );
  console.log(`  single reports meanwhile: ${timesText(single.judging)}`);
  for (const [path, times] of Object.entries(single.pages))
    if (times.answers > 0) console.log(`    ${path.padEnd(9)} ${timesText(times)}`);
  console.log(
    `  on the disk: ${sizes.perValue.toFixed(1)} bytes a value, ${sizes.perReport.toFixed(0)} a report, ${(sizes.rest / 1e6).toFixed(1)} MB beside them, ${(sizes.file / 1e6).toFixed(1)} MB in all`,
  );
  if (Bun.argv.includes("--tables")) {
    for (const { name, table, bytes } of sizes.tables.slice(0, 20))
      console.log(`    ${name.padEnd(36)} ${table.padEnd(16)} ${(bytes / 1e6).toFixed(2).padStart(9)} MB`);
  }
  console.log(`  memory: ${memoryText(idle)} idle; ${memoryText(loaded)} after load`);
}

function memoryText({ resident, own }: Memory): string {
  return `${resident.toFixed(0)} MB resident, ${own.toFixed(0)} MB of it its own`;
}

function timesText({ p50, p99, max, answers }: BurstResult["quiet"]): string {
  return `p50 ${ms(p50)}, p99 ${ms(p99)}, at most ${max.toFixed(1)} ms (${answers})`;
}

/** What is to be reached in every cell. */
const GOALS: readonly {
  readonly name: string;
  readonly of: (cell: Cell) => number;
  readonly isReached: (value: number) => boolean;
}[] = [
  {
    name: "accepting at least 0.6 E",
    of: ({ ours, e }) => ours.load.perSecond / e.load.perSecond,
    isReached: (ratio) => ratio >= 0.6,
  },
  {
    name: "a burst of 1,000 judged within 2 s of its last answer",
    of: ({ ours }) => (ours.single.judgedMs ?? Number.POSITIVE_INFINITY) / 1_000,
    isReached: (seconds) => seconds <= 2,
  },
  {
    name: "p99 of a single answer while judging at most 2 E",
    of: ({ ours, e }) => ours.single.judging.p99 / e.single.quiet.p99,
    isReached: (ratio) => ratio <= 2,
  },
  {
    name: "p99 at full load at most 2 E",
    of: ({ ours, e }) => ours.load.p99 / e.load.p99,
    isReached: (ratio) => ratio <= 2,
  },
  {
    name: "at most 26 bytes a value with indexes",
    of: ({ sizes }) => sizes.perValue,
    isReached: (bytes) => bytes <= 26,
  },
  {
    name: "at most 300 bytes a report beside them",
    of: ({ sizes }) => sizes.perReport,
    isReached: (bytes) => bytes <= 300,
  },
  {
    name: "at most 80 MB resident when idle",
    of: ({ idle }) => idle.resident,
    isReached: (megabytes) => megabytes <= 80,
  },
  {
    name: "small answers of the Tower in 2 ms while judging, at the median",
    of: ({ ours }) => Math.max(0, ...Object.values(ours.single.pages).map(({ p50 }) => p50)),
    isReached: (time) => time <= 2,
  },
];

/** The same sites at the fewest and the most days: by how much the second is worse, as a ratio. */
const FLAT: readonly { readonly name: string; readonly of: (few: Cell, many: Cell) => number }[] = [
  {
    name: "accepting flat in history within 10 %",
    of: (few, many) =>
      few.ours.load.perSecond / few.e.load.perSecond / (many.ours.load.perSecond / many.e.load.perSecond),
  },
  {
    name: "judging a burst flat in history within 10 %",
    of: (few, many) =>
      (many.ours.single.judgedMs ?? Number.POSITIVE_INFINITY) / (few.ours.single.judgedMs ?? 0),
  },
];

function verdict(name: string, reached: boolean, values: readonly number[]): void {
  console.log(
    `  ${reached ? "reached" : "MISSED "}  ${name}: ${values.map((value) => value.toFixed(2)).join(" ")}`,
  );
}

buildService();
const cells: Cell[] = [];
for (const sites of SITES) {
  for (const days of DAYS) {
    const cell = await measureCell(sites, days);
    print(cell);
    cells.push(cell);
  }
}
console.log(`goals, by cell: ${cells.map(({ sites, days }) => `${sites}x${days}`).join(" ")}`);
for (const { name, of, isReached } of GOALS) {
  const values = cells.map(of);
  verdict(name, values.every(isReached), values);
}
for (const { name, of } of DAYS.length > 1 ? FLAT : []) {
  const values = SITES.map((sites) => {
    const row = cells.filter((cell) => cell.sites === sites).sort((a, b) => a.days - b.days);
    const [few, many] = [row.at(0), row.at(-1)];
    return few === undefined || many === undefined ? Number.NaN : of(few, many);
  });
  verdict(
    name,
    values.every((ratio) => ratio <= 1.1),
    values,
  );
}
