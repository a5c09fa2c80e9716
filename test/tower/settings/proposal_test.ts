import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseConstants } from "../../../src/sites/constants_parse.ts";
import { DEFAULT_DOCUMENT } from "../../../src/sites/constants_schema.ts";
import { codebaseThresholds, flowThresholds } from "../../../src/sites/constants_store.ts";
import { FLOW_RULES } from "../../../src/sites/rule_catalogue.ts";
import {
  changeRecord,
  changeWords,
  hasNoTable,
  propose,
  thresholdsFor,
  typedValues,
} from "../../../src/tower/settings/thresholds.ts";

function read(text: string) {
  const parsed = parseConstants(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.constants;
}

function tune(text: string, typed: Readonly<Record<string, string>>, metric = "signups", source = "pulse") {
  const thresholds = thresholdsFor(read(text), { asset: "shop", source, metric, rules: FLOW_RULES });
  return propose(text, thresholds, typedValues(thresholds, new URLSearchParams(typed)));
}

const sent = (metric: string) => ({ asset: "shop", source: "pulse", metric, rules: FLOW_RULES });

const OWN = `${DEFAULT_DOCUMENT}
[assets."shop".flow_rules]
alpha = 0.005

[assets."shop".flow_rules."signups"]
alpha = 0.001
`;

describe("a proposal for a metric", () => {
  test('writes what was typed into the metric\'s own table and leaves every other character (decided: tuning writes [assets."<id>".flow_rules."<metric>"])', () => {
    const proposal = tune(DEFAULT_DOCUMENT, { alpha: "0.001", percent: "60" });
    expect(proposal.errors).toEqual({});
    expect(proposal.text.startsWith(DEFAULT_DOCUMENT.trimEnd())).toBe(true);
    expect(proposal.text).toContain('[assets."shop".flow_rules."signups"]');
    const now = flowThresholds(read(proposal.text), "shop", "pulse", "signups");
    expect(now).toMatchObject({ alpha: 0.001, percent_drop: { percent: 60, minimum_count: 350 } });
    expect(flowThresholds(read(proposal.text), "shop", "pulse", "visits").alpha).toBe(0.01);
    expect(changeWords(proposal.changes)).toBe("alpha 0.001 and percent_drop.percent 60");
    expect(changeRecord(proposal.changes)).toBe("alpha 0.01 to 0.001, percent_drop.percent 40 to 60");
  });

  test("writes a provider's figure under signal_rules with its source: a sent metric of the same name keeps its own thresholds", () => {
    const own = `${DEFAULT_DOCUMENT}\n[assets."shop".flow_rules."clicks"]\nalpha = 0.02\n`;
    const proposal = tune(own, { alpha: "0.001", percent: "60" }, "clicks", "search-console");
    expect(proposal.errors).toEqual({});
    expect(proposal.text).toContain('[assets."shop".signal_rules."search-console"."clicks"]\nalpha = 0.001');
    const thresholds = (source: string) => flowThresholds(read(proposal.text), "shop", source, "clicks");
    expect(thresholds("search-console")).toMatchObject({ alpha: 0.001, percent_drop: { percent: 60 } });
    expect(thresholds("webmaster-tools").alpha).toBe(0.01);
    expect(thresholds("pulse")).toMatchObject({ alpha: 0.02, percent_drop: { percent: 40 } });
    expect(tune(proposal.text, { alpha: "", percent: "" }, "clicks", "search-console").text.trim()).toBe(
      own.trim(),
    );
  });

  test("what is in effect, typed again or not at all, changes nothing", () => {
    for (const typed of [{}, { alpha: "0.001" }, { alpha: "1e-3", dispersion: "measured" }]) {
      expect(tune(OWN, typed)).toEqual({ text: OWN, changes: [], errors: {} });
    }
  });

  test("an empty field takes the override out, and the site's value holds again", () => {
    const proposal = tune(OWN, { alpha: "" });
    expect(proposal.errors).toEqual({});
    expect(proposal.text).not.toContain('[assets."shop".flow_rules."signups"]');
    expect(flowThresholds(read(proposal.text), "shop", "pulse", "signups").alpha).toBe(0.005);
    expect(proposal.changes).toEqual([{ name: "alpha", from: 0.001, to: 0.005 }]);
  });

  test("the wider value typed by hand takes the override out too", () => {
    expect(tune(OWN, { alpha: "0.005" })).toEqual(tune(OWN, { alpha: "" }));
  });

  test("each refused value has its sentence, and nothing is proposed", () => {
    const typed = {
      alpha: "2",
      max_window_days: "3.5",
      dispersion: "wide",
      percent: "0x10",
      minimum_count: "100",
    };
    const { text, ...proposal } = tune(DEFAULT_DOCUMENT, typed);
    expect(text).toBe(DEFAULT_DOCUMENT);
    expect(proposal).toMatchSnapshot();
  });

  test("whatever is typed, a proposal is a document that would take effect", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.constantFrom("", "measured", "1e-9", "14"),
    );
    const fields = "alpha max_window_days dispersion percent minimum_count".split(" ");
    const typed = fc.record(Object.fromEntries(fields.map((field) => [field, value])));
    fc.assert(
      fc.property(typed, fc.string({ minLength: 1, maxLength: 30 }), (form, metric) => {
        fc.pre(!hasNoTable(sent(metric)) && metric.isWellFormed());
        const proposal = tune(OWN, form, metric);
        read(proposal.text);
        if (Object.keys(proposal.errors).length > 0) expect(proposal.text).toBe(OWN);
      }),
      { numRuns: 30 },
    );
  });

  test("a metric named like a key of the rules has no table of its own", () => {
    expect(hasNoTable(sent("alpha"))).toBe(true);
    expect(hasNoTable(sent("signups"))).toBe(false);
    expect(hasNoTable({ ...sent("alpha"), source: "analytics" })).toBe(false);
  });
});

describe("a proposal for codebase rules", () => {
  test("writes into the site's codebase_rules, and only the keys of the asked rules are offered", () => {
    const thresholds = thresholdsFor(read(DEFAULT_DOCUMENT), {
      asset: "shop",
      source: null,
      metric: null,
      rules: ["codebase-growth"],
    });
    expect(thresholds.map(({ field }) => field)).toEqual(["growth_percent", "growth_lines"]);
    const proposal = propose(DEFAULT_DOCUMENT, thresholds, { growth_percent: "40", growth_lines: "500" });
    expect(proposal.errors).toEqual({});
    expect(proposal.text).toContain('[assets."shop".codebase_rules]\ngrowth_percent = 40');
    expect(codebaseThresholds(read(proposal.text), "shop").growth_percent).toBe(40);
    expect(codebaseThresholds(read(proposal.text), "other").growth_percent).toBe(25);
  });
});
