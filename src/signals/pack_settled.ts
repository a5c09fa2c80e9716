/**
 * Packing settled attempts off the path of every answer: one that is a day old is never read to be judged by, but for the latest of
 * its target, so it goes where it takes a thirtieth of its room. A step reads what goes into one pack, compresses it on another
 * thread, unpacks and compares it, and puts it in; only then, a few at a time, what it holds is taken out. A crash in between leaves
 * attempts that stand in both, and the next run takes them out.
 */

import type { Clock } from "../base/base.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import type { Db } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import {
  dropPacked,
  headOf,
  lastPackedAttempt,
  listLoose,
  PACK_ATTEMPTS,
  packAttempts,
  putPack,
  unpackAttempts,
} from "./attempt_packs.ts";
import type { AttemptRow } from "./attempts.ts";

/** What packing attempts needs. */
export interface PackAttemptsDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write" | "closed">;
  readonly clock: Clock;
}

/** An attempt is settled after so long, in milliseconds. */
const SETTLED_MS = 24 * 60 * 60_000;
/** Rows read in one turn of the event loop, and rows taken out in one transaction. */
const SLICE = 512;
const DROPPED = 512;

/** Packs every full pack's worth of settled attempts. Throws `DamagedRow` where one is missing: a pack names its attempts by their places. */
export async function packSettled(deps: PackAttemptsDeps, attempts = PACK_ATTEMPTS): Promise<void> {
  while (!deps.writer.closed && (await packNext(deps, attempts))) await takeOut(deps);
  await takeOut(deps);
}

/** Makes one pack of what comes after the last one. Says whether it did. */
async function packNext({ store, writer, clock }: PackAttemptsDeps, attempts: number): Promise<boolean> {
  const after = lastPackedAttempt(store.db);
  const isFresh = ({ started_at }: AttemptRow) => {
    const age = clock.now() - started_at;
    // What was noted by a clock that was ahead is not fresh for months.
    return age >= 0 && age < SETTLED_MS;
  };
  const [last] = listLoose(store.db, after + attempts - 1, 1);
  if (last === undefined || isFresh(last)) return false;
  const rows: AttemptRow[] = [];
  while (rows.length < attempts) {
    const slice = listLoose(store.db, after + rows.length, Math.min(SLICE, attempts - rows.length));
    if (slice.length === 0) break;
    for (const row of slice) {
      const id = after + rows.length + 1;
      if (row.id !== id) throw new DamagedRow(`pull_attempt, row ${id}: it is missing`);
      if (isFresh(row)) return false;
      rows.push(row);
    }
    await Bun.sleep(0);
  }
  const data = await packAttempts(rows);
  await assertSame(data, rows);
  const pack = { ...headOf(rows), data };
  return await writer.write((tx) => {
    // Somebody else packed meanwhile.
    if (lastPackedAttempt(tx) !== after) return false;
    putPack(tx, pack);
    return true;
  }, LOW_PRIORITY);
}

const LOW_PRIORITY = { lowPriority: true } as const;

/** Takes out what lies in packs, a few at a time. */
async function takeOut({ writer }: PackAttemptsDeps): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined && !writer.closed; ) {
    const from: number = after;
    after = await writer.write((tx) => dropPacked(tx, from, DROPPED), LOW_PRIORITY);
  }
}

async function assertSame(data: Uint8Array, rows: readonly AttemptRow[]): Promise<void> {
  const packed = unpackAttempts(data, rows[0]?.id ?? 0);
  await Bun.sleep(0);
  const isSame = rows.every((row, place) => {
    const out = packed.at(place);
    return Bun.deepEquals(out, row);
  });
  if (!isSame || packed.length !== rows.length)
    throw new Error("what was packed does not come out as it went in");
}
