import { appendAudit } from "../audit/mod.ts";
import type { Db, Writer } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { makeTokenText } from "../lib/token_text.ts";
import type { Ids } from "../platform/ids.ts";
import { ensureAssets } from "./add.ts";
import { findToken, insertToken, listTokens, markTokenRevoked, recordUse } from "./store.ts";
import { SiteTokenBook } from "./token_book.ts";

/** Loads every site token in force: those of the setting and those issued. */
export function loadTokenBook(
  db: Db,
  named: readonly { readonly asset: string; readonly token: string }[],
): SiteTokenBook {
  const book = new SiteTokenBook();
  book.setNamed(named);
  for (const { asset, digest } of listTokens(db)) book.add(asset, digest);
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
  const made = makeTokenText("smt", deps.ids.bytes);
  const digest = sha256Hex(made.text);
  const assetAdded = await deps.writer.write((tx) => {
    const added = ensureAssets(tx, [asset], by);
    insertToken(tx, { id: made.keyId, asset, digest, at: by.now, by: by.actor });
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "token.issue",
      target: asset,
      detail: { id: made.keyId },
    });
    return added.length > 0;
  });
  deps.siteTokens.add(asset, digest);
  return { id: made.keyId, token: made.text, assetAdded };
}

/** Revokes an issued token; it is refused from the next request on. False when there is no such token in force. */
export async function revokeSiteToken(
  deps: { readonly writer: Writer; readonly siteTokens: SiteTokenBook },
  id: string,
  by: { readonly actor: string; readonly now: number },
): Promise<boolean> {
  const digest = await deps.writer.write((tx) => {
    const token = findToken(tx, id);
    if (token === undefined || !markTokenRevoked(tx, id, by.now, by.actor)) return null;
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "token.revoke",
      target: token.asset,
      detail: { id },
    });
    return token.digest;
  });
  if (digest === null) return false;
  deps.siteTokens.remove(digest);
  return true;
}

/** Writes down when tokens were last used since the last call; what cannot be written down waits for the next one. */
export async function flushTokenUses(writer: Writer, book: SiteTokenBook): Promise<void> {
  const uses = book.takeUses();
  if (uses.length === 0) return;
  try {
    await writer.write((tx) => {
      for (const { token, at } of uses) {
        recordUse(tx, { digest: token.digest, asset: token.asset, issued: token.issued, at });
      }
    });
  } catch (error) {
    for (const { token, at } of uses) book.noteUse(token, at);
    throw error;
  }
}
