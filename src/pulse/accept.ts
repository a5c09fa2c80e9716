import type { Tx } from "../db/mod.ts";
import { applySiteFlags } from "../flags/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import type { Problem } from "../platform/problem.ts";
import { brokenContract } from "../platform/receive.ts";
import { keptIgnored } from "../reports/mod.ts";
import type { Pulse } from "./contract.ts";
import { holdNames, NAME_DAYS } from "./names_store.ts";
import { appendPulse } from "./store.ts";

/** What accepting a nightly report did. */
export interface AcceptedPulse {
  readonly date: UtcDay;
  readonly revision: number;
  /** Ids of the flags it carried, in the order sent. */
  readonly flags: readonly string[];
}

/**
 * Stores a nightly report as the next revision of its UTC day with the flags it carries, in the caller's transaction. The flow
 * rules follow off the path of the answer. Throws a `Problem` when the site would hold more names of metrics than it may.
 */
export function acceptPulse(
  tx: Tx,
  accepted: {
    readonly report: Pulse;
    readonly body: string;
    readonly receivedAt: number;
    readonly newId: () => string;
    /** Pointers to what of it the contract does not know. */
    readonly ignored?: readonly string[];
    /** Most names of metrics that the site may hold; without a bound for the service's own report, which has one for each site. */
    readonly mostNames?: number;
  },
): AcceptedPulse {
  const { report, body, receivedAt, newId, ignored = [], mostNames = Number.POSITIVE_INFINITY } = accepted;
  const { asset } = report;
  const generatedAt = parseInstant(report.generatedAt);
  if (generatedAt === undefined)
    throw new TypeError("a report without a readable generatedAt passed the contract");
  const date = utcDayOf(generatedAt);
  const names = { asset, names: Object.keys(report.metrics), date, today: utcDayOf(receivedAt) };
  const held = holdNames(tx, names, mostNames);
  if (held !== undefined) throw tooManyNames(held, mostNames);
  const { revision, isLatest } = appendPulse(tx, {
    asset,
    date,
    received_at: receivedAt,
    generated_at: generatedAt,
    ignored: keptIgnored(ignored),
    body,
  });
  const flags = applySiteFlags(tx, {
    asset,
    date,
    revision,
    isNewestDay: isLatest,
    flags: report.flags ?? [],
    now: receivedAt,
    newId,
  });
  return { date, revision, flags };
}

function tooManyNames(held: number, most: number): Problem {
  const message = `must not bring the site to more than ${most} metric names in ${NAME_DAYS} days; with this report they are ${held}`;
  return brokenContract([{ pointer: "/metrics", rule: "max-names", message }]);
}
