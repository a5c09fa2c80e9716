/** What a flag that tells a lasting thing anew takes over from the one before. Pure. */

import { daysBetween, parseUtcDay, type UtcDay, utcDayOf } from "../base/time.ts";
import { type RuleInputs, SEVERITIES, type Severity } from "./flags.ts";
import { lineOf, snoozeRuns } from "./replay.ts";

const DAY_MS = 86_400_000;

/** The flag before, as it stands. Times are milliseconds since the epoch. */
export interface Predecessor {
  readonly id: string;
  readonly rule: string | null;
  readonly severity: Severity;
  readonly rule_inputs: string | null;
  readonly raised_at: number;
  readonly resolved_at: number | null;
  readonly snoozed_until: number | null;
  readonly acked_at: number | null;
  readonly acked_by: string | null;
  readonly incident: string | null;
  readonly hypothesis: string | null;
  readonly chain: string;
  readonly since: number;
  readonly reports: number;
}

/** The columns of the new flag that come from the one before. */
export interface Renewal {
  readonly renews: string;
  readonly chain: string;
  readonly since: number;
  readonly reports: number;
  readonly snoozed_until: number | null;
  readonly acked_at: number | null;
  readonly acked_by: string | null;
  readonly incident: string | null;
  readonly hypothesis: string | null;
  /** Only where an operator took resolving back: else it is a note about the row it was tuned for. */
  readonly tuned_at?: number | null;
}

/** What is carried on. An acknowledgement was given to something milder when the severity rose: then it falls away. */
export function renewalOf(before: Predecessor, severity: Severity, now: number): Renewal {
  const worse = SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(before.severity);
  const { snoozed_until } = before;
  return {
    renews: before.id,
    chain: before.chain,
    since: before.since,
    reports: before.reports + 1,
    snoozed_until: snoozed_until !== null && snoozeRuns(snoozed_until, now) ? snoozed_until : null,
    acked_at: worse ? null : before.acked_at,
    acked_by: worse ? null : before.acked_by,
    incident: before.incident,
    hypothesis: before.hypothesis,
  };
}

/**
 * Whether a flag that some earlier reading resolved is near enough to go on with. Tower's clock decides. Years of reports may
 * be judged within a minute, though, and then the clock tells nothing: so the days judged, less the time the flag stood
 * open, must lie as near.
 */
export function isNear(before: Predecessor, inputs: RuleInputs, now: number): boolean {
  const gapMs = lineOf(before.rule ?? "").gapMs;
  const { raised_at, resolved_at } = before;
  if (resolved_at === null || now - resolved_at > gapMs) return false;
  const [from, to] = [judgedDay(before.rule_inputs), dayIn(inputs)];
  // A day more than the gap: the reading that resolved it was of the next day.
  return (
    from === undefined ||
    to === undefined ||
    daysBetween(from, to) * DAY_MS - (resolved_at - raised_at) <= gapMs + DAY_MS
  );
}

/** The day that the first flag of the chain was about. */
export function firstDayOf(before: Predecessor): UtcDay {
  const since = textIn(before.rule_inputs, "since");
  const own = before.reports === 1 ? judgedDay(before.rule_inputs) : undefined;
  return parseUtcDay(since ?? "") ?? own ?? utcDayOf(before.since);
}

function judgedDay(inputs: string | null): UtcDay | undefined {
  return parseUtcDay(textIn(inputs, "day") ?? "");
}

function textIn(inputs: string | null, name: string): string | undefined {
  const value = inputs === null ? undefined : (JSON.parse(inputs) as RuleInputs)[name];
  return typeof value === "string" ? value : undefined;
}

function dayIn(inputs: RuleInputs): UtcDay | undefined {
  const { day } = inputs;
  return typeof day === "string" ? parseUtcDay(day) : undefined;
}
