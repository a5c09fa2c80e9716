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
