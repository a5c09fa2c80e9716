/** Acts on several flags at once: one write. */
import type { Tx } from "../../db/mod.ts";
import {
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  resolveByHand,
  snoozeFlag,
  unacknowledgeFlag,
  wakeFlag,
} from "../../flags/mod.ts";

/** Most flags in one act: more than a page of the list holds. */
export const MOST_TICKED = 200;

/** An act with when a snooze ends. */
type Request = ActRequest & { readonly until: number };

const ACTS = {
  acknowledge: acknowledgeFlag,
  unacknowledge: unacknowledgeFlag,
  snooze: snoozeFlag,
  wake: wakeFlag,
  resolve: resolveByHand,
} as const satisfies Readonly<Record<string, (tx: Tx, request: Request) => ActOutcome>>;

type BulkAct = keyof typeof ACTS;

/** The act a form names. */
export function bulkAct(name: string | null): BulkAct | undefined {
  return name !== null && Object.hasOwn(ACTS, name) ? (name as BulkAct) : undefined;
}

/** Performs the act on each flag in the caller's transaction; one that is refused takes no other with it. */
export function performBulk(
  tx: Tx,
  asked: Omit<Request, "id" | "seen"> & { readonly act: BulkAct; readonly ids: readonly string[] },
): ActOutcome[] {
  const { act, ids, until, by, now } = asked;
  return ids.map((id) => ACTS[act](tx, { id, by, now, until }));
}
