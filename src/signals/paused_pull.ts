import type { Db } from "../db/mod.ts";
import { isPaused } from "../health/mod.ts";
import type { Provider } from "../provider/contract.ts";

/**
 * Whether the daily figures of a site are paused by an operator: they are not asked for, whoever asks. It is looked at before each
 * question and never after it: an answer that is here when a pause begins was asked for, has cost its quota, and is true; without it
 * the site's days would have a hole, and the failure that is here is not undone by not being told.
 */
export function isPullPaused(
  db: Db,
  { asset, provider }: { readonly asset: string; readonly provider: Provider },
  now: number,
): boolean {
  return isPaused(db, { capability: `${provider}.daily`, asset }, now);
}
