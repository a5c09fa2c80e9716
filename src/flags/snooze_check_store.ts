import { asc, eq } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { listSnoozes } from "./snooze_store.ts";
import { flag, flagRecord } from "./table.ts";

/** Snoozes that are not what the acts on their flags lead to: the last snooze of a (rule, asset, subject), unless it was woken. */
export function snoozeFaults(db: Db): string[] {
  const expected = new Map<string, number>();
  const acts = db
    .select({ rule: flag.rule, asset: flag.asset, subject: flag.subject, data: flagRecord.data })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(eq(flagRecord.type, "act"))
    .orderBy(asc(flagRecord.id))
    .all();
  for (const { rule, asset, subject, data } of acts) {
    const { act, set } = JSON.parse(data) as { act: string; set: { snoozed_until?: number | null } };
    const key = JSON.stringify([rule ?? "", asset, subject]);
    if (act === "wake") expected.delete(key);
    else if (act === "snooze" && typeof set.snoozed_until === "number") expected.set(key, set.snoozed_until);
  }
  const faults: string[] = [];
  for (const { rule, asset, subject, until } of listSnoozes(db)) {
    const key = JSON.stringify([rule ?? "", asset, subject]);
    if (expected.get(key) !== until) faults.push(`the snooze of ${key} is not what its acts lead to`);
    expected.delete(key);
  }
  for (const key of expected.keys()) faults.push(`the snooze of ${key} is missing`);
  return faults;
}
