/** Sites whose figures of webmaster tools are asked for without an attachment, since an account lists their address. Pure. */

import type { Provider } from "../providers/adapter.ts";
import { listedAddresses, MATCHED_FOR_MS } from "../signals/matched_site.ts";
import type { SourceAttempt } from "../signals/pull_standing.ts";
import type { PlacedSite } from "../sites/sites.ts";
import type { KnownParts, Moments, SiteRows } from "./inventory.ts";

const PROVIDER: Provider = "webmaster-tools";
/** How long a night takes at the most until it has asked every site of its list. */
const NIGHT_MS = 3 * 3_600_000;

/** A site with the address that it is asked by. */
interface MatchedSite {
  readonly asset: string;
  readonly connectionRevision: string;
  readonly property: string;
}

/** What a site is asked by that has no attachment, once for each account that asks for it. */
export type MatchedOf = (ground: {
  readonly site: PlacedSite;
  readonly rows: SiteRows;
  readonly now: number;
  readonly moments: Moments;
}) => MatchedSite[];

/**
 * What the nightly list held is stored nowhere; what it was followed by is: a site that was asked lately is asked again, listed or not, and
 * one that nobody asked yet is asked if the account's list, as it was read last, has its address.
 */
export function matchedOf({ accounts = [], listed = [], states = [] }: KnownParts): MatchedOf {
  const asking = accounts.filter(({ providers }) => providers.includes(PROVIDER));
  const isOnly = asking.length === 1;
  const lists = asking.map(({ id, connectionRevision }) => {
    const own = listed.filter(({ credential }) => credential === id);
    const known = states.find(
      ({ scope }) =>
        scope.capability === `${PROVIDER}.daily` &&
        scope.asset === "" &&
        scope.connectionRevision === connectionRevision,
    )?.evidence;
    const readAt = known === undefined || known === "unreadable" ? undefined : known.success?.startedAt;
    const seenAt = own.reduce((latest, one) => Math.max(latest, one.seenAt), 0);
    return {
      connectionRevision,
      addressOf: listedAddresses(own.map(({ property }) => property)),
      /** From when on a later list was read and followed: an address that nobody asked about then is listed no more. */
      replacedAt: readAt === undefined || readAt <= seenAt ? undefined : readAt + NIGHT_MS,
    };
  });
  return ({ site, rows, now, moments }) =>
    lists.flatMap(({ connectionRevision, addressOf, replacedAt }): MatchedSite[] => {
      const isAway = rows.detachments?.some(
        (one) => one.provider === PROVIDER && one.connectionRevision === connectionRevision,
      );
      if (isAway === true) return [];
      const asked = (rows.attempts ?? []).filter(
        (one) => one.provider === PROVIDER && (isOnly || one.connectionRevision === connectionRevision),
      );
      moments.add(replacedAt);
      const last = lastAsked(asked, now, moments);
      const lasting = last && listedAddresses([last.property])(site);
      const property =
        lasting ?? (replacedAt !== undefined && now >= replacedAt ? undefined : addressOf(site));
      return property === undefined ? [] : [{ asset: site.id, connectionRevision, property }];
    });
}

/** What a site was last asked by, while figures of it can be in the window. */
function lastAsked(
  attempts: readonly SourceAttempt[],
  now: number,
  moments: Moments,
): SourceAttempt | undefined {
  const last = attempts.reduce<SourceAttempt | undefined>(
    (a, b) => (a !== undefined && a.startedAt >= b.startedAt ? a : b),
    undefined,
  );
  if (last === undefined || now - last.startedAt > MATCHED_FOR_MS) return undefined;
  moments.add(last.startedAt + MATCHED_FOR_MS + 1);
  return last;
}
