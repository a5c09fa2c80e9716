/** What the service's own nightly report needs. */

import type { Clock, Ids } from "../base/base.ts";
import { formatInstant } from "../base/time.ts";
import { countReceived, listFreshness } from "../reports/pulse.ts";
import type { Pulse } from "../reports/pulse_contract.ts";
import { acceptPulse } from "../reports/pulse_routes.ts";
import { ensureAssets } from "../sites/site_changes.ts";
import type { Store, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

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

interface OwnPulseDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: { readonly serviceAsset: string };
}

const DAY_MS = 86_400_000;

/** The service's nightly report on its own asset, through the same door as every site's; `sent` joins its transaction. */
export async function sendOwnPulse(
  deps: OwnPulseDeps,
  sent: (tx: Tx) => void = () => undefined,
): Promise<void> {
  const receivedAt = deps.clock.now();
  const report = ownPulse(deps, receivedAt);
  await deps.writer.write((tx) => {
    ensureAssets(tx, [report.asset], { actor: "service", now: receivedAt });
    acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt, newId: deps.ids.uuid });
    sent(tx);
  });
}

function ownPulse(deps: OwnPulseDeps, now: number): Pulse {
  const { serviceAsset } = deps.config;
  const received = countReceived(deps.store.db, now - DAY_MS, now);
  const others = listFreshness(deps.store.db, now).filter(({ asset }) => asset !== serviceAsset);
  const perSite = others.map(
    ({ asset }) => [freshnessMetric(asset), { last24h: received.get(asset) ?? 0 }] as const,
  );
  const reports = others.reduce((sum, { asset }) => sum + (received.get(asset) ?? 0), 0);
  const reporting = others.filter(({ asset }) => received.has(asset)).length;
  return {
    asset: serviceAsset,
    generatedAt: formatInstant(now),
    capabilities: ["ingest", "freshness"],
    metrics: {
      "ingest.nightly_reports": { last24h: reports },
      "ingest.sites_reporting": { last24h: reporting },
      ...Object.fromEntries(perSite),
    },
  };
}
