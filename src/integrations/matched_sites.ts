/** Sites whose figures of webmaster tools are asked for without an attachment, since an account lists their address. Pure. */
import type { PlacedSite } from "../assets/mod.ts";
import type { Credential } from "../credentials/contract.ts";
import type { UsableProperty } from "../credentials/mod.ts";
import type { Provider } from "../provider/contract.ts";
import { listedAddresses, MATCHED_FOR_MS, type SourceAttempt } from "../signals/mod.ts";
import type { Connected, KnownParts } from "./inventory.ts";
import type { Moments } from "./moments.ts";

/** A site with the address that it is asked by. */
export interface MatchedSite {
  readonly asset: string;
  readonly connectionRevision: string;
  readonly property: string;
}

interface Ground {
  readonly sites: ReadonlyMap<string, PlacedSite>;
  readonly connected: readonly Connected[];
  readonly now: number;
  readonly moments: Moments;
}

const PROVIDER: Provider = "webmaster-tools";
/** How long a night takes at the most until it has asked every site of its list. */
const NIGHT_MS = 3 * 3_600_000;

/**
 * Every such site, once for each account that it is asked with. What the nightly list held is stored nowhere; what it was followed by is: a
 * site that was asked lately is asked again, listed or not, and one that nobody asked yet is asked if the account's list, as it was read
 * last, has its address.
 */
export function matchedSites(parts: KnownParts, { sites, connected, now, moments }: Ground): MatchedSite[] {
  const attached = new Set(
    connected.filter(({ provider }) => provider === PROVIDER).map(({ asset }) => asset),
  );
  const free = [...sites.values()].filter(({ id }) => !attached.has(id));
  const accounts = (parts.accounts ?? []).filter(({ providers }) => providers.includes(PROVIDER));
  if (free.length === 0 || accounts.length === 0) return [];
  const asked = Map.groupBy(
    (parts.attempts ?? []).filter((one) => one.provider === PROVIDER),
    ({ asset }) => asset,
  );
  return accounts.flatMap((account) => {
    const listed = (parts.listed ?? []).filter(({ credential }) => credential === account.id);
    const addressOf = listedAddresses(listed.map(({ property }) => property));
    const away = new Set(
      (parts.detachments ?? [])
        .filter((one) => one.provider === PROVIDER && one.connectionRevision === account.connectionRevision)
        .map(({ asset }) => asset),
    );
    const isReplaced = isListReplaced(listed, listReadAt(parts, account), now, moments);
    return free.flatMap((site): MatchedSite[] => {
      if (away.has(site.id)) return [];
      const last = lastAsked(asked.get(site.id) ?? [], {
        account,
        isOnly: accounts.length === 1,
        now,
        moments,
      });
      const lasting = last === undefined ? undefined : listedAddresses([last.property])(site);
      const property = lasting ?? (isReplaced ? undefined : addressOf(site));
      if (property === undefined) return [];
      return [{ asset: site.id, connectionRevision: account.connectionRevision, property }];
    });
  });
}

/** When a nightly list of the account was last read. */
function listReadAt({ states = [] }: KnownParts, account: Credential): number | undefined {
  const known = states.find(
    ({ scope }) =>
      scope.capability === `${PROVIDER}.daily` &&
      scope.asset === "" &&
      scope.connectionRevision === account.connectionRevision,
  )?.evidence;
  return known === undefined || known === "unreadable" ? undefined : known.success?.startedAt;
}

/** Whether a later list was read and followed: an address that nobody asked about then is listed no more. */
function isListReplaced(
  listed: readonly UsableProperty[],
  readAt: number | undefined,
  now: number,
  moments: Moments,
): boolean {
  const seenAt = listed.reduce((latest, one) => Math.max(latest, one.seenAt), 0);
  if (readAt === undefined || readAt <= seenAt) return false;
  moments.add(readAt + NIGHT_MS);
  return now >= readAt + NIGHT_MS;
}

/** What a site was last asked by, while figures of it can be in the window. */
function lastAsked(
  attempts: readonly SourceAttempt[],
  of: {
    readonly account: Credential;
    readonly isOnly: boolean;
    readonly now: number;
    readonly moments: Moments;
  },
): SourceAttempt | undefined {
  const last = attempts
    .filter((one) => of.isOnly || one.connectionRevision === of.account.connectionRevision)
    .reduce<SourceAttempt | undefined>(
      (a, b) => (a !== undefined && a.startedAt >= b.startedAt ? a : b),
      undefined,
    );
  if (last === undefined || of.now - last.startedAt > MATCHED_FOR_MS) return undefined;
  of.moments.add(last.startedAt + MATCHED_FOR_MS + 1);
  return last;
}
