/**
 * Sites whose figures of webmaster tools are asked for without an attachment, since an account lists, or listed, their address: which they
 * are, by what address, and for how long.
 */
import { isRetired, listSites, type Site } from "../assets/mod.ts";
import { findConnection, findDetachment, listAttachments, listAttachmentsOf } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import { listedAddress } from "./match_listed.ts";
import { findNewest, listTargets, type StoredObservation } from "./observation_store.ts";
import type { Question } from "./pull_one.ts";

const PROVIDER = "webmaster-tools";

/** For how long a site is asked for after it was last told of, listed or not: the days that are pulled, in milliseconds. */
export const MATCHED_FOR_MS = 97 * 86_400_000;

/** An account whose sites are asked for. */
export interface Account {
  readonly id: string;
  readonly connectionRevision: string;
}

/** The sites that an account was asked about by their address alone, and those whose figures by it are in the window. */
export function listMatched(
  db: Db,
  account: Account,
  { isOnly, now }: { readonly isOnly: boolean; readonly now: number },
): { readonly asset: string; readonly provider: typeof PROVIDER; readonly property: string }[] {
  const attached = new Set(
    listAttachments(db).flatMap(({ asset, provider }) => (provider === PROVIDER ? [asset] : [])),
  );
  return listSites(db).flatMap((site) => {
    if (site.lifecycle === "retired" || attached.has(site.id) || isTakenAway(db, site.id, account)) return [];
    const property = lastAddress(db, site, { of: account, isOnly, now }) ?? askedAddress(db, site, account);
    return property === undefined ? [] : [{ asset: site.id, provider: PROVIDER, property }];
  });
}

/**
 * The address by which a site was found under an account's key, while figures of it are in the window: one that is listed no more is a
 * site that is not pulled, which has to be told, and is no recovery. Undefined where there is none, or where it is of another host by now.
 */
export function lastAddress(
  db: Db,
  site: Site,
  { of, isOnly, now }: { readonly of: Account; readonly isOnly: boolean; readonly now: number },
): string | undefined {
  const newest = listTargets(db, { asset: site.id, provider: PROVIDER })
    .flatMap((target) => findNewest(db, target) ?? [])
    .reduce<StoredObservation | undefined>((a, b) => (a !== undefined && a.id > b.id ? a : b), undefined);
  if (newest === undefined || now - newest.observedAt > MATCHED_FOR_MS) return undefined;
  const { connectionRevision, property } = newest.target;
  if (!isOnly && connectionRevision !== of.connectionRevision) return undefined;
  return listedAddress(site, [property]);
}

/** The address by which a site was asked for over a connection, whatever came of it. */
function askedAddress(db: Db, site: Site, { connectionRevision }: Account): string | undefined {
  return listTargets(db, { asset: site.id, provider: PROVIDER })
    .filter((target) => target.connectionRevision === connectionRevision)
    .flatMap(({ property }) => listedAddress(site, [property]) ?? [])[0];
}

/** Whether an operator took a site's connection to an account away: it is then found by its address no more. */
export function isTakenAway(db: Db, asset: string, { connectionRevision }: Omit<Account, "id">): boolean {
  return findDetachment(db, { asset, provider: PROVIDER })?.connectionRevision === connectionRevision;
}

/** A site that was found by its address is asked for as long as nobody attached or disconnected it and the account's key is the same. */
export function isMatched(
  db: Db,
  { asset, credential, connectionRevision }: Omit<Question, "isCurrent">,
): boolean {
  return (
    !isRetired(db, asset) &&
    !isTakenAway(db, asset, { connectionRevision }) &&
    findConnection(db, credential) === connectionRevision &&
    listAttachmentsOf(db, asset).every(({ provider }) => provider !== PROVIDER)
  );
}
