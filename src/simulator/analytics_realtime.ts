/** Realtime counts: who is on a site in the last thirty minutes. */
import { invalidField, REALTIME_DIMENSIONS, REALTIME_METRICS } from "./analytics_fields.ts";
import type { Asking } from "./analytics_rows.ts";
import { hourIn } from "./calendar.ts";
import { figuresOf } from "./figures.ts";
import { type Fields, objectsOf, type Shape, textOf } from "./google_front.ts";
import { count, seedOf } from "./random.ts";

/** Every key that a request may hold. */
export const REALTIME_SHAPE: Shape = {
  property: true,
  dimensions: { name: true },
  metrics: { name: true },
  dimensionFilter: true,
  metricFilter: true,
  limit: true,
  metricAggregations: true,
  orderBys: { desc: true, metric: { metricName: true }, dimension: { dimensionName: true, orderType: true } },
  returnPropertyQuota: true,
  minuteRanges: { name: true, startMinutesAgo: true, endMinutesAgo: true },
};

const KIND = { kind: "analyticsData#runRealtimeReport" };
const MINUTE_MS = 60_000;
/** Events and views of someone who is there, in a minute. */
const PER_USER: Readonly<Record<string, number>> = { eventCount: 2.4, screenPageViews: 0.7, keyEvents: 0.02 };
const LONGEST_MINUTES = 29;

/** The answer, or the words of the refusal. */
export function realtimeReport(body: Fields, asking: Asking): Readonly<Record<string, unknown>> | string {
  const dimensions = objectsOf(body["dimensions"]).map(({ name }) => textOf(name));
  const metrics = objectsOf(body["metrics"]).map(({ name }) => textOf(name));
  for (const name of dimensions) {
    if (!REALTIME_DIMENSIONS.includes(name))
      return invalidField("dimension", name, REALTIME_DIMENSIONS, true);
  }
  for (const name of metrics) {
    if (!REALTIME_METRICS.includes(name)) return invalidField("metric", name, REALTIME_METRICS, true);
  }
  if (dimensions.length + metrics.length === 0) {
    return "Requests require dimensions and/or metrics. Most requests include both.";
  }
  const asked = objectsOf(body["minuteRanges"]);
  const ranges = (asked.length === 0 ? [{}] : asked).map((range: Fields, place) => ({
    name: textOf(range["name"]) || `date_range_${place}`,
    start: Number(range["startMinutesAgo"] ?? LONGEST_MINUTES),
    end: Number(range["endMinutesAgo"] ?? 0),
  }));
  for (const { name, start, end } of ranges) {
    if (
      asked.length > 0 &&
      /^(?:date_range_|RESERVED_)\S/.test(name) &&
      asked.some((one) => one["name"] === name)
    ) {
      return `Minute range name ${name} must not start with date_range_ or RESERVED_.`;
    }
    if (start > LONGEST_MINUTES || start < end || end < 0) {
      return `Invalid minute range: startMinutesAgo = ${start} and endMinutesAgo = ${end}.`;
    }
  }
  const headers = [...dimensions, ...(ranges.length > 1 ? ["dateRange"] : [])];
  const rows = ranges.flatMap(({ name, start, end }) =>
    minuteSets(dimensions, start, end).flatMap(({ minutes, minutesAgo }) => {
      const users = usersIn(asking, minutes);
      if (users === 0) return [];
      const values = metrics.map((metric) =>
        metric === "activeUsers"
          ? users
          : Math.round(users * minutes.length ** 0.5 * (PER_USER[metric] ?? 0)),
      );
      const told = headers.map((header) =>
        header === "dateRange" ? name : header === "minutesAgo" ? minutesAgo : "(not set)",
      );
      return [
        {
          ...(told.length === 0 ? {} : { dimensionValues: told.map((value) => ({ value })) }),
          metricValues: values.map((value) => ({ value: String(value) })),
        },
      ];
    }),
  );
  // With nobody there nothing else is said, not even the headers.
  if (rows.length === 0) return KIND;
  return {
    ...(headers.length === 0 ? {} : { dimensionHeaders: headers.map((name) => ({ name })) }),
    metricHeaders: metrics.map((name) => ({ name, type: "TYPE_INTEGER" })),
    rows,
    rowCount: rows.length,
    ...KIND,
  };
}

/** Minutes that are told together. */
function minuteSets(dimensions: readonly string[], start: number, end: number) {
  const minutes = Array.from({ length: start - end + 1 }, (_, place) => end + place);
  return dimensions.includes("minutesAgo")
    ? minutes.map((minute) => ({ minutes: [minute], minutesAgo: String(minute).padStart(2, "0") }))
    : [{ minutes, minutesAgo: "" }];
}

/** Who was there in some of the last minutes. Users over thirty minutes are fewer than the sum of the minutes: people stay. */
function usersIn(asking: Asking, minutes: readonly number[]): number {
  const { seed, site, calendar, now } = asking;
  const arrivals = minutes.map((minute) => {
    const at = now - minute * MINUTE_MS;
    const day = figuresOf(seed, site, calendar.dayAt(at));
    const shape = 0.4 + 1.2 * Math.sin((Math.PI * ((hourIn(calendar.zoneAt(at), at) + 18) % 24)) / 24);
    const mean = ((day?.activeUsers ?? 0) / (24 * 60)) * Math.max(0.1, shape);
    return count(mean, 1, seedOf(seed, site.name, "minute"), Math.floor(at / MINUTE_MS));
  });
  const came = arrivals.reduce((sum, one) => sum + one, 0);
  // Those of the minute before are mostly still there.
  return minutes.length === 1 ? came + Math.round((arrivals[0] ?? 0) * 0.8) : came;
}
