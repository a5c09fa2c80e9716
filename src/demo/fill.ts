/** Filling the demo: the portfolio, its history, the accounts of the providers and what they tell; all of it through the real doors. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openData } from "../app/boot.ts";
import { serveControl } from "../app/control.ts";
import { createIngest } from "../app/ingest_app.ts";
import { judgeFreshness } from "../app/schedule.ts";
import { systemClock, systemIds } from "../base/base.ts";
import { readConfig } from "../base/config.ts";
import { systemFiles } from "../base/files.ts";
import { httpClient, twoRetries } from "../base/http_client.ts";
import { codebaseReports } from "./code.ts";
import { FIRST_NIGHT } from "./common.ts";
import { type DemoFolder, type Post, poster, tower } from "./folder.ts";
import {
  ACCOUNTS,
  DAY_MS,
  dayAt,
  endOfNight,
  KEY_REPLACED,
  lastNight,
  NightlySender,
  SEED,
} from "./history.ts";
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
export async function sendLedger({ dataDir, state }: DemoFolder, post: Post): Promise<number> {
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
  const rows = ledgerOf(state.madeAt);
  await Promise.all(rows.map(([path, row]) => post(`/api/ledger/${path}`, token, row)));
  return rows.length;
}

type Sent = readonly [path: "revenue" | "costs", row: object];

export const ledgerOf = (madeAt: number): readonly Sent[] => [...revenue(madeAt), ...costs(madeAt)];

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
/** Every annotation that lies before `now`, the oldest first. */
export function annotationsOf(madeAt: number, now: number): readonly { readonly at: string }[] {
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
  for (let day = FIRST_NIGHT + 1, place = 0; day < (reports?.to ?? 0); place++) {
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

/** The clock of the demo: the machine's, unless it is held at a moment of the story. */
export interface StoryClock {
  heldAt: number | undefined;
  readonly now: () => number;
}

export const storyClock = (): StoryClock => {
  const clock = { heldAt: undefined as number | undefined, now: () => clock.heldAt ?? systemClock.now() };
  return clock;
};

interface Filling {
  readonly folder: DemoFolder;
  readonly world: World;
  readonly simulators: Simulators;
  /** The simulators' clock as well. */
  readonly clock: StoryClock;
  readonly settings: Readonly<Record<string, string>>;
  /** A line for whoever waits. */
  readonly say: (line: string) => void;
}

/** Simulated providers need no pauses between two questions. */
const PROMPT = { atOnce: 4, gapMs: 0 };
const PACES = {
  analytics: PROMPT,
  "search-console": PROMPT,
  "webmaster-tools": PROMPT,
  serp: PROMPT,
  gatherMs: 0,
};

/** The day on which the accounts were connected. */
const CONNECTED = -31;
const HOUR_MS = 3_600_000;
/** What is done each day once the accounts are connected, side by side, and when. */
const DAILY = ["webmaster-tools", "own-pulse", "panels", "sense"];
const DAILY_HOUR = 6.5;
/** More than the 26 hours of silence after the night before: who sent nothing this night is found on the same day. */
const FRESHNESS_HOUR = 6;

/** Something that happens at a moment of the story. */
type Step = readonly [at: number, does: () => unknown];

/** Fills a new demo: the service runs in this process, under a clock that goes through the days. */
export async function fill({ folder, world, simulators, clock, settings, say }: Filling): Promise<void> {
  const { dataDir, state } = folder;
  const { madeAt, operator, tokens } = state;
  const at = (day: number, hour = 0) => dayAt(madeAt, day) * DAY_MS + hour * HOUR_MS;
  clock.heldAt = at(FIRST_NIGHT);
  const opened = await openData(readConfig(settings), {
    clock,
    ids: systemIds,
    files: systemFiles,
    http: httpClient(twoRetries(() => systemClock.now())),
    paces: PACES,
  });
  const { deps } = opened;
  // What is cut off here is begun anew: nothing waits for the disk.
  deps.store.main.run("PRAGMA synchronous = OFF");
  const runJobs = async (names: readonly string[]) => {
    await Promise.all(names.map((name) => deps.jobs.run(name, "schedule")));
    await deps.follower.settle();
  };
  const control = serveControl(deps);
  const ports = () => ({ ingest: deps.config.ingest.port, tower: deps.config.tower.port });
  const ingest = poster(`http://localhost:${ports().ingest}`, createIngest(deps, ports));
  const sender = new NightlySender({ madeAt, world, post: ingest, tokens });

  await tower(dataDir, "operator add", { args: [operator.name], password: operator.password });
  for (const site of PORTFOLIO) await tower(dataDir, "asset add", { args: wordsOf(site) });
  say(`${PORTFOLIO.length} sites`);
  const ci = await tower(dataDir, "token issue", {
    args: ["--operator", "demo-ci", "--scopes", "annotations"],
  });
  const notes = annotationsOf(madeAt, madeAt);
  const reports = PORTFOLIO.flatMap((site) =>
    codebaseReports(site, madeAt).map((report) => ({ site, report })),
  );
  const days = Array.from({ length: 1 - FIRST_NIGHT }, (_, place) => FIRST_NIGHT + place);
  let nights = 0;
  const steps: Step[] = [
    // The sites of a night side by side: what comes together is written as one.
    ...days.map((day): Step => {
      const night = dayAt(madeAt, day);
      const send = async () => {
        nights += await sender.catchUp(night - 1, endOfNight(night));
      };
      return [endOfNight(night), send];
    }),
    ...days.map((day): Step => [at(day, 3.2), () => deps.follower.settle()]),
    ...days.map((day): Step => [at(day, FRESHNESS_HOUR), () => judgeFreshness(deps)]),
    ...notes.map((note): Step => [Date.parse(note.at), () => ingest("/api/annotations", ci, note)]),
    ...reports.map(
      ({ site, report }): Step => [
        Date.parse(report.generatedAt),
        () => ingest("/api/codebase-report", tokens[site.id] ?? "", report),
      ],
    ),
    ...PORTFOLIO.filter(({ lifecycle }) => lifecycle === "retired").map(
      ({ id, reports }): Step => [
        at(reports?.to ?? 0, 12),
        () => tower(dataDir, "asset add", { args: [id, "--lifecycle", "retired"] }),
      ],
    ),
    [at(CONNECTED, 1), () => connect(folder, simulators)],
    [at(KEY_REPLACED), () => simulators.accounts.rotateKey(ACCOUNTS.broken)],
    ...days.filter((day) => day >= CONNECTED).map((day): Step => [at(day, DAILY_HOUR), () => runJobs(DAILY)]),
  ];
  for (const [moment, does] of steps.filter(([one]) => one <= madeAt).sort(([a], [b]) => a - b)) {
    clock.heldAt = moment;
    await does();
  }
  state.sentUntil = lastNight(madeAt);
  say(`${nights} nightly reports, ${reports.length} codebase reports, ${notes.length} annotations`);
  await runJobs(["sense"]);
  await deps.follower.stop();
  await deps.writer.settled();
  await control?.stop();
  opened.close();
  clock.heldAt = undefined;
  state.isFilled = true;
  folder.keep();
  say("signals of three providers; the archive fills in the next minutes");
}

const PANELS = [
  ["meadow-bakery.example", "sourdough bread delivery", "2528"],
  ["meadow-bakery.example", "birthday cake", "2528"],
  ["saltmarsh-ferries.example", "island ferry tickets", "2372"],
] as const;

/** Panels of two sites, asked every day. */
async function addPanels({ dataDir }: DemoFolder, simulators: Simulators): Promise<void> {
  await tower(dataDir, "credential add", { args: ["serp", "--file", "-"], file: simulators.serpLogin() });
  for (const [site, keyword, location] of PANELS) {
    const args = [site, "--keyword", keyword, "--location", location, "--every", "1"];
    await tower(dataDir, "panel add", { args });
  }
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

/** Stores the accounts and says which property is whose. */
async function connect(folder: DemoFolder, simulators: Simulators): Promise<void> {
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
  for (const id of [most, archive, webmaster]) await tower(dataDir, "property list", { args: [id] });
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
  await addPanels(folder, simulators);
}
