/** How dates and reports stand, the counts of both, and what is kept of reports, against the manifest that leads to them. */

import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { dayOfNumber } from "../base/time.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, statement } from "../store/store.ts";
import {
  type DayRow,
  type DayStand,
  dayAfter,
  dayRow,
  outcomeAt,
  type ReportRecord,
  type TakenIn,
} from "./day_store.ts";
import { findInsight } from "./insights.ts";
import { insight } from "./insights_table.ts";
import { type ReportStand, type StandingRow, standAfter } from "./manifest_store.ts";
import { targetsById } from "./plan_store.ts";

/** Which reports there are: attempts name them by a number. Append-only. */

export const archiveTarget = sqliteTable(
  "archive_target",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    provider: text("provider", { enum: ["analytics", "search-console", "webmaster-tools"] }).notNull(),
    connection_revision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    family: text("family").notNull(),
  },
  (t) => [
    uniqueIndex("archive_target_key").on(t.asset, t.provider, t.connection_revision, t.property, t.family),
  ],
);

/** Objects as they were stored. One that was damaged and stored anew has another row, and the newest says how it lies now. Append-only. */
export const archiveObject = sqliteTable(
  "archive_object",
  {
    id: integer("id").primaryKey(),
    /** SHA-256 of the uncompressed bytes: its name. */
    sha256: blob("sha256", { mode: "buffer" }).notNull(),
    bytes: integer("bytes").notNull(),
    stored_bytes: integer("stored_bytes").notNull(),
    /** SHA-256 of the gzip bytes. */
    stored_sha256: blob("stored_sha256", { mode: "buffer" }).notNull(),
    /** SHA-256 of what its rows say, whatever order they came in. */
    content: blob("content", { mode: "buffer" }).notNull(),
    rows: integer("rows").notNull(),
    stored_at: integer("stored_at").notNull(),
    /** Secrets that were taken out of the answer; null of an object from before they were counted. */
    secrets: integer("secrets"),
  },
  (t) => [index("archive_object_name").on(t.sha256)],
);

/** The manifest: one row for each attempt to get a report. Append-only. */
export const archiveReport = sqliteTable(
  "archive_report",
  {
    id: integer("id").primaryKey(),
    /** The run's row in `job_run`. */
    run: integer("run").notNull(),
    target: integer("target").notNull(),
    /** Day number. */
    date: integer("date").notNull(),
    range_from: integer("range_from"),
    attempted_at: integer("attempted_at").notNull(),
    took_ms: integer("took_ms").notNull(),
    /** Place in `ARCHIVE_OUTCOMES`. */
    outcome: integer("outcome").notNull(),
    /** Place in `FAILURE_CATEGORIES`; null where it did not fail. */
    category: integer("category"),
    failure_code: text("failure_code"),
    next_retry_at: integer("next_retry_at"),
    requests: integer("requests").notNull(),
    /** The row of `archive_object`; null where nothing is stored of it. */
    object: integer("object"),
    complete: integer("complete").notNull(),
    /** A bit for each place in `ARCHIVE_NOTES`. */
    notes: integer("notes").notNull(),
  },
  (t) => [
    index("archive_report_of_target").on(t.target, t.date),
    index("archive_report_of_run").on(t.run),
    index("archive_report_of_object").on(t.object),
  ],
);

/** How the report of each date stands: a read model, made of the manifest. */
export const archiveDay = sqliteTable(
  "archive_day",
  {
    target: integer("target").notNull(),
    date: integer("date").notNull(),
    /** The latest attempt, by the moment it began. */
    latest: integer("latest").notNull(),
    /** The latest attempt with a whole report, or with none since nothing happened; null where none was. */
    good: integer("good"),
    /** Whether the latest attempt failed, or was incomplete. */
    failing: integer("failing").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.target, t.date] }),
    index("archive_day_by_date").on(t.date, t.target),
    index("archive_day_failing").on(t.failing, t.target, t.date),
  ],
);

/** How a report stands over all of its dates, so that nobody has to count them: a read model, made of `archive_day`. */
export const archiveStanding = sqliteTable("archive_standing", {
  target: integer("target").primaryKey(),
  /** Dates with an attempt, and those whose latest attempt failed. */
  dates: integer("dates").notNull(),
  failing: integer("failing").notNull(),
  last_date: integer("last_date").notNull(),
  /** The latest attempt, and the latest that was usable: rows of `archive_report`. */
  latest: integer("latest").notNull(),
  usable: integer("usable"),
});

/** Reports that are left out since the property is not set up for them, as it was last looked at: no attempt, no manifest row. */
export const archiveSkip = sqliteTable("archive_skip", {
  target: integer("target").primaryKey(),
  /** A reason of our own, such as `parameter_unregistered`. */
  reason: text("reason").notNull(),
  seen_at: integer("seen_at").notNull(),
});

/** Objects that were found damaged or missing, until they are found whole again. */
export const archiveDamage = sqliteTable("archive_damage", {
  /** The SHA-256 that names it, in hexadecimal. */
  sha256: text("sha256").primaryKey(),
  /** One of `OBJECT_FAULTS`. */
  fault: text("fault").notNull(),
  found_at: integer("found_at").notNull(),
  seen_at: integer("seen_at").notNull(),
});

/** Files of the manifest as they were written beside the objects. A run without a row is written, or written again, by the next one. */
export const archiveCopy = sqliteTable("archive_copy", {
  /** The run's row in `job_run`. */
  run: integer("run").primaryKey(),
  bytes: integer("bytes").notNull(),
  /** SHA-256 of the gzip bytes. */
  sha256: blob("sha256", { mode: "buffer" }).notNull(),
});

/**
 * How many sites' reports of a date came to what, by their latest attempts over all connections: a page that shows a month of a
 * thousand sites reads these. Kept by triggers on `archive_day`, so that whoever writes there need not know.
 */
export const archiveTally = sqliteTable(
  "archive_tally",
  {
    date: integer("date").notNull(),
    provider: text("provider").notNull(),
    family: text("family").notNull(),
    /** Place in `ARCHIVE_OUTCOMES`. */
    outcome: integer("outcome").notNull(),
    /** Place in `FAILURE_CATEGORIES`; -1 where it did not fail. */
    category: integer("category").notNull(),
    sites: integer("sites").notNull(),
  },
  (t) => [primaryKey({ columns: [t.date, t.provider, t.family, t.outcome, t.category] })],
);

/** What the archive holds of each provider, so that nobody has to add it up: kept by a trigger on `archive_report`. */
export const archiveTotal = sqliteTable("archive_total", {
  provider: text("provider").primaryKey(),
  attempts: integer("attempts").notNull(),
  objects: integer("objects").notNull(),
  /** Of those objects, as they came and as they are stored. */
  bytes: integer("bytes").notNull(),
  stored_bytes: integer("stored_bytes").notNull(),
  /** Attempts that brought what an earlier object holds already, and what was therefore not stored again. */
  repeated: integer("repeated").notNull(),
  spared_bytes: integer("spared_bytes").notNull(),
  spared_stored_bytes: integer("spared_stored_bytes").notNull(),
});

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
export const ARCHIVE_MODELS = [ARCHIVE_DAY_MODEL, ARCHIVE_STANDING_MODEL, ARCHIVE_TALLY_MODEL, INSIGHT_MODEL];
