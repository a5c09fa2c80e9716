import { findAsset, listAllAssets } from "../assets/mod.ts";
import type { Store, Tx, Writer } from "../db/mod.ts";
import { holdOpen, listOpenSubjects, release } from "../flags/mod.ts";
import { isPaused, listPauses, NIGHTLY_REPORTS, type PauseKey, pausesInForce } from "../health/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { type Heard, listFreshness, noteAhead } from "../pulse/mod.ts";
import { answerWords, listStreaks, REPORT_ROUTES } from "../refusals/mod.ts";
import { RULES, STALE_INGEST } from "../rules/mod.ts";
import { listDowntimes } from "./downtime.ts";
import { isNews, judgeFreshness, type KnownSite, type SilentSite, whyReleased } from "./rule.ts";

/** What the freshness monitor needs. */
export interface FreshnessDeps {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: { readonly serviceAsset: string };
  readonly silentHoursOf: (asset: string) => number;
}

/**
 * Judges every live site that has reported before: one error flag on the service's own asset per silent site, held while it is
 * silent, resolved with the reason when it is not any more. A held flag's message and inputs follow the clock, and a reading is
 * appended when another hour of silence is full or something else changed, not with every look.
 */
export async function judgeSites(deps: FreshnessDeps): Promise<void> {
  const { store, config } = deps;
  const now = deps.clock.now();
  const heard = listFreshness(store.db, now);
  const sites = knownSites(deps, heard, now);
  const downtimes = listDowntimes(store);
  const silent = [...sites.values()].flatMap((site) => judgeFreshness(site, downtimes, now) ?? []);
  const open = new Map(
    listOpenSubjects(store.db, STALE_INGEST, config.serviceAsset).map(({ subject, inputs }) => [
      subject,
      inputs,
    ]),
  );
  const still = new Set(silent.map(({ asset }) => asset));
  const over = [...open].filter(([subject]) => !still.has(subject));
  const told = silent.filter((site) => {
    const held = open.get(site.asset);
    return held === undefined || isNews(site, held);
  });
  const ahead = heard.flatMap(({ asset, isNewlyAhead }) => (isNewlyAhead ? [asset] : []));
  if (over.length + told.length + ahead.length === 0) return;
  await deps.writer.write((tx) => {
    const on = { rule: STALE_INGEST, asset: config.serviceAsset, now, actor: "rule" };
    for (const asset of ahead) noteAhead(tx, asset, now);
    for (const [subject, inputs] of over) {
      release(tx, { ...on, subject, resolution: whyReleased(sites.get(subject), inputs, now) });
    }
    for (const site of told) {
      // It may have been retired between the look and the write, which ended its flags for good, or paused.
      if (!isLive(tx, site.asset) || isPaused(tx, nightlyOf(site.asset), now)) continue;
      holdOpen(tx, { ...on, ...heldRun(site), newId: deps.ids.uuid });
    }
  });
}

/** What a site's silence is about, as it is paused. */
export const nightlyOf = (asset: string): PauseKey => ({ capability: NIGHTLY_REPORTS, asset });

function isLive(tx: Tx, asset: string): boolean {
  return findAsset(tx, asset)?.lifecycle === "live";
}

function heldRun({ asset, message, inputs }: SilentSite) {
  return { subject: asset, ...RULES[STALE_INGEST].raised, message, inputs, reading: inputs };
}

/** The sites that have reported before, but for the service's own, each with what it is judged by. */
function knownSites(deps: FreshnessDeps, reported: readonly Heard[], now: number): Map<string, KnownSite> {
  const { store, config, silentHoursOf } = deps;
  const heard = new Map(reported.map(({ asset, receivedAt }) => [asset, receivedAt]));
  const refused = new Map(
    listStreaks(store.db)
      .filter(({ route }) => route === REPORT_ROUTES.nightly)
      .map((streak) => [streak.asset, { count: streak.count, latest: answerWords(streak) }]),
  );
  const pauseOf = pausesInForce(listPauses(store.db), now);
  const sites = new Map<string, KnownSite>();
  for (const { id, lifecycle, wentLiveAt } of listAllAssets(store.db)) {
    const receivedAt = heard.get(id);
    if (receivedAt === undefined || id === config.serviceAsset) continue;
    const silentHours = silentHoursOf(id);
    sites.set(id, {
      asset: id,
      lifecycle,
      isPaused: pauseOf(nightlyOf(id)) !== undefined,
      wentLiveAt,
      receivedAt,
      silentHours,
      refused: refused.get(id),
    });
  }
  return sites;
}
