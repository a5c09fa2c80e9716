import { eq } from "drizzle-orm";
import type { Db, Tx } from "./open.ts";
import { serviceState } from "./table.ts";

/** The fact since when, in milliseconds, stored credentials count as lost: a backup of unproven origin was restored then. */
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
