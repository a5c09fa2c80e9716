import { describe, expect, test } from "bun:test";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { evaluateFlow } from "../../../src/rules/flow.ts";
import { flowRuleInputs, lastingInputs, percentDropInputs } from "../../../src/rules/flow_inputs.ts";
import type { FlowSeries } from "../../../src/rules/flow_series.ts";
import { evaluateLasting } from "../../../src/rules/lasting.ts";
import { evaluatePercentDrop } from "../../../src/rules/percent_drop.ts";
import { judgedWords } from "../../../src/tower/flags/judged_words.ts";
import { instant } from "../../support/clock.ts";
import { historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { RULE_INPUTS_BEFORE } from "../../support/landed_flow.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const NOW = instant("2026-11-20T14:00:00Z");
const words = (rule: string, rule_inputs: RuleInputs) => judgedWords({ rule, rule_inputs }, NOW);

function flow(series: FlowSeries, dispersion: number | "measured" = "measured"): readonly string[] {
  const verdict = evaluateFlow(series, TESTED_DAY, { ...DEFAULT_FLOW_THRESHOLDS, dispersion });
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  return words("flow-drop", flowRuleInputs(verdict));
}

describe("a flow flag's proof in sentences", () => {
  test("after the level moved it says since when, and expects no level that never was", () => {
    const [seen, moved, ...more] = flow(historyOf(130, (back) => (back === 0 ? 100 : back < 17 ? 250 : 520)));
    expect(seen).toBe(
      "On 18 Nov, 100 were seen. It is compared with 385, the mean of the four earlier Wednesdays (250, 250, 520, 520).",
    );
    expect(moved).toBe("Since 2 Nov, about 250 a day were seen instead of 520.");
    expect(more.join(" ")).not.toContain("expected");
  });

  test("a lasting change says both levels, how far apart they are, and what the same weeks did a year ago", () => {
    const lasting = (days: number) => {
      const series = historyOf(days, (back) => (back < 28 ? 90 : back >= 364 && back < 392 ? 110 : 100));
      const verdict = evaluateLasting(series, TESTED_DAY, { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 });
      if (verdict.outcome !== "tested") throw new Error(verdict.reason);
      return words("flow-decline", lastingInputs(verdict));
    };
    expect(lasting(130)).toEqual([
      "In the 28 days to 18 Nov, about 90 a day were seen; in the 28 days to 21 Oct, about 100.",
      "They are 3.84 standard errors apart, with a dispersion of 1, which is set for it. A flag needs 3.5 and more than 5%.",
      "Before a year of data is known, a season cannot be told from a decline.",
      "Clears when the last four weeks are no longer apart from the four before.",
    ]);
    expect(lasting(500)[2]).toBe(
      "A year ago, in the 28 days to 19 Nov 2025, about 110 a day were seen; in the 28 days to 22 Oct 2025, about 100. This change goes 5.3 standard errors beyond that.",
    );
  });

  test("what was seen, what was expected and from which windows, and the probability with alpha", () => {
    expect(flow(historyOf(40, (back) => (back === 0 ? 0 : 6)))).toEqual([
      "On 18 Nov, 0 were seen. 6 were expected: the mean of the four earlier Wednesdays (6, 6, 6, 6).",
      "If nothing had changed, the probability of so few would be 0.0025, below alpha 0.01, for a Poisson count.",
    ]);
  });

  test("a window of several days, and a dispersion that is set to 1", () => {
    const fourDays = [7, 5, 6, 6];
    const counts = (back: number) => (back % 7 === 2 ? (fourDays[Math.floor(back / 7) - 1] ?? 0) : 0);
    expect(flow(historyOf(40, counts), 1)).toEqual([
      "In the 3 days to 18 Nov, 0 were seen. 6 were expected: the mean of the four earlier windows (7, 5, 6, 6).",
      expect.stringContaining("0.0025, below alpha 0.01"),
      "This metric is normally steady, so one test was enough.",
    ]);
  });

  test("an earlier window that stood out is named, a rise says many, and a renewed flag since when", () => {
    expect(flow(historyOf(97, (back) => (back === 0 || back === 14 ? 0 : 40)))).toContain(
      "The earlier window to 4 Nov stood out itself.",
    );
    expect(flow(historyOf(60, (back) => (back === 0 ? 1_204 : 1_000))).join(" ")).toContain(
      "probability of so many",
    );
    expect(words("flow-drop", { ...RULE_INPUTS_BEFORE, since: "2026-11-12" }).at(-1)).toBe(
      "Every judged day since 12 Nov was flagged in the same direction.",
    );
  });
});

test("percent-drop says its fall and what it fires at", () => {
  const history = historyOf(40, (back) => (back < 7 ? 330 : 600));
  const verdict = evaluatePercentDrop(history, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  expect(words("percent-drop", percentDropInputs(verdict))).toEqual([
    "In the 7 days to 18 Nov, 2,310 were seen. 4,200 were expected: the mean of the four earlier windows (4,200, 4,200, 4,200, 4,200).",
    "That is 45% fewer. Percent-drop fires at 40% fewer, where at least 350 are expected.",
  ]);
});

test("the service's own flags say what was found and when the flag is raised", () => {
  expect(
    words("stale-ingest", {
      last_received_at: "2026-11-19T03:00:00.000Z",
      silent_hours: 35,
      tower_down_hours: 9,
      refused: { count: 1, latest: "422 /metrics" },
      thresholds: { silent_hours: 26 },
    }),
  ).toEqual([
    "Last nightly report: 19 Nov 03:00 UTC.",
    "Raised after 26 hours without a report.",
    "1 report was refused since, the latest with 422 /metrics.",
    "Tower itself was down for 9 h of that time, so a report may have been refused.",
  ]);
  const raisedAfter = (hours: number) =>
    words("stale-ingest", {
      last_received_at: "2026-11-19T03:00:00.000Z",
      silent_hours: 2,
      thresholds: { silent_hours: hours },
    })[1];
  expect([1, 0.999].map(raisedAfter)).toEqual([
    "Raised after 1 hour without a report.",
    "Raised after less than an hour without a report.",
  ]);
  expect(
    words("disk-space", {
      free_below: 2 ** 27,
      total: 2 ** 31,
      thresholds: { bytes: 2 ** 28, share: 0.05 },
    })[1],
  ).toBe("Raised below 256 MiB or 5% of the disk, whichever is more, and over when a tenth more is free.");
  expect(
    words("wal-size", { above: 2 ** 26, held_by: ["a (process 1)"], thresholds: { bytes: 2 ** 26 } })[1],
  ).toBe("a (process 1) keeps an old state of the database open; end that and the log shrinks.");
  expect(
    words("asset-pull-failed", {
      run_started_at: "2026-11-20T02:30:00.000Z",
      sites: 12,
      failed: 12,
      list_failed: false,
      failed_sites: Array.from({ length: 12 }, (_, place) => ({ asset: `s${place}`, category: "network" })),
    })[1],
  ).toBe(
    "It failed for 12 of 12 sites: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 others. Their stored data is unchanged.",
  );
  expect(
    words("source-silent", {
      account: "a",
      from: "2026-11-18",
      to: "2026-11-18",
      properties: 2,
      sites: ["x", "y"],
    }),
  ).toEqual([
    "No property of this account has data for 18 Nov: x, y.",
    "These days are tested when their data arrives, or five days after they settled.",
  ]);
  expect(
    words("milestone-total", { milestone: 2_000, total: 2_010, report: { date: "2026-11-18" } })[0],
  ).toBe("The report of 18 Nov has a total of 2,010; no earlier one reached 2,000.");
});

test("a provider's issue says whose report names it since when, and what ends it", () => {
  const issue = {
    url_count: 73,
    urls: [],
    property: "https://shop.example/",
    first_seen: "2026-11-13T12:15:04.000Z",
    last_seen: "2026-11-20T12:15:04.000Z",
  };
  expect(words("provider-issue", issue)).toEqual([
    "Reported by webmaster tools for https://shop.example/.",
    "Listed in archived reports since 13 Nov 12:15 UTC, most recently 20 Nov 12:15 UTC.",
    "Clears when a complete report no longer lists it. A failed report changes nothing.",
  ]);
  expect(words("provider-issue", { ...issue, first_seen: issue.last_seen })[1]).toBe(
    "First listed in the archived report of 20 Nov 12:15 UTC.",
  );
  expect(words("provider-issue", { urls: 3 })).toEqual([]);
});
