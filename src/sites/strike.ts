/** Who strikes an entry or takes that back, and when. */

import { appendAudit } from "../access/audit_verify.ts";
import type { Tx } from "../store/db_open.ts";
import type { Writer } from "../store/db_write.ts";
import { findAnnotation, insertStrike } from "./annotations.ts";

export interface StruckBy {
  /** An operator's name, or what does it. */
  readonly name: string;
  /** The same as the audit calls it. */
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** `same` where it is as asked already: nothing is written then. */
export type StrikeResult = "done" | "same" | "missing";

/** Strikes an entry that was a mistake: it stays and is marked, no chart shows it and no rule reads it. */
export function strikeAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  reason: string | null,
  by: StruckBy,
): Promise<StrikeResult> {
  return writer.write((tx) => putStrike(tx, id, { struck: 1, reason }, by));
}

/** Takes it back: the entry stands again. */
export function unstrikeAnnotation(
  writer: Pick<Writer, "write">,
  id: string,
  by: StruckBy,
): Promise<StrikeResult> {
  return writer.write((tx) => putStrike(tx, id, { struck: 0, reason: null }, by));
}

/** The same inside a caller's transaction. */
export function putStrike(
  tx: Tx,
  id: string,
  { struck, reason }: { readonly struck: 0 | 1; readonly reason: string | null },
  { name, actor, now }: StruckBy,
): StrikeResult {
  const known = findAnnotation(tx, id);
  if (known === undefined) return "missing";
  if ((known.struck !== undefined) === (struck === 1)) return "same";
  insertStrike(tx, { annotation: id, struck, reason, at: now, by: name });
  appendAudit(tx, {
    at: now,
    actor,
    act: struck === 1 ? "annotation.strike" : "annotation.unstrike",
    target: known.asset,
    // The reason is anybody's words and stands with the entry.
    detail: { id, kind: known.kind, at: known.at },
  });
  return "done";
}
