/** Whether anything was written since: asked before what is read is read again. */

import { type Db, statement } from "./db_open.ts";

// The first changes with every commit of another connection, the others with what this one writes: in memory there is but one.
const mark = statement<{ others: number; own: number; schema: number }, []>(
  `SELECT data_version AS others, total_changes() AS own, schema_version AS schema
   FROM pragma_data_version, pragma_schema_version`,
);

/** A mark of the database as it is read now: another one after every commit, whoever made it. */
export function changeMark(db: Db): string {
  const row = mark(db).first();
  if (row === undefined) throw new Error("the database has no version");
  return `${row.others}.${row.own}.${row.schema}`;
}
