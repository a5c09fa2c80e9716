/**
 * The manifest as a list, the newest attempt first: a piece at a time, so that looking for few among very many never holds the event
 * loop, and only so far in one go.
 */

import type { Provider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { type Db, statement } from "../store/store.ts";
import { attemptsOfObject, JOINED, type JoinedRow, manifestRow } from "./manifest.ts";
import { ARCHIVE_OUTCOMES, type ArchiveOutcome, type ManifestRow } from "./manifest_row.ts";
import { listTargets } from "./plan.ts";

// The largest of very many numbers, in memory that does not grow with them.

class NewestIds {
  readonly #most: number;
  #kept: number[] = [];
  #isAll = true;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: number): void {
    this.#kept.push(id);
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  /** Whether none was left out. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** The largest first. */
  all(): readonly number[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((one, other) => other - one);
    if (this.#kept.length <= this.#most) return;
    this.#kept.length = this.#most;
    this.#isAll = false;
  }
}

/** What the manifest is narrowed to; what is undefined narrows nothing. */
export interface ManifestQuery {
  readonly asset?: string | undefined;
  readonly provider?: Provider | undefined;
  readonly family?: string | undefined;
  readonly outcome?: ArchiveOutcome | undefined;
  readonly category?: FailureCategory | undefined;
  /** A run's row. */
  readonly run?: number | undefined;
  /** The SHA-256 of an object, in hexadecimal. */
  readonly object?: string | undefined;
  /** Dates of reports as day numbers, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only rows with lesser numbers. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A stretch of the manifest. */
export interface ManifestStretch {
  readonly rows: readonly ManifestRow[];
  /** The number before which the list goes on; undefined at its end. There may be fewer rows than asked for, and more to come. */
  readonly next: number | undefined;
}

/** Rows looked at at once, how long a turn may take in milliseconds, and how many turns one stretch may take. */
const SLICE = 256;
const TURN_MS = 4;
const MOST_TURNS = 100;

/** Up to so many targets are looked up by each; beyond, it costs less to look at every row. */
const FEW_TARGETS = 256;
/** Numbers of rows that are held of them at once: putting very many in order would hold everybody up. */
const MOST_IDS = 8_192;
/** Of up to so many dates the targets that were tried are known by an index: their attempts may lie anywhere in the manifest. */
const FEW_DATES = 4;

/** A search under way. */
interface Search {
  readonly db: Db;
  readonly query: ManifestQuery;
  /** Numbers of targets; undefined where all are wanted. */
  readonly targets: ReadonlySet<number> | undefined;
  /** Rows that may be taken, the newest first; none of them where others may work. */
  readonly pieces: Iterator<readonly JoinedRow[]>;
  readonly rows: ManifestRow[];
  next: number | undefined;
  turns: number;
}

/** The newest attempts that the query takes: at once where one turn of the event loop is enough, so that a page is of one moment. */
export function listManifest(db: Db, query: ManifestQuery): ManifestStretch | Promise<ManifestStretch> {
  const { before = Number.MAX_SAFE_INTEGER } = query;
  const targets = targetsOf(db, query);
  const pieces = piecesOf(db, query, targets, before);
  const search: Search = { db, query, targets, pieces, rows: [], next: before, turns: 0 };
  return takeTurn(search) ? search : goOn(search);
}

async function goOn(search: Search): Promise<ManifestStretch> {
  do await new Promise(setImmediate);
  while (!takeTurn(search));
  return search;
}

/** Looks through pieces for as long as a turn may take; one in any case. Says whether that was the last turn. */
function takeTurn(search: Search): boolean {
  const { db, query, targets, pieces, rows } = search;
  const startedAt = performance.now();
  let isSeen = false;
  do {
    const piece = pieces.next();
    if (piece.done === true) {
      search.next = undefined;
      return true;
    }
    for (const row of piece.value) {
      isSeen = true;
      search.next = row.id;
      if (!takes(query, row) || targets?.has(row.target) === false) continue;
      rows.push(manifestRow(db, row));
      if (rows.length >= query.limit) return true;
    }
  } while (performance.now() - startedAt < TURN_MS);
  // Before anything was seen there is nowhere to go on from.
  search.turns += isSeen ? 1 : 0;
  return search.turns >= MOST_TURNS;
}

function takes({ outcome, category, from, to, run }: ManifestQuery, row: JoinedRow): boolean {
  return (
    (outcome === undefined || ARCHIVE_OUTCOMES[row.outcome] === outcome) &&
    (category === undefined || FAILURE_CATEGORIES[row.category ?? -1] === category) &&
    (run === undefined || row.run === run) &&
    (from === undefined || row.date >= from) &&
    (to === undefined || row.date <= to)
  );
}

function targetsOf(db: Db, { asset, provider, family }: ManifestQuery): ReadonlySet<number> | undefined {
  if (asset === undefined && provider === undefined && family === undefined) return undefined;
  return new Set(listTargets(db, { asset, provider, family }).map(({ id }) => id));
}

/** The way that leads over the fewest rows. */
function piecesOf(
  db: Db,
  query: ManifestQuery,
  targets: ReadonlySet<number> | undefined,
  before: number,
): Generator<readonly JoinedRow[]> {
  const { object, run } = query;
  if (object !== undefined) {
    return inTurn((last) => attemptsOfObject(db, object, last, SLICE), before);
  }
  if (run !== undefined) return inTurn((last) => ofRun(db).all(run, last, SLICE), before);
  if (targets !== undefined && targets.size <= FEW_TARGETS) return ofFew(db, query, [...targets], before);
  const tried = triedOnDates(db, query);
  if (tried !== undefined) {
    return ofFew(
      db,
      query,
      tried.filter((target) => targets?.has(target) !== false),
      before,
    );
  }
  return inTurn((last) => newest(db).all(last, SLICE), before);
}

const triedOn = statement<{ target: number }, [number, number]>(
  "SELECT DISTINCT target FROM archive_day WHERE date BETWEEN ? AND ?",
);

/** Targets that were tried on the dates asked for; undefined where these are many. */
function triedOnDates(db: Db, { from, to }: ManifestQuery): readonly number[] | undefined {
  if (from === undefined || to === undefined || to - from >= FEW_DATES) return undefined;
  return triedOn(db)
    .all(from, to)
    .map(({ target }) => target);
}

const newest = statement<JoinedRow, [number, number]>(`${JOINED} WHERE r.id < ? ORDER BY r.id DESC LIMIT ?`);
const ofRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE r.run = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
);
const idsOf = statement<{ id: number }, [number, number, number, number]>(
  "SELECT id FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? AND id < ?",
);
const byIds = statement<JoinedRow, [string]>(
  `${JOINED} WHERE r.id IN (SELECT value FROM json_each(?)) ORDER BY r.id DESC`,
);

function* inTurn(read: (before: number) => JoinedRow[], before: number): Generator<readonly JoinedRow[]> {
  for (let last = before; ; ) {
    const rows = read(last);
    yield rows;
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.id ?? 0;
  }
}

/** The rows of few targets: their numbers are gathered from an index, target by target, and of very many the newest, again and again. */
function* ofFew(
  db: Db,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: ManifestQuery,
  targets: readonly number[],
  before: number,
): Generator<readonly JoinedRow[]> {
  for (let last = before; ; ) {
    const newest = new NewestIds(MOST_IDS);
    for (const target of targets) {
      for (const { id } of idsOf(db).all(target, from, to, last)) newest.add(id);
      yield [];
    }
    const ids = newest.all();
    for (let at = 0; at < ids.length; at += SLICE) {
      yield byIds(db).all(JSON.stringify(ids.slice(at, at + SLICE)));
    }
    if (newest.isAll) return;
    last = ids.at(-1) ?? 0;
  }
}
