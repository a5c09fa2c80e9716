/** The tokens of sites: those issued, and those that `ASSET_TOKENS` names. */

import { and, desc, eq, isNull } from "drizzle-orm";
import type { By } from "../access/access.ts";
import { issueToken, revokeToken, TokenBook, type TokenUse } from "../access/tokens.ts";
import type { Ids } from "../base/base.ts";
import { sha256Hex } from "../base/keys.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { ensureAssets } from "./site_changes.ts";
import { settingTokenUse, siteToken } from "./sites.ts";

/** A known site token: whose it is and where it comes from. */
export interface KnownToken {
  readonly asset: string;
  readonly digest: string;
  /** Issued in the Tower or on the command line; otherwise named in `ASSET_TOKENS`. */
  readonly issued: boolean;
}

/** What lists call a token of `ASSET_TOKENS`, which has no id of its own: the start of its digest, which opens nothing. */
export function namedTokenId({ digest }: KnownToken): string {
  return digest.slice(0, 12);
}

const useOfSetting = statement<never, [string, string, number]>(
  `INSERT INTO setting_token_use (digest, asset, last_used_at) VALUES (?, ?, ?)
   ON CONFLICT (digest) DO UPDATE SET last_used_at = excluded.last_used_at`,
);

/** Every site token in force: those of `ASSET_TOKENS` and those issued together form one set. */
export class SiteTokenBook extends TokenBook<KnownToken> {
  /** Sites by the digests of tokens that were theirs. Only who holds such a token can make anything be noted of the site. */
  readonly #former = new Map<string, string>();

  constructor() {
    super("site");
  }

  /** Remembers whose a token was that is no longer in force. */
  addFormer({ digest, asset }: Pick<KnownToken, "digest" | "asset">): void {
    this.#former.set(digest, asset);
  }

  /** The site that a token belonged to. */
  formerOwner(text: string): string | undefined {
    return this.#former.get(sha256Hex(text));
  }

  /** Forgets the former tokens of a site that is removed. */
  forgetSite(asset: string): void {
    for (const [digest, owner] of this.#former) if (owner === asset) this.#former.delete(digest);
  }

  /** Replaces the tokens named in the setting, as after a reread of `ASSET_TOKENS_FILE`. */
  setNamed(pairs: readonly { readonly asset: string; readonly token: string }[]): void {
    for (const token of this.named()) this.addFormer(token);
    this.replaceNamed(pairs.map(({ asset, token }) => ({ asset, digest: sha256Hex(token), issued: false })));
  }

  /** Tokens of the setting live there, and their uses in a table of their own. */
  override recordUse(tx: Tx, use: TokenUse<KnownToken>): void {
    const { issued, digest, asset } = use.token;
    if (issued) super.recordUse(tx, use);
    else useOfSetting(tx).run(digest, asset, use.at);
  }
}

/** Issued tokens, newest first, never the tokens themselves; of one site or of all, revoked ones too when asked. */
export function listTokens(
  db: Db,
  filter: { readonly asset?: string | undefined; readonly revoked?: boolean } = {},
) {
  const { id, asset, digest, created_at: createdAt, created_by: createdBy } = siteToken;
  const { last_used_at: lastUsedAt, revoked_at: revokedAt } = siteToken;
  return db
    .select({ id, asset, digest, createdAt, createdBy, lastUsedAt, revokedAt })
    .from(siteToken)
    .where(
      and(
        filter.asset === undefined ? undefined : eq(siteToken.asset, filter.asset),
        filter.revoked === true ? undefined : isNull(siteToken.revoked_at),
      ),
    )
    .orderBy(desc(siteToken.created_at), desc(siteToken.id))
    .all();
}

// Tokens that were revoked, and those of `ASSET_TOKENS` that were ever used: whoever is no longer in force is known by them.
const formerTokens = statement<{ digest: string; asset: string }, []>(
  `SELECT digest, asset FROM site_token WHERE revoked_at IS NOT NULL
   UNION SELECT digest, setting_token_use.asset FROM setting_token_use JOIN asset ON asset.id = setting_token_use.asset`,
);

/** When each token of `ASSET_TOKENS` was last used, by digest. */
export function settingTokenUses(db: Db): Map<string, number> {
  return new Map(
    db
      .select()
      .from(settingTokenUse)
      .all()
      .map((row) => [row.digest, row.last_used_at]),
  );
}

/** Loads every site token in force: those of the setting and those issued. */
export function loadTokenBook(
  db: Db,
  named: readonly { readonly asset: string; readonly token: string }[],
): SiteTokenBook {
  const book = new SiteTokenBook();
  book.setNamed(named);
  for (const { asset, digest } of listTokens(db)) book.add({ asset, digest, issued: true });
  for (const token of formerTokens(db).all()) book.addFormer(token);
  return book;
}

/** Issues a token for a site, which is added when it is not there. */
export async function issueSiteToken(
  deps: { readonly writer: Writer; readonly ids: Ids; readonly siteTokens: SiteTokenBook },
  asset: string,
  by: By,
) {
  const { id, token, added } = await issueToken(deps, deps.siteTokens, by, {
    target: asset,
    store: (tx, made) => {
      const isNew = ensureAssets(tx, [asset], by).length > 0;
      tx.insert(siteToken)
        .values({ ...made, asset })
        .run();
      return isNew;
    },
    known: ({ digest }) => ({ asset, digest, issued: true }),
  });
  /** `assetAdded`: the site was not in the portfolio and was added. The token's text is shown once and not kept. */
  return { id, token, assetAdded: added };
}

/** Revokes an issued token; false when there is no such token in force. */
export async function revokeSiteToken(
  deps: { readonly writer: Writer; readonly siteTokens: SiteTokenBook },
  id: string,
  by: By,
): Promise<boolean> {
  const revoked = await revokeToken(deps.writer, deps.siteTokens, id, by);
  if (revoked !== undefined) deps.siteTokens.addFormer({ digest: revoked.digest, asset: revoked.target });
  return revoked !== undefined;
}
