/** The outcomes of a property's reports, newest first, as many as are wanted and no more than that many are read. */
import { type Db, statement } from "../db/mod.ts";
import type { PropertyArchive } from "./archive_facts.ts";
import { listFailing, listOutcomes, type ReportFacts, type ReportOutcome } from "./report_facts.ts";

/** What came of a report of a date. */
export interface PlacedOutcome extends ReportOutcome {
  readonly report: ReportFacts;
}

interface Place {
  readonly report: ReportFacts;
  readonly date: number;
}

const newestDates = statement<{ date: number }, [number, number, number]>(
  "SELECT date FROM archive_day WHERE target = ? AND date <= ? ORDER BY date DESC LIMIT ?",
);

/** So many outcomes: first those that fail and were not made good, then all others, the newest dates of either first. */
export function newestOutcomes(db: Db, { reports }: PropertyArchive, limit: number): PlacedOutcome[] {
  const failing = newestFirst(
    reports
      .filter((report) => report.failing > 0)
      .flatMap((report) => listFailing(db, report, limit).map((date) => ({ report, date }))),
  ).slice(0, limit);
  const isTaken = (report: ReportFacts, date: number) =>
    failing.some((one) => one.report === report && one.date === date);
  const room = limit - failing.length;
  const others = newestFirst(
    reports.flatMap((report) =>
      newestDates(db)
        .all(report.target, report.lastDate, room + report.failing)
        .filter(({ date }) => report.failing === 0 || !isTaken(report, date))
        .map(({ date }) => ({ report, date })),
    ),
  ).slice(0, room);
  return [...outcomesAt(db, failing), ...outcomesAt(db, others)];
}

/** By date, then by name, so that the order is always the same. */
function newestFirst(places: readonly Place[]): Place[] {
  return places.toSorted((a, b) => b.date - a.date || (a.report.family.name < b.report.family.name ? -1 : 1));
}

/** In the order of the places. */
function outcomesAt(db: Db, places: readonly Place[]): PlacedOutcome[] {
  const known = new Map<ReportFacts, ReadonlyMap<number, ReportOutcome>>();
  for (const [report, own] of Map.groupBy(places, (place) => place.report)) {
    known.set(report, new Map(spansOf(own).flatMap((span) => read(db, report, span))));
  }
  return places.flatMap(({ report, date }) => {
    const outcome = known.get(report)?.get(date);
    return outcome === undefined ? [] : [{ ...outcome, report }];
  });
}

const read = (db: Db, report: ReportFacts, [from, to]: readonly [number, number]) =>
  listOutcomes(db, report, from, to).map((outcome) => [outcome.date, outcome] as const);

/** Dates that lie beside one another are read together; those between two that do not are not read. */
function spansOf(places: readonly Place[]): (readonly [from: number, to: number])[] {
  const spans: [from: number, to: number][] = [];
  for (const { date } of places) {
    const last = spans.at(-1);
    if (last !== undefined && last[0] - date <= 1) last[0] = date;
    else spans.push([date, date]);
  }
  return spans;
}
