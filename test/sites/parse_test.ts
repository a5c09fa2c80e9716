import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseConstants, problemLine } from "../../src/sites/constants_parse.ts";
import { MAX_DOCUMENT_BYTES } from "../../src/sites/constants_schema.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts, words } from "../support/words.ts";

const WRONG = texts(
  'codebase_rules.growth_percent = -1|codebase_rules.growth_percent = "25"',
  "codebase_rules.growth_lines = 0.5|codebase_rules.duplication_percent = 100.1",
  "codebase_rules.unused_items = true|codebase_rules.complex_functions = [5]",
  "codebase_rules.vulnerable = inf|codebase_rules = 1979-05-27|codebase_rules = []|flow_rules.alpha = 0",
  "flow_rules.alpha = 0.51|flow_rules.alpha = nan|flow_rules.max_window_days = 0",
  "flow_rules.max_window_days = 29|flow_rules.max_window_days = 7.5|flow_rules.dispersion = 0.9",
  'flow_rules.dispersion = "mesured"|flow_rules.percent_drop = 40|flow_rules.percent_drop.percent = 0',
  'flow_rules.percent_drop.minimum_count = -1|flow_rules.negative_metrics = "*error*"',
  'flow_rules.negative_metrics = ["a", 1]|flow_rules.negative_metrics = [""]|freshness.silent_hours = 0',
  'freshness.silent_hours = 26h|notifications.quiet_from = "22:00"',
  'notifications = { quiet_from = "07:00", quiet_until = "07:00" }',
  'notifications = { quiet_from = "24:00", quiet_until = "07:00" }',
  'notifications.time_zone = "Mars/Olympus"|ledger.operator_rates.EUR = 60.5',
  "ledger.operator_rates.eur = 6000|ledger.operator_rates.ERU = 6000|archive.max_rows = 0",
  'archive.js_error_message = "customEvent:message"|archive.js_error_events = []',
  'archive.js_error_events = "exception"|archive.max_bytes = 1',
  'assets."no spaces".freshness.silent_hours = 2|assets.trail = 1|assets.trail.signal_rules = 1',
  "assets.trail.signal_rules.bing.clicks.alpha = 0.1",
  "assets.trail.signal_rules.analytics.visits.alpha = 0.1",
  "assets.trail.signal_rules.search-console.ctr.alpha = 0.1",
  "assets.trail.signal_rules.search-console.clicks = 0.1",
  "assets.trail.signal_rules.search-console.clicks.alpha = 2",
  "assets.trail.signal_rules.search-console.clicks.aplha = 0.1|assets.trail.freshness.silent_hours = -1",
  "assets.trail.flow_rules.signups.alpha = 1|codbase_rules.growth_lines = 1",
  "codebase_rules.growth_line = 1|flow_rules.alhpa = 0.1|flow_rules.percent_drop.min = 3",
  "freshness.settle_days = 2|assets.trail.ledger.operator_rates.EUR = 1",
  "assets.trail.flow_rules.alhpa = 0.1|assets.trail.flow_rules.signups.negative_metrics = []",
  "archive.max_rows = 100_000_001|archive.max_bytes = 4_294_967_297|panels.daily_budget = 10_000_001",
);

const MARKS_WRONG = texts(
  "dates = ['12-25']|name = 'x'|name = ''\ndates = ['12-25']|name = 'x'\ndates = ['02-30']",
  "name = 'x'\ndates = ['2027-02-29']|name = 'x'\ndates = [2026-12-25]|name = 'x'\ndates = []",
  "name = 'x'\nmonth_days = [0]|name = 'x'\nmonth_days = [1, -32]|name = 'x'\nnth_weekdays = ['6 Mon']",
  "name = 'x'\nnth_weekdays = ['2 Tuesday']|name = 'x'\nevery = { weekday = 'Tue', weeks = 2 }",
  "name = 'x'\nevery = { weekday = 'tue', weeks = 2, from = '2026-01-06' }",
  "name = 'x'\nevery = { weekday = 'Tue', weeks = 0, from = '2026-01-06' }",
  "name = 'x'\nevery = { weekday = 'Tue', weeks = 53, from = '2026-01-06' }",
  "name = 'x'\nevery = { weekday = 'Tue', weeks = 2, from = '2026-13-06' }",
  "name = 'x'\ndates = ['12-25']\nassets = []|name = 'x'\ndates = ['12-25']\nassets = ['no spaces']",
  "name = 'x'\ndates = ['12-25']\ndate = '12-25'",
);

/** Texts that are no document. */
const BROKEN = texts(
  "[freshness]\nsilent_hours =\n\n\nx = 1|[freshness]\nsilent_hours = = 2|[freshness]\nsilent_hours 2",
  '[freshness]\nsilent_hours = "2\n|[freshness]\nsilent_hours = 1\nsilent_hours = 2',
  "[freshness]\n\n[freshness]\n|[freshness]]\n|\n[]\n",
);
/** Several mistakes at once; names of Object.prototype; line ends; size and depth, which strings and comments do not count for. */
const ODD = [
  "[flow_rules]\nalpha = 2\nalhpa = 1\n[freshness]\nsilent_hours = 'x'\n[extra]",
  ...["__proto__ = 1", '[assets.a.flow_rules."__proto__"]\nalpha = 0.1'],
  ...["constructor", "toString"].map((name) => `[assets.${name}.freshness]\nsilent_hours = 1`),
  ...[30, 0].map((hours) => `\uFEFF[freshness]\r\nsilent_hours = ${hours}\r\n`),
  ...["#".repeat(MAX_DOCUMENT_BYTES), "#".repeat(MAX_DOCUMENT_BYTES + 1)],
  ...[`\na = ${"[".repeat(100_000)}`, `\na = ${"{a=".repeat(50_000)}`],
  ...[`\na${".a".repeat(40)} = 1`, `\n[a${".a".repeat(40)}]`],
  `# ${"[".repeat(99)}\nflow_rules.negative_metrics = ["${"[".repeat(99)}", '${"{".repeat(99)}']`,
];

test("at most fifty problems are named and the rest is counted", () => {
  const result = parseConstants(Array.from({ length: 70 }, (_, i) => `key${i} = 1\n`).join(""));
  expect(result).toMatchObject({ ok: false, more: 20 });
  expect(result.ok ? 0 : result.problems.length).toBe(50);
});

test("a vulnerable threshold below 1 is read as 1 (spec, codebase rules 1)", () => {
  for (const [written, read] of [
    ["0", 1],
    ["-3", 1],
    ["0.5", 1],
    ["1", 1],
    ["2", 2],
  ] as const) {
    const result = parseConstants(
      `[codebase_rules]\nvulnerable = ${written}\n[assets.a.codebase_rules]\nvulnerable = ${written}`,
    );
    if (!result.ok) throw new Error("refused");
    expect(result.constants.codebase_rules.vulnerable).toBe(read);
    expect(result.constants.assets["a"]?.codebase_rules?.vulnerable).toBe(read);
  }
});

test("any text at all is answered, with problems inside its lines (property)", () => {
  const piece = fc.constantFrom(
    ...words("[ ] a . = \" ' 1 # { } , flow_rules é"),
    "\n",
    " ",
    "\u0000",
    "\ud800",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const result = parseConstants(text);
      if (result.ok) return;
      const lines = text.split("\n").length;
      expect(result.problems.length).toBeGreaterThan(0);
      for (const { line } of result.problems) expect(line >= 1 && line <= lines).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("what is wrong with each of them is told with its line, key and rule, in a sentence; recorded", () => {
  recordEach(
    [
      ...ODD,
      ...WRONG.map((line) => `# one\n\n${line}`),
      ...BROKEN,
      ...MARKS_WRONG.map((lines) => `[[marked_days]]\n${lines}`),
      "a = '\ud800'",
    ],
    (text) => {
      const result = parseConstants(text);
      return result.ok ? [] : result.problems.map((problem) => `${problem.rule}: ${problemLine(problem)}`);
    },
  );
});
