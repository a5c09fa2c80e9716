import type { Logger } from "@logtape/logtape";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { ingestScope, recordBeside, resultOf } from "../health/mod.ts";
import { logOf } from "../platform/log.ts";
import type { FailureCategory } from "../provider/contract.ts";
import { RefusedReports } from "./book.ts";
import { refusalCategory } from "./category.ts";
import { REPORT_ROUTES, type Sending } from "./contract.ts";
import { addRefused, addToStreak, endStreak, keepNewest, listStreaks } from "./store.ts";

/** Kinds in one transaction: writing them must not hold up a report. */
const SLICE = 100;

/** The book of refused reports, as it stands after what was written down before. */
export function loadRefusals(db: Db): RefusedReports {
  return new RefusedReports(listStreaks(db));
}

/**
 * Writes down, and logs, what was refused since the last call; what cannot be written down waits for the next one. Health gets one outcome for
 * each site and route, however many refusals there were. A good report costs its answer nothing: that it came is read from what is stored of
 * it, and only one that ends refusals in a row is recorded here.
 */
export async function flushRefusals(
  writer: Pick<Writer, "write">,
  book: RefusedReports,
  workspace: string,
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
          record(tx, workspace, streak, `accepted:${streak.at}`, streak.at);
        }
        for (const streak of streaks) {
          addToStreak(tx, streak);
          const { code, lastAt } = streak;
          record(tx, workspace, streak, `refused:${lastAt}:${code}`, lastAt, refusalCategory(code));
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

const REPORTS = Object.entries(REPORT_ROUTES) as [keyof typeof REPORT_ROUTES, string][];

function record(
  tx: Tx,
  workspace: string,
  { asset, route }: Sending,
  attempt: string,
  at: number,
  category?: FailureCategory,
): void {
  const report = REPORTS.find(([, known]) => known === route)?.[0];
  if (report === undefined) return;
  const result = resultOf(category === undefined ? undefined : { category, code: null });
  recordBeside(tx, ingestScope(workspace, asset, report), { attempt, startedAt: at, observedAt: at, result });
}

/** Where the kinds were sent, each once. */
function sendingsOf(kinds: readonly Sending[]): Sending[] {
  return [...Map.groupBy(kinds, ({ asset, route }) => `${asset} ${route}`).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}
