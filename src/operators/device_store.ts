import { and, desc, eq, inArray, ne } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { operatorDevice } from "./table.ts";

const ofDevice = (operatorId: string, digest: string) =>
  and(eq(operatorDevice.operator, operatorId), eq(operatorDevice.digest, digest));

/** Whether an operator signed in with this browser before. */
export function isKnownDevice(db: Db, operatorId: string, digest: string): boolean {
  const known = db.select({ at: operatorDevice.created_at }).from(operatorDevice);
  return known.where(ofDevice(operatorId, digest)).get() !== undefined;
}

/** Inserts a browser. */
export function insertDevice(tx: Tx, operatorId: string, digest: string, at: number): void {
  tx.insert(operatorDevice).values({ operator: operatorId, digest, created_at: at, last_seen_at: at }).run();
}

/** Writes down that a browser was signed in with again. */
export function updateDeviceSeen(tx: Tx, operatorId: string, digest: string, at: number): void {
  tx.update(operatorDevice).set({ last_seen_at: at }).where(ofDevice(operatorId, digest)).run();
}

/** Forgets an operator's browsers, all but the `most` that were used last. */
export function keepNewestDevices(tx: Tx, operatorId: string, most: number): void {
  const older = tx
    .select({ digest: operatorDevice.digest })
    .from(operatorDevice)
    .where(eq(operatorDevice.operator, operatorId))
    .orderBy(desc(operatorDevice.last_seen_at), desc(operatorDevice.created_at))
    .limit(1_000)
    .offset(most)
    .all()
    .map(({ digest }) => digest);
  if (older.length === 0) return;
  const own = eq(operatorDevice.operator, operatorId);
  tx.delete(operatorDevice)
    .where(and(own, inArray(operatorDevice.digest, older)))
    .run();
}

/** Forgets an operator's browsers, all but `kept`. */
export function deleteDevices(tx: Tx, operatorId: string, kept?: string): void {
  const own = eq(operatorDevice.operator, operatorId);
  tx.delete(operatorDevice)
    .where(kept === undefined ? own : and(own, ne(operatorDevice.digest, kept)))
    .run();
}
