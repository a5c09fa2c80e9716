import { expect, test } from "bun:test";
import { DEFAULT_DOCUMENT } from "../../../src/sites/constants_document.ts";
import { parseConstants } from "../../../src/sites/constants_parse.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { findAsset } from "../../../src/sites/sites.ts";
import { overridesOf } from "../../../src/tower/site/thresholds.tsx";
import { byId, parsed, rowsOf, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const PATH = "/sites/shop/settings";

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

test("Tower's own site stays live, also where its settings are saved", async () => {
  using walk = await SettingsWalk.start();
  const { writer, clock, store } = walk.deps;
  await writer.write((tx) => ensureAssets(tx, ["tower"], { actor: "service", now: clock.now() }));
  const refused = await walk.post("/sites/tower/settings", { url: "", group: "", lifecycle: "retired" });
  expect(refused.status).toBe(422);
  expect(textOf(byId(parsed(await refused.text()), "lifecycle-error"))).toContain("must stay live");
  expect(findAsset(store.db, "tower")?.lifecycle).toBe("live");
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
