/** Running snoozes against the acts they come from: what differs, and putting it right. */
import { asc, eq, sql } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { replaySnoozes, type SnoozeAct, type SnoozeKey, snoozeKey } from "./snooze_replay.ts";
import { endSnooze, listSnoozes, type Snooze, startSnooze } from "./snooze_store.ts";
import { flag, flagRecord } from "./table.ts";

/** A snooze that is not what the acts lead to; without `expected` there should be none. */
export interface SnoozeDifference {
  readonly of: SnoozeKey;
  readonly expected: Snooze | undefined;
  readonly text: string;
}

/** Every snooze that differs from the last snooze of its (rule, asset, source, subject), unless that one was woken. */
export function* snoozeDifferences(db: Db): Generator<SnoozeDifference> {
  const expected = replaySnoozes(listSnoozeActs(db));
  for (const row of listSnoozes(db)) {
    const key = snoozeKey(row);
    const due = expected.get(key);
    expected.delete(key);
    if (!Bun.deepEquals(due, row)) {
      yield { of: row, expected: due, text: `the snooze of ${key} is not what its acts lead to` };
    }
  }
  for (const [key, due] of expected) {
    yield { of: due, expected: due, text: `the snooze of ${key} is missing` };
  }
}

/** Makes the snoozes named what the acts lead to. */
export function mendSnoozes(tx: Tx, differences: readonly SnoozeDifference[]): void {
  const expected = replaySnoozes(listSnoozeActs(tx));
  for (const { of } of differences) {
    endSnooze(tx, of);
    const due = expected.get(snoozeKey(of));
    if (due !== undefined) startSnooze(tx, due, { until: due.until, now: due.set_at, by: due.set_by });
  }
}

/** Acts are an operator's own, so that there are few. */
function listSnoozeActs(db: Db): SnoozeAct[] {
  return db
    .select({
      rule: sql<string>`coalesce(${flag.rule}, '')`,
      asset: flag.asset,
      source: flag.source,
      subject: flag.subject,
      at: flagRecord.at,
      actor: flagRecord.actor,
      data: flagRecord.data,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(eq(flagRecord.type, "act"))
    .orderBy(asc(flagRecord.id))
    .all();
}
