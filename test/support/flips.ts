/** One flipped bit in a database file, and whether anything notices. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { checkDatabase } from "../../src/check/check_file.ts";
import { damageOf, openReadOnly } from "../../src/db/mod.ts";
import type { MacKey } from "../../src/platform/keys.ts";
import type { Random } from "./random_counts.ts";

/** What became of a flip: found, or without effect on anything that is stored; else it was missed. */
export type FlipOutcome = "start refused" | "check" | "nothing changed" | "MISSED";

/** A database file whose bytes are flipped one at a time. */
export interface Flipper {
  /** Flips one bit: every other time anywhere, else where a byte is not zero, as it is where something is stored. */
  flip(random: Random): { readonly place: string; readonly outcome: FlipOutcome; readonly said: string };
}

/** Prepares to flip bits of copies of the closed database `source`; `scratch` is where a copy is written. */
export function flipper(source: string, scratch: string, auditKey: MacKey): Flipper {
  const good = readFileSync(source);
  const before = dump(source);
  return {
    flip: (random) => {
      const anywhere = random() < 0.5;
      let at = Math.floor(random() * good.length);
      while (!anywhere && good[at] === 0) at = Math.floor(random() * good.length);
      const bit = Math.floor(random() * 8);
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      for (const companion of ["-wal", "-shm"]) rmSync(`${scratch}${companion}`, { force: true });
      writeFileSync(scratch, bytes);
      return { place: `byte ${at}, bit ${bit}`, ...judge(scratch, before, auditKey) };
    },
  };
}

function judge(path: string, before: string, auditKey: MacKey) {
  const [damage] = damageOf(path);
  if (damage !== undefined) return { outcome: "start refused", said: damage } as const;
  const [fault] = checkDatabase(path, auditKey).flatMap(({ what, faults }) =>
    faults.map((text) => `${what}: ${text}`),
  );
  if (fault !== undefined) return { outcome: "check", said: fault } as const;
  return dump(path) === before
    ? ({ outcome: "nothing changed", said: "" } as const)
    : ({ outcome: "MISSED", said: "" } as const);
}

/** Everything that is stored: the schema and every row of every table. */
function dump(path: string): string {
  const { raw, close } = openReadOnly(path);
  const tables = raw
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  const rows = tables.map(({ name }) => [
    name,
    raw.query(`SELECT rowid, * FROM "${name}" ORDER BY rowid`).values(),
  ]);
  const text = JSON.stringify([
    raw.query("SELECT type, name, tbl_name, sql FROM sqlite_schema").values(),
    rows,
  ]);
  close();
  return text;
}
