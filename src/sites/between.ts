/**
 * A site's annotations and those of every site from `fromMs` to before `toMs` (milliseconds since the epoch), newest first, at
 * most `limit`: the marks of a chart, and what lies near a flag in time, which is no cause. What was struck is a mistake and left out.
 */

import type { Db } from "../store/db_open.ts";
import { listAnnotations, type StoredAnnotation } from "./annotations.ts";

export function listBetween(
  db: Db,
  asset: string,
  fromMs: number,
  toMs: number,
  limit: number,
): StoredAnnotation[] {
  return listAnnotations(db, { asset, from: fromMs, to: toMs, standing: true }, limit);
}
