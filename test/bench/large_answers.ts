/**
 * What large answers of the read API cost everybody else: 500 revisions of a large nightly report, asked for by one and by eight
 * clients at once, beside a small request that is asked over and over. Resident memory, and the longest that the small one waited.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureAssets } from "../../src/assets/mod.ts";
import { migrateStore, openStore, Writer } from "../../src/db/mod.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { acceptPulse } from "../../src/pulse/mod.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd, type Service, startService } from "../support/service.ts";

const REVISIONS = 500;
const PATH = "/api/assets/shop/pulses?limit=500&revisions=all";

async function seed(dataDir: string): Promise<number> {
  const store = openStore(join(dataDir, "tower.db"));
  migrateStore(store);
  store.raw.run("PRAGMA synchronous = OFF");
  const writer = new Writer(store);
  const receivedAt = Date.now();
  const generatedAt = new Date(receivedAt).toISOString();
  let bytes = 0;
  await writer.write((tx) => {
    ensureAssets(tx, ["shop"], { actor: "bench", now: receivedAt });
  });
  for (let i = 0; i < REVISIONS; i++) {
    const negativeByPage = Array.from({ length: 430 }, (_, k) => ({
      page: `/${Bun.hash(`${i} ${k}`).toString(36).repeat(38).slice(0, 480)}`,
      count: k,
    }));
    const report = { asset: "shop", generatedAt, metrics: { signups: { last24h: i } }, negativeByPage };
    const body = JSON.stringify(report);
    bytes += body.length;
    await writer.write((tx) => acceptPulse(tx, { report, body, receivedAt, newId: systemIds.uuid }));
  }
  writer.close();
  store.close();
  return bytes;
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

async function row(service: Service, token: string, encoding: string, clients: number): Promise<string> {
  const before = residentMib(service.pid);
  let high = before;
  let worst = 0;
  let isOver = false;
  const small = async () => {
    while (!isOver) {
      const asked = performance.now();
      await (await fetch(`${service.towerUrl}/healthz`)).text();
      worst = Math.max(worst, performance.now() - asked);
      high = Math.max(high, residentMib(service.pid));
      await Bun.sleep(2);
    }
  };
  const watching = small();
  const started = performance.now();
  const sizes = await Promise.all(
    Array.from({ length: clients }, async () => {
      const headers = { authorization: `Bearer ${token}`, "accept-encoding": encoding };
      const response = await fetch(`${service.towerUrl}${PATH}`, { headers, decompress: false });
      if (!response.ok) throw new Error(`${PATH}: ${response.status}`);
      return (await response.bytes()).byteLength;
    }),
  );
  const took = performance.now() - started;
  isOver = true;
  await watching;
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return `  ${encoding.padEnd(9)} ${clients} at once  ${took.toFixed(0).padStart(6)} ms  ${(mean / 1e6).toFixed(2).padStart(7)} MB each  the small one waited ${worst.toFixed(0).padStart(6)} ms at most  memory ${before.toFixed(0)} to ${high.toFixed(0)} MiB`;
}

async function main(): Promise<void> {
  using folder = temporaryFolder();
  const bytes = await seed(folder.path);
  const issue = ["token", "issue", "--operator", "bench", "--scopes", "read"];
  const token = (await runToEnd("cli.ts", issue, { DATA_DIR: folder.path })).out.trim();
  const service = await startService({ DATA_DIR: folder.path, INGEST_PORT: "0", TOWER_PORT: "0" });
  try {
    console.log(`large answers: ${REVISIONS} revisions, ${(bytes / 1e6).toFixed(0)} MB`);
    for (const encoding of ["zstd", "gzip", "identity"]) {
      for (const clients of [1, 8]) console.log(await row(service, token, encoding, clients));
    }
  } finally {
    await service.end("SIGTERM");
  }
}

if (import.meta.main) await main();
