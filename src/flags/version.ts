import { sha256Hex } from "../lib/digest.ts";
import type { FlagRow } from "./contract.ts";

/**
 * A short text that changes with every act and with resolving. A form carries the version its reader saw, so that an act on a
 * row that changed meanwhile is refused. Evidence does not count: a job's next run must not turn an operator away.
 */
export function versionOf(row: FlagRow): string {
  const { id, status, acked_at, acked_by, snoozed_until, tuned_at, incident, hypothesis } = row;
  const parts = [id, status, acked_at, acked_by, snoozed_until, tuned_at, incident, hypothesis];
  return sha256Hex(JSON.stringify(parts)).slice(0, 16);
}
