/**
 * What the Wall costs with 12, 60, 1,000 and 10,000 sites, each with its nightly report and two providers: how long its first byte takes in the
 * server, its bytes, and a refresh that finds nothing new; each beside the portfolio of the same sites. `bun run bench wall`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { utcDayOf } from "../../src/base/time.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { dailyScope } from "../../src/health/health.ts";
import { recordOutcome } from "../../src/health/record.ts";
import { attachProperty } from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { FakeClock } from "../support/clock.ts";
import { storedCredential } from "../support/credentials.ts";
import { newFlag } from "../support/make/flag.ts";
import { OPERATOR_HEADER, PROXY, testTower } from "../support/test_tower.ts";

const SIZES = [12, 60, 1_000, 10_000] as const;
const ROUNDS = 40;
const WARM = 10;
const PROVIDERS = ["analytics", "search-console"] as const;
const GOAL = { ms: 25, bytes: 60_000 };

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** A service with so many sites: of fifty one fails, one is silent, and a tenth have an open flag. */
async function filled(folder: string, count: number) {
  const store = openStore(join(folder, `${count}.db`));
  migrateStore(store);
  const clock = new FakeClock("2026-11-20T14:02:10Z");
  const service = await testTower({ ground: { store, clock }, settings: PROXY });
  const { deps } = service;
  const now = clock.now();
  const by = { actor: "bench", now };
  const sites = Array.from({ length: count }, (_, index) => `site-${String(index).padStart(4, "0")}.example`);
  await deps.writer.write((tx): void => void ensureAssets(tx, sites, by));
  const insert = store.raw.prepare(
    "INSERT INTO pulse (asset, date, revision, received_at, generated_at) VALUES (?1, ?2, 1, ?3, ?3)",
  );
  const body = store.raw.prepare(
    "INSERT INTO pulse_body (id, asset, body) VALUES (last_insert_rowid(), ?, '{}')",
  );
  const fresh = store.raw.prepare("INSERT INTO pulse_freshness (asset, received_at) VALUES (?, ?)");
  store.raw.transaction(() => {
    for (const [index, asset] of sites.entries()) {
      const at = now - (index % 50 === 1 ? 60 : 6) * 3_600_000;
      insert.run(asset, utcDayOf(at), at);
      body.run(asset);
      fresh.run(asset, at);
    }
  })();
  for (const provider of PROVIDERS) {
    const { id: credential, connectionRevision } = await storedCredential(deps, provider);
    const attach = async (asset: string, index: number) => {
      const property = `properties/${index}`;
      await attachProperty(deps, { asset, provider, credential, property, replace: false }, by);
      await deps.writer.write((tx): void => {
        const scope = dailyScope(deps.config.workspace, { asset, provider, property, connectionRevision });
        const attempt = {
          attempt: `${provider}-${index}`,
          startedAt: now - 60_000,
          observedAt: now - 59_000,
        };
        const result =
          index % 50 === 7
            ? ({ ok: false, category: "access", code: null, nextRetryAt: null } as const)
            : ({ ok: true, coveredDate: "2026-11-18" } as const);
        recordOutcome(tx, scope, { ...attempt, result });
      });
    };
    // Writes that are asked together are stored by one sync: one after the other 10,000 sites take minutes.
    for (let from = 0; from < count; from += 100)
      await Promise.all(sites.slice(from, from + 100).map((asset, at) => attach(asset, from + at)));
  }
  await deps.writer.write((tx): void => {
    for (const [index, asset] of sites.entries())
      if (index % 10 === 3) insertOpenFlag(tx, `f${index}`, newFlag({ asset }), now, "rule");
  });
  return { service, close: () => service.close() };
}

const folder = mkdtempSync(join(tmpdir(), "wall-bench-"));
let missed = 0;
try {
  for (const size of SIZES) {
    const { service, close } = await filled(folder, size);
    const host = new URL(service.origin).host;
    const ask = async (path: string, more: Readonly<Record<string, string>> = {}) => {
      const headers = { host, [OPERATOR_HEADER]: "ada", ...more };
      const started = performance.now();
      const answer = await service.tower(
        new Request(`${service.origin}${path}`, { headers }),
        () => "127.0.0.1",
      );
      // Answers are whole when their head is: the first byte leaves with the last one known.
      const ms = performance.now() - started;
      const bytes = (await answer.arrayBuffer()).byteLength;
      return { ms, bytes, status: answer.status, etag: answer.headers.get("etag") ?? "" };
    };
    const medianOf = async (path: string, more?: Readonly<Record<string, string>>) => {
      const asked = await Array.fromAsync({ length: ROUNDS + WARM }, () => ask(path, more));
      return median(asked.slice(WARM).map(({ ms }) => ms));
    };
    const plain = await ask("/wall");
    const packed = await ask("/wall", { "accept-encoding": "gzip" });
    const { etag } = await ask("/wall", { "tower-refresh": "1" });
    const unchanged = { "tower-refresh": "1", "if-none-match": etag };
    const same = await ask("/wall", unchanged);
    const [wall, refresh, portfolio] = [
      await medianOf("/wall", { "accept-encoding": "gzip" }),
      await medianOf("/wall", unchanged),
      await medianOf("/", { "accept-encoding": "gzip" }),
    ];
    console.log(
      `${String(size).padStart(5)} sites: first byte ${wall.toFixed(1)} ms (median of ${ROUNDS}), ${(wall / portfolio).toFixed(2)} of the portfolio's ${portfolio.toFixed(1)} ms;`,
      `${plain.bytes} bytes, ${packed.bytes} packed; a refresh without news: ${same.status}, ${same.bytes} bytes, ${refresh.toFixed(1)} ms`,
    );
    if (plain.status !== 200 || same.status !== 304 || wall >= GOAL.ms || packed.bytes >= GOAL.bytes)
      missed++;
    await close();
  }
  console.log(
    `goals (first byte under ${GOAL.ms} ms, under ${GOAL.bytes} bytes packed, one 304): ${missed === 0 ? "met" : `missed at ${missed} of ${SIZES.length} sizes`}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
