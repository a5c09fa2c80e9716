/** How archived reports stand: what is due, what stays visible, what lasts, and how much of it is told. */

import { describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { endSkip, noteSkip } from "../../src/archive/record_attempt.ts";
import { dayNumber, type UtcDay } from "../../src/base/time.ts";
import { archiveScope, type Evidence } from "../../src/health/health.ts";
import type { KnownParts } from "../../src/integrations/inventory.ts";
import { MOST_OUTCOMES } from "../../src/integrations/target_state.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { familiesOf } from "../../src/providers/report_families.ts";
import { reportOf } from "../support/archive.ts";
import {
  ARCHIVED_PROPERTY,
  ARCHIVED_SITE,
  archivedParts,
  REVISION,
  reportsStood,
} from "../support/archive_health.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import type { Rows } from "../support/inventory.ts";

/** When a run began. */
const RUN = instant("2026-11-20T12:15:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = dayNumber("2026-11-20" as UtcDay);

const ground = fresh(testGround);
let runs = 0;

const target = (provider: Provider, family: string, connectionRevision = REVISION) => ({
  asset: ARCHIVED_SITE,
  provider,
  connectionRevision,
  property: ARCHIVED_PROPERTY,
  family,
});
type Changes = Omit<Partial<NewReport>, "target">;
const FAILED = { outcome: "failed", category: "network", failureCode: "timed_out" } as const;

const put = (provider: Provider, family: string, changes: Changes, revision?: string) =>
  ground.writer.write((tx) =>
    recordReport(
      tx,
      reportOf({
        run: ++runs,
        object: null,
        attemptedAt: RUN,
        ...changes,
        target: target(provider, family, revision),
      }),
    ),
  );

/** A run that gets everything, so many days after the first one. */
async function run(
  provider: Provider,
  after = 0,
  except: (family: string, date: number) => boolean = () => false,
) {
  for (const family of familiesOf(provider)) {
    const dates = family.of === "day" ? [1, 2, 3, 4].map((ago) => TODAY + after - ago) : [TODAY + after];
    for (const date of dates) {
      if (except(family.name, date)) continue;
      await put(provider, family.name, { date, attemptedAt: RUN + after * DAY });
    }
  }
}

const stand = (provider: Provider, now: number, changes: Rows = {}) => {
  const { db } = ground.store;
  const { together, each } = reportsStood(db, archivedParts(db, [provider], changes), now);
  const [sum] = together;
  if (sum === undefined) throw new Error("no target");
  return {
    sum: sum.view,
    more: each.more,
    views: each.targets.map(({ view }) => view),
    states: each.targets.map(({ view }) => {
      const [report, date] = view.family === "" ? ["", ""] : JSON.parse(view.family);
      return `${report} ${date.slice(5)} ${view.state}`;
    }),
  };
};
const ofReport = (states: readonly string[], report: string) =>
  states.filter((one) => one.startsWith(`${report} `));

describe("a report that came", () => {
  test("works with every date of its run, and the dates before stay visible", async () => {
    await run("search-console");
    await run("search-console", 1);
    const { sum, states, more } = stand("search-console", RUN + DAY + HOUR);
    expect(ofReport(states, "page")).toMatchSnapshot();
    expect(sum).toMatchSnapshot();
    expect(more).toBe(0);
  });

  test("is stale after two missed runs and the time that one may take, a weekly one after two missed weeks", async () => {
    await run("webmaster-tools");
    const at = (ms: number) =>
      stand("webmaster-tools", RUN + ms).states.filter((one) => one.endsWith("stale"));
    expect(at(2 * DAY + 6 * HOUR - 1)).toEqual([]);
    expect(at(2 * DAY + 6 * HOUR)).toEqual([
      "crawl-issues 11-20 stale",
      "crawl-stats 11-20 stale",
      "feeds 11-20 stale",
      "rank-traffic 11-20 stale",
    ]);
    expect(at(14 * DAY + 6 * HOUR - 1)).toHaveLength(4);
    expect(at(14 * DAY + 6 * HOUR)).toHaveLength(6);
    const { sum } = stand("webmaster-tools", RUN + 3 * DAY);
    expect(sum).toMatchObject({
      state: "stale",
      since: RUN + 2 * DAY + 6 * HOUR,
      counts: { stale: 4, working: 2 },
      action: { code: "check_job" },
    });
  });

  test("before its provider had the day is no failure, and covers nothing", async () => {
    await run("search-console");
    for (const { name } of familiesOf("search-console"))
      await put("search-console", name, { date: TODAY, attemptedAt: RUN + DAY, outcome: "source_lag" });
    const { sum, views } = stand("search-console", RUN + DAY);
    expect(sum).toMatchObject({ state: "working", coveredDate: "2026-11-19" });
    expect(views[0]).toMatchObject({ state: "working", coveredDate: null });
  });
});

test("what was never archived: what a property is not set up for is no target, and what it came to before is told no more", async () => {
  await run("analytics", 0, (family) => family === "js-errors");
  await put("analytics", "js-errors", { ...FAILED, date: TODAY - 1 });
  expect(stand("analytics", RUN + HOUR).sum.state).toBe("failing");
  const of = target("analytics", "js-errors");
  await ground.writer.write((tx) => noteSkip(tx, of, "parameter_unregistered", RUN + DAY));
  const { sum, states } = stand("analytics", RUN + HOUR);
  expect([sum.state, ofReport(states, "js-errors")]).toEqual(["working", []]);
  await ground.writer.write((tx) => endSkip(tx, of));
  expect(stand("analytics", RUN + HOUR).sum.state).toBe("failing");
});

describe("what holds all of it", () => {
  const account = (at: number, category: "access" | null) => ({
    scope: archiveScope("default", {
      asset: "",
      provider: "search-console",
      connectionRevision: REVISION,
      property: "",
    }),
    evidence: {
      latest: { attempt: "archive:9", startedAt: at, category, code: null, nextRetryAt: null },
      success: category === null ? { attempt: "archive:9", startedAt: at, coveredDate: null } : undefined,
      failingSince: category === null ? undefined : at,
      recordedAt: at,
    } satisfies Evidence,
  });

  test("a failing account fails what is due of its sites, and what is archived stays; its success says nothing of them", async () => {
    await run("search-console");
    await run("search-console", 1);
    const now = RUN + DAY + 2 * HOUR;
    const failing = stand("search-console", now, { states: [account(RUN + DAY + HOUR, "access")] });
    expect(failing.sum).toMatchObject({
      state: "failing",
      category: "access",
      counts: { failing: 40, idle: 10 },
    });
    expect(ofReport(failing.states, "page").at(-1)).toBe("page 11-16 idle");
    const late = stand("search-console", now, { states: [account(RUN + HOUR, "access")] });
    expect(late.sum).toMatchObject({ state: "working" });
    const good = stand("search-console", RUN + 4 * DAY, { states: [account(RUN + 4 * DAY, null)] });
    expect(good.sum.state).toBe("stale");
  });

  test("of a site, and of a family, that was never archived, too", async () => {
    const { sum } = stand("search-console", RUN, { states: [account(RUN - HOUR, "access")] });
    expect(sum).toMatchObject({ state: "failing", category: "access", counts: { failing: 1 } });
    await run("search-console", 0, (family) => family === "device");
    const { states } = stand("search-console", RUN + 2 * HOUR, { states: [account(RUN + HOUR, "access")] });
    expect(ofReport(states, "device")).toEqual(["device 11-19 failing"]);
  });

  test("paused, disconnected, and over another connection", async () => {
    await run("search-console");
    const pauses = [
      {
        capability: "search-console.archive",
        asset: "",
        pausedAt: RUN,
        pausedBy: "x",
        until: RUN + 5 * HOUR,
      },
    ];
    expect(stand("search-console", RUN + HOUR, { pauses }).sum).toMatchObject({
      state: "paused",
      pausedUntil: RUN + 5 * HOUR,
      counts: { paused: 40 },
    });
    expect(stand("search-console", RUN + 5 * HOUR, { pauses }).sum.state).toBe("working");
    const known = archivedParts(ground.store.db, ["search-console"]);
    const stateOf = (parts: KnownParts) =>
      reportsStood(ground.store.db, parts, RUN + HOUR).together[0]?.view.state;
    // The archive is as it was when the pause begins.
    expect([stateOf(known), stateOf({ ...known, pauses })]).toEqual(["working", "paused"]);
    const detachments = [
      {
        asset: ARCHIVED_SITE,
        provider: "search-console" as const,
        connectionRevision: REVISION,
        property: ARCHIVED_PROPERTY,
        detachedAt: RUN,
        detachedBy: "x",
      },
    ];
    const away = stand("search-console", RUN + HOUR, { attachments: [], detachments });
    expect(away.sum).toMatchObject({ state: "disconnected", dueAt: null, counts: { disconnected: 40 } });
    const parts = archivedParts(ground.store.db, ["search-console"]);
    const attachments = (parts.attachments?.get(ARCHIVED_SITE) ?? []).map((one) => ({
      ...one,
      connectionRevision: "second",
    }));
    const anew = stand("search-console", RUN + HOUR, { attachments });
    expect([anew.sum.state, anew.states]).toEqual(["never_run", ["  never_run"]]);
  });

  test("an outcome that could not be recorded takes the green away until a later report", async () => {
    await run("search-console");
    const monitoring = [
      {
        kind: "recorder" as const,
        asset: ARCHIVED_SITE,
        source: "search-console",
        subject: "search-console.archive",
        since: RUN + HOUR,
        reason: "x",
      },
    ];
    expect(stand("search-console", RUN + 2 * HOUR, { monitoring }).sum.state).toBe("unknown");
    await run("search-console", 1);
    expect(stand("search-console", RUN + DAY + HOUR, { monitoring }).sum.state).toBe("working");
  });

  test("what cannot be read of the archive is unknown", async () => {
    await run("search-console");
    const { db } = ground.store;
    const parts = { ...archivedParts(db, ["search-console"]), archive: undefined };
    expect(reportsStood(db, parts, RUN).together[0]?.view.state).toBe("unknown");
  });
});

test("how much is told: a property's outcomes within their bound: every failure that lasts first, then the newest dates", async () => {
  await ground.writer.write((tx) => {
    for (const { name } of familiesOf("search-console")) {
      for (let ago = 40; ago >= 1; ago--) {
        const isFailed = name === "query" && ago % 13 === 0;
        recordReport(
          tx,
          reportOf({
            run: ++runs,
            target: target("search-console", name),
            date: TODAY - ago,
            attemptedAt: RUN - ago * DAY,
            object: null,
            ...(isFailed ? FAILED : {}),
          }),
        );
      }
    }
  });
  const { states, more, sum } = stand("search-console", RUN);
  expect(states).toHaveLength(MOST_OUTCOMES);
  expect(states.slice(0, 4)).toEqual([
    "query 11-07 failing",
    "query 10-25 failing",
    "query 10-12 failing",
    "country 11-19 working",
  ]);
  expect(states.at(-1)).toMatch(/^\S+ 10-25 idle$/);
  expect(more).toBe(400 - MOST_OUTCOMES);
  expect(sum.counts).toMatchObject({ failing: 3, working: 40, idle: 357 });
});
