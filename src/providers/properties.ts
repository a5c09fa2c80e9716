/** What credentials gave access to when they were last asked, which provider the id of a property is of, and which site has which property. */

import { and, eq, sql } from "drizzle-orm";
import type { By } from "../access/access.ts";
import { auditAct } from "../access/audit.ts";
import { replacing } from "../store/rows.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type DiscoveredProperty, PROVIDERS, type Provider } from "./adapter.ts";
import {
  type Attachment,
  attachment,
  type CredentialKind,
  type Detachment,
  detachment,
  property,
  type SeenProperty,
} from "./credentials.ts";

/** By provider, then by name. Of one credential where it is named. */
export function listProperties(db: Db, credential?: string): SeenProperty[] {
  return db
    .select()
    .from(property)
    .where(credential === undefined ? undefined : eq(property.credential, credential))
    .orderBy(property.name, property.property, property.credential)
    .all()
    .sort((a, b) => PROVIDERS.indexOf(a.provider) - PROVIDERS.indexOf(b.provider));
}

/** An address that a credential could be asked about when its list was last read. */
export type UsableProperty = Pick<SeenProperty, "credential" | "property" | "seenAt">;

const usable = statement<UsableProperty, [Provider]>(
  "SELECT credential, property, seen_at AS seenAt FROM property WHERE provider = ? AND usable = 1 ORDER BY credential, property",
);

/** What can be asked about with the credentials of a provider, by credential. */
export function listUsable(db: Db, provider: Provider): UsableProperty[] {
  return usable(db).all(provider);
}

/** Puts what a provider told in the place of what it told before. */
export function replaceProperties(
  tx: Tx,
  of: { readonly credential: string; readonly provider: Provider },
  seen: readonly DiscoveredProperty[],
  seenAt: number,
): void {
  deleteProperties(tx, of);
  for (const { property: id, name, timeZone, usable } of seen) {
    tx.insert(property)
      .values({ ...of, property: id, name, timeZone: timeZone ?? null, usable, seenAt })
      .onConflictDoNothing()
      .run();
  }
}

/** Forgets what a credential gave access to, with one provider or with all. */
export function deleteProperties(tx: Tx, of: { readonly credential: string; readonly provider?: Provider }) {
  const { credential, provider } = of;
  tx.delete(property)
    .where(
      and(
        eq(property.credential, credential),
        provider === undefined ? undefined : eq(property.provider, provider),
      ),
    )
    .run();
}

/** A property as its credential's last discovery saw it; undefined where it was not listed. */
export function findProperty(
  db: Db,
  of: Pick<SeenProperty, "credential" | "provider" | "property">,
): SeenProperty | undefined {
  return db
    .select()
    .from(property)
    .where(
      and(
        eq(property.credential, of.credential),
        eq(property.provider, of.provider),
        eq(property.property, of.property),
      ),
    )
    .get();
}

/** Longest id, in characters: as long as an address may be. */
const LONGEST = 2_048;

/**
 * Which property of which provider an id names, or what is wrong with it. Tells the provider by the form of the id: digits are of analytics,
 * an address of search console or webmaster tools.
 */
export function readPropertyId(kind: CredentialKind, text: string) {
  const no = (fault: string) => ({ ok: false, fault }) as const;
  const named = (provider: Provider, property: string) => ({ ok: true, provider, property }) as const;
  if (text.length > LONGEST || /[\s\p{Cc}]/u.test(text)) {
    return no(`a property's id has no white space and at most ${LONGEST} characters`);
  }
  const isAddress = /^https?:\/\//i.test(text) && URL.canParse(text);
  if (kind === "webmaster-tools-key") {
    return isAddress
      ? named("webmaster-tools", text)
      : no("a site of webmaster tools is named by its address, for example https://shop.example/");
  }
  const [, digits] = /^(?:properties\/)?(\d{1,20})$/.exec(text) ?? [];
  if (digits !== undefined) return named("analytics", digits);
  if (isAddress || /^sc-domain:[^/:]+$/i.test(text)) return named("search-console", text);
  if (/^(?:G|UA|GT|AW)-/i.test(text)) {
    return no(
      "that is a tag's id: the id of an analytics property is its number, under Admin, Property details",
    );
  }
  return no(
    "analytics properties are named by their number, search-console properties by sc-domain:shop.example or https://shop.example/",
  );
}

// Which site a property is most likely of, by the host of its address or its name: for the screen on which they are
// attached. A suggestion, nobody is attached by it.

/** A site, as far as it says which address it has. */
export interface NamedSite {
  readonly id: string;
  readonly url: string | null;
}

/**
 * The most likely site of each property, by the property's id; a property without one is left out, also where two sites are equally
 * likely. In this order: the property's address is the site's; the property's name is; the property's name is the site's id.
 */
export function suggestAttachments(
  properties: readonly Pick<DiscoveredProperty, "property" | "name">[],
  sites: readonly NamedSite[],
): ReadonlyMap<string, string> {
  const byHost = Map.groupBy(sites, ({ id, url }) => {
    const own = url === null ? undefined : hostKey(url);
    return own ?? (id.includes(".") ? hostKey(id) : undefined);
  });
  const byId = Map.groupBy(sites, ({ id }) => plain(id));
  const suggested = new Map<string, string>();
  for (const { property, name } of properties) {
    const address = isAddress(property) ? hostKey(property) : undefined;
    const named = hostInName(name);
    const site = only(byHost, address) ?? only(byHost, named) ?? only(byId, plain(name));
    if (site !== undefined) suggested.set(property, site);
  }
  return suggested;
}

function only(sites: ReadonlyMap<string | undefined, readonly NamedSite[]>, key: string | undefined) {
  const [one, other] = (key === undefined || key === "" ? undefined : sites.get(key)) ?? [];
  return other === undefined ? one?.id : undefined;
}

const isAddress = (property: string) => /^(?:https?:\/\/|sc-domain:)/i.test(property);

/** The first host that a name holds: "Shop (www.shop.example)", "shop.example - GA4". */
function hostInName(name: string): string | undefined {
  const word = name
    .split(/[\s()[\]<>,;|]+/)
    .find((part) => /^(?:https?:\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:\/.*)?$/iu.test(part));
  return word === undefined ? undefined : hostKey(word);
}

/** A name as it is compared with an id: letters and digits alone, in lower case. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * What two addresses of one site have in common: the host in lower case and in its ASCII form (IDNA), without `www.`, a final dot,
 * user, port, path and scheme. A domain property (`sc-domain:example.com`) has the key of its domain. Undefined for what names no host.
 */
export function hostKey(address: string): string | undefined {
  const text = address.trim().replace(/^sc-domain:/i, "");
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || url.hostname === "") return undefined;
  const host = url.hostname.replace(/\.+$/, "");
  const bare = host.replace(/^www\./, "");
  // A name of one label alone is no `www.` of another.
  return bare.includes(".") || bare === host ? bare : host;
}

// Which property each site's figures come from, and which connections were taken away.

const COLUMNS = `attachment.asset, attachment.provider, attachment.credential, attachment.property,
  credential.connection_revision AS connectionRevision
  FROM attachment JOIN credential ON credential.id = attachment.credential`;

const all = statement<Attachment, []>(`SELECT ${COLUMNS} ORDER BY attachment.asset, attachment.provider`);
const ofAsset = statement<Attachment, [string]>(
  `SELECT ${COLUMNS} WHERE attachment.asset = ? ORDER BY attachment.provider`,
);
const ofCredential = statement<Attachment, [string]>(
  `SELECT ${COLUMNS} WHERE attachment.credential = ? ORDER BY attachment.asset, attachment.provider`,
);

/** Every attachment, by site, each with the connection revision that its credential has now. */
export function listAttachments(db: Db): Attachment[] {
  return all(db).all();
}

/** An attachment as it is stored; its connection revision is null where there is no such credential, which cannot be. */
export type StoredAttachment = Readonly<Omit<typeof attachment.$inferSelect, "credential">> & {
  readonly connectionRevision: string | null;
};

const STORED = `SELECT a.asset, a.provider, a.property, a.attached_at AS attachedAt,
     c.connection_revision AS connectionRevision
   FROM attachment a LEFT JOIN credential c ON c.id = a.credential`;
const stored = statement<StoredAttachment, []>(`${STORED} ORDER BY a.asset, a.provider`);
const storedOf = statement<StoredAttachment, [string]>(`${STORED} WHERE a.asset = ? ORDER BY a.provider`);

/** Every row of an attachment, or those of one site, one without its credential too. */
export function listStoredAttachments(db: Db, asset?: string): StoredAttachment[] {
  return asset === undefined ? stored(db).all() : storedOf(db).all(asset);
}

/** A site's attachments: at most one of each provider. */
export function listAttachmentsOf(db: Db, asset: string): Attachment[] {
  return ofAsset(db).all(asset);
}

export function listAttachmentsWith(db: Db, credential: string): Attachment[] {
  return ofCredential(db).all(credential);
}

/** Puts an attachment in the place of the one that the site has of this provider. */
export const putAttachment = replacing(attachment);

export function deleteAttachment(tx: Tx, asset: string, provider: Provider): void {
  tx.delete(attachment)
    .where(and(eq(attachment.asset, asset), eq(attachment.provider, provider)))
    .run();
}

/** Connections that were taken away from sites and are neither made again nor forgotten, by site. */
export const listDetachments = (db: Db): Detachment[] =>
  db.select().from(detachment).orderBy(detachment.asset, detachment.provider).all();

const listedOf = prepared((db) =>
  db
    .select()
    .from(detachment)
    .where(eq(detachment.asset, sql.placeholder("asset")))
    .orderBy(detachment.provider)
    .prepare(),
);

const listDetachmentsOf = (db: Db, asset: string): Detachment[] => listedOf(db).all({ asset });

/** A site and a provider. */
type Of = Pick<Attachment, "asset" | "provider">;

/** The connection of a provider that was taken away from a site; undefined where none was. */
export const findDetachment = (db: Db, of: Of): Detachment | undefined =>
  listDetachmentsOf(db, of.asset).find(({ provider }) => provider === of.provider);

const putAway = replacing(detachment);

/** Notes that a site's connection was taken away. */
export const putDetachment = (
  tx: Tx,
  { asset, provider, connectionRevision, property }: Omit<Attachment, "credential">,
  { actor: detachedBy, now: detachedAt }: By,
): void => putAway(tx, { asset, provider, connectionRevision, property, detachedAt, detachedBy });

export function deleteDetachment(tx: Tx, asset: string, provider: Provider): void {
  tx.delete(detachment)
    .where(and(eq(detachment.asset, asset), eq(detachment.provider, provider)))
    .run();
}

/** With another secret an account has another connection: what was taken away from it stays taken away. */
export function moveDetachments(tx: Tx, from: string, to: string): void {
  tx.update(detachment).set({ connectionRevision: to }).where(eq(detachment.connectionRevision, from)).run();
}

/** Takes a connection away from a site: of a property that is attached to it, or was found by its address. */
export function detachNow(tx: Tx, connection: Attachment, by: By): void {
  takeOff(tx, connection, by);
  putDetachment(tx, connection, by);
}

/** Detaches everything of a site that is taken out of the portfolio, and forgets what was detached before. */
export function detachSite(tx: Tx, asset: string, by: By): void {
  for (const attached of listAttachmentsOf(tx, asset)) takeOff(tx, attached, by);
  for (const { provider } of listDetachmentsOf(tx, asset)) deleteDetachment(tx, asset, provider);
}

function takeOff(tx: Tx, { asset, provider, property, credential }: Attachment, { actor, now }: By): void {
  deleteAttachment(tx, asset, provider);
  auditAct(tx, { actor, now }, "property.detach", asset, { provider, property, with: credential });
}

/** Forgets that a site had a connection of a provider; undefined where none was taken away. What was pulled over it stays. */
export function forgetDetachment(
  { writer }: { readonly writer: Writer },
  of: Of,
  { actor, now }: By,
): Promise<Detachment | undefined> {
  return writer.write((tx) => {
    const known = findDetachment(tx, of);
    if (known === undefined) return undefined;
    deleteDetachment(tx, of.asset, of.provider);
    const { asset: target, provider, property } = known;
    auditAct(tx, { actor, now }, "property.forget", target, { provider, property });
    return known;
  });
}
