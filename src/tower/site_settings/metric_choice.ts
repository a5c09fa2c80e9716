import type { Db } from "../../db/mod.ts";
import { listMetricNames } from "../../pulse/mod.ts";
import { type Paging, pageOf } from "../component/pager.tsx";
import { settingsAddress } from "./address.ts";

/** Metrics on one page of the list: a site that reported before names were bounded may have thousands. */
const METRICS_PAGE = 50;

/** A page of the site's metrics, of those whose name holds `q`. */
export interface MetricChoice {
  readonly names: readonly string[];
  readonly paging: Paging;
  readonly q: string;
  /** Whether the list was asked for: it then stands open. */
  readonly isAsked: boolean;
}

/** The metrics that an address asks for. */
export function metricChoice(db: Db, asset: string, sent: URLSearchParams): MetricChoice {
  const { metric: q, page } = settingsAddress.read(sent);
  const found = listMetricNames(db, asset).filter((name) => name.toLowerCase().includes(q.toLowerCase()));
  const { items: names, paging } = pageOf(found, page, METRICS_PAGE);
  return { names, paging, q, isAsked: q !== "" || sent.has("page") };
}
