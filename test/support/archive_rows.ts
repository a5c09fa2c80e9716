/** Rows of the archive as its job writes them, put in directly: for what reads them. */
import {
  ARCHIVE_NOTES,
  ARCHIVE_OUTCOMES,
  type ArchiveNote,
  type ArchiveOutcome,
  isUsable,
} from "../../src/archive/contract.ts";
import { rowDigester, type Store } from "../../src/db/mod.ts";
import { FAILURE_CATEGORIES, type FailureCategory, type Provider } from "../../src/provider/contract.ts";

export interface WrittenTarget {
  readonly asset: string;
  readonly provider: Provider;
  readonly family: string;
  readonly connectionRevision?: string;
  readonly property?: string;
}

export interface WrittenAttempt {
  readonly target: number;
  /** Day number. */
  readonly date: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: ArchiveOutcome;
  /** The row of `job_run`. */
  readonly run?: number;
  readonly category?: FailureCategory;
  readonly code?: string;
  readonly nextRetryAt?: number;
  /** The row of `archive_object`. */
  readonly object?: number;
  readonly notes?: readonly ArchiveNote[];
  readonly rangeFrom?: number;
}

const TARGET = ["asset", "provider", "connection_revision", "property", "family"] as const;
const OBJECT = ["sha256", "bytes", "stored_bytes", "stored_sha256", "content", "rows", "stored_at"] as const;
const REPORT = [
  "run",
  "target",
  "date",
  "range_from",
  "attempted_at",
  "took_ms",
  "outcome",
  "category",
  "failure_code",
  "next_retry_at",
  "requests",
  "object",
  "complete",
  "notes",
] as const;

/** Writes into the archive's tables, in the order in which it is asked to. */
export function archiveRows({ raw }: Pick<Store, "raw">) {
  const inserter = <C extends string>(table: string, columns: readonly C[]) => {
    const digestOf = rowDigester(columns);
    const insert = raw.prepare<{ id: number }, (string | number | Uint8Array | null)[]>(
      `INSERT INTO ${table} (${columns.join()}, row_digest) VALUES (${columns.map(() => "?").join()}, ?) RETURNING id`,
    );
    return (row: Readonly<Record<C, string | number | Uint8Array | null>>): number =>
      insert.all(...columns.map((column) => row[column]), digestOf(row))[0]?.id ?? 0;
  };
  const insertTarget = inserter("archive_target", TARGET);
  const insertObject = inserter("archive_object", OBJECT);
  const insertReport = inserter("archive_report", REPORT);
  const putDay = raw.prepare(
    `INSERT INTO archive_day (target, date, latest, good, failing) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET latest = ?3, good = coalesce(?4, good), failing = ?5`,
  );
  const putStanding = raw.prepare(
    `INSERT INTO archive_standing (target, dates, failing, last_date, latest, usable) VALUES (?1, 1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET dates = dates + 1, last_date = max(last_date, ?3), latest = ?4, usable = coalesce(?5, usable)`,
  );
  return {
    target: ({
      asset,
      provider,
      family,
      connectionRevision = "revision-1",
      property = `of-${asset}`,
    }: WrittenTarget) =>
      insertTarget({ asset, provider, family, property, connection_revision: connectionRevision }),
    /** An object of bytes that nobody has: named by the hash of its seed. */
    object: (seed: string, { bytes = 48_000, stored = 6_200, rows = 812, at = 0 } = {}) => {
      const hash = (of: string) => new Bun.CryptoHasher("sha256").update(of).digest();
      return insertObject({
        sha256: hash(seed),
        bytes,
        stored_bytes: stored,
        stored_sha256: hash(`${seed} gz`),
        content: hash(`${seed} content`),
        rows,
        stored_at: at,
      });
    },
    attempt: (attempt: WrittenAttempt) => {
      const { target, date, at, outcome, run = 1, category, code, object, notes = [], rangeFrom } = attempt;
      const id = insertReport({
        run,
        target,
        date,
        range_from: rangeFrom ?? null,
        attempted_at: at,
        took_ms: 412,
        outcome: ARCHIVE_OUTCOMES.indexOf(outcome),
        category: category === undefined ? null : FAILURE_CATEGORIES.indexOf(category),
        failure_code: code ?? null,
        next_retry_at: attempt.nextRetryAt ?? null,
        requests: outcome === "source_lag" ? 0 : 1,
        object: object ?? null,
        complete: object !== undefined && outcome !== "incomplete" ? 1 : 0,
        notes: notes.reduce((bits, note) => bits | (1 << ARCHIVE_NOTES.indexOf(note)), 0),
      });
      const good = isUsable(outcome) && outcome !== "source_lag" ? id : null;
      const failing = isUsable(outcome) ? 0 : 1;
      putDay.run(target, date, id, good, failing);
      putStanding.run(target, failing, date, id, good);
      return id;
    },
    skip: (target: number, reason: string, at: number) =>
      raw.run("INSERT INTO archive_skip (target, reason, seen_at) VALUES (?, ?, ?)", [target, reason, at]),
    damage: (sha256: string, fault: string, at: number) =>
      raw.run("INSERT INTO archive_damage (sha256, fault, found_at, seen_at) VALUES (?, ?, ?, ?)", [
        sha256,
        fault,
        at,
        at,
      ]),
  };
}
