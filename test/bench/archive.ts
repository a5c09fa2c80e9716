/**
 * The job of the archive over `--sites=200` properties of each provider, from ten rows a report to a quarter of a million, against the
 * simulated providers in a process of their own; then the same once more, when nothing is new. Prints how long each takes, the requests,
 * the most memory (the worker that reads is a thread of the process), the bytes stored beside those answered, and what an ingest's answer
 * takes meanwhile beside what it takes at rest. Pauses between questions are left out.
 */

import type { Database } from "bun:sqlite";
import { Archive } from "../../src/archive/archive.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { temporaryFolder } from "../support/folder.ts";
import { archiveWorld, startProviders } from "./parts/archive_world.ts";
import { askingGround, UNPACED } from "./parts/asking_ground.ts";
import { numberOf } from "./parts/processes.ts";

const sites = numberOf("sites", 200);
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

using folder = temporaryFolder();
const providers = await startProviders({ sites, keys: folder.path });
const { settings } = providers;
const ground = await askingGround(folder.path, { world: archiveWorld(sites, Date.now()), settings });
const { deps, http } = ground;
const pulls = new Pulls({ ...deps, paces: UNPACED, http, onChanged: () => undefined });
const archive = new Archive({ ...deps, http, pulls });
await ground.rest("at rest", 10_000);
for (const what of ["the first run", "the same again"]) {
  const before = stored(deps.store.raw);
  const { run, meanwhile } = await ground.run({
    name: "analysis",
    at: "15 12 * * *",
    work: (handle) => archive.run(handle),
  });
  const now = stored(deps.store.raw);
  console.log(`${what}: ${run}`);
  console.log(
    `  ${now.rows - before.rows} rows in ${now.objects - before.objects} new objects: ${megabytes(now.bytes - before.bytes)} answered, ${megabytes(now.stored - before.stored)} stored; ${megabytes(now.spared - before.spared)} were not stored again (${megabytes(now.sparedStored - before.sparedStored)} packed)`,
  );
  console.log(`  ${meanwhile}`);
}
await ground.rest("at rest again", 10_000);
await ground.close();
await providers.end();

interface Stored {
  readonly objects: number;
  readonly rows: number;
  readonly bytes: number;
  readonly stored: number;
  /** Of reports that say what is stored already. */
  readonly spared: number;
  readonly sparedStored: number;
}

function stored(raw: Database): Stored {
  const [row] = raw
    .query<Stored, []>(
      `SELECT o.*, s.* FROM
         (SELECT count(*) AS objects, coalesce(sum(rows), 0) AS rows, coalesce(sum(bytes), 0) AS bytes,
            coalesce(sum(stored_bytes), 0) AS stored FROM archive_object) o,
         (SELECT coalesce(sum(bytes), 0) AS spared, coalesce(sum(stored_bytes), 0) AS sparedStored
            FROM archive_report r JOIN archive_object o ON o.id = r.object
            WHERE r.id NOT IN (SELECT min(id) FROM archive_report WHERE object IS NOT NULL GROUP BY object)) s`,
    )
    .all();
  if (row === undefined) throw new Error("nothing was counted");
  return row;
}
