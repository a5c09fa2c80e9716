/** One report of either kind with the revisions around it: rows first, so that a body that cannot be read hides nothing else. */

import { Problem } from "../../base/problem.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import {
  CODEBASE as CODEBASE_OF_KIND,
  findReport,
  findReportBody,
  listReports,
  type StoredReport,
} from "../../reports/codebase.ts";
import { findPulseBody, findPulseRow, listRevisions, PULSE, type PulseRow } from "../../reports/pulse.ts";
import { type LogFilter, type LoggedReport, reportLog } from "../../reports/report_log.ts";
import type { Ignored } from "../../reports/reports.ts";
import type { Db } from "../../store/store.ts";
import { address, DAY, instantsOf, oneOf, PAGE } from "../kit/address.tsx";
import { type Read, readWhole } from "../layout.tsx";
import { paths } from "../paths.ts";

/** The log of a site's reports, of both kinds. */

export const REPORT_KINDS = ["nightly", "codebase"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
export type Logged = LoggedReport<ReportKind>;
export type Narrowed = LogFilter<ReportKind>;

export const REPORT_LOG = reportLog<ReportKind>({ nightly: PULSE, codebase: CODEBASE_OF_KIND });

/** Most revisions of a day that are listed. */
const MOST_REVISIONS = 100;

/** A revision of a day, as its row says it. */
export interface Revision {
  readonly date: UtcDay;
  readonly revision: number;
  readonly receivedAt: number;
  readonly generatedAt: number;
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

export interface OneReport<Row extends Revision = Revision> {
  readonly kind: ReportKind;
  readonly asset: string;
  readonly row: Row;
  /** The revisions of its day, newest first: the first of them is the current one. */
  readonly revisions: readonly Revision[];
  /** What was sent. */
  readonly body: Read<string>;
  /** The revision before it, with what that was; undefined for the first of its day. */
  readonly before: { readonly row: Row; readonly body: Read<string> } | undefined;
}

/** How the reports of a kind are read. */
export interface Kept<Row extends Revision> {
  readonly kind: ReportKind;
  row(db: Db, asset: string, date: UtcDay, revision: number): Row | undefined;
  /** The newest revisions of a day. */
  day(db: Db, asset: string, date: UtcDay): readonly Row[];
  body(db: Db, row: Row): string;
}

export const NIGHTLY: Kept<PulseRow> = {
  kind: "nightly",
  row: findPulseRow,
  day: (db, asset, date) => listRevisions(db, asset, date, MOST_REVISIONS),
  body: findPulseBody,
};

export const CODEBASE: Kept<StoredReport> = {
  kind: "codebase",
  row: findReport,
  day: (db, asset, date) =>
    listReports(db, { asset, from: date, to: date, allRevisions: true }, MOST_REVISIONS),
  body: findReportBody,
};

/** What an address names of a site's reports. */
export interface NamedReport {
  readonly asset: string;
  readonly date: string;
  readonly revision: string;
}

/** The report that an address names. Throws a `Problem` where it names none. */
export function oneReport<Row extends Revision>(db: Db, kept: Kept<Row>, named: NamedReport): OneReport<Row> {
  const { asset } = named;
  const { date, revision } = placeOf(named);
  const revisions = kept.day(db, asset, date);
  const rowOf = (of: number) => revisions.find((one) => one.revision === of) ?? kept.row(db, asset, date, of);
  const bodyOf = (row: Row) => readWhole(() => kept.body(db, row));
  const row = revisions.length === 0 ? undefined : rowOf(revision);
  if (row === undefined) throw noSuchReport();
  const before = revision === 1 ? undefined : rowOf(revision - 1);
  return {
    kind: kept.kind,
    asset,
    row,
    revisions,
    body: bodyOf(row),
    before: before === undefined ? undefined : { row: before, body: bodyOf(before) },
  };
}

/**
 * What was sent, byte for byte as it is kept. Throws a `Problem` where the address names no report, a `DamagedRow` where it is
 * damaged.
 */
export function sentText<Row extends Revision>(db: Db, kept: Kept<Row>, named: NamedReport): string {
  const { date, revision } = placeOf(named);
  const row = kept.row(db, named.asset, date, revision);
  if (row === undefined) throw noSuchReport();
  return kept.body(db, row);
}

function placeOf(named: NamedReport): { readonly date: UtcDay; readonly revision: number } {
  const date = parseUtcDay(named.date);
  if (date === undefined || !/^[1-9]\d{0,8}$/.test(named.revision)) throw noSuchReport();
  return { date, revision: Number(named.revision) };
}

function noSuchReport(): Problem {
  return new Problem("not-found", "No such report.");
}

/** What the log of a site's reports shows, as its address says it. */

/** A kind of report, and the days of receiving, both included. */
export const logAddress = address({ kind: oneOf(REPORT_KINDS, null), from: DAY, to: DAY, page: PAGE });

export type LogQuery = typeof logAddress.usual;
export const WHOLE_LOG: LogQuery = logAddress.usual;

/** The log of a site with this query. */
export function logHref(asset: string, query: Partial<LogQuery>): string {
  return `${paths.reports(asset)}${logAddress.search(query)}`;
}

/** The query as the store reads it. */
export function logFilter(asset: string, query: LogQuery): Narrowed {
  return {
    asset,
    kind: query.kind,
    ...instantsOf(query),
  };
}
