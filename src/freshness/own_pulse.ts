import { ensureAssets } from "../assets/mod.ts";
import type { Store, Tx, Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { acceptPulse, countReceived, listFreshness, type Pulse } from "../pulse/mod.ts";
import { freshnessMetric } from "./metric.ts";

/** What the service's own nightly report needs. */
export interface OwnPulseDeps {
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
