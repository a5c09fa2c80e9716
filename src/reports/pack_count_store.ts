import { type Db, statement } from "../db/mod.ts";
import type { Packable } from "./pack_bodies.ts";

/** How many packs hold the bodies of reports, of all kinds together. Counted in an index, never in the packs themselves. */
export function countPacks(db: Db, packables: readonly Pick<Packable, "kind">[]): number {
  return packables.reduce((sum, { kind }) => sum + (counting(kind.packs)(db).first()?.packs ?? 0), 0);
}

const counts = new Map<string, ReturnType<typeof statement<{ packs: number }, []>>>();

function counting(table: string) {
  const known =
    counts.get(table) ?? statement<{ packs: number }, []>(`SELECT count(*) AS packs FROM ${table}`);
  counts.set(table, known);
  return known;
}
