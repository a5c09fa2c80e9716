import { afterEach, beforeEach, expect, test } from "bun:test";
import { ensureAssets } from "../../../src/assets/mod.ts";
import { acceptReport } from "../../../src/codebase/accept.ts";
import { Writer } from "../../../src/db/mod.ts";
import { FlowFollower } from "../../../src/flow/mod.ts";
import { formatInstant } from "../../../src/lib/instant.ts";
import type { UtcDay } from "../../../src/lib/utc_day.ts";
import { acceptPulse } from "../../../src/pulse/mod.ts";
import { readWhyEmpty } from "../../../src/tower/flags/view.ts";
import { testStore } from "../../support/database.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { followerOn } from "../../support/nightly.ts";
import { pullSignals, told } from "../../support/planted_signals.ts";
import { DEFAULT_CODEBASE_THRESHOLDS, DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const DAY_MS = 86_400_000;
const OWN = "tower";
let ground: TestGround;

beforeEach(async () => {
  ground = await testGround();
  await add(OWN);
});
afterEach(() => ground.store.close());

const add = (asset: string) =>
  ground.writer.write((tx) => {
    ensureAssets(tx, [asset], { actor: "test", now: 0 });
  });

async function send(asset: string, days: number): Promise<void> {
  const follower = new FlowFollower({
    ...ground,
    thresholdsOf: () => DEFAULT_FLOW_THRESHOLDS,
    isJudgedElsewhere: () => false,
  });
  const first = Date.parse("2026-03-01T02:00:00Z");
  for (let day = 0; day < days; day++) {
    const report = {
      asset,
      generatedAt: formatInstant(first + day * DAY_MS),
      metrics: { visits: { last24h: 50 } },
    };
    await ground.writer.write((tx) =>
      acceptPulse(tx, { report, body: JSON.stringify(report), receivedAt: first, newId: crypto.randomUUID }),
    );
  }
  await follower.settle();
}

const whyEmpty = (site?: string) => readWhyEmpty(ground.store.db, site, OWN, ground.clock.now());

test("the service's own site is no monitored site, and its own report no report", async () => {
  await send(OWN, 1);
  expect(whyEmpty()).toEqual({ state: "waiting" });
  const bare = testStore();
  const writer = new Writer(bare);
  await writer.write((tx) => {
    ensureAssets(tx, [OWN], { actor: "test", now: 0 });
  });
  expect(readWhyEmpty(bare.db, undefined, OWN, 0)).toEqual({ state: "no_sites" });
  bare.close();
});

test("a report that no rule could test is no all-clear", async () => {
  await add("harbor");
  await send("harbor", 3);
  expect(whyEmpty()).toEqual({
    state: "not_tested",
    reason: "1 metric could not be tested when last judged.",
  });
  expect(whyEmpty("harbor").state).toBe("not_tested");
});

test("once a metric was tested, or the codebase judged, an empty list says what it is", async () => {
  await add("harbor");
  await send("harbor", 30);
  expect(whyEmpty("harbor")).toEqual({ state: "quiet", notTested: undefined });
  await add("orchard");
  await send("orchard", 1);
  const report = codebaseReport({
    asset: "orchard",
    generatedAt: "2026-03-01T02:00:00Z",
    measures: { files: 1 },
  });
  await ground.writer.write((tx) =>
    acceptReport(tx, {
      report,
      body: JSON.stringify(report),
      receivedAt: 0,
      thresholds: DEFAULT_CODEBASE_THRESHOLDS,
      newId: crypto.randomUUID,
    }),
  );
  expect(whyEmpty("orchard")).toEqual({
    state: "quiet",
    notTested: "1 metric could not be tested when last judged. This is not an all-clear for it.",
  });
});

test("a site that sends nothing is judged by what providers tell of it; a ratio is none of what could not be tested", async () => {
  const last = "2026-02-26" as UtcDay;
  await pullSignals(
    ground,
    { asset: "harbor", source: "search-console" },
    { last, days: 40 },
    {
      clicks: () => told(50),
      ctr: () => told(0.5),
    },
  );
  const follower = followerOn(ground);
  await follower.settle();
  await follower.stop();
  expect(whyEmpty("harbor")).toEqual({ state: "quiet", notTested: undefined });
});
