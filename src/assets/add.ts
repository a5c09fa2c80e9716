import { appendAudit } from "../audit/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import type { ChangedBy } from "./change.ts";
import type { NewAsset } from "./contract.ts";
import { findAsset, hasAsset, insertAsset, replaceFamilies, updateAsset } from "./store.ts";

/** Whether the site was new; one that exists is brought to what was asked. */
export type AddAssetResult = "added" | "changed";

/** Adds a site, or changes the address, lifecycle and families of one that exists. */
export function addAsset(writer: Writer, added: NewAsset, by: ChangedBy): Promise<AddAssetResult> {
  return writer.write((tx): AddAssetResult => {
    const before = findAsset(tx, added.id);
    const known = before !== undefined;
    if (known) {
      updateAsset(tx, added.id, { url: added.url, lifecycle: added.lifecycle });
      if (added.families.length > 0) replaceFamilies(tx, added.id, added.families);
      if (added.lifecycle === "retired" && before.lifecycle !== "retired") by.onRetired(tx);
    } else {
      insertAsset(tx, added, by.now, by.actor);
    }
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: known ? "asset.change" : "asset.add",
      target: added.id,
      detail: { url: added.url, lifecycle: added.lifecycle, families: added.families.map((f) => f.family) },
    });
    return known ? "changed" : "added";
  });
}

/** Makes sure that sites exist: each one named in `ASSET_TOKENS`, and the service's own. */
export function ensureAssets(
  tx: Tx,
  ids: readonly string[],
  by: { readonly actor: string; readonly now: number },
): string[] {
  const missing = [...new Set(ids)].filter((id) => !hasAsset(tx, id));
  for (const id of missing) {
    insertAsset(tx, { id, url: null, lifecycle: "live", families: [] }, by.now, by.actor);
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "asset.add",
      target: id,
      detail: { lifecycle: "live" },
    });
  }
  return missing;
}
