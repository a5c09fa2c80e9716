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
import { brief } from "../support/brief.ts";
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

type Stood = ReturnType<typeof reportsStood>;
/** Their sum, and which report of which date is in which state. */
const said = ({ together, each }: Stood) => {
  const states = each.targets.map(({ view: { family, state, coveredDate } }) => {
    const [report, date = ""] = family === "" ? ["nothing"] : (JSON.parse(family) as string[]);
    return [state, `${report} ${date.slice(5)}${coveredDate === null ? ", covers nothing" : ""}`] as const;
  });
  const by = Map.groupBy(states, ([state]) => state);
  const { state, category, since, dueAt, pausedUntil, coveredDate, counts, action } = together[0]?.view ?? {};
  const moments = [since, dueAt, pausedUntil].map((at) => (at == null ? at : (at - RUN) / HOUR));
  return {
    sum: JSON.stringify([state, category, ...moments, coveredDate, action?.code, counts]),
    states: [...by].map(([state, of]) =>
      brief(`${state}: ${of.map(([, report]) => report).join("; ")}`, 800),
    ),
    more: each.more,
  };
};
const partsOf = (provider: Provider, changes: Rows = {}) =>
  archivedParts(ground.store.db, [provider], changes);
const standing = (parts: KnownParts, now: number) => said(reportsStood(ground.store.db, parts, now));
const stand = (provider: Provider, now: number, changes: Rows = {}) =>
  standing(partsOf(provider, changes), now);

describe("reports that came; how they stand is recorded", () => {
  test("works with every date of its run, and the dates before stay visible", async () => {
    await run("search-console");
    await run("search-console", 1);
    expect(stand("search-console", RUN + DAY + HOUR)).toMatchSnapshot();
  });

  test("is stale after two missed runs and the time that one may take, a weekly one after two missed weeks", async () => {
    await run("webmaster-tools");
    for (const days of [2, 14])
      for (const less of [1, 0])
        expect(stand("webmaster-tools", RUN + days * DAY + 6 * HOUR - less)).toMatchSnapshot();
  });

  test("before its provider had the day is no failure, and covers nothing", async () => {
    await run("search-console");
    for (const { name } of familiesOf("search-console"))
      await put("search-console", name, { date: TODAY, attemptedAt: RUN + DAY, outcome: "source_lag" });
    expect(stand("search-console", RUN + DAY)).toMatchSnapshot();
  });
});

test("what was never archived: what a property is not set up for is no target, and what it came to before is told no more", async () => {
  await run("analytics", 0, (family) => family === "js-errors");
  await put("analytics", "js-errors", { ...FAILED, date: TODAY - 1 });
  const failing = stand("analytics", RUN + HOUR);
  const of = target("analytics", "js-errors");
  await ground.writer.write((tx) => noteSkip(tx, of, "parameter_unregistered", RUN + DAY));
  expect([failing, stand("analytics", RUN + HOUR)]).toMatchSnapshot();
  await ground.writer.write((tx) => endSkip(tx, of));
  expect(stand("analytics", RUN + HOUR)).toEqual(failing);
});

describe("what holds all of it", () => {
  const scope = archiveScope("default", {
    ...{ asset: "", provider: "search-console", connectionRevision: REVISION, property: "" },
  });
  const account = (at: number, category: "access" | null): Rows => {
    const latest = { attempt: "archive:9", startedAt: at, category, code: null, nextRetryAt: null };
    const isGood = category === null;
    const success = isGood ? { attempt: "archive:9", startedAt: at, coveredDate: null } : undefined;
    const evidence: Evidence = { latest, success, failingSince: isGood ? undefined : at, recordedAt: at };
    return { states: [{ scope, evidence }] };
  };

  test("a failing account fails what is due of its sites, and what is archived stays; its success says nothing of them", async () => {
    await run("search-console");
    await run("search-console", 1);
    const now = RUN + DAY + 2 * HOUR;
    expect(stand("search-console", now, account(RUN + DAY + HOUR, "access"))).toMatchSnapshot();
    expect(stand("search-console", now, account(RUN + HOUR, "access"))).toEqual(stand("search-console", now));
    expect(stand("search-console", RUN + 4 * DAY, account(RUN + 4 * DAY, null))).toMatchSnapshot();
  });

  test("of a site, and of a family, that was never archived, too", async () => {
    expect(stand("search-console", RUN, account(RUN - HOUR, "access"))).toMatchSnapshot();
    await run("search-console", 0, (family) => family === "device");
    expect(stand("search-console", RUN + 2 * HOUR, account(RUN + HOUR, "access"))).toMatchSnapshot();
  });

  test("paused, disconnected, over another connection, after an outcome that was not recorded, and unread", async () => {
    await run("search-console");
    const until = RUN + 5 * HOUR;
    const paused = { capability: "search-console.archive", asset: "", pausedAt: RUN, pausedBy: "x", until };
    const pauses = [paused];
    const known = partsOf("search-console");
    const detachments = [
      {
        ...{ asset: ARCHIVED_SITE, provider: "search-console" as const, connectionRevision: REVISION },
        ...{ property: ARCHIVED_PROPERTY, detachedAt: RUN, detachedBy: "x" },
      },
    ];
    const attachments = (known.attachments?.get(ARCHIVED_SITE) ?? []).map((one) => ({
      ...one,
      connectionRevision: "second",
    }));
    const unrecorded = { kind: "recorder", asset: ARCHIVED_SITE, source: "search-console" } as const;
    const monitoring = [{ ...unrecorded, subject: "search-console.archive", since: RUN + HOUR, reason: "x" }];
    expect({
      paused: stand("search-console", until - 1, { pauses }),
      "after the pause": stand("search-console", until, { pauses }),
      // The archive is as it was when the pause begins.
      "before, and with it": [known, { ...known, pauses }].map((parts) => standing(parts, RUN + HOUR).sum),
      disconnected: stand("search-console", RUN + HOUR, { attachments: [], detachments }),
      "over another connection": stand("search-console", RUN + HOUR, { attachments }),
      "not recorded": stand("search-console", RUN + 2 * HOUR, { monitoring }),
      unread: standing({ ...known, archive: undefined }, RUN),
    }).toMatchSnapshot();
    await run("search-console", 1);
    expect(stand("search-console", RUN + DAY + HOUR, { monitoring })).toEqual(
      stand("search-console", RUN + DAY + HOUR),
    );
  });
});

test("how much is told: a property's outcomes within their bound: every failure that lasts first, then the newest dates", async () => {
  const providers = ["search-console", "analytics"] as const;
  await ground.writer.write((tx) => {
    for (const provider of providers) {
      for (const { name } of familiesOf(provider)) {
        for (let ago = 40; ago >= 1; ago--) {
          const of = { target: target(provider, name), date: TODAY - ago, object: null };
          const failed = name === "query" && ago % 13 === 0 ? FAILED : {};
          recordReport(tx, reportOf({ run: ++runs, attemptedAt: RUN - ago * DAY, ...of, ...failed }));
        }
      }
    }
  });
  const outcomes = providers.map((provider) => 40 * familiesOf(provider).length);
  const told = outcomes.map((count) => Math.min(count, MOST_OUTCOMES));
  const { each } = reportsStood(ground.store.db, archivedParts(ground.store.db, providers, {}), RUN);
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one);
  expect([each.targets.length, each.more]).toEqual([sum(told), sum(outcomes) - sum(told)]);
  expect(Math.min(...outcomes)).toBeGreaterThan(MOST_OUTCOMES);
  expect(stand("search-console", RUN)).toMatchSnapshot();
});
