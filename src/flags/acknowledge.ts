import type { Tx } from "../db/mod.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { acknowledging, unacknowledging } from "./transitions.ts";

/** Marks a flag as read. */
export function acknowledgeFlag(tx: Tx, request: ActRequest): ActOutcome {
  return performAct(tx, request, {
    name: "acknowledge",
    decide: (flag) => acknowledging(flag, request.by.name, request.now),
  });
}

/** Takes the mark back. */
export function unacknowledgeFlag(tx: Tx, request: ActRequest): ActOutcome {
  return performAct(tx, request, { name: "unacknowledge", decide: unacknowledging });
}
