/**
 * Credentials that operators own, the properties that they gave access to, and which site has its figures from which property: the rows,
 * each declared once. What is sealed of a credential is opened in `sealing.ts` alone.
 */

import { and, eq, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import { type AccountProvider, PROVIDERS } from "./adapter.ts";

/** Kinds of credentials; the first serves two providers. */
export const CREDENTIAL_KINDS = ["google-service-account", "webmaster-tools-key", "serp-login"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export const CREDENTIAL_NAMES: Readonly<Record<CredentialKind, string>> = {
  "google-service-account": "Google service account",
  "webmaster-tools-key": "Webmaster tools key",
  "serp-login": "DataForSEO account",
};

/** The kind of credential that a provider is asked with. */
export const KIND_OF = {
  analytics: "google-service-account",
  "search-console": "google-service-account",
  "webmaster-tools": "webmaster-tools-key",
  serp: "serp-login",
} as const satisfies Readonly<Record<AccountProvider, CredentialKind>>;

/**
 * The secret part is sealed (AES-256-GCM) with the installation's key, bound to its row and its edit revision; what stands beside it is
 * no secret. Times are milliseconds since the epoch.
 */
export const credential = sqliteTable(
  "credential",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: CREDENTIAL_KINDS }).notNull(),
    /** Providers it is used for, in the order of `ACCOUNT_PROVIDERS`. */
    providers: text("providers", { mode: "json" }).$type<readonly AccountProvider[]>().notNull(),
    label: text("label").notNull(),
    /** A keyed code of the account, by which the same one is known again; nothing of it can be read. */
    account: text("account").notNull(),
    /** Rises with each edit. */
    editRevision: integer("edit_revision").notNull(),
    /** Another one with each other secret: what began under one never speaks for the next. */
    connectionRevision: text("connection_revision").notNull(),
    /** The installation key that it is sealed with. */
    keyId: text("key_id").notNull(),
    sealed: text("sealed").notNull(),
    addedAt: integer("added_at").notNull(),
    /** When its secret was last put in. */
    connectedAt: integer("connected_at").notNull(),
  },
  (t) => [uniqueIndex("credential_account").on(t.kind, t.account)],
);
export type CredentialRow = Readonly<typeof credential.$inferSelect>;
/** A stored credential without anything of its secret. */
export type Credential = Omit<CredentialRow, "account" | "keyId" | "sealed">;

/** What a credential gave access to when it was last asked. */
export const property = sqliteTable(
  "property",
  {
    credential: text("credential").notNull(),
    provider: text("provider", { enum: PROVIDERS }).notNull(),
    property: text("property").notNull(),
    name: text("name").notNull(),
    timeZone: text("time_zone"),
    usable: integer("usable", { mode: "boolean" }).notNull(),
    seenAt: integer("seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.credential, t.provider, t.property] })],
);
/** A property as its credential's last discovery saw it. */
export type SeenProperty = Readonly<typeof property.$inferSelect>;

/** Which property a site's figures of a provider come from: one at a time. Each change stands in the audit. */
export const attachment = sqliteTable(
  "attachment",
  {
    asset: text("asset").notNull(),
    provider: text("provider", { enum: PROVIDERS }).notNull(),
    credential: text("credential").notNull(),
    /** The provider's own id of it. */
    property: text("property").notNull(),
    attachedAt: integer("attached_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asset, t.provider] }),
    index("attachment_by_credential").on(t.credential, t.provider, t.property),
  ],
);
/** An attachment with the connection revision that its credential has now. */
export type Attachment = Readonly<
  Omit<typeof attachment.$inferSelect, "attachedAt"> & Pick<CredentialRow, "connectionRevision">
>;

/**
 * Connections that were taken away from sites, until another one is made or an operator has it forgotten: that a site's figures of a
 * provider end here is something to be seen, and not the same as never having had any.
 */
export const detachment = sqliteTable(
  "detachment",
  {
    asset: text("asset").notNull(),
    provider: text("provider", { enum: PROVIDERS }).notNull(),
    /** The credential's, as it stood then. */
    connectionRevision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    detachedAt: integer("detached_at").notNull(),
    /** As the audit names them. */
    detachedBy: text("detached_by").notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.provider] })],
);
export type Detachment = Readonly<typeof detachment.$inferSelect>;

/** Every row, in the order in which they were added. */
export const listRows = (db: Db): CredentialRow[] =>
  db.select().from(credential).orderBy(credential.addedAt, credential.id).all();

// Each question opens its credential.
const byId = prepared((db) =>
  db
    .select()
    .from(credential)
    .where(eq(credential.id, sql.placeholder("id")))
    .prepare(),
);

export const findRow = (db: Db, id: string): CredentialRow | undefined => byId(db).get({ id });

/** The credential of an account, by the account's code. */
export const findOfAccount = (db: Db, kind: CredentialKind, account: string): CredentialRow | undefined =>
  db
    .select()
    .from(credential)
    .where(and(eq(credential.kind, kind), eq(credential.account, account)))
    .get();

/** Puts a row in the place of the one with its id. */
export function updateRow(tx: Tx, { id, ...row }: CredentialRow): void {
  tx.update(credential).set(row).where(eq(credential.id, id)).run();
}

/** Takes every secret out; the rows stay, so that it is seen what has to be put in again. */
export function loseSecrets(tx: Tx): void {
  tx.update(credential).set({ sealed: "", keyId: "" }).run();
}

export const credentialOf = ({ account, keyId, sealed, ...shown }: CredentialRow): Credential => shown;

/** Stored credentials, in the order in which they were added. */
export const listCredentials = (db: Db): Credential[] => listRows(db).map(credentialOf);

export function findCredential(db: Db, id: string): Credential | undefined {
  const row = findRow(db, id);
  return row && credentialOf(row);
}

/** The one of a kind that was added first. */
export function findFirstOfKind(db: Db, kind: CredentialKind): Credential | undefined {
  const row = db
    .select()
    .from(credential)
    .where(eq(credential.kind, kind))
    .orderBy(credential.addedAt, credential.id)
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
