import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The portfolio: one row per monitored site. Current state; changes are recorded in the audit. */
export const asset = sqliteTable(
  "asset",
  {
    id: text("id").primaryKey(),
    url: text("url"),
    lifecycle: text("lifecycle", { enum: ["live", "pre-launch", "retired"] }).notNull(),
    added_at: integer("added_at").notNull(),
    added_by: text("added_by").notNull(),
    /** When it became live after it had been something else; null where it never did. */
    went_live_at: integer("went_live_at"),
  },
  (t) => [check("asset_lifecycle", sql`${t.lifecycle} IN ('live', 'pre-launch', 'retired')`)],
);

/** Metric families a site declares, with the storage kind it reads them from. */
export const assetFamily = sqliteTable(
  "asset_family",
  {
    asset: text("asset")
      .notNull()
      .references(() => asset.id),
    family: text("family").notNull(),
    storage: text("storage", { enum: ["d1", "analytics-engine", "r2", "kv"] }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.asset, t.family] })],
);

/** The group that an operator put a site in, such as a customer or a brand: a site is in one or in none. */
export const assetGroup = sqliteTable("asset_group", {
  asset: text("asset")
    .primaryKey()
    .references(() => asset.id),
  name: text("name").notNull(),
});

/** Site tokens issued in the Tower or on the command line: only the SHA-256 digest is kept. */
export const siteToken = sqliteTable(
  "site_token",
  {
    id: text("id").primaryKey(),
    asset: text("asset")
      .notNull()
      .references(() => asset.id),
    digest: text("digest").notNull().unique(),
    created_at: integer("created_at").notNull(),
    created_by: text("created_by").notNull(),
    revoked_at: integer("revoked_at"),
    revoked_by: text("revoked_by"),
    last_used_at: integer("last_used_at"),
  },
  (t) => [index("site_token_asset").on(t.asset)],
);

/** When a token of `ASSET_TOKENS` was last used, by digest: those tokens live in the setting, not here. */
export const settingTokenUse = sqliteTable("setting_token_use", {
  digest: text("digest").primaryKey(),
  asset: text("asset").notNull(),
  last_used_at: integer("last_used_at").notNull(),
});
