import type { Tx } from "../db/mod.ts";
import { Problem } from "../platform/problem.ts";
import { bearerToken, TOKEN_REFUSALS, unauthenticated } from "../platform/receive.ts";
import { hasAsset } from "./store.ts";
import type { KnownToken, SiteTokenBook } from "./tokens.ts";

/** What the sender of a report is refused for. */
export const AUTHORIZE_REFUSALS = [...TOKEN_REFUSALS, "insufficient-scope"] as const;
/** What a body is refused for that names another site. */
export const OWN_ASSET_REFUSALS = ["asset-mismatch"] as const;

/** The sender of a report: checks 3 of the decided order, before any byte of the body. Throws a `Problem`. */
export function authorizeSite(
  request: Request,
  books: { readonly siteTokens: SiteTokenBook; readonly isOperatorToken: (token: string) => boolean },
): KnownToken {
  const token = bearerToken(request);
  if (token === undefined) throw unauthenticated();
  const known = books.siteTokens.find(token);
  if (known !== undefined) return known;
  if (books.isOperatorToken(token)) {
    throw new Problem(
      "insufficient-scope",
      "An operator token does not send reports; use the site's own token.",
    );
  }
  throw unauthenticated();
}

/** The refusal of a body that names another site than the token's. */
export function assertOwnAsset(token: KnownToken, asset: string): void {
  if (token.asset !== asset) {
    throw new Problem("asset-mismatch", "The token belongs to another site than the one the body names.");
  }
}

/**
 * Asked in the transaction that stores a report: a site may be taken out, with its tokens, while the body of its report is still on
 * its way, and what came then would be stored of no site.
 */
export function assertStillSite(tx: Tx, asset: string): void {
  if (!hasAsset(tx, asset)) throw unauthenticated();
}
