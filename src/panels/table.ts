import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A keyword whose search results are looked through for one site, in one place and language and on one device. */
export const panel = sqliteTable(
  "panel",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    keyword: text("keyword").notNull(),
    /** The provider's code of a place. */
    location: integer("location").notNull(),
    language: text("language").notNull(),
    device: text("device", { enum: ["desktop", "mobile"] }).notNull(),
    depth: integer("depth").notNull(),
    /** Days between two runs. */
    every: integer("every").notNull(),
    created_at: integer("created_at").notNull(),
    removed_at: integer("removed_at"),
  },
  (t) => [index("panel_of_asset").on(t.asset)],
);

/** A paid question, written before it is sent, with its price: what it may cost is known even where its answer never is. Append-only. */
export const panelRun = sqliteTable(
  "panel_run",
  {
    id: integer("id").primaryKey(),
    panel: text("panel").notNull(),
    /** The run's row in `job_run`. */
    run: integer("run").notNull(),
    connection_revision: text("connection_revision").notNull(),
    asked_at: integer("asked_at").notNull(),
    /** Billionths of a dollar, as in every column of money here. */
    price: integer("price").notNull(),
  },
  (t) => [index("panel_run_of_panel").on(t.panel, t.id), index("panel_run_asked").on(t.asked_at)],
);

/** The result of a question. Append-only. */
export const panelResult = sqliteTable("panel_result", {
  /** The row of `panel_run`. */
  id: integer("id").primaryKey(),
  outcome: text("outcome", { enum: ["found", "not_in_depth", "failed"] }).notNull(),
  code: text("code"),
  position: integer("position"),
  rank_absolute: integer("rank_absolute"),
  url: text("url"),
  task: text("task"),
  /** The provider's own decimal of USD; null where it is not known what was charged: then the price counts. */
  cost: text("cost"),
  charged: integer("charged"),
  /** Before this moment a question that cost nothing is not asked again; null where the panel's own days count. */
  next_retry_at: integer("next_retry_at"),
});
