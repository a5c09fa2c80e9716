import { beforeEach, describe, expect, test } from "bun:test";
import { formatInstant, type UtcDay } from "../../../src/base/time.ts";
import { listMonitoringFailures, type Monitored, noteFailure } from "../../../src/health/monitoring.ts";
import { acceptPulse } from "../../../src/reports/pulse_routes.ts";
import { FlowFollower } from "../../../src/rules/rules.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { Writer } from "../../../src/store/writer.ts";
import { concernsRules, readWhyEmpty } from "../../../src/tower/flags/inbox.ts";
import { testStore } from "../../support/database.ts";
import { testGround } from "../../support/deps.ts";
import { fresh } from "../../support/fresh.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { acceptCodebase, judgeAll } from "../../support/nightly.ts";
import { pullSignals, told } from "../../support/signals.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const DAY_MS = 86_400_000;
const OWN = "tower";
const ground = fresh(testGround);

beforeEach(async () => {
  await add(OWN);
});

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

const whyEmpty = (site?: string) => {
  const { db } = ground.store;
  const unwatched = listMonitoringFailures(db).filter(concernsRules);
  return readWhyEmpty(db, { site, except: OWN }, unwatched, ground.clock.now());
};

test("the service's own site is no monitored site, and its own report no report", async () => {
  await send(OWN, 1);
  expect(whyEmpty()).toEqual({ state: "waiting" });
  const bare = testStore();
  const writer = new Writer(bare);
  await writer.write((tx) => {
    ensureAssets(tx, [OWN], { actor: "test", now: 0 });
  });
  expect(readWhyEmpty(bare.db, { site: undefined, except: OWN }, [], 0)).toEqual({ state: "no_sites" });
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
  await acceptCodebase(ground, report, 0);
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
  await judgeAll(ground);
  expect(whyEmpty("harbor")).toEqual({ state: "quiet", notTested: undefined });
});

describe("rules that should have run and did not", () => {
  const failing = (of: Partial<Monitored>) =>
    ground.writer.write((tx) =>
      noteFailure(
        tx,
        { kind: "job", asset: "", source: "", subject: "", ...of },
        { reason: "broke", now: 0 },
      ),
    );

  test.each([
    { kind: "job", subject: "freshness" },
    { kind: "job", subject: "sense" },
    // It brings what webmaster tools report as issues.
    { kind: "job", subject: "analysis" },
    { kind: "rule", asset: "harbor", source: "pulse", subject: "visits" },
  ] as const)("an empty list is no all-clear while %o fails", async (of) => {
    await add("harbor");
    await send("harbor", 30);
    await failing(of);
    expect(whyEmpty()).toEqual({ state: "failing", reason: undefined });
  });

  test("what keeps no rule from judging is not among them: a job that packs, and constants of which the last good ones are used", async () => {
    await add("harbor");
    await send("harbor", 30);
    await failing({ subject: "bodies" });
    await failing({ kind: "constants", subject: "constants.toml" });
    expect(whyEmpty().state).toBe("quiet");
  });

  test("reports that wait for minutes are not judged, and say so", async () => {
    await add("harbor");
    await send("harbor", 30);
    const report = {
      asset: "harbor",
      generatedAt: "2026-03-31T02:00:00Z",
      metrics: { visits: { last24h: 50 } },
    };
    await ground.writer.write((tx) =>
      acceptPulse(tx, {
        report,
        body: JSON.stringify(report),
        receivedAt: ground.clock.now(),
        newId: crypto.randomUUID,
      }),
    );
    expect(whyEmpty().state).toBe("quiet");
    ground.clock.advance(10 * 60_000);
    expect(whyEmpty()).toEqual({
      state: "failing",
      reason: "1 nightly report waits to be checked, for 10 min.",
    });
  });
});
