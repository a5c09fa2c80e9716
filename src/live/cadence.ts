/** When the provider may be asked next. Pure. */
import { type Fault, isLimit, needsPerson } from "../provider/contract.ts";
import { COOLDOWN_MS } from "../provider/fault.ts";
import type { LiveKind } from "./contract.ts";

const MINUTE = 60_000;

/** How long an answer of a kind is shared, in milliseconds (spec, Limits). */
export const SHARED_MS: Readonly<Record<LiveKind, number>> = { realtime: 30_000, hourly: 15 * MINUTE };

/**
 * How long a refusal holds that only an operator can end. Shorter than for what is pulled by schedule: somebody looks at the page,
 * most likely to see whether what they mended works; and long enough that refused questions never use up what a property allows of
 * them, which is what the provider counts by the quarter of an hour.
 */
const REFUSED_MS = 15 * MINUTE;

/** The earliest moment of the next question of a kind after this one was answered, or failed with a fault. */
export function nextQuestionAt(kind: LiveKind, fault: Fault | undefined, now: number): number {
  return now + Math.max(SHARED_MS[kind], fault === undefined ? 0 : holdOf(fault));
}

function holdOf({ category, retryAfterMs }: Fault): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  if (isLimit(category)) return COOLDOWN_MS;
  return needsPerson(category) ? REFUSED_MS : 0;
}
