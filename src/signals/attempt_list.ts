/** Attempts by their names: runs and targets never change, so that what was read once of them is kept. */

import type { AccountProvider } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../providers/faults.ts";
import { runNames } from "../store/job_runs.ts";
import { columnsOf, type Page, type Stretch, searchRows } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import { attemptsOfPack, lastPackedAttempt, type PackSearch, packThatMayHold } from "./attempt_packs.ts";
import { type AttemptRow, endOfAttempt, PULL_OUTCOMES, type PullOutcome, targetsById } from "./attempts.ts";
import { pullAttempt } from "./tables.ts";

/** An attempt as it is told. Times are milliseconds since the epoch. */
export type NamedAttempt = ReturnType<typeof named>;

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

type NamedStretch = Stretch<NamedAttempt>;

/** The newest attempts with lesser ids than `before`, named. */
export function namedAttempts(
  db: Db,
  wanted: WantedAttempts,
  page: Page,
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
  return searchRows(piecesOf(db, filter), page, (row) => named(db, row));
}

function named(db: Db, row: AttemptRow) {
  return {
    id: row.id,
    ...runNames(db, row.run),
    /** Undefined where its row is gone, which is a fault. */
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

/** The same by numbers. */
interface AttemptFilter extends Pick<WantedAttempts, "run" | "from" | "to"> {
  readonly targets?: ReadonlySet<number> | undefined;
  /** Whether a run is of the job that is asked for. */
  readonly isOfJob?: ((run: number) => boolean) | undefined;
  /** Places in `PULL_OUTCOMES` and `FAILURE_CATEGORIES`. */
  readonly outcome?: number | undefined;
  readonly category?: number | undefined;
}

/** Loose attempts looked at at once; a pack is as long as it is. */
const SLICE = 512;

/** The newest attempts that the filter takes, over those that are loose and those in packs, as one list. */
export const readAttempts = (db: Db, filter: AttemptFilter, page: Page) =>
  searchRows(piecesOf(db, filter), page, (row) => row);

const piecesOf = (db: Db, filter: AttemptFilter) =>
  function* (start: number): Generator<Stretch<AttemptRow>> {
    for (let before: number | undefined = start; before !== undefined; ) {
      // What is packed may grow between two pieces.
      const packed = lastPackedAttempt(db);
      const piece: Stretch<AttemptRow> =
        before > packed + 1 ? loosePiece(db, filter, before, packed) : packedPiece(db, filter, before);
      yield piece;
      before = piece.next;
    }
  };

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

function loosePiece(db: Db, filter: AttemptFilter, before: number, packed: number): Stretch<AttemptRow> {
  const { run, targets } = filter;
  const found =
    run !== undefined
      ? looseOfRun(db).all(run, before, packed, SLICE)
      : targets !== undefined && targets.size <= FEW_TARGETS
        ? looseOfTargets(db).all(JSON.stringify([...targets]), before, packed, SLICE)
        : looseBefore(db).all(before, packed, SLICE);
  // Where nothing is packed it is the end: a short list is of one moment, however slow the machine is.
  const end = packed === 0 ? undefined : packed + 1;
  const next = found.length === SLICE ? found.at(-1)?.id : end;
  return { rows: found.filter((row) => takes(filter, row)), next };
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

function packedPiece(db: Db, filter: AttemptFilter, before: number): Stretch<AttemptRow> {
  const { run, outcome, category, from, to, targets } = filter;
  if (targets?.size === 0) return { rows: [], next: undefined };
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
  if (head === undefined) return { rows: [], next: undefined };
  const rows = attemptsOfPack(db, head.id)
    .slice(0, Math.max(0, before - head.first))
    .filter((row) => takes(filter, row))
    .reverse();
  return { rows, next: head.first };
}
