/** Reports of one kind: one row per accepted report, as revisions of its UTC day, and its body beside it. */
import type { ReportFilter } from "../assets/mod.ts";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import { bodyStore } from "./body_store.ts";
import { type ReportKind, type ReportRow, ROW_COLUMNS } from "./kind.ts";

/** A report to append, with its body and the columns of its kind. */
export type NewReport<Own extends object> = Omit<ReportRow, "id" | "revision"> & {
  readonly body: string;
} & Own;

/** A stored report without its body. */
export type StoredRow<Own extends object> = ReportRow & Own;

/** Where an appended report lies. */
export interface Appended {
  /** Counted from 1 within its day. */
  readonly revision: number;
  /** No report of the site is for a later day that has come, so that this one is its latest. */
  readonly isLatest: boolean;
}

/** The reports of one kind. */
export interface ReportStore<Own extends object> {
  /** Appends a report as the next revision of its day. Its id is then the one inserted last. */
  append(tx: Tx, report: NewReport<Own>): Appended;
  /** The newest day, not ahead of `now`, on which a site has a report. */
  newestDay(db: Db, asset: string, now: number): UtcDay | undefined;
  /** The latest report of a site: the newest revision of its newest day that does not lie ahead of `now`. */
  latest(db: Db, asset: string, now: number): StoredRow<Own> | undefined;
  find(db: Db, asset: string, date: UtcDay, revision: number): StoredRow<Own> | undefined;
  findById(db: Db, id: number): StoredRow<Own> | undefined;
  /** Newest first by date then revision, at most `limit`. */
  list(db: Db, filter: ReportFilter, limit: number): StoredRow<Own>[];
  /** The body of a report, as it was sent. */
  bodyOf(db: Db, report: Pick<ReportRow, "id" | "asset">): string;
}

/** The store of a kind of report; `Own` are the columns that only it has. */
export function reportStore<Own extends object>(kind: ReportKind): ReportStore<Own> {
  type Row = StoredRow<Own>;
  const { rows, own } = kind;
  const bodies = bodyStore(kind);
  const columns = [...ROW_COLUMNS, ...own];
  const all = ["id", ...columns].join(", ");

  const insert = statement<never, (string | number | null)[]>(
    `INSERT INTO ${rows} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  const newestUpTo = statement<{ date: UtcDay; revision: number }, [string, string, string]>(
    `SELECT date, revision FROM ${rows} WHERE asset = ? AND date <= max(?, ?) ORDER BY date DESC, revision DESC LIMIT 1`,
  );
  const lastRevision = statement<{ revision: number }, [string, string]>(
    `SELECT revision FROM ${rows} WHERE asset = ? AND date = ? ORDER BY revision DESC LIMIT 1`,
  );
  const latestUpTo = statement<Row, [string, string]>(
    `SELECT ${all} FROM ${rows} WHERE asset = ? AND date <= ? ORDER BY date DESC, revision DESC LIMIT 1`,
  );
  const one = statement<Row, [string, string, number]>(
    `SELECT ${all} FROM ${rows} WHERE asset = ? AND date = ? AND revision = ?`,
  );
  const byId = statement<Row, [number]>(`SELECT ${all} FROM ${rows} WHERE id = ?`);
  const between = (current: string) =>
    statement<Row, [string, string, string, string, number, number]>(
      `SELECT ${all} FROM ${rows} AS report
       WHERE asset = ? AND date BETWEEN ? AND ? AND (date, revision) < (?, ?) ${current}
       ORDER BY date DESC, revision DESC LIMIT ?`,
    );
  const every = between("");
  const current = between(
    `AND revision = (SELECT max(later.revision) FROM ${rows} AS later
       WHERE later.asset = report.asset AND later.date = report.date)`,
  );

  return {
    append: (tx, report) => {
      const { asset, date, received_at } = report;
      const newest = newestUpTo(tx).first(asset, date, newestDay(received_at));
      const isLatest = newest === undefined || newest.date <= date;
      const last =
        newest?.date === date ? newest : isLatest ? undefined : lastRevision(tx).first(asset, date);
      const row = { ...report, revision: (last?.revision ?? 0) + 1 };
      const values = columns.map((column) => row[column as keyof typeof row] as string | number | null);
      insert(tx).run(...values);
      bodies.append(tx, asset, report.body);
      return { revision: row.revision, isLatest };
    },
    newestDay: (db, asset, now) => newestUpTo(db).first(asset, "", newestDay(now))?.date,
    latest: (db, asset, now) => latestUpTo(db).first(asset, newestDay(now)),
    find: (db, asset, date, revision) => one(db).first(asset, date, revision),
    findById: (db, id) => byId(db).first(id),
    list: (db, { asset, from = FIRST, to = LAST, allRevisions, after }, limit) =>
      (allRevisions ? every : current)(db).all(
        asset,
        from,
        to,
        after?.date ?? BEYOND,
        after?.revision ?? 0,
        limit,
      ),
    bodyOf: bodies.read,
  };
}

/** Before and after every day, as text compares. */
const FIRST = "";
const LAST = "\u{10ffff}";
const BEYOND = "\u{10ffff}";
