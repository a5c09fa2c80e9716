import type { Db } from "../db/mod.ts";
import { type AuditRow, breakBetween, FIRST_PREVIOUS_HASH } from "./chain.ts";
import { listAfter } from "./store.ts";

/** What a walk along the chain found. `head` is the newest hash: kept elsewhere, it also shows rows cut off at the end. */
export type ChainState =
  | { readonly ok: true; readonly rows: number; readonly head: string }
  | { readonly ok: false; readonly id: number; readonly reason: string };

const PAGE = 1_000;

/** Walks the whole audit and names the first row that does not fit. */
export function verifyChain(db: Db): ChainState {
  let previous: AuditRow | undefined;
  for (;;) {
    const page = listAfter(db, previous?.id ?? 0, PAGE);
    for (const row of page) {
      const reason = breakBetween(previous, row);
      if (reason !== undefined) return { ok: false, id: row.id, reason };
      previous = row;
    }
    if (page.length < PAGE)
      return { ok: true, rows: previous?.id ?? 0, head: previous?.hash ?? FIRST_PREVIOUS_HASH };
  }
}
