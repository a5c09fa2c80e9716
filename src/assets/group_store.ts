/** The groups that sites are in. A group is there for as long as a site is in it. */
import { type Db, statement, type Tx } from "../db/mod.ts";

/** A group with how many sites are in it. */
export interface SiteGroup {
  readonly name: string;
  readonly sites: number;
}

const all = statement<SiteGroup, []>(
  "SELECT name, count(*) AS sites FROM asset_group GROUP BY name ORDER BY name COLLATE NOCASE, name",
);

/** Every group, by name. */
export function listGroups(db: Db): SiteGroup[] {
  return all(db).all();
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
