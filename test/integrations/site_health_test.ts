import { describe, expect, test } from "bun:test";
import type { SiteHealth } from "../../src/integrations/integrations.ts";
import { inDoubt } from "../../src/integrations/target_state.ts";
import { healthCapability, healthFixture, healthTarget } from "../support/health.ts";

const nightly = (...states: Parameters<typeof healthTarget>[0][]) =>
  healthCapability({
    capability: "ingest.nightly",
    targets: states.map(healthTarget),
  });
const analytics = (...states: Parameters<typeof healthTarget>[0][]) =>
  healthCapability({
    capability: "analytics.daily",
    targets: states.map(healthTarget),
  });

describe("how a site stands", () => {
  test("is as the worst of its targets stands, with all of them counted", () => {
    const view = healthFixture({
      capabilities: [
        nightly({ asset: "harbor" }, { asset: "orchard", state: "stale" }),
        analytics({ asset: "harbor", state: "failing" }, { asset: "orchard", state: "never_run" }),
      ],
    });
    const { sites } = view;
    expect(sites.get("harbor")).toMatchObject({
      state: "failing",
      working: 1,
      monitored: 2,
    });
    expect(sites.get("harbor")?.worst.state).toBe("failing");
    expect(sites.get("orchard")).toMatchObject({
      state: "stale",
      working: 0,
      monitored: 2,
    });
    expect(sites.get("orchard")?.counts).toMatchObject({
      stale: 1,
      never_run: 1,
      working: 0,
    });
  });

  test("is working where the rest is idle, and idle where all of it is", () => {
    const view = healthFixture({
      capabilities: [
        nightly({ asset: "harbor" }, { asset: "orchard", state: "idle" }),
        analytics({ asset: "harbor", state: "idle" }),
      ],
    });
    expect(view.sites.get("harbor")).toMatchObject({
      state: "working",
      working: 1,
      monitored: 1,
    });
    expect(view.sites.get("orchard")).toMatchObject({
      state: "idle",
      working: 0,
      monitored: 0,
    });
  });

  test("is told of no site without a target, and of no account", () => {
    const view = healthFixture({
      capabilities: [
        healthCapability({
          capability: "analytics.connection-test",
          targets: [healthTarget({ asset: "", state: "failing" })],
        }),
      ],
    });
    expect(view.sites.size).toBe(0);
  });

  test("is unknown where not all that is set up could be read, unless worse is known of it", () => {
    const { sites } = healthFixture({
      capabilities: [nightly({ asset: "harbor" }, { asset: "orchard", state: "failing" })],
    });
    const states = ["harbor", "orchard"].map((asset) => inDoubt(sites.get(asset) as SiteHealth).state);
    expect(states).toEqual(["unknown", "failing"]);
  });
});
