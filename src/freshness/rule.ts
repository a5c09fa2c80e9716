/** stale-ingest: a live site that has reported before and then fell silent (decisions, Flags). Pure. */
import type { Lifecycle } from "../assets/contract.ts";
import { formatInstant } from "../lib/instant.ts";
import { raisedTitle, STALE_INGEST } from "../rules/mod.ts";

const HOUR_MS = 3_600_000;

/** A stretch of time in which Tower itself was not running, in milliseconds since the epoch. */
export interface Downtime {
  readonly from: number;
  readonly to: number;
}

/** Reports of a site that were refused since its last good one. */
export interface RefusedSince {
  readonly count: number;
  /** What the latest was answered with, such as "422 /metrics/signups/last24h". */
  readonly latest: string;
}

/** A site that has reported before. */
export interface KnownSite {
  readonly asset: string;
  readonly lifecycle: Lifecycle;
  /** All of it is paused by an operator: nothing is expected until it is resumed. */
  readonly isPaused: boolean;
  /** When it became live after it had been something else. */
  readonly wentLiveAt: number | undefined;
  /** When its last nightly report was received. */
  readonly receivedAt: number;
  readonly silentHours: number;
  readonly refused: RefusedSince | undefined;
}

/** A site that is silent for too long. */
export interface SilentSite {
  readonly asset: string;
  readonly message: string;
  readonly inputs: {
    readonly last_received_at: string;
    /** Where the site went live after its last report, and silence counts from there. */
    readonly live_since?: string;
    readonly silent_hours: number;
    readonly tower_down_hours: number;
    readonly refused?: RefusedSince;
    readonly thresholds: { readonly silent_hours: number };
  };
}

/**
 * Judges one site; undefined while it is fresh, paused or not expected to report. Silence counts by Tower's own clock, from the last
 * report or from going live, whichever is later: reports of before were tests. A pause that is over shortens it by nothing: the site was
 * silent all the same.
 */
export function judgeFreshness(
  site: KnownSite,
  downtimes: readonly Downtime[],
  now: number,
): SilentSite | undefined {
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
    ...(wentLiveAt === undefined ? {} : { live_since: formatInstant(wentLiveAt) }),
    silent_hours: Math.floor(silentMs / HOUR_MS),
    // A short one is not rounded away: a report may have been refused in it.
    tower_down_hours: downMs === 0 ? 0 : Math.max(0.1, Math.round((downMs / HOUR_MS) * 10) / 10),
    ...(site.refused === undefined ? {} : { refused: site.refused }),
    thresholds: { silent_hours: site.silentHours },
  };
  return { asset: site.asset, message: raisedTitle(STALE_INGEST, site.asset, inputs, now), inputs };
}

/** Whether a live site that has reported before is silent for too long. */
export function isSilent(
  site: Pick<KnownSite, "wentLiveAt" | "receivedAt" | "silentHours">,
  now: number,
): boolean {
  return now - site.receivedAt >= silenceLimit(site, now);
}

/** For how long after its last report a live site may be silent, in milliseconds: from going live, where that was later. */
export function silenceLimit(
  site: Pick<KnownSite, "wentLiveAt" | "receivedAt" | "silentHours">,
  now: number,
): number {
  const waited = (liveAfterReport(site, now) ?? site.receivedAt) - site.receivedAt;
  return waited + site.silentHours * HOUR_MS;
}

/** When the site went live, if that was after its last report. A moment ahead of the clock is none: it would mute until then. */
function liveAfterReport(
  { wentLiveAt, receivedAt }: Pick<KnownSite, "wentLiveAt" | "receivedAt">,
  now: number,
): number | undefined {
  return wentLiveAt !== undefined && wentLiveAt > receivedAt && wentLiveAt <= now ? wentLiveAt : undefined;
}

/** Why a site's flag is over, from the inputs it was last judged by. */
export type Release =
  | "retired"
  | "not_live"
  | "reporting_again"
  | "paused"
  | "went_live"
  | "threshold_changed"
  | "clock_set_back";

/** Says why a site that was silent is not any more; undefined is a site that is in the portfolio no longer. */
export function whyReleased(
  site: KnownSite | undefined,
  heldBy: { readonly [key: string]: unknown },
  now: number,
): Release {
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
export function isNews(site: SilentSite, heldBy: { readonly [key: string]: unknown }): boolean {
  return !Bun.deepEquals(withoutCount(site.inputs), withoutCount(heldBy));
}

function withoutCount(inputs: { readonly [key: string]: unknown }): unknown {
  const refused = inputs["refused"] as Partial<RefusedSince> | undefined;
  return refused === undefined ? inputs : { ...inputs, refused: refused.latest };
}
