/** The two pulls over real HTTP against simulated providers: what they store, and what they leave alone. */

import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { checkEverything } from "../../src/keep/keep.ts";
import { addSeries, putDays } from "../../src/reports/series.ts";
import { listSignals, revisionsBetween } from "../../src/signals/signal_list.ts";
import { Pulls } from "../../src/signals/signals.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { writerWith } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";
import { differing, mend } from "../support/read_models.ts";
import { damageDays } from "../support/series.ts";
import { dayOf } from "../support/signals.ts";

interface Row {
  readonly source: string;
  readonly metric: string;
  readonly date: string;
  readonly time_zone: string | null;
  readonly value: number | null;
  readonly state: string;
  readonly basis: string | null;
  readonly observed_at: string | null;
  readonly revision: number | null;
  readonly property: string;
}

const SIGNALS = "/api/assets/harbor.example/signals";
const DAY_MS = 86_400_000;

let pulled: Pulled;
beforeEach(async () => {
  pulled = await pulledTower();
});
afterEach(() => pulled.close());

describe("sense", () => {
  test("stores 97 days of every attached property; the same again appends no observation", async () => {
    expect(await pulled.run("sense")).toMatchObject({ outcome: "done", reports: { changed: 2 } });
    const stored = pulled.stored("analytics");
    // 91 days since the site's first, with four figures each.
    expect(stored).toHaveLength(91 * 4);
    expect(stored.filter((line) => line.includes("provisional")).map((line) => line.split(" ")[1])).toEqual(
      Array.from({ length: 4 }, () => ["2026-11-19", "2026-11-20"]).flat(),
    );
    expect((await pulled.run("sense")).reports).toEqual({ unchanged: 2 });
    expect(pulled.stored("analytics")).toEqual(stored);
    expect(pulled.observations()).toBe(2);
    expect(
      pulled.attempts().map(({ outcome, requests, changed }) => [outcome, requests, changed]),
    ).toMatchSnapshot();
  });

  test("asks for sites that are not live yet, and not for retired ones", async () => {
    const { deps } = pulled.tower;
    const by = { actor: "test", now: pulled.clock.now(), onRetired: () => undefined };
    await changeAsset(deps.writer, "harbor.example", { lifecycle: "pre-launch" }, by);
    expect((await pulled.run("sense")).reports).toEqual({ changed: 2 });
    await changeAsset(deps.writer, "harbor.example", { lifecycle: "retired" }, by);
    expect((await pulled.run("sense")).reports).toEqual({});
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ unchanged: 1 });
  });

  test("appends only what changed as days settle, and every value a day had can be read again", async () => {
    await pulled.run("sense");
    pulled.clock.advance(2 * DAY_MS);
    await pulled.run("sense");
    const { db } = pulled.tower.deps.store;
    const of = { asset: "harbor.example", source: "analytics", metric: "active_users" } as const;
    const day = dayOf("2026-11-20");
    const revisions = revisionsBetween(db, { ...of, from: day, to: day }).get(day) ?? [];
    expect(revisions.map(({ revision, state }) => [revision, state])).toEqual([
      [1, "provisional"],
      [2, "final"],
    ]);
    expect(revisions.map(({ firstAt }) => firstAt)).toEqual([
      pulled.clock.now() - 2 * DAY_MS,
      pulled.clock.now(),
    ]);
    expect(revisions[0]?.value).toBeLessThan(revisions[1]?.value ?? 0);
    const [current] = await pulled.list<Row>(`${SIGNALS}?metric=active_users&from=2026-11-20&to=2026-11-20`);
    expect(current).toMatchObject({
      value: revisions[1]?.value,
      state: "final",
      revision: 2,
      property: "1001",
    });
  });
});

test("a property whose time zone is changed has the day of the change and the day before excluded for good, in the series and in the API", async () => {
  await pulled.run("sense");
  const [site] = pulled.world.sites;
  const at = pulled.clock.now() + 60_000;
  Object.assign(site?.analytics ?? {}, { zoneChanges: [{ since: at, zone: "Europe/Paris" }] });
  pulled.clock.advance(120_000);
  await pulled.run("sense");
  const sessions = () => pulled.list<Row>(`${SIGNALS}?metric=sessions&from=2026-11-18`);
  const excluded = async () =>
    (await sessions()).filter(({ state }) => state === "excluded").map(({ date }) => date);
  expect(await excluded()).toEqual(["2026-11-20", "2026-11-19"]);
  expect((await sessions()).every(({ value }) => value !== null)).toBe(true);
  pulled.clock.advance(5 * DAY_MS);
  await pulled.run("sense");
  expect(await excluded()).toEqual(["2026-11-20", "2026-11-19"]);
  const after = await sessions();
  expect(after[0]).toMatchObject({ date: "2026-11-25", time_zone: "Europe/Paris", state: "provisional" });
  expect(differing(pulled.tower.deps.store.db, "signals")).toStrictEqual([]);
});

describe("the nightly pull", () => {
  test("finds the sites that are verified under the key by their host, stops at the newest day, and asks again in vain", async () => {
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ unchanged: 1, changed: 1 });
    const stored = pulled.stored("webmaster-tools");
    expect(stored.at(-1)).toStartWith("impressions 2026-11-17 provisional");
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ unchanged: 2 });
    pulled.clock.advance(DAY_MS);
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ unchanged: 1, changed: 1 });
    expect(pulled.stored("webmaster-tools").at(-1)).toStartWith("impressions 2026-11-18 provisional");
  });

  test("keeps 97 returned dates of all that are retained", async () => {
    await pulled.close();
    pulled = await pulledTower({ world: pulledWorld(["harbor.example"], dayOf("2025-11-20")) });
    await pulled.run("webmaster-tools");
    expect(pulled.stored("webmaster-tools")).toHaveLength(2 * 97);
  });
});

describe("the read API", () => {
  test("lists every day as it stands, newest first, whatever the size of its pages", async () => {
    await pulled.run("sense");
    await pulled.run("webmaster-tools");
    const rows = await pulled.list<Row>(SIGNALS);
    expect(await pulled.list<Row>(SIGNALS, 7)).toEqual(rows);
    expect(rows.map(({ date }) => date)).toEqual(
      rows
        .map(({ date }) => date)
        .toSorted()
        .toReversed(),
    );
    expect(rows.every(({ revision }) => revision === 1)).toBe(true);
    const lines = rows
      .filter(({ source }) => source === "analytics")
      .map(({ metric, date, state, value }) => `${metric} ${date} ${state} ${value}`);
    expect(lines.toSorted()).toEqual(pulled.stored("analytics").toSorted());
    expect(rows.find(({ source }) => source === "webmaster-tools")).toMatchObject({ time_zone: null });
    expect(await pulled.list<Row>(`${SIGNALS}?asset=other`)).toStrictEqual([]);
    expect(await pulled.list<Row>(`${SIGNALS}?provider=analytics&metric=clicks`)).toStrictEqual([]);
  });

  test("shows a day that was left out and is not settled as missing, and none outside of what was answered", async () => {
    const [site] = pulled.world.sites;
    // Nobody came since the 19th: that day is left out and not settled, and so is today.
    Object.assign(site ?? {}, { changes: [{ from: dayOf("2026-11-19"), factor: 0 }] });
    await pulled.run("sense");
    const rows = await pulled.list<Row>(`${SIGNALS}?provider=analytics&metric=sessions`);
    expect(rows.slice(0, 3).map(({ date, state, value }) => [date, state, value])).toEqual([
      ["2026-11-20", "missing", null],
      ["2026-11-19", "missing", null],
      ["2026-11-18", "final", expect.any(Number)],
    ]);
    expect(rows[0]).toMatchObject({ observed_at: null, revision: null, basis: null });
    expect(rows.at(-1)?.date).toBe("2026-08-22");
    expect(rows).toHaveLength(91);
  });

  test("goes back over the 97 days that an answer covers, and no further where nothing was told", async () => {
    const { store, writer } = pulled.tower.deps;
    const newest = dayOf("2026-11-20");
    await writer.write((tx) => {
      const id = addSeries(tx, { asset: "quiet", source: "search-console", metric: "clicks" }, newest);
      const to = { state: "final", basis: "reported", value: 1, total: null } as const;
      putDays(tx, id, [{ day: newest - 200, to }]);
      putDays(tx, id, [{ day: newest, to }]);
    });
    const filter = { asset: "quiet", metric: "clicks", allRevisions: false };
    const days = [...listSignals(store.db, filter, 10)].flatMap((row) => row?.day ?? []);
    expect(days).toEqual(Array.from({ length: 97 }, (_, back) => newest - back));
  });
});

test("what is stored can be made anew from observations alone, and a changed byte of either is found", async () => {
  await pulled.run("sense");
  await pulled.run("webmaster-tools");
  pulled.clock.advance(DAY_MS);
  await pulled.run("sense");
  const { deps } = pulled.tower;
  const { store } = deps;
  expect(differing(store.db, "signals")).toStrictEqual([]);
  const before = pulled.stored("analytics");
  store.raw.run("UPDATE series_block SET days = x'00' WHERE place = (SELECT min(place) FROM series_block)");
  store.raw.run("DELETE FROM series_block WHERE place = (SELECT max(place) FROM series_block)");
  expect(differing(store.db, "signals")).toHaveLength(2);
  const faults = checkEverything(store).flatMap((found) => found.faults);
  expect(faults).toHaveLength(2);
  await deps.writer.write((tx) => mend(tx, "signals"));
  expect(differing(store.db)).toStrictEqual([]);
  expect(pulled.stored("analytics")).toEqual(before);
  store.raw.run("DROP TRIGGER observation_stays");
  store.raw.run(
    "UPDATE observation SET days = CAST(substr(days, 1, 9) || x'07' || substr(days, 11) AS BLOB) WHERE id = 1",
  );
  const found = checkEverything(store).flatMap((one) => one.faults);
  expect(found).not.toStrictEqual([]);
});

describe("what cannot be stored", () => {
  test("is not asked for any further: a provider's quota is not spent for nothing", async () => {
    await pulled.close();
    const names = Array.from({ length: 12 }, (_, place) => `site-${place}.example`);
    pulled = await pulledTower({ world: pulledWorld(names) });
    const { deps } = pulled.tower;
    const refused = new StorageUnavailable("the disk is full");
    const pulls = new Pulls({
      ...deps,
      writer: writerWith(deps.writer, { write: () => Promise.reject(refused) }),
      onChanged: () => undefined,
    });
    const entry = { name: "sense", at: "0 0 * * *", recorded: true, work: pulls.sense.bind(pulls) } as const;
    const report = await deps.jobs.runEntry(entry, "command");
    expect(report).toMatchObject({ outcome: "failed", reports: { given_up: expect.any(Number) } });
    const asked = pulled.simulators.log.filter(
      ({ operation }) => operation === "runReport" || operation === "query",
    );
    expect(asked.length).toBeLessThanOrEqual(6);
    expect((await pulled.run("sense")).reports).toEqual({ changed: 24 });
  });

  test("nor is a provider that was not reached twenty times in a row asked about the rest", async () => {
    await pulled.close();
    const names = Array.from({ length: 30 }, (_, place) => `site-${place}.example`);
    pulled = await pulledTower({ world: pulledWorld(names) });
    pulled.simulators.script({ kind: "reset" }, { server: "searchConsole", times: 999 });
    expect((await pulled.run("sense")).reports).toEqual({ changed: 30, failed: 20, given_up: 10 });
    pulled.simulators.calm();
    expect((await pulled.run("sense")).reports).toEqual({ unchanged: 30, changed: 30 });
  });
});

describe("an answer is held against what is stored", () => {
  test("on a worker with a connection of its own, with the same outcome", async () => {
    await pulled.run("sense");
    const stored = pulled.stored("analytics");
    await pulled.close();
    using folder = temporaryFolder();
    const store = openStore(join(folder.path, "tower.db"));
    migrateStore(store);
    pulled = await pulledTower({ ground: { store, writer: new Writer(store) } });
    const ended = spyOn(Worker.prototype, "terminate");
    expect((await pulled.run("sense")).reports).toEqual({ changed: 2 });
    expect(pulled.stored("analytics")).toEqual(stored);
    expect((await pulled.run("sense")).reports).toEqual({ unchanged: 2 });
    // One worker for each run, and none that outlives it.
    expect(ended).toHaveBeenCalledTimes(2);
    ended.mockRestore();
  });

  test("and where that is damaged, the attempt says so, and the other figures come all the same", async () => {
    await pulled.run("sense");
    damageDays(
      pulled.tower.deps.store,
      { asset: "harbor.example", source: "analytics", metric: "sessions" },
      0,
    );
    expect((await pulled.run("sense")).reports).toEqual({ unchanged: 1, failed: 1 });
    const failed = pulled.attempts().find(({ category }) => category !== null);
    expect(failed).toMatchObject({ provider: "analytics", category: "monitoring_failure", wait: null });
  });
});
