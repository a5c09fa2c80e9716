/**
 * What reading the health of a portfolio costs, at 100, 1,000 and 10,000 sites with every provider: read anew after a write of it, after one of
 * something else, read while nothing was written, of one site, and as a payload; without an archive, with a year of one, and while a run adds
 * to it. `bun run bench health`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordReport } from "../../src/archive/manifest.ts";
import { recordReportHealth } from "../../src/archive/report_health.ts";
import { dayNumber, utcDayOf } from "../../src/base/time.ts";
import { payloadOf } from "../../src/integrations/payload.ts";
import { familiesOf } from "../../src/providers/report_families.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, putServiceState } from "../../src/store/store.ts";
import { reportOf } from "../support/archive.ts";
import { FakeClock } from "../support/clock.ts";
import { askHealth } from "../support/health.ts";
import {
  plantAttempt,
  plantPortfolio,
  propertyOf,
  revisionOf,
  siteNames,
} from "../support/health_portfolio.ts";
import { PROXY, testTower } from "../support/test_tower.ts";
import { plantArchive } from "./parts/planted_archive.ts";

const ROUNDS = 40;

/** Milliseconds, the median of some rounds. */
async function median(
  work: (round: number) => unknown,
  before?: (round: number) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await before?.(round);
    const begun = performance.now();
    await work(round);
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

async function measured(sites: number, dates: number) {
  const folder = mkdtempSync(join(tmpdir(), "health-bench-"));
  const store = openStore(join(folder, "bench.db"));
  migrateStore(store);
  const clock = new FakeClock("2026-11-20T14:02:10Z");
  const service = await testTower({ ground: { store, clock }, settings: PROXY });
  const { health, writer } = service.deps;
  await writer.write((tx) => plantPortfolio(tx, sites, clock.now()));
  const names = siteNames(sites);
  if (dates > 0) plantArchive(store.raw, { sites: names, dates, now: clock.now() });
  const begun = performance.now();
  health.read(clock.now());
  const first = performance.now() - begun;
  /** What a run stores of one site: every report of one provider. */
  const archive = (round: number) =>
    writer.write((tx) => {
      clock.advance(1_000);
      const asset = names[round % sites] ?? "";
      const provider = "search-console";
      const of = {
        asset,
        provider,
        connectionRevision: revisionOf(provider),
        property: propertyOf(provider, asset),
      } as const;
      for (const { name } of familiesOf(provider)) {
        const date = dayNumber(utcDayOf(clock.now())) - 1;
        const row = reportOf({
          target: { ...of, family: name },
          date,
          attemptedAt: clock.now() - 500,
          object: null,
        });
        const { id } = recordReport(tx, row);
        recordReportHealth(tx, { workspace: "default", report: { ...row, id }, isOfAccount: false });
      }
    });
  const write = (round: number) =>
    writer.write((tx) => {
      clock.advance(1_000);
      plantAttempt(tx, { asset: names[round % sites] ?? "", provider: "search-console", at: clock.now() });
    });
  // The first reads compile their statements and learn what never changes.
  for (let round = 0; round < 5; round++) {
    await write(round);
    health.read(clock.now());
  }
  const targets = health.read(clock.now()).coverage.configured;
  const anew = await median(() => health.read(clock.now()), write);
  const beside = await median(
    () => health.read(clock.now()),
    (round) => writer.write((tx) => putServiceState(tx, "bench", String(round), clock.now())),
  );
  const running = await median(() => health.read(clock.now()), archive);
  const again = await median(() => health.read(clock.now()));
  const ofSite = await median((round) => health.read(clock.now(), names[round]));
  const text = JSON.stringify(payloadOf(health.read(clock.now())));
  const toText = await median(() => JSON.stringify(payloadOf(health.read(clock.now()))));
  const headers = { "accept-encoding": "zstd" };
  const asked = await median(async () => (await askHealth(service, { headers })).bytes());
  const etag = (await askHealth(service)).headers.get("etag") ?? "";
  const same = await median(() => askHealth(service, { headers: { "if-none-match": etag } }));
  const packed = (await (await askHealth(service, { headers })).bytes()).byteLength;
  await service.close();
  rmSync(folder, { recursive: true });
  return {
    sites,
    dates,
    targets,
    first,
    anew,
    running,
    beside,
    again,
    ofSite,
    toText,
    asked,
    same,
    bytes: text.length,
    packed,
  };
}

const all = [
  await measured(100, 0),
  await measured(1_000, 0),
  await measured(10_000, 0),
  await measured(100, 365),
  await measured(1_000, 40),
];
const ms = (time: number) => `${time.toFixed(3)} ms`;
for (const of of all) {
  process.stdout.write(
    [
      `${of.sites} sites, ${of.targets} targets, ${of.dates === 0 ? "no archive" : `${of.dates} dates archived`}`,
      `  the first read         ${ms(of.first)}  ${(of.first / of.anew).toFixed(1)}`,
      `  read after a write     ${ms(of.anew)}  1.00`,
      `  while a run archives   ${ms(of.running)}  ${(of.running / of.anew).toFixed(2)}`,
      `  after one of another   ${ms(of.beside)}  ${(of.beside / of.anew).toFixed(4)}`,
      `  read again             ${ms(of.again)}  ${(of.again / of.anew).toFixed(4)}`,
      `  of one site            ${ms(of.ofSite)}  ${(of.ofSite / of.anew).toFixed(3)}`,
      `  payload as text        ${ms(of.toText)}  ${(of.toText / of.anew).toFixed(3)}`,
      `  asked over the edge    ${ms(of.asked)}  ${(of.asked / of.anew).toFixed(3)}`,
      `  asked with its tag     ${ms(of.same)}  ${(of.same / of.anew).toFixed(3)}`,
      `  payload                ${of.bytes} bytes, ${of.packed} compressed`,
      "",
    ].join("\n"),
  );
}
const [small, large, huge, , archived] = all;
const ratio = (one: { readonly anew: number } | undefined, other: { readonly anew: number } | undefined) =>
  ((one?.anew ?? 0) / (other?.anew ?? 1)).toFixed(1);
process.stdout.write(
  `read after a write: 1,000 sites against 100 ${ratio(large, small)}, 10,000 against 1,000 ${ratio(huge, large)}; with an archive against without ${ratio(archived, large)}\n`,
);
