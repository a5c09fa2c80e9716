/**
 * The manifest as a list, the newest attempt first: a piece at a time, so that looking for few among very many never holds the event
 * loop, and only so far in one go.
 */

import type { Provider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { type Stretch, searchRows } from "../store/row_search.ts";
import { type Db, statement } from "../store/store.ts";
import { attemptsOfObject, JOINED, type JoinedRow, manifestRow, OF_RUN } from "./manifest.ts";
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

/** Rows looked at at once. */
const SLICE = 256;
/** Up to so many targets are looked up by each; beyond, it costs less to look at every row. */
const FEW_TARGETS = 256;
/** Numbers of rows that are held of them at once: putting very many in order would hold everybody up. */
const MOST_IDS = 8_192;
/** Of up to so many dates the targets that were tried are known by an index: their attempts may lie anywhere in the manifest. */
const FEW_DATES = 4;

export type ManifestStretch = Stretch<ManifestRow>;

/** The newest attempts that the query takes. */
export function listManifest(
  db: Db,
  { limit, before, ...query }: ManifestQuery,
): ManifestStretch | Promise<ManifestStretch> {
  const targets = targetsOf(db, query);
  const isWanted = (row: JoinedRow) => takes(query, row) && targets?.has(row.target) !== false;
  return searchRows(piecesOf(db, query, targets, isWanted), { limit, before }, (row) => manifestRow(db, row));
}

/** What of the manifest is looked for, wherever a page begins. */
type Wanted = Omit<ManifestQuery, "before" | "limit">;
type IsWanted = (row: JoinedRow) => boolean;
type PiecesBefore = (before: number) => Generator<Stretch<JoinedRow>>;

function takes({ outcome, category, from, to, run }: Wanted, row: JoinedRow): boolean {
  return (
    (outcome === undefined || ARCHIVE_OUTCOMES[row.outcome] === outcome) &&
    (category === undefined || FAILURE_CATEGORIES[row.category ?? -1] === category) &&
    (run === undefined || row.run === run) &&
    (from === undefined || row.date >= from) &&
    (to === undefined || row.date <= to)
  );
}

function targetsOf(db: Db, { asset, provider, family }: Wanted): ReadonlySet<number> | undefined {
  if (asset === undefined && provider === undefined && family === undefined) return undefined;
  return new Set(listTargets(db, { asset, provider, family }).map(({ id }) => id));
}

/** The way that leads over the fewest rows. */
function piecesOf(
  db: Db,
  query: Wanted,
  targets: ReadonlySet<number> | undefined,
  isWanted: IsWanted,
): PiecesBefore {
  const { object, run } = query;
  if (object !== undefined) return inTurn((last) => attemptsOfObject(db, object, last, SLICE), isWanted);
  if (run !== undefined) return inTurn((last) => ofRun(db).all(run, last, SLICE), isWanted);
  if (targets !== undefined && targets.size <= FEW_TARGETS) return ofFew(db, query, [...targets], isWanted);
  const tried = triedOnDates(db, query)?.filter((target) => targets?.has(target) !== false);
  return tried === undefined
    ? inTurn((last) => newest(db).all(last, SLICE), isWanted)
    : ofFew(db, query, tried, isWanted);
}

const triedOn = statement<{ target: number }, [number, number]>(
  "SELECT DISTINCT target FROM archive_day WHERE date BETWEEN ? AND ?",
);

/** Targets that were tried on the dates asked for; undefined where these are many. */
function triedOnDates(db: Db, { from, to }: Wanted): readonly number[] | undefined {
  if (from === undefined || to === undefined || to - from >= FEW_DATES) return undefined;
  return triedOn(db)
    .all(from, to)
    .map(({ target }) => target);
}

const newest = statement<JoinedRow, [number, number]>(`${JOINED} WHERE r.id < ? ORDER BY r.id DESC LIMIT ?`);
const ofRun = statement<JoinedRow, [number, number, number]>(
  `${JOINED} WHERE ${OF_RUN} AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
);
const idsOf = statement<{ id: number }, [number, number, number, number]>(
  "SELECT id FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? AND id < ?",
);
const byIds = statement<JoinedRow, [string]>(
  `${JOINED} WHERE r.id IN (SELECT value FROM json_each(?)) ORDER BY r.id DESC`,
);

const inTurn = (read: (before: number) => JoinedRow[], isWanted: IsWanted): PiecesBefore =>
  function* (before) {
    for (let last: number | undefined = before; last !== undefined; ) {
      const rows: JoinedRow[] = read(last);
      last = rows.length < SLICE ? undefined : rows.at(-1)?.id;
      yield { rows: rows.filter(isWanted), next: last };
    }
  };

/** The rows of few targets: their numbers are gathered from an index, target by target, and of very many the newest, again and again. */
const ofFew = (
  db: Db,
  { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }: Wanted,
  targets: readonly number[],
  isWanted: IsWanted,
): PiecesBefore =>
  function* (before) {
    for (let last = before; ; ) {
      const newest = new NewestIds(MOST_IDS);
      for (const target of targets) {
        for (const { id } of idsOf(db).all(target, from, to, last)) newest.add(id);
        yield { rows: [], next: last };
      }
      const ids = newest.all();
      for (let at = SLICE; at - SLICE < ids.length; at += SLICE) {
        const some = ids.slice(at - SLICE, at);
        const next = at < ids.length || !newest.isAll ? some.at(-1) : undefined;
        yield { rows: byIds(db).all(JSON.stringify(some)).filter(isWanted), next };
      }
      if (newest.isAll) return;
      last = ids.at(-1) ?? 0;
    }
  };
