/** Figures of a backup in words. */
import type { CopiedObjects, CopyProgress, RestoredObjects } from "../backup/mod.ts";
import type { RowCounts } from "../db/mod.ts";
import { byteWords } from "../lib/byte_words.ts";
import { momentText } from "../lib/day_text.ts";
import { parseInstant } from "../lib/instant.ts";
import { countText } from "../lib/number_text.ts";
import { countWords } from "../lib/plural.ts";
import { systemClock } from "../platform/clock.ts";

/** Rows by table, for example `rows: audit 12, pulse 340`. */
export function rowsText(rows: RowCounts): string {
  return `rows: ${Object.entries(rows)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ")}`;
}

/** What became of the archive, for example `archive: 1,204 objects (812 MiB) in /backups/tower-archive, 36 of them new (2.1 MiB)`. */
export function objectsText(objects: CopiedObjects, folder: string): string {
  const { named, bytes, lacking, copied, copiedBytes, leftOut } = objects;
  if (named === 0) return "archive: it names no object";
  const all = `${countWords(named, "object")} (${byteWords(bytes)})`;
  if (leftOut) return `archive: LEFT OUT, ${all}; tower restore needs the archive as it is`;
  const kept = lacking === 0 ? all : `${countText(named - lacking)} of ${all}`;
  return `archive: ${kept} in ${folder}, ${countText(copied)} of them new (${byteWords(copiedBytes)})`;
}

/** What became of the archive at a restore, for example `archive: 1,204 objects (812 MiB) in /data/raw-signals, 1,204 of them put there`. */
export function broughtText({ named, bytes, lacking, brought }: RestoredObjects, where: string): string {
  if (named === 0) return "archive: it names no object";
  const all = `${countWords(named, "object")} (${byteWords(bytes)})`;
  const kept = lacking === 0 ? all : `NOT WHOLE, ${countText(named - lacking)} of ${all}`;
  return `archive: ${kept} in ${where}, ${countText(brought)} of them put there now`;
}

/** How far copying is. */
export function progressWords({ objects, of, copied }: CopyProgress): string {
  return `archive: ${countText(objects)} of about ${countWords(of, "object")} looked at, ${countText(copied)} copied`;
}

/** When a backup was made, in words; what its seal says where that is no moment. */
export function madeWords(madeAt: string): string {
  const at = parseInstant(madeAt);
  return at === undefined ? madeAt : momentText(at, systemClock.now());
}
