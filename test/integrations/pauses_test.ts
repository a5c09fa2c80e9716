import { beforeEach, expect, test } from "bun:test";
import { judgeFreshness } from "../../src/app/schedule.ts";
import { formatInstant } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { listPauses } from "../../src/health/pauses.ts";
import { pauseAsked, resumeAsked } from "../../src/integrations/site_acts.ts";
import { findLatestPulse } from "../../src/reports/pulse.ts";
import { judgeSites } from "../../src/rules/freshness.ts";
import { silentHours } from "../../src/sites/constants_store.ts";
import { addAsset, ensureAssets } from "../../src/sites/site_changes.ts";
import { writerWith } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { pulse } from "../support/make/pulse.ts";
import { accept } from "../support/nightly.ts";
import { testTower } from "../support/test_tower.ts";

const DAY_MS = 86_400_000;
const SITE = { capability: "", asset: "shop" };
const tower = fresh(testTower);
beforeEach(async () => {
  const { writer } = tower.deps;
  await writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "test", now: 0 }));
  await addAsset(writer, { id: "shop" }, { ...by(), onRetired: () => {} });
  await report();
});

const by = () => ({ actor: "operator:ada", now: tower.deps.clock.now() });
const deps = () => ({
  ...tower.deps,
  silentHoursOf: (asset: string) => silentHours(tower.deps.constants.current().constants, asset),
});
const pauseSite = (until: number | null = null) => pauseAsked(deps(), { ...SITE, until }, by());
const report = () => {
  const now = tower.deps.clock.now();
  return accept(tower.deps, pulse({ asset: "shop", generatedAt: formatInstant(now) }), now);
};
const later = (days: number) => {
  tower.deps.clock.advance(days * DAY_MS);
  return judgeFreshness(tower.deps);
};
const stale = (status: "open" | "resolved") =>
  listFlags(tower.deps.store.db, { asset: "tower", rule: "stale-ingest", status }, 5);

test("a silence ends as paused with the pause, and is told at once, whole, when the site is resumed", async () => {
  await later(2);
  expect(stale("open")).toHaveLength(1);
  await pauseSite();
  expect(stale("open")).toStrictEqual([]);
  expect(stale("resolved")).toMatchObject([{ resolution: "paused" }]);
  await later(1);
  expect(stale("open")).toStrictEqual([]);
  expect(await resumeAsked(deps(), SITE, by())).toBe(true);
  expect(stale("open")).toMatchObject([{ rule_inputs: { silent_hours: 72 } }]);
  expect(await resumeAsked(deps(), SITE, by())).toBe(false);
});

test("a pause that is made while silence is looked for holds it back, too", async () => {
  const { clock, writer } = tower.deps;
  clock.advance(2 * DAY_MS);
  const writeEach: typeof writer.writeEach = async (...given) => {
    await pauseSite();
    return writer.writeEach(...given);
  };
  await judgeSites({ ...deps(), writer: writerWith(writer, { writeEach }) });
  expect(stale("open")).toStrictEqual([]);
});

test("until a moment: the silence is told from then on, with nobody's act", async () => {
  await pauseSite(tower.deps.clock.now() + 4 * DAY_MS);
  await later(3);
  expect(stale("open")).toStrictEqual([]);
  await later(1);
  expect(stale("open")).toMatchObject([{ rule_inputs: { silent_hours: 96 } }]);
});

test("a report that came before the pause was seen is what ended the silence", async () => {
  await later(2);
  await report();
  await pauseSite();
  expect(stale("resolved")).toMatchObject([{ resolution: "reporting_again" }]);
});

test("what a paused site sends is taken and judged as ever", async () => {
  await pauseSite();
  tower.deps.clock.advance(DAY_MS);
  await report();
  await tower.deps.follower.settle();
  expect(findLatestPulse(tower.deps.store.db, "shop", tower.deps.clock.now())?.receivedAt).toBe(
    tower.deps.clock.now(),
  );
  expect(tower.deps.follower.followed).toBe(2);
});

test("pausing only what is asked of a site says nothing of its silence", async () => {
  await pauseAsked(deps(), { capability: "analytics.daily", asset: "shop", until: null }, by());
  await later(2);
  expect(stale("open")).toHaveLength(1);
  expect(listPauses(tower.deps.store.db)).toHaveLength(1);
});
