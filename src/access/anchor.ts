/**
 * Fixes the rows that are there with this installation's key, unless the newest one is of that key already: rows from before there
 * were codes, or from before the key was another. What the key cannot prove of them, it fixes as it was at this moment; the row says
 * so, and `tower check` says it too. Returns the row's id when one was needed.
 */

import type { Tx } from "../store/db_open.ts";
import { appendAudit, findLast, idInMac, keyIdOf } from "./audit_verify.ts";

export function anchorAudit(tx: Tx, now: number): number | undefined {
  const last = findLast(tx);
  const id = keyIdOf(tx);
  if (last === undefined || id === undefined) return undefined;
  const before = last.mac === null ? null : idInMac(last.mac);
  if (before === id) return undefined;
  appendAudit(tx, {
    at: now,
    actor: "service",
    act: "audit.key",
    target: `key:${id}`,
    detail: { rows_before: last.id, key_before: before },
  });
  return last.id + 1;
}
