/** Flags against the records they are made of: what differs, and putting it right. */
import { eq, sql } from "drizzle-orm";
import { type Db, onward, prepared, statement, type Tx } from "../db/mod.ts";
import { type RecordState, rebuildFlag } from "./rebuild.ts";
import { snoozeDifferences } from "./snooze_check_store.ts";
import { flag } from "./table.ts";

/** A flag that is not what its records lead to. */
export interface FlagDifference {
  readonly id: string;
  readonly text: string;
}

/** Flags whose ids are read at a time. */
const PAGE = 200;

const p = sql.placeholder;

// Evidence and all else have an index each.
const idsAfter = statement<{ id: string }, [string, string, string, number]>(
  `SELECT id FROM flag WHERE id > ?
   UNION SELECT flag FROM flag_record WHERE flag > ? AND type <> 'evidence'
   UNION SELECT flag FROM flag_record WHERE flag > ? AND type = 'evidence'
   ORDER BY id LIMIT ?`,
);

const rowOf = prepared((db) =>
  db
    .select()
    .from(flag)
    .where(eq(flag.id, p("id")))
    .prepare(),
);

const recordsOf = statement<RecordState, [string, string]>(
  `SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type <> 'evidence'
   UNION ALL SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type = 'evidence' ORDER BY id`,
);

/**
 * Every flag in turn, by id: what differs from its records, or undefined. Between two of them the caller may let others work;
 * each is read in one go, and no more than one flag's records are held.
 */
export function* flagDifferences(db: Db): Generator<FlagDifference | undefined> {
  let last = "";
  let ids = idsAfter(db).all(last, last, last, PAGE);
  while (ids.length > 0) {
    for (const { id } of ids) {
      last = onward("an index of flag or flag_record", last, id);
      const text = faultOf(db, id);
      yield text === undefined ? undefined : { id, text };
    }
    ids = idsAfter(db).all(last, last, last, PAGE);
  }
}

function faultOf(db: Db, id: string): string | undefined {
  const row = rowOf(db).get({ id });
  const records = recordsOf(db).all(id, id);
  if (records.length === 0) return `flag ${id} has no records`;
  const rebuilt = rebuildFlag(id, records);
  if (rebuilt === undefined) return `flag ${id} has records that do not begin with its raising`;
  if (row === undefined) return `flag ${id} has records but no row`;
  return Bun.deepEquals(rebuilt, row) ? undefined : `flag ${id} is not what its records lead to`;
}

/**
 * Makes the flags named what their records lead to. One without records goes; one whose records cannot be read in order stays
 * as it is.
 */
export function mendFlags(tx: Tx, differences: readonly FlagDifference[]): void {
  const rebuilt: (typeof flag.$inferSelect)[] = [];
  // All of them go before one comes back: in between, two could be open for one rule.
  for (const { id } of differences) {
    const records = recordsOf(tx).all(id, id);
    const row = rebuildFlag(id, records);
    if (row !== undefined) rebuilt.push(row);
    if (row !== undefined || records.length === 0) tx.delete(flag).where(eq(flag.id, id)).run();
  }
  for (const row of rebuilt) tx.insert(flag).values(row).run();
}

/** Flags and snoozes that are not what their records lead to. */
export function flagFaults(db: Db): string[] {
  return [...flagDifferences(db), ...snoozeDifferences(db)].flatMap((found) =>
    found === undefined ? [] : [found.text],
  );
}
