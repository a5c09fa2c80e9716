/** Small facts the service keeps about itself, by name: last ticks, last start. */

import { eq } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Db, Tx } from "./store.ts";

export const serviceState = sqliteTable("service_state", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  changed_at: integer("changed_at").notNull(),
});

/** Since when, in milliseconds, stored credentials count as lost: a backup of unproven origin was restored then. */
export const CREDENTIALS_LOST_AT = "credentials.lost_at";

/** A fact the service keeps about itself, or undefined. */
export function findServiceState(db: Db, name: string): string | undefined {
  return db.select({ value: serviceState.value }).from(serviceState).where(eq(serviceState.name, name)).get()
    ?.value;
}

/** Keeps a fact. */
export function putServiceState(tx: Tx, name: string, value: string, now: number): void {
  tx.insert(serviceState)
    .values({ name, value, changed_at: now })
    .onConflictDoUpdate({ target: serviceState.name, set: { value, changed_at: now } })
    .run();
}
