import type { Db } from "../../db/mod.ts";
import { NO_COUNTS, PROVIDERS } from "../../provider/contract.ts";
import { listMetricNames } from "../../pulse/mod.ts";
import { SENT, seriesName } from "../../rules/mod.ts";
import { listMetrics } from "../../series/mod.ts";
import { type Paging, pageOf } from "../component/pager.tsx";
import { settingsAddress } from "./address.ts";

/** Metrics on one page of the list: a site that reported before names were bounded may have thousands. */
const METRICS_PAGE = 50;

/** A metric that the site sends, or a count that a provider tells of it. */
export interface ChosenMetric {
  readonly source: string;
  readonly metric: string;
}

/** A page of the site's metrics, of those whose name holds `q`. */
export interface MetricChoice {
  readonly names: readonly ChosenMetric[];
  readonly paging: Paging;
  readonly q: string;
  /** Whether the list was asked for: it then stands open. */
  readonly isAsked: boolean;
}

/** The metrics that an address asks for. */
export function metricChoice(db: Db, asset: string, sent: URLSearchParams): MetricChoice {
  const { metric: q, page } = settingsAddress.read(sent);
  const found = metricsOf(db, asset).filter(({ metric, source }) =>
    seriesName(metric, source).toLowerCase().includes(q.toLowerCase()),
  );
  const { items: names, paging } = pageOf(found, page, METRICS_PAGE);
  return { names, paging, q, isAsked: q !== "" || sent.has("page") };
}

/** What can be tuned of a site: what it sends first. */
function metricsOf(db: Db, asset: string): ChosenMetric[] {
  return [
    ...listMetricNames(db, asset).map((metric) => ({ source: SENT, metric })),
    ...PROVIDERS.flatMap((source) =>
      listMetrics(db, { asset, source })
        .filter((metric) => !NO_COUNTS.includes(metric))
        .map((metric) => ({ source, metric })),
    ),
  ];
}
