import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatInstant } from "../lib/instant.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { isThere, publish } from "./publish.ts";
import type { SnapshotFacts, SnapshotRequest } from "./snapshot.ts";
import type { SnapshotAnswer } from "./snapshot_worker.ts";

/** What backing up needs. */
export interface BackupDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a backup did. */
export type BackupResult =
  | ({ readonly ok: true; readonly ms: number } & SnapshotFacts)
  | { readonly ok: false; readonly reason: string };

/** A temporary file that nobody wrote to for this long was left by a killed backup, in milliseconds. */
const LEFT_BEHIND_MS = 60 * 60_000;

/** What SQLite may put beside a file; beside a backup it would be taken for the backup's own. */
const COMPANIONS = ["-journal", "-wal", "-shm"] as const;

/**
 * Makes one consistent, checked, sealed copy of the database at `source` while others go on writing. The copy is made on a worker
 * under another name, and gets the name `target` when it is whole and on the disk; a file that is there is never replaced.
 */
export async function backUp(deps: BackupDeps, source: string, target: string): Promise<BackupResult> {
  try {
    return await tryBackUp(deps, source, target);
  } catch (error) {
    // A folder that may not be written, a full disk: the system says which.
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function tryBackUp(deps: BackupDeps, source: string, target: string): Promise<BackupResult> {
  const started = performance.now();
  const now = deps.clock.now();
  for (const path of [target, ...COMPANIONS.map((companion) => `${target}${companion}`)]) {
    if (await isThere(path)) return { ok: false, reason: `${path} is there already: nothing is overwritten` };
  }
  if (!(await isThere(dirname(target)))) {
    return { ok: false, reason: `there is no folder ${dirname(target)}` };
  }
  await removeLeftBehind(target, now);
  const temporary = join(dirname(target), `${temporaryPrefix(target)}${deps.ids.uuid()}`);
  try {
    const answer = await onWorker({ source, target: temporary, madeAt: formatInstant(now) });
    if (!answer.ok) return answer;
    if (!(await publish(temporary, target))) {
      return { ok: false, reason: `${target} is there by now: nothing is overwritten` };
    }
    return { ok: true, ms: performance.now() - started, ...answer.facts };
  } finally {
    for (const companion of ["", ...COMPANIONS]) await rm(`${temporary}${companion}`, { force: true });
  }
}

const temporaryPrefix = (target: string) => `.tmp-${basename(target)}.`;

async function removeLeftBehind(target: string, now: number): Promise<void> {
  const folder = dirname(target);
  const prefix = temporaryPrefix(target);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs < now - LEFT_BEHIND_MS) await rm(path, { force: true });
  }
}

async function onWorker(request: SnapshotRequest): Promise<SnapshotAnswer> {
  const worker = new Worker(new URL("./snapshot_worker.ts", import.meta.url).href);
  try {
    return await new Promise<SnapshotAnswer>((resolve) => {
      const ended = (reason: string) => resolve({ ok: false, reason });
      worker.addEventListener("message", (event: MessageEvent<SnapshotAnswer>) => resolve(event.data));
      worker.addEventListener("error", (event) => ended(`the copying failed: ${event.message}`));
      worker.addEventListener("close", () => ended("the copying ended before it was done"));
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
