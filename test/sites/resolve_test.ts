import { expect, test } from "bun:test";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import {
  archiveConstants,
  codebaseThresholds,
  flowThresholds,
  silentHours,
} from "../../src/sites/constants_store.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

function constantsOf(text: string) {
  const result = parseConstants(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.constants;
}

const constants = constantsOf(`
[codebase_rules]
growth_percent = 30
[flow_rules]
alpha = 0.02
percent_drop.percent = 50
[assets."trail".codebase_rules]
growth_lines = 900
[assets."trail".flow_rules]
alpha = 0.005
percent_drop.minimum_count = 100
negative_metrics = ["no_shows"]
[assets."trail".flow_rules."signups"]
alpha = 0.001
dispersion = 1
percent_drop.percent = 60
[assets."trail".signal_rules."search-console"."clicks"]
alpha = 0.0001
percent_drop.percent = 70
[assets."trail".signal_rules.analytics]
sessions = { max_window_days = 7 }
[assets."trail".freshness]
silent_hours = 50
[assets."toString".freshness]
silent_hours = 7
`);

test("a metric's value goes before its site's, its site's before the document's, and none is of another source's metric; recorded (decisions 5 and 6)", () => {
  const asked = [
    ...[
      ["trail", "pulse", "signups"],
      ["trail", "pulse", "visits"],
      ["ferry", "pulse", "signups"],
    ],
    ...[
      ["trail", "search-console", "clicks"],
      ["trail", "webmaster-tools", "clicks"],
      ["trail", "pulse", "clicks"],
    ],
    ...[
      ["trail", "analytics", "sessions"],
      ["trail", "analytics", "signups"],
      ["ferry", "analytics", "sessions"],
    ],
    ...[
      ["trail", "pulse", "valueOf"],
      ["trail", "pulse", "no_shows"],
      ["trail", "pulse", "js_errors"],
    ],
  ] as const;
  recordEach(asked, ([site = "", source = "", metric = ""]) =>
    flowThresholds(constants, site, source, metric),
  );
  recordEach(["trail", "ferry", "toString"], (site) => [
    codebaseThresholds(constants, site),
    silentHours(constants, site),
  ]);
});

const plain = constantsOf("#");

test("a name of Object.prototype has no override of its own accord", () => {
  expect(silentHours(plain, "toString")).toBe(26);
});

test("errors, failures and refunds are negative metrics by default, visits are not; recorded", () => {
  const metrics = words(`
    js_errors Failed_Logins refunds checkout.failures http_5xx visits signups orders page_views clicks impressions
  `);
  recordEach(metrics, (metric) => flowThresholds(plain, "a", "pulse", metric).negative);
});

test("a document from before has every default of the archive, and a site's own keys go before; recorded", () => {
  const read = constantsOf(`
[archive]
max_rows = 10
[assets."shop".archive]
js_error_message = "message"
js_error_events = ["broken"]
`);
  recordEach(["harbor", "shop"], (site) => archiveConstants(read, site));
});
