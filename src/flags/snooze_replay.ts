/** What the snoozes are that acts lead to. Pure. */
import { lineOf } from "./line.ts";
import type { Snooze } from "./snooze_store.ts";

/** What a snooze belongs to, as it is stored. */
export type SnoozeKey = Pick<Snooze, "rule" | "asset" | "source" | "subject">;

/** An act on a flag, with what the flag's snooze belongs to. */
export interface SnoozeAct extends SnoozeKey {
  readonly at: number;
  readonly actor: string;
  readonly data: string;
}

/** A key as text. */
export const snoozeKey = ({ rule, asset, source, subject }: SnoozeKey) =>
  JSON.stringify([rule, asset, source, subject]);

/** By what each belongs to: the last snooze, unless it was ended. The acts come oldest first. */
export function replaySnoozes(acts: readonly SnoozeAct[]): Map<string, Snooze> {
  const snoozes = new Map<string, Snooze>();
  for (const { at, actor, data, rule, asset, source, subject } of acts) {
    const { act, set } = JSON.parse(data) as ActData;
    if (act !== "wake" && act !== "snooze") continue;
    const of = { rule, asset, source, subject };
    for (const one of lineOf(rule).rules) snoozes.delete(snoozeKey({ ...of, rule: one }));
    if (act === "snooze" && typeof set.snoozed_until === "number") {
      snoozes.set(snoozeKey(of), { ...of, until: set.snoozed_until, set_at: at, set_by: actor });
    }
  }
  return snoozes;
}

interface ActData {
  readonly act: string;
  readonly set: { readonly snoozed_until?: number | null };
}
