/** Says of an annotation's row, in SQL, that it tells a change of consent mode: queries spell it as their index does. */

import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const IS_CONSENT_STEP = "kind = 'config' AND substr(ref, 1, 12) = 'consent-mode'";

/**
 * Points on the timeline. Append-only. Identity is (asset, instant, kind, ref): `instant` is `at` in UTC with nine digits of a
 * second, so that two spellings of one moment are the same.
 */
export const annotation = sqliteTable(
  "annotation",
  {
    id: text("id").primaryKey(),
    asset: text("asset").notNull(),
    instant: text("instant").notNull(),
    at: text("at").notNull(),
    at_ms: integer("at_ms").notNull(),
    kind: text("kind", {
      enum: ["deploy", "model-change", "config", "incident", "autonomy-change", "external"],
    }).notNull(),
    ref: text("ref").notNull(),
    note: text("note"),
    received_at: integer("received_at").notNull(),
    posted_by: text("posted_by").notNull(),
  },
  (t) => [
    uniqueIndex("annotation_identity").on(t.asset, t.instant, t.kind, t.ref),
    index("annotation_by_time").on(t.at_ms, t.id),
    index("annotation_by_asset").on(t.asset, t.at_ms, t.id),
    index("annotation_by_kind").on(t.kind, t.at_ms),
    // Asked for with every judging of a site's figures, and nearly always empty.
    index("annotation_consent_step").on(t.asset, t.at_ms).where(sql.raw(IS_CONSENT_STEP)),
    check(
      "annotation_kind",
      sql`${t.kind} IN ('deploy', 'model-change', 'config', 'incident', 'autonomy-change', 'external')`,
    ),
  ],
);

/**
 * Entries that were struck as mistakes, and those taken back: of an annotation's rows the last one holds. The annotation itself
 * stays as it is. Append-only.
 */
export const annotationStrike = sqliteTable(
  "annotation_strike",
  {
    id: integer("id").primaryKey(),
    annotation: text("annotation")
      .notNull()
      .references(() => annotation.id),
    /** 1 where it was struck, 0 where that was taken back. */
    struck: integer("struck").notNull(),
    reason: text("reason"),
    at: integer("at").notNull(),
    by: text("by").notNull(),
  },
  (t) => [
    index("annotation_strike_annotation").on(t.annotation, t.id),
    check("annotation_strike_struck", sql`${t.struck} IN (0, 1)`),
  ],
);
