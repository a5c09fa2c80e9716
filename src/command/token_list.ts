import { hasAsset, listTokens, namedTokenId, settingTokenUses } from "../assets/mod.ts";
import type { Deps } from "../deps.ts";
import { listApiTokens } from "../operators/mod.ts";
import { type Command, command, refused } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";
import { noOperator } from "./near_operators.ts";
import { noSite } from "./near_sites.ts";

/** A token as it is listed: never the token itself. */
interface ListedToken {
  readonly id: string;
  readonly asset: string | null;
  readonly operator: string | null;
  readonly scopes: readonly string[];
  /** Issued here, or written in the setting, which alone can take it back. */
  readonly origin: "issued" | "ASSET_TOKENS";
  readonly madeAt: number | null;
  readonly madeBy: string | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** `token list`. */
export const tokenList: Command = command({
  name: "token list",
  summary: "list the tokens in force, never a token itself",
  takes: [],
  about: [
    "Lists the tokens in force, those of sites first. The audit names a token by the same id. Tokens from ASSET_TOKENS are listed, too: they can be taken back only there.",
  ],
  options: {
    asset: { value: "<id>", says: "only the tokens of this site" },
    operator: { value: "<name>", says: "only the tokens of this operator" },
    revoked: { says: "also those that were revoked" },
    json: JSON_OPTION,
  },
  judge: ({ options: { asset, operator } }) =>
    asset !== undefined && operator !== undefined ? "--asset and --operator exclude each other" : undefined,
  run: (deps, { options: { asset, operator, revoked = false, json = false } }) => {
    const { db } = deps.store;
    if (asset !== undefined && !hasAsset(db, asset)) return refused(noSite(db, asset));
    const unknown = operator === undefined ? undefined : noOperator(db, operator);
    if (unknown !== undefined) return refused(unknown);
    const rows = [
      ...(operator === undefined ? ofSites(deps, asset, revoked) : []),
      ...(asset === undefined ? ofOperators(deps, operator, revoked) : []),
    ];
    return listing(rows, {
      json,
      none: "no token in force",
      columns: [
        { head: "ID", cell: ({ id }) => id },
        { head: "OF", cell: (token) => (token.asset === null ? `operator ${token.operator}` : token.asset) },
        { head: "MAY", cell: ({ scopes }) => scopes.join(",") },
        { head: "MADE", cell: ({ madeAt, origin }) => (origin === "issued" ? minuteOf(madeAt) : origin) },
        { head: "BY", cell: ({ madeBy }) => madeBy ?? "" },
        {
          head: "LAST USED",
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : minuteOf(lastUsedAt)),
        },
        ...(revoked ? [{ head: "REVOKED", cell: ({ revokedAt }: ListedToken) => minuteOf(revokedAt) }] : []),
      ],
      asJson: (token) => ({
        id: token.id,
        asset: token.asset,
        operator: token.operator,
        scopes: token.scopes,
        origin: token.origin,
        made_at: instantOf(token.madeAt),
        made_by: token.madeBy,
        last_used_at: instantOf(token.lastUsedAt),
        revoked_at: instantOf(token.revokedAt),
      }),
    });
  },
});

function ofSites(
  { store: { db }, siteTokens }: Deps,
  asset: string | undefined,
  revoked: boolean,
): ListedToken[] {
  const uses = settingTokenUses(db);
  const of = { operator: null, scopes: ["reports"] };
  const issued = listTokens(db, { asset, revoked }).map((token): ListedToken => {
    const { id, createdAt, createdBy, revokedAt } = token;
    const lastUsedAt = siteTokens.lastUse(token, token.lastUsedAt);
    return {
      ...of,
      id,
      asset: token.asset,
      origin: "issued",
      madeAt: createdAt,
      madeBy: createdBy,
      lastUsedAt,
      revokedAt,
    };
  });
  const named = siteTokens.named().map((token): ListedToken => {
    const made = { origin: "ASSET_TOKENS", madeAt: null, madeBy: null, revokedAt: null } as const;
    return {
      ...of,
      ...made,
      id: namedTokenId(token),
      asset: token.asset,
      lastUsedAt: siteTokens.lastUse(token, uses.get(token.digest) ?? null),
    };
  });
  return [...issued, ...named.filter((token) => asset === undefined || token.asset === asset)].sort(
    byOwner(({ asset: owner }) => owner),
  );
}

function ofOperators(
  { store: { db }, apiTokens }: Deps,
  operator: string | undefined,
  revoked: boolean,
): ListedToken[] {
  return listApiTokens(db, { revoked })
    .filter(({ operatorName }) => operator === undefined || operatorName === operator)
    .map((token): ListedToken => {
      const { id, operatorName, scopes, createdAt, createdBy, revokedAt } = token;
      const lastUsedAt = apiTokens.lastUse(token, token.lastUsedAt);
      const made = { origin: "issued", madeAt: createdAt, madeBy: createdBy } as const;
      return { ...made, id, asset: null, operator: operatorName, scopes, lastUsedAt, revokedAt };
    })
    .sort(byOwner((token) => token.operator));
}

/** By whose they are, then the newest first, so that a list is the same each time. */
function byOwner(ownerOf: (token: ListedToken) => string | null) {
  return (one: ListedToken, other: ListedToken): number => {
    const [a, b] = [ownerOf(one) ?? "", ownerOf(other) ?? ""];
    if (a !== b) return a < b ? -1 : 1;
    const later = (other.madeAt ?? 0) - (one.madeAt ?? 0);
    return later !== 0 ? later : one.id < other.id ? -1 : 1;
  };
}
