/** How dates and reports stand, the counts of both, and what is kept of reports, against the manifest that leads to them. */

import { dayOfNumber } from "../base/time.ts";
import { runNames } from "../store/job_runs.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, statement } from "../store/store.ts";
import { archiveDay, archiveRun, archiveStanding, archiveTally, insight } from "./archive_tables.ts";
import { findInsight } from "./insights.ts";
import { type ReportStand, type StandingRow, standAfter } from "./manifest.ts";
import {
  type DayRow,
  type DayStand,
  dayAfter,
  dayRow,
  outcomeAt,
  type ReportRecord,
  type TakenIn,
} from "./manifest_row.ts";
import { targetsById } from "./plan.ts";

type Attempt = Omit<TakenIn, "outcome"> & Pick<ReportRecord, "outcome">;

const attemptsOf = statement<Attempt, [number]>(
  `SELECT id, target, date, attempted_at AS attemptedAt, attempted_at + took_ms AS endedAt, outcome
   FROM archive_report WHERE target = ? ORDER BY id`,
);

/** The attempts of a target, in the order in which they were recorded. */
function replayed(db: Db, target: number): { days: DayRow[]; stand: ReportStand | undefined } {
  const days = new Map<number, DayStand>();
  let stand: ReportStand | undefined;
  for (const row of attemptsOf(db).all(target)) {
    const attempt = { ...row, outcome: outcomeAt(row.outcome) };
    days.set(row.date, dayAfter(days.get(row.date), attempt));
    stand = standAfter(stand, attempt);
  }
  return { days: [...days.values()].map(dayRow), stand };
}

const nextTarget = "SELECT min(target) FROM archive_report WHERE target > ?1";

function nameOf(db: Db, target: number): string {
  const of = targetsById(db).get(target);
  return of === undefined ? `target ${target}` : `${of.asset}, ${of.provider}: ${of.family}`;
}

const ARCHIVE_DAY_MODEL: ReadModel<DayRow, number> = tableModel({
  name: "archive",
  what: "how archived reports of each date stand, against the manifest",
  source: "its attempts",
  table: archiveDay,
  by: { column: "target", next: [nextTarget] },
  named: ({ target, date }, db) => `${nameOf(db, target)} of ${dayOfNumber(date)}`,
  replay: (db, target) => replayed(db, target).days,
});

const ARCHIVE_STANDING_MODEL: ReadModel<StandingRow, number> = tableModel({
  name: "archive-standing",
  what: "how archived reports stand over all dates, against the manifest",
  source: "its attempts",
  table: archiveStanding,
  by: { column: "target", next: [nextTarget] },
  named: ({ target }, db) => nameOf(db, target),
  replay: (db, target) => {
    const { days, stand } = replayed(db, target);
    if (stand === undefined) return [];
    return [
      {
        target,
        dates: days.length,
        failing: days.reduce((sum, day) => sum + day.failing, 0),
        last_date: days.reduce((last, { date }) => Math.max(last, date), Number.MIN_SAFE_INTEGER),
        latest: stand.latest.id,
        usable: stand.usable?.id ?? null,
      },
    ];
  },
});

type TallyRow = typeof archiveTally.$inferSelect;

// Of a report over two connections the later attempt counts.
const countsOn = statement<TallyRow, [number]>(
  `SELECT n.date, n.provider, n.family, r.outcome, coalesce(r.category, -1) AS category, count(*) AS sites
   FROM (SELECT d.date, t.provider, t.family, max(d.latest) AS latest
     FROM archive_day d JOIN archive_target t ON t.id = d.target WHERE d.date = ? GROUP BY t.asset, t.provider, t.family) n
   JOIN archive_report r ON r.id = n.latest GROUP BY n.provider, n.family, r.outcome, r.category`,
);
const storedOn = statement<TallyRow, [number]>(
  "SELECT date, provider, family, outcome, category, sites FROM archive_tally WHERE date = ? AND sites <> 0",
);

const ARCHIVE_TALLY_MODEL: ReadModel<TallyRow, number> = {
  ...tableModel<TallyRow, number>({
    name: "archive-counts",
    what: "counts of archived reports, against their dates",
    source: "its dates",
    table: archiveTally,
    by: { column: "date", next: ["SELECT min(date) FROM archive_day WHERE date > ?1"] },
    named: ({ date, provider, family, outcome, category }) =>
      `the count of ${provider}: ${family} of ${dayOfNumber(date)} with outcome ${outcome}, category ${category}`,
    replay: (db, date) => countsOn(db).all(date),
  }),
  stored: (db, date) => storedOn(db).all(date),
};

const runsOf = statement<typeof archiveRun.$inferSelect, []>(
  "SELECT run, min(id) AS first, max(id) AS last FROM archive_report GROUP BY run",
);

/** All of them at once: a run a day. */
const ARCHIVE_RUN_MODEL: ReadModel<typeof archiveRun.$inferSelect, number> = tableModel({
  name: "archive-runs",
  what: "runs of the archive, against the manifest",
  source: "its attempts",
  table: archiveRun,
  named: ({ run }, db) => `the attempts of run ${runNames(db, run).run}`,
  replay: (db) => runsOf(db).all(),
});

type InsightHead = Pick<
  typeof insight.$inferSelect,
  "id" | "target" | "asset" | "provider" | "family" | "date"
>;

// What it says depends on what the rows say, whatever object holds them.
const fitting = statement<InsightHead, [number]>(
  `SELECT i.id, i.target, i.asset, i.provider, i.family, i.date
   FROM insight i JOIN archive_report r ON r.id = i.report AND r.target = i.target AND r.date = i.date
     JOIN archive_target t ON t.id = i.target AND t.asset = i.asset AND t.provider = i.provider AND t.family = i.family
     JOIN archive_object own ON own.id = r.object
     JOIN archive_day d ON d.target = i.target AND d.date = i.date
     JOIN archive_report g ON g.id = d.good
     JOIN archive_object held ON held.id = g.object AND held.content = own.content
   WHERE i.target = ?`,
);

/**
 * What is of the report that stands stays, and all else goes. It is not made anew here, since the objects lie in a store that a
 * rebuild does not ask: the next run makes it again where it still asks for that date. What is missing is therefore no difference.
 */
const INSIGHT_MODEL: ReadModel<InsightHead, number> = tableModel({
  name: "insights",
  what: "what is kept of archived reports, against the manifest",
  source: "the reports that stand",
  table: insight,
  columns: ["id", "target", "asset", "provider", "family", "date"],
  by: { column: "target", next: [] },
  named: ({ id, asset, provider, family, date }) =>
    `what is kept of ${asset}, ${provider}: ${family} of ${dayOfNumber(date)} (row ${id})`,
  // One that cannot be unpacked goes as well.
  replay: (db, target) =>
    fitting(db)
      .all(target)
      .filter(({ id }) => findInsight(db, id) !== undefined),
});

/** In the order in which they build on each other. */
export const ARCHIVE_MODELS = [
  ARCHIVE_DAY_MODEL,
  ARCHIVE_STANDING_MODEL,
  ARCHIVE_TALLY_MODEL,
  ARCHIVE_RUN_MODEL,
  INSIGHT_MODEL,
];
