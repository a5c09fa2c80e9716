/**
 * What the database grows by: `--sites=8` sites with all three providers, asked every quarter of an hour and archived once a day, with a
 * nightly report of 12 metrics each, over `--days=21` days of a clock of its own, in which figures drift and late days are revised. Prints
 * the bytes for each site and year by table, from the first packs of observations on, and what a year of 1,000 such sites takes.
 */

import { join } from "node:path";
import { packReports } from "../../src/app/schedule.ts";
import { utcDayOf } from "../../src/base/time.ts";
import { tableSizes } from "../../src/keep/growth.ts";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { archivedTower } from "../support/archive_run.ts";
import { temporaryFolder } from "../support/folder.ts";
import { pulledWorld } from "../support/pulled.ts";
import { nightlyReport } from "./parts/nightly_history.ts";
import { numberOf } from "./parts/processes.ts";

const SITES = numberOf("sites", 8);
const DAYS = numberOf("days", 21);
/** From the first packs of observations on, which hold ten days; best to a further pack. */
const FIRST = 11;
const QUARTER_MS = 15 * 60_000;
/**
 * No growth: what is kept of the newest dates alone, waits to be packed, or is as large for any number of sites; and flags, which are as
 * many as figures give cause for, two or three kilobytes each.
 */
const CONSTANT = /^(insight|job_|health_|flow_verdict|archive_tally|flag|observation$|pull_attempt$)/;

using folder = temporaryFolder();
const store = openStore(join(folder.path, "tower.db"));
migrateStore(store);
const names = Array.from({ length: SITES }, (_, place) => `site-${place}.example`);
const pulled = await archivedTower({
  world: pulledWorld(names),
  at: "2026-11-20T00:00:00Z",
  ground: { store, writer: new Writer(store) },
});
const { deps } = pulled.tower;
let before = new Map<string, number>();
for (let day = 1; day <= DAYS; day++) {
  for (let quarter = 0; quarter < 96; quarter++) {
    await pulled.run("sense");
    if (quarter === 10) await pulled.run("webmaster-tools");
    if (quarter === 14) await report();
    if (quarter === 49) await pulled.run("analysis");
    pulled.clock.advance(QUARTER_MS);
  }
  await deps.follower.settle();
  await packReports(deps);
  await packSettled(deps);
  if (day === FIRST) before = sizes();
}
tell();
await pulled.close();

async function report(): Promise<void> {
  const receivedAt = pulled.clock.now();
  for (const [place, asset] of names.entries()) {
    const sent = nightlyReport(place, utcDayOf(receivedAt), 12);
    const report = { ...sent, asset, generatedAt: new Date(receivedAt).toISOString() };
    const body = JSON.stringify(report);
    await deps.writer.write((tx) => acceptPulse(tx, { report, body, receivedAt, newId: deps.ids.uuid }));
  }
}

function sizes(): Map<string, number> {
  return new Map(tableSizes(store).map(({ name, bytes }) => [name, bytes]));
}

function tell(): void {
  const grown = [...sizes()]
    .filter(([name]) => !CONSTANT.test(name))
    .map(([name, bytes]) => ({
      name,
      bytes: ((bytes - (before.get(name) ?? 0)) / (DAYS - FIRST) / SITES) * 365,
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes);
  for (const { name, bytes } of grown)
    console.log(`${name.padEnd(24)} ${(bytes / 1e6).toFixed(3)} MB for each site and year`);
  const year = grown.reduce((sum, { bytes }) => sum + bytes, 0) * 1_000;
  console.log(`a year of 1,000 such sites: ${(year / 1e9).toFixed(2)} GB`);
}
