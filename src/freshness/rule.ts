/** stale-ingest: a live site that has reported before and then fell silent (decisions, Flags). Pure. */
import { formatInstant } from "../lib/instant.ts";

const HOUR_MS = 3_600_000;

/** A stretch of time in which Tower itself was not running, in milliseconds since the epoch. */
export interface Downtime {
  readonly from: number;
  readonly to: number;
}

/** A site that is silent for too long. */
export interface SilentSite {
  readonly asset: string;
  readonly message: string;
  readonly inputs: {
    readonly last_received_at: string;
    readonly silent_hours: number;
    readonly tower_down_hours: number;
    readonly thresholds: { readonly silent_hours: number };
  };
}

/** Judges one site that has reported before; undefined while it is fresh. Silence counts by Tower's own clock. */
export function judgeFreshness(
  site: { readonly asset: string; readonly receivedAt: number; readonly silentHours: number },
  downtimes: readonly Downtime[],
  now: number,
): SilentSite | undefined {
  const silentMs = now - site.receivedAt;
  if (silentMs < site.silentHours * HOUR_MS) return undefined;
  const downMs = downtimes.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - Math.max(from, site.receivedAt)),
    0,
  );
  const hours = Math.floor(silentMs / HOUR_MS);
  const down =
    downMs === 0
      ? ""
      : ` Tower itself was down for ${hoursText(downMs)} of that time, so a report may have been refused.`;
  return {
    asset: site.asset,
    message: `No nightly report from ${site.asset} for ${hours} hours; the last was received ${formatInstant(site.receivedAt)}.${down}`,
    inputs: {
      last_received_at: formatInstant(site.receivedAt),
      silent_hours: hours,
      tower_down_hours: Math.round((downMs / HOUR_MS) * 10) / 10,
      thresholds: { silent_hours: site.silentHours },
    },
  };
}

function hoursText(ms: number): string {
  const hours = ms / HOUR_MS;
  return hours < 1 ? `${Math.max(1, Math.round(ms / 60_000))} min` : `${Math.round(hours * 10) / 10} h`;
}
