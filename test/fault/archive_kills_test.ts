/**
 * A run that is killed before any of its requests, writes into the spool, objects or commits: the next one takes it up, with nothing
 * lost, nothing half-written and nothing twice.
 */

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Archive } from "../../src/archive/archive.ts";
import { reportsOfRun } from "../../src/archive/manifest.ts";
import { objectsNamed } from "../../src/archive/objects.ts";
import type { BodySink, HttpClient } from "../../src/base/http_client.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { GoogleTokens } from "../../src/providers/google.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import { type Archived, archivedTower } from "../support/archive_run.ts";
import { dyingAt, writerOf } from "../support/dying.ts";
import { jobsOf } from "../support/jobs.ts";
import { pulledWorld } from "../support/pulled.ts";
import { differing } from "../support/read_models.ts";
import { PROMPT_PACES } from "../support/test_tower.ts";

/** A run whose process died, or did not. */
interface Ran {
  /** How many steps it took. */
  readonly steps: number;
  /** Closes the files that a system closes when a process ends. */
  end(): Promise<void>;
}

/** A run whose process dies before its step of that number, counted from 0. */
async function runUntil({ tower }: Archived, dies: number): Promise<Ran> {
  const { deps } = tower;
  const dying = dyingAt(dies);
  const { door } = dying;
  const sinks: BodySink[] = [];
  const writer = writerOf(dying, deps.writer);
  const http: HttpClient = {
    request: door(({ into, ...request }) => {
      if (into !== undefined) sinks.push(into);
      return deps.http.request({
        ...request,
        ...(into === undefined
          ? {}
          : {
              into: {
                begin: (status) => into.begin(status),
                write: door((piece: Uint8Array) => into.write(piece)),
                end: () => into.end(),
              },
            }),
      });
    }),
  };
  const { objects } = deps;
  const store: ObjectStore = Object.assign(Object.create(objects) as ObjectStore, {
    put: door((...given: Parameters<ObjectStore["put"]>) => objects.put(...given)),
    putFile: door((...given: Parameters<ObjectStore["putFile"]>) => objects.putFile(...given)),
    isAbsent: () => objects.isAbsent(),
    sweep: () => objects.sweep(),
    list: () => objects.list(),
    listFiles: (...given: Parameters<ObjectStore["listFiles"]>) => objects.listFiles(...given),
  });
  // What a process keeps in memory dies with it.
  const parts = { ...deps, writer, http, googleTokens: new GoogleTokens() };
  const pulls = new Pulls({ ...parts, paces: PROMPT_PACES, onChanged: () => undefined });
  const archive = new Archive({ ...parts, objects: store, pulls });
  const jobs = jobsOf({ ...deps, writer }, reportsOfRun);
  const entry = {
    name: "analysis",
    at: "15 12 * * *",
    recorded: true,
    work: archive.run.bind(archive),
  } as const;
  await Promise.race([jobs.runEntry(entry, "schedule"), dying.death]);
  return { steps: dying.steps, end: async () => void (await Promise.all(sinks.map((sink) => sink.end()))) };
}

/** What is stored of every report and date: how it stands, and what its object says. */
function contents({ tower }: Archived): unknown {
  return tower.deps.store.raw
    .query(
      `SELECT t.provider, t.family, d.date, d.failing, r.outcome = 3 AS lags, hex(o.content) AS content, o.rows
       FROM archive_day d JOIN archive_target t ON t.id = d.target JOIN archive_report r ON r.id = d.latest
       LEFT JOIN archive_object o ON o.id = r.object ORDER BY 1, 2, 3`,
    )
    .all();
}

/** Everything that must hold whenever a process begins. */
async function faults({ tower, folder }: Archived): Promise<unknown> {
  const { store, objects } = tower.deps;
  const damaged: string[] = [];
  for (const object of objectsNamed(store.db)) {
    const fault = await verifyObject(objects, object);
    if (fault !== undefined) damaged.push(`${object.sha256} ${fault}`);
  }
  const twice = store.raw
    .query(
      "SELECT target, date FROM archive_report WHERE outcome < 4 GROUP BY target, date HAVING count(*) > 1",
    )
    .all();
  const models = differing(store.db, "archive", "archive-standing");
  return { damaged, twice, models, spool: readdirSync(join(folder, "archive-spool")) };
}

const NONE = { damaged: [], twice: [], models: [], spool: [] };

const [SITE] = pulledWorld().sites;
if (SITE === undefined) throw new Error("the world has no site");
const { analytics, searchConsole, webmasterTools, ...bare } = SITE;

/** Runs that die at steps of a whole run: at each, or at one in so many. */
test.each<readonly [string, World, number]>([
  [
    "webmaster tools, at one step in 3",
    { sites: [{ ...bare, ...(webmasterTools && { webmasterTools }) }] },
    3,
  ],
  [
    "search console, at one step in 23",
    { sites: [{ ...bare, ...(searchConsole && { searchConsole }) }] },
    23,
  ],
  ["analytics, at one step in 41", { sites: [{ ...bare, ...(analytics && { analytics }) }] }, 41],
])("%s", async (_, world, everyNth) => {
  const started = async () => {
    const archived = await archivedTower({ world });
    await archived.run("webmaster-tools");
    return archived;
  };
  const whole = await started();
  const { steps: counted } = await runUntil(whole, Number.POSITIVE_INFINITY);
  const stored = contents(whole);
  expect(await faults(whole)).toEqual(NONE);
  await whole.close();
  expect(counted).toBeGreaterThan(20);
  for (let dies = 0; dies < counted; dies += everyNth) {
    const archived = await started();
    const { end } = await runUntil(archived, dies);
    await archived.tower.deps.jobs.recover();
    const report = await archived.run("analysis");
    expect([dies, report.outcome, report.fault]).toEqual([dies, "done", undefined]);
    expect([dies, contents(archived)]).toEqual([dies, stored]);
    expect([dies, await faults(archived)]).toEqual([dies, NONE]);
    // The run that was killed has its file, too, where it got anything.
    const runs = archived.tower.deps.store.raw.query("SELECT DISTINCT run FROM archive_report").all();
    const files = await Array.fromAsync(archived.tower.deps.objects.listFiles("manifest/"));
    expect([dies, files.length]).toEqual([dies, runs.length]);
    await end();
    await archived.close();
  }
});
