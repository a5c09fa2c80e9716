/** Packing as a run of the archive does it; as a process of its own it can be killed: it says how far it came, and stops there. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packArchive } from "../../src/archive/archive.ts";
import { spoolFolder } from "../../src/archive/object_routes.ts";
import { objectsNamed } from "../../src/archive/objects.ts";
import { systemIds } from "../../src/base/base.ts";
import { readConfig } from "../../src/base/config.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { openObjectStore } from "../../src/store/directory_store.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import { type Db, openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { archiveObject } from "./archive.ts";
import { FakeClock, instant } from "./clock.ts";
import { type MadeObject, objectHolding } from "./objects.ts";

type Deps = Parameters<typeof packArchive>[0] & { readonly config: { readonly dataDir: string } };

/** Archives a report at a moment: its object by itself, and its row. */
export async function archiveAt(
  deps: Deps,
  moment: string,
  text: string,
  of: { readonly asset?: string; readonly provider?: Provider } = {},
): Promise<MadeObject> {
  const made = objectHolding(text);
  await archiveObject(deps, deps.config.dataDir, made, { ...of, at: instant(moment) });
  return made;
}

let runs = 0;

/** Packs what is due, and removes what was packed a week ago. */
export async function packDue(deps: Deps): Promise<void> {
  const spool = spoolFolder(deps.config.dataDir);
  mkdirSync(spool, { recursive: true });
  // A killed one that a test goes on after may still hold files of its own.
  await packArchive(deps, join(spool, `pack-${runs++}-`), new AbortController().signal);
}

/** The same in three runs: of requests at once to remove two of one folder the simulated bucket refuses one, and the next run asks again. */
export async function packDueInRuns(deps: Deps): Promise<void> {
  for (let run = 0; run < 3; run++) await packDue(deps);
}

/** What is not whole where its row says that it lies. */
export async function damagedIn(db: Db, store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for (const object of objectsNamed(db)) {
    const fault = await verifyObject(store, object);
    if (fault !== undefined) found.push(`${object.sha256} ${fault}`);
  }
  return found;
}

/**
 * Packs in a folder, as of a moment, until it would write for the `stops`-th time; the thread that reads and puts goes on for some
 * milliseconds more.
 */
async function packUntil(path: string, moment: string, stops: number, more: number, settings: string) {
  const config = readConfig({ DATA_DIR: path, ...(JSON.parse(settings) as Record<string, string>) });
  const store = openStore(join(path, "tower.db"));
  const writer = new Writer(store);
  const stop = () => {
    process.stdout.write("stops\n");
    process.kill(process.pid, "SIGSTOP");
  };
  let writes = 0;
  const write: Writer["write"] = (...given) => {
    if (++writes === stops) {
      Bun.sleepSync(more);
      stop();
    }
    return writer.write(...given);
  };
  rmSync(spoolFolder(path), { recursive: true, force: true });
  const clock = new FakeClock(moment);
  const deps = {
    config,
    store,
    clock,
    ids: systemIds,
    objects: openObjectStore(config),
    writer: Object.assign(Object.create(writer) as Writer, { write }),
  };
  await packDueInRuns(deps);
}

if (import.meta.main) {
  const [, , path = "", moment = "", stops, more, settings = "{}"] = process.argv;
  await packUntil(path, moment, Number(stops), Number(more), settings);
}
