/** How many packs hold the bodies of reports, of all kinds together. Counted in an index, never in the packs themselves. */

import { startOfDay, utcDayOf } from "../base/time.ts";
import type { SentBefore } from "../sites/report_sender.ts";
import { type Db, statement } from "../store/store.ts";
import type { Packable } from "./pack_bodies.ts";
import type { ReportKind } from "./report_store.ts";

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

/** Sites with fewer reports are left out: 16 of the longest are 4 MiB. */
const FEWEST = 16;

/**
 * Bytes of the bodies that were stored today, by site. Rows are read from the newest back, since ids rise with the time of receipt. A
 * pack that also holds earlier bodies is left out.
 */
export function sentBefore(db: Db, packables: readonly Pick<Packable, "kind">[], now: number): SentBefore {
  const day = utcDayOf(now);
  const bytes = new Map<string, number>();
  for (const { kind } of packables) {
    for (const sent of summing(kind)(db).all(startOfDay(day), FEWEST)) {
      bytes.set(sent.asset, (bytes.get(sent.asset) ?? 0) + sent.bytes);
    }
  }
  return { day, bytes };
}

const summing = ({ rows, bodies, packs }: ReportKind) =>
  statement<{ asset: string; bytes: number }, [number, number]>(
    `WITH before(id) AS (
       SELECT coalesce((SELECT id FROM ${rows} WHERE received_at < ? ORDER BY id DESC LIMIT 1), 0)),
     sender AS (
       SELECT asset FROM ${rows} WHERE id > (SELECT id FROM before) GROUP BY asset HAVING count(*) >= ?)
     SELECT asset,
       (SELECT coalesce(sum(octet_length(body)), 0) FROM ${bodies} b
        WHERE b.id > (SELECT id FROM before) AND b.asset = sender.asset)
       + (SELECT coalesce(sum(bytes), 0) FROM ${packs} p
          WHERE p.asset = sender.asset AND p.last > (SELECT id FROM before) AND p.first > (SELECT id FROM before)) AS bytes
     FROM sender`,
  );
