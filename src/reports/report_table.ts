/** What every kind of report keeps, as columns: the rows, the bodies that are not packed yet, and the packs. */
import { blob, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** The columns that every kind of report has. Its body lies beside. */
export const reportColumns = {
  id: integer("id").primaryKey(),
  asset: text("asset").notNull(),
  date: text("date").notNull(),
  revision: integer("revision").notNull(),
  received_at: integer("received_at").notNull(),
  generated_at: integer("generated_at").notNull(),
  /** What of it was not stored; null where nothing was left out. */
  ignored: text("ignored"),
};

/** Bodies as they were sent, by the ids of their reports, until they are packed. No index: nothing of it is sought but by id. */
export const bodyTable = <const N extends string>(name: N) =>
  sqliteTable(name, {
    id: integer("id").primaryKey(),
    asset: text("asset").notNull(),
    body: text("body").notNull(),
  });

/** Bodies of one site in the order of their reports, from the first to the last of them, compressed as one. */
export const packTable = <const N extends string>(name: N) =>
  sqliteTable(
    name,
    {
      id: integer("id").primaryKey(),
      asset: text("asset").notNull(),
      /** Ids of the first and the last report whose bodies it holds: every one of the site between them is in it. */
      first: integer("first").notNull(),
      last: integer("last").notNull(),
      /** How many bodies it holds, and how many bytes they are unpacked. */
      bodies: integer("bodies").notNull(),
      bytes: integer("bytes").notNull(),
      data: blob("data", { mode: "buffer" }).notNull(),
      /** Of `data`, by which a changed byte is found before it is unpacked. */
      checksum: integer("checksum").notNull(),
    },
    (t) => [uniqueIndex(`${name}_by_asset`).on(t.asset, t.last)],
  );
