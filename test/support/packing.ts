/** Packing as a run of the archive does it; as a process of its own it can be killed. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packArchive } from "../../src/archive/archive.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { spoolFolder } from "../../src/archive/object_routes.ts";
import type { Provider } from "../../src/providers/adapter.ts";
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
  const object = { sha256, bytes, storedBytes, storedSha256, content: sha256, rows: 1, secrets: 0 };
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

if (import.meta.main) {
  const [, , path = "", moment = "", environment = "{}"] = process.argv;
  const { deps } = await openFolder(path, JSON.parse(environment) as Record<string, string>);
  rmSync(spoolFolder(path), { recursive: true, force: true });
  process.stdout.write("begins\n");
  await packDue({ ...deps, clock: new FakeClock(moment) });
  process.exit(0);
}
