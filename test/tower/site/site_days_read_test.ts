import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDays, dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { addSeries, listAllSeries, putDays } from "../../../src/reports/series.ts";
import type { DayChange } from "../../../src/reports/series_days.ts";
import { sendOwnPulse } from "../../../src/rules/freshness.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { findAsset } from "../../../src/sites/sites.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { type SiteQuery, WHOLE_SITE } from "../../../src/tower/site/lanes.ts";
import { readNightly } from "../../../src/tower/site/latest_nightly.tsx";
import { MetricTable } from "../../../src/tower/site/metric_table.tsx";
import { lanesOf, readSiteDays } from "../../../src/tower/site/site_days.tsx";
import { readTests } from "../../../src/tower/site/verdict.tsx";
import { type TestGround, testGround } from "../../support/deps.ts";
import { parsed, rowsOf } from "../../support/html.ts";
import { codebaseReport } from "../../support/make/codebase_report.ts";
import { accept, acceptCodebase, declare, followerOn, judgeAll, sendNights } from "../../support/nightly.ts";
import { inPage } from "../../support/tower_data.ts";

const LAST = "2026-03-01" as UtcDay;
const day = (back: number): UtcDay => addDays(LAST, -back);

let ground: TestGround;

beforeAll(async () => {
  ground = await testGround();
  await ground.writer.write((tx) => ensureAssets(tx, ["tower", "ghost"], { actor: "test", now: 0 }));
  await declare(ground.writer, "harbor", ["signups", "uploads"]);
  await sendNights(ground, "harbor", { last: LAST, days: 45 }, (back) =>
    back === 3
      ? null
      : {
          metrics: {
            ...Object.fromEntries(
              Array.from({ length: 12 }, (_, index) => [
                `many.${String(index).padStart(2, "0")}`,
                { last24h: 1 },
              ]),
            ),
            signups: { last24h: back === 0 ? 0 : 20, avg7d: 19.5, total: 5_000 },
            ...(back > 20 ? { retired: { last24h: 4 } } : {}),
          },
        },
  );
  const follower = followerOn(ground);
  await sendOwnPulse({ ...ground, config: { serviceAsset: "tower" } });
  await follower.settle();
  await follower.stop();
  await told("search-console", "clicks", 40, (back) => ({
    state: back < 3 ? "provisional" : back === 10 ? "excluded" : "final",
    basis: "reported",
    value: back === 5 ? 0 : 7,
    total: null,
  }));
  await told("search-console", "position", 40, () => ({
    state: "final",
    basis: "reported",
    value: 9.5,
    total: null,
  }));
  await acceptCodebase(
    ground,
    codebaseReport({ generatedAt: `${day(9)}T05:00:00Z`, measures: { code_lines: 900 } }),
  );
});
afterAll(() => ground.store.close());

/** Puts a provider's days in place, the last of them the day before yesterday. */
async function told(
  source: string,
  metric: string,
  days: number,
  make: (back: number) => NonNullable<DayChange["to"]>,
): Promise<void> {
  const changes = Array.from({ length: days }, (_, place) => days - place).map((back) => ({
    day: dayNumber(day(back)),
    to: make(back),
  }));
  await ground.writer.write((tx) => {
    putDays(tx, addSeries(tx, { asset: "harbor", source, metric }, dayNumber(LAST)), changes);
  });
}

function nightlyOf(asset: string) {
  const { db } = ground.store;
  const stored = findAsset(db, asset);
  if (stored === undefined) throw new Error("no such site");
  return readNightly(db, stored, ground.clock.now());
}

function read(query: Partial<SiteQuery> = {}, asset = "harbor") {
  const { db } = ground.store;
  const now = ground.clock.now();
  const { summary, owedTo, figures, firstNight } = nightlyOf(asset);
  const annotationsOf = (site: string, { from }: { readonly from: UtcDay }) => ({
    marks: [{ date: from, kind: "deploy", words: site } as const],
    newest: null,
  });
  const site = readSiteDays(
    { db, annotationsOf },
    {
      asset,
      query: { ...WHOLE_SITE, ...query },
      now,
      lastNight: summary.lastNight,
      owedTo,
      figures,
      firstNight,
      attachments: [],
    },
  );
  return { site, tests: readTests(db, site, { figures, isService: asset === "tower" }) };
}
const lanes = (query: Partial<SiteQuery> = {}) => lanesOf(read(query).site);
const sent = (query: Partial<SiteQuery> = {}) =>
  lanes(query).flatMap(({ half, metric }) => (half === "pulse" ? [metric] : []));

describe("the charts of a site", () => {
  test("are final to a day that has come: what a clock that was ahead left behind is not the latest", async () => {
    const { db } = ground.store;
    const series = listAllSeries(db, "harbor").find(({ metric }) => metric === "clicks")?.id ?? 0;
    for (const ahead of [10, 400]) {
      const change = (to: DayChange["to"]) =>
        ground.writer.write((tx) => putDays(tx, series, [{ day: dayNumber(addDays(LAST, ahead)), to }]));
      await change({ state: "final", basis: "reported", value: 7, total: null });
      const { groups } = read().site;
      await change(undefined);
      expect(groups.map(({ finalTo }) => finalTo)).toEqual([day(1), day(1)]);
    }
  });

  test("stand in the table in the order of any number, a change by its size, those without it last", () => {
    const names = (sort: string, page = 1) => {
      const { site, tests } = read({ sort, page });
      const { figures } = nightlyOf("harbor");
      const table = inPage(() => MetricTable({ site, figures, tests }));
      if (table === null) throw new Error("no table");
      return rowsOf(parsed(render(table)), "Metrics of the site")
        .slice(1)
        .map(([name = ""]) => name.trim());
    };
    expect(names("latest").slice(0, 3)).toEqual([
      "Average position Search console",
      "Clicks Search console",
      "many.00",
    ]);
    expect(names("metric", 2)).toEqual(["many.10", "many.11", "retired", "signups"]);
    expect(names("-metric")[0]).toBe("signups");
    expect(names("normally")[0]).toBe("signups");
    expect(names("change")[0]).toBe("signups");
    for (const week of ["week", "-week", "week-change"]) expect(names(week)[0]).toBe("retired");
    expect(names("-latest", 2).at(-1)).toBe("retired");
  });

  test("are found by a part of their name, or chosen alone by their source", () => {
    expect(sent({ q: "MANY.0" })).toHaveLength(10);
    expect(sent({ q: "tire" })).toEqual(["retired"]);
    expect(sent({ metric: "many.03" })).toEqual(["many.03"]);
    expect(sent({ metric: "many.0" })).toEqual([]);
    expect(sent({ metric: "__proto__" })).toEqual([]);
    const clicks = lanes({ source: "search-console", metric: "clicks" });
    expect(clicks.map(({ half, label }) => [half, label])).toEqual([["search-console", "Clicks"]]);
    expect(lanes({ metric: "clicks" })).toEqual([]);
  });

  test("a fallen metric shows its flag on the day it is about, and its proof", () => {
    const { site, tests } = read();
    const [signups] = lanesOf(site);
    expect(signups?.worst).toBe("warn");
    expect(signups?.flags.map(({ date, severity }) => [date, severity])).toEqual([[day(1), "warn"]]);
    expect(tests.get("pulse/signups")?.words).toMatchObject({
      state: "tested",
      words: "Fewer than expected: flag raised",
      flow: { fires: "drop", expected: 20, observed: { count: 0 } },
    });
  });

  test("a metric that fell for several nights shows one flag, on the first of them", async () => {
    const outer = ground;
    ground = await testGround();
    await sendNights(ground, "harbor", { last: LAST, days: 45 }, (back) => ({
      metrics: { dead: { last24h: back < 5 ? 0 : 20 } },
    }));
    await judgeAll(ground);
    expect(lanes()[0]?.flags.map(({ date, status }) => [date, status])).toEqual([[day(5), "open"]]);
    ground.store.close();
    ground = outer;
  });

  test("of a day that was judged twice its flag says what was found last", async () => {
    const outer = ground;
    ground = await testGround();
    for (const fallen of [3, 1]) {
      await sendNights(ground, "harbor", { last: LAST, days: fallen === 3 ? 45 : 1 }, (back) => ({
        metrics: { dead: { last24h: back === 0 ? fallen : 20 } },
      }));
      await judgeAll(ground);
    }
    expect(lanes()[0]?.flags.map(({ message }) => message)).toEqual([
      expect.stringContaining("Dead down 95% (1 "),
    ]);
    ground.store.close();
    ground = outer;
  });

  test("of a site that reports in the evening stand on the dates of its reports", async () => {
    const outer = ground;
    ground = await testGround();
    const value = (back: number) => ({ metrics: { visits: { last24h: 100 + back } } });
    const shown = async () => {
      await judgeAll(ground);
      return lanes({ range: 90 })[0]?.days.flatMap(({ day: at, value: count }) =>
        count === null ? [] : [[at, count]],
      );
    };
    await sendNights(ground, "harbor", { last: day(20), days: 28 }, value);
    expect((await shown())?.at(-1)).toEqual([day(21), 100]);
    for (let back = 19; back >= 1; back--) {
      const report = { asset: "harbor", generatedAt: `${day(back)}T21:30:00Z`, ...value(back) };
      await accept(ground, report);
    }
    expect((await shown())?.at(-1)).toEqual([day(1), 101]);
    expect(await shown()).toHaveLength(47);
    ground.store.close();
    ground = outer;
  });

  test("a provider's days keep their states; what it has not told yet is empty paper and no gap", () => {
    const [clicks] = lanes({ source: "search-console", metric: "clicks", range: 28 });
    const of = (back: number) => clicks?.days.find((figure) => figure.day === day(back));
    expect([0, 1, 3, 5, 10].map((back) => [of(back)?.state, of(back)?.value])).toEqual([
      ["none", null],
      ["provisional", 7],
      ["final", 7],
      ["final", 0],
      ["excluded", 7],
    ]);
  });
});

test("of the service's own asset it is said of each freshness metric that stale-ingest judges it", () => {
  const { tests } = read({ q: "freshness." }, "tower");
  const said = [...tests].filter(([key]) => key.startsWith("pulse/")).map(([, { words }]) => words.words);
  expect(said).toEqual(["Not tested: stale-ingest judges this metric."]);
});
