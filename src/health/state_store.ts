/** Current state: a row a target, put in place of the one before. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { FailureCategory } from "../provider/contract.ts";
import type { Evidence, Scope } from "./contract.ts";
import { findTarget, scopesById, targetsOfAsset } from "./target_store.ts";

interface StateRow {
  readonly target: number;
  readonly latest_attempt: string;
  readonly latest_started_at: number;
  readonly category: FailureCategory | null;
  readonly code: string | null;
  readonly next_retry_at: number | null;
  readonly success_attempt: string | null;
  readonly success_started_at: number | null;
  readonly covered_date: string | null;
  readonly failing_since: number | null;
  readonly recorded_at: number;
}

const COLUMNS = `target, latest_attempt, latest_started_at, category, code, next_retry_at, success_attempt, success_started_at,
  covered_date, failing_since, recorded_at`;

const find = statement<StateRow, [number]>(`SELECT ${COLUMNS} FROM health_state WHERE target = ?`);
const every = statement<StateRow, []>(
  `SELECT ${COLUMNS} FROM health_state WHERE target IN (SELECT id FROM health_target WHERE family = '') ORDER BY target`,
);

const put = statement<
  never,
  [
    number,
    string,
    number,
    string | null,
    string | null,
    number | null,
    string | null,
    number | null,
    string | null,
    number | null,
    number,
  ]
>(
  `INSERT INTO health_state (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (target) DO UPDATE SET latest_attempt = excluded.latest_attempt, latest_started_at = excluded.latest_started_at,
     category = excluded.category, code = excluded.code, next_retry_at = excluded.next_retry_at,
     success_attempt = excluded.success_attempt, success_started_at = excluded.success_started_at,
     covered_date = excluded.covered_date, failing_since = excluded.failing_since, recorded_at = excluded.recorded_at`,
);

/** What is known of a target by its number; undefined where nothing is, or what is stored of it cannot be read. */
export function evidenceOfTarget(db: Db, target: number): Evidence | undefined {
  const row = find(db).first(target);
  const evidence = row === undefined ? undefined : evidenceOf(row);
  return evidence === "unreadable" ? undefined : evidence;
}

/** What is known of a target; undefined where nothing is, or what is stored of it cannot be read. */
export function findEvidence(db: Db, scope: Scope): Evidence | undefined {
  const target = findTarget(db, scope);
  return target === undefined ? undefined : evidenceOfTarget(db, target);
}

/** Puts what is known of a target in place of what was. */
export function putEvidence(tx: Tx, target: number, evidence: Evidence): void {
  const { latest, success, failingSince, recordedAt } = evidence;
  put(tx).run(
    target,
    latest.attempt,
    latest.startedAt,
    latest.category,
    latest.code,
    latest.nextRetryAt,
    success?.attempt ?? null,
    success?.startedAt ?? null,
    success?.coveredDate ?? null,
    failingSince ?? null,
    recordedAt,
  );
}

/** What is known of a target, by its scope. */
export interface KnownState {
  readonly scope: Scope;
  /** `unreadable` where what is stored is no evidence. */
  readonly evidence: Evidence | "unreadable";
}

/**
 * What is known of every target but archive reports, of one site's where one is named ('' names those of whole connections), in the order in
 * which they came up.
 */
export function listHealthStates(db: Db, of: { readonly asset?: string } = {}): KnownState[] {
  const scopes = scopesById(db);
  const rows =
    of.asset === undefined
      ? every(db).all()
      : targetsOfAsset(db, of.asset).flatMap((target) => find(db).all(target));
  return rows.flatMap((row) => {
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
export function* everyState(db: Db): Generator<{
  readonly scope: Pick<Scope, "capability" | "asset" | "family">;
  readonly evidence: Evidence | "unreadable";
}> {
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
