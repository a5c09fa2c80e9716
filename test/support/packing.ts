/** Packing as a run of the archive does it; as a process of its own it can be killed. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packArchive } from "../../src/archive/archive.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { spoolFolder } from "../../src/archive/object_routes.ts";
import { objectsNamed } from "../../src/archive/objects.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { verifyObject } from "../../src/store/object_check.ts";
import type { ObjectStore } from "../../src/store/objects.ts";
import type { Db } from "../../src/store/store.ts";
import { HARBOR_PAGES, reportOf } from "./archive.ts";
import { FakeClock, instant } from "./clock.ts";
import { openFolder } from "./data_folder.ts";
import { type MadeObject, objectHolding, spooled } from "./objects.ts";

type Deps = Parameters<typeof packArchive>[0] & { readonly config: { readonly dataDir: string } };

let [attempts, runs] = [0, 0];

/** Archives a report at a moment: its object by itself, and its row. */
export async function archiveAt(
  { objects, writer, config }: Deps,
  moment: string,
  text: string,
  of: { readonly asset?: string; readonly provider?: Provider } = {},
): Promise<MadeObject> {
  const made = objectHolding(text);
  const file = spooled(config.dataDir, made);
  await objects.put(made, file);
  rmSync(file);
  const { sha256, bytes, storedBytes, storedSha256 } = made;
  const object = { sha256, bytes, storedBytes, storedSha256, content: sha256, rows: 1 };
  const target = { ...HARBOR_PAGES, ...of };
  // Two of one moment would be one attempt.
  const attemptedAt = instant(moment) + attempts++;
  await writer.write((tx) => void recordReport(tx, reportOf({ target, object, attemptedAt })));
  return made;
}

/** Packs what is due, and removes what was packed a week ago. */
export async function packDue(deps: Deps): Promise<void> {
  const spool = spoolFolder(deps.config.dataDir);
  mkdirSync(spool, { recursive: true });
  // A killed one that a test goes on after may still hold files of its own.
  await packArchive(deps, join(spool, `pack-${runs++}-`), new AbortController().signal);
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

/** What is found in a folder. */
export interface PackingState {
  readonly damaged: readonly string[];
  readonly packs: number;
  /** Objects without a place, and packs whose objects may lie by themselves. */
  readonly unplaced: number;
  readonly uncleared: number;
  /** Objects that lie by themselves. */
  readonly loose: number;
}

const COUNTED = `SELECT (SELECT count(*) FROM archive_pack) AS packs, (SELECT count(*) FROM archive_pack WHERE loose = 1) AS uncleared,
  (SELECT count(*) FROM archive_object WHERE id NOT IN (SELECT object FROM archive_place)) AS unplaced`;

// A process of its own leaves no file open, whatever becomes of what is beneath it.
if (import.meta.main) {
  const [, , path = "", what = "", settings = "{}"] = process.argv;
  const { deps } = await openFolder(path, JSON.parse(settings) as Record<string, string>);
  if (what === "fill") {
    for (let n = 0; n < 80; n++) {
      await archiveAt(deps, "2026-07-05T00:00:00Z", `{"n":${n}}`, { asset: `site-${n % 20}.example` });
    }
  } else if (what === "judge") {
    const counts = deps.store.raw.query<Record<string, number>, []>(COUNTED).get();
    const damaged = await damagedIn(deps.store.db, deps.objects);
    const loose = (await Array.fromAsync(deps.objects.list())).length;
    await Bun.write(Bun.stdout, JSON.stringify({ damaged, loose, ...counts }));
  } else {
    rmSync(spoolFolder(path), { recursive: true, force: true });
    process.stdout.write("begins\n");
    await packDue({ ...deps, clock: new FakeClock(what) });
  }
  process.exit(0);
}
