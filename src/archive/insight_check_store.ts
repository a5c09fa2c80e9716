/** What is kept of reports, against the manifest whose objects it is made of. */
import { type Db, onward, statement, type Tx } from "../db/mod.ts";
import { dropInsight, listStored } from "../insights/mod.ts";
import { dayOfNumber } from "../lib/day_number.ts";

/** Something that is kept and is not of the report that stands. */
export interface InsightDifference {
  readonly id: number;
  readonly text: string;
}

/** Insights that are read in one go. */
const PAGE = 100;

// What it says depends on what the rows say, whatever object holds them.
const ofReport = statement<
  { fits: number; own: Uint8Array | null; good: Uint8Array | null },
  [number, number]
>(
  `SELECT r.target = i.target AND r.date = i.date AND t.asset = i.asset AND t.provider = i.provider AND t.family = i.family AS fits,
     own.content AS own, held.content AS good
   FROM insight i JOIN archive_report r ON r.id = ? JOIN archive_target t ON t.id = i.target
     LEFT JOIN archive_object own ON own.id = r.object
     LEFT JOIN archive_day d ON d.target = i.target AND d.date = i.date
     LEFT JOIN archive_report g ON g.id = d.good
     LEFT JOIN archive_object held ON held.id = g.object
   WHERE i.id = ?`,
);

/**
 * Everything kept that is not of the report that stands for its date; an undefined stands where others may work. What is not kept of a
 * date is no difference: it comes with the next report of that date.
 */
export function* insightDifferences(db: Db): Generator<InsightDifference | undefined> {
  for (let last = 0; ; ) {
    const stored = listStored(db, last, PAGE);
    for (const { id, asset, provider, family, date, report, isWhole } of stored) {
      last = onward("the insights", last, id);
      const name = `what is kept of ${asset}, ${provider}: ${family} of ${dayOfNumber(date)}`;
      const text = isWhole ? faultOf(db, id, report) : "is damaged";
      yield text === undefined ? undefined : { id, text: `${name} ${text}` };
    }
    if (stored.length < PAGE) return;
  }
}

function faultOf(db: Db, id: number, report: number): string | undefined {
  const found = ofReport(db).first(report, id);
  if (found === undefined || found.fits !== 1) return "is of no report of that date";
  const { own, good } = found;
  const isSame = own !== null && good !== null && Buffer.compare(own, good) === 0;
  return isSame ? undefined : "is not of the report that stands";
}

/**
 * Takes away what is not of the report that stands. It is not made anew here, since the objects lie in a store that a rebuild does not
 * ask: the next run makes it again where it still asks for that date.
 */
export function mendInsights(tx: Tx, found: readonly InsightDifference[]): void {
  for (const { id } of found) dropInsight(tx, id);
}
