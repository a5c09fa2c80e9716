/**
 * Sites whose figures of webmaster tools are asked for without an attachment, since an account lists, or listed, their address: which they
 * are, by what address, and for how long.
 */

import {
  type Attachment,
  type Credential,
  findConnection,
  listCredentials,
} from "../providers/credentials.ts";
import {
  findDetachment,
  hostKey,
  listAttachments,
  listAttachmentsOf,
  type NamedSite,
} from "../providers/properties.ts";
import { findAsset, isRetired, listSites, type Site } from "../sites/sites.ts";
import { type Db, statement } from "../store/store.ts";
import { findNewest, listTargets, type StoredObservation } from "./observations.ts";
import type { Question } from "./pull.ts";

const PROVIDER = "webmaster-tools";

/** For how long a site is asked for after it was last told of, listed or not: the days that are pulled, in milliseconds. */
export const MATCHED_FOR_MS = 97 * 86_400_000;

/** An account whose sites are asked for. */
export type Account = Pick<Credential, "id" | "connectionRevision">;

/** By which account a site is found, whether there is no other, and when it is looked for. */
interface MatchedBy {
  readonly of: Account;
  readonly isOnly: boolean;
  readonly now: number;
}

export const webmasterAccounts = (db: Db): readonly Account[] =>
  listCredentials(db).filter(({ kind }) => kind === "webmaster-tools-key");

/** The sites that an account was asked about by their address alone, and those whose figures by it are in the window. */
export function listMatched(db: Db, account: Account, now: number): readonly Attachment[] {
  const isOnly = webmasterAccounts(db).length === 1;
  const attached = new Set(
    listAttachments(db).flatMap(({ asset, provider }) => (provider === PROVIDER ? [asset] : [])),
  );
  return listSites(db).flatMap((site) =>
    attached.has(site.id) ? [] : (matchedBy(db, site, { of: account, isOnly, now }) ?? []),
  );
}

/** What a site is read from: its attachments, and the address by which an account found it where none is of webmaster tools. */
export function connectionsOf(
  db: Db,
  asset: string,
  now: number,
  site: Site | undefined = findAsset(db, asset),
): readonly Attachment[] {
  const attachments = listAttachmentsOf(db, asset);
  if (site === undefined || attachments.some(({ provider }) => provider === PROVIDER)) return attachments;
  const accounts = webmasterAccounts(db);
  const isOnly = accounts.length === 1;
  const [found] = accounts.flatMap((of) => matchedBy(db, site, { of, isOnly, now }) ?? []);
  return found === undefined ? attachments : [...attachments, found];
}

function matchedBy(db: Db, site: Site, by: MatchedBy): Attachment | undefined {
  const { id: credential, connectionRevision } = by.of;
  if (site.lifecycle === "retired" || isTakenAway(db, site.id, by.of)) return undefined;
  const targets = targetsOf(db, site);
  const property = lastAddress(db, site, by, targets) ?? askedAddress(targets, site, by.of);
  if (property === undefined) return undefined;
  return { asset: site.id, provider: PROVIDER, credential, property, connectionRevision };
}

/** The only account's new key is asked for what the one before found. */
const foundOver = statement<{ asset: string }, [revision: string]>(
  `SELECT DISTINCT t.asset FROM pull_target t JOIN asset s ON s.id = t.asset
   WHERE t.provider = '${PROVIDER}' AND s.lifecycle <> 'retired' AND
     (t.connection_revision = ?1 OR (SELECT count(*) FROM credential WHERE kind = 'webmaster-tools-key') = 1) AND NOT EXISTS
     (SELECT 1 FROM detachment d WHERE d.asset = t.asset AND d.provider = t.provider AND d.connection_revision = ?1)`,
);

/** The sites that are read with a credential: those attached, and those of webmaster tools that were found by their address. */
export function sitesReadWith(
  db: Db,
  { id, kind, connectionRevision }: Credential,
  attachments: readonly Attachment[],
): ReadonlySet<string> {
  const found = kind === "webmaster-tools-key" ? foundOver(db).all(connectionRevision) : [];
  return new Set(
    [...attachments.filter(({ credential }) => credential === id), ...found].map(({ asset }) => asset),
  );
}

const targetsOf = (db: Db, { id: asset }: Site) => listTargets(db, { asset, provider: PROVIDER });

/**
 * The address by which a site was found under an account's key, while figures of it are in the window: one that is listed no more is a
 * site that is not pulled, which has to be told, and is no recovery. Undefined where there is none, or where it is of another host by now.
 */
export function lastAddress(
  db: Db,
  site: Site,
  { of, isOnly, now }: MatchedBy,
  targets = targetsOf(db, site),
): string | undefined {
  const newest = targets
    .flatMap((target) => findNewest(db, target) ?? [])
    .reduce<StoredObservation | undefined>((a, b) => (a !== undefined && a.id > b.id ? a : b), undefined);
  if (newest === undefined || now - newest.observedAt > MATCHED_FOR_MS) return undefined;
  const { connectionRevision, property } = newest.target;
  if (!isOnly && connectionRevision !== of.connectionRevision) return undefined;
  return listedAddress(site, [property]);
}

/** The address by which a site was asked for over a connection, whatever came of it. */
function askedAddress(targets: ReturnType<typeof targetsOf>, site: Site, { connectionRevision }: Account) {
  return targets
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

/**
 * The listed address of a site: of those with its host the one most like its own, then one with https, then the first by text. Undefined
 * where none has its host, or the site names none. A site without an address has its id for one where that names a host.
 */
export function listedAddress(site: NamedSite, listed: readonly string[]): string | undefined {
  return listedAddresses(listed)(site);
}

/** The same for many sites: the addresses are looked through once. */
export function listedAddresses(listed: readonly string[]): (site: NamedSite) => string | undefined {
  const byHost = Map.groupBy(listed, hostKey);
  return (site) => {
    const own = site.url ?? (site.id.includes(".") ? site.id : undefined);
    const key = own === undefined ? undefined : hostKey(own);
    const alike = key === undefined ? undefined : byHost.get(key);
    if (own === undefined || alike === undefined || alike.length < 2) return alike?.[0];
    const [best] = alike
      .map((address) => ({ address, likeness: likeness(own, address) }))
      .sort((a, b) => b.likeness - a.likeness || (a.address < b.address ? -1 : 1));
    return best?.address;
  };
}

/** How much alike two addresses with one host are. */
function likeness(own: string, address: string): number {
  const [one, other] = [urlOf(own), urlOf(address)];
  if (one === null || other === null) return 0;
  const isSamePath = pathOf(one) === pathOf(other);
  const isWhole = pathOf(other) === "";
  return (
    8 * Number(isSamePath) +
    4 * Number(isWhole) +
    2 * Number(one.host === other.host && one.protocol === other.protocol) +
    Number(other.protocol === "https:")
  );
}

const urlOf = (address: string) => URL.parse(address.includes("://") ? address : `https://${address}`);
const pathOf = ({ pathname }: URL) => pathname.replace(/\/+$/, "");
