/** What a property of analytics may be asked: its buckets, apart for reports and for realtime. */
import { dayIn, HOUR_MS } from "./calendar.ts";
import { type AnalyticsProperty, type Quota, STANDARD_QUOTA } from "./world.ts";

export type QuotaCategory = "core" | "realtime";

/** What was used, in the hour and the day in which it was. */
interface Used {
  hour: number;
  day: number;
  tokensOfHour: number;
  tokensOfDay: number;
  thresholded: number;
}

/** The tokens that a report costs, as they were measured: most cost one or two. */
export function costOf(dimensions: number, metrics: number, days: number): number {
  return 1 + (metrics >= 10 ? 1 : 0) + (dimensions >= 9 ? 2 : 0) + Math.floor(days / 60);
}

/** Days begin at midnight there, for every property. */
const QUOTA_ZONE = "America/Los_Angeles";

export class AnalyticsQuota {
  readonly #used = new Map<string, Used>();
  readonly #inFlight = new Map<string, number>();

  /** The bucket that has not enough left, or undefined: then it is taken from all. */
  take(
    property: AnalyticsProperty,
    category: QuotaCategory,
    {
      cost,
      now,
      isThresholded,
    }: { readonly cost: number; readonly now: number; readonly isThresholded: boolean },
  ): string | undefined {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    if ((this.#inFlight.get(property.property) ?? 0) > allowed.concurrentRequests) return "concurrent";
    if (used.tokensOfDay + cost > allowed.tokensPerDay) return "tokens-day";
    if (used.tokensOfHour + cost > allowed.tokensPerHour) return "tokens-hour";
    if (used.tokensOfHour + cost > allowed.tokensPerProjectPerHour) return "tokens-project-hour";
    if (isThresholded && used.thresholded + 1 > allowed.potentiallyThresholdedRequestsPerHour)
      return "thresholded";
    used.tokensOfDay += cost;
    used.tokensOfHour += cost;
    if (isThresholded) used.thresholded++;
    return undefined;
  }

  /** A request is under way; call what is returned when it has ended. */
  begin(property: string): () => void {
    this.#inFlight.set(property, (this.#inFlight.get(property) ?? 0) + 1);
    return () => this.#inFlight.set(property, (this.#inFlight.get(property) ?? 1) - 1);
  }

  /** As an answer tells it. */
  told(property: AnalyticsProperty, category: QuotaCategory, cost: number, now: number) {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    const pair = (consumed: number, remaining: number) => ({ consumed, remaining });
    return {
      tokensPerDay: pair(cost, allowed.tokensPerDay - used.tokensOfDay),
      tokensPerHour: pair(cost, allowed.tokensPerHour - used.tokensOfHour),
      concurrentRequests: pair(0, allowed.concurrentRequests),
      serverErrorsPerProjectPerHour: pair(0, allowed.serverErrorsPerProjectPerHour),
      potentiallyThresholdedRequestsPerHour: pair(
        0,
        allowed.potentiallyThresholdedRequestsPerHour - used.thresholded,
      ),
      tokensPerProjectPerHour: pair(cost, allowed.tokensPerProjectPerHour - used.tokensOfHour),
    };
  }

  #usedOf(property: string, category: QuotaCategory, now: number): Used {
    const key = `${category} ${property}`;
    const [hour, day] = [Math.floor(now / HOUR_MS), dayIn(QUOTA_ZONE, now)];
    const used = this.#used.get(key) ?? { hour, day, tokensOfHour: 0, tokensOfDay: 0, thresholded: 0 };
    if (used.hour !== hour) Object.assign(used, { hour, tokensOfHour: 0, thresholded: 0 });
    if (used.day !== day) Object.assign(used, { day, tokensOfDay: 0 });
    this.#used.set(key, used);
    return used;
  }
}

const allowedTo = ({ quota }: AnalyticsProperty): Quota => ({ ...STANDARD_QUOTA, ...quota });
