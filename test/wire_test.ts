/** How the service's parts are put together: what each is told by the others. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { listVerdicts } from "../src/flow/mod.ts";
import { freshnessMetric } from "../src/freshness/metric.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN, type TestGround, testGround } from "./support/deps.ts";
import { accept } from "./support/nightly.ts";
import { type TestTower, testTower } from "./support/test_tower.ts";

let ground: TestGround;
let service: TestTower;
beforeEach(async () => {
  ground = await testGround();
  service = await testTower({
    ground: { store: ground.store, writer: ground.writer, clock: ground.clock, ids: ground.ids },
    settings: { ASSET_TOKENS: `harbor:${HARBOR_TOKEN}`, SERVICE_ASSET: "watch" },
  });
});
afterEach(() => service.close());

test("the freshness of sites is judged by its own rule, not by the flow rules; the same name at a site is a metric", async () => {
  const metrics = { [freshnessMetric("harbor")]: { last24h: 1 }, "ingest.nightly_reports": { last24h: 1 } };
  for (const asset of ["watch", "harbor"]) {
    await accept(ground, { asset, generatedAt: "2026-03-01T02:30:00Z", metrics });
  }
  await service.deps.follower.settle();
  const judged = (asset: string) =>
    listVerdicts(ground.store.db, asset)
      .map(({ metric }) => metric)
      .sort();
  expect(judged("watch")).toEqual(["ingest.nightly_reports"]);
  expect(judged("harbor")).toEqual([freshnessMetric("harbor"), "ingest.nightly_reports"].sort());
});

test("the tokens of the setting are in force, and no others", () => {
  expect(service.deps.siteTokens.find(HARBOR_TOKEN)?.asset).toBe("harbor");
  expect(service.deps.siteTokens.find(ORCHARD_TOKEN)).toBeUndefined();
});
