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
import { EVERYWHERE, PORTFOLIO } from "./portfolio.ts";
import { seedOf, uniform } from "./simulator/figures.ts";
import type { Simulators } from "./simulator/simulators.ts";
import type { World } from "./simulator/world.ts";
import { type DemoCode, type DemoNote, type DemoSite, FIRST_NIGHT } from "./site.ts";

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
/** Every annotation that lies before the demo was made, the oldest first. */
export function annotationsOf(madeAt: number): readonly { readonly at: string }[] {
  const own = PORTFOLIO.flatMap((site) =>
    [...(site.notes ?? []), ...releasesOf(site)].map((note) => ({
      asset: site.id,
      ...written(note, madeAt),
    })),
  );
  const all = EVERYWHERE.map((note) => ({ asset: "*", ...written(note, madeAt) }));
  return [...own, ...all]
    .filter(({ at }) => Date.parse(at) < madeAt)
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

function written([day, at, kind, ref, note]: DemoNote, madeAt: number) {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const moment = dayAt(madeAt, day) * DAY_MS + (hours * 60 + minutes) * 60_000;
  return { at: new Date(moment).toISOString(), kind, ref, note };
}

function releasesOf(site: DemoSite): readonly DemoNote[] {
  const { releases, reports } = site;
  if (releases === undefined) return [];
  const seed = seedOf(SEED, site.id, "releases");
  const notes: DemoNote[] = [];
  // Not on the days about which something else is told.
  const told = new Set((site.notes ?? []).map(([day]) => day));
  for (let day = FIRST_NIGHT + 1, place = 0; day < (reports?.to ?? 0); place++) {
    if (!told.has(day)) {
      const at = `${8 + Math.floor(9 * uniform(seed, place))}:${10 + Math.floor(49 * uniform(seed, 500 + place))}`;
      const what = WHAT[Math.floor(uniform(seed, 900 + place) * WHAT.length)] ?? "";
      notes.push([day, at, "deploy", `2026.${place + 1}`, what]);
    }
    day += Math.max(1, Math.round(releases * (0.6 + 0.8 * uniform(seed, 300 + place))));
  }
  return notes;
}

/** The clock of the demo: the machine's, unless it is held at a moment of the story. */
export type StoryClock = ReturnType<typeof storyClock>;

export const storyClock = () => {
  const clock = {
    heldAt: undefined as number | undefined,
    now: (): number => clock.heldAt ?? systemClock.now(),
  };
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
  const notes = annotationsOf(madeAt);
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

// The codebase reports of a site of the demo: one a week, measured at noon.

/** Weeks before the demo was made; the newest report is of the day before. */
const WEEKS = 17;
const NOON_MS = 12 * 3_600_000;
/** From which week before on the tools are newer ones. */
const UPDATED_WEEK = 6;
const FOLDERS = ["src/checkout", "src/catalogue", "src/account", "src/search"];

type CodebaseReport = ReturnType<typeof reportOf>;

/** Every report up to the day on which the demo was made, the oldest first. */
export function codebaseReports(site: DemoSite, madeAt: number): readonly CodebaseReport[] {
  const { code } = site;
  if (code === undefined) return [];
  const day = Math.floor(madeAt / DAY_MS);
  return Array.from({ length: WEEKS }, (_, place) => {
    const week = WEEKS - 1 - place;
    return reportOf(site, code, week, (day - 1 - 7 * week) * DAY_MS + NOON_MS);
  });
}

function reportOf(site: DemoSite, code: DemoCode, week: number, at: number) {
  const lines = linesBefore(code, week);
  const seed = seedOf(SEED, site.id, "code");
  const share = lines / code.lines;
  // What is left lying about becomes more with the weeks.
  const duplication =
    Math.round(code.duplication * (1 - week * 0.013 + 0.02 * uniform(seed, 700 + week)) * 10) / 10;
  const testRatio = Math.round(code.testRatio * (1 + (week - 4) * 0.004) * 100) / 100;
  const unused = Math.round(code.unused * (1 - week * 0.04));
  const files = Math.round(lines / 118);
  const functions = Math.round(lines / 14);
  const complex = Math.max(0, Math.round(code.complex * share ** 2));
  const blocks = Math.round((lines * duplication) / 100 / 18);
  const extension = EXTENSIONS[code.language] ?? "txt";
  const isUnusedMeasured = UNUSED_IS_MEASURED.has(code.language);
  const numbers = (count: number) => Array.from({ length: count }, (_, place) => place);
  const path = (place: number) =>
    `${FOLDERS[place % FOLDERS.length] ?? "src"}/part_${1 + Math.floor(uniform(seed, place) * 40)}.${extension}`;
  return {
    asset: site.id,
    generatedAt: new Date(at).toISOString(),
    repository: {
      remote: `https://git.example/${site.id.split(".")[0] ?? ""}.git`,
      ref: "refs/heads/main",
      commit: commitOf(site.id, week),
      committedAt: new Date(at - 5_400_000).toISOString(),
    },
    paths: ["src"],
    tools: {
      line_counter: "2.1.0",
      duplication: week < UPDATED_WEEK ? "5.3.2" : "5.2.0",
      complexity: "1.4.1",
    },
    measures: {
      code_lines: lines,
      comment_lines: Math.round(lines * 0.08),
      files,
      languages: 2,
      test_lines: Math.round(lines * testRatio),
      test_ratio: testRatio,
      duplication_percent: duplication,
      duplicated_lines: Math.round((lines * duplication) / 100),
      duplicate_blocks: blocks,
      ...(isUnusedMeasured ? { unused_files: unused, unused_exports: Math.round(unused * 2.5) } : {}),
      complex_functions: complex,
      functions,
      max_function_complexity: 12 + code.complex,
      mean_function_complexity: 2.3,
      commits_30d: 12 + Math.round(40 * uniform(seed, week)),
      files_touched_30d: Math.round(files * 0.2),
      large_commits_30d: Math.round(3 * uniform(seed, 100 + week)),
      dependencies_direct: 14 + Math.round(lines / 4_000),
      build_passed: 1,
      tests_passed: code.failsTests === true && week < 2 ? 0 : 1,
      ...(code.vulnerable === undefined ? {} : { vulnerable_dependencies: week < 4 ? code.vulnerable : 0 }),
    },
    unmeasured: isUnusedMeasured
      ? {}
      : { unused_files: `No tool looks for unused files of ${code.language}` },
    byLanguage: [
      { language: code.language, files: files - 6, code_lines: lines - 640 },
      { language: "CSS", files: 6, code_lines: 640 },
    ],
    findings: {
      duplicates: numbers(3).map((place) => ({
        lines: 42 - 9 * place,
        files: [
          { path: path(place), startLine: 20 + place },
          { path: path(place + 7), startLine: 88 + place },
        ],
      })),
      complexFunctions: numbers(Math.min(8, complex)).map((place) => ({
        path: path(place + 20),
        name: ["priceOf", "readForm", "matchDates", "routeFor"][place % 4] ?? "",
        line: 30 + 12 * place,
        complexity: 12 + code.complex - place,
        length: 140 - 9 * place,
      })),
      ...(isUnusedMeasured
        ? {
            unused: numbers(unused).map((place) => ({
              kind: "file",
              path: `src/old/part_${place + 1}.${extension}`,
            })),
          }
        : {}),
      largestFiles: numbers(4).map((place) => ({ path: path(place + 40), code_lines: 1_400 - 210 * place })),
    },
  };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  TypeScript: "ts",
  JavaScript: "js",
  Python: "py",
  PHP: "php",
  Ruby: "rb",
};
const UNUSED_IS_MEASURED = new Set(["TypeScript", "JavaScript", "Python"]);

/** The lines of code so many weeks before the newest report. */
function linesBefore({ lines, weekly }: DemoCode, week: number): number {
  let left = lines;
  for (let back = 0; back < week; back++) left -= weekly.at(-1 - back) ?? weekly[0] ?? 0;
  return Math.max(500, left);
}

function commitOf(id: string, week: number): string {
  return [0, 1, 2, 3, 4]
    .map((place) => seedOf(SEED, id, "commit", week, place).toString(16).padStart(8, "0"))
    .join("");
}
