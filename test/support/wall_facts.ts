/** What the Wall is made of, made up: any number of sites, in states that are given. */

import { tallied } from "../../src/base/statistics.ts";
import { HEALTH_STATES, type HealthState } from "../../src/health/health.ts";
import type { Entry } from "../../src/integrations/attention.ts";
import type { Coverage, HealthView, SiteHealth, TargetView } from "../../src/integrations/integrations.ts";
import type { SeverityCounts } from "../../src/tower/kit/links.tsx";
import type { WallFacts, WallSite } from "../../src/tower/sites/wall.tsx";
import { healthFixture, healthTarget } from "./health.ts";

const NO_FLAGS: SeverityCounts = { error: 0, warn: 0, info: 0 };

/** The health of a site that is in a state, for so long. */
export function healthIn(state: HealthState, worst: Partial<TargetView> = {}): SiteHealth {
  const counts = tallied(HEALTH_STATES, [state, "working", "working", "working"]);
  const seen = { lastAttemptStartedAt: null, lastSuccessStartedAt: null, coveredDate: null };
  const category = state === "failing" ? "access" : null;
  const target = healthTarget({ asset: "", state, category, ...seen, ...worst });
  return { state, counts, working: counts.working, monitored: 4, worst: target };
}

/** A site of the Wall. */
export function wallSite(asset: string, state: HealthState, more: Partial<WallSite> = {}): WallSite {
  return {
    asset,
    health: healthIn(state),
    flags: NO_FLAGS,
    entry: undefined,
    isRefused: false,
    place: undefined,
    ...more,
  };
}

/** What somebody must act on. */
export function entryOf(asset: string, changes: Partial<Entry> = {}): Entry {
  return {
    cause: `flags ${asset}`,
    severity: "warn",
    acts: "person",
    trouble: "numbers",
    title: "Bookings down 74% (29, normally about 112), third day in a row",
    also: [],
    since: null,
    assets: [asset],
    flags: ["one"],
    rows: [],
    series: null,
    targets: [],
    action: { verb: "Review flag", text: "Review the flag.", href: "/flags/one" },
    nextRetryAt: null,
    isPressing: true,
    ...changes,
  };
}

const COMPLETE: Coverage = {
  state: "complete",
  reason: null,
  configured: 240,
  monitored: 240,
  unmonitored: 0,
  more: { archive: 0, operations: 0 },
};

/** Sites with the view that they are of. */
export function wallFacts(
  sites: readonly WallSite[],
  changes: { readonly coverage?: Partial<Coverage> } & Partial<Pick<WallFacts, "group" | "besides">> &
    Partial<Omit<HealthView, "coverage">> = {},
): WallFacts {
  const { coverage, group = null, besides = 0, ...view } = changes;
  return {
    group,
    sites,
    besides,
    open: { open: { error: 1, warn: 6, info: 5 } },
    view: healthFixture({
      observedAt: null,
      summary: healthIn("working").counts,
      ...view,
      coverage: { ...COMPLETE, ...coverage },
    }),
  };
}

const FAMILIES =
  "ferry copper glass northumberland-and-borders-beekeepers violin orchard paper synth museum plover".split(
    " ",
  );
const HOUR_MS = 3_600_000;

/** Sites as a portfolio has them: all nine states, few of them urgent, names of every length, flags on some. */
export function manySites(count: number, now: number): WallSite[] {
  return Array.from({ length: count }, (_, index) => {
    const state = HEALTH_STATES[count > 60 ? index % 173 : index % 3 === 0 ? index / 3 : 8] ?? "working";
    const asset = `${FAMILIES[index % FAMILIES.length]}-${index}.example`;
    const since = now - (1 + (index % 70)) * HOUR_MS;
    const category = (["access", "invalid_report", "exhausted_budget"] as const)[index % 3] ?? "access";
    const health = healthIn(state, {
      since,
      ...(state === "failing" && { category }),
      ...(state === "paused" && { pausedUntil: now + 300 * HOUR_MS }),
    });
    const flags = index % 7 === 2 ? { error: index % 2, warn: 2, info: index % 14 === 2 ? 1 : 0 } : NO_FLAGS;
    const isNews = index % 11 === 3 || state === "stale";
    const entry = isNews ? entryOf(asset, { severity: index % 2 === 0 ? "error" : "warn" }) : undefined;
    return wallSite(asset, state, { health, flags, entry, place: isNews ? index : undefined });
  });
}
