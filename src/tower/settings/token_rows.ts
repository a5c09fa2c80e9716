import { listTokens, type SiteTokenBook, settingTokenUses } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { listApiTokens, type Scope } from "../../operators/mod.ts";
import type { OperatorTokenRow, SiteTokenRow } from "./tokens_page.tsx";

/** What each scope allows, for the form. */
export const SCOPE_MEANINGS: readonly (readonly [scope: Scope, meaning: string])[] = [
  ["annotations", "put deploys and other changes on the timeline"],
  ["ledger", "add ledger rows"],
  ["health:read", "read the health of the integrations"],
  ["read", "read everything stored, and the service's own figures"],
];

/** Site tokens in force, issued and from the setting, whose site's identifier holds `q`; by site, then newest first. */
export function siteTokenRows(db: Db, book: SiteTokenBook, q: string): SiteTokenRow[] {
  const uses = settingTokenUses(db);
  const rows: SiteTokenRow[] = [
    ...listTokens(db).map(({ id, asset, createdAt, createdBy, lastUsedAt }) => {
      return { id, asset, source: "issued" as const, createdAt, createdBy, lastUsedAt };
    }),
    ...book.named().map(({ asset, digest }) => ({
      id: digest.slice(0, 12),
      asset,
      source: "setting" as const,
      createdAt: null,
      createdBy: null,
      lastUsedAt: uses.get(digest) ?? null,
    })),
  ];
  const wanted = q.toLowerCase();
  return rows
    .filter((row) => row.asset.toLowerCase().includes(wanted))
    .sort(
      (a, b) => compare(a.asset, b.asset) || (b.createdAt ?? 0) - (a.createdAt ?? 0) || compare(a.id, b.id),
    );
}

/** Operator tokens in force. */
export function operatorTokenRows(db: Db): OperatorTokenRow[] {
  return listApiTokens(db).map(({ id, operatorName, scopes, createdAt, createdBy, lastUsedAt }) => {
    return { id, operator: operatorName, scopes, createdAt, createdBy, lastUsedAt };
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
