/**
 * One tick of Sense over `--sites=1000`, against the simulated providers in a process of their own: a first tick, in which every value is
 * new, and one after it. Prints how long each takes, how many questions are under way at once, the time in SQLite, the peak of memory,
 * the processor's time beside that of the bare work (reading an answer, comparing it, appending it), and what an ingest's answer takes
 * meanwhile beside what it takes at rest. What ticks store is measured by `growth.ts`.
 *
 * Providers answer at once and are asked without a pause: the worst a tick can do. With `--answer-ms=300` each answer takes as long as a
 * real one's, and providers are asked at the pace of the service: what an operator's machine meets.
 */

import { join } from "node:path";
import type { RawDaily } from "../../src/providers/adapter.ts";
import { providerClient } from "../../src/providers/client.ts";
import { listCredentials } from "../../src/providers/credentials.ts";
import { askDaily } from "../../src/providers/providers.ts";
import { recordAnswer } from "../../src/signals/answer_record.ts";
import { decideAnswer } from "../../src/signals/decide.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Tx } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import { writerWith } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { askingGround, UNPACED, words } from "./parts/asking_ground.ts";
import { numberOf, onCore, started } from "./parts/processes.ts";
import { sampleWorld } from "./parts/sample_world.ts";

const SITES = numberOf("sites", 1_000);
const ANSWER = Bun.argv.find((word) => word.startsWith("--answer-ms="));

using folder = temporaryFolder();
const simulated = await startSimulated();
const sample = sampleWorld(SITES, Date.now(), 400);
// Webmaster tools are asked by another job.
const world = { sites: sample.sites.map(({ webmasterTools: _, ...site }) => site) };
const ground = await askingGround(folder.path, { world, settings: simulated.settings });
const { deps, http } = ground;

const sqlite = { jobs: 0, ms: 0 };
const pulls = new Pulls({
  ...deps,
  ...(ANSWER === undefined ? { paces: UNPACED } : {}),
  writer: writerWith(deps.writer, timed()),
  http,
  onChanged: () => undefined,
});
await ground.rest("at rest", 4_000);
for (const what of ["first tick", "a tick after it", "and one more"]) {
  Object.assign(sqlite, { jobs: 0, ms: 0 });
  const { run, meanwhile } = await ground.run({
    name: "sense",
    at: "*/15 * * * *",
    work: (handle) => pulls.sense(handle),
  });
  console.log(`${what}: ${run}; ${words(sqlite.ms)} in ${sqlite.jobs} writes\n  ${meanwhile}`);
}
await bare();
await ground.close();
await simulated.end();

async function startSimulated() {
  const script = join(import.meta.dir, "parts/simulators.ts");
  const options = [
    `--sites=${SITES}`,
    "--days=400",
    `--keys=${folder.path}`,
    ...(ANSWER === undefined ? [] : [ANSWER]),
  ];
  const { text, end } = await started([...onCore(1), process.execPath, script, ...options], (said) =>
    said.includes("# keys:"),
  );
  const settings = Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  return { settings, end };
}

/** The writer, with the time of its jobs. */
function timed(): Pick<Writer, "write"> {
  return {
    write: (job, options) =>
      deps.writer.write(
        ((tx: Tx) => {
          const begun = performance.now();
          const value = job(tx);
          sqlite.ms += performance.now() - begun;
          sqlite.jobs++;
          return value;
        }) as typeof job,
        options,
      ),
  };
}

/** Reading, comparing and appending alone: some sites' answers, again and again, on one thread and in one transaction. */
async function bare(): Promise<void> {
  const [attached] = listCredentials(deps.store.db);
  const opened = attached === undefined ? undefined : deps.credentials.open(attached.id);
  if (attached === undefined || opened?.ok !== true) throw new Error("there is no credential");
  const { signal } = new AbortController();
  const { connectionRevision } = attached;
  const client = providerClient(deps, { secret: opened.value, connectionRevision, signal });
  const raws: RawDaily[] = [];
  for (const { analytics, searchConsole } of world.sites.slice(0, 50)) {
    for (const [provider, property] of [
      ["analytics", analytics?.property],
      ["search-console", searchConsole?.property],
    ] as const) {
      const zone = provider === "analytics" ? analytics?.timeZone : undefined;
      const asked = await askDaily(client, provider, property ?? "", {
        now: deps.clock.now(),
        timeZone: zone,
      });
      if (asked.outcome.ok) raws.push(asked.outcome.value);
    }
  }
  const store = openStore(join(folder.path, "bare.db"));
  migrateStore(store);
  const tx = store.main as Tx;
  const round = (sites: number, name: string) => {
    const cpu = process.cpuUsage();
    store.raw.transaction(() => {
      for (let site = 0; site < sites; site++) {
        const raw = raws[site % raws.length];
        if (raw === undefined) throw new Error("nothing was answered");
        const asset = `site-${site}`;
        const target = {
          asset,
          provider: raw.provider,
          connectionRevision: "r",
          property: raw.property,
          timeZone: "",
        };
        const judged = decideAnswer(tx, { asset, raw });
        recordAnswer(
          tx,
          {
            workspace: "default",
            run: 1,
            target,
            startedAt: raw.askedAt,
            finishedAt: raw.askedAt,
            requests: 1,
          },
          judged,
        );
      }
    })();
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `bare, ${name}: processor ${words((user + system) / 1_000)} for ${sites} answers, ${((user + system) / sites).toFixed(0)} µs each`,
    );
  };
  round(2 * SITES, "all new");
  round(2 * SITES, "nothing new");
  store.close();
}
