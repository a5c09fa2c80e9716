/** Panels and what was asked for them: queries, adding and removing. */

import { and, asc, desc, eq, gte, inArray, isNull, lt, max, ne, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text as textOfDrizzleOrmSqliteCore } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import type { Ids } from "../base/base.ts";
import { AssetIdSchema, hasControl, rule, ruleMessage, text } from "../base/contract.ts";
import { DAY_MS } from "../base/time.ts";
import { type Asset, findAsset } from "../sites/sites.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

export const panel = sqliteTable(
  "panel",
  {
    id: textOfDrizzleOrmSqliteCore("id").primaryKey(),
    asset: textOfDrizzleOrmSqliteCore("asset").notNull(),
    keyword: textOfDrizzleOrmSqliteCore("keyword").notNull(),
    /** The provider's code of a place. */
    location: integer("location").notNull(),
    language: textOfDrizzleOrmSqliteCore("language").notNull(),
    device: textOfDrizzleOrmSqliteCore("device", { enum: ["desktop", "mobile"] }).notNull(),
    depth: integer("depth").notNull(),
    /** Days between two runs. */
    every: integer("every").notNull(),
    created_at: integer("created_at").notNull(),
    removed_at: integer("removed_at"),
  },
  (t) => [index("panel_of_asset").on(t.asset)],
);

/** A paid question, written before it is sent, with its price: what it may cost is known even where its answer never is. Append-only. */
export const panelRun = sqliteTable(
  "panel_run",
  {
    id: integer("id").primaryKey(),
    panel: textOfDrizzleOrmSqliteCore("panel").notNull(),
    /** The run's row in `job_run`. */
    run: integer("run").notNull(),
    connection_revision: textOfDrizzleOrmSqliteCore("connection_revision").notNull(),
    asked_at: integer("asked_at").notNull(),
    /** Billionths of a dollar, as in every column of money here. */
    price: integer("price").notNull(),
  },
  (t) => [index("panel_run_of_panel").on(t.panel, t.id), index("panel_run_asked").on(t.asked_at)],
);

/** The result of a question. Append-only. */
export const panelResult = sqliteTable("panel_result", {
  /** The row of `panel_run`. */
  id: integer("id").primaryKey(),
  outcome: textOfDrizzleOrmSqliteCore("outcome", { enum: ["found", "not_in_depth", "failed"] }).notNull(),
  code: textOfDrizzleOrmSqliteCore("code"),
  position: integer("position"),
  rank_absolute: integer("rank_absolute"),
  url: textOfDrizzleOrmSqliteCore("url"),
  task: textOfDrizzleOrmSqliteCore("task"),
  /** The provider's own decimal of USD; null where it is not known what was charged: then the price counts. */
  cost: textOfDrizzleOrmSqliteCore("cost"),
  charged: integer("charged"),
  /** Before this moment a question that cost nothing is not asked again; null where the panel's own days count. */
  next_retry_at: integer("next_retry_at"),
});

/** Search result panels: the settings of one, what a run may cost, when the next one is due. Pure. */

/** The capability of all panels; each panel is a target of its own. */
export const PANELS = "serp.panels";
export const DEVICES = ["desktop", "mobile"] as const;
export const PANEL_OUTCOMES = ["found", "not_in_depth", "failed"] as const;

/** A whole number as an option or a form gives it. */
function whole(from: number, to: number) {
  const message = ruleMessage("whole-number", `must be a whole number from ${from} to ${to}`);
  const digits = v.pipe(v.string(message), v.regex(/^\d{1,9}$/, message), v.transform(Number));
  return v.pipe(digits, v.minValue(from, message), v.maxValue(to, message));
}

const LANGUAGE = ruleMessage("language", "must be a language code, for example en or zh-CN");
const isKeyword = (words: string) => words.trim() !== "" && !hasControl(words);

export const NewPanelSchema = v.object({
  asset: AssetIdSchema,
  keyword: v.pipe(
    text(700),
    rule<string>("keyword", isKeyword, "must be words without control characters"),
    v.transform((words) => words.trim().normalize("NFC")),
  ),
  location: whole(1, 999_999_999),
  language: v.pipe(v.string(LANGUAGE), v.regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, LANGUAGE)),
  device: v.picklist(DEVICES, ruleMessage("device", `must be one of ${DEVICES.join(", ")}`)),
  depth: whole(10, 100),
  every: whole(1, 365),
});
export type NewPanel = v.InferOutput<typeof NewPanelSchema>;

/** What is read where an option is left out. */
export const USUAL = { language: "en", device: "desktop", depth: "20", every: "7" } as const;

export type Panel = typeof panel.$inferSelect;

/** A paid question with its panel; `result` is null until it is known, and for good where a kill came between. */
export interface PanelRun {
  readonly panel: Panel;
  readonly run: typeof panelRun.$inferSelect;
  readonly result: typeof panelResult.$inferSelect | null;
}

const NANO = 1_000_000_000;
export const NANO_OF_CENT = NANO / 100;

/** The most that a question to this depth costs: by the page of ten results, the first one dearer. */
export const priceOf = (depth: number): number => 2_000_000 + (Math.ceil(depth / 10) - 1) * 1_500_000;

/** The most that a panel costs in 30 days. */
export const monthlyPrice = ({ depth, every }: Pick<NewPanel, "depth" | "every">): number =>
  priceOf(depth) * Math.ceil(30 / every);

/** `0.0035`: every digit that is not 0, and at least two. */
export function usd(nano: number): string {
  const fraction = String(nano % NANO).padStart(9, "0");
  return `${Math.floor(nano / NANO)}.${fraction.replace(/0{1,7}$/, "")}`;
}

/** The job comes once an hour: a run that is a little early is none of another day. */
const EARLY_MS = 30 * 60_000;

/**
 * When a panel may be asked next. What was paid for, or may have been, counts for all of the panel's days; a question that certainly cost
 * nothing is asked again sooner, at once where the credential was replaced meanwhile. `earlyMs` 0 gives the moment that health and pages say.
 */
export function dueAt(
  { created_at, every }: Panel,
  last: PanelRun | undefined,
  connectionRevision?: string,
  earlyMs = EARLY_MS,
): number {
  if (last === undefined) return created_at;
  const { run, result } = last;
  const retryAt = result?.next_retry_at ?? null;
  if (retryAt === null) return run.asked_at + every * DAY_MS - earlyMs;
  return run.connection_revision === connectionRevision ? retryAt : run.asked_at;
}

/** The host that a site's results are known by, without `www.`; undefined where it has no address. */
export function hostOf({ id, url }: Pick<Asset, "id" | "url">): string | undefined {
  const host = URL.parse(url ?? `https://${id}`)?.hostname.replace(/^www\./, "");
  return host?.includes(".") === true ? host : undefined;
}

/** Panels that are not removed, the oldest first; of one site where it is named. */
export function listPanels(db: Db, asset?: string): Panel[] {
  const where = and(isNull(panel.removed_at), asset === undefined ? undefined : eq(panel.asset, asset));
  return db.select().from(panel).where(where).orderBy(asc(panel.created_at), asc(panel.id)).all();
}

/** A panel, a removed one too. */
export const findPanel = (db: Db, id: string): Panel | undefined =>
  db.select().from(panel).where(eq(panel.id, id)).get();

/** Why a panel cannot be added, and the field that says so. */
export function panelBar(db: Db, asked: NewPanel) {
  const { asset } = asked;
  const site = findAsset(db, asset);
  if (site === undefined) return { field: "asset", words: `There is no site ${asset}.` };
  if (hostOf(site) === undefined) {
    const words = `${asset} has no address to look for: tower asset add ${asset} --url https://…`;
    return { field: "asset", words };
  }
  const keys = ["keyword", "location", "language", "device"] as const;
  const same = listPanels(db, asset).find((known) => keys.every((key) => known[key] === asked[key]));
  if (same === undefined) return undefined;
  const words = `Panel ${same.id} already has this keyword, location, language and device.`;
  return { field: "keyword", words };
}

/** Adds a panel of a site; a text says why not. A question is asked by one panel alone: it would be paid for twice. */
export function addPanel(
  { writer, ids }: { readonly writer: Writer; readonly ids: Ids },
  asked: NewPanel,
  { actor, now }: By,
): Promise<Panel | string> {
  return writer.write((tx): Panel | string => {
    const { asset, ...detail } = asked;
    const bar = panelBar(tx, asked);
    if (bar !== undefined) return bar.words;
    const row = { ...asked, id: ids.uuid(), created_at: now, removed_at: null };
    tx.insert(panel).values(row).run();
    const most = { panel: row.id, ...detail, usd_in_30_days: usd(monthlyPrice(asked)) };
    auditAct(tx, { actor, now }, "panel.add", asset, most);
    return row;
  });
}

/** Removes panels of a site, with an audit row for each. What their runs found and cost stays. */
export function removePanels(tx: Tx, panels: readonly Panel[], { actor, now }: By): void {
  for (const { id, asset, keyword } of panels) {
    tx.update(panel).set({ removed_at: now }).where(eq(panel.id, id)).run();
    auditAct(tx, { actor, now }, "panel.remove", asset, { panel: id, keyword });
  }
}

const runs = (db: Db) =>
  db
    .select({ panel, run: panelRun, result: panelResult })
    .from(panelRun)
    .innerJoin(panel, eq(panel.id, panelRun.panel))
    .leftJoin(panelResult, eq(panelResult.id, panelRun.id));

/** Which runs; `before` is a row, the times are milliseconds since the epoch. */
interface WantedRuns {
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
