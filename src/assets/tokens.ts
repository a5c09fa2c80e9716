import { appendAudit } from "../audit/mod.ts";
import type { Db, Writer } from "../db/mod.ts";
import type { Ids } from "../platform/ids.ts";
import { flushUses, issueToken, revokeToken } from "../tokens/mod.ts";
import { ensureAssets } from "./add.ts";
import { insertToken, listFormerTokens, listTokens, markTokenRevoked, recordUse } from "./store.ts";
import { SiteTokenBook } from "./token_book.ts";

/** Loads every site token in force: those of the setting and those issued. */
export function loadTokenBook(
  db: Db,
  named: readonly { readonly asset: string; readonly token: string }[],
): SiteTokenBook {
  const book = new SiteTokenBook();
  book.setNamed(named);
  for (const { asset, digest } of listTokens(db)) book.add({ asset, digest, issued: true });
  for (const token of listFormerTokens(db)) book.addFormer(token);
  return book;
}

/** An issued token: its text is shown once and not kept. */
export interface NewSiteToken {
  readonly id: string;
  readonly token: string;
  /** Whether the site was not in the portfolio and was added. */
  readonly assetAdded: boolean;
}

/** Issues a token for a site, which is added when it is not there. */
export async function issueSiteToken(
  deps: { readonly writer: Writer; readonly ids: Ids; readonly siteTokens: SiteTokenBook },
  asset: string,
  by: { readonly actor: string; readonly now: number },
): Promise<NewSiteToken> {
  const { id, token, added } = await issueToken(deps, deps.siteTokens, {
    prefix: "smt",
    record: (tx, made) => {
      const isNew = ensureAssets(tx, [asset], by).length > 0;
      insertToken(tx, { ...made, asset, at: by.now, by: by.actor });
      appendAudit(tx, {
        at: by.now,
        actor: by.actor,
        act: "token.issue",
        target: asset,
        detail: { id: made.id },
      });
      return isNew;
    },
    known: ({ digest }) => ({ asset, digest, issued: true }),
  });
  return { id, token, assetAdded: added };
}

/** Revokes an issued token; false when there is no such token in force. */
export function revokeSiteToken(
  deps: { readonly writer: Writer; readonly siteTokens: SiteTokenBook },
  id: string,
  by: { readonly actor: string; readonly now: number },
): Promise<boolean> {
  return revokeToken(deps.writer, deps.siteTokens, (tx) => {
    const revoked = markTokenRevoked(tx, id, by.now, by.actor);
    if (revoked !== undefined) {
      const { asset } = revoked;
      deps.siteTokens.addFormer(revoked);
      appendAudit(tx, { at: by.now, actor: by.actor, act: "token.revoke", target: asset, detail: { id } });
    }
    return revoked?.digest;
  });
}

/** Writes down when tokens were last used since the last call. */
export function flushTokenUses(writer: Writer, book: SiteTokenBook): Promise<void> {
  return flushUses(writer, book, (tx, { token, at }) => recordUse(tx, { ...token, at }));
}
