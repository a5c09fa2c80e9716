import { listAllAssets } from "../assets/mod.ts";
import type { Store, Writer } from "../db/mod.ts";
import { holdOpen, listOpenSubjects, release } from "../flags/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { listFreshness } from "../pulse/mod.ts";
import { listDowntimes } from "./downtime.ts";
import { judgeFreshness, type SilentSite } from "./rule.ts";

/** What the freshness monitor needs. */
export interface FreshnessDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: { readonly serviceAsset: string };
  readonly silentHoursOf: (asset: string) => number;
}

const RULE = "stale-ingest";

/**
 * Judges every live site that has reported before: one error flag on the service's own asset per silent site, held while it is
 * silent, resolved when reports return or the site is no longer live. A held flag's message and inputs follow the clock, and a
 * reading is appended when another hour of silence is full.
 */
export async function judgeSites(deps: FreshnessDeps): Promise<void> {
  const now = deps.clock.now();
  const live = new Set(
    listAllAssets(deps.store.db)
      .filter(({ id, lifecycle }) => lifecycle === "live" && id !== deps.config.serviceAsset)
      .map(({ id }) => id),
  );
  const downtimes = listDowntimes(deps.store);
  const silent = new Map<string, SilentSite>();
  for (const { asset, receivedAt } of listFreshness(deps.store.db)) {
    if (!live.has(asset)) continue;
    const site = judgeFreshness(
      { asset, receivedAt, silentHours: deps.silentHoursOf(asset) },
      downtimes,
      now,
    );
    if (site !== undefined) silent.set(asset, site);
  }
  const open = listOpenSubjects(deps.store.db, RULE, deps.config.serviceAsset);
  const fresh = open.filter(({ subject }) => !silent.has(subject));
  const changed = [...silent.values()].filter((site) => {
    const held = open.find(({ subject }) => subject === site.asset);
    return held?.message !== site.message;
  });
  if (fresh.length === 0 && changed.length === 0) return;
  await deps.writer.write((tx) => {
    const on = { rule: RULE, asset: deps.config.serviceAsset, now, actor: "rule" };
    for (const { subject } of fresh) release(tx, { ...on, subject, resolution: "reporting_again" });
    for (const { asset, message, inputs } of changed) {
      holdOpen(tx, {
        ...on,
        subject: asset,
        severity: "error",
        kind: "anomaly",
        message,
        inputs,
        reading: inputs,
        newId: deps.ids.uuid,
      });
    }
  });
}
