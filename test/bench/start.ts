/**
 * From spawn to the first answer, and what is resident then: of Elysia with one route, and of the service on an empty folder and on a
 * database with a history; from the bundle (`bun src/app/build.ts`) and from the sources. The least of some rounds, taken in turns, since
 * a shared machine only ever adds. `bun run bench start [--sites=1000] [--days=60] [--rounds=8]`.
 */

import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFolder, ROOT } from "../../src/app/prepare.ts";
import { addDays, utcDayOf } from "../../src/base/time.ts";
import { bareEnvironment } from "../support/service.ts";
import { cpuSeconds, type Memory, memoryOf } from "./parts/memory.ts";
import { seedNightly } from "./parts/nightly_history.ts";
import { numberOf } from "./parts/processes.ts";
import { buildService } from "./parts/target.ts";

const SITES = numberOf("sites", 1_000);
const DAYS = numberOf("days", 60);
const ROUNDS = numberOf("rounds", 8);
/** Before memory is read. */
const IDLE_MS = 5_000;
const LOOK_MS = 2;

interface Start {
  readonly health: number;
  /** CPU milliseconds until then, of all threads: what a busy machine disturbs least. */
  readonly cpu: number;
  readonly page: number;
  readonly memory: Memory | undefined;
}

interface Row {
  readonly name: string;
  readonly start: (port: number) => { readonly pid: number; end(): Promise<void> };
  /** A page that is no more than the health of the yardstick. */
  readonly page: string;
  readonly seen: Start[];
}

function spawned(script: string, args: readonly string[], settings: Readonly<Record<string, string>>) {
  const child = Bun.spawn([process.execPath, script, ...args], {
    cwd: ROOT,
    env: { ...bareEnvironment(), ...settings },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  return {
    pid: child.pid,
    end: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

const main = join(ROOT, "src", "main.ts");
const settingsOf = (dataDir: string, port: number) => ({
  DATA_DIR: dataDir,
  INGEST_PORT: "0",
  TOWER_PORT: String(port),
  LOG_LEVEL: "error",
});

function onEmpty(port: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "tower-start-"));
  const service = spawned(main, [], settingsOf(dataDir, port));
  const end = async () => {
    await service.end();
    rmSync(dataDir, { recursive: true });
  };
  return { ...service, end };
}

/** The same without the bundle, which is put aside meanwhile. */
function fromSources(start: Row["start"]): Row["start"] {
  return (port) => {
    const [bundle, aside] = [bundleFolder(ROOT), `${bundleFolder(ROOT)}.aside`];
    renameSync(bundle, aside);
    const service = start(port);
    const end = async () => {
      await service.end();
      renameSync(aside, bundle);
    };
    return { ...service, end };
  };
}

async function until(url: string): Promise<void> {
  for (;;) {
    try {
      const { ok } = await fetch(url, { keepalive: false });
      if (ok) return;
    } catch {
      // Not yet.
    }
    await Bun.sleep(LOOK_MS);
  }
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  server.stop(true);
  return port ?? 0;
}

async function run(row: Row, wantsMemory: boolean): Promise<void> {
  const port = freePort();
  const begun = performance.now();
  const started = row.start(port);
  try {
    await until(`http://127.0.0.1:${port}/healthz`);
    const health = performance.now() - begun;
    const cpu = cpuSeconds(started.pid) * 1_000;
    await until(`http://127.0.0.1:${port}${row.page}`);
    const page = performance.now() - begun;
    if (wantsMemory) await Bun.sleep(IDLE_MS);
    row.seen.push({ health, cpu, page, memory: wantsMemory ? memoryOf(started.pid) : undefined });
  } finally {
    await started.end();
  }
}

buildService();
const seeded = mkdtempSync(join(tmpdir(), "tower-start-"));
await seedNightly(seeded, {
  sites: SITES,
  days: DAYS,
  metrics: 12,
  last: addDays(utcDayOf(Date.now()), -1),
});
const onSeeded = (port: number) => spawned(main, [], settingsOf(seeded, port));
const hello = join(import.meta.dir, "parts/bare_hello.ts");
const rows: readonly Row[] = [
  { name: "Elysia hello", start: (port) => spawned(hello, [String(port)], {}), page: "/healthz", seen: [] },
  { name: "empty, from the bundle", start: onEmpty, page: "/setup", seen: [] },
  { name: "empty, from the sources", start: fromSources(onEmpty), page: "/setup", seen: [] },
  { name: "with a history, from the bundle", start: onSeeded, page: "/setup", seen: [] },
  { name: "with a history, from the sources", start: fromSources(onSeeded), page: "/setup", seen: [] },
];
try {
  // The first start of a seeded folder makes what a first start makes.
  for (const row of rows) await run(row, false);
  for (const row of rows) row.seen.length = 0;
  for (let round = 0; round < ROUNDS; round++) for (const row of rows) await run(row, round === 0);
  const least = (row: Row, of: (start: Start) => number) => Math.min(...row.seen.map(of));
  const [bare] = rows;
  if (bare === undefined) throw new Error("no yardstick");
  const yardstick = least(bare, ({ health }) => health);
  console.log(
    `least of ${ROUNDS}; the history is of ${SITES} sites and ${DAYS} days, ${(statSync(join(seeded, "tower.db")).size / 1e6).toFixed(0)} MB`,
  );
  for (const row of rows) {
    const health = least(row, (start) => start.health);
    const memory = row.seen.find((start) => start.memory !== undefined)?.memory;
    console.log(
      `  ${row.name.padEnd(34)} first answer ${health.toFixed(0).padStart(4)} ms, ${(health / yardstick).toFixed(2)} of the hello (CPU ${least(row, ({ cpu }) => cpu).toFixed(0)} ms); first page ${least(row, ({ page }) => page).toFixed(0)} ms; ${memory?.resident.toFixed(0)} MB resident, ${memory?.own.toFixed(0)} of it its own`,
    );
  }
  const worst = Math.max(...rows.slice(1).map((row) => least(row, ({ health }) => health))) / yardstick;
  console.log(
    `  ${worst <= 4 ? "reached" : "MISSED "}  a start within 4 times the hello, in every row: ${worst.toFixed(2)}`,
  );
} finally {
  rmSync(seeded, { recursive: true });
}
