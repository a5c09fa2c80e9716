/**
 * Monitoring failures: what should be watched and is not, each with its beginning and end as events, and those that last as a read model.
 */

import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import { shortText } from "../base/text.ts";
import type { Core } from "../store/core.ts";
import type { JobHealth } from "../store/jobs.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { appending, columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";

/** Parts of the service that watch, and that can fail at it. */
export const MONITORING_KINDS = ["constants", "rule", "recorder", "job", "credentials", "archive"] as const;

/** Every beginning and end of a monitoring failure, in order. Append-only. */
export const monitoringEvent = sqliteTable("monitoring_event", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  kind: text("kind", { enum: MONITORING_KINDS }).notNull(),
  /** '' where no site is concerned; likewise for source and subject. */
  asset: text("asset").notNull(),
  source: text("source").notNull(),
  subject: text("subject").notNull(),
  change: text("change", { enum: ["failed", "recovered"] }).notNull(),
  reason: text("reason").notNull(),
});

/** The failures that last: a read model over `monitoring_event`. */
export const monitoringFailure = sqliteTable(
  "monitoring_failure",
  {
    kind: text("kind", { enum: MONITORING_KINDS }).notNull(),
    /** '' where no site is concerned. */
    asset: text("asset").notNull(),
    /** The series' source, such as `pulse`; '' where there is none. */
    source: text("source").notNull(),
    /** The metric, the job, the file; '' where there is none. */
    subject: text("subject").notNull(),
    since: integer("since").notNull(),
    reason: text("reason").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.asset, t.source, t.subject] }),
    index("monitoring_failure_by_asset").on(t.asset),
  ],
);

/**
 * `constants`: the document; `rule`: a metric that cannot be judged; `recorder`: what records health; `job`: scheduled work;
 * `credentials`: an account of a provider that cannot be read; `archive`: objects that are damaged or missing.
 */

export type MonitoringKind = (typeof MONITORING_KINDS)[number];

/** Something that should be watched and is not, since when (milliseconds since the epoch), and why in plain words. */
export type MonitoringFailure = Readonly<typeof monitoringFailure.$inferSelect>;

/** What was to be watched. Texts are ids and names, never a secret and never what a provider said. */
export type Monitored = Omit<MonitoringFailure, "since" | "reason">;

type Key = [kind: string, asset: string, source: string, subject: string];

const keyOf = ({ kind, asset, source, subject }: Monitored): Key => [kind, asset, source, subject];

const lasting = statement<{ since: number; reason: string }, Key>(
  "SELECT since, reason FROM monitoring_failure WHERE kind = ? AND asset = ? AND source = ? AND subject = ?",
);

const appendEvent = appending(monitoringEvent);
const putFailure = replacing(monitoringFailure, ["since"]);

const removeFailure = statement<never, Key>(
  "DELETE FROM monitoring_failure WHERE kind = ? AND asset = ? AND source = ? AND subject = ?",
);

/** The failure of `of` that lasts, or undefined. */
export const findMonitoringFailure = (db: Db, of: Monitored) => lasting(db).first(...keyOf(of));

/** Appends an event, and keeps the failures that last in step with it. */
function recordEvent(tx: Tx, event: Event): void {
  appendEvent(tx, event);
  if (event.change === "failed") putFailure(tx, { ...event, since: event.at });
  else removeFailure(tx).run(...keyOf(event));
}

const where = ({
  kind,
  asset,
}: {
  readonly kind?: MonitoringKind;
  readonly asset?: string;
}): SQL | undefined =>
  and(
    kind === undefined ? undefined : eq(monitoringFailure.kind, kind),
    asset === undefined ? undefined : eq(monitoringFailure.asset, asset),
  );

/** Most failures that are listed to be looked at. */
const MOST_LISTED = 1_000;

/** The failures that last, those of the service itself first, then oldest first; of one kind or one site when given, at most `limit`. */
export function listMonitoringFailures(
  db: Db,
  filter: Parameters<typeof where>[0] = {},
  limit = MOST_LISTED,
): MonitoringFailure[] {
  return db
    .select()
    .from(monitoringFailure)
    .where(where(filter))
    .orderBy(
      sql`${monitoringFailure.asset} <> ''`,
      asc(monitoringFailure.since),
      asc(monitoringFailure.kind),
      asc(monitoringFailure.asset),
      asc(monitoringFailure.source),
      asc(monitoringFailure.subject),
    )
    .limit(limit)
    .all();
}

/** The sites with a failure of a kind, however many each has, by name. */
export function listFailingAssets(db: Db, kind: MonitoringKind): string[] {
  return db
    .selectDistinct({ asset: monitoringFailure.asset })
    .from(monitoringFailure)
    .where(where({ kind }))
    .orderBy(asc(monitoringFailure.asset))
    .all()
    .map(({ asset }) => asset);
}

/** How many failures last, by kind; a kind without one is left out. */
export function countMonitoringFailures(db: Db): ReadonlyMap<MonitoringKind, number> {
  const rows = db
    .select({ kind: monitoringFailure.kind, failures: count() })
    .from(monitoringFailure)
    .groupBy(monitoringFailure.kind)
    .all();
  return new Map(rows.map(({ kind, failures }) => [kind, failures]));
}

const everyLasting = statement<MonitoringFailure, []>(
  `SELECT ${columnsOf(monitoringFailure)} FROM monitoring_failure`,
);

const lastingOfSite = statement<MonitoringFailure, [string, string]>(
  `SELECT ${columnsOf(monitoringFailure)} FROM monitoring_failure WHERE kind = ? AND asset = ?`,
);

/** Every failure that lasts, unbounded; of one kind of one site when given. For working on them: a page shows some. */
export function listLasting(
  db: Db,
  of?: { readonly kind: MonitoringKind; readonly asset: string },
): MonitoringFailure[] {
  return of === undefined ? everyLasting(db).all() : lastingOfSite(db).all(of.kind, of.asset);
}

/** Longest reason that is kept, in characters. */

const LONGEST_REASON = 2_000;

/**
 * Notes that something cannot be watched, and why, which is kept as a sentence. A failure that lasts for the same reason is noted once.
 * Says whether it was noted.
 */
export function noteFailure(
  tx: Tx,
  of: Monitored,
  why: { readonly reason: string; readonly now: number },
): boolean {
  const reason = sentenceOf(shortText(why.reason, LONGEST_REASON - 1));
  if (findMonitoringFailure(tx, of)?.reason === reason) return false;
  recordEvent(tx, { ...of, change: "failed", reason, at: why.now });
  return true;
}

/** A reason as a sentence of its own: it is shown as it stands. */
function sentenceOf(reason: string): string {
  const begun = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** Notes that it is watched again; does nothing where no failure lasts. Says whether one ended. */
export function noteRecovery(tx: Tx, of: Monitored, now: number): boolean {
  if (findMonitoringFailure(tx, of) === undefined) return false;
  recordEvent(tx, { ...of, change: "recovered", reason: "", at: now });
  return true;
}

/** Nothing of a site is watched any more: its failures of a kind end. */
export function endFailures(
  tx: Tx,
  of: { readonly kind: MonitoringKind; readonly asset: string },
  now: number,
): void {
  for (const failure of listLasting(tx, of)) noteRecovery(tx, failure, now);
}

/** The failures that last against the events that lead to them. */

type Event = Omit<typeof monitoringEvent.$inferSelect, "id">;

const nameOf = ({ kind, asset, source, subject }: Monitored): string =>
  JSON.stringify([kind, asset, source, subject]);

/** The failures that last after these events, oldest event first. A failure whose reason changed lasts since its beginning. */
function lastingAfter(events: readonly Event[]): MonitoringFailure[] {
  const lasting = new Map<string, MonitoringFailure>();
  for (const { kind, asset, source, subject, at, change, reason } of events) {
    const of = { kind, asset, source, subject };
    const name = nameOf(of);
    if (change === "recovered") lasting.delete(name);
    else lasting.set(name, { ...of, since: lasting.get(name)?.since ?? at, reason });
  }
  return [...lasting.values()];
}

export const MONITORING_MODEL: ReadModel<MonitoringFailure, number> = tableModel({
  name: "monitoring",
  what: "lasting failures against their events",
  source: "its events",
  table: monitoringFailure,
  named: (row) => `monitoring failure ${nameOf(row)}`,
  replay: (db) => lastingAfter(db.select().from(monitoringEvent).orderBy(asc(monitoringEvent.id)).all()),
});

// A job that throws, does not begin or does not end is a monitoring failure while it does.

export class StoredJobHealth implements JobHealth {
  readonly #parts: Core;
  /** Jobs with a monitoring failure that lasts, with its reason. */
  #failing: Map<string, string> | undefined;

  constructor(parts: Core) {
    this.#parts = parts;
  }

  /** Keeps why a job does not do its work, in a sentence; undefined when it does. */
  setFailure(name: string, reason: string | undefined): void {
    const { writer, clock } = this.#parts;
    const failing = this.#known();
    const before = failing.get(name);
    if (before === reason) return;
    const of = { kind: "job", asset: "", source: "", subject: name } as const;
    const now = clock.now();
    const noted = (tx: Tx): void => {
      if (reason === undefined) noteRecovery(tx, of, now);
      else noteFailure(tx, of, { reason, now });
    };
    put(failing, name, reason);
    writer.background(writer.write(noted, { lowPriority: true }), (cause) => {
      // Tried again with what is seen next; where that told another thing meanwhile, that stands.
      if (failing.get(name) === reason) put(failing, name, before);
      logOf("jobs").error("how a job fares is not noted", {
        job: name,
        reason: storageFault(cause),
      });
    });
  }

  /** The jobs with a failure that lasts. */
  failing(): readonly string[] {
    return [...this.#known().keys()];
  }

  #known(): Map<string, string> {
    this.#failing ??= new Map(
      listLasting(this.#parts.store.db, { kind: "job", asset: "" }).map(({ subject, reason }) => [
        subject,
        reason,
      ]),
    );
    return this.#failing;
  }
}

function put(failing: Map<string, string>, name: string, reason: string | undefined): void {
  if (reason === undefined) failing.delete(name);
  else failing.set(name, reason);
}
