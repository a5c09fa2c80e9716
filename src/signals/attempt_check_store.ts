/** What attempts, loose and packed, say against each other. Reads only. */
import { type Db, onward, statement } from "../db/mod.ts";
import { checksumOf } from "../lib/checksum.ts";
import { messageOf } from "../lib/thrown.ts";
import { type PackedAttempts, unpackAttempts } from "./attempt_pack.ts";
import {
  attemptsOfPack,
  headOf,
  lastPackedAttempt,
  listLoose,
  packAfterId,
  packOf,
} from "./attempt_pack_store.ts";
import { ATTEMPT_COLUMNS, type AttemptRow } from "./attempt_row.ts";

/** Rows looked at in one step. */
const ROWS = 1_000;

const targetIsThere = statement<{ id: number }, [number]>("SELECT id FROM pull_target WHERE id = ?");
const runIsThere = statement<{ id: number }, [number]>("SELECT id FROM job_run WHERE id = ?");

/** Packs that are not as they were written or leave attempts out, attempts that stand in two ways, and those that name what is not there. */
export function* attemptFaults(db: Db): Generator<string> {
  const known: Known = { targets: new Set(), runs: new Set() };
  yield* packFaults(db, known);
  yield* looseFaults(db, known);
}

function* packFaults(db: Db, known: Known): Generator<string> {
  let [after, expected] = [0, 1];
  for (;;) {
    const pack = packAfterId(db, after);
    if (pack === undefined) return;
    after = onward("pull_attempt_pack", after, pack.id);
    const row = `pull_attempt_pack, row ${pack.id}`;
    if (pack.first !== expected) yield `${row}: the attempts before it are missing`;
    expected = pack.last + 1;
    if (checksumOf(pack.data) !== pack.checksum) {
      yield `${row}: it is not as it was written`;
      continue;
    }
    let held: PackedAttempts;
    try {
      held = unpackAttempts(pack.data, pack.first);
    } catch (error) {
      yield `${row}: it cannot be unpacked: ${messageOf(error)}`;
      continue;
    }
    const rows = Array.from({ length: held.length }, (_, place) => held.at(place));
    const said = headOf(rows);
    const isSaid = Object.entries(said).every(([name, value]) => pack[name as keyof typeof said] === value);
    if (!isSaid) yield `${row}: it does not hold what it says`;
    for (const missing of unknownIn(db, rows, known)) yield `${row}: it names ${missing}`;
  }
}

function* looseFaults(db: Db, known: Known): Generator<string> {
  const packed = lastPackedAttempt(db);
  for (let after = 0; ; ) {
    const rows = listLoose(db, after, ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = onward("pull_attempt", after, last.id);
    for (const row of rows) {
      const name = `pull_attempt, row ${row.id}`;
      if (row.id <= packed && !isInPack(db, row)) yield `${name}: it is not what its pack holds`;
    }
    for (const missing of unknownIn(db, rows, known))
      yield `pull_attempt up to row ${last.id}: one names ${missing}`;
  }
}

/** A loose attempt whose pack is damaged is all that is left of it: that is told of the pack. */
function isInPack(db: Db, row: AttemptRow): boolean {
  try {
    const pack = packOf(db, row.id);
    if (pack === undefined) return false;
    const attempts = attemptsOfPack(db, pack);
    const packed = attempts.at(row.id - attempts.first);
    return ATTEMPT_COLUMNS.every((column) => packed[column] === row[column]);
  } catch {
    return true;
  }
}

/** Targets and runs that are known to be there, or were told of: each is looked for once. */
interface Known {
  readonly targets: Set<number>;
  readonly runs: Set<number>;
}

/** Runs and targets that attempts name and that are not there. */
function unknownIn(db: Db, rows: readonly AttemptRow[], { targets, runs }: Known): string[] {
  const missing: string[] = [];
  for (const { target, run } of rows) {
    if (!targets.has(target) && targetIsThere(db).first(target) === undefined)
      missing.push(`target ${target}, which is missing`);
    if (!runs.has(run) && runIsThere(db).first(run) === undefined)
      missing.push(`run ${run}, which is missing`);
    targets.add(target);
    runs.add(run);
  }
  return missing;
}
