/** Rows with `synchronous=NORMAL` and files without a sync, each acknowledged on standard output: run by power_cut.ts as its control. */

import { Database } from "bun:sqlite";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TEXT = "what must be there".repeat(20);

function write(folder: string): void {
  const db = new Database(join(folder, "careless.db"), { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  db.run("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, x TEXT) STRICT");
  const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
  for (let n = 0; ; n++) {
    insert.run(n, TEXT);
    process.stdout.write(`row ${n}\n`);
    const path = join(folder, `file-${n}`);
    writeFileSync(`${path}.tmp`, TEXT);
    renameSync(`${path}.tmp`, path);
    process.stdout.write(`file ${n}\n`);
    Bun.sleepSync(1);
  }
}

/** How many of the acknowledged are there after a cut, as they were written. */
export function countLeft(
  folder: string,
  acknowledged: readonly string[],
): { readonly rows: number; readonly files: number } {
  const numbersOf = (word: string) =>
    acknowledged.filter((line) => line.startsWith(word)).map((line) => Number(line.split(" ")[1]));
  const files = numbersOf("file").filter((n) => {
    const path = join(folder, `file-${n}`);
    return existsSync(path) && readFileSync(path, "utf8") === TEXT;
  }).length;
  return { rows: rowsIn(join(folder, "careless.db"), numbersOf("row")), files };
}

function rowsIn(path: string, numbers: readonly number[]): number {
  if (!existsSync(path)) return 0;
  const db = new Database(path);
  try {
    const there = new Set(
      db
        .query<{ n: number }, []>("SELECT n FROM t")
        .all()
        .map(({ n }) => n),
    );
    return numbers.filter((n) => there.has(n)).length;
  } catch {
    // The cut took even the table.
    return 0;
  } finally {
    db.close();
  }
}

if (import.meta.main) write(Bun.argv[2] ?? "");
