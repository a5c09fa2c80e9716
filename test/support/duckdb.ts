/** DuckDB in a process of its own, since its library is native code: what a script of statements comes to. */

import { DuckDBInstance } from "@duckdb/node-api";
import { finished } from "./service.ts";

interface QueryOrder {
  /** What is run first, statement by statement. */
  readonly before: readonly string[];
  /** The script: the rows of its last statement are told. */
  readonly sql: string;
}

interface Queried {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** Runs it. Throws with what DuckDB says where it refuses. */
export async function askDuckDb(order: QueryOrder): Promise<Queried> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, err } = await finished(child);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as Queried;
}

async function query({ before, sql }: QueryOrder): Promise<Queried> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const statement of before) await connection.run(statement);
  const rows = await (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return { rows: rows as Queried["rows"] };
}

if (import.meta.main) {
  const order = (await Bun.stdin.json()) as QueryOrder;
  // All of it, however much there is: a process that exits leaves what it has not written yet.
  await Bun.write(Bun.stdout, JSON.stringify(await query(order)));
  process.exit(0);
}
