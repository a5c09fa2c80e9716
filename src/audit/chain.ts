import { sha256Hex } from "../lib/digest.ts";

/** A stored act. */
export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly act: string;
  readonly target: string;
  /** JSON, as it was written. */
  readonly detail: string;
  readonly previous_hash: string;
  readonly hash: string;
  /** The keyed code of `hash`, or null; see `origin.ts`. */
  readonly mac: string | null;
}

/** What stands before the first row. */
export const FIRST_PREVIOUS_HASH = "0".repeat(64);

/** SHA-256 over the previous row's hash and this row's canonical JSON: its fields in this order, detail as stored. */
export function hashOf(row: Omit<AuditRow, "hash" | "mac">): string {
  const { id, at, actor, act, target, detail } = row;
  return sha256Hex(`${row.previous_hash}\n${JSON.stringify({ id, at, actor, act, target, detail })}`);
}

/** Why `row` does not follow on `previous`; `undefined` when it does. Ids are gapless, so a row taken out shows. */
export function breakBetween(
  previous: Pick<AuditRow, "id" | "hash"> | undefined,
  row: AuditRow,
): string | undefined {
  if (row.id !== (previous?.id ?? 0) + 1) return "a row before it is missing";
  if (row.previous_hash !== (previous?.hash ?? FIRST_PREVIOUS_HASH))
    return "it does not follow on the row before it";
  if (row.hash !== hashOf(row)) return "its content was changed";
  return undefined;
}
