/** The one way in and out of what is kept of reports. Plain statements: they run for every report of every site. */

import { dayNumber, dayOfNumber, type UtcDay, utcDayOf } from "../base/time.ts";
import type { Provider, ReportNote } from "../providers/adapter.ts";
import type { ReportRow } from "../providers/report_families.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { insight as insightTable } from "./archive_tables.ts";

// What the Tower keeps of a report's rows: the first few and what is needed to say how much of the whole they are. Never raw rows.

/** Rows that are kept of a report: what its table searches and sorts. */
export const MOST_KEPT_ROWS = 100;
/** Days that are kept of a report that lists days. */
export const MOST_KEPT_DAYS = 28;
/** URLs that are kept of each type of issue. */
export const MOST_KEPT_URLS = 50;
/** Reports of a family that are kept of a property, by date: more than the week that a change is told over. */
export const MOST_KEPT_DATES = 16;

/** What is kept of one report. */
export interface InsightBody {
  /** Rows of the report. */
  readonly rows: number;
  /** How many of them are of the newest week, where only those are looked at: what is summed up, and what the first rows are of. */
  readonly among?: number;
  /**
   * Sums over all of its rows by metric: what the rows cover, never a total (rows of pages count a search more than once, and a
   * top-row report leaves out the rest). Only of counts.
   */
  readonly sums: Readonly<Record<string, number>>;
  /** The first rows by the family's leading figure, at most `MOST_KEPT_ROWS`; of days the newest. */
  readonly top: readonly ReportRow[];
  readonly notes: readonly ReportNote[];
  /** Crawl issues: URLs by type of issue, at most 50 each, with how many there are. */
  readonly issues?: readonly {
    readonly type: string;
    readonly urls: readonly string[];
    readonly of: number;
  }[];
}

/** An insight as it is stored, with the report that it is made of. */
export interface Insight extends InsightBody, Pick<Row, "asset" | "provider" | "family" | "report"> {
  /** `2026-11-18` of the provider's calendar. */
  readonly date: string;
  /** When the report was asked for, in milliseconds since the epoch. */
  readonly observedAt: number;
}

/**
 * An insight's body as it is stored: JSON in which a row is one list, its keys and then its values, as one zstd frame. Both together make
 * it a fifth as long: addresses of one site are much alike, and there are four hundred bodies of a site.
 */

type StoredBody = Omit<InsightBody, "top"> & {
  /** How many of each row's places are keys. */
  readonly keys: number;
  readonly top: readonly (readonly (string | number | null)[])[];
};

function bodyBytes({ top, ...rest }: InsightBody): Uint8Array {
  const stored: StoredBody = {
    ...rest,
    keys: top[0]?.keys.length ?? 0,
    top: top.map(({ keys, values }) => [...keys, ...values]),
  };
  return Bun.zstdCompressSync(JSON.stringify(stored));
}

const utf8 = new TextDecoder();

/** Throws where the bytes are none. */
function bodyOf(bytes: Uint8Array): InsightBody {
  const { keys, top, ...rest } = JSON.parse(utf8.decode(Bun.zstdDecompressSync(bytes))) as StoredBody;
  return { ...rest, top: top.map((row) => rowOf(row, keys)) };
}

const rowOf = (row: readonly (string | number | null)[], keys: number): ReportRow => ({
  keys: row.slice(0, keys) as string[],
  values: row.slice(keys) as (number | null)[],
});

/** An insight without what it says. */
export type InsightHead = Readonly<Pick<Row, "id" | "target" | "family" | "date" | "report">> & {
  readonly provider: Provider;
};

const COLUMNS = ["target", "asset", "provider", "family", "date", "report", "observed_at", "body"] as const;

const put = statement<never, [number, string, string, string, number, number, number, Uint8Array]>(
  `INSERT INTO insight (${COLUMNS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (target, date) DO UPDATE SET asset = excluded.asset, provider = excluded.provider, family = excluded.family,
     report = excluded.report, observed_at = excluded.observed_at, body = excluded.body`,
);

// Of every property that the site had: one that it has no more leaves nothing behind for ever.
const dropOlder = statement<never, [string, string, string, string, string, string, number, number]>(
  `DELETE FROM insight WHERE asset = ? AND provider = ? AND family = ? AND date <
     (SELECT min(date) FROM (SELECT DISTINCT date FROM insight WHERE asset = ? AND provider = ? AND family = ? AND date <= ?
       ORDER BY date DESC LIMIT ?))`,
);

/**
 * Puts an insight in the place of the one of the same target and date, and drops what is older than the newest `MOST_KEPT_DATES` dates
 * of its family that had come when it was observed. `target` is the row of `archive_target`.
 */
export function putInsight(tx: Tx, insight: Insight, target: number): void {
  const { asset, provider, family, date, report, observedAt, ...body } = insight;
  const day = dayNumber(date as UtcDay);
  put(tx).run(target, asset, provider, family, day, report, observedAt, bodyBytes(body));
  const today = dayNumber(utcDayOf(observedAt));
  dropOlder(tx).run(asset, provider, family, asset, provider, family, today, MOST_KEPT_DATES);
}

type Row = typeof insightTable.$inferSelect;

const ROW = ["id", ...COLUMNS].join(", ");

const listed = statement<Row, [string, string, string, string | null, string | null, number]>(
  `SELECT ${ROW} FROM insight
   WHERE asset = ? AND provider >= ? AND provider <= ? AND (? IS NULL OR family = ?) AND date >= ?
   ORDER BY provider, family, date DESC, report DESC`,
);

/**
 * What is kept of a site's reports, by provider and family, the newest date first; where a date has several, of the latest report
 * first. `from` is a day number. One that cannot be unpacked is left out.
 */
export function listInsights(
  db: Db,
  of: {
    readonly asset: string;
    readonly provider?: Provider;
    readonly families?: readonly string[];
    readonly from?: number;
  },
): Insight[] {
  const { asset, provider = "", families, from = Number.MIN_SAFE_INTEGER } = of;
  const last = provider === "" ? "\u{10ffff}" : provider;
  const rows = (family: string | null) => listed(db).all(asset, provider, last, family, family, from);
  return (families === undefined ? rows(null) : families.flatMap(rows)).flatMap(
    (row) => insightOf(row) ?? [],
  );
}

const heads = statement<InsightHead, [string, number]>(
  `SELECT id, target, provider, family, date, report FROM insight WHERE asset = ? AND date <= ?
   ORDER BY provider, family, date DESC, report DESC`,
);

/** Which insights there are of a site up to a date (a day number), in the order of `listInsights`, without what they say. */
export function listHeads(db: Db, asset: string, to: number): InsightHead[] {
  return heads(db).all(asset, to);
}

const byId = statement<Row, [number]>(`SELECT ${ROW} FROM insight WHERE id = ?`);

/** One insight; undefined where there is none, or it cannot be unpacked. */
export function findInsight(db: Db, id: number): Insight | undefined {
  const row = byId(db).first(id);
  return row === undefined ? undefined : insightOf(row);
}

/** Undefined where its body cannot be unpacked: `check` names it, and no figure is read from it. */
function insightOf(row: Row): Insight | undefined {
  const { asset, provider, family, date, report, observed_at: observedAt, body } = row;
  try {
    return { ...bodyOf(body), asset, provider, family, date: dayOfNumber(date), report, observedAt };
  } catch {
    return undefined;
  }
}
