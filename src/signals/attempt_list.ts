/** Attempts by their names: runs and targets never change, so that what was read once of them is kept. */

import type { AccountProvider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { runNames } from "../store/job_runs.ts";
import { columnsOf } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import { attemptsOfPack, lastPackedAttempt, type PackSearch, packThatMayHold } from "./attempt_packs.ts";
import {
  type AskedTarget,
  type AttemptEnd,
  type AttemptRow,
  endOfAttempt,
  PULL_OUTCOMES,
  type PullOutcome,
  targetsById,
} from "./attempts.ts";
import { pullAttempt } from "./tables.ts";

/** An attempt as it is told. Times are milliseconds since the epoch. */
export interface NamedAttempt extends AttemptEnd {
  readonly id: number;
  readonly run: string;
  readonly job: string;
  /** Undefined where its row is gone, which is a fault. */
  readonly target: AskedTarget | undefined;
  readonly tookMs: number;
  readonly requests: number;
  readonly changed: number;
}

/** What attempts are narrowed to; what is undefined narrows nothing. */
export interface WantedAttempts {
  readonly asset?: string | undefined;
  readonly provider?: AccountProvider | undefined;
  readonly job?: string | undefined;
  /** A run's row. */
  readonly run?: number | undefined;
  readonly outcome?: PullOutcome | undefined;
  readonly category?: FailureCategory | undefined;
  /** When it began: from this moment on, and before that one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A stretch of the list of attempts. */
export interface NamedStretch {
  readonly attempts: readonly NamedAttempt[];
  /** The id before which the list goes on; undefined at its end. */
  readonly next: number | undefined;
}

/** The newest attempts with lesser ids than `before`. There may be fewer than asked for, and more before `next`, where it is given. */
export function namedAttempts(
  db: Db,
  wanted: WantedAttempts,
  page: { readonly limit: number; readonly before?: number | undefined },
): NamedStretch | Promise<NamedStretch> {
  const { asset, provider, job, run, outcome, category, from, to } = wanted;
  const filter = {
    targets: targetsThat(db, { asset, provider }),
    run,
    isOfJob: job === undefined ? undefined : (row: number) => runNames(db, row).job === job,
    outcome: outcome === undefined ? undefined : PULL_OUTCOMES.indexOf(outcome),
    category: category === undefined ? undefined : FAILURE_CATEGORIES.indexOf(category),
    from,
    to,
  };
  const told = ({ rows, next }: Stretch) => ({ attempts: rows.map((row) => named(db, row)), next });
  const found = readAttempts(db, filter, page);
  return found instanceof Promise ? found.then(told) : told(found);
}

function named(db: Db, row: AttemptRow): NamedAttempt {
  return {
    id: row.id,
    ...runNames(db, row.run),
    target: targetsById(db).get(row.target),
    ...endOfAttempt(row),
    tookMs: row.took_ms,
    requests: row.requests,
    changed: row.changed,
  };
}

/** The numbers of all targets of a site, of a provider, or of both; undefined where neither is asked for. */
function targetsThat(
  db: Db,
  { asset, provider }: { readonly asset: string | undefined; readonly provider: AccountProvider | undefined },
): ReadonlySet<number> | undefined {
  if (asset === undefined && provider === undefined) return undefined;
  const numbers = new Set<number>();
  for (const [number, target] of targetsById(db)) {
    if (asset !== undefined && target.asset !== asset) continue;
    if (provider !== undefined && target.provider !== provider) continue;
    numbers.add(number);
  }
  return numbers;
}

/**
 * Attempts newest first, over those that are loose and those in packs, as one list: a piece at a time, so that looking for few among
 * many never holds the event loop, and only so far in one go.
 */

/** What attempts are narrowed to; what is undefined narrows nothing. */
interface AttemptFilter {
  /** Numbers of targets. */
  readonly targets?: ReadonlySet<number> | undefined;
  /** One run's row. */
  readonly run?: number | undefined;
  /** Whether a run is of the job that is asked for. */
  readonly isOfJob?: ((run: number) => boolean) | undefined;
  /** Places in `PULL_OUTCOMES` and `FAILURE_CATEGORIES`. */
  readonly outcome?: number | undefined;
  readonly category?: number | undefined;
  /** When it began: from this moment on, and before that one. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A stretch of the list. */
interface Stretch {
  readonly rows: readonly AttemptRow[];
  /** The id before which the list goes on; undefined at its end. There may be fewer rows than asked for, and more to come. */
  readonly next: number | undefined;
}

/** Loose attempts looked at at once; a pack is as long as it is. */
const SLICE = 512;
/** How long one turn of the event loop may be taken up, in milliseconds, and how many turns one stretch may take. */
const TURN_MS = 4;
const MOST_TURNS = 100;

/** How much is looked for, and how far. */
interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
  readonly turns?: number;
  readonly turnMs?: number;
}

/** A search under way. */
interface Search {
  readonly db: Db;
  readonly filter: AttemptFilter;
  readonly limit: number;
  readonly turnMs: number;
  readonly rows: AttemptRow[];
  next: number | undefined;
}

/**
 * The newest attempts with lesser ids than `before` that the filter takes: at once where one turn of the event loop is enough, so that
 * a page is of one moment.
 */
export function readAttempts(db: Db, filter: AttemptFilter, page: Page): Stretch | Promise<Stretch> {
  const { limit, before = Number.MAX_SAFE_INTEGER, turns = MOST_TURNS, turnMs = TURN_MS } = page;
  const search: Search = { db, filter, limit, turnMs, rows: [], next: before };
  takeTurn(search);
  return isOver(search) || turns <= 1 ? search : goOn(search, turns - 1);
}

const isOver = ({ next, rows, limit }: Search) => next === undefined || rows.length >= limit;

async function goOn(search: Search, turns: number): Promise<Stretch> {
  for (let turn = 0; turn < turns && !isOver(search); turn++) {
    await new Promise(setImmediate);
    takeTurn(search);
  }
  return search;
}

/** Looks through pieces for as long as a turn may take; one in any case. */
function takeTurn(search: Search): void {
  const { db, filter, limit, rows, turnMs } = search;
  const startedAt = performance.now();
  // What is packed may grow between two turns; within one nothing is written.
  const packed = lastPackedAttempt(db);
  do {
    search.next = pieceBefore(db, filter, { before: search.next ?? 0, packed, limit, rows });
  } while (!isOver(search) && performance.now() - startedAt < turnMs);
}

interface Piece {
  readonly before: number;
  /** The last attempt in a pack. */
  readonly packed: number;
  readonly limit: number;
  /** What was found goes here. */
  readonly rows: AttemptRow[];
}

/** Looks through one piece. Returns where the next one begins. */
function pieceBefore(db: Db, filter: AttemptFilter, piece: Piece): number | undefined {
  return piece.before > piece.packed + 1 ? loosePiece(db, filter, piece) : packedPiece(db, filter, piece);
}

const LOOSE = `SELECT ${columnsOf(pullAttempt)} FROM pull_attempt`;
const looseBefore = statement<AttemptRow, [number, number, number]>(
  `${LOOSE} WHERE id < ? AND id > ? ORDER BY id DESC LIMIT ?`,
);
const looseOfTargets = statement<AttemptRow, [string, number, number, number]>(
  `${LOOSE} WHERE target IN (SELECT value FROM json_each(?)) AND id < ? AND id > ? ORDER BY id DESC LIMIT ?`,
);
const looseOfRun = statement<AttemptRow, [number, number, number, number]>(
  `${LOOSE} WHERE run = ? AND id < ? AND id > ? ORDER BY id DESC LIMIT ?`,
);

/** Up to so many targets are looked up by each; beyond, it costs less to look at every attempt. */
const FEW_TARGETS = 64;

function loosePiece(
  db: Db,
  filter: AttemptFilter,
  { before, packed, limit, rows }: Piece,
): number | undefined {
  const { run, targets } = filter;
  const found =
    run !== undefined
      ? looseOfRun(db).all(run, before, packed, SLICE)
      : targets !== undefined && targets.size <= FEW_TARGETS
        ? looseOfTargets(db).all(JSON.stringify([...targets]), before, packed, SLICE)
        : looseBefore(db).all(before, packed, SLICE);
  for (const row of found) {
    if (!takes(filter, row)) continue;
    rows.push(row);
    if (rows.length === limit) return row.id;
  }
  if (found.length === SLICE) return found.at(-1)?.id;
  // Where nothing is packed it is the end: a short list is of one moment, however slow the machine is.
  return packed === 0 ? undefined : packed + 1;
}

function takes(filter: AttemptFilter, row: AttemptRow): boolean {
  const { targets, run, isOfJob, outcome, category, from, to } = filter;
  return (
    (outcome === undefined || row.outcome === outcome) &&
    (category === undefined || row.category === category) &&
    (run === undefined || row.run === run) &&
    (targets === undefined || targets.has(row.target)) &&
    (from === undefined || row.started_at >= from) &&
    (to === undefined || row.started_at < to) &&
    (isOfJob === undefined || isOfJob(row.run))
  );
}

const EVERY = -1;

function packedPiece(db: Db, filter: AttemptFilter, { before, limit, rows }: Piece): number | undefined {
  const { run, outcome, category, from, to, targets } = filter;
  if (targets?.size === 0) return undefined;
  const search: PackSearch = {
    before,
    firstRun: run ?? 0,
    lastRun: run ?? Number.MAX_SAFE_INTEGER,
    from: from ?? Number.MIN_SAFE_INTEGER,
    to: to ?? Number.MAX_SAFE_INTEGER,
    outcomes: outcome === undefined ? EVERY : 1 << outcome,
    categories: category === undefined ? 0 : 1 << category,
  };
  const head = packThatMayHold(db, search);
  if (head === undefined) return undefined;
  const attempts = attemptsOfPack(db, head.id);
  const { columns } = attempts;
  for (let place = Math.min(attempts.length, before - head.first) - 1; place >= 0; place--) {
    // The columns say no to most before a row is made.
    if (run !== undefined && columns.run[place] !== run) continue;
    if (outcome !== undefined && columns.outcome[place] !== outcome) continue;
    if (category !== undefined && columns.category[place] !== category) continue;
    if (targets !== undefined && !targets.has(columns.target[place] ?? 0)) continue;
    const row = attempts.at(place);
    if (!takes(filter, row)) continue;
    rows.push(row);
    if (rows.length === limit) return row.id;
  }
  return head.first;
}
