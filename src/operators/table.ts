import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * People and services that operate the Tower. A service operator has no password and cannot sign in; a person without one
 * signs in through the trusted header only.
 */
export const operator = sqliteTable(
  "operator",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull().unique(),
    kind: text("kind", { enum: ["person", "service"] }).notNull(),
    password_hash: text("password_hash"),
    created_at: integer("created_at").notNull(),
    password_changed_at: integer("password_changed_at"),
  },
  (t) => [
    check("operator_kind", sql`${t.kind} IN ('person', 'service')`),
    check("operator_service_has_no_password", sql`${t.kind} <> 'service' OR ${t.password_hash} IS NULL`),
  ],
);

/** Signed-in sessions: only the SHA-256 digest of the cookie's token is kept. */
export const operatorSession = sqliteTable(
  "operator_session",
  {
    digest: text("digest").primaryKey(),
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    created_at: integer("created_at").notNull(),
    last_seen_at: integer("last_seen_at").notNull(),
    confirmed_at: integer("confirmed_at").notNull(),
    address: text("address").notNull(),
    agent: text("agent").notNull(),
    /** 1 where the operator asked to stay signed in. */
    kept: integer("kept").notNull().default(0),
  },
  (t) => [index("operator_session_operator").on(t.operator)],
);

/** Browsers that an operator signed in with: only the SHA-256 digest of the secret that each keeps. */
export const operatorDevice = sqliteTable(
  "operator_device",
  {
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    digest: text("digest").notNull(),
    created_at: integer("created_at").notNull(),
    last_seen_at: integer("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.operator, t.digest] })],
);

/** Operator API tokens for CI: hashed, named after their operator, scoped. */
export const apiToken = sqliteTable(
  "api_token",
  {
    id: text("id").primaryKey(),
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    digest: text("digest").notNull().unique(),
    scopes: text("scopes").notNull(),
    created_at: integer("created_at").notNull(),
    created_by: text("created_by").notNull(),
    revoked_at: integer("revoked_at"),
    revoked_by: text("revoked_by"),
    last_used_at: integer("last_used_at"),
  },
  (t) => [index("api_token_operator").on(t.operator)],
);

/** The one-time set-up link, by digest. */
export const setupLink = sqliteTable("setup_link", {
  digest: text("digest").primaryKey(),
  created_at: integer("created_at").notNull(),
  expires_at: integer("expires_at").notNull(),
  used_at: integer("used_at"),
});

/** Failed sign-ins per key (`pair:…`, `address:…`, `account:…`, `device:…`, `global`); kept here so that a restart does not reset them. */
export const signInThrottle = sqliteTable("sign_in_throttle", {
  key: text("key").primaryKey(),
  failures: integer("failures").notNull(),
  window_started_at: integer("window_started_at").notNull(),
  blocked_until: integer("blocked_until").notNull(),
});

/** When an operator looked at the portfolio: what is new is what happened since the visit before the one under way. */
export const operatorLook = sqliteTable("operator_look", {
  /** The name: one that a proxy tells has no row of its own. */
  operator: text("operator").primaryKey(),
  /** The end of the visit before; null on the first. */
  looked_before: integer("looked_before"),
  last_look_at: integer("last_look_at").notNull(),
});
