import { expect, test } from "bun:test";
import { DEFAULT_DOCUMENT } from "../../../src/sites/constants_document.ts";
import { parseConstants } from "../../../src/sites/constants_parse.ts";
import { overridesOf } from "../../../src/tower/site/thresholds.tsx";
import { parsed, rowsOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const PATH = "/sites/shop/settings";

test("a site that reported thousands of metrics lists fifty at a time, found by name", async () => {
  using walk = await SettingsWalk.start();
  const { store } = walk.deps;
  for (let place = 0; place < 3_000; place++) {
    store.raw.run("INSERT INTO series (asset, source, metric, last_day) VALUES ('shop', 'pulse', ?, 20485)", [
      `m.${String(place).padStart(4, "0")}`,
    ]);
  }
  const listed = async (query: string) => {
    const text = await walk.page(`${PATH}${query}`);
    expect(text.length).toBeLessThan(60_000);
    return [...text.matchAll(/metrics\/m\.(\d+)\/tune/g)].map((match) => Number(match[1]));
  };
  expect(await listed("")).toEqual(Array.from({ length: 50 }, (_, place) => place));
  expect((await listed("?page=60")).at(-1)).toBe(2_999);
  expect(await listed("?page=999")).toEqual(await listed("?page=60"));
  expect(await listed("?metric=M.123")).toEqual([
    1_230, 1_231, 1_232, 1_233, 1_234, 1_235, 1_236, 1_237, 1_238, 1_239,
  ]);
  expect(await walk.page(`${PATH}?metric=M.123`)).toContain('<details class="items" id="tune" open');
  expect(await listed("?metric=nothing")).toEqual([]);
  // The first page asked for by its link stands open as well.
  expect(await walk.page(`${PATH}?page=1`)).toContain('<details class="items" id="tune" open');
  expect(await walk.page(PATH)).not.toContain('id="tune" open');
});

test("a token of the setting stands with its own site alone", async () => {
  using walk = await SettingsWalk.start();
  walk.deps.siteTokens.setNamed([
    { asset: "shop", token: "of-the-shop-itself" },
    { asset: "other", token: "of-another-site-entirely" },
  ]);
  expect(rowsOf(parsed(await walk.page(PATH)), "Tokens").slice(1)).toEqual([
    [expect.any(String), "–", "never", "from ASSET_TOKENS"],
  ]);
});

const OWN = `${DEFAULT_DOCUMENT}
[assets."shop".codebase_rules]
growth_percent = 40
[assets."shop".flow_rules]
alpha = 0.005
negative_metrics = ["*lost*"]
[assets."shop".flow_rules."sign ups"]
percent_drop.percent = 60
[assets."shop".freshness]
silent_hours = 50
`;

test("each override is listed with what would hold without it and where it is changed", () => {
  const read = parseConstants(OWN);
  if (!read.ok) throw new Error("the document of the test is not valid");
  expect(overridesOf(read.constants, "other")).toEqual([]);
  const rows = overridesOf(read.constants, "shop");
  expect(rows.map(({ metric, name, value, wider }) => [metric, name, value, wider])).toEqual([
    [null, "codebase_rules.growth_percent", "40", "25"],
    [null, "flow_rules.alpha", "0.005", "0.01"],
    [null, "flow_rules.negative_metrics", "1 pattern", "19 patterns"],
    ["sign ups", "flow_rules.percent_drop.percent", "60", "40"],
    [null, "freshness.silent_hours", "50", "26"],
  ]);
  expect(rows.map(({ href }) => href)).toEqual([
    "/sites/shop/codebase/tune",
    "/settings/constants",
    "/settings/constants",
    "/sites/shop/metrics/sign%20ups/tune",
    "/settings/constants",
  ]);
});
