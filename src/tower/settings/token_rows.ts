/** The tokens in force as lists show them: never a token itself. */
import { listTokens, namedTokenId, type SiteTokenBook, settingTokenUses } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { type ApiTokenBook, listApiTokens } from "../../operators/mod.ts";

/** What lists say of any token. */
export interface TokenRow {
  readonly id: string;
  /** When it was issued and by whom; null for one written in `ASSET_TOKENS`, which only the setting can change. */
  readonly issued: { readonly at: number; readonly by: string } | null;
  readonly lastUsedAt: number | null;
}

/** A token that a site sends with. */
export interface SiteTokenRow extends TokenRow {
  readonly asset: string;
}

/** A token that CI sends and reads with. */
export interface OperatorTokenRow extends TokenRow {
  readonly operator: string;
  readonly scopes: readonly string[];
}

/** Those of one site, or of the sites whose identifier holds a text; by site, then newest first, then those of the setting. */
export function siteTokenRows(
  db: Db,
  book: SiteTokenBook,
  of: { readonly asset: string } | { readonly q: string },
): SiteTokenRow[] {
  const uses = settingTokenUses(db);
  const isWanted = ({ asset }: { readonly asset: string }) =>
    "asset" in of ? asset === of.asset : asset.toLowerCase().includes(of.q.toLowerCase());
  const issued = listTokens(db, "asset" in of ? of : {}).map((token): SiteTokenRow => {
    const { id, asset, createdAt, createdBy } = token;
    const lastUsedAt = book.lastUse(token, token.lastUsedAt);
    return { id, asset, issued: { at: createdAt, by: createdBy }, lastUsedAt };
  });
  const named = book.named().map((token): SiteTokenRow => {
    const { asset, digest } = token;
    return {
      id: namedTokenId(token),
      asset,
      issued: null,
      lastUsedAt: book.lastUse(token, uses.get(digest) ?? null),
    };
  });
  // Both come newest first, or in the order of the setting; sorting by site keeps that.
  return [...issued, ...named].filter(isWanted).sort((a, b) => compare(a.asset, b.asset));
}

/** Those of operators. */
export function operatorTokenRows(db: Db, book: ApiTokenBook): OperatorTokenRow[] {
  return listApiTokens(db).map((token) => {
    const { id, operatorName, scopes, createdAt, createdBy } = token;
    const lastUsedAt = book.lastUse(token, token.lastUsedAt);
    return { id, operator: operatorName, scopes, issued: { at: createdAt, by: createdBy }, lastUsedAt };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
