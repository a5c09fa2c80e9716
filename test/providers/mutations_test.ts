/**
 * Answers that are not what they were: cut, with a part lost, doubled or of another kind. Whatever became of one, it is the same report
 * or none, never one that tells less and says nothing of it.
 */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayOfNumber } from "../../src/base/time.ts";
import { type DailyReport, PROVIDERS, type Provider, type RawDaily } from "../../src/providers/adapter.ts";
import { parseHours, parseRealtime } from "../../src/providers/analytics.ts";
import { parseProperties } from "../../src/providers/analytics_properties.ts";
import { readAnswer } from "../../src/providers/answers.ts";
import type { Outcome } from "../../src/providers/faults.ts";
import { parseDaily } from "../../src/providers/providers.ts";
import { parseSites as parseSearchSites } from "../../src/providers/search_console.ts";
import { parseSites as parseWebmasterSites } from "../../src/providers/webmaster_tools.ts";
import { CHANGES, type Change, changed, type Path, pathsOf } from "../support/changed_json.ts";
import { answered } from "../support/http.ts";
import {
  analyticsReport,
  compact,
  realtimeReport,
  searchReport,
  trafficReport,
} from "../support/make/provider_answers.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
const TO = Math.floor(NOW / 86_400_000);
const FROM = TO - 96;

/** Days and their counts, none twice. */
const days = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: FROM, max: TO }),
    counts: fc.tuple(fc.nat(9_999), fc.nat(9_999), fc.nat(9_999), fc.nat(9_999)),
  }),
  { selector: ({ day }) => day, minLength: 1, maxLength: 6 },
);
type Days = ReturnType<typeof days.generate>["value"];

const BODIES: Readonly<Record<Provider, (told: Days) => unknown>> = {
  analytics: (told) => analyticsReport(told.map(({ day, counts }) => [compact(day), ...counts])),
  "search-console": (told) =>
    searchReport(
      told.map(({ day, counts: [clicks, impressions] }) => [
        dayOfNumber(day),
        clicks,
        impressions,
        0.25,
        7.4,
      ]),
      { firstIncompleteDate: dayOfNumber(TO - 2) },
    ),
  "webmaster-tools": (told) =>
    trafficReport(
      told.map(({ day, counts: [clicks, impressions] }) => [
        `/Date(${day * 86_400_000}-0700)/`,
        clicks,
        impressions,
      ]),
    ),
};

function parsed(provider: Provider, body: string): Outcome<DailyReport> {
  const raw: RawDaily = {
    provider,
    property: "1",
    asked: { from: FROM, to: TO, timeZone: undefined },
    askedAt: NOW,
    body,
  };
  return parseDaily(raw);
}

/**
 * What only these providers' own word could tell: neither says how many days there are, so that a day that is gone, or all of them in
 * the shape of none, is the answer of a quiet site.
 */
const UNTOLD: Readonly<Record<Provider, (path: Path, to: Change) => boolean>> = {
  analytics: () => false,
  "search-console": (path, { kind, ...to }) =>
    path[0] === "rows" && ((kind === "lost" && path.length <= 2) || (path.length === 1 && isEmpty(to))),
  "webmaster-tools": (path, { kind, ...to }) =>
    path[0] === "d" && ((kind === "lost" && path.length === 2) || (path.length === 1 && isEmpty(to))),
};
const isEmpty = (to: object) =>
  "value" in to && (to.value === null || (Array.isArray(to.value) && to.value.length === 0));

/** Any number from 0 up can be a position. */
const isPosition = (path: Path, to: object) =>
  path.at(-1) === "position" && "value" in to && typeof to.value === "number" && to.value >= 0;

const change = fc.constantFrom(...CHANGES);

for (const provider of PROVIDERS) {
  describe(`an answer of ${provider}`, () => {
    test("in which one thing is otherwise is the same report or none", () => {
      fc.assert(
        fc.property(days, fc.nat(), change, (told, at, to) => {
          const body = BODIES[provider](told);
          const paths = pathsOf(body);
          const path = paths[at % paths.length] ?? [];
          fc.pre(!UNTOLD[provider](path, to) && !isPosition(path, to));
          const whole = parsed(provider, JSON.stringify(body));
          const other = parsed(provider, JSON.stringify(changed(body, path, to)));
          if (!whole.ok) throw new Error("the answer is no report");
          if (!other.ok) return;
          expect(other.value.days).toEqual(whole.value.days);
        }),
        { numRuns: 400 },
      );
    });

    test("that is cut anywhere is none", () => {
      fc.assert(
        fc.property(days, fc.nat(), (told, at) => {
          const text = JSON.stringify(BODIES[provider](told));
          const cut = text.slice(0, at % text.length);
          const judged = readAnswer(answered(200, cut), () => undefined, NOW);
          const code = judged.ok ? "ok" : judged.fault.code;
          expect(code).toBe(cut === "" ? "not_a_report" : "report_cut_off");
          expect(parsed(provider, cut).ok).toBe(false);
        }),
      );
    });
  });
}

/** Reports of the live panel: both say how many rows they have. */
const LIVE: Readonly<
  Record<string, { readonly body: unknown; readonly told: (text: string) => object | undefined }>
> = {
  hours: {
    body: analyticsReport(
      [
        [`${compact(TO - 1)}23`, 5, 6, 7, 8],
        [`${compact(TO)}00`, 1, 2, 3, 4],
        [`${compact(TO)}07`, 9, 9, 9, 9],
      ],
      { dimension: "dateHour" },
    ),
    told: (text) => {
      const read = parseHours(text, { from: TO - 1, to: TO, timeZone: undefined });
      return read.ok ? read.value.hours : undefined;
    },
  },
  "counts of now": {
    body: realtimeReport({ last30: [12, 40, 90], last5: [3, 8, 20] }),
    told: (text) => {
      const read = parseRealtime(text);
      return read.ok ? read.value : undefined;
    },
  },
};

for (const [name, { body, told }] of Object.entries(LIVE)) {
  test(`${name}, in which one thing is otherwise, are the same or none`, () => {
    const whole = told(JSON.stringify(body));
    if (whole === undefined) throw new Error("the answer is no report");
    for (const path of pathsOf(body)) {
      for (const to of CHANGES) {
        const other = told(JSON.stringify(changed(body, path, to)));
        expect([path, to, other ?? whole]).toEqual([path, to, whole]);
      }
    }
  });
}

test("no text whatever makes a parser throw", () => {
  const asked = { from: FROM, to: TO, timeZone: "UTC" };
  const likely = fc
    .tuple(days, fc.constantFrom(...PROVIDERS), fc.nat(), change)
    .map(([told, provider, at, to]) => {
      const body = BODIES[provider](told);
      const paths = pathsOf(body);
      return JSON.stringify(changed(body, paths[at % paths.length] ?? [], to));
    });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), likely), (text) => {
      for (const provider of PROVIDERS) expect(typeof parsed(provider, text).ok).toBe("boolean");
      expect(typeof parseHours(text, asked).ok).toBe("boolean");
      expect(typeof parseRealtime(text).ok).toBe("boolean");
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      for (const parse of [parseProperties, parseSearchSites, parseWebmasterSites])
        expect(typeof parse(json).ok).toBe("boolean");
    }),
  );
});
