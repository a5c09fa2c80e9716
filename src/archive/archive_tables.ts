/** The tables of the archive: targets, objects, the manifest, and the read models made of it. */

import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { PROVIDERS } from "../providers/adapter.ts";
import { OBJECT_FAULTS } from "../store/objects.ts";

/** Which reports there are: attempts name them by a number. Append-only. */
export const archiveTarget = sqliteTable(
  "archive_target",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    provider: text("provider", { enum: PROVIDERS }).notNull(),
    connectionRevision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    /** The name of a `ReportFamily`. */
    family: text("family").notNull(),
  },
  (t) => [
    uniqueIndex("archive_target_key").on(t.asset, t.provider, t.connectionRevision, t.property, t.family),
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
    /** Digest of what its rows say, whatever order they came in (`ContentDigest`). */
    content: blob("content", { mode: "buffer" }).notNull(),
    rows: integer("rows").notNull(),
    stored_at: integer("stored_at").notNull(),
  },
  (t) => [index("archive_object_name").on(t.sha256)],
);

/** Packs of objects, as they lie in the store. */
export const archivePack = sqliteTable(
  "archive_pack",
  {
    id: integer("id").primaryKey(),
    path: text("path").notNull(),
    bytes: integer("bytes").notNull(),
    packed_at: integer("packed_at").notNull(),
    /** 1 while its objects may lie by themselves as well. */
    loose: integer("loose").notNull(),
  },
  (t) => [uniqueIndex("archive_pack_path").on(t.path)],
);

/** Where objects lie that are packed: one without a row lies by itself. */
export const archivePlace = sqliteTable(
  "archive_place",
  {
    /** The row of `archive_object`. */
    object: integer("object").primaryKey(),
    pack: integer("pack").notNull(),
    /** Where its gzip bytes begin in the pack. */
    start: integer("start").notNull(),
  },
  (t) => [index("archive_place_of_pack").on(t.pack)],
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
    index("archive_report_of_object").on(t.object),
  ],
);

/** Between which rows of the manifest those of a run lie, so that no index has every row by its run: a read model. */
export const archiveRun = sqliteTable("archive_run", {
  /** The run's row in `job_run`. */
  run: integer("run").primaryKey(),
  first: integer("first").notNull(),
  last: integer("last").notNull(),
});

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
    index("archive_day_failing").on(t.target, t.date).where(sql`failing = 1`),
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
  fault: text("fault", { enum: OBJECT_FAULTS }).notNull(),
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
 * thousand sites reads these. Kept by `recordReport` (`manifest.ts`).
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

/**
 * What is kept of the newest reports of each family of a property: a read model made of archived objects, small and of constant size.
 */

export const insight = sqliteTable(
  "insight",
  {
    id: integer("id").primaryKey(),
    /** The row of `archive_target`. */
    target: integer("target").notNull(),
    asset: text("asset").notNull(),
    provider: text("provider").notNull(),
    family: text("family").notNull(),
    /** Day number of the provider's calendar. */
    date: integer("date").notNull(),
    /** The row of `archive_report` whose object it is made of. */
    report: integer("report").notNull(),
    observed_at: integer("observed_at").notNull(),
    /** An `InsightBody`. */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (t) => [
    uniqueIndex("insight_key").on(t.target, t.date),
    index("insight_of_asset").on(t.asset, t.provider, t.family, t.date),
  ],
);
