import type { Tx } from "../db/mod.ts";
import type { NewFlag } from "./contract.ts";
import { insertOpenFlag, resolveFlag } from "./store.ts";

/** Raises a flag that says something and is over: a milestone asks for nothing. */
export function raiseResolved(
  tx: Tx,
  raised: NewFlag,
  by: { readonly id: string; readonly now: number; readonly actor: string; readonly resolution: string },
): void {
  insertOpenFlag(tx, by.id, raised, by.now, by.actor);
  resolveFlag(tx, by.id, by.resolution, by.now, by.actor);
}
