/**
 * Server time of the pages about nightly reports at full size: 1,000 sites with 97 nights each, one of them with 200 metrics
 * over 1,095 days and the service's own asset with a metric per site. `bun test/bench/nightly_pages.ts`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { AttentionReader } from "../../src/integrations/attention_reader.ts";
import { HealthReader } from "../../src/integrations/reader.ts";
import { listChannels } from "../../src/notices/channels.ts";
import { evaluateMetric } from "../../src/rules/flow_inputs.ts";
import { flowSeries } from "../../src/rules/flow_series.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import type { PageDeps } from "../../src/tower/keyboard.tsx";
import { assetRoutes } from "../../src/tower/site/overview_routes.tsx";
import { nightlyRoutes } from "../../src/tower/site/reports_page.tsx";
import { portfolioRoutes } from "../../src/tower/sites/portfolio_routes.tsx";
import { FakeClock } from "../support/clock.ts";
import { wavering } from "../support/nightly.ts";
import { plantDays } from "../support/series.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";
import { ASSETS, shellOf } from "../support/tower_data.ts";

const TODAY = "2026-11-20" as UtcDay;
const SITES = 1_000;
const ROUNDS = 60;

export function seed(store: Store): void {
  const { raw } = store;
  const asset = raw.prepare(
    "INSERT INTO asset (id, url, lifecycle, added_at, added_by) VALUES (?, ?, 'live', 0, 'bench')",
  );
  const pulse = raw.prepare(
    "INSERT INTO pulse (asset, date, revision, received_at, generated_at) VALUES (?, ?, 1, ?, ?)",
  );
  const pulseBody = raw.prepare(
    "INSERT INTO pulse_body (id, asset, body) VALUES (last_insert_rowid(), ?, ?)",
  );
  const readings = new Map<string, [UtcDay, { readonly last24h: number; readonly total: number }][]>();
  const read = (site: string, metric: string, day: UtcDay, last24h: number) => {
    const key = JSON.stringify([site, metric]);
    const days = readings.get(key) ?? [];
    readings.set(key, days);
    days.push([day, { last24h, total: 900 }]);
  };
  const fresh = raw.prepare("INSERT INTO pulse_freshness (asset, received_at) VALUES (?, ?)");
  const codebase = raw.prepare(
    "INSERT INTO codebase_report (asset, date, revision, received_at, generated_at, measures) VALUES (?, ?, 1, ?, ?, ?)",
  );
  const codebaseBody = raw.prepare(
    "INSERT INTO codebase_body (id, asset, body) VALUES (last_insert_rowid(), ?, ?)",
  );
  const flag = raw.prepare(
    "INSERT INTO flag (id, asset, rule, source, subject, origin, severity, kind, metric, message, status, rule_inputs, raised_at, chain, since) VALUES (?1, ?2, 'flow-drop', 'pulse', ?3, 'rule', 'warn', 'anomaly', ?4, 'Fewer.', 'open', '{}', ?5, ?1, ?5)",
  );
  const verdict = raw.prepare(
    "INSERT INTO flow_verdict (asset, source, metric, judged_at, date, verdict) VALUES (?, 'pulse', ?, 0, ?, ?)",
  );
  const send = (site: string, day: UtcDay, metrics: Record<string, unknown>) => {
    const at = startOfDay(day) + 12_000_000;
    const body = { asset: site, generatedAt: new Date(at).toISOString(), metrics };
    pulse.run(site, day, at + 4_000, at);
    pulseBody.run(site, JSON.stringify(body));
  };
  raw.transaction(() => {
    for (let site = 0; site < SITES; site++) {
      const id = `site-${String(site).padStart(4, "0")}`;
      asset.run(id, `https://${id}.example`);
      for (let back = 0; back < 97; back++) {
        if ((site + back) % 9 === 0) continue;
        send(id, addDays(TODAY, -back), { signups: { last24h: 12, total: 900 } });
      }
      fresh.run(id, startOfDay(TODAY) + 12_004_000);
      for (let back = 0; back < 97; back += 7) {
        const day = addDays(TODAY, -back);
        const measures = JSON.stringify({ code_lines: 40_000 - back });
        codebase.run(id, day, startOfDay(day), startOfDay(day), measures);
        codebaseBody.run(id, `{"measures":${measures}}`);
      }
      if (site % 5 === 0) flag.run(`f${site}`, id, "signups", "signups", startOfDay(TODAY));
    }
    for (const site of ["big", "tower"]) asset.run(site, null);
    const names = Array.from({ length: 200 }, (_, index) => `family-${index % 12}.metric-${index}`);
    for (let back = 1_094; back >= 0; back--) {
      const day = addDays(TODAY, -back);
      const counts = names.map(
        (name, index) => [name, { last24h: wavering(5 + index, back), avg7d: 1.5, total: 900 }] as const,
      );
      send("big", day, Object.fromEntries(counts));
      for (const [name, { last24h }] of counts) read("big", name, day, last24h);
      const measures = JSON.stringify({ code_lines: 40_000 - back, files: 300, duplication_percent: 4.5 });
      codebase.run("big", day, startOfDay(day), startOfDay(day), measures);
      codebaseBody.run("big", `{"measures":${measures}}`);
    }
    fresh.run("big", startOfDay(TODAY) + 12_004_000);
    for (const [index, name] of names.entries()) {
      const series = flowSeries(
        Array.from({ length: 200 }, (_, back) => [
          addDays(TODAY, -back),
          { value: wavering(5 + index, back), state: "final" as const },
        ]),
      );
      verdict.run("big", name, TODAY, JSON.stringify(evaluateMetric(series, TODAY, DEFAULT_FLOW_THRESHOLDS)));
    }
    for (let back = 96; back >= 0; back--) {
      const day = addDays(TODAY, -back);
      const metrics: Record<string, unknown> = {};
      for (let site = 0; site < SITES; site++) {
        const name = `freshness.site-${String(site).padStart(4, "0")}`;
        metrics[name] = { last24h: 1 };
        read("tower", name, day, 1);
      }
      send("tower", day, metrics);
    }
    fresh.run("tower", startOfDay(TODAY) + 12_004_000);
  })();
  raw.transaction(() => {
    for (const [key, days] of readings) {
      const [site, metric] = JSON.parse(key) as [string, string];
      plantDays(
        store,
        { asset: site, metric },
        days.toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    }
  })();
  raw.run("ANALYZE");
}

function percentile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((one, other) => one - other);
  return `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)} ms`;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nightly-bench-"));
  const store = openStore(join(folder, "bench.db"));
  try {
    migrateStore(store);
    seed(store);
    const deps: PageDeps = {
      clock: new FakeClock("2026-11-20T14:02:10Z"),
      access: {
        page: () => ({ id: "operator:ada", name: "ada" }),
        api: () => ({ id: "operator:ada", name: "ada" }),
      } as never,
      shellFor: () => shellOf({ assets: ASSETS }),
    };
    const constants = { constants: { freshness: { silent_hours: 26 }, assets: {} } };
    const destinationOf = (asset: string) => ({
      asset,
      ingest: "http://127.0.0.1:4610",
      here: "http://127.0.0.1:4610",
      container: null,
      token: null,
      loopback: true,
    });
    const attention = new AttentionReader({ store, constants: { current: () => constants as never } });
    const health = new HealthReader({
      store,
      config: { serviceAsset: "tower", workspace: "bench" },
      constants: { current: () => constants as never },
      listChannels,
    });
    const app = new Elysia()
      .use(
        portfolioRoutes({
          ...deps,
          db: store.db,
          config: { serviceAsset: "tower" },
          silentHoursOf: () => 26,
          attention,
          health,
        }),
      )
      .use(
        assetRoutes({
          ...deps,
          db: store.db,
          destinationOf,
          config: { serviceAsset: "tower" },
          live: { look: () => ({ state: "not-connected" }) as const },
          silentHoursOf: () => 26,
          annotationsOf: () => ({ marks: [], newest: null }),
          constants: { current: () => constants as never },
          health,
          attention,
        }),
      )
      .use(
        nightlyRoutes({
          ...deps,
          db: store.db,
          destinationOf,
          config: { serviceAsset: "tower" },
          silentHoursOf: () => 26,
          health,
          attention,
        }),
      );
    for (const path of [
      "/",
      "/?page=10",
      "/?q=site-0999",
      "/sites/site-0001",
      "/sites/big",
      "/sites/big?page=20&range=7",
      "/sites/big?q=metric-1",
      "/sites/tower",
      "/sites/big/reports",
      "/sites/big/reports?page=43",
      "/sites/big/reports?kind=nightly&from=2026-01-01&to=2026-02-01",
      `/sites/big/reports/${TODAY}/1`,
    ]) {
      const times: number[] = [];
      let size = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const started = performance.now();
        const response = await app.handle(new Request(`http://localhost${path}`));
        const html = await response.text();
        if (round >= 10) times.push(performance.now() - started);
        size = html.length;
        if (!response.ok) throw new Error(`${path}: ${response.status} ${html.slice(0, 300)}`);
      }
      console.log(
        path.padEnd(62),
        percentile(times, 0),
        "least,",
        percentile(times, 0.5),
        "median,",
        percentile(times, 0.95),
        "p95,",
        size,
        "characters",
      );
    }
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
