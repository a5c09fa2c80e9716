/** What is monitored, by number, and the current state of each: a row a target, put in place of the one before. */

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { isMoment, parseUtcDay } from "../base/time.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { columnsOf, numberedRows, replacing, sharing } from "../store/rows.ts";
import { type Db, type Parameter, statement, type Tx } from "../store/store.ts";
import { type Evidence, familyOf, HEALTH_CHANGES, type Scope } from "./health.ts";

/** First failures, changes of category and recoveries. Append-only; `event` is made of scope, connection revision and attempt. */
export const healthEvent = sqliteTable(
  "health_event",
  {
    id: integer("id").primaryKey(),
    event: text("event").notNull(),
    /** When the attempt began that it tells of. */
    at: integer("at").notNull(),
    target: integer("target").notNull(),
    attempt: text("attempt").notNull(),
    change: text("change", { enum: HEALTH_CHANGES }).notNull(),
    /** The category that failed; of a recovery the one that it ended. */
    category: text("category", { enum: FAILURE_CATEGORIES }).notNull(),
    /** Of a change, the category before it; null otherwise. */
    category_before: text("category_before", { enum: FAILURE_CATEGORIES }),
  },
  (t) => [
    uniqueIndex("health_event_id").on(t.event),
    index("health_event_at").on(t.at, t.id),
    // Those of a target that are not among the newest of all.
    index("health_event_of_target").on(t.target, t.at, t.id),
  ],
);

type EventRow = Omit<typeof healthEvent.$inferSelect, "id">;

const insert = statement<never, Parameter[]>(
  `INSERT INTO health_event (event, at, target, attempt, change, category, category_before)
   VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event) DO NOTHING`,
);

/** Appends an event; one that stands there already, by its id, is not told twice. */
export function appendEvent(tx: Tx, row: EventRow): void {
  const { event, at, target, attempt, change, category, category_before } = row;
  insert(tx).run(event, at, target, attempt, change, category, category_before);
}

/** An event with what it is about. */
export interface KnownEvent extends Pick<EventRow, "at" | "attempt" | "change" | "category"> {
  readonly id: string;
  readonly scope: Scope;
  /** Of a change of category the one before. */
  readonly categoryBefore: FailureCategory | null;
}

type NumberedEvent = Omit<EventRow, "target"> & Scope & { readonly id: number };

const EVENT_COLUMNS = `health_event.id AS id, event, at, attempt, change, category, category_before, workspace, provider,
  connection_revision AS connectionRevision, capability, asset, health_target.target AS target, family`;
const TOLD = `SELECT ${EVENT_COLUMNS} FROM health_event JOIN health_target ON health_target.id = health_event.target`;
const NEWEST = "ORDER BY at DESC, health_event.id DESC LIMIT ?";
const newest = statement<NumberedEvent, [number]>(`${TOLD} ${NEWEST}`);
const newestOf = statement<NumberedEvent, [number, number]>(
  `${TOLD} WHERE health_event.target = ? ${NEWEST}`,
);
const newestOfReports = statement<NumberedEvent, [string, string, string, string, string, string, number]>(
  `SELECT ${EVENT_COLUMNS} FROM health_target
   CROSS JOIN health_event ON health_event.target = health_target.id
   WHERE workspace = ? AND provider = ? AND connection_revision = ? AND capability = ? AND asset = ? AND health_target.target = ?
     AND family > '' ${NEWEST}`,
);

/** So many of the newest events are looked through before each target is asked for its own. */
const MOST_LOOKED_AT = 512;

/** Which events are listed. */
interface WantedEvents {
  readonly limit: number;
  readonly isShown: (scope: Scope) => boolean;
  /** Scopes of properties whose archive reports are shown, without the report; none where they are left out. */
  readonly ofReports?: () => readonly Scope[];
}

/**
 * The newest events of the scopes that `isShown` keeps, at most `limit`, newest first. However many there are of others, it reads no more
 * than some of them.
 */
export function listHealthEvents(db: Db, wanted: WantedEvents): KnownEvent[] {
  const { limit, isShown } = wanted;
  // Nearly always the very newest are all shown.
  for (const most of [limit, MOST_LOOKED_AT]) {
    const all = newest(db).all(most).map(knownEvent);
    const shown = all.filter(({ scope }) => isShown(scope));
    if (shown.length >= limit || all.length < most) return shown.slice(0, limit);
  }
  return newestOfEach(db, wanted).slice(0, limit);
}

function newestOfEach(db: Db, { limit, isShown, ofReports = () => [] }: WantedEvents): KnownEvent[] {
  const single = [...scopesById(db)]
    .filter(([, scope]) => isShown(scope))
    .flatMap(([target]) => newestOf(db).all(target, limit));
  const reports = ofReports().flatMap(
    ({ workspace, provider, connectionRevision, capability, asset, target }) =>
      newestOfReports(db).all(workspace, provider, connectionRevision, capability, asset, target, limit),
  );
  return [...single, ...reports].sort((a, b) => b.at - a.at || b.id - a.id).map(knownEvent);
}

function knownEvent({
  id: _,
  event,
  at,
  attempt,
  change,
  category,
  category_before,
  ...scope
}: NumberedEvent): KnownEvent {
  return { id: event, at, scope, attempt, change, category, categoryBefore: category_before };
}

/**
 * What is monitored: one row for each scope that ever had an outcome, which state and events name by a number. Append-only. Another
 * connection revision is another row: what was seen under the one confirms nothing of the other.
 */

export const healthTarget = sqliteTable(
  "health_target",
  {
    id: integer("id").primaryKey(),
    workspace: text("workspace").notNull(),
    provider: text("provider").notNull(),
    /** '' where there is no connection. */
    connectionRevision: text("connection_revision").notNull(),
    capability: text("capability").notNull(),
    /** '' for what concerns a whole connection. */
    asset: text("asset").notNull(),
    /** An opaque id; '' where the capability has one a site. */
    target: text("target").notNull(),
    /** '' but for archive capabilities. */
    family: text("family").notNull(),
  },
  (t) => [
    uniqueIndex("health_target_key").on(
      t.workspace,
      t.provider,
      t.connectionRevision,
      t.capability,
      t.asset,
      t.target,
      t.family,
    ),
    // All but archive reports, of which there may be any number.
    index("health_target_single").on(t.id).where(sql`family = ''`),
  ],
);

/** Current state: the latest attempt of a target and its latest success, by the moments they began. */
export const healthState = sqliteTable("health_state", {
  target: integer("target").primaryKey(),
  latest_attempt: text("latest_attempt").notNull(),
  latest_started_at: integer("latest_started_at").notNull(),
  /** Null where the latest attempt came to a usable result. */
  category: text("category", { enum: FAILURE_CATEGORIES }),
  /** A reviewed code of our own. */
  code: text("code"),
  next_retry_at: integer("next_retry_at"),
  success_attempt: text("success_attempt"),
  success_started_at: integer("success_started_at"),
  /** The newest day that the latest success covers. */
  covered_date: text("covered_date"),
  failing_since: integer("failing_since"),
  recorded_at: integer("recorded_at").notNull(),
});

// Archive reports are not kept in memory: there may be any number of them.
const targets = numberedRows(healthTarget, "family = ''");

/**
 * The number of a target, given to it with its first outcome. Throws a RangeError where a part of the scope is no id: what is no id
 * may be a secret, and is not written down.
 */
export function targetId(tx: Tx, scope: Scope): number {
  const known = targets.find(tx, scope);
  if (known !== undefined) return known;
  const part = scopeFault(scope);
  if (part !== undefined) throw new RangeError(`the ${part} of a health record is no id`);
  return targets.idOf(tx, scope);
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const OPAQUE = /^[0-9A-Za-z_-]{0,64}$/;
const PARTS = [
  ["workspace", NAME],
  ["provider", /^[a-z-]{1,64}$/],
  ["connectionRevision", OPAQUE],
  ["capability", /^[a-z.-]{1,64}$/],
  ["asset", new RegExp(`${NAME.source}|^$`)],
  ["target", OPAQUE],
] as const;

/** The part of a scope that is no id; undefined where all are. */
export function scopeFault(scope: Scope): string | undefined {
  const part = PARTS.find(([name, shape]) => !shape.test(scope[name]))?.[0];
  if (part !== undefined) return part;
  return scope.family === "" || familyOf(scope.family) !== undefined ? undefined : "family";
}

/** Every target but archive reports by its number. Not inside a transaction that may be taken back. */
const scopesById = (db: Db): ReadonlyMap<number, Scope> => targets.all(db).byId;

type StateRow = typeof healthState.$inferSelect;

const COLUMNS = columnsOf(healthState);
const findState = statement<StateRow, [number]>(`SELECT ${COLUMNS} FROM health_state WHERE target = ?`);
const statesOf = statement<StateRow, [targets: string]>(
  `SELECT ${COLUMNS} FROM health_state WHERE target IN (SELECT value FROM json_each(?)) ORDER BY target`,
);
const every = statement<StateRow, []>(
  `SELECT ${COLUMNS} FROM health_state WHERE target IN (SELECT id FROM health_target WHERE family = '') ORDER BY target`,
);

const put = replacing(healthState);

/** What is known of a target by its number; undefined where nothing is, or what is stored of it cannot be read. */
export function evidenceOfTarget(db: Db, target: number): Evidence | undefined {
  const row = findState(db).first(target);
  const evidence = row === undefined ? undefined : evidenceOf(row);
  return evidence === "unreadable" ? undefined : evidence;
}

/** What is known of a target; undefined where nothing is, or what is stored of it cannot be read. */
export function findEvidence(db: Db, scope: Scope): Evidence | undefined {
  const target = targets.find(db, scope);
  return target === undefined ? undefined : evidenceOfTarget(db, target);
}

/** Puts what is known of a target in place of what was. */
export function putEvidence(tx: Tx, target: number, evidence: Evidence): void {
  const { latest, success, failingSince, recordedAt } = evidence;
  put(tx, {
    target,
    latest_attempt: latest.attempt,
    latest_started_at: latest.startedAt,
    category: latest.category,
    code: latest.code,
    next_retry_at: latest.nextRetryAt,
    success_attempt: success?.attempt ?? null,
    success_started_at: success?.startedAt ?? null,
    covered_date: success?.coveredDate ?? null,
    failing_since: failingSince ?? null,
    recorded_at: recordedAt,
  });
}

/** What is known of a target, by its scope. */
export interface KnownState {
  readonly scope: Scope;
  /** `unreadable` where what is stored is no evidence. */
  readonly evidence: Evidence | "unreadable";
}

/** Whether its moments are moments and its day is a day. */
export function isSound({ latest, success, failingSince, recordedAt }: Evidence): boolean {
  const day = success?.coveredDate ?? null;
  return (
    isMoment(latest.startedAt) &&
    isMoment(recordedAt) &&
    isMoment(latest.nextRetryAt ?? 0) &&
    isMoment(success?.startedAt ?? 0) &&
    isMoment(failingSince ?? 0) &&
    (day === null || parseUtcDay(day) !== undefined)
  );
}

/**
 * What is known of every target but archive reports, of one site's where one is named ('' names those of whole connections), in the order in
 * which they came up.
 */
export function listHealthStates(db: Db, of: { readonly asset?: string } = {}): KnownState[] {
  const { byId: scopes, byAsset } = targets.all(db);
  const own = of.asset === undefined ? undefined : (byAsset.get(of.asset) ?? []).map(({ id }) => id);
  const rows = own === undefined ? every(db).all() : statesOf(db).all(JSON.stringify(own));
  return sharing(rows).flatMap((row) => {
    const scope = scopes.get(row.target);
    return scope === undefined ? [] : [{ scope, evidence: evidenceOf(row) }];
  });
}

const SLICE = 512;
const slice = statement<
  StateRow & { readonly capability: string; readonly asset: string; readonly family: string },
  [number, number]
>(
  `SELECT s.*, t.capability, t.asset, t.family FROM health_state AS s JOIN health_target AS t ON t.id = s.target
   WHERE s.target > ? ORDER BY s.target LIMIT ?`,
);

/** What is known of every target, archive reports too: as many as were ever told of. */
function* everyState(db: Db) {
  for (let last = 0, more = true; more; ) {
    const rows = slice(db).all(last, SLICE);
    for (const { capability, asset, family, ...row } of rows) {
      last = row.target;
      yield { scope: { capability, asset, family }, evidence: evidenceOf(row) };
    }
    more = rows.length === SLICE;
  }
}

function evidenceOf(row: StateRow): Evidence | "unreadable" {
  const { success_attempt: attempt, success_started_at: startedAt } = row;
  if ((attempt === null) !== (startedAt === null)) return "unreadable";
  return {
    latest: {
      attempt: row.latest_attempt,
      startedAt: row.latest_started_at,
      category: row.category,
      code: row.code,
      nextRetryAt: row.next_retry_at,
    },
    success:
      attempt === null || startedAt === null
        ? undefined
        : { attempt, startedAt, coveredDate: row.covered_date },
    failingSince: row.failing_since ?? undefined,
    recordedAt: row.recorded_at,
  };
}

/** What is stored of health against itself. */

const withoutTarget = statement<{ what: "state" | "event"; id: number; target: number }, []>(
  `SELECT 'state' AS what, target AS id, target FROM health_state WHERE target NOT IN (SELECT id FROM health_target)
   UNION ALL
   SELECT 'event', id, target FROM health_event WHERE target NOT IN (SELECT target FROM health_state)
     OR target NOT IN (SELECT id FROM health_target)`,
);

/** Targets whose state is not what the last event of theirs tells: an event is appended for every change of it. */
const unlikeEvents = statement<{ readonly target: number }, []>(
  `WITH last AS (SELECT target, max(id) AS id FROM health_event GROUP BY target)
   SELECT state.target FROM health_state AS state
   LEFT JOIN last ON last.target = state.target
   LEFT JOIN health_event AS event ON event.id = last.id
   WHERE state.category IS NOT CASE event.change WHEN 'recovery' THEN NULL ELSE event.category END`,
);

/** Everything that is wrong with what is stored, in words. */
export function* healthFaults(db: Db): Generator<string> {
  for (const { what, id, target } of withoutTarget(db).all())
    yield `health ${what} ${id}: of a target ${target} that is not there`;
  for (const { target } of unlikeEvents(db).all())
    yield `health state ${target}: it is not what its events lead to`;
  for (const { scope, evidence } of everyState(db)) {
    const name = [scope.capability, scope.asset].filter((part) => part !== "").join(" of ");
    if (evidence === "unreadable") yield `health of ${name}: half of its last success is missing`;
    if (scope.family !== "" && familyOf(scope.family) === undefined)
      yield `health of ${name}: a report family that is none`;
  }
}
