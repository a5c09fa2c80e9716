/** Filling the demo: the portfolio, its history, the accounts of the providers and what they tell; all of it through the real doors. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../platform/clock.ts";
import type { Simulators, World } from "../simulator/mod.ts";
import { codebaseReports } from "./code.ts";
import { tower } from "./commands.ts";
import type { DemoFolder } from "./folder.ts";
import { ACCOUNTS, changeProviders } from "./history.ts";
import { sendLedger } from "./ledger.ts";
import { annotationsOf } from "./notes.ts";
import { PORTFOLIO } from "./portfolio.ts";
import { lastNight, NightlySender } from "./reports.ts";
import { post } from "./send.ts";
import type { DemoSite } from "./site.ts";

/** A few seconds, in hours. */
const SILENT_HOURS = 0.001;

export interface Filling {
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
