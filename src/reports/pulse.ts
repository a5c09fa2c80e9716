/** Nightly reports: what one may hold, their rows and bodies, those that wait to be evaluated, and when each site last reported. */

import { eq } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import {
  AssetIdSchema,
  boundedList,
  fields,
  hasControl,
  NO_CONTROL,
  plainObject,
  rule,
  ruleMessage,
  text as textOfContract,
} from "../base/contract.ts";
import { Timestamp, type UtcDay } from "../base/time.ts";
import type { ReportFilter } from "../sites/report_lists.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { count } from "./measures.ts";
import { packable } from "./packing.ts";
import {
  type Appended,
  bodyCheck,
  bodyTable,
  hasRowIn,
  type Ignored,
  type NewReport,
  packTable,
  type ReportKind,
  type ReportRow,
  readIgnored,
  reportColumns,
  reportStore,
} from "./reports.ts";

// What a nightly report may hold (spec, Nightly report).

/** Largest body of a nightly report, in bytes. */
export const MAX_PULSE_BYTES = 256 * 1024;

/** Most metrics, flags and pages with negative events of one report: each is judged, shown or raised on its own. */
const METRICS = 200;
const FLAGS = 100;
const PAGES = 1_000;

const NAME = 200;
const PAGE = 512;
const MESSAGE = 2_000;

const decimal = v.pipe(
  v.unknown(),
  v.check(
    (value) => typeof value === "number" && Number.isFinite(value),
    ruleMessage("decimal", "must be a number"),
  ),
  v.transform((value) => (value as number) + 0),
  v.number(),
);

/** Something named on one line: not empty, no control characters. */
function line(max: number) {
  return v.pipe(
    textOfContract(max),
    rule<string>("not-empty", (value) => value !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ minLength: 1, ...NO_CONTROL }),
  );
}

const name = line(NAME);
const page = line(PAGE);

const list = <S extends v.GenericSchema>(item: S) => v.array(item, ruleMessage("type", "must be a list"));

const picklist = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, ruleMessage("enum", `must be one of ${values.join(", ")}`));

/** A flag in transit; `msg` is text and nothing else. What a milestone's severity becomes: see `milestonesAsInfo`. */
const Flag = fields({
  severity: picklist(["info", "warn", "error"]),
  kind: picklist(["anomaly", "opportunity", "milestone"]),
  metric: v.exactOptional(name),
  msg: textOfContract(MESSAGE),
});

/** One metric's figures. `avg7d` is diagnostic: it is kept and shown, and never reaches a baseline. */
const Metric = fields({
  last24h: v.exactOptional(count),
  avg7d: v.exactOptional(v.pipe(decimal, v.description("Kept and shown; no rule reads it."))),
  total: v.exactOptional(count),
});

export const PulseSchema = fields({
  asset: AssetIdSchema,
  generatedAt: Timestamp,
  capabilities: v.exactOptional(list(name)),
  metrics: v.pipe(
    plainObject,
    // Before any metric, so that a hostile report costs one issue, not thousands.
    v.rawCheck<unknown>(({ dataset, addIssue }) => {
      // What is no object has its issue already, and no keys to count.
      if (dataset.issues !== undefined || Object.keys(dataset.value as object).length <= METRICS) return;
      addIssue({ message: ruleMessage("max-items", `must have at most ${METRICS} metrics`) });
    }),
    v.record(name, Metric, ruleMessage("type", "must be an object")),
    v.metadata({
      maxProperties: METRICS,
      description:
        "By the metric's name. A metric or a figure that is absent was not measured; it is never 0.",
    }),
  ),
  negativeByPage: v.exactOptional(boundedList(fields({ page, count }), PAGES)),
  flags: v.exactOptional(boundedList(Flag, FLAGS)),
});

export type Pulse = v.InferOutput<typeof PulseSchema>;

// The accepted reports that wait to be judged: in the order of acceptance per site, and in turn between sites.

/** How many reports wait, and since when (milliseconds since the epoch) the one that was accepted first does. */
export interface Backlog {
  readonly reports: number;
  readonly since: number | undefined;
}

/** For how many seconds the report that was accepted first has waited; undefined when none waits. */
export function secondsWaited({ since }: Backlog, now: number): number | undefined {
  return since === undefined ? undefined : Math.max(0, now - since) / 1_000;
}

// In the statement after the report's own: its id is the last one inserted.
const insertWaiting = statement<never, [string]>(
  "INSERT INTO pulse_waiting (pulse, asset) VALUES (last_insert_rowid(), ?)",
);

const headAfter = statement<{ asset: string; pulse: number }, [string]>(
  "SELECT asset, pulse FROM pulse_waiting WHERE asset > ? ORDER BY asset, pulse LIMIT 1",
);

const removeWaiting = statement<never, [string, number]>(
  "DELETE FROM pulse_waiting WHERE asset = ? AND pulse = ?",
);

const firstOf = statement<{ pulse: number | null }, [string]>(
  "SELECT min(pulse) AS pulse FROM pulse_waiting WHERE asset = ?",
);

const backlogOfAll = statement<{ reports: number; since: number | null }, []>(
  `SELECT (SELECT count(*) FROM pulse_waiting) AS reports,
     (SELECT received_at FROM pulse WHERE id = (SELECT min(pulse) FROM pulse_waiting)) AS since`,
);

const backlogOfSite = statement<{ reports: number; since: number | null }, [string, string]>(
  `SELECT (SELECT count(*) FROM pulse_waiting WHERE asset = ?) AS reports,
     (SELECT received_at FROM pulse WHERE id = (SELECT min(pulse) FROM pulse_waiting WHERE asset = ?)) AS since`,
);

/**
 * The next report of each of up to `sites` sites with one, in the order of sites, beginning after the site named and going round:
 * each site in its turn, however many reports another has. Each is one step in the index.
 */
export function listTurns(db: Db, after: string, sites: number) {
  const turns: { asset: string; pulse: number }[] = [];
  let [at, wrapped] = [after, false];
  while (turns.length < sites) {
    const turn = headAfter(db).first(at);
    if (turn === undefined ? wrapped : wrapped && turn.asset > after) break;
    if (turn === undefined) [at, wrapped] = ["", true];
    else {
      turns.push(turn);
      at = turn.asset;
    }
  }
  return turns;
}

/** A report of a site no longer waits. */
export function endWaiting(tx: Tx, asset: string, pulse: number): void {
  removeWaiting(tx).run(asset, pulse);
}

/** Up to which report a site is judged: every later one of it waits, and no earlier one does. */
export function judgedUpTo(db: Db, asset: string): number {
  const head = firstOf(db).first(asset)?.pulse ?? undefined;
  return head === undefined ? Number.MAX_SAFE_INTEGER : head - 1;
}

/** The reports that wait, of one site or of all. */
export function findBacklog(db: Db, asset?: string): Backlog {
  const row = asset === undefined ? backlogOfAll(db).first() : backlogOfSite(db).first(asset, asset);
  return { reports: row?.reports ?? 0, since: row?.since ?? undefined };
}

export const PULSE: ReportKind = {
  called: "nightly report",
  rows: "pulse",
  bodies: "pulse_body",
  packs: "pulse_pack",
  own: [],
};

/** Those that wait to be judged are read once more, each in its turn among the sites, and are packed after that. */
export const PACKABLE_PULSES = packable(PULSE, judgedUpTo);

export const pulseBodyFaults = bodyCheck(PULSE);

// Nightly reports, one row per accepted report. Append-only. The current view is the newest revision per site and day.

export const pulse = sqliteTable("pulse", reportColumns, (t) => [
  uniqueIndex("pulse_revision").on(t.asset, t.date, t.revision),
]);

/** Their bodies, as they came and packed. */
export const pulseBody = bodyTable("pulse_body");
export const pulsePack = packTable("pulse_pack");

/**
 * Accepted reports that the rules have not judged yet. A row is written with its report and goes in the transaction that records
 * the last of its verdicts, so that every report is judged once, whatever ends the process in between. Per site, and not one place
 * for all: a site that floods must not stand before the others.
 */
export const pulseWaiting = sqliteTable(
  "pulse_waiting",
  {
    asset: text("asset").notNull(),
    pulse: integer("pulse").notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.pulse] })],
);

/** When each site last reported, by the service's own clock: a read model for freshness. */
export const pulseFreshness = sqliteTable("pulse_freshness", {
  asset: text("asset").primaryKey(),
  /** Of the report accepted last. */
  received_at: integer("received_at").notNull(),
  /** When `received_at` was seen to lie ahead of the clock, from which on silence counts; null while it does not. */
  ahead_seen_at: integer("ahead_seen_at"),
});

export interface StoredPulse extends Omit<ReportRow, "ignored"> {
  readonly body: string;
}

/** What a row says of a nightly report, whether or not its body can be read. */
export interface PulseRow extends Omit<StoredPulse, "body"> {
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

const reports = reportStore(PULSE);

// Of the report accepted last, not the greatest: a clock that was set back is believed again.
const setFreshness = statement<never, [string, number]>(
  `INSERT INTO pulse_freshness (asset, received_at) VALUES (?, ?)
   ON CONFLICT (asset) DO UPDATE SET received_at = excluded.received_at, ahead_seen_at = NULL`,
);

/** Appends a report as the next revision of its day, to be judged. */
export function appendPulse(tx: Tx, report: NewReport<object>): Appended {
  const appended = reports.append(tx, report);
  insertWaiting(tx).run(report.asset);
  setFreshness(tx).run(report.asset, report.receivedAt);
  return appended;
}

/** The newest day, not ahead of `now`, on which a site has a nightly report. */
export const findNewestPulseDay = reports.newestDay;

/** The body of a report, as it was sent. */
export const findPulseBody = reports.bodyOf;

/** What the row of a report says, or undefined. */
export function findPulseRow(db: Db, asset: string, date: UtcDay, revision: number): PulseRow | undefined {
  const row = reports.find(db, asset, date, revision);
  return row === undefined ? undefined : toRow(row);
}

/** The revisions of a day, newest first, at most `limit`: rows alone. */
export function listRevisions(db: Db, asset: string, date: UtcDay, limit: number): PulseRow[] {
  return reports.list(db, { asset, from: date, to: date, allRevisions: true }, limit).map(toRow);
}

/** One report by its id, or undefined. */
export function findPulseById(db: Db, id: number): StoredPulse | undefined {
  const row = reports.findById(db, id);
  return row === undefined ? undefined : toStored(db, row);
}

/** Nightly reports, newest first by date then revision, at most `limit`. */
export function listPulses(db: Db, filter: ReportFilter, limit: number): StoredPulse[] {
  return reports.list(db, filter, limit).map((row) => toStored(db, row));
}

/** When a site was last heard. */
export type Heard = ReturnType<typeof listFreshness>[number];

const everyFreshness = statement<{ asset: string; received_at: number; ahead_seen_at: number | null }, []>(
  "SELECT asset, received_at, ahead_seen_at FROM pulse_freshness",
);

/** When each site last reported. */
export function listFreshness(db: Db, now: number) {
  return everyFreshness(db)
    .all()
    .map(({ asset, received_at, ahead_seen_at }) => {
      const at = ahead_seen_at ?? received_at;
      // By the service's own clock, never ahead of it: a report received under a clock that was fast counts from when that was seen.
      const receivedAt = Math.min(at, now);
      return { asset, receivedAt, isNewlyAhead: at > now };
    });
}

/** When a site last sent a nightly report. */
export interface LastNight {
  readonly asset: string;
  /** Milliseconds since the epoch, by the service's own clock; of a report received under a clock that was fast, when that was seen. */
  readonly at: number;
  /** The newest day that it has a report of; null where none is of a day that has come. */
  readonly date: UtcDay | null;
}

const LAST_NIGHT = `SELECT f.asset, coalesce(f.ahead_seen_at, f.received_at) AS at,
     (SELECT p.date FROM pulse p WHERE p.asset = f.asset AND p.date <= ? ORDER BY p.date DESC LIMIT 1) AS date
   FROM pulse_freshness f`;
const lastNights = statement<LastNight, [string]>(LAST_NIGHT);
const lastNightOf = statement<LastNight, [string, string]>(`${LAST_NIGHT} WHERE f.asset = ?`);

/**
 * When each site, or the one named, last sent a nightly report, and of which day at the most `newest`. Of one received ahead of the clock the
 * moment lies ahead.
 */
export function listLastNights(db: Db, newest: UtcDay, asset?: string): LastNight[] {
  return asset === undefined ? lastNights(db).all(newest) : lastNightOf(db).all(newest, asset);
}

/** Whether a site, or any but the one left out, has sent a nightly report. */
export const hasNightlyReport = hasRowIn("pulse_freshness");

/**
 * Writes down when the last report of a site was first seen to lie ahead of the clock. Without it the silence would begin anew
 * with every look, and end by itself on the day the clock had shown.
 */
export function noteAhead(tx: Tx, asset: string, now: number): void {
  tx.update(pulseFreshness).set({ ahead_seen_at: now }).where(eq(pulseFreshness.asset, asset)).run();
}

const toStored = (db: Db, { ignored: _, ...row }: ReportRow): StoredPulse => ({
  ...row,
  body: reports.bodyOf(db, row),
});

const toRow = (row: ReportRow): PulseRow => ({ ...row, ignored: readIgnored(row.ignored) });

/** Reports read at once while looking back. */
const STRETCH = 1_000;
/** How much earlier than asked for a report must have come to end the look back: a clock may have been set by some hours. */
const CLOCK_MS = 86_400_000;

const acceptedBefore = statement<{ id: number; asset: string; received_at: number }, [number]>(
  `SELECT id, asset, received_at FROM pulse WHERE id < ? ORDER BY id DESC LIMIT ${STRETCH}`,
);

/**
 * Nightly reports received from one instant to another, by site; a site without one is left out. Looks back from the newest, so that
 * years of history cost nothing.
 */
export function countReceived(db: Db, since: number, until: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = acceptedBefore(db).all(before);
    for (const { asset, received_at } of rows) {
      if (received_at < since - CLOCK_MS) return counts;
      if (received_at >= since && received_at <= until) counts.set(asset, (counts.get(asset) ?? 0) + 1);
    }
    const last = rows[STRETCH - 1];
    if (last === undefined) return counts;
    before = last.id;
  }
}

/** The latest nightly report of a site, or undefined: never one for a day ahead of `now`. */
export function findLatestPulse(db: Db, asset: string, now: number) {
  const row = reports.latest(db, asset, now);
  if (row === undefined) return undefined;
  const { body, ...rest } = toStored(db, row);
  const report = JSON.parse(body) as Pulse;
  return { ...rest, metrics: Object.keys(report.metrics).length, report };
}
