/** How the freshness of a site is called among the metrics of the service's own asset. */
const PREFIX = "freshness.";

/** The metric of one site: nightly reports received from it in the last 24 hours. */
export function freshnessMetric(asset: string): string {
  return `${PREFIX}${asset}`;
}

/** Whether a metric is one of these; stale-ingest judges them already. */
export function isFreshnessMetric(metric: string): boolean {
  return metric.startsWith(PREFIX);
}
