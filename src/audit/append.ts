import type { Tx } from "../db/mod.ts";
import { FIRST_PREVIOUS_HASH, hashOf } from "./chain.ts";
import { type AuditDetail, assertNoSecret } from "./detail.ts";
import { macOf } from "./origin.ts";
import { findLast, insertRow } from "./store.ts";

/** One act to record. Texts are names and ids, never a secret. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Who did it: `operator:<name>`, `token:<key id>`, `command-line`, `setup-link`, `service`. */
  readonly actor: string;
  /** What was done, for example `operator.add`. */
  readonly act: string;
  /** What it was done to, for example `operator:anna`; "" when the act has no target. */
  readonly target: string;
  readonly detail?: AuditDetail;
}

/** Appends one act in the caller's transaction, chained to the row before it. Throws a TypeError on a secret. */
export function appendAudit(tx: Tx, entry: AuditEntry): void {
  const detail = entry.detail ?? {};
  assertNoSecret(detail);
  const last = findLast(tx);
  const row = {
    id: (last?.id ?? 0) + 1,
    at: entry.at,
    actor: entry.actor,
    act: entry.act,
    target: entry.target,
    detail: JSON.stringify(detail),
    previous_hash: last?.hash ?? FIRST_PREVIOUS_HASH,
  };
  const hash = hashOf(row);
  insertRow(tx, { ...row, hash, mac: macOf(tx, hash) });
}
