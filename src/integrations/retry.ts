/** When a target is tried again, and why not before. Pure. */
import { type Capability, dueOf, type Evidence, type HealthState } from "../health/mod.ts";
import { isLimit, needsPerson } from "../provider/contract.ts";
import type { RetryReason } from "./contract.ts";

export interface Retry {
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly reason: RetryReason | null;
}

const NONE: Retry = { at: null, reason: null };

/** States that only another attempt ends, of what is asked for. */
const ENDED_BY_AN_ATTEMPT: ReadonlySet<HealthState> = new Set(["failing", "unknown", "stale", "never_run"]);

/**
 * The next permitted attempt: after a failure the moment that it named, while that lies ahead, else the next tick of what is asked by
 * schedule. What comes by itself, and what works, has none.
 */
export function retryOf(
  { kind, obligation }: Capability,
  state: HealthState,
  evidence: Evidence | undefined,
  now: number,
): Retry {
  if (!ENDED_BY_AN_ATTEMPT.has(state)) return NONE;
  const latest = evidence?.latest;
  if (
    latest !== undefined &&
    latest.category !== null &&
    latest.nextRetryAt !== null &&
    latest.nextRetryAt > now
  ) {
    return { at: latest.nextRetryAt, reason: reasonOf(latest, kind) };
  }
  if (obligation === "silent_hours" || (obligation.kind !== "ticks" && obligation.kind !== "after_due"))
    return NONE;
  // A usable result that came now would be followed by the next tick.
  return { at: dueOf(obligation, now, now).dueAt, reason: "schedule" };
}

function reasonOf({ category, code }: Evidence["latest"], kind: Capability["kind"]): RetryReason {
  if (isLimit(category)) return category;
  if (needsPerson(category)) return "slow_probe";
  return kind === "on_demand" || code === "too_many_failures" ? "back_off" : "provider_asked";
}
