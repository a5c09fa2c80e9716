/** A row with what is sealed. */

import { and, eq, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider, type Provider } from "./adapter.ts";

/** What is stored of the accounts that an operator gives Tower, without their secrets. */

/** Kinds of credentials; the first serves two providers. */
export const CREDENTIAL_KINDS = ["google-service-account", "webmaster-tools-key", "serp-login"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The kind of credential that a provider is asked with. */
export const KIND_OF = {
  analytics: "google-service-account",
  "search-console": "google-service-account",
  "webmaster-tools": "webmaster-tools-key",
  serp: "serp-login",
} as const satisfies Readonly<Record<AccountProvider, CredentialKind>>;

/** A stored credential. Times are milliseconds since the epoch. */
export interface Credential {
  readonly id: string;
  readonly kind: CredentialKind;
  /** Providers it is used for, in the order of `ACCOUNT_PROVIDERS`. */
  readonly providers: readonly AccountProvider[];
  readonly label: string;
  /** Rises with each edit. */
  readonly editRevision: number;
  /** Another one with each other secret: what began under one never speaks for the next. */
  readonly connectionRevision: string;
  readonly addedAt: number;
  /** When its secret was last put in. */
  readonly connectedAt: number;
}

/** Which property a site's figures of a provider come from. */
export interface Attachment {
  readonly asset: string;
  readonly provider: Provider;
  /** The credential's id. */
  readonly credential: string;
  /** The credential's, as it stands now. */
  readonly connectionRevision: string;
  /** The provider's own id of it. */
  readonly property: string;
}

/** A connection that was taken away from a site, until another one is made or an operator has it forgotten. */
export interface Detachment {
  readonly asset: string;
  readonly provider: Provider;
  /** The credential's, as it stood then. */
  readonly connectionRevision: string;
  readonly property: string;
  /** Milliseconds since the epoch. */
  readonly detachedAt: number;
  /** Who took it away, as the audit names them. */
  readonly detachedBy: string;
}

/** A property as its credential's last discovery saw it. */
export interface SeenProperty {
  readonly credential: string;
  readonly provider: Provider;
  readonly property: string;
  readonly name: string;
  readonly timeZone: string | undefined;
  readonly usable: boolean;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}

/**
 * Credentials that operators own. The secret part is sealed (AES-256-GCM) with the installation's key, bound to its row and its edit
 * revision; what stands beside it is no secret. The edit revision stands in the same row as the fields; another secret is another
 * connection, with a revision of its own.
 */

export const credential = sqliteTable(
  "credential",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: ["google-service-account", "webmaster-tools-key", "serp-login"] }).notNull(),
    /** Providers it is used for, as a JSON array. */
    providers: text("providers").notNull(),
    label: text("label").notNull(),
    /** A keyed code of the account, by which the same one is known again; nothing of it can be read. */
    account: text("account").notNull(),
    edit_revision: integer("edit_revision").notNull(),
    connection_revision: text("connection_revision").notNull(),
    /** The installation key that it is sealed with. */
    key_id: text("key_id").notNull(),
    sealed: text("sealed").notNull(),
    added_at: integer("added_at").notNull(),
    /** When its secret was last put in. */
    connected_at: integer("connected_at").notNull(),
  },
  (t) => [uniqueIndex("credential_account").on(t.kind, t.account)],
);

/** What a credential gave access to when it was last asked. */
export const property = sqliteTable(
  "property",
  {
    credential: text("credential").notNull(),
    provider: text("provider", { enum: ["analytics", "search-console", "webmaster-tools"] }).notNull(),
    property: text("property").notNull(),
    name: text("name").notNull(),
    time_zone: text("time_zone"),
    usable: integer("usable").notNull(),
    seen_at: integer("seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.credential, t.provider, t.property] })],
);

/** Which property a site's figures of a provider come from: one at a time. Each change stands in the audit. */
export const attachment = sqliteTable(
  "attachment",
  {
    asset: text("asset").notNull(),
    provider: text("provider", { enum: ["analytics", "search-console", "webmaster-tools"] }).notNull(),
    credential: text("credential").notNull(),
    property: text("property").notNull(),
    attached_at: integer("attached_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.asset, t.provider] }),
    index("attachment_by_credential").on(t.credential, t.provider, t.property),
  ],
);

/**
 * Connections that were taken away from sites, until another one is made or an operator has it forgotten: that a site's figures of a
 * provider end here is something to be seen, and not the same as never having had any.
 */
export const detachment = sqliteTable(
  "detachment",
  {
    asset: text("asset").notNull(),
    provider: text("provider", { enum: ["analytics", "search-console", "webmaster-tools"] }).notNull(),
    connection_revision: text("connection_revision").notNull(),
    property: text("property").notNull(),
    detached_at: integer("detached_at").notNull(),
    detached_by: text("detached_by").notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.provider] })],
);

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
