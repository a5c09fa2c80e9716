import { and, asc, desc, eq, getTableColumns, inArray, lt, or, sql } from "drizzle-orm";
import { type Db, prepared, statement, type Tx } from "../db/mod.ts";
import type { Asset, Family, Lifecycle, NewAsset } from "./contract.ts";
import { setGroup } from "./group_store.ts";
import { asset, assetFamily, assetGroup, siteToken } from "./table.ts";

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
  tx.insert(asset).values({ id, url, lifecycle, added_at: addedAt, added_by: addedBy }).run();
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
  const goesLive = change.lifecycle === "live" ? { went_live_at: unlessLive(now) } : {};
  tx.update(asset)
    .set({ ...change, ...goesLive })
    .where(eq(asset.id, id))
    .run();
}

/** A site that is live already does not go live again. */
const unlessLive = (now: number) =>
  sql`CASE WHEN ${asset.lifecycle} = 'live' THEN ${asset.went_live_at} ELSE ${now} END`;

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

/** Whether a site is in the portfolio. */
export function hasAsset(db: Db, id: string): boolean {
  return there(db).first(id) !== undefined;
}

const there = statement<{ id: string }, [string]>("SELECT id FROM asset WHERE id = ?");

const retired = statement<{ id: string }, [string]>(
  "SELECT id FROM asset WHERE id = ? AND lifecycle = 'retired'",
);

/** Whether a site is no longer monitored. */
export function isRetired(db: Db, id: string): boolean {
  return retired(db).first(id) !== undefined;
}

/** One site, or undefined. */
export function findAsset(db: Db, id: string): Asset | undefined {
  const row = byId(db).get({ id });
  return row === undefined ? undefined : withFamilies(db, [row])[0];
}

/** Where a page of sites goes on. */
export interface AssetCursor {
  readonly addedAt: number;
  readonly id: string;
}

/** Sites, newest first, at most `limit`. */
export function listAssets(
  db: Db,
  filter: {
    readonly lifecycle?: Lifecycle | undefined;
    readonly id?: string | undefined;
    readonly group?: string | undefined;
  },
  limit: number,
  after?: AssetCursor,
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
              lt(asset.added_at, after.addedAt),
              and(eq(asset.added_at, after.addedAt), sql`${asset.id} > ${after.id}`),
            ),
      ),
    )
    .orderBy(desc(asset.added_at), asc(asset.id))
    .limit(limit)
    .all();
  return withFamilies(db, rows);
}

/** A site without its metric families. */
export type Site = Pick<Asset, "id" | "url" | "lifecycle" | "group">;

const sites = statement<Site, []>(
  `SELECT asset.id, url, lifecycle, asset_group.name AS "group"
   FROM asset LEFT JOIN asset_group ON asset_group.asset = asset.id ORDER BY asset.id`,
);

/** Every site, by id, with what a list of a thousand shows of each. */
export function listSites(db: Db): Site[] {
  return sites(db).all();
}

/** A site with what its health goes by. Times are milliseconds since the epoch. */
export interface PlacedSite extends Pick<Site, "id" | "url" | "lifecycle"> {
  readonly addedAt: number;
  /** When it became live after it had been something else; null where it never did. */
  readonly wentLiveAt: number | null;
}

const placed = statement<PlacedSite, []>(
  "SELECT id, url, lifecycle, added_at AS addedAt, went_live_at AS wentLiveAt FROM asset ORDER BY id",
);

/** Every site, by id, with when it was added and became live. */
export function listPlacedSites(db: Db): PlacedSite[] {
  return placed(db).all();
}

const portfolio = statement<Pick<Site, "id" | "group">, []>(
  `SELECT asset.id, asset_group.name AS "group" FROM asset LEFT JOIN asset_group ON asset_group.asset = asset.id
   WHERE lifecycle <> 'retired' ORDER BY asset.id`,
);

/** Every site that is not retired, by id, with the group that it is in. */
export function listPortfolio(db: Db): Pick<Site, "id" | "group">[] {
  return portfolio(db).all();
}

const live = statement<{ id: string; wentLiveAt: number | null }, []>(
  "SELECT id, went_live_at AS wentLiveAt FROM asset WHERE lifecycle = 'live' ORDER BY id",
);

/** Every live site, by id, with when it became live after it had been something else. */
export function listLiveSites(db: Db): { readonly id: string; readonly wentLiveAt: number | null }[] {
  return live(db).all();
}

/** Every site, by id. The portfolio is bounded by what one operator can add; pages page it. */
export function listAllAssets(db: Db): Asset[] {
  return withFamilies(db, rowsOf(db).orderBy(asc(asset.id)).all());
}

function withFamilies(db: Db, rows: ReturnType<ReturnType<typeof rowsOf>["all"]>): Asset[] {
  const families = new Map<string, Family[]>();
  const ids = rows.map((row) => row.id);
  const of =
    ids.length > 200
      ? db.select().from(assetFamily).all()
      : db.select().from(assetFamily).where(inArray(assetFamily.asset, ids)).all();
  for (const { asset: id, family, storage } of of) {
    const own = families.get(id) ?? [];
    own.push({ family, storage });
    families.set(id, own);
  }
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    lifecycle: row.lifecycle,
    group: row.group,
    families: families.get(row.id) ?? [],
    addedAt: row.added_at,
    addedBy: row.added_by,
    ...(row.went_live_at === null ? {} : { wentLiveAt: row.went_live_at }),
  }));
}
