/** Flags and snoozes against the records that lead to them. */
import { asc, eq, sql } from "drizzle-orm";
import { type Db, type ReadModel, statement, tableModel } from "../db/mod.ts";
import { type FlagState, type RecordState, rebuildFlag } from "./rebuild.ts";
import { replaySnoozes, type SnoozeAct, snoozeKey } from "./snooze_replay.ts";
import type { Snooze } from "./snooze_store.ts";
import { flag, flagRecord, flagSnooze } from "./table.ts";

// Evidence and all else have an index each.
const recordsOf = statement<RecordState, [string, string]>(
  `SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type <> 'evidence'
   UNION ALL SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type = 'evidence' ORDER BY id`,
);

export const FLAG_MODEL: ReadModel<FlagState, string> = tableModel({
  name: "flags",
  what: "flags against their records",
  source: "its records",
  table: flag,
  by: {
    column: "id",
    next: [
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type <> 'evidence'",
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type = 'evidence'",
    ],
  },
  named: ({ id }) => `flag ${id}`,
  replay: (db, id) => {
    const records = recordsOf(db).all(id, id);
    if (records.length === 0) return [];
    const row = rebuildFlag(id, records);
    return row === undefined ? `flag ${id} has records that do not begin with its raising` : [row];
  },
});

/** A snooze is the last one of its (rule, asset, source, subject), unless that one was woken. */
export const SNOOZE_MODEL: ReadModel<Snooze, number> = tableModel({
  name: "snoozes",
  what: "snoozes against their acts",
  source: "its acts",
  table: flagSnooze,
  named: (row) => `the snooze of ${snoozeKey(row)}`,
  replay: (db) => [...replaySnoozes(listSnoozeActs(db)).values()],
});

/** Acts are an operator's own, so that there are few. */
function listSnoozeActs(db: Db): SnoozeAct[] {
  return db
    .select({
      rule: sql<string>`coalesce(${flag.rule}, '')`,
      asset: flag.asset,
      source: flag.source,
      subject: flag.subject,
      at: flagRecord.at,
      actor: flagRecord.actor,
      data: flagRecord.data,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(eq(flagRecord.type, "act"))
    .orderBy(asc(flagRecord.id))
    .all();
}
