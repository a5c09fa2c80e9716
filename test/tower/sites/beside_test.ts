import { expect, test } from "bun:test";
import type { HealthState } from "../../../src/health/health.ts";
import { besideSites } from "../../../src/tower/sites/wall.tsx";
import { healthIn, wallFacts } from "../../support/wall_facts.ts";

const viewOf = (...targets: readonly (readonly [kind: string, asset: string, state: HealthState])[]) => {
  const capabilities = targets.map(([kind, asset, state]) => {
    const { capability, target } = healthIn(state).worst;
    return { ...capability, kind: kind as "discovery", targets: [{ ...target, asset }] };
  });
  return wallFacts([], { capabilities }).view;
};

test("what fails beside the sites is said, since no tile shows it; what a site has is on its tile", () => {
  expect(besideSites(viewOf())).toBeNull();
  expect(besideSites(viewOf(["connection_test", "", "idle"], ["ingest", "harbor", "failing"]))).toBeNull();
  expect(besideSites(viewOf(["production_read", "", "failing"]))).toBeNull();
  expect(
    besideSites(
      viewOf(["ingest", "", "stale"], ["connection_test", "", "failing"], ["discovery", "", "failing"]),
    ),
  ).toEqual({ state: "failing", words: "Accounts and senders: 2 failing, 1 stale" });
});
