/** Which limits of providers were met today, and until when they hold. Pure. */

import type { CapabilityView, HealthEventView, HealthView } from "../../integrations/integrations.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS } from "../../providers/adapter.ts";
import { isLimit } from "../../providers/faults.ts";
import type { MetLimit } from "../../signals/pull_standing.ts";

/** A limit that was met. Times are milliseconds since the epoch. */
export interface Limit {
  readonly since: number;
  /** Until when nothing is asked, or was not; undefined where that is not known. */
  readonly until: number | undefined;
  /** Whether it holds now. */
  readonly holds: boolean;
  readonly isBudget: boolean;
}

/** What has a quota of its own, with the limits that were met of it today. */
export interface Allowance {
  readonly words: string;
  readonly limits: readonly Limit[];
}

const LIVE = ["analytics.realtime", "analytics.hourly"];

/** Of each provider its daily figures, and of analytics also what is asked while somebody looks: the two have quotas of their own. */
export function allowances(
  met: readonly MetLimit[],
  view: Pick<HealthView, "capabilities" | "events">,
  { dayStart, now }: { readonly dayStart: number; readonly now: number },
): Allowance[] {
  return PROVIDERS.flatMap((provider): Allowance[] => {
    const daily = met
      .filter((limit) => limit.provider === provider)
      .map(({ first, until, category }) => ({
        since: first,
        until,
        holds: until > now,
        isBudget: category === "exhausted_budget",
      }));
    const name = PROVIDER_WORDS[provider];
    if (provider !== "analytics") return [{ words: name, limits: daily }];
    return [
      { words: `${name}, daily`, limits: daily },
      { words: `${name}, right now`, limits: liveLimits(view, dayStart) },
    ];
  });
}

/** Traffic right now keeps no attempts: what its health and its events of today tell. */
function liveLimits(
  { capabilities, events }: Pick<HealthView, "capabilities" | "events">,
  dayStart: number,
): Limit[] {
  const holding = capabilities.filter(({ capability }) => LIVE.includes(capability)).flatMap(holdingOf);
  const [earliest] = holding.toSorted((a, b) => a.since - b.since);
  if (earliest !== undefined) return [earliest];
  return events
    .filter((event) => isEndToday(event, dayStart))
    .slice(0, 1)
    .flatMap((end) => endedBy(end, events));
}

function holdingOf({ targets }: CapabilityView): Limit[] {
  return targets.flatMap(({ state, category, since, lastAttemptStartedAt, nextRetryAt }) =>
    state === "failing" && isLimit(category)
      ? [
          {
            since: since ?? lastAttemptStartedAt ?? 0,
            until: nextRetryAt ?? undefined,
            holds: true,
            isBudget: category === "exhausted_budget",
          },
        ]
      : [],
  );
}

const isEndToday = (event: HealthEventView, dayStart: number): boolean =>
  event.change === "recovery" &&
  LIVE.includes(event.capability) &&
  isLimit(event.category) &&
  event.at >= dayStart;

/** A limit that is over: from what began it, where that is among the events, to what ended it. */
function endedBy(end: HealthEventView, events: readonly HealthEventView[]): Limit[] {
  const began = events.find(
    ({ at, asset, capability, target, change }) =>
      at <= end.at &&
      change !== "recovery" &&
      asset === end.asset &&
      capability === end.capability &&
      target === end.target,
  );
  return [
    {
      since: began?.at ?? end.at,
      until: end.at,
      holds: false,
      isBudget: end.category === "exhausted_budget",
    },
  ];
}
