/** Which property each site's figures come from, and which connections were taken away. */

import { and, eq, sql } from "drizzle-orm";
import { auditAct } from "../access/audit.ts";
import { replacing } from "../store/rows.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { Provider } from "./adapter.ts";
import { type Attachment, attachment, type Detachment, detachment } from "./credentials.ts";

/** Who does it, and when (milliseconds since the epoch). */
export interface By {
  readonly actor: string;
  readonly now: number;
}

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

export const listDetachmentsOf = (db: Db, asset: string): Detachment[] => listedOf(db).all({ asset });

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
