/** Adding a site and changing one, each with its audit row. */

import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import type { Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import {
  type AskedAsset,
  type Asset,
  type Family,
  findAsset,
  hasAsset,
  insertAsset,
  type Lifecycle,
  replaceFamilies,
  setGroup,
  updateAsset,
} from "./sites.ts";

/** What an operator changes of a site; what is left out stays. */
export interface AssetChange {
  readonly url?: string | null;
  readonly lifecycle?: Lifecycle;
  /** The group that it is in; null takes it out of its group. */
  readonly group?: string | null;
  /** All metric families, in place of those declared. */
  readonly families?: readonly Family[];
  /** Declares a metric family, or moves a declared one to another storage kind. */
  readonly declare?: Family;
  /** The name of a declared metric family to take out. */
  readonly withdraw?: string;
}

/** `same` when the site is as asked already: nothing is written then. */
type ChangeAssetResult = "changed" | "same" | "missing";

/** Who changes a site and when, and what else ends with it. */
interface ChangedBy {
  readonly actor: string;
  readonly now: number;
  /** What retiring the site ends, in the same transaction: its flags lie in a room above. */
  readonly onRetired: (tx: Tx) => void;
}

/** Changes a site, with an audit row that names what changed. Reports that were sent stay as they are. */
export function changeAsset(
  writer: Pick<Writer, "write">,
  id: string,
  change: AssetChange,
  by: ChangedBy,
): Promise<ChangeAssetResult> {
  return writer.write((tx): ChangeAssetResult => {
    const site = findAsset(tx, id);
    return site === undefined ? "missing" : changeKnown(tx, site, change, by);
  });
}

/** Changes a site that is there. */
function changeKnown(tx: Tx, site: Asset, change: AssetChange, by: ChangedBy): "changed" | "same" {
  const changed = {
    ...changeOfSite(tx, site, change, by.now),
    ...changeOfGroup(tx, site, change),
    ...changeOfFamilies(tx, site, change),
  };
  if (Object.keys(changed).length === 0) return "same";
  if ("lifecycle" in changed && changed.lifecycle === "retired") by.onRetired(tx);
  auditAct(tx, by, "asset.change", site.id, changed);
  return "changed";
}

function changeOfSite(tx: Tx, site: Asset, { url, lifecycle }: AssetChange, now: number) {
  const set = {
    ...(url === undefined || url === site.url ? {} : { url }),
    ...(lifecycle === undefined || lifecycle === site.lifecycle ? {} : { lifecycle }),
  };
  if (Object.keys(set).length > 0) updateAsset(tx, site.id, set, now);
  return set;
}

function changeOfGroup(tx: Tx, { id, group: before }: Asset, { group }: AssetChange) {
  if (group === undefined || group === before) return {};
  setGroup(tx, id, group);
  return { group };
}

function changeOfFamilies(tx: Tx, site: Asset, { families, declare, withdraw }: AssetChange) {
  const kept = (families ?? site.families).filter(
    ({ family }) => family !== withdraw && family !== declare?.family,
  );
  const after = declare === undefined ? kept : [...kept, declare];
  if (textOf(after) === textOf(site.families)) return {};
  replaceFamilies(tx, site.id, after);
  return { families: after.map(nameOf) };
}

function nameOf({ family, storage }: Family): string {
  return `${family}=${storage}`;
}

function textOf(families: readonly Family[]): string {
  return families.map(nameOf).sort().join("\n");
}

/** `same` when a site that exists is as asked already. */
type AddAssetResult = "added" | "changed" | "same";

/** Adds a site, or changes one that exists: what is left out has its default in the first case, and stays in the second. */
export function addAsset(writer: Writer, asked: AskedAsset, by: ChangedBy): Promise<AddAssetResult> {
  return writer.write((tx): AddAssetResult => {
    const known = findAsset(tx, asked.id);
    if (known !== undefined) return changeKnown(tx, known, asked, by);
    const { id, url = null, lifecycle = "live", group = null, families = [] } = asked;
    insertAsset(tx, { id, url, lifecycle, group, families }, by.now, by.actor);
    auditAct(tx, by, "asset.add", id, {
      url,
      lifecycle,
      ...(group === null ? {} : { group }),
      families: families.map(({ family }) => family),
    });
    return "added";
  });
}

/** Makes sure that sites exist: each one named in `ASSET_TOKENS`, and the service's own. */
export function ensureAssets(tx: Tx, ids: readonly string[], by: By): string[] {
  const missing = [...new Set(ids)].filter((id) => !hasAsset(tx, id));
  for (const id of missing) {
    insertAsset(tx, { id, url: null, lifecycle: "live", families: [] }, by.now, by.actor);
    auditAct(tx, by, "asset.add", id, { lifecycle: "live" });
  }
  return missing;
}
