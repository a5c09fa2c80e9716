/**
 * The portfolio: sites with their groups and metric families, what is set for them, and what belongs on their timelines.
 *
 * A site is added, changed or removed: `site_changes.ts`, `site_tokens.ts` → the tables here; it sends reports with a token:
 * `report_sender.ts`. Its thresholds: `constants.toml` → `constants_document.ts` (`constants_parse.ts`, `constants_schema.ts`) →
 * `constants_store.ts`, which gives the values of one site or metric. Every rule is declared in
 * `rule_catalogue.ts`. Timelines: `api.ts` or a calendar (`calendars.ts`) → `annotations.ts`.
 *
 * Start with the tables below, then `constants_store.ts`.
 */

import { and, asc, desc, eq, getTableColumns, inArray, lt, or, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import { issuedColumns } from "../access/tokens.ts";
import { AssetIdSchema, hasControl, rule, ruleMessage, text as textOfContract } from "../base/contract.ts";
import { nearest } from "../base/text.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";

/** Monitored, not yet public, or no longer monitored. */
export const LIFECYCLES = ["live", "pre-launch", "retired"] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

/** The storage kinds a site may read a metric family from. */
export const STORAGE_KINDS = ["d1", "analytics-engine", "r2", "kv"] as const;
function isSiteAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The longest name of a group, in code points. */
export const LONGEST_GROUP = 200;

/** A group's name, without the space around it, and in one form where a letter can be written in several. */
const GroupSchema = v.pipe(
  textOfContract(LONGEST_GROUP),
  rule<string>(
    "group",
    (name) => name.trim() !== "" && !hasControl(name),
    "must be a name without control characters",
  ),
  v.transform((name) => name.trim().normalize("NFC")),
);

/** What an operator says of a new site. */
export const NewAssetSchema = v.object({
  id: v.pipe(
    AssetIdSchema,
    rule<string>(
      "asset-id",
      (id) => id !== "new",
      "must not be new: /sites/new is the page that adds a site",
    ),
  ),
  url: v.nullable(
    v.pipe(
      textOfContract(2_048),
      rule<string>(
        "url",
        isSiteAddress,
        "must be an http or https address, for example https://shop.example",
      ),
    ),
  ),
  lifecycle: v.picklist(LIFECYCLES, ruleMessage("enum", `must be one of ${LIFECYCLES.join(", ")}`)),
  group: v.exactOptional(v.nullable(GroupSchema)),
  families: v.array(
    v.object({
      family: v.pipe(
        textOfContract(200),
        rule<string>(
          "family",
          (name) => name !== "" && !hasControl(name),
          "must be a name without control characters",
        ),
      ),
      storage: v.picklist(STORAGE_KINDS, ruleMessage("enum", `must be one of ${STORAGE_KINDS.join(", ")}`)),
    }),
  ),
});

/** Retired, it would lose the flags about the service; why another lifecycle of it is refused. */
export const OWN_SITE_LIVES = {
  pointer: "/lifecycle",
  rule: "own-site",
  message: "must stay live: it is Tower's own site",
} as const;

export type NewAsset = v.InferOutput<typeof NewAssetSchema>;

/** What an operator says of a site that may be there: all but its identifier may be left out. */
export const AskedAssetSchema = v.object({
  id: NewAssetSchema.entries.id,
  url: v.exactOptional(NewAssetSchema.entries.url),
  lifecycle: v.exactOptional(NewAssetSchema.entries.lifecycle),
  group: NewAssetSchema.entries.group,
  families: v.exactOptional(NewAssetSchema.entries.families),
});

export type AskedAsset = v.InferOutput<typeof AskedAssetSchema>;

/** One row per monitored site. Current state; changes are recorded in the audit. */
export const asset = sqliteTable(
  "asset",
  {
    id: text("id").primaryKey(),
    url: text("url"),
    lifecycle: text("lifecycle", { enum: LIFECYCLES }).notNull(),
    addedAt: integer("added_at").notNull(),
    addedBy: text("added_by").notNull(),
    /** When it became live after it had been something else; null where it never did. */
    wentLiveAt: integer("went_live_at"),
  },
  (t) => [check("asset_lifecycle", sql`${t.lifecycle} IN ('live', 'pre-launch', 'retired')`)],
);

/** Metric families a site declares, with the storage kind it reads them from. */
export const assetFamily = sqliteTable(
  "asset_family",
  {
    asset: text("asset")
      .notNull()
      .references(() => asset.id),
    family: text("family").notNull(),
    storage: text("storage", { enum: STORAGE_KINDS }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.family] })],
);

/** The group that an operator put a site in, such as a customer or a brand: a site is in one or in none. */
export const assetGroup = sqliteTable("asset_group", {
  asset: text("asset")
    .primaryKey()
    .references(() => asset.id),
  name: text("name").notNull(),
});

/** Site tokens issued in the Tower or on the command line: only the SHA-256 digest is kept. */
export const siteToken = sqliteTable(
  "site_token",
  {
    id: text("id").primaryKey(),
    asset: text("asset")
      .notNull()
      .references(() => asset.id),
    digest: text("digest").notNull().unique(),
    ...issuedColumns,
  },
  (t) => [index("site_token_asset").on(t.asset)],
);

/** When a token of `ASSET_TOKENS` was last used, by digest: those tokens live in the setting, not here. */
export const settingTokenUse = sqliteTable("setting_token_use", {
  digest: text("digest").primaryKey(),
  asset: text("asset").notNull(),
  last_used_at: integer("last_used_at").notNull(),
});

/** A metric family that a site declares, with the storage kind it reads it from. */
export type Family = Pick<typeof assetFamily.$inferSelect, "family" | "storage">;

/** A site of the portfolio; `group` is null where it is in none. Times are milliseconds since the epoch. */
export type Asset = Readonly<typeof asset.$inferSelect> & {
  readonly group: string | null;
  readonly families: readonly Family[];
};

const all = statement<{ name: string }, []>(
  "SELECT DISTINCT name FROM asset_group ORDER BY name COLLATE NOCASE, name",
);

/** The names of all groups, in order: a group is there for as long as a site is in it. */
export function listGroups(db: Db): string[] {
  return all(db)
    .all()
    .map(({ name }) => name);
}

const put = statement<never, [string, string]>(
  "INSERT INTO asset_group (asset, name) VALUES (?, ?) ON CONFLICT (asset) DO UPDATE SET name = excluded.name",
);
const drop = statement<never, [string]>("DELETE FROM asset_group WHERE asset = ?");

/** Puts a site into a group; into none where that is null. */
export function setGroup(tx: Tx, asset: string, group: string | null): void {
  if (group === null) drop(tx).run(asset);
  else put(tx).run(asset, group);
}

const p = sql.placeholder;

const rowsOf = (db: Db) =>
  db
    .select({ ...getTableColumns(asset), group: assetGroup.name })
    .from(asset)
    .leftJoin(assetGroup, eq(assetGroup.asset, asset.id));

const byId = prepared((db) =>
  rowsOf(db)
    .where(eq(asset.id, p("id")))
    .prepare(),
);

/** Inserts a site; the caller has made sure that it is new. */
export function insertAsset(tx: Tx, added: NewAsset, addedAt: number, addedBy: string): void {
  const { id, url, lifecycle } = added;
  tx.insert(asset).values({ id, url, lifecycle, addedAt, addedBy }).run();
  if (added.group !== undefined) setGroup(tx, id, added.group);
  replaceFamilies(tx, id, added.families);
}

/** Sets what an operator may change of a site. */
export function updateAsset(
  tx: Tx,
  id: string,
  change: { url?: string | null; lifecycle?: Lifecycle },
  now: number,
): void {
  const goesLive = change.lifecycle === "live" ? { wentLiveAt: unlessLive(now) } : {};
  tx.update(asset)
    .set({ ...change, ...goesLive })
    .where(eq(asset.id, id))
    .run();
}

/** A site that is live already does not go live again. */
const unlessLive = (now: number) =>
  sql`CASE WHEN ${asset.lifecycle} = 'live' THEN ${asset.wentLiveAt} ELSE ${now} END`;

/** Replaces a site's declared metric families. */
export function replaceFamilies(tx: Tx, id: string, families: readonly Family[]): void {
  tx.delete(assetFamily).where(eq(assetFamily.asset, id)).run();
  for (const { family, storage } of families) {
    tx.insert(assetFamily).values({ asset: id, family, storage }).onConflictDoNothing().run();
  }
}

/** Takes a site out with its group, families and tokens; the caller has made sure that nothing else is stored of it. */
export function deleteAsset(tx: Tx, id: string): void {
  tx.delete(assetFamily).where(eq(assetFamily.asset, id)).run();
  tx.delete(siteToken).where(eq(siteToken.asset, id)).run();
  setGroup(tx, id, null);
  tx.delete(asset).where(eq(asset.id, id)).run();
}

const lifecycle = statement<Pick<Asset, "lifecycle">, [string]>("SELECT lifecycle FROM asset WHERE id = ?");

/** Undefined where there is no such site. */
export function lifecycleOf(db: Db, id: string): Lifecycle | undefined {
  return lifecycle(db).first(id)?.lifecycle;
}

/** Whether a site is in the portfolio. */
export function hasAsset(db: Db, id: string): boolean {
  return lifecycleOf(db, id) !== undefined;
}

/** Whether a site is no longer monitored. */
export function isRetired(db: Db, id: string): boolean {
  return lifecycleOf(db, id) === "retired";
}

/** One site, or undefined. */
export function findAsset(db: Db, id: string): Asset | undefined {
  const row = byId(db).get({ id });
  return row === undefined ? undefined : withFamilies(db, [row])[0];
}

/** Sites, newest first, at most `limit`; a page goes on after one of them. */
export function listAssets(
  db: Db,
  filter: {
    readonly lifecycle?: Lifecycle | undefined;
    readonly id?: string | undefined;
    readonly group?: string | undefined;
  },
  limit: number,
  after?: Pick<Asset, "addedAt" | "id">,
): Asset[] {
  const rows = rowsOf(db)
    .where(
      and(
        filter.lifecycle === undefined ? undefined : eq(asset.lifecycle, filter.lifecycle),
        filter.id === undefined ? undefined : eq(asset.id, filter.id),
        filter.group === undefined ? undefined : eq(assetGroup.name, filter.group),
        after === undefined
          ? undefined
          : or(
              lt(asset.addedAt, after.addedAt),
              and(eq(asset.addedAt, after.addedAt), sql`${asset.id} > ${after.id}`),
            ),
      ),
    )
    .orderBy(desc(asset.addedAt), asc(asset.id))
    .limit(limit)
    .all();
  return withFamilies(db, rows);
}

/** A site without its metric families. */
export type Site = Pick<Asset, "id" | "url" | "lifecycle" | "group" | "addedAt" | "wentLiveAt">;

const sites = statement<Site, []>(
  `SELECT asset.id, url, lifecycle, added_at AS addedAt, went_live_at AS wentLiveAt, asset_group.name AS "group"
   FROM asset LEFT JOIN asset_group ON asset_group.asset = asset.id ORDER BY asset.id`,
);

/** Every site, by id, with what a list of a thousand shows of each. */
export function listSites(db: Db): Site[] {
  return sites(db).all();
}

/** A site with what its health goes by. */
export type PlacedSite = Omit<Site, "group">;

/** Every site that is not retired, by id. */
export const listPortfolio = (db: Db): Site[] =>
  listSites(db).filter(({ lifecycle }) => lifecycle !== "retired");

/** Every site, by id. The portfolio is bounded by what one operator can add; pages page it. */
export function listAllAssets(db: Db): Asset[] {
  return withFamilies(db, rowsOf(db).orderBy(asc(asset.id)).all());
}

function withFamilies(db: Db, rows: ReturnType<ReturnType<typeof rowsOf>["all"]>): Asset[] {
  const ids = rows.map((row) => row.id);
  const found = db
    .select()
    .from(assetFamily)
    .where(ids.length > 200 ? undefined : inArray(assetFamily.asset, ids))
    .all();
  const families = Map.groupBy(found, ({ asset: id }) => id);
  return rows.map((row) => ({
    ...row,
    families: (families.get(row.id) ?? []).map(({ family, storage }) => ({ family, storage })),
  }));
}

/** The sites whose identifiers lie near one, nearest first; without that one itself. */
export function nearSites(db: Db, id: string): string[] {
  const others = listSites(db).flatMap((site) => (site.id === id ? [] : [site.id]));
  return nearest(id, others);
}
