import { formatInstant } from "../lib/instant.ts";
import type { StoredAnnotation } from "./store.ts";

/** An annotation as the API answers it: as it was sent, with what the service adds. */
export interface AnsweredAnnotation {
  readonly id: string;
  readonly asset: string;
  readonly at: string;
  readonly kind: string;
  readonly ref: string;
  /** Null when none was sent. */
  readonly note: string | null;
  readonly receivedAt: string;
  readonly postedBy: string;
  /** Absent where the entry stands. */
  readonly struck?: { readonly at: string; readonly by: string; readonly reason: string | null };
}

/** The stored row as it leaves. */
export function answerOf(row: StoredAnnotation): AnsweredAnnotation {
  const { struck } = row;
  return {
    id: row.id,
    asset: row.asset,
    at: row.at,
    kind: row.kind,
    ref: row.ref,
    note: row.note,
    receivedAt: formatInstant(row.receivedAt),
    postedBy: row.postedBy,
    ...(struck === undefined ? {} : { struck: { ...struck, at: formatInstant(struck.at) } }),
  };
}
