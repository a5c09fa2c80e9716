/** Whole answers of the providers, as they were seen: what a test changes in one is what it is about. */

const headers = (dimension: string, metrics: readonly string[]) => ({
  dimensionHeaders: [{ name: dimension }],
  metricHeaders: metrics.map((name) => ({ name, type: "TYPE_INTEGER" })),
});

const DAILY = ["activeUsers", "sessions", "screenPageViews", "eventCount"];

/** A report of analytics by day or hour: its rows are `[key, ...counts]`. Without rows, `rows` and `rowCount` are left out. */
export function analyticsReport(
  rows: readonly (readonly [key: string, ...counts: number[]])[],
  change: {
    readonly dimension?: string;
    readonly timeZone?: string;
    readonly metadata?: object;
    readonly rowCount?: number;
  } = {},
) {
  const { dimension = "date", timeZone = "Europe/Paris", metadata = {}, rowCount = rows.length } = change;
  const told = {
    rows: rows.map(([key, ...counts]) => ({
      dimensionValues: [{ value: key }],
      metricValues: counts.map((count) => ({ value: String(count) })),
    })),
    rowCount,
  };
  return {
    ...headers(dimension, DAILY),
    ...(rows.length === 0 && rowCount === 0 ? {} : told),
    metadata: { currencyCode: "EUR", timeZone, ...metadata },
    propertyQuota: { tokensPerDay: { consumed: 1, remaining: 199_999 } },
    kind: "analyticsData#runReport",
  };
}

/** Counts of now, by the names of the stretches of minutes. */
export function realtimeReport(rows: Readonly<Record<string, readonly number[]>>) {
  const told = Object.entries(rows);
  return {
    ...headers("dateRange", ["activeUsers", "screenPageViews", "eventCount"]),
    rows: told.map(([name, counts]) => ({
      dimensionValues: [{ value: name }],
      metricValues: counts.map((count) => ({ value: String(count) })),
    })),
    rowCount: told.length,
    kind: "analyticsData#runRealtimeReport",
  };
}

/** Figures of search console: rows are `[date, clicks, impressions, ctr, position]`; without any, `rows` is left out. */
export function searchReport(
  rows: readonly (readonly [
    date: string,
    clicks: number,
    impressions: number,
    ctr: number,
    position: number,
  ])[],
  metadata?: object,
) {
  return {
    ...(rows.length === 0
      ? {}
      : {
          rows: rows.map(([date, clicks, impressions, ctr, position]) => ({
            keys: [date],
            clicks,
            impressions,
            ctr,
            position,
          })),
        }),
    responseAggregationType: "byProperty",
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Figures of webmaster tools: rows are `[date, clicks, impressions]`, the date in the form of that API. */
export function trafficReport(
  rows: readonly (readonly [date: string, clicks: number, impressions: number])[],
) {
  return {
    d: rows.map(([date, clicks, impressions]) => ({
      __type: "RankAndTrafficStats:#Microsoft.Bing.Webmaster.Api",
      Clicks: clicks,
      Date: date,
      Impressions: impressions,
    })),
  };
}
