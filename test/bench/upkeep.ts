/**
 * What a running service does beside its answers: a backup against a bare `VACUUM INTO` of the same file, and a check; and how long
 * single reports take meanwhile. `bun run bench upkeep [--sites=1000] [--days=250]`.
 */

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { askService } from "../../src/app/control.ts";
import { addDays, utcDayOf } from "../../src/base/time.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";
import { buildService } from "./parts/built.ts";
import { seedNightly } from "./parts/nightly_history.ts";
import { getPacket, postPacket, RawClient } from "./parts/raw_client.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const SITES = Number(given.get("sites") ?? 1_000);
const DAYS = Number(given.get("days") ?? 250);
const ROUNDS = 4;
const EVERY_MS = 10;
const TOKEN = "bench-token-of-the-probe";

buildService();
const today = utcDayOf(Date.now());
using folder = temporaryFolder();
const dataDir = folder.path;
await seedNightly(dataDir, { sites: SITES, days: DAYS, metrics: 12, last: addDays(today, -1) });
const path = join(dataDir, "tower.db");
const megabytes = statSync(path).size / 1e6;
console.log(`${SITES} sites, ${DAYS} days, ${megabytes.toFixed(0)} MB`);

const service = await startService({
  DATA_DIR: dataDir,
  INGEST_PORT: "0",
  TOWER_PORT: "0",
  LOG_LEVEL: "error",
  INGEST_BURST: "1000000",
  INGEST_BYTES_PER_DAY: "1000000000000",
  INGEST_PER_SECOND: "1000000",
  ASSET_TOKENS: `probe:${TOKEN}`,
});
const ingest = Number(new URL(service.ingestUrl).port);
const tower = Number(new URL(service.towerUrl).port);
const sender = await RawClient.connect(ingest);
const reader = await RawClient.connect(tower);
const report = { asset: "probe", generatedAt: `${today}T00:00:00Z`, metrics: { signups: { last24h: 7 } } };
const post = postPacket(ingest, "/api/pulse", TOKEN, JSON.stringify(report));
const health = getPacket(tower, "/healthz");

/** Asks every few milliseconds while something goes on; the second answer touches no disk, and so shows what holds the event loop. */
async function beside<T>(what: string, work: () => Promise<T>): Promise<T> {
  const posts: number[] = [];
  const reads: number[] = [];
  let going = true;
  const asking = (async () => {
    while (going) {
      posts.push((await sender.ask(post)).ms);
      reads.push((await reader.ask(health)).ms);
      await Bun.sleep(EVERY_MS);
    }
  })();
  const done = await work();
  going = false;
  await asking;
  console.log(`  ${what}: reports ${text(posts)}; what touches no disk ${text(reads)}`);
  return done;
}

function text(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} ms (${sorted.length})`;
}

async function command(name: string, args: readonly string[]): Promise<{ stdout: string; ms: number }> {
  const begun = performance.now();
  const outcome = await askService(dataDir, name, { args: [...args], cwd: dataDir });
  if (outcome?.exitCode !== 0) throw new Error(`${name}: ${outcome?.stdout} ${outcome?.stderr}`);
  return { stdout: outcome.stdout, ms: performance.now() - begun };
}

async function vacuum(target: string): Promise<number> {
  const script = `import { Database } from "bun:sqlite";
    const db = new Database(${JSON.stringify(path)});
    const begun = performance.now();
    db.query("VACUUM INTO ?").run(${JSON.stringify(target)});
    console.log(performance.now() - begun);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  return Number(await new Response(child.stdout).text());
}

for (let i = 0; i < 100; i++) await sender.ask(post);
await beside("in peace", () => Bun.sleep(3_000));
const bare: number[] = [];
const whole: number[] = [];
const named: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const [one, other] = [join(dataDir, "bare.db"), join(dataDir, "one.backup")];
  bare.push(await vacuum(one));
  const work = async () => {
    // Seen from outside: the file has its name when it is whole, checked and sealed.
    const begun = performance.now();
    const looking = (async () => {
      while (statSync(other, { throwIfNoEntry: false }) === undefined) await Bun.sleep(1);
      named.push(performance.now() - begun);
    })();
    const { ms } = await command("backup", [other]);
    await looking;
    return ms;
  };
  whole.push(round === 0 ? await beside("beside a backup", work) : await work());
  for (const file of [one, other]) rmSync(file);
}
const least = (times: readonly number[]) => Math.min(...times);
console.log(
  `  VACUUM INTO ${least(bare).toFixed(0)} ms; a backup has its name, whole, checked and sealed, after ${least(named).toFixed(0)} ms, and what it says is judged after ${least(whole).toFixed(0)}`,
);
const ratio = least(bare) / least(named);
console.log(
  `  ${ratio >= 0.5 ? "reached" : "MISSED "}  a backup at least 0.5 of VACUUM INTO: ${ratio.toFixed(2)}`,
);
const { ms: checked } = await beside("beside a check", () => command("check", []));
console.log(`  a check takes ${checked.toFixed(0)} ms`);
await service.end("SIGTERM");
