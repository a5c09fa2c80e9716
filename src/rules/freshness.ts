/** stale-ingest: a live site that has reported before and then fell silent (decisions, Flags); and the service's own nightly report. */

import { DAY_MS, formatInstant, HOUR_MS } from "../base/time.ts";
import { listOpenSubjects } from "../flags/queries.ts";
import { holdOpen, release } from "../flags/reconcile.ts";
import { NIGHTLY_REPORTS } from "../health/catalogue.ts";
import { isInForce, isPaused, listPauses, type PauseKey, pausesInForce } from "../health/pauses.ts";
import { answerWords, listStreaks, REPORT_ROUTES } from "../health/refusals.ts";
import { countReceived, type Heard, listFreshness, noteAhead, type Pulse } from "../reports/pulse.ts";
import { acceptPulse } from "../reports/pulse_routes.ts";
import { RULES, raisedTitle, STALE_INGEST } from "../sites/rule_catalogue.ts";
import { ensureAssets } from "../sites/site_changes.ts";
import { type Lifecycle, lifecycleOf, listSites } from "../sites/sites.ts";
import type { Core } from "../store/core.ts";
import { findServiceState, putServiceState, type Store, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

/** Reports of a site that were refused since its last good one. */
interface RefusedSince {
  readonly count: number;
  /** What the latest was answered with, such as "422 /metrics/signups/last24h". */
  readonly latest: string;
}

/** A site that has reported before. */
type KnownSite = NonNullable<ReturnType<ReturnType<typeof knownSites>["get"]>>;

/** A site that is silent for too long. */
type SilentSite = NonNullable<ReturnType<typeof judgeFreshness>>;

/**
 * Judges one site; undefined while it is fresh, paused or not expected to report. Silence counts by Tower's own clock, from the last
 * report or from going live, whichever is later: reports of before were tests. A pause that is over shortens it by nothing: the site was
 * silent all the same.
 */
function judgeFreshness(site: KnownSite, downtimes: ReturnType<typeof listDowntimes>, now: number) {
  if (site.lifecycle !== "live" || site.isPaused) return undefined;
  const wentLiveAt = liveAfterReport(site, now);
  const since = wentLiveAt ?? site.receivedAt;
  const silentMs = now - since;
  if (!isSilent(site, now)) return undefined;
  const downMs = downtimes.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)),
    0,
  );
  const inputs = {
    last_received_at: formatInstant(site.receivedAt),
    // Where the site went live after its last report, and silence counts from there.
    ...(wentLiveAt === undefined ? {} : { live_since: formatInstant(wentLiveAt) }),
    silent_hours: Math.floor(silentMs / HOUR_MS),
    // A short one is not rounded away: a report may have been refused in it.
    tower_down_hours: downMs === 0 ? 0 : Math.max(0.1, Math.round((downMs / HOUR_MS) * 10) / 10),
    ...(site.refused === undefined ? {} : { refused: site.refused }),
    thresholds: { silent_hours: site.silentHours },
  };
  return { asset: site.asset, inputs };
}

/** When a site went live after it had been something else, when its last nightly report was received, and how long it may be silent. */
type ReportingTime = Pick<KnownSite, "wentLiveAt" | "receivedAt" | "silentHours">;

/** Whether a live site that has reported before is silent for too long. */
export function isSilent(site: ReportingTime, now: number): boolean {
  return now - site.receivedAt >= silenceLimit(site, now);
}

/** For how long after its last report a live site may be silent, in milliseconds: from going live, where that was later. */
export function silenceLimit(site: ReportingTime, now: number): number {
  const waited = (liveAfterReport(site, now) ?? site.receivedAt) - site.receivedAt;
  return waited + site.silentHours * HOUR_MS;
}

/** When the site went live, if that was after its last report. A moment ahead of the clock is none: it would mute until then. */
function liveAfterReport(
  { wentLiveAt, receivedAt }: Omit<ReportingTime, "silentHours">,
  now: number,
): number | undefined {
  return wentLiveAt !== undefined && wentLiveAt > receivedAt && wentLiveAt <= now ? wentLiveAt : undefined;
}

/** Says why a site that was silent is not any more; undefined is a site that is in the portfolio no longer. */
function whyReleased(
  site: KnownSite | undefined,
  heldBy: { readonly [key: string]: unknown },
  now: number,
): string {
  if (site === undefined || site.lifecycle === "retired") return "retired";
  if (site.lifecycle !== "live") return "not_live";
  if (formatInstant(site.receivedAt) !== heldBy["last_received_at"]) return "reporting_again";
  if (site.isPaused) return "paused";
  // It may have been something else between two looks.
  const wentLiveAt = liveAfterReport(site, now);
  if (wentLiveAt !== undefined && formatInstant(wentLiveAt) !== heldBy["live_since"]) return "went_live";
  // Nothing of the site has changed; if it may not be silent for longer either, less time has passed than was thought.
  const { silent_hours: allowed } = heldBy["thresholds"] as { readonly silent_hours: number };
  return site.silentHours > allowed ? "threshold_changed" : "clock_set_back";
}

/** Whether a reading says more than the one before. The mere number of refusals does not: a flood of them must not fill the record. */
function isNews(site: SilentSite, heldBy: { readonly [key: string]: unknown }): boolean {
  return !Bun.deepEquals(withoutCount(site.inputs), withoutCount(heldBy));
}

function withoutCount(inputs: { readonly [key: string]: unknown }): unknown {
  const refused = inputs["refused"] as Partial<RefusedSince> | undefined;
  return refused === undefined ? inputs : { ...inputs, refused: refused.latest };
}

// How a site stands as a sender of reports: one answer for its row, its header, its tab and the order of lists. Pure.

/** The states of a site, those that ask for somebody first. */
export const SITE_STATES = [
  /** Live, and nothing came for longer than it may be silent. */
  "silent",
  /** Live, and nothing ever came. */
  "never_reported",
  "reporting",
  /** Not launched: no report is expected of it. */
  "pre_launch",
  /** An operator disabled its nightly reports: nothing is expected until they are resumed. */
  "paused",
  "retired",
] as const;
export type SiteState = (typeof SITE_STATES)[number];

/** What a site's state is made of. Times are milliseconds since the epoch. */
interface SiteReporting {
  readonly lifecycle: Lifecycle;
  /** When it became live after it had been something else. */
  readonly wentLiveAt?: number | null | undefined;
  /** When its last nightly report was received; undefined before the first. */
  readonly receivedAt: number | undefined;
  /** Hours of silence after which it is said to be silent. */
  readonly silentHours: number;
  /** Its nightly reports are paused; `until` is null where an operator ends it. */
  readonly paused?: { readonly until: number | null } | undefined;
}

/** Which state a site is in at `now`. */
export function siteState(site: SiteReporting, now: number): SiteState {
  const { lifecycle, wentLiveAt, receivedAt, silentHours, paused } = site;
  if (lifecycle === "retired") return "retired";
  if (paused !== undefined && isInForce(paused, now)) return "paused";
  if (lifecycle === "pre-launch") return "pre_launch";
  if (receivedAt === undefined) return "never_reported";
  return isSilent({ wentLiveAt: wentLiveAt ?? undefined, receivedAt, silentHours }, now)
    ? "silent"
    : "reporting";
}

// When Tower itself was not running: a heartbeat every minute and at each start, and the gaps between two of them.

const HEARTBEAT = "service.alive_at";
const DOWNTIMES = "service.downtimes";
/** A gap shorter than this is an ordinary restart, or a beat that came late, in milliseconds. */
const SHORTEST_MS = 2 * 60_000;
/** Gaps remembered: the newest ones. */
const MOST = 50;

/**
 * Writes down that the service runs, and remembers the gap since it last did: it was off, or the computer was suspended under it.
 * A gap that ends ahead of now was none: a clock had run ahead and was set back. While storage refuses it is written ahead of whatever
 * it takes first.
 */
export async function beat(store: Store, writer: Writer, now: number): Promise<void> {
  const last = findServiceState(store.db, HEARTBEAT);
  const known = listDowntimes(store);
  const from = last === undefined ? now : Number(last);
  const gaps = [...known, { from, to: now }].filter(
    (gap) => gap.to <= now && gap.to - gap.from >= SHORTEST_MS,
  );
  await writer.writeOrDefer((tx) => {
    if (!Bun.deepEquals(gaps, known)) putServiceState(tx, DOWNTIMES, JSON.stringify(gaps.slice(-MOST)), now);
    putServiceState(tx, HEARTBEAT, String(now), now);
  });
}

/** The remembered gaps, oldest first. */
export function listDowntimes(store: Store): { readonly from: number; readonly to: number }[] {
  const text = findServiceState(store.db, DOWNTIMES);
  return text === undefined ? [] : (JSON.parse(text) as ReturnType<typeof listDowntimes>);
}

// What the freshness monitor needs.

export interface FreshnessDeps extends Core {
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
  const held = listOpenSubjects(store.db, STALE_INGEST, config.serviceAsset);
  const open = new Map(held.map(({ subject, inputs }) => [subject, inputs]));
  const still = new Set(silent.map(({ asset }) => asset));
  const over = [...open].filter(([subject]) => !still.has(subject));
  const told = silent.filter((site) => {
    const before = open.get(site.asset);
    return before === undefined || isNews(site, before);
  });
  const ahead = heard.flatMap(({ asset, isNewlyAhead }) => (isNewlyAhead ? [asset] : []));
  const on = { rule: STALE_INGEST, asset: config.serviceAsset, now, actor: "rule" };
  // All of them fall silent together when their network does.
  await deps.writer.writeEach([
    ...ahead.map((asset) => (tx: Tx) => noteAhead(tx, asset, now)),
    ...over.map(([subject, inputs]) => (tx: Tx) => {
      release(tx, { ...on, subject, resolution: whyReleased(sites.get(subject), inputs, now) });
    }),
    ...told.map(({ asset: subject, inputs }) => (tx: Tx) => {
      // It may have been retired between the look and the write, which ended its flags for good, or paused.
      if (lifecycleOf(tx, subject) !== "live" || isPaused(tx, nightlyOf(subject), now)) return;
      const message = raisedTitle(STALE_INGEST, subject, inputs, now);
      const run = { subject, ...RULES[STALE_INGEST].raised, message, inputs, reading: inputs };
      holdOpen(tx, { ...on, ...run, newId: deps.ids.uuid });
    }),
  ]);
}

/** What a site's silence is about, as it is paused. */
export const nightlyOf = (asset: string): PauseKey => ({ capability: NIGHTLY_REPORTS, asset });

/** The sites that have reported before, but for the service's own, each with what it is judged by. */
function knownSites(deps: FreshnessDeps, reported: readonly Heard[], now: number) {
  const { store, config, silentHoursOf } = deps;
  const heard = new Map(reported.map(({ asset, receivedAt }) => [asset, receivedAt]));
  const refused = new Map(
    listStreaks(store.db)
      .filter(({ route }) => route === REPORT_ROUTES.nightly)
      .map((streak): [string, RefusedSince] => [
        streak.asset,
        { count: streak.count, latest: answerWords(streak) },
      ]),
  );
  const pauseOf = pausesInForce(listPauses(store.db), now);
  return new Map(
    listSites(store.db).flatMap(({ id: asset, lifecycle, wentLiveAt }) => {
      const receivedAt = heard.get(asset);
      if (receivedAt === undefined || asset === config.serviceAsset) return [];
      // All of it is paused by an operator: nothing is expected until it is resumed.
      const isPaused = pauseOf(nightlyOf(asset)) !== undefined;
      const site = { asset, lifecycle, isPaused, receivedAt, wentLiveAt: wentLiveAt ?? undefined };
      return [[asset, { ...site, silentHours: silentHoursOf(asset), refused: refused.get(asset) }] as const];
    }),
  );
}

// What the service's own nightly report needs.

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

type OwnPulseDeps = Omit<FreshnessDeps, "silentHoursOf">;

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
