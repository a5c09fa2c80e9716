/** How a site stands as a sender of reports: one answer for its row, its header, its tab and the order of lists. Pure. */
import type { Lifecycle } from "../assets/contract.ts";
import { isInForce } from "../health/mod.ts";
import { isSilent } from "./rule.ts";

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
export interface SiteReporting {
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
