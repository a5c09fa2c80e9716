/**
 * The series that wait to be judged: one row for a site and source with a settled day that is new or changed. The one who changes days
 * puts it there in the same transaction, and it goes in the transaction that records what the rules say of them.
 */
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";

/** A site and source whose figures are to be judged. */
export interface WaitingSignals {
  /** Another one from the moment that further days change: what was read before that is no longer what waits. */
  readonly id: number;
  readonly asset: string;
  readonly source: Provider;
}

/** How many sites and sources wait, and since when (milliseconds since the epoch) the longest does. */
export interface SignalBacklog {
  readonly waiting: number;
  readonly since: number | undefined;
}

const put = statement<never, [string, string, number]>(
  `INSERT INTO signal_waiting (asset, source, since) VALUES (?, ?, ?)
   ON CONFLICT (asset, source) DO UPDATE SET id = (SELECT max(id) + 1 FROM signal_waiting)`,
);

const after = statement<WaitingSignals, [number, number]>(
  "SELECT id, asset, source FROM signal_waiting WHERE id > ? ORDER BY id LIMIT ?",
);

const idOf = statement<{ id: number }, [string, string]>(
  "SELECT id FROM signal_waiting WHERE asset = ? AND source = ?",
);

const remove = statement<never, [number]>("DELETE FROM signal_waiting WHERE id = ?");

const backlog = statement<{ waiting: number; since: number | null }, []>(
  "SELECT count(*) AS waiting, min(since) AS since FROM signal_waiting",
);

/**
 * Lets the figures of a site from a source wait to be judged: called where a settled day of any of them became new or changed, in the
 * transaction that changed it. Further days while it waits make it wait anew, so that a judging that is under way by then does not count;
 * `since` stays.
 */
export function awaitSignalJudging(tx: Tx, asset: string, source: Provider, now: number): void {
  put(tx).run(asset, source, now);
}

/** The next that wait, those that came first before the others, beginning after the one named and going round. */
export function listSignalTurns(db: Db, last: number, most: number): WaitingSignals[] {
  const turns = after(db).all(last, most);
  if (turns.length === most || last === 0) return turns;
  return [
    ...turns,
    ...after(db)
      .all(0, most - turns.length)
      .filter(({ id }) => id <= last),
  ];
}

/** Whether what was read when it had this place is still what waits. */
export function isStillWaiting(db: Db, { id, asset, source }: WaitingSignals): boolean {
  return idOf(db).first(asset, source)?.id === id;
}

/** It is judged, or left out, and waits no longer. */
export function endSignalWaiting(tx: Tx, { id }: Pick<WaitingSignals, "id">): void {
  remove(tx).run(id);
}

/** What waits. */
export function findSignalBacklog(db: Db): SignalBacklog {
  const row = backlog(db).first();
  return { waiting: row?.waiting ?? 0, since: row?.since ?? undefined };
}
