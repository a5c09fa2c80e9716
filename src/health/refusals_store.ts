/** Kinds in one transaction: writing them must not hold up a report. */

import type { Logger } from "@logtape/logtape";
import { and, asc, desc, eq } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { logOf } from "../base/log.ts";
import type { ProblemCode } from "../base/problem.ts";
import type { FailureCategory } from "../providers/faults.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { recordBeside, resultOf } from "./record.ts";
import { REPORT_ROUTES, type RefusedReport, RefusedReports, type Sending, type Streak } from "./refusals.ts";
import { ingestScope } from "./scopes.ts";

/** What a refusal says of the sending, in the categories by which the health of every integration is told. */

const CATEGORIES: Partial<Record<ProblemCode, FailureCategory>> = {
  // The sender is known, and what it asks for is not its own.
  unauthenticated: "access",
  "insufficient-scope": "access",
  "asset-mismatch": "access",
  "too-many-requests": "rate_limit",
  // How it is sent, not what: the report itself was never looked at.
  "unsupported-media-type": "configuration",
  "unsupported-encoding": "configuration",
  // The report did not arrive whole: nothing can be said of what stands in it.
  "request-timeout": "network",
  "incomplete-body": "incomplete_report",
  // Nothing is wrong with the report: the service could not keep it.
  "internal-error": "monitoring_failure",
  "storage-unavailable": "monitoring_failure",
};

/** The category of a refusal by its code; whatever is not named here is something about the report that the sender can put right. */
export function refusalCategory(code: string): FailureCategory {
  return CATEGORIES[code as ProblemCode] ?? "invalid_report";
}

/**
 * Refused reports of known senders: one row for each kind of refusal of a site and route, the newest few kinds of each. What was
 * refused is no report, so none of it is kept for ever.
 */

export const refusedReport = sqliteTable(
  "refused_report",
  {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    /** The first broken rules. */
    faults: text("faults", { mode: "json" }).$type<RefusedReport["faults"]>().notNull(),
    /** Broken rules beyond those. */
    more: integer("more").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    uniqueIndex("refused_report_kind").on(t.asset, t.route, t.code, t.faults),
    index("refused_report_newest").on(t.asset, t.route, t.lastAt),
  ],
);

/** Refusals in a row: how many of a site and route since the last good report, and what the latest was. */
export const refusedStreak = sqliteTable(
  "refused_streak",
  {
    asset: text("asset").notNull(),
    route: text("route").notNull(),
    count: integer("count").notNull(),
    lastAt: integer("last_at").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    faults: text("faults", { mode: "json" }).$type<Streak["faults"]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.route] })],
);

/** Kinds of refusal kept of a site and route: the newest ones. */

export const MOST_KEPT = 50;

const putKind = statement<never, [string, string, number, string, string, number, number, number, number]>(
  `INSERT INTO refused_report (asset, route, status, code, faults, more, first_at, last_at, count)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, route, code, faults) DO UPDATE
   SET last_at = excluded.last_at, more = excluded.more, count = count + excluded.count`,
);

const dropOldest = statement<never, [string, string, string, string, number]>(
  `DELETE FROM refused_report WHERE asset = ? AND route = ? AND id NOT IN (
     SELECT id FROM refused_report WHERE asset = ? AND route = ? ORDER BY last_at DESC, id DESC LIMIT ?)`,
);

const putStreak = statement<never, [string, string, number, number, number, string, string]>(
  `INSERT INTO refused_streak (asset, route, count, last_at, status, code, faults) VALUES (?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, route) DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at,
     status = excluded.status, code = excluded.code, faults = excluded.faults`,
);

const dropStreak = statement<never, [string, string]>(
  "DELETE FROM refused_streak WHERE asset = ? AND route = ?",
);

const dropKinds = statement<never, [string]>("DELETE FROM refused_report WHERE asset = ?");
const dropStreaks = statement<never, [string]>("DELETE FROM refused_streak WHERE asset = ?");

/** Forgets what was refused of a site that is taken out. */
export function forgetRefusals(tx: Tx, asset: string): void {
  dropKinds(tx).run(asset);
  dropStreaks(tx).run(asset);
}

/** What was refused of a site, the latest first; at most `MOST_KEPT` for each route. */
export function listRefused(db: Db, asset: string, route?: string): RefusedReport[] {
  return db
    .select()
    .from(refusedReport)
    .where(
      and(eq(refusedReport.asset, asset), route === undefined ? undefined : eq(refusedReport.route, route)),
    )
    .orderBy(desc(refusedReport.lastAt), desc(refusedReport.id))
    .all();
}

/** The latest of the refusals in a row of a site and route. */
export type StreakEnd = Pick<Streak, "asset" | "route" | "code" | "lastAt" | "count">;

const streakEnds = statement<StreakEnd, []>(
  "SELECT asset, route, code, last_at AS lastAt, count FROM refused_streak ORDER BY asset, route",
);

/** Where refusals in a row stand, without what the reports were refused for. */
export const listStreakEnds = (db: Db): StreakEnd[] => streakEnds(db).all();

/** Where refusals in a row stand: of one site or of all. */
export function listStreaks(db: Db, asset?: string): Streak[] {
  return db
    .select()
    .from(refusedStreak)
    .where(asset === undefined ? undefined : eq(refusedStreak.asset, asset))
    .orderBy(asc(refusedStreak.asset), asc(refusedStreak.route))
    .all();
}

const SLICE = 100;

/** The book of refused reports, as it stands after what was written down before. */
export function loadRefusals(db: Db): RefusedReports {
  return new RefusedReports(listStreaks(db));
}

/**
 * Writes down, and logs, what was refused since the last call; what cannot be written down waits for the next one. Health gets one outcome for
 * each site and route, however many refusals there were. A good report costs its answer nothing: that it came is read from what is stored of
 * it, and only one that ends refusals in a row is recorded here.
 */
export async function flushRefusals(
  writer: Pick<Writer, "write">,
  book: RefusedReports,
  workspace: string,
  log: Logger = logOf("ingest"),
): Promise<void> {
  const unknown = book.takeUnknown();
  if (unknown !== undefined) log.warn("reports without a known site token were refused", { ...unknown });
  for (let batch = book.take(SLICE); batch !== undefined; batch = book.take(SLICE)) {
    const { kinds, streaks, ended } = batch;
    try {
      await writer.write((tx) => {
        for (const streak of ended) {
          dropStreak(tx).run(streak.asset, streak.route);
          record(tx, workspace, streak, `accepted:${streak.at}`, streak.at);
        }
        for (const streak of streaks) {
          const { asset, route, count, lastAt, status, code, faults } = streak;
          putStreak(tx).run(asset, route, count, lastAt, status, code, JSON.stringify(faults));
          record(tx, workspace, streak, `refused:${lastAt}:${code}`, lastAt, refusalCategory(code));
        }
        for (const { asset, route, status, code, faults, more, firstAt, lastAt, count } of kinds) {
          putKind(tx).run(asset, route, status, code, JSON.stringify(faults), more, firstAt, lastAt, count);
        }
        const sendings = new Map(kinds.map((kind) => [`${kind.asset} ${kind.route}`, kind]));
        for (const { asset, route } of sendings.values())
          dropOldest(tx).run(asset, route, asset, route, MOST_KEPT);
      });
    } catch (error) {
      book.giveBack(batch);
      throw error;
    }
    for (const { asset, route, status, code, faults, more, count } of kinds) {
      log.warn("reports were refused", { asset, route, status, code, faults, more, count });
    }
  }
}

const REPORTS = Object.entries(REPORT_ROUTES) as [keyof typeof REPORT_ROUTES, string][];

function record(
  tx: Tx,
  workspace: string,
  { asset, route }: Sending,
  attempt: string,
  at: number,
  category?: FailureCategory,
): void {
  const report = REPORTS.find(([, known]) => known === route)?.[0];
  if (report === undefined) return;
  const result = resultOf(category === undefined ? undefined : { category, code: null });
  recordBeside(tx, ingestScope(workspace, asset, report), { attempt, startedAt: at, observedAt: at, result });
}
