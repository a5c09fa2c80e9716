/**
 * Packing what pulls leave behind, off the path of every answer: an attempt that is a day old is never read to be judged by, but for
 * the latest of its target, and its observation hardly ever; so they go where they take a thirtieth, and a third, of their room.
 */

import { logOf } from "../base/log.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { isFresh, LOW_PRIORITY, type PackDeps } from "../store/packs.ts";
import {
  dropPacked,
  headOf,
  lastPackedAttempt,
  listLoose,
  PACK_ATTEMPTS,
  packAttempts,
  putPack,
} from "./attempt_packs.ts";
import { type AttemptRow, targetsById } from "./attempts.ts";
import {
  dropPackedObservations,
  lastPackedObservation,
  listLooseObservations,
  observedAtOf,
  PACK_OBSERVATIONS,
  packObservations,
  putObservations,
  standInBoth,
} from "./observation_packs.ts";

/** Rows read in one turn of the event loop, and rows taken out in one transaction. */
const SLICE = 512;
const DROPPED = 512;
/** Targets looked at in one turn of the event loop. */
const TARGETS = 64;

/** Packs every full pack's worth of what is settled. Throws `DamagedRow` where an attempt is missing: a pack names its attempts by their places. */
export async function packSettled(
  deps: PackDeps,
  attempts = PACK_ATTEMPTS,
  observations = PACK_OBSERVATIONS,
): Promise<void> {
  while (!deps.writer.closed && (await packNextAttempts(deps, attempts))) await takeOut(deps);
  await takeOut(deps);
  let looked = 0;
  for (const target of targetsById(deps.store.db).keys()) {
    await packTarget(deps, target, observations);
    if (++looked % TARGETS === 0) await Bun.sleep(0);
  }
}

/** Packs what is settled of a target. One that cannot be read keeps no other from being packed. */
async function packTarget(deps: PackDeps, target: number, observations: number): Promise<void> {
  try {
    while (!deps.writer.closed && (await packNextObservations(deps, target, observations))) {
      // Until there is no full pack of it.
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    logOf("signals").error("observations are not packed", { target, reason: String(error) });
  }
}

/** Makes one pack of the attempts that come after the last one. Says whether it did. */
async function packNextAttempts({ store, writer, clock }: PackDeps, attempts: number): Promise<boolean> {
  const after = lastPackedAttempt(store.db);
  const isLeft = ({ started_at }: AttemptRow) => isFresh(started_at, clock.now());
  const [last] = listLoose(store.db, after + attempts - 1, 1);
  if (last === undefined || isLeft(last)) return false;
  const rows: AttemptRow[] = [];
  while (rows.length < attempts) {
    const slice = listLoose(store.db, after + rows.length, Math.min(SLICE, attempts - rows.length));
    if (slice.length === 0) break;
    for (const row of slice) {
      const id = after + rows.length + 1;
      if (row.id !== id) throw new DamagedRow(`pull_attempt, row ${id}: it is missing`);
      if (isLeft(row)) return false;
      rows.push(row);
    }
    await Bun.sleep(0);
  }
  const pack = { ...headOf(rows), data: await packAttempts(rows) };
  return await writer.write((tx) => {
    // Somebody else packed meanwhile.
    if (lastPackedAttempt(tx) !== after) return false;
    putPack(tx, pack);
    return true;
  }, LOW_PRIORITY);
}

/** Takes out attempts that lie in packs, a few at a time. */
async function takeOut({ writer }: PackDeps): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined && !writer.closed; ) {
    const from: number = after;
    after = await writer.write((tx) => dropPacked(tx, from, DROPPED), LOW_PRIORITY);
  }
}

/** Makes one pack of the observations of a target that come after its last one, and takes out what packs hold. Says whether it made one. */
async function packNextObservations(
  { store: { db }, writer, clock }: PackDeps,
  target: number,
  many: number,
): Promise<boolean> {
  const after = lastPackedObservation(db, target);
  const last = observedAtOf(db, target, after, many);
  const rows =
    last === undefined || isFresh(last, clock.now()) ? [] : listLooseObservations(db, target, after, many);
  const isPacked = rows.length === many && !rows.some(({ observed_at }) => isFresh(observed_at, clock.now()));
  if (isPacked) {
    const data = await packObservations(rows);
    await writer.write((tx) => {
      if (lastPackedObservation(tx, target) === after) putObservations(tx, target, rows, data);
    }, LOW_PRIORITY);
  }
  if (standInBoth(db, target) && !writer.closed) {
    await writer.write((tx) => dropPackedObservations(tx, target), LOW_PRIORITY);
  }
  return isPacked;
}
