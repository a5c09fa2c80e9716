import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { expectedText } from "../../src/base/text.ts";
import { titleOf } from "../../src/flags/api.ts";
import { RULES, type RuleId, raisedTitle, titleFrom } from "../../src/sites/rule_catalogue.ts";
import { instant } from "../support/clock.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

const NOW = instant("2026-11-22T03:00:00Z");
const day = { observed: { from: "2026-11-21", to: "2026-11-21", count: 19 }, expected: 74.96 };
const week = {
  observed: { from: "2026-11-15", to: "2026-11-21", count: 2_310 },
  expected: 4_200,
};
const usual = { observed: { from: "2026-11-20", to: "2026-11-21", count: 4 }, expected: 31.4 };
const silent = { last_received_at: "2026-11-20T03:12:40.000Z", silent_hours: 26, tower_down_hours: 0 };
const title = (rule: RuleId, inputs: object, now = NOW) =>
  raisedTitle(rule, rule === "provider-issue" ? "http_5xx" : "bookings", { ...inputs }, now);

describe("a flag's title is one short sentence made of its inputs", () => {
  test("of every rule and shape of its inputs, recorded", () => {
    const given: readonly (readonly [RuleId, object])[] = [
      ["flow-drop", day],
      ["flow-drop", { ...day, observed: { from: "2026-11-18", to: "2026-11-21", count: 0 } }],
      ["flow-drop", { ...day, days_in_a_row: 3 }],
      [
        "flow-drop",
        { observed: { from: "2026-11-16", to: "2026-11-21", count: 1 }, expected: 5.5, days_in_a_row: 11 },
      ],
      ["flow-drop", { ...day, days_in_a_row: 22 }],
      ["flow-drop", { observed: { ...day.observed, count: 1 }, expected: 300 }],
      ["flow-drop", { ...day, since: "2026-11-18" }],
      [
        "flow-drop",
        { ...day, since: "2026-11-18", moved: { since: "2026-11-02", level: 25.2, level_before: 75.4 } },
      ],
      [
        "flow-drop",
        { ...day, expected: 21.5, moved: { since: "2026-11-02", level: 20.6, level_before: 21.4 } },
      ],
      ["flow-drop", { ...day, usual }],
      ["flow-decline", { since: "2026-11-02", level: 250, level_before: 520, year_ago: {} }],
      ["flow-growth", { since: "2026-11-02", level: 520, level_before: 400, year_ago: null }],
      ["flow-drop", { ...day, since: "2026-11-21" }],
      ["flow-rise", { observed: { ...day.observed, count: 12_040 }, expected: 1_000 }],
      ["percent-drop", week],
      ["percent-drop", { ...week, expected: 4_100.5 }],
      ["milestone-total", { milestone: 20_000, total: 20_140, report: { date: "2026-11-21", revision: 1 } }],
      ["stale-ingest", silent],
      [
        "stale-ingest",
        { ...silent, silent_hours: 100, refused: { count: 1, latest: "422 /metrics" }, tower_down_hours: 9 },
      ],
      ["disk-space", { free_below: 128 * 2 ** 20, total: 2 ** 31 }],
      ["provider-issue", { url_count: 1_204 }],
      ["provider-issue", { url_count: 1 }],
      ["wal-size", { above: 64 * 2 ** 20, held_by: [] }],
      ["source-silent", { from: "2026-11-18", properties: 24, account: "main account" }],
      ["asset-pull-failed", { failed: 2, sites: 1_031 }],
      ["asset-pull-failed", { failed: 0, sites: 0, list_failed: true }],
    ];
    recordEach(given, ([rule, inputs]) => title(rule, inputs));
  });

  test("the year is said where it is not the present one", () => {
    const later = instant("2027-01-02T00:00:00Z");
    expect(title("flow-drop", { ...day, since: "2026-11-18" }, later)).toBe(
      "Bookings down 75% (19 on 21 Nov 2026, normally about 75), since 18 Nov 2026",
    );
    expect(title("stale-ingest", silent, later)).toContain("20 Nov 2026 03:12 UTC");
  });
});

describe("flags that are stored already", () => {
  const stored = {
    source: "pulse",
    metric: "signups",
    subject: "signups",
    message: "As it was stored.",
  } as const;

  test("a provider's figure is told apart from what the site sends under the same name", () => {
    const flag = { ...stored, rule: "flow-drop", rule_inputs: day };
    expect(titleOf(flag, NOW)).toBe("Signups down 75% (19 on 21 Nov, normally about 75)");
    expect(titleOf({ ...flag, source: "search-console" }, NOW)).toBe(
      "Search console signups down 75% (19 on 21 Nov, normally about 75)",
    );
  });

  test("what has no title of its own keeps the words that were stored", () => {
    const { source, metric, subject, message } = stored;
    for (const rule of [null, "codebase-growth", "no-such-rule", "toString"]) {
      expect(titleOf({ source, metric, subject, message, rule, rule_inputs: day }, NOW)).toBe(message);
    }
    expect(titleOf({ ...stored, rule: "flow-drop", rule_inputs: null }, NOW)).toBe(message);
  });

  test("what a site sent without words is called by its metric", () => {
    const sent = { ...stored, source: null, rule: null, rule_inputs: null, message: " " };
    const titles = ["disk", " ", null].map((metric) => titleOf({ ...sent, metric }, NOW));
    expect(titles).toEqual(["disk (no message)", "Flag (no message)", "Flag (no message)"]);
  });

  test("inputs of any shape give a title without a hole in it, or none (property)", () => {
    const names = words(`
      observed expected from to count since report date milestone held_by
    `);
    const anything = fc.object({
      key: fc.constantFrom(...names, "silent_hours", "above", "drop_percent"),
      maxDepth: 3,
    });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(RULES)), anything, (rule, inputs) => {
        const words = titleFrom(rule, "bookings", inputs as Record<string, unknown>, NOW) ?? "";
        expect(words).not.toMatch(/undefined|NaN|null|Infinity|\[object|\d{4}-\d\d-\d\d/);
      }),
    );
  });
});

describe("an expectation", () => {
  test("is said with as many digits as matter, recorded", () => {
    recordEach([74.96, 1_204.4, 9.96, 6.75, 6, 0.4, 0.3, 0.041, 0], expectedText);
  });

  test("is never said to be 0 where it is not (property)", () => {
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: 1e12, noNaN: true }), (value) => {
        expect(expectedText(value)).not.toBe("0");
      }),
    );
  });
});
