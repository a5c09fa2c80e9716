/**
 * What run records cost: a simulated month of many sites, two providers each, every quarter of an hour. Bytes a record loose and
 * packed with every index counted, the time of packing, and what holds the event loop meanwhile; what a look-up of a tick and a page
 * of a list take. `bun run bench attempts [--sites=1000] [--days=30]`.
 */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { migrateStore, openStore, type Store, Writer } from "../../src/db/mod.ts";
import { readAttempts } from "../../src/signals/attempt_list.ts";
import { PACK_ATTEMPTS } from "../../src/signals/attempt_pack.ts";
import { heldUntil, recordAttempt } from "../../src/signals/attempt_store.ts";
import type { Attempt } from "../../src/signals/contract.ts";
import { packSettled } from "../../src/signals/pack_settled.ts";
import { temporaryFolder } from "../support/folder.ts";
import { seeded } from "../support/random_counts.ts";

const given = new Map(
  Bun.argv.slice(2).map((option) => option.replace(/^--/, "").split("=") as [string, string]),
);
const SITES = Number(given.get("sites") ?? 1_000);
const DAYS = Number(given.get("days") ?? 30);
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const IN_FLIGHT = 6;
const FIRST = Date.parse("2026-01-01T00:00:00Z");

const random = seeded(7);
using folder = temporaryFolder();
const store = openStore(join(folder.path, "tower.db"));
migrateStore(store);
const writer = new Writer(store);
const clock = { now: () => now };
let now = FIRST;

const targets: Attempt["target"][] = (["analytics", "search-console"] as const).flatMap((provider) =>
  Array.from({ length: SITES }, (_, site) => ({
    asset: `site-${site}.example`,
    provider,
    connectionRevision: "9f1c7e0a-connection",
    property: provider === "analytics" ? String(300_000_000 + site) : `sc-domain:site-${site}.example`,
    timeZone: "Europe/Berlin",
  })),
);

/** The attempts of one tick in the order in which they end, six of each provider in flight. */
function tickAt(startedAt: number): Attempt[] {
  const lanes = new Map<string, number[]>();
  const attempts = targets.map((target): Attempt & { readonly end: number } => {
    const free = lanes.get(target.provider) ?? Array<number>(IN_FLIGHT).fill(startedAt);
    lanes.set(target.provider, free);
    const lane = free.indexOf(Math.min(...free));
    const began = free[lane] ?? startedAt;
    const tookMs = Math.round(90 - Math.log(1 - random()) * 70);
    free[lane] = began + tookMs + 1;
    const chance = random();
    const isFailed = chance < 0.002;
    return {
      target,
      startedAt: began,
      tookMs,
      end: began + tookMs,
      outcome: isFailed ? "failed" : chance < 0.04 ? "changed" : chance < 0.05 ? "source_lag" : "unchanged",
      category: isFailed ? "rate_limit" : null,
      nextRetryAt: isFailed ? began + 5 * 60_000 : null,
      requests: 1,
      changed: chance >= 0.002 && chance < 0.04 ? 1 : 0,
    };
  });
  return attempts.sort((a, b) => a.end - b.end);
}

const bytesOf = (of: Store, ...names: string[]) =>
  of.raw
    .query<{ bytes: number }, [string]>(
      "SELECT coalesce(sum(pgsize), 0) AS bytes FROM dbstat WHERE name IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(names))[0]?.bytes ?? 0;
const LOOSE = ["pull_attempt", "pull_attempt_of_target", "pull_attempt_of_run"];
const PACKED = ["pull_attempt_pack", "pull_attempt_pack_last", "pull_attempt_pack_holds"];
const count = (table: string) =>
  store.raw.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).all()[0]?.n ?? 0;

const beginRun = store.raw.prepare("INSERT INTO job_run (run, job, started_at) VALUES (?, 'sense', ?)");
let wrote = 0;
let packedMs = 0;
let looseMost = 0;
const delays: number[] = [];
for (let day = 0; day < DAYS; day++) {
  for (let tick = 0; tick < 96; tick++) {
    now = FIRST + day * DAY_MS + tick * QUARTER_MS;
    const attempts = tickAt(now);
    const run = day * 96 + tick + 1;
    await writer.write((tx) => {
      beginRun.run(`run-${run}`, now);
      for (const attempt of attempts) recordAttempt(tx, run, attempt);
    });
    wrote += attempts.length;
  }
  if (day === 0) {
    looseMost = bytesOf(store, ...LOOSE) / count("pull_attempt");
    console.log(`${wrote} attempts a day; loose ${looseMost.toFixed(1)} B each, indexes counted`);
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await packSettled({ store, writer, clock });
  packedMs += performance.now() - startedAt;
  delay.disable();
  delays.push(delay.max / 1e6);
}
const packs = count("pull_attempt_pack");
const packed = wrote - (count("pull_attempt") - 0);
const perPacked = bytesOf(store, ...PACKED) / (packs * PACK_ATTEMPTS);
console.log(
  `${wrote} attempts in ${DAYS} days; ${packs} packs, ${perPacked.toFixed(2)} B an attempt in them, indexes counted`,
);
console.log(
  `packing: ${(packedMs / packs).toFixed(0)} ms a pack (${packed} attempts), event loop held for ${Math.max(...delays).toFixed(1)} ms at most`,
);
const loose = (2 * SITES * 96 * 1.05 + PACK_ATTEMPTS) * looseMost;
const year = 365.25 * 96 * 2 * SITES * perPacked + loose;
console.log(
  `after a year: ${(year / 1e6).toFixed(0)} MB, of it ${(loose / 1e6).toFixed(0)} MB loose; file now ${(store.raw.query<{ n: number }, []>("SELECT page_count * 4096 AS n FROM pragma_page_count").all()[0]?.n ?? 0) / 1e6} MB`,
);

const lookedAt = performance.now();
for (const target of targets) heldUntil(store.db, target, now);
console.log(`held? ${targets.length} look-ups: ${(performance.now() - lookedAt).toFixed(1)} ms`);
const site = new Set([SITES >> 1, SITES + (SITES >> 1)]);
for (const [what, filter] of [
  ["the newest 100", {}],
  ["the newest 100 of one site", { targets: site }],
  ["what failed of one site, over everything", { targets: site, outcome: 5 }],
  ["a run in the middle", { run: DAYS * 48 }],
] as const) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const { rows, next } = await readAttempts(store.db, filter, { limit: 100 });
  const ms = performance.now() - startedAt;
  delay.disable();
  console.log(
    `${what}: ${rows.length} in ${ms.toFixed(1)} ms${next === undefined ? "" : ", and on"}; event loop held for ${(delay.max / 1e6).toFixed(1)} ms at most`,
  );
}
writer.close();
store.close();
