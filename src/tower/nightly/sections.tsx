import { IngestBlock } from "./ingest.tsx";
import { MetricProof, MetricTable } from "./metric_table.tsx";
import { NegativePages } from "./negative.tsx";
import { NightlyOverTime } from "./over_time.tsx";
import type { NightlyOverview } from "./overview.ts";

/** The nightly part of a site's overview, below what is refreshed each minute. */
export function NightlySections({
  overview,
  now,
}: {
  readonly overview: NightlyOverview;
  readonly now: number;
}) {
  const { service, known, query, summary } = overview;
  return (
    <>
      {service === null ? null : <IngestBlock overview={overview} freshness={service} now={now} />}
      {known === 0 ? null : <NightlyOverTime overview={overview} now={now} />}
      <MetricTable overview={overview} />
      <MetricProof overview={overview} now={now} />
      {query.metric === null ? <NegativePages summary={summary} now={now} /> : null}
    </>
  );
}
