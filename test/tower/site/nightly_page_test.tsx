/** A row of the table of metrics, and the addresses of a site's pages. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { SERIES_SOURCES } from "../../../src/flags/flags.ts";
import { evaluateMetric } from "../../../src/rules/flow_inputs.ts";
import type { StoredVerdict } from "../../../src/rules/verdicts.ts";
import { pagingOf } from "../../../src/tower/kit/list.tsx";
import {
  laneKey,
  metricAddress,
  metricHref,
  SORTS,
  shownDays,
  siteAddress,
  siteHref,
  WHOLE_SITE,
} from "../../../src/tower/site/lanes.ts";
import { rowOf } from "../../../src/tower/site/metric_table.tsx";
import { logAddress, logHref } from "../../../src/tower/site/reports_page.tsx";
import type { Lane, SiteDays } from "../../../src/tower/site/site_days.tsx";
import { verdictWords } from "../../../src/tower/site/verdict.tsx";
import { flowSeries } from "../../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { NOW, TODAY } from "../../support/tower_data.ts";

/** An overview without charts. */
const CHARTLESS: SiteDays = {
  asset: "trailledger",
  query: WHOLE_SITE,
  days: shownDays(WHOLE_SITE, TODAY, undefined),
  offset: 0,
  groups: [],
  known: 0,
  paging: pagingOf(0, 1, 12),
  flags: [],
  annotations: { marks: [], newest: null },
};

test("what an earlier day was compared with does not stand beside a newer value that is not checked yet", () => {
  const days = Array.from({ length: 60 }, (_, place) => addDays(TODAY, place - 59));
  const series = flowSeries(days.map((day) => [day, { value: 100, state: "final" }] as const));
  const verdict = evaluateMetric(series, TODAY, DEFAULT_FLOW_THRESHOLDS);
  const asset = "trailledger";
  const stored: StoredVerdict = {
    asset,
    source: "pulse",
    metric: "searches",
    judgedAt: NOW,
    date: TODAY,
    verdict,
  };
  const words = verdictWords({ judgedElsewhere: false, figures: { last24h: 1_180 }, stored });
  if (words.state !== "tested") throw new Error("searches are tested");
  const lane: Lane = {
    key: laneKey("pulse", "searches"),
    half: "pulse",
    metric: "searches",
    label: "searches",
    unit: "count",
    days: [{ day: TODAY, state: "final", basis: "reported", value: 100 }],
    week: undefined,
    flags: [],
    worst: undefined,
    href: "/",
  };
  const rowWith = (day: UtcDay) => {
    const tests = new Map([[lane.key, { words: { ...words, day }, judged: verdict }]]);
    return rowOf(lane, { site: CHARTLESS, figures: {}, tests });
  };
  expect(rowWith(TODAY)).toMatchObject({ normally: expect.any(Number), change: expect.any(Object) });
  expect(rowWith(addDays(TODAY, -3))).toMatchObject({ normally: undefined, change: undefined });
});

describe("the addresses", () => {
  test("come back from what they were made of", () => {
    const day = fc.integer({ min: 0, max: 3_000 }).map((back) => addDays("2026-11-20" as UtcDay, -back));
    const query = fc.record({
      range: fc.constantFrom(7 as const, 28 as const, 90 as const, 365 as const),
      from: fc.option(day),
      to: fc.option(day),
      source: fc.constantFrom(...SERIES_SOURCES),
      metric: fc.option(fc.string({ minLength: 1, maxLength: 200 })),
      q: fc.string({ maxLength: 50 }).map((text) => text.trim()),
      sort: fc.constantFrom("", ...SORTS, ...SORTS.map((sort) => `-${sort}`)),
      page: fc.integer({ min: 1, max: 99 }),
    });
    const params = (href: string) => new URL(href, "http://localhost").searchParams;
    fc.assert(
      fc.property(query, (held) => {
        expect(siteAddress.read(params(siteHref("harbor", held)))).toEqual(held);
        expect(metricAddress.read(params(metricHref("harbor", held)))).toEqual(held);
      }),
    );
    const kind = fc.constantFrom(null, "nightly" as const, "codebase" as const);
    const log = fc.record({ kind, page: fc.integer({ min: 1, max: 99 }) });
    fc.assert(
      fc.property(log, (held) => {
        expect(logAddress.read(params(logHref("harbor", held)))).toEqual(held);
      }),
    );
  });

  test("what they do not know reads as not given", () => {
    const query = siteAddress.read(new URLSearchParams("range=8&from=2026-02-30&page=-1&sort=-x&metric="));
    expect(query).toEqual({
      range: 28,
      from: null,
      to: null,
      source: "pulse",
      metric: null,
      q: "",
      sort: "",
      page: 1,
    });
    expect(logAddress.read(new URLSearchParams("kind=weekly&page=none"))).toEqual(logAddress.usual);
  });
});
