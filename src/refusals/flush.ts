import type { Logger } from "@logtape/logtape";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { logOf } from "../platform/log.ts";
import { RefusedReports } from "./book.ts";
import type { EndedStreak, Sending, Streak } from "./contract.ts";
import { addRefused, addToStreak, endStreak, keepNewest, listStreaks } from "./store.ts";

/** Kinds in one transaction: writing them must not hold up a report. */
const SLICE = 100;

/** The book of refused reports, as it stands after what was written down before. */
export function loadRefusals(db: Db): RefusedReports {
  return new RefusedReports(listStreaks(db));
}

/** Told inside the transaction, once for each site and route: the latest refusal since the last time, and the good report that ended others. */
export interface RefusalListener {
  readonly refused: (tx: Tx, streak: Streak) => void;
  readonly ended: (tx: Tx, streak: EndedStreak) => void;
}

/** Writes down, and logs, what was refused since the last call; what cannot be written down waits for the next one. */
export async function flushRefusals(
  writer: Pick<Writer, "write">,
  book: RefusedReports,
  listener: RefusalListener,
  log: Logger = logOf("ingest"),
): Promise<void> {
  const unknown = book.takeUnknown();
  if (unknown !== undefined) log.warn("reports without a known site token were refused", { ...unknown });
  for (let batch = book.take(SLICE); batch !== undefined; batch = book.take(SLICE)) {
    const { kinds, streaks, ended } = batch;
    try {
      await writer.write((tx) => {
        for (const streak of ended) {
          endStreak(tx, streak);
          listener.ended(tx, streak);
        }
        for (const streak of streaks) {
          addToStreak(tx, streak);
          listener.refused(tx, streak);
        }
        for (const kind of kinds) addRefused(tx, kind);
        for (const sending of sendingsOf(kinds)) keepNewest(tx, sending);
      });
    } catch (error) {
      book.giveBack(batch);
      throw error;
    }
    for (const { asset, route, status, code, faults, more, count } of kinds) {
      log.warn("reports were refused", { asset, route, status, code, faults, more, count });
    }
  }
}

/** Where the kinds were sent, each once. */
function sendingsOf(kinds: readonly Sending[]): Sending[] {
  return [...Map.groupBy(kinds, ({ asset, route }) => `${asset} ${route}`).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}
