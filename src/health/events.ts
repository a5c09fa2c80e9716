/** First failures, changes of category and recoveries, as they were appended. */

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { type Db, type Parameter, statement, type Tx } from "../store/store.ts";
import { HEALTH_CHANGES, type HealthChange, type Scope } from "./health.ts";
import { scopesById } from "./state_store.ts";

/** First failures, changes of category and recoveries. Append-only; `event` is made of scope, connection revision and attempt. */
export const healthEvent = sqliteTable(
  "health_event",
  {
    id: integer("id").primaryKey(),
    event: text("event").notNull(),
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
export interface KnownEvent {
  readonly id: string;
  /** When the attempt began that it tells of. */
  readonly at: number;
  readonly scope: Scope;
  readonly attempt: string;
  readonly change: HealthChange;
  /** The category that failed; of a recovery the one that it ended. */
  readonly category: FailureCategory;
  /** Of a change of category the one before. */
  readonly categoryBefore: FailureCategory | null;
}

type NumberedEvent = Omit<EventRow, "target"> & Scope & { readonly id: number };

const COLUMNS = `health_event.id AS id, event, at, attempt, change, category, category_before, workspace, provider,
  connection_revision AS connectionRevision, capability, asset, health_target.target AS target, family`;
const TOLD = `SELECT ${COLUMNS} FROM health_event JOIN health_target ON health_target.id = health_event.target`;
const NEWEST = "ORDER BY at DESC, health_event.id DESC LIMIT ?";
const newest = statement<NumberedEvent, [number]>(`${TOLD} ${NEWEST}`);
const newestOf = statement<NumberedEvent, [number, number]>(
  `${TOLD} WHERE health_event.target = ? ${NEWEST}`,
);
const newestOfReports = statement<NumberedEvent, [string, string, string, string, string, string, number]>(
  `SELECT ${COLUMNS} FROM health_target
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
  const all = newest(db).all(MOST_LOOKED_AT).map(knownEvent);
  const shown = all.filter(({ scope }) => isShown(scope));
  const isEnough = shown.length >= limit || all.length < MOST_LOOKED_AT;
  return (isEnough ? shown : newestOfEach(db, wanted)).slice(0, limit);
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
