import { type Db, statement, type Tx } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";
import type { Attachment, Detachment } from "./contract.ts";

const COLUMNS = `asset, provider, connection_revision AS connectionRevision, property, detached_at AS detachedAt,
  detached_by AS detachedBy FROM detachment`;

const all = statement<Detachment, []>(`SELECT ${COLUMNS} ORDER BY asset, provider`);
const ofAsset = statement<Detachment, [string]>(`SELECT ${COLUMNS} WHERE asset = ? ORDER BY provider`);

/** Connections that were taken away from sites and are neither made anew nor forgotten, by site. */
export function listDetachments(db: Db): Detachment[] {
  return all(db).all();
}

/** The connection of a provider that was taken away from a site; undefined where none was. */
export function findDetachment(
  db: Db,
  of: { readonly asset: string; readonly provider: Provider },
): Detachment | undefined {
  return listDetachmentsOf(db, of.asset).find(({ provider }) => provider === of.provider);
}

export function listDetachmentsOf(db: Db, asset: string): Detachment[] {
  return ofAsset(db).all(asset);
}

const put = statement<never, [string, string, string, string, number, string]>(
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
  put(tx).run(asset, provider, connectionRevision, property, by.now, by.actor);
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
