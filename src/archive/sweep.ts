/**
 * What puts that were cut off left in the store. Half of an object is nobody's. A whole object that no row of the manifest names may be
 * one: it became safe, and its process ended before the row was committed. It may as well be the only copy of a report whose row is
 * lost (an older database was restored) or that another Tower wrote into the same place. So it goes only where all of this holds:
 *
 * - It is older than a day by the store's own clock: no run takes that long, so nobody is about to name it.
 * - It came after this database's first run of the archive, and after this database was last restored from a backup: of what came
 *   before, this database cannot know what it was for.
 * - No row names it, looked at again right before it goes, within a run of the archive, whose lease keeps every other run out.
 * - No manifest copy in the store, which each run leaves beside its objects, names it: also not one of another database. Where one of
 *   those cannot be read, nothing goes. What a copy of this database's own names has its row.
 */

import type { Clock } from "../base/base.ts";
import { logOf } from "../base/log.ts";
import { utcDayOf } from "../base/time.ts";
import { firstRunOf } from "../store/job_runs.ts";
import { unpackedFile } from "../store/object_check.ts";
import type { ObjectStore } from "../store/objects.ts";
import { StoreFault } from "../store/objects.ts";
import { findServiceState, putServiceState, RESTORED_AT } from "../store/service_state.ts";
import type { Db } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { isOwnCopy } from "./manifest_copy.ts";
import { findObject } from "./objects.ts";
import { ARCHIVE_JOB } from "./plan.ts";

const DAY_MS = 86_400_000;
/** How long an object is left alone, and how long it is until they are looked for again. */
const LEFT_ALONE_MS = DAY_MS;
const EVERY_MS = 7 * DAY_MS;
/** Orphans that go at once: there are a few, and what there is more of is none of ours. */
const MOST_SWEPT = 10_000;
/** Steps between two turns of the event loop. */
const SLICE = 64;

const SWEPT_AT = "archive.swept_at";

interface SweepDeps {
  readonly store: { readonly db: Db };
  readonly objects: ObjectStore;
  readonly writer: Pick<Writer, "write">;
  readonly clock: Clock;
}

/** What went. */
interface Swept {
  readonly halfWritten: number;
  readonly orphans: number;
}

/**
 * Sweeps as a run of the archive begins, within its lease and before it stores anything: half-written objects each time, orphans once a
 * week. What keeps it from sweeping is logged: nothing is lost by it, and the run finds out for itself whether the store can be used.
 */
export async function sweepArchive(deps: SweepDeps, signal: AbortSignal): Promise<Swept> {
  const swept = { halfWritten: 0, orphans: 0 };
  try {
    swept.halfWritten = await deps.objects.sweep();
    if (isDue(deps)) swept.orphans = await sweepOrphans(deps, signal);
  } catch (error) {
    if (!(error instanceof StoreFault) && !(error instanceof UnreadableCopy)) throw error;
    logOf("archive").warn("nothing more is swept", { reason: error.message });
  }
  return swept;
}

/** A manifest copy that is no whole gzip: what it names is not known. */
class UnreadableCopy extends Error {}

function isDue({ store, clock }: SweepDeps): boolean {
  const last = Number(findServiceState(store.db, SWEPT_AT) ?? 0);
  const now = clock.now();
  return last > now || now - last >= EVERY_MS;
}

async function sweepOrphans(deps: SweepDeps, signal: AbortSignal): Promise<number> {
  const swept = await sweepUnnamed(deps, signal);
  const now = deps.clock.now();
  if (!signal.aborted) await deps.writer.write((tx) => putServiceState(tx, SWEPT_AT, String(now), now));
  return swept;
}

/** Removes the orphans that are safe to remove; says how many. Throws `StoreFault` and `UnreadableCopy`. */
async function sweepUnnamed({ store, objects, clock }: SweepDeps, signal: AbortSignal): Promise<number> {
  const { db } = store;
  const known = knownSince(db);
  if (known === undefined) return 0;
  const before = clock.now() - LEFT_ALONE_MS;
  const unnamed = new Map<string, number>();
  let steps = 0;
  for await (const { sha256, storedAt } of objects.list()) {
    if (signal.aborted || unnamed.size >= MOST_SWEPT) break;
    if (++steps % SLICE === 0) await Bun.sleep(0);
    if (storedAt > known && storedAt < before && findObject(db, sha256) === undefined) {
      unnamed.set(sha256, storedAt);
    }
  }
  if (unnamed.size === 0) return 0;
  for await (const sha256 of namedInCopies(db, objects, Math.min(...unnamed.values()))) {
    unnamed.delete(sha256);
    if (unnamed.size === 0) return 0;
  }
  let swept = 0;
  for (const sha256 of unnamed.keys()) {
    if (signal.aborted) break;
    if (findObject(db, sha256) !== undefined) continue;
    await objects.remove(sha256);
    swept++;
  }
  return swept;
}

/** From when on this database knows of everything that was stored for it; undefined where it never stored anything. */
function knownSince(db: Db): number | undefined {
  const first = firstRunOf(db, ARCHIVE_JOB);
  return first === undefined ? undefined : Math.max(first, Number(findServiceState(db, RESTORED_AT) ?? 0));
}

/** The objects that manifest copies of other databases name, of those written since a moment: the copy of a run is dated by the run's beginning. */
async function* namedInCopies(db: Db, objects: ObjectStore, since: number): AsyncGenerator<string> {
  const from = `manifest/${utcDayOf(since - 2 * DAY_MS)}`;
  for await (const name of objects.listFiles("manifest/")) {
    if (name < from || isOwnCopy(db, name)) continue;
    try {
      yield* namesIn(unpackedFile(objects, name));
    } catch (error) {
      if (error instanceof StoreFault) throw error;
      throw new UnreadableCopy(`${name} cannot be read`);
    }
  }
}

async function* namesIn(text: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let steps = 0;
  for await (const piece of text) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, sha256] = /"object":"([0-9a-f]{64})"/.exec(line) ?? [];
      if (sha256 !== undefined) yield sha256;
      if (++steps % SLICE === 0) await Bun.sleep(0);
    }
  }
}
