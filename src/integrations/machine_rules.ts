/** wal-size: the database's log grows because something keeps an old state of the database open. Pure. */

import { nounFor } from "../base/text.ts";
import { raisedTitle, WAL_SIZE } from "../sites/rule_catalogue.ts";

/** A log that is larger than this is alarming, in bytes; one that was larger is cut back to this. */
const LOG_BYTES = 64 * 1024 * 1024;

/** A log that is too large. Message and inputs stay the same until it has doubled. */
export interface LargeLog {
  readonly message: string;
  readonly inputs: {
    readonly above: number;
    readonly held_by: readonly string[];
    readonly thresholds: { readonly bytes: number };
  };
}

/** Judges the size of the log; undefined while it is as it should be. `readers` are who reads the database, in words. */
export function largeLogOf(bytes: number, readers: readonly string[]): LargeLog | undefined {
  if (bytes <= LOG_BYTES) return undefined;
  const above = LOG_BYTES * 2 ** Math.floor(Math.log2((bytes - 1) / LOG_BYTES));
  const inputs = { above, held_by: readers, thresholds: { bytes: LOG_BYTES } };
  return { message: raisedTitle(WAL_SIZE, "", inputs, 0), inputs };
}

/** What is to be done about a log that is too large. */
export function logAdvice(readers: readonly string[]): string {
  if (readers.length === 0) {
    return "No other process is seen to read the database; a backup under way is one reason, a disk that refuses is another.";
  }
  const keep = nounFor(readers.length, "keeps", "keep");
  return `${readers.join(", ")} ${keep} an old state of the database open; end that and the log shrinks.`;
}
