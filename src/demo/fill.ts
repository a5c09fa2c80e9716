/** Filling the demo: the portfolio, its history, the accounts of the providers and what they tell; all of it through the real doors. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/base.ts";
import { codebaseReports } from "./code.ts";
import { type DemoFolder, post, tower } from "./folder.ts";
import { ACCOUNTS, changeProviders, DAY_MS, dayAt, lastNight, NightlySender, SEED } from "./history.ts";
import { EVERYWHERE, PORTFOLIO } from "./quiet_sites.ts";
import { seedOf, uniform } from "./simulator/figures.ts";
import type { Simulators } from "./simulator/simulators.ts";
import type { World } from "./simulator/world.ts";
import type { DemoNote, DemoSite } from "./site.ts";

/** The ledger of the demo: two years of revenue, and the costs of the last, in three currencies. */

/** Who pays a site, about how many minor units a month, and since how many months. */
const INCOME: readonly (readonly [
  asset: string,
  source: string,
  currency: string,
  about: number,
  months: number,
])[] = [
  ["northlight-hotels.example", "stripe", "EUR", 90_000, 24],
  ["harbor-bikes.example", "adsense", "EUR", 52_000, 24],
  ["cloudberry-jams.example", "affiliate", "EUR", 38_000, 24],
  ["trailledger.example", "stripe", "USD", 61_000, 18],
  ["paperlark.example", "adsense", "USD", 47_000, 18],
  ["the-museum-of-forgotten-postcards-and-other-small-paper-things.example", "adsense", "JPY", 66_000, 5],
];

const INFERENCE = { kind: "inference", source: "anthropic" };
const WORK = { kind: "operator_minutes", source: "operator" };
/** What is paid each month, about so many minor units or minutes. */
const COSTS: readonly (readonly [
  about: number,
  cost: { readonly kind: string; readonly [field: string]: string },
])[] = [
  [41_000, { ...INFERENCE, asset: "northlight-hotels.example", change: "v42", currency: "EUR" }],
  [13_000, { ...INFERENCE, change: "os-overhead", currency: "EUR" }],
  [220, { ...WORK, currency: "EUR" }],
  [52_000, { ...INFERENCE, asset: "paperlark.example", change: "v17", currency: "USD" }],
  [33_000, { kind: "external_api", source: "hosting", currency: "USD" }],
  [95, { ...WORK, currency: "JPY", ref: "jp" }],
];
const MONTHS_OF_COSTS = 12;
/** Months, the present one among them, that are not reconciled yet. */
const ESTIMATED = 2;

/** Sends the ledger, one row a request. Returns how many. */
async function sendLedger({ dataDir, state }: DemoFolder, towerUrl: string): Promise<number> {
  const constants = join(dataDir, "constants.toml");
  const rates = "[ledger.operator_rates]\n";
  writeFileSync(
    constants,
    readFileSync(constants, "utf8").replace(rates, `${rates}EUR = 6000\nJPY = 6000\n`),
  );
  await tower(dataDir, "job run", { args: ["constants"] });
  const token = await tower(dataDir, "token issue", {
    args: ["--operator", "demo-books", "--scopes", "ledger"],
  });
  const rows = [...revenue(state.madeAt), ...costs(state.madeAt)];
  await Promise.all(rows.map(([path, row]) => post(`${towerUrl}/api/ledger/${path}`, token, row)));
  return rows.length;
}

type Sent = readonly [path: "revenue" | "costs", row: object];

const revenue = (madeAt: number): readonly Sent[] =>
  INCOME.flatMap(([asset, source, currency, about, months]) =>
    monthsBefore(madeAt, months).map((period, back): Sent => {
      const amount = varied(about, asset, back);
      const status = source === "stripe" || back >= ESTIMATED ? "booked" : "estimated";
      const isRange = source === "affiliate" && status === "estimated";
      const range = isRange ? { low: Math.round(amount * 0.8), high: Math.round(amount * 1.3) } : {};
      return ["revenue", { asset, source, status, currency, period, amount, ...range }];
    }),
  );

const costs = (madeAt: number): readonly Sent[] =>
  COSTS.flatMap(([about, cost]) =>
    monthsBefore(madeAt, MONTHS_OF_COSTS).map((period, back): Sent => {
      const size = varied(about, JSON.stringify(cost), back);
      return ["costs", { period, ...cost, [cost.kind === WORK.kind ? "minutes" : "amount"]: size }];
    }),
  );

/** The present month and those before it. */
function monthsBefore(madeAt: number, count: number): readonly string[] {
  const made = new Date(madeAt);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(made.getUTCFullYear(), made.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

/** About so much, higher in later years, and never twice the same. */
function varied(about: number, of: string, back: number): number {
  return Math.round(about * (1 - back / 120) * (0.85 + 0.3 * uniform(seedOf(SEED, of, "ledger"), back)));
}

/** What stands on the timeline of the demo: releases as they came, what is told of each site, and what concerned all of them. */

const WHAT = [
  "Clearer words beside the prices",
  "Pictures load when they are near",
  "The search forgives a wrong letter",
  "Packages are up to date",
  "Forms keep what was typed",
];
/** Releases from this day before on. */
const OLDEST = -118;

/** Every annotation that lies before `now`, the oldest first. */
export function annotationsOf(madeAt: number, now: number): readonly object[] {
  const own = PORTFOLIO.flatMap((site) =>
    [...(site.notes ?? []), ...releasesOf(site)].map((note) => ({
      asset: site.id,
      ...written(note, madeAt),
    })),
  );
  const all = EVERYWHERE.map((note) => ({ asset: "*", ...written(note, madeAt) }));
  return [...own, ...all]
    .filter(({ at }) => Date.parse(at) < now)
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

function written({ day, at, kind, ref, note }: DemoNote, madeAt: number) {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const moment = dayAt(madeAt, day) * DAY_MS + (hours * 60 + minutes) * 60_000;
  return { at: new Date(moment).toISOString(), kind, ref, ...(note === undefined ? {} : { note }) };
}

function releasesOf(site: DemoSite): readonly DemoNote[] {
  const { releases, reports } = site;
  if (releases === undefined) return [];
  const seed = seedOf(SEED, site.id, "releases");
  const notes: DemoNote[] = [];
  // Not on the days about which something else is told.
  const told = new Set((site.notes ?? []).map(({ day }) => day));
  for (let day = OLDEST, place = 0; day < (reports?.to ?? 0); place++) {
    if (!told.has(day)) {
      notes.push({
        day,
        at: `${8 + Math.floor(9 * uniform(seed, place))}:${10 + Math.floor(49 * uniform(seed, 500 + place))}`,
        kind: "deploy",
        ref: `2026.${place + 1}`,
        note: WHAT[Math.floor(uniform(seed, 900 + place) * WHAT.length)] ?? "",
      });
    }
    day += Math.max(1, Math.round(releases * (0.6 + 0.8 * uniform(seed, 300 + place))));
  }
  return notes;
}

/** A few seconds, in hours. */
const SILENT_HOURS = 0.001;

interface Filling {
  readonly folder: DemoFolder;
  readonly world: World;
  readonly simulators: Simulators;
  readonly towerUrl: string;
  readonly ingestUrl: string;
  /** A line for whoever waits. */
  readonly say: (line: string) => void;
}

/** Fills a new demo. */
export async function fill(filling: Filling): Promise<void> {
  const { folder, say } = filling;
  const { dataDir, state } = folder;
  const { name, password } = state.operator;
  await tower(dataDir, "operator add", { args: [name], password });
  for (const site of PORTFOLIO) await tower(dataDir, "asset add", { args: wordsOf(site) });
  say(`${PORTFOLIO.length} sites`);
  const now = systemClock.now();
  const sender = new NightlySender({ ...filling, madeAt: state.madeAt, tokens: state.tokens });
  const [nights, weeks, notes, booked] = await Promise.all([
    sender.catchUp(0, now),
    sendCodebaseReports(filling),
    sendAnnotations(filling, now),
    sendLedger(folder, filling.towerUrl),
  ]);
  state.sentUntil = lastNight(now);
  for (const { id, lifecycle } of PORTFOLIO) {
    if (lifecycle === "retired") await tower(dataDir, "asset add", { args: [id, "--lifecycle", lifecycle] });
  }
  say(`${nights} nightly reports, ${weeks} codebase reports, ${notes} annotations, ${booked} ledger rows`);
  await connect(filling);
  await Promise.all([run(folder, "webmaster-tools"), run(folder, "sense"), addPanels(filling)]);
  say("signals of three providers");
  await fallSilent(folder);
  state.isFilled = true;
  folder.keep();
}

const PANELS = [
  ["meadow-bakery.example", "sourdough bread delivery", "2528"],
  ["meadow-bakery.example", "birthday cake", "2528"],
  ["saltmarsh-ferries.example", "island ferry tickets", "2372"],
] as const;

/** Panels of two sites, with their first readings. */
async function addPanels({ folder, simulators }: Filling): Promise<void> {
  const { dataDir } = folder;
  await tower(dataDir, "credential add", { args: ["serp", "--file", "-"], file: simulators.serpLogin() });
  for (const [site, keyword, location] of PANELS) {
    const args = [site, "--keyword", keyword, "--location", location, "--every", "1"];
    await tower(dataDir, "panel add", { args });
  }
  await run(folder, "panels");
}

function wordsOf({ id, lifecycle, group, families = [] }: DemoSite): readonly string[] {
  return [
    id,
    "--url",
    `https://${id}`,
    "--lifecycle",
    // A site is retired once it has told what it told.
    lifecycle === "retired" ? "live" : lifecycle,
    ...(group === undefined ? [] : ["--group", group]),
    ...families.flatMap((family) => ["--family", family]),
  ];
}

async function sendCodebaseReports({ folder, ingestUrl }: Filling): Promise<number> {
  const { madeAt, tokens } = folder.state;
  const sent = await Promise.all(
    PORTFOLIO.map(async (site) => {
      const reports = codebaseReports(site, madeAt);
      for (const report of reports)
        await post(`${ingestUrl}/api/codebase-report`, tokens[site.id] ?? "", report);
      return reports.length;
    }),
  );
  return sent.reduce((sum, count) => sum + count, 0);
}

async function sendAnnotations({ folder, towerUrl }: Filling, now: number): Promise<number> {
  const { dataDir, state } = folder;
  const token = await tower(dataDir, "token issue", {
    args: ["--operator", "demo-ci", "--scopes", "annotations"],
  });
  const notes = annotationsOf(state.madeAt, now);
  for (const note of notes) await post(`${towerUrl}/api/annotations`, token, note);
  return notes.length;
}

/** Stores the accounts and says which property is whose. */
async function connect({ folder, simulators }: Filling): Promise<void> {
  const { dataDir, state } = folder;
  const add = async (provider: string, label: string, file: string) => {
    const printed = await tower(dataDir, "credential add", {
      args: [provider, "--file", "-", "--label", label],
      file,
    });
    return (JSON.parse(printed) as { id: string }).id;
  };
  const [google = "", broken = ""] = state.keyFiles;
  const most = await add("analytics", "Sample account", google);
  await add("search-console", "Sample account", google);
  const archive = await add("analytics", "Sample account of the archive", broken);
  await add("search-console", "Sample account of the archive", broken);
  const webmaster = await add(
    "webmaster-tools",
    "Sample webmaster key",
    `${simulators.webmasterKey(ACCOUNTS.most)}\n`,
  );
  state.credentials = { most, archive, webmaster };
  // What the accounts give access to; the third is left to the first pull, which its key ends.
  for (const id of [most, webmaster]) await tower(dataDir, "property list", { args: [id] });
  for (const site of PORTFOLIO) {
    const account = site.account === undefined ? most : archive;
    const attach = (credential: string, property: string | undefined) =>
      property === undefined
        ? undefined
        : tower(dataDir, "property attach", {
            args: [site.id, "--credential", credential, "--property", property],
          });
    await attach(account, site.analytics?.property);
    await attach(account, site.searchConsole?.property);
    await attach(webmaster, site.webmasterTools?.property);
  }
}

/**
 * Every report was received within this minute, also the last one of a site that sends none any more: what counts as silence is set so
 * short for it that nobody has to wait a day for its flag.
 */
async function fallSilent(folder: DemoFolder): Promise<void> {
  const silent = PORTFOLIO.filter(
    ({ lifecycle, reports }) => lifecycle === "live" && reports?.to !== undefined,
  );
  const tables = silent.map(({ id }) => `\n[assets."${id}".freshness]\nsilent_hours = ${SILENT_HOURS}\n`);
  appendFileSync(
    join(folder.dataDir, "constants.toml"),
    `\n# So that the demo shows a silent site at once.${tables.join("")}`,
  );
  await run(folder, "constants");
  await run(folder, "freshness");
}

/** Things change at the providers while the demo runs, and are pulled. */
export async function change({ folder, world }: Pick<Filling, "folder" | "world">): Promise<void> {
  const { state } = folder;
  state.changedAt = systemClock.now();
  changeProviders(world, state.madeAt, state.changedAt);
  folder.keep();
  await run(folder, "sense");
}

/** The first reports of the archive come while people look already: search console is asked one question after another. */
export async function archive({ folder, say }: Pick<Filling, "folder" | "say">): Promise<void> {
  say("the archive fills in the next minutes");
  await run(folder, "analysis");
  folder.state.isArchived = true;
  folder.keep();
  say("the archive has its first reports");
}

/** Runs a job to its end. One site's account is refused, so that it comes off in part; the schedule may be running it by itself. */
async function run({ dataDir }: DemoFolder, job: string): Promise<void> {
  await tower(dataDir, "job run", { args: [job] }, [0, 1, 3]);
}
