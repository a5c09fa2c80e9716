import { expect, test } from "bun:test";
import type { HealthState } from "../../src/health/health.ts";
import type { SiteHealth } from "../../src/integrations/integrations.ts";
import { inDoubt } from "../../src/integrations/target_state.ts";
import { healthCapability, healthFixture, healthTarget } from "../support/health.ts";

/** How a site stands whose targets stand so, and how where not all that is set up could be read. */
function siteOf(
  states: readonly HealthState[],
  asset = "harbor",
  kind: "ingest" | "connection_test" = "ingest",
) {
  const targets = states.map((state) => healthTarget({ asset, state }));
  const { sites } = healthFixture({
    capabilities: [healthCapability({ capability: "ingest.nightly", kind, targets })],
  });
  const health = sites.get(asset);
  if (health === undefined) return undefined;
  const { state, working, monitored, worst } = health;
  return [state, `${working} of ${monitored}`, worst.state, inDoubt(health as SiteHealth).state];
}

test.each<[readonly HealthState[], string, string, HealthState]>([
  [["working", "failing"], "failing", "1 of 2", "failing"],
  [["stale", "never_run"], "stale", "0 of 2", "unknown"],
  [["working", "idle"], "working", "1 of 1", "unknown"],
  [["idle", "idle"], "idle", "0 of 0", "unknown"],
])(
  "a site is as the worst of its targets: %j is %s with %s working, and %s in doubt",
  (states, state, working, inDoubt) => {
    const worst = state === "working" ? "working" : state;
    expect(siteOf(states)).toEqual([state, working, worst, inDoubt]);
  },
);

test("of no site without a target, and of no account, is anything told", () => {
  expect([siteOf(["failing"], ""), siteOf([])]).toEqual([undefined, undefined]);
});
