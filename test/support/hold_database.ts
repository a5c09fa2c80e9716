/**
 * Another program at the database, run as a process of its own: `reader` keeps an old state open, `writer` keeps the write lock,
 * and `owner` lets nobody else read either.
 */

import { Database } from "bun:sqlite";

const [, , path = "", what = ""] = Bun.argv;
const db = new Database(path, { readwrite: true, create: false });
db.run("PRAGMA busy_timeout = 5000");
if (what === "owner") db.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
else if (what === "writer") db.run("BEGIN IMMEDIATE");
else {
  db.run("BEGIN");
  db.query("SELECT count(*) FROM sqlite_schema").all();
}
process.stdout.write("held\n");
// Naming it here keeps it from being collected, which would let go.
setTimeout(() => db.close(), 60_000);
