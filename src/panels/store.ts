/** Panels and what was asked for them: queries, adding and removing. */
import { and, asc, desc, eq, gte, inArray, isNull, lt, max, ne, sql } from "drizzle-orm";
import { findAsset } from "../assets/mod.ts";
import { appendAudit } from "../audit/mod.ts";
import { type Db, statement, type Tx, type Writer } from "../db/mod.ts";
import type { Ids } from "../platform/ids.ts";
import {
  DAY_MS,
  hostOf,
  monthlyPrice,
  NANO_OF_CENT,
  type NewPanel,
  type Panel,
  type PanelRun,
  usd,
} from "./contract.ts";
import { panel, panelResult, panelRun } from "./table.ts";

/** Panels that are not removed, the oldest first; of one site where it is named. */
export function listPanels(db: Db, asset?: string): Panel[] {
  const where = and(isNull(panel.removed_at), asset === undefined ? undefined : eq(panel.asset, asset));
  return db.select().from(panel).where(where).orderBy(asc(panel.created_at), asc(panel.id)).all();
}

/** A panel, a removed one too. */
export const findPanel = (db: Db, id: string): Panel | undefined =>
  db.select().from(panel).where(eq(panel.id, id)).get();

/** Who does it, and when in milliseconds since the epoch. */
interface By {
  readonly actor: string;
  readonly now: number;
}

/** Adds a panel of a site; a text says why not. A question is asked by one panel alone: it would be paid for twice. */
export function addPanel(
  { writer, ids }: { readonly writer: Writer; readonly ids: Ids },
  asked: NewPanel,
  { actor, now }: By,
): Promise<Panel | string> {
  return writer.write((tx): Panel | string => {
    const { asset, ...detail } = asked;
    const site = findAsset(tx, asset);
    if (site === undefined) return `There is no site ${asset}.`;
    if (hostOf(site) === undefined) {
      return `${asset} has no address to look for: tower asset add ${asset} --url https://…`;
    }
    const keys = ["keyword", "location", "language", "device"] as const;
    const same = listPanels(tx, asset).find((known) => keys.every((key) => known[key] === asked[key]));
    if (same !== undefined)
      return `Panel ${same.id} already has this keyword, location, language and device.`;
    const row = { ...asked, id: ids.uuid(), created_at: now, removed_at: null };
    tx.insert(panel).values(row).run();
    const most = { panel: row.id, ...detail, usd_in_30_days: usd(monthlyPrice(asked)) };
    appendAudit(tx, { at: now, actor, act: "panel.add", target: asset, detail: most });
    return row;
  });
}

/** Removes panels of a site, with an audit row for each. What their runs found and cost stays. */
export function removePanels(tx: Tx, panels: readonly Panel[], { actor, now }: By): void {
  for (const { id, asset, keyword } of panels) {
    tx.update(panel).set({ removed_at: now }).where(eq(panel.id, id)).run();
    appendAudit(tx, { at: now, actor, act: "panel.remove", target: asset, detail: { panel: id, keyword } });
  }
}

const runs = (db: Db) =>
  db
    .select({ panel, run: panelRun, result: panelResult })
    .from(panelRun)
    .innerJoin(panel, eq(panel.id, panelRun.panel))
    .leftJoin(panelResult, eq(panelResult.id, panelRun.id));

/** Which runs; `before` is a row, the times are milliseconds since the epoch. */
export interface WantedRuns {
  readonly asset?: string | undefined;
  readonly panel?: string | undefined;
  readonly outcome?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly before?: number | undefined;
}

/** Runs, the newest first. A question without an answer is one that failed. */
export function listRuns(db: Db, { asset, panel: id, outcome, from, to, before }: WantedRuns, limit: number) {
  const where = and(
    asset === undefined ? undefined : eq(panel.asset, asset),
    id === undefined ? undefined : eq(panelRun.panel, id),
    outcome === undefined ? undefined : eq(sql`coalesce(${panelResult.outcome}, 'failed')`, outcome),
    from === undefined ? undefined : gte(panelRun.asked_at, from),
    to === undefined ? undefined : lt(panelRun.asked_at, to),
    before === undefined ? undefined : lt(panelRun.id, before),
  );
  return runs(db).where(where).orderBy(desc(panelRun.id)).limit(limit).all();
}

/** The newest run of each panel. */
export function lastRuns(db: Db): ReadonlyMap<string, PanelRun> {
  const newest = db
    .select({ id: max(panelRun.id) })
    .from(panelRun)
    .groupBy(panelRun.panel);
  const found = runs(db).where(inArray(panelRun.id, newest)).all();
  return new Map(found.map((one) => [one.panel.id, one]));
}

/** Questions of which nothing is stored but that they were asked, but for those of a run under way. */
export const listUnanswered = (db: Db, except: number): PanelRun[] =>
  runs(db)
    .where(and(isNull(panelResult.id), ne(panelRun.run, except)))
    .all();

export const insertRun = (tx: Tx, row: Omit<PanelRun["run"], "id">): PanelRun["run"] =>
  tx.insert(panelRun).values(row).returning().get();

export const insertResult = (tx: Tx, row: NonNullable<PanelRun["result"]>): void =>
  void tx.insert(panelResult).values(row).run();

// What was charged where it is known, else the price: never less than was charged.
const SPENT = `SELECT coalesce(sum(coalesce(e.charged, r.price)), 0) AS nano
  FROM panel_run r JOIN panel p ON p.id = r.panel LEFT JOIN panel_result e ON e.id = r.id`;
const spent = statement<{ nano: number }, [number, number]>(
  `${SPENT} WHERE r.asked_at >= ? AND r.asked_at < ?`,
);
const spentOf = statement<{ nano: number }, [string, number]>(
  `${SPENT} WHERE p.asset = ? AND r.asked_at < ?`,
);
const daysOf = statement<{ day: number }, [string, number]>(
  `SELECT DISTINCT r.asked_at / ${DAY_MS} AS day FROM panel_run r JOIN panel p ON p.id = r.panel
   WHERE p.asset = ? AND r.asked_at >= ? ORDER BY day`,
);

/** The sum of all questions of a span of time, in billionths of a dollar. */
export const spentBetween = (db: Db, from: number, to: number): number =>
  spent(db).first(from, to)?.nano ?? 0;

/**
 * A site's cents for each UTC day from that of a moment on: what its running sum, rounded up, grew by. All days together differ from the
 * exact sum by less than a cent, and are never below it.
 */
export function bookedDays(db: Db, asset: string, since: number) {
  const until = (day: number) =>
    Math.ceil((spentOf(db).first(asset, day * DAY_MS)?.nano ?? 0) / NANO_OF_CENT);
  const days = daysOf(db).all(asset, Math.floor(since / DAY_MS) * DAY_MS);
  return days.map(({ day }) => ({ day, cents: until(day + 1) - until(day) }));
}
