import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
