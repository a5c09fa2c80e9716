/** How much one read tells: what needs somebody is left out last, and what is left out is counted. */
import { expect, test } from "bun:test";
import { familyKey } from "../../src/health/family.ts";
import { CAPABILITIES, type Capability, type HealthState } from "../../src/health/mod.ts";
import { MOST_OPERATIONS, MOST_OUTCOMES } from "../../src/integrations/caps.ts";
import type { Inventory } from "../../src/integrations/inventory.ts";
import type { Stood } from "../../src/integrations/project.ts";
import { viewOf } from "../../src/integrations/view.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { healthTarget } from "../support/health.ts";

const DAILY = CAPABILITIES.find(({ id }) => id === "search-console.daily") as Capability;
/** What an archive will be: its reports by family, due each noon. */
const ARCHIVE: Capability = {
  ...DAILY,
  id: "search-console.archive",
  label: "Search console, archive",
  obligation: { kind: "ticks", at: "15 12 * * *", slackMs: 0 },
};
const INVENTORY = {
  parts: { monitoring: [] },
  unread: [],
} as unknown as Inventory;

const stood = (capability: Capability, asset: string, state: HealthState, family = ""): Stood => ({
  setUp: {
    capability,
    asset,
    target: asset === "" ? "" : `target-of-${asset}`,
    family,
    connectionRevision: "rev",
    property: asset,
    obligation: { kind: "none" },
    detachedAt: null,
    changedAt: 0,
  },
  view: healthTarget({ asset, state, family, target: `target-of-${asset}` }),
  observedAt: 1,
});

const view = (targets: readonly Stood[], asset?: string) =>
  viewOf({
    workspace: "default",
    catalogue: [DAILY, ARCHIVE],
    inventory: INVENTORY,
    projection: { targets, until: Number.POSITIVE_INFINITY },
    events: [],
    asset,
    isRefused: false,
  });

const name = (place: number) => `site-${String(place).padStart(5, "0")}`;

test("a provider's operations up to the bound are all told, and the coverage is whole", () => {
  const targets = Array.from({ length: MOST_OPERATIONS }, (_, place) => stood(DAILY, name(place), "working"));
  const { coverage, summary } = view(targets);
  expect(coverage).toMatchObject({ state: "complete", configured: 2_048, more: { operations: 0 } });
  expect(summary.working).toBe(2_048);
});

test("beyond it the coverage is unknown, what is left out is counted, and no failure is among it", () => {
  const targets = Array.from({ length: MOST_OPERATIONS + 52 }, (_, place) =>
    stood(DAILY, name(place), place > MOST_OPERATIONS ? "failing" : "working"),
  );
  const { coverage, summary, capabilities } = view(targets);
  expect(coverage).toMatchObject({
    state: "unknown",
    reason: "There is more than one read takes: 52 operations left out.",
    configured: 2_100,
    more: { operations: 52, archive: 0 },
  });
  expect(summary).toMatchObject({ failing: 51, working: 1_997 });
  const assets = capabilities[0]?.targets.map(({ asset }) => asset) ?? [];
  expect(assets).toEqual(assets.toSorted());
  // One site alone is told whole.
  expect(view(targets, name(3)).coverage).toMatchObject({ state: "complete", configured: 1 });
});

const outcomes = (count: number, isFailing: (place: number) => boolean) =>
  Array.from({ length: count }, (_, place) => {
    const date = addDays("2026-01-01" as UtcDay, place);
    const family = familyKey({ report: "page-query", date, query: "", device: "" });
    return stood(ARCHIVE, "harbor", isFailing(place) ? "failing" : "working", family);
  });

test("a property's archive outcomes are the latest of it, failures that last before all others", () => {
  const { coverage, capabilities } = view(
    outcomes(300, (place) => place === 0 || place === 3),
    "harbor",
  );
  const families = capabilities[0]?.targets.map(({ family }) => JSON.parse(family)[1]) ?? [];
  expect(families).toHaveLength(MOST_OUTCOMES);
  expect(families.slice(0, 3)).toEqual(["2026-01-04", "2026-01-01", "2026-10-27"]);
  // More is normal.
  expect(coverage).toMatchObject({ state: "complete", more: { archive: 44, operations: 0 } });
});

test("of all sites each archive property is one target, as the worst of its outcomes stands", () => {
  const { coverage, capabilities, summary } = view(outcomes(300, (place) => place === 7));
  expect(capabilities[0]?.targets).toMatchObject([{ asset: "harbor", family: "", state: "failing" }]);
  expect(summary.failing).toBe(1);
  expect(coverage).toMatchObject({ state: "complete", configured: 1, more: { archive: 299 } });
});
