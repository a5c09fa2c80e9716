import type { Tx } from "../db/mod.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { resolving } from "./transitions.ts";

/** Resolves a flag by hand. */
export function resolveByHand(tx: Tx, request: ActRequest): ActOutcome {
  return performAct(tx, request, { name: "resolve", decide: (flag) => resolving(flag, request.now) });
}
