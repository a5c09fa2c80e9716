/** First failures, changes of category and recoveries, as they were appended. */
import { type Db, rowDigester, statement, type Tx } from "../db/mod.ts";
import type { FailureCategory } from "../provider/contract.ts";
import type { HealthChange, Scope } from "./contract.ts";
import { scopesById } from "./target_store.ts";

interface EventRow {
  readonly event: string;
  readonly at: number;
  readonly target: number;
  readonly attempt: string;
  readonly change: HealthChange;
  readonly category: FailureCategory;
  readonly category_before: FailureCategory | null;
}

const insert = statement<
  never,
  [string, number, number, string, HealthChange, FailureCategory, FailureCategory | null, number]
>(
  `INSERT INTO health_event (event, at, target, attempt, change, category, category_before, row_digest)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event) DO NOTHING`,
);

const digestOf = rowDigester(["event", "at", "target", "attempt", "change", "category", "category_before"]);

/** Appends an event; one that stands there already, by its id, is not told twice. */
export function appendEvent(tx: Tx, row: EventRow): void {
  const { event, at, target, attempt, change, category, category_before } = row;
  insert(tx).run(event, at, target, attempt, change, category, category_before, digestOf(row));
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

type NumberedEvent = EventRow & { readonly id: number };

const COLUMNS = "id, event, at, target, attempt, change, category, category_before FROM health_event";
const newest = statement<NumberedEvent, [number]>(`SELECT ${COLUMNS} ORDER BY at DESC, id DESC LIMIT ?`);
const newestOf = statement<NumberedEvent, [number, number]>(
  `SELECT ${COLUMNS} WHERE target = ? ORDER BY at DESC, id DESC LIMIT ?`,
);

const newestSince = statement<NumberedEvent, [number, number]>(
  `SELECT ${COLUMNS} WHERE at > ? ORDER BY at DESC, id DESC LIMIT ?`,
);

const last = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM health_event");

/** The number of the event that was appended last; 0 where there is none. */
export function lastEventId(db: Db): number {
  return last(db).first()?.id ?? 0;
}

/** So many of the newest events are looked through before each target is asked for its own. */
const MOST_LOOKED_AT = 512;

/**
 * The newest events of the scopes that `isShown` keeps, at most `limit`, newest first. However many there are of others, it reads no more
 * than some of them.
 */
export function listHealthEvents(
  db: Db,
  { limit, isShown }: { readonly limit: number; readonly isShown: (scope: Scope) => boolean },
): KnownEvent[] {
  const scopes = scopesById(db);
  const rows = newest(db).all(MOST_LOOKED_AT);
  const shown = rows.filter(({ target }) => isShownTarget(scopes, target, isShown));
  const isEnough = shown.length >= limit || rows.length < MOST_LOOKED_AT;
  const found = isEnough ? shown : newestOfEach(db, scopes, { limit, isShown });
  return found.slice(0, limit).flatMap((row) => {
    const scope = scopes.get(row.target);
    return scope === undefined ? [] : [knownEvent(row, scope)];
  });
}

/** The events after a moment (milliseconds since the epoch) of the scopes that `isShown` keeps, newest first; of all scopes at most `limit`. */
export function listHealthEventsSince(
  db: Db,
  {
    since,
    limit,
    isShown,
  }: {
    readonly since: number;
    readonly limit: number;
    readonly isShown: (scope: Scope) => boolean;
  },
): KnownEvent[] {
  const scopes = scopesById(db);
  return newestSince(db)
    .all(since, limit)
    .flatMap((row) => {
      const scope = scopes.get(row.target);
      return scope !== undefined && isShown(scope) ? [knownEvent(row, scope)] : [];
    });
}

function isShownTarget(
  scopes: ReadonlyMap<number, Scope>,
  target: number,
  isShown: (scope: Scope) => boolean,
): boolean {
  const scope = scopes.get(target);
  return scope !== undefined && isShown(scope);
}

function newestOfEach(
  db: Db,
  scopes: ReadonlyMap<number, Scope>,
  { limit, isShown }: { readonly limit: number; readonly isShown: (scope: Scope) => boolean },
): NumberedEvent[] {
  return [...scopes]
    .filter(([, scope]) => isShown(scope))
    .flatMap(([target]) => newestOf(db).all(target, limit))
    .sort((a, b) => b.at - a.at || b.id - a.id);
}

function knownEvent(row: EventRow, scope: Scope): KnownEvent {
  return {
    id: row.event,
    at: row.at,
    scope,
    attempt: row.attempt,
    change: row.change,
    category: row.category,
    categoryBefore: row.category_before,
  };
}
