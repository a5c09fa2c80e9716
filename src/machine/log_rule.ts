/** wal-size: the database's log grows because something keeps an old state of the database open. Pure. */
import { byteWords } from "../lib/byte_words.ts";

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
export function judgeLog(bytes: number, readers: readonly string[]): LargeLog | undefined {
  if (bytes <= LOG_BYTES) return undefined;
  const above = LOG_BYTES * 2 ** Math.floor(Math.log2((bytes - 1) / LOG_BYTES));
  const why =
    readers.length === 0
      ? "No other process is seen to read the database; a backup under way is one reason, a disk that refuses is another."
      : `${readers.join(", ")} ${readers.length === 1 ? "keeps" : "keep"} an old state of the database open; end that and the log shrinks.`;
  return {
    message: `The database's log has grown past ${byteWords(above)}. ${why}`,
    inputs: { above, held_by: readers, thresholds: { bytes: LOG_BYTES } },
  };
}
