/** The accepted reports that wait to be judged: in the order of acceptance per site, and in turn between sites. */
import { type Db, statement, type Tx } from "../db/mod.ts";

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

const removeWaiting = statement<never, [number]>("DELETE FROM pulse_waiting WHERE pulse = ?");

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

/** Lets the report that was just inserted wait to be judged. */
export function awaitJudging(tx: Tx, asset: string): void {
  insertWaiting(tx).run(asset);
}

/**
 * The next report of each of up to `sites` sites with one, in the order of sites, beginning after the site named and going round:
 * each site in its turn, however many reports another has. Each is one step in the index.
 */
export function listTurns(
  db: Db,
  after: string,
  sites: number,
): { readonly asset: string; readonly pulse: number }[] {
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

/** A report no longer waits. */
export function endWaiting(tx: Tx, pulse: number): void {
  removeWaiting(tx).run(pulse);
}

/** The report of a site that is judged next; undefined when none waits. */
export function findHead(db: Db, asset: string): number | undefined {
  return firstOf(db).first(asset)?.pulse ?? undefined;
}

/** Up to which report a site is judged: every later one of it waits, and no earlier one does. */
export function judgedUpTo(db: Db, asset: string): number {
  const head = findHead(db, asset);
  return head === undefined ? Number.MAX_SAFE_INTEGER : head - 1;
}

/** The reports that wait, of one site or of all. */
export function findBacklog(db: Db, asset?: string): Backlog {
  const row = asset === undefined ? backlogOfAll(db).first() : backlogOfSite(db).first(asset, asset);
  return { reports: row?.reports ?? 0, since: row?.since ?? undefined };
}
