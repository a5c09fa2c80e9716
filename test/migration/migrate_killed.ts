/** Migrates a database and ends by SIGKILL before its `n`th statement: `bun migrate_killed.ts <path> <n>`; ends with 0 past the last. */
import { migrateStore, openStore } from "../../src/db/mod.ts";

const [path = "", last = ""] = Bun.argv.slice(2);
const store = openStore(path);
const { raw } = store;
// A cache of a few pages: what is not committed yet goes into the log all the same.
raw.run("PRAGMA cache_size = 4");
const prepare = raw.prepare.bind(raw);
let count = 0;
raw.prepare = ((text: string) => {
  if (++count === Number(last)) process.kill(process.pid, "SIGKILL");
  return prepare(text);
}) as typeof raw.prepare;
migrateStore(store);
store.close();
