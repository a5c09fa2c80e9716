import { expect, test } from "bun:test";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { findAsset } from "../../../src/sites/sites.ts";
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
    [expect.any(String), "–", "never", "from ASSET_TOKENS (change the setting to revoke)"],
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
