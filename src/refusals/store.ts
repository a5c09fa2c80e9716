import { and, asc, desc, eq } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { RefusedReport, Sending, Streak } from "./contract.ts";
import { refusedReport, refusedStreak } from "./table.ts";

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

/** Adds refusals of one kind to those of before. */
export function addRefused(tx: Tx, refused: RefusedReport): void {
  const { asset, route, status, code, faults, more, firstAt, lastAt, count } = refused;
  putKind(tx).run(asset, route, status, code, JSON.stringify(faults), more, firstAt, lastAt, count);
}

/** Keeps the newest kinds of a site and route. */
export function keepNewest(tx: Tx, { asset, route }: Sending): void {
  dropOldest(tx).run(asset, route, asset, route, MOST_KEPT);
}

/** Adds to the refusals in a row of a site and route. */
export function addToStreak(tx: Tx, streak: Streak): void {
  const { asset, route, count, lastAt, status, code, faults } = streak;
  putStreak(tx).run(asset, route, count, lastAt, status, code, JSON.stringify(faults));
}

/** Ends the refusals in a row. */
export function endStreak(tx: Tx, { asset, route }: Sending): void {
  dropStreak(tx).run(asset, route);
}

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
    .orderBy(desc(refusedReport.last_at), desc(refusedReport.id))
    .all()
    .map(({ first_at, last_at, faults, ...row }) => ({
      ...row,
      faults: JSON.parse(faults) as RefusedReport["faults"],
      firstAt: first_at,
      lastAt: last_at,
    }));
}

/** The latest of the refusals in a row of a site and route. */
export type StreakEnd = Pick<Streak, "asset" | "route" | "code" | "lastAt" | "count">;

const streakEnds = statement<StreakEnd, []>(
  "SELECT asset, route, code, last_at AS lastAt, count FROM refused_streak ORDER BY asset, route",
);

/** Where refusals in a row stand, without what the reports were refused for. */
export function listStreakEnds(db: Db): StreakEnd[] {
  return streakEnds(db).all();
}

/** Where refusals in a row stand: of one site or of all. */
export function listStreaks(db: Db, asset?: string): Streak[] {
  return db
    .select()
    .from(refusedStreak)
    .where(asset === undefined ? undefined : eq(refusedStreak.asset, asset))
    .orderBy(asc(refusedStreak.asset), asc(refusedStreak.route))
    .all()
    .map(({ last_at, faults, ...row }) => ({
      ...row,
      faults: JSON.parse(faults) as Streak["faults"],
      lastAt: last_at,
    }));
}
