/** A clock that once ran ahead: what it left behind is never the latest, and mutes nothing. */

import { beforeEach, describe, expect, test } from "bun:test";
import { addDays, formatInstant, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import { snoozeRuns } from "../../src/flags/flags.ts";
import { countInbox } from "../../src/flags/inbox.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { findLatest, listLatestMeasures } from "../../src/reports/codebase.ts";
import { findLatestPulse, listFreshness } from "../../src/reports/pulse.ts";
import { beat, judgeSites, listDowntimes, sendOwnPulse } from "../../src/rules/freshness.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { readCodebaseView } from "../../src/tower/site/codebase_read.ts";
import { listSiteRows } from "../../src/tower/sites/portfolio_routes.tsx";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { healthFixture } from "../support/health.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { newFlag } from "../support/make/flag.ts";
import { accept, acceptCodebase, followerOn, sendNights } from "../support/nightly.ts";
import { differing } from "../support/read_models.ts";
import { setLifecycle } from "../support/sites.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ground = fresh(testGround);

/** The portfolio's row of the site. */
const rowOf = (now: number) =>
  listSiteRows(ground.store.db, {
    now,
    serviceAsset: "tower",
    silentHoursOf: () => 26,
    health: healthFixture(),
  }).find(({ asset }) => asset === "harbor");
beforeEach(async () => {
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
});

const judge = () => judgeSites({ ...ground, silentHoursOf: () => 26 });
const stale = (status: "open" | "resolved" = "open") =>
  listFlags(ground.store.db, { asset: "tower", rule: "stale-ingest", status }, 50);
const report = (changes = {}) => {
  const now = ground.clock.now();
  return accept(ground, { asset: "harbor", generatedAt: formatInstant(now), metrics: {}, ...changes }, now);
};
/** Runs `act` under a clock that is ahead, and sets it back. */
async function underClock(aheadMs: number, act: () => Promise<unknown>): Promise<void> {
  ground.clock.advance(aheadMs);
  await act();
  ground.clock.advance(-aheadMs);
}

describe("silence", () => {
  test("after a report under a clock 400 days ahead it counts from when that was seen, and is told", async () => {
    await underClock(400 * DAY, report);
    await judge();
    ground.clock.advance(26 * HOUR - 1);
    await judge();
    expect(stale()).toStrictEqual([]);
    ground.clock.advance(1);
    await judge();
    expect(stale()).toHaveLength(1);
  });

  test("it is told all through a year's lead, one flag, also when the day comes that the clock had shown", async () => {
    await underClock(365 * DAY, report);
    await judge();
    const began = ground.clock.now();
    for (let days = 2; days <= 370; days += 23) {
      ground.clock.advance(began + days * DAY - ground.clock.now());
      await judge();
      expect(stale()).toHaveLength(1);
    }
    expect(stale("resolved")).toStrictEqual([]);
    await report();
    await judge();
    expect(stale("resolved")[0]?.resolution).toBe("reporting_again");
  });

  test("a report after the clock was set back is the last one, and its own silence counts", async () => {
    await underClock(400 * DAY, report);
    await judge();
    ground.clock.advance(HOUR);
    await report();
    expect(listFreshness(ground.store.db, ground.clock.now())).toEqual([
      { asset: "harbor", receivedAt: ground.clock.now(), isNewlyAhead: false },
    ]);
    expect(differing(ground.store.db, "freshness")).toStrictEqual([]);
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
  });

  test("a clock set back twice counts from the second time", async () => {
    await underClock(400 * DAY, report);
    await underClock(30 * DAY, judge);
    await judge();
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
  });

  test("going live under a clock that is ahead mutes nothing", async () => {
    await report();
    await underClock(400 * DAY, () => setLifecycle(ground.writer, "harbor", "pre-launch"));
    await underClock(400 * DAY, () => setLifecycle(ground.writer, "harbor", "live", ground.clock.now()));
    expect(findAsset(ground.store.db, "harbor")?.wentLiveAt).toBeGreaterThan(ground.clock.now());
    ground.clock.advance(26 * HOUR);
    await judge();
    expect(stale()).toHaveLength(1);
  });

  test("the leap itself is no downtime once the clock is back", async () => {
    await beat(ground.store, ground.writer, ground.clock.now());
    await underClock(400 * DAY, () => beat(ground.store, ground.writer, ground.clock.now()));
    await beat(ground.store, ground.writer, ground.clock.now());
    expect(listDowntimes(ground.store)).toStrictEqual([]);
  });
});

describe("the latest report", () => {
  test("is the newest one whose day has come: in what is shown, and for the codebase rules", async () => {
    const { db } = ground.store;
    const send = (duplication: number) => {
      const receivedAt = ground.clock.now();
      const sent = codebaseReport({
        generatedAt: formatInstant(receivedAt),
        measures: { code_lines: 1_000, duplication_percent: duplication },
      });
      return acceptCodebase(ground, sent, receivedAt);
    };
    await underClock(400 * DAY, () => send(1));
    const { alerts, date, revision } = await send(20);
    expect(alerts.raised.map(({ rule }) => rule)).toEqual(["codebase-duplication"]);
    const now = ground.clock.now();
    expect(findLatest(db, "harbor", now)).toMatchObject({ date, revision });
    expect(listLatestMeasures(db, ["harbor"], "code_lines", now)).toMatchObject([{ date }]);
    const view = readCodebaseView(db, "harbor", { range: 90, until: null }, now);
    expect(view?.latest.date).toBe(date);
    expect(view?.charts.tracks[0]?.points).toHaveLength(1);
    ground.clock.advance(401 * DAY);
    expect(findLatest(db, "harbor", ground.clock.now())?.date).toBe(addDays(date, 400));
  });

  test("a night ahead is not the latest one, and a site is not shown as heard in the future", async () => {
    const { db } = ground.store;
    await underClock(400 * DAY, report);
    const now = ground.clock.now();
    expect(findLatestPulse(db, "harbor", now)).toBeUndefined();
    expect(rowOf(now)?.standing.receivedAt).toBe(now);
    await report();
    expect(findLatestPulse(db, "harbor", now)?.date).toBe(utcDayOf(now));
  });

  test("a site's clock within the five minutes that are let through is not ahead, also over midnight", async () => {
    ground.clock.at("2026-03-01T23:57:00Z");
    const generatedAt = "2026-03-02T00:01:00Z";
    const sent = { severity: "warn", kind: "anomaly", msg: "x" } as const;
    await report({ generatedAt, flags: [sent] });
    expect(findLatestPulse(ground.store.db, "harbor", ground.clock.now())?.date).toBe("2026-03-02" as UtcDay);
    expect(listFlags(ground.store.db, { asset: "harbor", status: "open" }, 5)).toHaveLength(1);
  });

  test("flags that a site sends live by it", async () => {
    const sent = { severity: "warn", kind: "anomaly", metric: "orders", msg: "orders fell" } as const;
    await underClock(400 * DAY, report);
    await report({ flags: [sent] });
    expect(listFlags(ground.store.db, { asset: "harbor", status: "open" }, 5)).toHaveLength(1);
    ground.clock.advance(DAY);
    await report();
    expect(listFlags(ground.store.db, { asset: "harbor", status: "open" }, 5)).toStrictEqual([]);
  });
});

test("the flow rules judge the newest day that has come: a fall after the clock was set back is flagged", async () => {
  const follower = followerOn(ground);
  const today = utcDayOf(ground.clock.now());
  const orders = (last24h: number) => ({ metrics: { orders: { last24h } } });
  await sendNights(ground, "harbor", { last: addDays(today, -1), days: 60 }, () => orders(40));
  await underClock(400 * DAY, async () => {
    await report(orders(40));
    await follower.settle();
  });
  await report(orders(0));
  await follower.settle();
  const open = listFlags(ground.store.db, { asset: "harbor", status: "open" }, 5);
  expect(open.map(({ rule, metric }) => `${rule} ${metric}`)).toEqual(["flow-drop orders"]);
  await follower.stop();
});

test("the service's own figures count no report that was received ahead of now", async () => {
  await underClock(400 * DAY, report);
  await sendOwnPulse(ground);
  const metrics = findLatestPulse(ground.store.db, "tower", ground.clock.now())?.report.metrics;
  expect(metrics).toMatchObject({
    "ingest.nightly_reports": { last24h: 0 },
    "freshness.harbor": { last24h: 0 },
  });
});

test("a snooze that was set under a clock 400 days ahead puts nothing away", async () => {
  const { store, writer, clock, ids } = ground;
  const id = ids.uuid();
  await writer.write((tx) => insertOpenFlag(tx, id, newFlag(), clock.now(), "rule"));
  await underClock(400 * DAY, () => {
    const until = clock.now() + DAY;
    const by = { name: "ada", id: "operator:ada" };
    return writer.write((tx) => performAct(tx, "snooze", { id, by, now: clock.now(), until }));
  });
  expect(countInbox(store.db, { status: "open" }, clock.now())).toBe(1);
  expect(countInbox(store.db, { status: "snoozed" }, clock.now())).toBe(0);
  expect(snoozeRuns(clock.now() + 401 * DAY, clock.now())).toBe(false);
  expect(snoozeRuns(clock.now() + 366 * DAY, clock.now())).toBe(true);
});
