import { appendAudit } from "../audit/mod.ts";
import type { Db, Tx, Writer } from "../db/mod.ts";
import { deleteAsset, findAsset } from "./store.ts";
import { listTokens, type SiteTokenBook } from "./tokens.ts";

/** Why a site cannot be removed. */
export type RemovalBar =
  /** There is none. */
  | "missing"
  /** Tower's own site. */
  | "service"
  /** `ASSET_TOKENS` names it: the next start would add it again. */
  | "setting"
  /** It has sent something, which is never erased. */
  | "stored";

/** What a removal needs to know beside the portfolio. */
export interface RemovalDeps {
  readonly siteTokens: SiteTokenBook;
  readonly config: { readonly serviceAsset: string };
  /** Whether anything of the site is stored: its reports stand on a level above the portfolio. */
  readonly isStored: (db: Db, asset: string) => boolean;
  /** Forgets what was only counted of it. */
  readonly forget: (tx: Tx, asset: string) => void;
}

/** Why a site that is there cannot be removed; undefined where it can. */
export function removalBar(db: Db, id: string, deps: RemovalDeps): RemovalBar | undefined {
  if (id === deps.config.serviceAsset) return "service";
  // Where both hold, taking it out of the setting would not help.
  if (deps.isStored(db, id)) return "stored";
  return deps.siteTokens.named().some(({ asset }) => asset === id) ? "setting" : undefined;
}

/** What was removed, or why nothing was. */
export type RemoveAssetResult =
  | { readonly ok: true; readonly revokedTokens: readonly string[] }
  | { readonly ok: false; readonly bar: RemovalBar };

/** Takes a site that was a mistake out of the portfolio, with its tokens. Only one of which nothing is stored: history stays. */
export async function removeAsset(
  deps: RemovalDeps & { readonly writer: Writer },
  id: string,
  by: { readonly actor: string; readonly now: number },
): Promise<RemoveAssetResult> {
  const removed = await deps.writer.write((tx) => {
    const known = findAsset(tx, id);
    if (known === undefined) return "missing";
    const bar = removalBar(tx, id, deps);
    if (bar !== undefined) return bar;
    const { url, lifecycle } = known;
    const inForce = listTokens(tx, { asset: id });
    const { now: at, actor } = by;
    for (const token of inForce) {
      appendAudit(tx, { at, actor, act: "token.revoke", target: id, detail: { id: token.id } });
    }
    deps.forget(tx, id);
    deleteAsset(tx, id);
    const revokedTokens = inForce.map((token) => token.id);
    appendAudit(tx, {
      at,
      actor,
      act: "asset.remove",
      target: id,
      detail: { url, lifecycle, revoked: revokedTokens },
    });
    return { revokedTokens, digests: inForce.map(({ digest }) => digest) };
  });
  if (typeof removed === "string") return { ok: false, bar: removed };
  for (const digest of removed.digests) deps.siteTokens.remove(digest);
  deps.siteTokens.forgetSite(id);
  return { ok: true, revokedTokens: removed.revokedTokens };
}
