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
import { openData } from "../../src/app/boot.ts";
import { createIngest } from "../../src/app/ingest_app.ts";
import { mapConcurrent } from "../../src/base/concurrency.ts";
import { readConfig } from "../../src/base/config.ts";
import type { HttpClient } from "../../src/base/http_client.ts";
import { listen } from "../../src/base/http_handler.ts";
import { sampleWorld } from "../../src/demo/simulator/world.ts";
import type { Provider, RawDaily } from "../../src/providers/adapter.ts";
import { providerClient } from "../../src/providers/client.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { askDaily } from "../../src/providers/providers.ts";
import { recordAnswer } from "../../src/signals/answer_record.ts";
import { attachProperty } from "../../src/signals/connections.ts";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { decideAnswer } from "../../src/signals/decide.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { startCheckpointer } from "../../src/store/checkpoint.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore, type Tx } from "../../src/store/store.ts";
import type { Writer } from "../../src/store/writer.ts";
import { temporaryFolder } from "../support/folder.ts";
import { onCore } from "./parts/load.ts";
import { probing } from "./parts/sense_probe.ts";

const given = (name: string) =>
  Bun.argv.find((word) => word.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
const SITES = Number(given("sites") ?? 1_000);
const ANSWER_MS = given("answer-ms");
const TOKEN = "bench-token-of-the-probe";
/** Without a pause: as much of a tick at once as can be. */
const UNPACED = {
  analytics: { atOnce: 4, gapMs: 0 },
  "search-console": { atOnce: 1, gapMs: 0 },
  "webmaster-tools": { atOnce: 1, gapMs: 0 },
  serp: { atOnce: 1, gapMs: 0 },
  gatherMs: 250,
} as const;

using folder = temporaryFolder();
const simulated = await startSimulated();
const config = readConfig({
  DATA_DIR: join(folder.path, "data"),
  ASSET_TOKENS: `probe:${TOKEN}`,
  INGEST_BURST: "1000000",
  INGEST_BYTES_PER_DAY: "1000000000000",
  INGEST_PER_SECOND: "100000",
  LOG_LEVEL: "error",
  ...simulated.settings,
});
const opened = await openData(config);
const { deps } = opened;
const checkpointer = startCheckpointer(deps.store);
const by = { actor: "bench", now: deps.clock.now() };
const world = sampleWorld(SITES, deps.clock.now(), 400);
await fill();

const sqlite = { jobs: 0, ms: 0 };
const flight = { now: 0, most: 0, requests: 0 };
const pulls = new Pulls({
  ...deps,
  ...(ANSWER_MS === undefined ? { paces: UNPACED } : {}),
  writer: timed(),
  http: counted(),
  onChanged: () => undefined,
});
// A service has loaded it by the time of a tick.
await deps.metrics.load();
const edge = createIngest(deps, () => ({ ingest: ingest.port, tower: 0 }));
const ingest = listen(edge, "127.0.0.1", 0);
const order = { url: `http://127.0.0.1:${ingest.port}`, token: TOKEN, asset: "probe", everyMs: 10 };

const [, rest] = await probing(order, 4_000, async () => undefined);
console.log(
  `at rest an ingest answers within ${words(rest.p50)} at the median, ${words(rest.p99)} at the 99th percentile`,
);
for (const what of ["first tick", "a tick after it", "and one more"]) await tick(what);
await bare();
await ingest.stop(0);
await deps.follower.stop();
await checkpointer.stop(3_000);
opened.close();
simulated.end();

async function startSimulated() {
  const script = join(import.meta.dir, "../../src/demo/simulator/main.ts");
  const child = Bun.spawn(
    [
      ...onCore(1),
      process.execPath,
      script,
      `--sites=${SITES}`,
      "--days=400",
      `--keys=${folder.path}`,
      ...(ANSWER_MS === undefined ? [] : [`--answer-ms=${ANSWER_MS}`]),
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk);
    if (text.includes("# keys:")) break;
  }
  const settings = Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return { settings: settings as Record<string, string>, end: () => child.kill() };
}

async function fill(): Promise<void> {
  await deps.writer.write(
    (tx) =>
      void ensureAssets(
        tx,
        world.sites.map(({ name }) => name),
        by,
      ),
  );
  const file = await Bun.file(join(folder.path, "google-key.json")).text();
  let credential = "";
  for (const provider of ["analytics", "search-console"] as const) {
    const read = await readCredentialFile(provider, file, config.providers);
    if (!read.ok) throw new Error(read.faults.join());
    const added = await addCredential(deps, { provider, secret: read.secret, label: undefined }, by);
    if (!added.ok) throw new Error(added.why);
    credential = added.credential.id;
  }
  // The writer takes so many at once.
  await mapConcurrent(world.sites, 200, async ({ name: asset, analytics, searchConsole }) => {
    const attach = (provider: Provider, property = "") =>
      attachProperty(deps, { asset, provider, credential, property, replace: false }, by);
    await attach("analytics", analytics?.property);
    await attach("search-console", searchConsole?.property);
  });
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

/** The door to the outside, with how many questions are under way. */
function counted(): HttpClient {
  return {
    request: async (request) => {
      flight.requests++;
      flight.most = Math.max(flight.most, ++flight.now);
      return deps.http.request(request).finally(() => flight.now--);
    },
  };
}

async function tick(what: string): Promise<void> {
  Object.assign(sqlite, { jobs: 0, ms: 0 });
  Object.assign(flight, { most: 0, requests: 0 });
  Bun.gc(true);
  const resident = () => process.memoryUsage.rss() / 2 ** 20;
  const before = resident();
  let peak = before;
  // What the kernel knows anyway: more would be paid by the answers that are timed.
  const watch = setInterval(() => {
    peak = Math.max(peak, resident());
  }, 100);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  let wall = 0;
  const [report, probed] = await probing(order, 0, async () => {
    const run = await deps.jobs.runEntry(
      { name: "sense", at: "*/15 * * * *", recorded: true, work: (handle) => pulls.sense(handle) },
      "command",
    );
    wall = performance.now() - begun;
    return run;
  });
  const used = process.cpuUsage(cpu);
  clearInterval(watch);
  console.log(
    `${what}: ${JSON.stringify(report.reports)} in ${(wall / 1_000).toFixed(1)} s; ${flight.requests} requests, at most ${flight.most} at once; ${words(sqlite.ms)} in ${sqlite.jobs} writes; processor ${((used.user + used.system) / 1e6).toFixed(1)} s with the probe's answers; memory ${before.toFixed(0)} MB, at most ${peak.toFixed(0)}`,
  );
  console.log(
    `  an ingest meanwhile: ${words(probed.p50)} at the median, ${words(probed.p99)} at the 99th percentile (${(probed.p99 / rest.p99).toFixed(1)} times that at rest), at most ${words(probed.max)}, ${probed.refused} refused of ${probed.answers}`,
  );
}

/** Reading, comparing and appending alone: some sites' answers, again and again, on one thread and in one transaction. */
async function bare(): Promise<void> {
  const [attached] = deps.credentials.list();
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

function words(ms: number): string {
  return ms < 100 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
