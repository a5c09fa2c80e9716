import { beforeEach, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { readHistory } from "../../src/flags/store.ts";
import { flushRefusals, loadRefusals } from "../../src/health/refusals.ts";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { beat, judgeSites, sendOwnPulse } from "../../src/rules/freshness.ts";
import { addAsset, changeAsset, ensureAssets } from "../../src/sites/site_changes.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { accept } from "../support/nightly.ts";
import { setLifecycle } from "../support/sites.ts";

const HOUR = 3_600_000;

const ground = fresh(testGround);
beforeEach(async () => {
  await ground.writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
});

const judge = (silentHoursOf: (asset: string) => number = () => 26) =>
  judgeSites({ ...ground, silentHoursOf });
const report = (asset = "harbor") => {
  const now = ground.clock.now();
  return accept(ground, { asset, generatedAt: formatInstant(now), metrics: {} }, now);
};
const readings = (id = stale()[0]?.id ?? "") =>
  readHistory(ground.store.db, id, 50).record.filter(({ type }) => type === "evidence").length;
const stale = (status: "open" | "resolved" = "open") =>
  listFlags(ground.store.db, { asset: "tower", rule: "stale-ingest", status }, 100);

const hours = (count: number) => ground.clock.advance(count * HOUR);
const beatNow = () => beat(ground.store, ground.writer, ground.clock.now());
const becomes = (lifecycle: "live" | "pre-launch" | "retired", site = "harbor") =>
  setLifecycle(ground.writer, site, lifecycle, ground.clock.now());
/** Beats so long apart, and silence after them. */
const gapOf = async (ms: number) => {
  await report();
  await beatNow();
  ground.clock.advance(ms);
  await beatNow();
  hours(26);
  await judge();
};
const silentFor30Hours = async () => {
  await report();
  hours(30);
  await judge();
};

const refuse = (count: number, pointer = "/metrics/orders/last24h", route = "/api/pulse") => {
  const at = ground.clock.now();
  const faults = [{ pointer, rule: "count", message: "must be a whole number" }];
  const kind = {
    asset: "harbor",
    route,
    status: 422,
    code: "broken-contract",
    faults,
    more: 0,
  };
  const book = loadRefusals(ground.store.db);
  for (let i = 0; i < count; i++) book.note({ ...kind, at });
  return flushRefusals(ground.writer, book, "default");
};

/** What happens, after which the flags of silence stand as they are recorded: since when, what they say, and why they are over. */
const STORIES: Readonly<Record<string, () => Promise<unknown>>> = {
  "nothing is said before 26 hours without a report": async () => {
    await report();
    ground.clock.advance(26 * HOUR - 1);
    await judge();
  },
  "one flag is raised after 26 hours, however often it is looked at, and follows the clock": async () => {
    await report();
    hours(26);
    await judge();
    await judge();
    hours(1);
    await judge();
  },
  ...Object.fromEntries(
    [26, 1, 0.5, 71.9, 24 * 3_000].map((silent) => [
      `a silence of ${silent} hours is said as people write it`,
      async () => {
        await report();
        hours(silent);
        await judge(() => Math.min(silent, 26));
      },
    ]),
  ),
  "a report resolves the flag; silence anew raises another": async () => {
    await silentFor30Hours();
    await report();
    await judge();
    hours(26);
    await judge();
  },
  "silence counts by Tower's own clock: a report made long ago but received now is heard now": async () => {
    const made = { asset: "harbor", generatedAt: "2026-01-01T03:00:00Z", metrics: {} };
    await accept(ground, made, ground.clock.now());
    hours(1);
    await judge();
  },
  "each silent site has its own flag, by its own threshold": async () => {
    for (const site of ["harbor", "orchard"]) await report(site);
    for (const later of [5, 21]) {
      hours(later);
      await judge((asset) => (asset === "orchard" ? 4 : 26));
    }
  },
  "a site that has not reported before is not judged": async () => {
    hours(1_000);
    await judge();
  },
  "nor is the service's own asset": async () => {
    await report("tower");
    hours(100);
    await judge();
  },
  "Tower's own downtime is told in a flag whose silence it overlaps": async () => {
    await report();
    hours(10);
    await beatNow();
    hours(9);
    await beatNow();
    hours(8);
    await judge();
  },
  "a gap of two minutes is a downtime": () => gapOf(120_000),
  "an ordinary restart of less than two minutes is none": () => gapOf(119_000),
  "downtime before the last report does not count": async () => {
    await beatNow();
    hours(20);
    await beatNow();
    await silentFor30Hours();
  },
  "a suspended computer is downtime: a gap between two beats counts like one before a start": async () => {
    await report();
    await beatNow();
    hours(144);
    await beatNow();
    ground.clock.advance(60_000);
    await beatNow();
    hours(71);
    await beatNow();
    await judge();
  },
  ...Object.fromEntries(
    (["retired", "pre-launch"] as const).map((lifecycle) => [
      `a site that becomes ${lifecycle} is not judged, and did not report again`,
      async () => {
        await silentFor30Hours();
        await becomes(lifecycle);
        await judge();
        await judge();
      },
    ]),
  ),
  "a site that was not live between two looks went live: no threshold was changed": async () => {
    await silentFor30Hours();
    await becomes("pre-launch");
    await becomes("live");
    await judge();
    hours(30);
    await judge();
    await judge(() => 48);
  },
  "silence that was told under a clock that ran ahead is neither a report nor a threshold": async () => {
    await report();
    hours(400 * 24);
    await judge();
    hours(-399 * 24);
    await judge();
  },
  "a report under a longer silent_hours is a report": async () => {
    await silentFor30Hours();
    await report();
    await judge(() => 48);
  },
  "a site that goes live is not silent for its test reports: it has its hours from then": async () => {
    await becomes("pre-launch");
    await report();
    hours(90 * 24);
    await becomes("live");
    for (const later of [26 * HOUR - 1, 1]) {
      ground.clock.advance(later);
      await judge();
    }
  },
  "a report after going live counts from itself": async () => {
    await report();
    await becomes("pre-launch");
    await becomes("live");
    hours(1);
    await report();
    for (const later of [26 * HOUR - 1, 1]) {
      ground.clock.advance(later);
      await judge();
    }
  },
  "changing something else of a live site does not begin its silence anew": async () => {
    await report();
    hours(20);
    const by = { actor: "operator:ada", now: ground.clock.now(), onRetired: () => undefined };
    await changeAsset(ground.writer, "harbor", { url: "https://harbor.example" }, by);
    await addAsset(ground.writer, { id: "harbor", url: null, lifecycle: "live", families: [] }, by);
    hours(6);
    await judge();
  },
  "reports that were refused are told by the flag: such a site does not merely look silent": async () => {
    await report();
    hours(26);
    await refuse(7);
    await judge();
  },
  "codebase reports that were refused are no nightly ones": async () => {
    await report();
    hours(26);
    await refuse(3, "/measures", "/api/codebase-report");
    await judge();
  },
};

test.each(Object.entries(STORIES))("%s", async (_, happens) => {
  await happens();
  const told = listFlags(ground.store.db, { asset: "tower" }, 50).map(({ id, ...flag }) => ({
    readings: readings(id),
    ...flag,
  }));
  expect(told).toMatchSnapshot();
});

test("the service's own nightly report holds the freshness of every other site as a metric", async () => {
  await report("harbor");
  await report("harbor");
  ground.clock.advance(30 * HOUR);
  await report("orchard");
  // The second one does not count the first.
  for (let times = 0; times < 2; times++) await sendOwnPulse(ground);
  expect(findLatestPulse(ground.store.db, "tower", ground.clock.now())?.report.metrics).toMatchSnapshot();
});

test("a flood of them adds one reading an hour, and another reason one at once", async () => {
  await report();
  ground.clock.advance(26 * HOUR);
  for (let minute = 0; minute < 5; minute++) {
    await refuse(1);
    await judge();
    ground.clock.advance(60_000);
  }
  expect(readings()).toBe(1);
  await refuse(1, "/metrics/visits/last24h");
  await judge();
  expect(readings()).toBe(2);
  ground.clock.advance(HOUR);
  await judge();
  expect(readings()).toBe(3);
  expect(stale()[0]?.message).toContain("; 6 reports refused since");
});

test("of many sites that fall silent together no write takes all: a report that comes then is stored between", async () => {
  const sites = Array.from({ length: 100 }, (_, place) => `site-${place}`);
  await ground.writer.write((tx) => ensureAssets(tx, sites, { actor: "test", now: 0 }));
  await Promise.all(sites.map(report));
  hours(30);
  const order: string[] = [];
  const judged = judge().then(() => order.push("judged"));
  await Promise.all([judged, report().then(() => order.push("stored"))]);
  expect({ order, raised: stale().length }).toEqual({ order: ["stored", "judged"], raised: 100 });
});
