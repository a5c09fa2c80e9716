/** How much one read tells: what needs somebody is left out last, and what is left out is counted. */

import { expect, test } from "bun:test";
import { CAPABILITIES, type Capability } from "../../src/health/catalogue.ts";
import type { HealthState } from "../../src/health/health.ts";
import type { SiteHealth } from "../../src/integrations/integrations.ts";
import type { Inventory } from "../../src/integrations/inventory.ts";
import { payloadOf } from "../../src/integrations/payload.ts";
import { groupOf } from "../../src/integrations/projection.ts";
import { siteHealth, type TargetState } from "../../src/integrations/target_state.ts";
import { MOST_OPERATIONS, viewOf, withinBounds } from "../../src/integrations/view.ts";
import { healthTarget } from "../support/health.ts";

const DAILY = CAPABILITIES.find(({ id }) => id === "search-console.daily") as Capability;
const INVENTORY = {
  parts: { monitoring: [] },
  unread: [],
} as unknown as Inventory;

const targetState = (capability: Capability, asset: string, state: HealthState): TargetState => ({
  monitored: {
    capability,
    asset,
    target: asset === "" ? "" : `target-of-${asset}`,
    family: "",
    connectionRevision: "rev",
    property: asset,
    obligation: { kind: "none" },
    detachedAt: null,
    changedAt: 0,
  },
  view: healthTarget({ asset, state, target: `target-of-${asset}` }),
  observedAt: 1,
  more: 0,
});

const view = (targets: readonly TargetState[], asset?: string) =>
  viewOf({
    workspace: "default",
    catalogue: [DAILY],
    inventory: INVENTORY,
    projection: {
      groups: new Map([[DAILY, groupOf(targets)]]),
      sites: new Map(targets.map((one) => [one.view.asset, { targets: [one] }])),
      healths: new Map(targets.flatMap((one) => [[one.view.asset, siteHealth([one]) as SiteHealth]])),
      others: [],
    },
    events: [],
    asset,
    reports: undefined,
    isRefused: false,
  });

const name = (place: number) => `site-${String(place).padStart(5, "0")}`;

test("a provider's operations up to the bound are all told, and the coverage is whole", () => {
  const targets = Array.from({ length: MOST_OPERATIONS }, (_, place) =>
    targetState(DAILY, name(place), "working"),
  );
  const { coverage, summary } = withinBounds(view(targets));
  expect(coverage).toMatchObject({ state: "complete", configured: 2_048, more: { operations: 0 } });
  expect(summary.working).toBe(2_048);
});

test("beyond it the coverage is unknown, what is left out is counted, and no failure is among it", () => {
  const targets = Array.from({ length: MOST_OPERATIONS + 52 }, (_, place) =>
    targetState(DAILY, name(place), place > MOST_OPERATIONS ? "failing" : "working"),
  );
  const whole = view(targets);
  const bounded = withinBounds(whole);
  const { coverage, summary, capabilities } = bounded;
  expect(payloadOf(whole)).toEqual(payloadOf(bounded));
  expect(coverage).toMatchSnapshot();
  expect(summary).toMatchObject({ failing: 51, working: 1_997 });
  const assets = capabilities[0]?.targets.map(({ asset }) => asset) ?? [];
  expect(assets).toEqual(assets.toSorted());
  // What one read of a program tells is bounded, what pages know of a site is not.
  expect(whole.coverage).toMatchObject({ state: "complete", configured: 2_100 });
  expect(whole.sites.size).toBe(2_100);
  expect(new Set(Array.from(whole.sites.values(), ({ state }) => state))).toEqual(
    new Set(["working", "failing"]),
  );
  // One site alone is told whole.
  expect(view(targets, name(3)).coverage).toMatchObject({ state: "complete", configured: 1 });
});
