import { and, eq, sql } from "drizzle-orm";
import { type Db, prepared, statement, type Tx } from "../db/mod.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../provider/contract.ts";
import type { Credential, CredentialKind } from "./contract.ts";
import { credential } from "./table.ts";

/** A row with what is sealed. */
export type CredentialRow = typeof credential.$inferSelect;

const p = sql.placeholder;

const byId = prepared((db) =>
  db
    .select()
    .from(credential)
    .where(eq(credential.id, p("id")))
    .prepare(),
);

const byAccount = prepared((db) =>
  db
    .select()
    .from(credential)
    .where(and(eq(credential.kind, p("kind")), eq(credential.account, p("account"))))
    .prepare(),
);

/** Every row, in the order in which they were added. */
export function listRows(db: Db): CredentialRow[] {
  return db.select().from(credential).orderBy(credential.added_at, credential.id).all();
}

export function findRow(db: Db, id: string): CredentialRow | undefined {
  return byId(db).get({ id });
}

/** The credential of an account, by the account's code. */
export function findOfAccount(db: Db, kind: CredentialKind, account: string): CredentialRow | undefined {
  return byAccount(db).get({ kind, account });
}

export function insertRow(tx: Tx, row: CredentialRow): void {
  tx.insert(credential).values(row).run();
}

/** Puts a row in the place of the one with its id. */
export function updateRow(tx: Tx, { id, ...row }: CredentialRow): void {
  tx.update(credential).set(row).where(eq(credential.id, id)).run();
}

/** Takes every secret out; the rows stay, so that it is seen what has to be put in again. */
export function loseSecrets(tx: Tx): void {
  tx.update(credential).set({ sealed: "", key_id: "" }).run();
}

export function deleteRow(tx: Tx, id: string): void {
  tx.delete(credential).where(eq(credential.id, id)).run();
}

/** Stored credentials, in the order in which they were added; nothing of their secrets. */
export function listCredentials(db: Db): Credential[] {
  return listRows(db).map(credentialOf);
}

export function findCredential(db: Db, id: string): Credential | undefined {
  const row = findRow(db, id);
  return row && credentialOf(row);
}

/** The one of a kind that was added first. */
export function findFirstOfKind(db: Db, kind: CredentialKind): Credential | undefined {
  const order = [credential.added_at, credential.id];
  const row = db
    .select()
    .from(credential)
    .where(eq(credential.kind, kind))
    .orderBy(...order)
    .limit(1)
    .get();
  return row && credentialOf(row);
}

const connection = statement<{ revision: string }, [string]>(
  "SELECT connection_revision AS revision FROM credential WHERE id = ?",
);

/**
 * The connection revision that a credential has now; undefined where there is no such credential. What an operation began under
 * another may not be stored: look inside the transaction that stores it.
 */
export function findConnection(db: Db, id: string): string | undefined {
  return connection(db).first(id)?.revision;
}

export function credentialOf(row: CredentialRow): Credential {
  return {
    id: row.id,
    kind: row.kind,
    providers: providersIn(row.providers),
    label: row.label,
    editRevision: row.edit_revision,
    connectionRevision: row.connection_revision,
    addedAt: row.added_at,
    connectedAt: row.connected_at,
  };
}

function providersIn(text: string): AccountProvider[] {
  const named = JSON.parse(text) as readonly string[];
  return ACCOUNT_PROVIDERS.filter((provider) => named.includes(provider));
}
