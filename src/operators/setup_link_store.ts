import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { CLOCK_TOLERANCE_MS } from "../platform/not_ahead.ts";
import { setupLink } from "./table.ts";

/** Set-up links that are kept after a newer one was made, so that whoever comes with one is told what it is. */
const MOST_OLD_LINKS = 50;

/** Makes a set-up link the only one that works. */
export function replaceSetupLink(
  tx: Tx,
  link: { digest: string; createdAt: number; expiresAt: number },
): void {
  tx.update(setupLink)
    .set({ expires_at: link.createdAt })
    .where(gt(setupLink.expires_at, link.createdAt))
    .run();
  const oldest = tx
    .select({ digest: setupLink.digest })
    .from(setupLink)
    .orderBy(desc(setupLink.created_at))
    .limit(1_000)
    .offset(MOST_OLD_LINKS)
    .all();
  for (const { digest } of oldest) tx.delete(setupLink).where(eq(setupLink.digest, digest)).run();
  tx.insert(setupLink)
    .values({ digest: link.digest, created_at: link.createdAt, expires_at: link.expiresAt })
    .run();
}

// A link made under a clock that was ahead would work for as long as that clock was.
const usable = (now: number) =>
  and(
    isNull(setupLink.used_at),
    gt(setupLink.expires_at, now),
    lte(setupLink.created_at, now + CLOCK_TOLERANCE_MS),
  );

/** Whether there is a set-up link that can still be used. */
export function hasSetupLink(db: Db, now: number): boolean {
  return db.select({ digest: setupLink.digest }).from(setupLink).where(usable(now)).all().length > 0;
}

/** A set-up link, whether it works or not. */
export function findSetupLink(
  db: Db,
  digest: string,
): { readonly createdAt: number; readonly expiresAt: number; readonly usedAt: number | null } | undefined {
  return db
    .select({
      createdAt: setupLink.created_at,
      expiresAt: setupLink.expires_at,
      usedAt: setupLink.used_at,
    })
    .from(setupLink)
    .where(eq(setupLink.digest, digest))
    .get();
}

/** Uses a set-up link up; false when it is unknown, used or expired. Two at once: the database lets one through. */
export function claimSetupLink(tx: Tx, digest: string, now: number): boolean {
  return (
    tx
      .update(setupLink)
      .set({ used_at: now })
      .where(and(usable(now), eq(setupLink.digest, digest)))
      .returning({ digest: setupLink.digest })
      .all().length > 0
  );
}
