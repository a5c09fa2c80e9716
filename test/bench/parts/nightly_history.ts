/**
 * Histories of nightly reports, put straight into a database: accepted, placed and counted by the product's own functions, many days
 * to a transaction, oldest day first as they come in life; only the judging of all but the last day is left out. What a body holds
 * is the same in every run.
 */

import { join } from "node:path";
import { systemIds } from "../../../src/base/base.ts";
import { readConfig } from "../../../src/base/config.ts";
import { addDays, formatInstant, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { packBodies } from "../../../src/reports/packing.ts";
import {
  endWaiting,
  findPulseById,
  listTurns,
  PACKABLE_PULSES,
  type Pulse,
} from "../../../src/reports/pulse.ts";
import { acceptPulse } from "../../../src/reports/pulse_routes.ts";
import { replaceReadings } from "../../../src/reports/readings.ts";
import { FlowFollower } from "../../../src/rules/rules.ts";
import { addTally } from "../../../src/rules/verdicts.ts";
import { SENT } from "../../../src/sites/rule_catalogue.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { migrateStore } from "../../../src/store/migrations.ts";
import { openStore, type Tx } from "../../../src/store/store.ts";
import { Writer } from "../../../src/store/writer.ts";
import { wavering } from "../../support/nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

/** How much history. */
export interface NightlyHistory {
  readonly sites: number;
  readonly days: number;
  /** Metrics of each site; at most as many as there are names. */
  readonly metrics: number;
  /** The last day of it. */
  readonly last: UtcDay;
}

/** Days put into one transaction: each commit writes every page it touched, which is nearly all of the newest days'. */
const DAYS_AT_ONCE = 30;
/** When the sites report, after midnight. */
const NIGHTLY_MS = 3 * 3_600_000;
const NAMES = [
  "signups",
  "sign-ins",
  "visits",
  "visits.returning",
  "orders.placed",
  "orders.paid",
  "orders.refunded",
  "newsletter.subscribed",
  "newsletter.left",
  "search.queries",
  "search.empty",
  "contact.sent",
] as const;
const PAGES = ["/", "/pricing", "/search", "/checkout/payment", "/account/settings", "/blog/first-steps"];

/** The name of a site by its place. */
export const siteName = (site: number): string => `site-${String(site).padStart(4, "0")}`;

/** The token of a site by its place. */
export const siteToken = (site: number): string => `bench-token-of-site-${String(site).padStart(4, "0")}`;

/** A site's report of a day: each metric with its daily count, mean and total, and a few pages; about 1 kB for 12 metrics. */
export function nightlyReport(site: number, day: UtcDay, metrics: number): Pulse {
  const number = startOfDay(day) / 86_400_000;
  const figures = NAMES.slice(0, metrics).map((name, place) => {
    const mean = 4 + ((site * 7 + place * 31) % 60);
    const seed = site + 12 * place + 1;
    const week = [0, 1, 2, 3, 4, 5, 6].map((back) => wavering(mean, number - back, seed));
    const avg7d = Math.round((week.reduce((sum, count) => sum + count, 0) / 7) * 100) / 100;
    return [name, { last24h: week[0] ?? 0, avg7d, total: mean * (number - 18_000) }] as const;
  });
  return {
    asset: siteName(site),
    generatedAt: formatInstant(startOfDay(day) + NIGHTLY_MS + site * 1_000),
    capabilities: ["pulse", "codebase"],
    metrics: Object.fromEntries(figures),
    negativeByPage: PAGES.filter((_, place) => (site + number + place) % 2 === 0).map((page, place) => ({
      page,
      count: wavering(3, number, site + place + 1),
    })),
  };
}

/**
 * Makes the database of a data folder with that history. The last day is judged by the follower itself, so that every series has its
 * verdict.
 */
export async function seedNightly(dataDir: string, history: NightlyHistory): Promise<void> {
  const { sites, days, last } = history;
  const store = openStore(join(dataDir, "tower.db"));
  try {
    migrateStore(store);
    for (const pragma of ["synchronous = OFF", "cache_size = -1500000", "wal_autocheckpoint = 0"])
      store.raw.run(`PRAGMA ${pragma}`);
    const tx = store.main as Tx;
    const all = Array.from({ length: sites }, (_, site) => site);
    const first = startOfDay(addDays(last, 1 - days));
    store.raw.transaction(() => ensureAssets(tx, all.map(siteName), { actor: "service", now: first }))();
    for (let done = 0; done < days - 1; done += DAYS_AT_ONCE) {
      const stretch = Math.min(DAYS_AT_ONCE, days - 1 - done);
      store.raw.transaction(() => {
        for (let at = 0; at < stretch; at++) putDay(tx, addDays(last, 1 - days + done + at), history);
      })();
    }
    store.raw.transaction(() => acceptDay(tx, last, history))();
    const writer = new Writer(store);
    const clock = { now: () => startOfDay(last) + NIGHTLY_MS + sites * 1_000 + 600_000 };
    const core = { config: readConfig({ DATA_DIR: dataDir }), store, writer, clock, ids: systemIds };
    const follower = new FlowFollower({
      ...core,
      thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
      isJudgedElsewhere: () => false,
    });
    await follower.settle();
    await follower.stop();
    await packBodies(core, [PACKABLE_PULSES]);
    writer.close();
  } finally {
    store.close();
  }
}

/** Accepts a day's reports, and brings everything that follows from them up to date as the follower does. */
function putDay(tx: Tx, day: UtcDay, history: NightlyHistory): void {
  acceptDay(tx, day, history);
  const tests = history.metrics;
  const tally = { tests, notTested: 0, raised: 0, expected: tests / 1_000 };
  for (let turns = listTurns(tx, "", 100); turns.length > 0; turns = listTurns(tx, "", 100)) {
    for (const { asset, pulse } of turns) {
      const report = findPulseById(tx, pulse);
      if (report === undefined) throw new Error("a report that was accepted is not there");
      replaceReadings(tx, report, (JSON.parse(report.body) as Pulse).metrics);
      addTally(tx, { date: day, asset, source: SENT }, tally);
      endWaiting(tx, asset, pulse);
    }
  }
}

function acceptDay(tx: Tx, day: UtcDay, { sites, metrics }: NightlyHistory): void {
  for (let site = 0; site < sites; site++) {
    const report = nightlyReport(site, day, metrics);
    const receivedAt = Date.parse(report.generatedAt) + 4_000;
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: systemIds.uuid });
  }
}
