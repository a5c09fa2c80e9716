/** Running snoozes against the acts they come from: what differs, and putting it right. */
import { asc, eq } from "drizzle-orm";
import type { Db, Tx } from "../db/mod.ts";
import { lineOf } from "./line.ts";
import { endSnooze, listSnoozes, type Snooze, startSnooze } from "./snooze_store.ts";
import { flag, flagRecord } from "./table.ts";

/** A snooze that is not what the acts lead to; without `expected` there should be none. */
export interface SnoozeDifference {
  readonly of: Pick<Snooze, "rule" | "asset" | "source" | "subject">;
  readonly expected: Snooze | undefined;
  readonly text: string;
}

/** Every snooze that differs from the last snooze of its (rule, asset, source, subject), unless that one was woken. */
export function* snoozeDifferences(db: Db): Generator<SnoozeDifference> {
  const expected = expectedSnoozes(db);
  for (const row of listSnoozes(db)) {
    const key = keyOf(row);
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
  const expected = expectedSnoozes(tx);
  for (const { of } of differences) {
    endSnooze(tx, of);
    const due = expected.get(keyOf(of));
    if (due !== undefined) startSnooze(tx, due, { until: due.until, now: due.set_at, by: due.set_by });
  }
}

const keyOf = ({ rule, asset, source, subject }: SnoozeDifference["of"]) =>
  JSON.stringify([rule, asset, source, subject]);

/** By what each belongs to. Acts are an operator's own, so that there are few. */
function expectedSnoozes(db: Db): Map<string, Snooze> {
  const expected = new Map<string, Snooze>();
  const acts = db
    .select({
      rule: flag.rule,
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
  for (const { rule, asset, source, subject, at, actor, data } of acts) {
    const { act, set } = JSON.parse(data) as { act: string; set: { snoozed_until?: number | null } };
    if (act !== "wake" && act !== "snooze") continue;
    const of = { rule: rule ?? "", asset, source, subject };
    for (const one of lineOf(of.rule).rules) expected.delete(keyOf({ ...of, rule: one }));
    if (act === "snooze" && typeof set.snoozed_until === "number") {
      expected.set(keyOf(of), { ...of, until: set.snoozed_until, set_at: at, set_by: actor });
    }
  }
  return expected;
}
