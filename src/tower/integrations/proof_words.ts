/** What is known of an integration, in one line: the last useful result, to which day it covers, when the next is due. Pure. */
import type { CapabilityKind } from "../../health/contract.ts";
import { capabilityOf } from "../../health/mod.ts";
import type { CapabilityView, RetryReason, TargetView } from "../../integrations/mod.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import { formatDay, formatMoment } from "../format.ts";

/** What a useful result of each kind is called, and where there is none. */
const RESULTS: Readonly<Record<CapabilityKind, readonly [last: string, none: string]>> = {
  production_read: ["Last useful result", "No useful result yet"],
  on_demand: ["Last useful result", "No useful result yet"],
  ingest: ["Last accepted", "Nothing accepted yet"],
  connection_test: ["Last passed", "Never passed"],
  discovery: ["Last passed", "Never passed"],
  real_send: ["Last delivered", "Nothing delivered yet"],
  test_send: ["Last delivered", "Nothing delivered yet"],
};

/** "Last useful result 19 Nov 12:15, covers to 18 Nov, next due 20 Nov 12:15." */
export function proofWords(target: TargetView, kind: CapabilityKind, now: number): string {
  const { lastAttemptStartedAt: tried, lastSuccessStartedAt: useful, coveredDate, dueAt } = target;
  const [last, none] = RESULTS[kind];
  const covered = coveredDate === null ? undefined : parseUtcDay(coveredDate);
  const parts = [
    useful === null ? none : `${last} ${formatMoment(useful, now)}`,
    useful === null || covered === undefined ? null : `covers to ${formatDay(covered, now)}`,
    tried === null || (useful !== null && tried <= useful) ? null : `last tried ${formatMoment(tried, now)}`,
    dueAt === null ? null : `${dueAt <= now ? "was due" : "next due"} ${formatMoment(dueAt, now)}`,
  ];
  return `${parts.filter((part) => part !== null).join(", ")}.`;
}

const REASONS: Readonly<Record<Exclude<RetryReason, "schedule">, string>> = {
  rate_limit: "the provider asks to be asked less often",
  exhausted_budget: "the allowance is used up",
  slow_probe: "until a person acts it is tried only now and then",
  provider_asked: "the provider asked for a pause",
  back_off: "Tower waits longer after each failure",
};

/** Why it is not tried before then; undefined where it is only not yet time. */
export function retryReason({ nextRetryReason }: TargetView): string | undefined {
  return nextRetryReason === null || nextRetryReason === "schedule" ? undefined : REASONS[nextRetryReason];
}

/** When something without a moment of its own is tried again. */
export function untimedRetry({ state }: TargetView, kind: CapabilityKind): string {
  if (state === "disconnected") return "not while it is disconnected";
  if (kind === "ingest") return "when it is sent";
  if (kind === "on_demand") return "when somebody looks";
  if (kind === "connection_test" || kind === "discovery") return "when somebody asks for it";
  return "at its next run";
}

/** When it may be tried again, and why not before: "Asked again 21 Nov 12:15: the provider asked for a pause". "" where nothing is waited for. */
export function retryWords(
  target: TargetView,
  { capability, kind }: Pick<CapabilityView, "capability" | "kind">,
  now: number,
): string {
  const { nextRetryAt, state } = target;
  if (nextRetryAt === null || nextRetryAt <= now || state === "disconnected" || state === "paused") return "";
  // Reports are asked for by the runs of their job alone, which need not be one at that moment.
  const asked =
    capabilityOf(capability)?.ofReports === true ? "Asked again by the first run after" : "Asked again";
  const verb = kind === "ingest" ? "Taken again" : asked;
  const reason = retryReason(target);
  return `${verb} ${formatMoment(nextRetryAt, now)}${reason === undefined ? "" : `: ${reason}`}.`;
}
