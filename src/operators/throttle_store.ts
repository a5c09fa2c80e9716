import { eq, like, lte, or } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { signInThrottle } from "./table.ts";
import type { ThrottleCount } from "./throttle.ts";

/** The failures counted under a key. */
export function findThrottle(db: Db, key: string): ThrottleCount | undefined {
  return db
    .select({
      failures: signInThrottle.failures,
      windowStartedAt: signInThrottle.window_started_at,
      blockedUntil: signInThrottle.blocked_until,
    })
    .from(signInThrottle)
    .where(eq(signInThrottle.key, key))
    .get();
}

/** Stores the failures counted under a key; forgets the key without a count. */
export function putThrottle(tx: Tx, key: string, count: ThrottleCount | undefined): void {
  if (count === undefined) {
    tx.delete(signInThrottle).where(eq(signInThrottle.key, key)).run();
    return;
  }
  const values = {
    failures: count.failures,
    window_started_at: count.windowStartedAt,
    blocked_until: count.blockedUntil,
  };
  tx.insert(signInThrottle)
    .values({ key, ...values })
    .onConflictDoUpdate({ target: signInThrottle.key, set: values })
    .run();
}

/** Forgets every count of an account, by the start of its keys' second part. */
export function deleteThrottlesOf(tx: Tx, account: string): void {
  tx.delete(signInThrottle)
    .where(
      or(
        eq(signInThrottle.key, `account:${account}`),
        like(signInThrottle.key, `pair:${account}:%`),
        like(signInThrottle.key, `device:${account}:%`),
      ),
    )
    .run();
}

/** Forgets counts whose window began before `at`. */
export function deleteThrottlesBefore(tx: Tx, at: number): void {
  tx.delete(signInThrottle).where(lte(signInThrottle.window_started_at, at)).run();
}
