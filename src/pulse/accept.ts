import type { Tx } from "../db/mod.ts";
import { applySiteFlags } from "../flags/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import type { Pulse } from "./contract.ts";
import { appendPulse, findNewestPulseDay } from "./store.ts";

/** What accepting a nightly report did. */
export interface AcceptedPulse {
  readonly date: UtcDay;
  readonly revision: number;
  /** Ids of the flags it carried, in the order sent. */
  readonly flags: readonly string[];
}

/**
 * Stores a nightly report as the next revision of its UTC day with the flags it carries, in the caller's transaction. The flow
 * rules follow off the path of the answer.
 */
export function acceptPulse(
  tx: Tx,
  accepted: {
    readonly report: Pulse;
    readonly body: string;
    readonly receivedAt: number;
    readonly newId: () => string;
  },
): AcceptedPulse {
  const { report, body, receivedAt, newId } = accepted;
  const { asset } = report;
  const generatedAt = parseInstant(report.generatedAt);
  if (generatedAt === undefined)
    throw new TypeError("a report without a readable generatedAt passed the contract");
  const date = utcDayOf(generatedAt);
  const newest = findNewestPulseDay(tx, asset, receivedAt);
  const revision = appendPulse(tx, {
    asset,
    date,
    received_at: receivedAt,
    generated_at: generatedAt,
    body,
  });
  const flags = applySiteFlags(tx, {
    asset,
    date,
    revision,
    isNewestDay: newest === undefined || newest <= date,
    flags: report.flags ?? [],
    now: receivedAt,
    newId,
  });
  return { date, revision, flags };
}
