import { and, eq } from "drizzle-orm";
import { type AuditRow, listActs } from "../access/audit.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Provider } from "./adapter.ts";
import { type Attachment, attachment, type Detachment, listCredentials } from "./credentials.ts";

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

const DETACHED = `asset, provider, connection_revision AS connectionRevision, property, detached_at AS detachedAt,
  detached_by AS detachedBy FROM detachment`;

const allDetached = statement<Detachment, []>(`SELECT ${DETACHED} ORDER BY asset, provider`);
const detachedFrom = statement<Detachment, [string]>(`SELECT ${DETACHED} WHERE asset = ? ORDER BY provider`);

/** Connections that were taken away from sites and are neither made anew nor forgotten, by site. */
export function listDetachments(db: Db): Detachment[] {
  return allDetached(db).all();
}

/** The connection of a provider that was taken away from a site; undefined where none was. */
export function findDetachment(
  db: Db,
  of: { readonly asset: string; readonly provider: Provider },
): Detachment | undefined {
  return listDetachmentsOf(db, of.asset).find(({ provider }) => provider === of.provider);
}

export function listDetachmentsOf(db: Db, asset: string): Detachment[] {
  return detachedFrom(db).all(asset);
}

const putRow = statement<never, [string, string, string, string, number, string]>(
  `INSERT INTO detachment (asset, provider, connection_revision, property, detached_at, detached_by) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (asset, provider) DO UPDATE SET connection_revision = excluded.connection_revision, property = excluded.property,
     detached_at = excluded.detached_at, detached_by = excluded.detached_by`,
);
const drop = statement<never, [string, string]>("DELETE FROM detachment WHERE asset = ? AND provider = ?");

/** Notes that a site's connection was taken away. */
export function putDetachment(
  tx: Tx,
  { asset, provider, connectionRevision, property }: Omit<Attachment, "credential">,
  by: { readonly actor: string; readonly now: number },
): void {
  putRow(tx).run(asset, provider, connectionRevision, property, by.now, by.actor);
}

export function deleteDetachment(tx: Tx, asset: string, provider: Provider): void {
  drop(tx).run(asset, provider);
}

const move = statement<never, [string, string]>(
  "UPDATE detachment SET connection_revision = ? WHERE connection_revision = ?",
);

/** With another secret an account has another connection: what was taken away from it stays taken away. */
export function moveDetachments(tx: Tx, from: string, to: string): void {
  move(tx).run(to, from);
}

/**
 * Credentials and attachments against the record of what was done to them. A seal holds a secret to its row and revision; that a whole
 * row was put back as it was before, with the revision it had, only the record shows.
 */

const ACTS = [
  "credential.add",
  "credential.change",
  "credential.replace",
  "credential.remove",
  "property.attach",
  "property.detach",
] as const;

/** Which edit and connection a credential is at. */
interface At {
  readonly edit: number;
  readonly connection: string;
}

/** What an act says, as far as it is read here. */
type Said = Readonly<Record<string, string | number | undefined>>;

/** What all acts together lead to. */
interface Recorded {
  readonly credentials: Map<string, At>;
  /** By site and provider: the property and its credential. */
  readonly attachments: Map<string, string>;
}

/** What is otherwise than the acts on it lead to, each in a sentence. */
export function credentialFaults(db: Db): string[] {
  const recorded = replay(listActs(db, ACTS));
  const credentials = new Map(
    listCredentials(db).map(({ id, editRevision, connectionRevision }) => [
      id,
      { edit: editRevision, connection: connectionRevision },
    ]),
  );
  const attachments = new Map(
    listAttachments(db).map(({ asset, provider, property, credential }) => [
      `${asset} ${provider}`,
      `${property} with ${credential}`,
    ]),
  );
  return [
    ...differences("credential", credentials, recorded.credentials, ({ edit, connection }) => {
      return `edit revision ${edit}, connection ${connection}`;
    }),
    ...differences("property of", attachments, recorded.attachments, (text) => text),
  ];
}

function* differences<T>(
  what: string,
  stored: ReadonlyMap<string, T>,
  recorded: ReadonlyMap<string, T>,
  words: (one: T) => string,
): Generator<string> {
  for (const id of new Set([...stored.keys(), ...recorded.keys()])) {
    const [is, was] = [stored.get(id), recorded.get(id)];
    const [said, meant] = [is, was].map((one) => (one === undefined ? "none" : words(one)));
    if (said !== meant) yield `${what} ${id}: stored is ${said}, the acts on it lead to ${meant}`;
  }
}

function replay(acts: readonly Pick<AuditRow, "act" | "target" | "detail">[]): Recorded {
  const recorded: Recorded = { credentials: new Map(), attachments: new Map() };
  for (const { act, target, detail } of acts) {
    const said = JSON.parse(detail) as Said;
    if (act.startsWith("credential.")) onCredential(recorded, act, target.replace("credential:", ""), said);
    else onProperty(recorded, act, target, said);
  }
  return recorded;
}

function onCredential({ credentials, attachments }: Recorded, act: string, id: string, said: Said): void {
  if (act === "credential.remove") {
    credentials.delete(id);
    for (const [key, value] of attachments) if (value.endsWith(` with ${id}`)) attachments.delete(key);
    return;
  }
  const connection = said["connection_revision"] ?? credentials.get(id)?.connection ?? "";
  credentials.set(id, { edit: Number(said["edit_revision"]), connection: String(connection) });
}

function onProperty({ credentials, attachments }: Recorded, act: string, asset: string, said: Said): void {
  const { provider, property, with: credential = "", edit_revision: edit } = said;
  const key = `${asset} ${provider}`;
  if (act === "property.detach") {
    attachments.delete(key);
    return;
  }
  attachments.set(key, `${property} with ${credential}`);
  const known = credentials.get(String(credential));
  if (edit !== undefined && known !== undefined) {
    credentials.set(String(credential), { ...known, edit: Number(edit) });
  }
}
