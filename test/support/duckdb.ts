/** DuckDB in a process of its own, since its library is native code: what a script of statements comes to, and what that took. */

import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { finished } from "./service.ts";

export interface QueryOrder {
  /** What is run first, statement by statement. */
  readonly before: readonly string[];
  /** The script: the rows of its last statement are told. */
  readonly sql: string;
}

type Value = string | number | null;

export interface Queried {
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly seconds: number;
  /** Most memory of the process, in MiB. */
  readonly peak: number;
  /** What it read from files, in MiB and in calls. */
  readonly readMiB: number;
  readonly reads: number;
}

const numbersOf = (file: string) =>
  new Map(
    [...readFileSync(`/proc/self/${file}`, "utf8").matchAll(/^(\w+):\s+(\d+)/gm)].map(
      ([, name = "", value]) => [name, Number(value)] as const,
    ),
  );

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
  const io = numbersOf("io");
  const begun = performance.now();
  const rows = await (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const seconds = (performance.now() - begun) / 1_000;
  const after = numbersOf("io");
  const grown = (name: string) => (after.get(name) ?? 0) - (io.get(name) ?? 0);
  return {
    rows: rows as Queried["rows"],
    seconds,
    peak: (numbersOf("status").get("VmHWM") ?? 0) / 1_024,
    readMiB: grown("rchar") / 2 ** 20,
    reads: grown("syscr"),
  };
}

if (import.meta.main) {
  const order = (await Bun.stdin.json()) as QueryOrder;
  // All of it, however much there is: a process that exits leaves what it has not written yet.
  await Bun.write(Bun.stdout, JSON.stringify(await query(order)));
  process.exit(0);
}
