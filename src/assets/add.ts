import { appendAudit } from "../audit/mod.ts";
import type { Tx, Writer } from "../db/mod.ts";
import { type ChangedBy, changeKnown } from "./change.ts";
import type { AskedAsset } from "./contract.ts";
import { findAsset, hasAsset, insertAsset } from "./store.ts";

/** Whether the site was new; one that exists is brought to what was asked, and may be so already. */
export type AddAssetResult = "added" | "changed" | "same";

/** Adds a site, or changes one that exists: what is left out has its default in the first case, and stays in the second. */
export function addAsset(writer: Writer, asked: AskedAsset, by: ChangedBy): Promise<AddAssetResult> {
  return writer.write((tx): AddAssetResult => {
    const known = findAsset(tx, asked.id);
    if (known !== undefined) return changeKnown(tx, known, asked, by);
    const { id, url = null, lifecycle = "live", group = null, families = [] } = asked;
    insertAsset(tx, { id, url, lifecycle, group, families }, by.now, by.actor);
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "asset.add",
      target: id,
      detail: {
        url,
        lifecycle,
        ...(group === null ? {} : { group }),
        families: families.map(({ family }) => family),
      },
    });
    return "added";
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
