/** Running snoozes against the acts they come from: what differs, and putting it right. */
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { replaySnoozes, type SnoozeAct, type SnoozeKey, snoozeKey } from "./snooze_replay.ts";
import { endSnooze, listSnoozes, rulesOf, type Snooze, startSnooze } from "./snooze_store.ts";
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
  for (const { of } of differences) put(tx, of, [expected.get(snoozeKey(of))]);
}

/** Makes what snoozes a flag, whichever rule of its line it was set on, what the acts lead to. */
export function followActs(tx: Tx, of: SnoozeKey): void {
  const ofThing = and(eq(flag.asset, of.asset), eq(flag.source, of.source), eq(flag.subject, of.subject));
  const rules = rulesOf(of);
  const expected = replaySnoozes(listSnoozeActs(tx, ofThing).filter(({ rule }) => rules.includes(rule)));
  put(tx, of, [...expected.values()]);
}

function put(tx: Tx, of: SnoozeKey, due: readonly (Snooze | undefined)[]): void {
  endSnooze(tx, of);
  for (const snooze of due) {
    if (snooze !== undefined)
      startSnooze(tx, snooze, { until: snooze.until, now: snooze.set_at, by: snooze.set_by });
  }
}

/** Acts are an operator's own, so that there are few. */
function listSnoozeActs(db: Db, of?: SQL): SnoozeAct[] {
  return db
    .select({
      id: flagRecord.id,
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
    .where(and(eq(flagRecord.type, "act"), of))
    .orderBy(asc(flagRecord.id))
    .all();
}
