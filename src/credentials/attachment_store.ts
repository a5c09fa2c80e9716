import { and, eq } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";
import type { Attachment } from "./contract.ts";
import { attachment } from "./table.ts";

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

/** An attachment as it is stored. */
export interface StoredAttachment extends Omit<Attachment, "connectionRevision"> {
  /** Milliseconds since the epoch. */
  readonly attachedAt: number;
  /** Null where there is no such credential, which cannot be. */
  readonly connectionRevision: string | null;
}

const stored = statement<StoredAttachment, []>(
  `SELECT a.asset, a.provider, a.credential, a.property, a.attached_at AS attachedAt, c.connection_revision AS connectionRevision
   FROM attachment a LEFT JOIN credential c ON c.id = a.credential ORDER BY a.asset, a.provider`,
);

/** Every row of an attachment, by site, one without its credential too. */
export function listStoredAttachments(db: Db): StoredAttachment[] {
  return stored(db).all();
}

/** A site's attachments: at most one of each provider. */
export function listAttachmentsOf(db: Db, asset: string): Attachment[] {
  return ofAsset(db).all(asset);
}

export function listAttachmentsWith(db: Db, credential: string): Attachment[] {
  return ofCredential(db).all(credential);
}

export function putAttachment(
  tx: Tx,
  attached: Omit<Attachment, "connectionRevision">,
  attachedAt: number,
): void {
  const { asset, provider, credential, property } = attached;
  const now = { credential, property, attached_at: attachedAt };
  tx.insert(attachment)
    .values({ asset, provider, ...now })
    .onConflictDoUpdate({ target: [attachment.asset, attachment.provider], set: now })
    .run();
}

export function deleteAttachment(tx: Tx, asset: string, provider: Provider): void {
  tx.delete(attachment)
    .where(and(eq(attachment.asset, asset), eq(attachment.provider, provider)))
    .run();
}
