import type { Db } from "../db/mod.ts";
import { listAnnotations, type StoredAnnotation } from "./store.ts";

const DAY_MS = 86_400_000;
/** Most annotations named beside a flag. */
const MOST_NEARBY = 50;

/**
 * A site's annotations and those of every site from `fromMs` to before `toMs` (milliseconds since the epoch), newest first, at
 * most `limit`: the marks of a chart.
 */
export function listBetween(
  db: Db,
  asset: string,
  fromMs: number,
  toMs: number,
  limit: number,
): StoredAnnotation[] {
  return listAnnotations(db, { asset, from: fromMs, to: toMs }, limit);
}

/** What was noted for a site, or for every site, in the `days` times 24 hours that end at `atMs`. Near in time, which is no cause. */
export function nearby(db: Db, asset: string, atMs: number, days: number): StoredAnnotation[] {
  return listAnnotations(db, { asset, from: atMs - days * DAY_MS, to: atMs + 1 }, MOST_NEARBY);
}
