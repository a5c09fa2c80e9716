import { describe, expect, test } from "bun:test";
import { flushUses } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import {
  issueSiteToken,
  listTokens,
  revokeSiteToken,
  settingTokenUses,
} from "../../src/sites/site_tokens.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";

const ground = fresh(testGround);

const by = () => ({ actor: "operator:ada", now: ground.clock.now() });
const acts = () =>
  ground.store.raw
    .query<{ act: string; target: string }, []>("SELECT act, target FROM audit ORDER BY id")
    .all()
    .map(({ act, target }) => `${act} ${target}`);

describe("issued site tokens (decisions 2)", () => {
  test("add a site that is not there, once, with its audit row", async () => {
    expect((await issueSiteToken(ground, "newborn", by())).assetAdded).toBe(true);
    expect((await issueSiteToken(ground, "newborn", by())).assetAdded).toBe(false);
    expect(findAsset(ground.store.db, "newborn")).toMatchObject({
      lifecycle: "live",
      addedBy: "operator:ada",
    });
    expect(acts().filter((act) => act === "asset.add newborn")).toHaveLength(1);
  });

  test("were revoked when they first were", async () => {
    const issued = await issueSiteToken(ground, "harbor", by());
    await revokeSiteToken(ground, issued.id, by());
    const [first] = listTokens(ground.store.db, { revoked: true });
    expect(first).toMatchObject({ digest: sha256Hex(issued.token), revokedAt: ground.clock.now() });
    ground.clock.advance(1_000);
    await revokeSiteToken(ground, issued.id, { ...by(), actor: "operator:eve" });
    expect(listTokens(ground.store.db, { revoked: true })).toEqual([first as NonNullable<typeof first>]);
  });
});

test("when a token was last used is written down for both kinds", async () => {
  const issued = await issueSiteToken(ground, "harbor", by());
  for (const token of [issued.token, HARBOR_TOKEN]) {
    const known = ground.siteTokens.find(token);
    if (known !== undefined) ground.siteTokens.noteUse(known, ground.clock.now() + 7);
  }
  await flushUses(ground.writer, ground.siteTokens);
  expect(listTokens(ground.store.db)[0]?.lastUsedAt).toBe(ground.clock.now() + 7);
  expect(settingTokenUses(ground.store.db)).toEqual(
    new Map([[sha256Hex(HARBOR_TOKEN), ground.clock.now() + 7]]),
  );
});

test("making sure that sites exist adds each missing one once", async () => {
  const made = await ground.writer.write((tx) => ensureAssets(tx, ["harbor", "a", "a", "b"], by()));
  expect(made).toEqual(["a", "b"]);
});
