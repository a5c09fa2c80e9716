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

/** Rows that are read at once. */
const STRETCH = 256;

const newest = statement<EventRow & { readonly id: number }, [number, number, number]>(
  `SELECT id, event, at, target, attempt, change, category, category_before FROM health_event
   WHERE (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?`,
);

const last = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM health_event");

/** The number of the event that was appended last; 0 where there is none. */
export function lastEventId(db: Db): number {
  return last(db).first()?.id ?? 0;
}

/** The newest events of the scopes that `isShown` keeps, at most `limit`, newest first. */
export function listHealthEvents(
  db: Db,
  { limit, isShown }: { readonly limit: number; readonly isShown: (scope: Scope) => boolean },
): KnownEvent[] {
  const scopes = scopesById(db);
  const found: KnownEvent[] = [];
  let at = Number.MAX_SAFE_INTEGER;
  let id = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = newest(db).all(at, id, STRETCH);
    for (const row of rows) {
      const scope = scopes.get(row.target);
      if (scope === undefined || !isShown(scope)) continue;
      found.push({
        id: row.event,
        at: row.at,
        scope,
        attempt: row.attempt,
        change: row.change,
        category: row.category,
        categoryBefore: row.category_before,
      });
      if (found.length === limit) return found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < STRETCH) return found;
    ({ at, id } = last);
  }
}
