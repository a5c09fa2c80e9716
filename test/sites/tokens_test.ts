import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { flushUses, parseTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import {
  issueSiteToken,
  listTokens,
  loadTokenBook,
  revokeSiteToken,
  settingTokenUses,
} from "../../src/sites/site_tokens.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "../support/deps.ts";

let ground: TestGround;
beforeEach(async () => {
  ground = await testGround();
});
afterEach(() => ground.store.close());

const by = () => ({ actor: "operator:ada", now: ground.clock.now() });
const acts = () =>
  ground.store.raw
    .query<{ act: string; target: string }, []>("SELECT act, target FROM audit ORDER BY id")
    .all()
    .map(({ act, target }) => `${act} ${target}`);

describe("issued site tokens (decisions 2)", () => {
  test("work from the next request on, are kept only as a digest and stand in the audit", async () => {
    const issued = await issueSiteToken(ground, "harbor", by());
    expect(parseTokenText(issued.token)).toEqual({ prefix: "smt", keyId: issued.id });
    expect(ground.siteTokens.find(issued.token)).toMatchObject({ asset: "harbor", issued: true });
    expect(listTokens(ground.store.db)).toMatchObject([
      { id: issued.id, asset: "harbor", digest: sha256Hex(issued.token), revokedAt: null, lastUsedAt: null },
    ]);
    expect(Buffer.from(ground.store.raw.serialize()).includes(issued.token)).toBe(false);
    expect(acts()).toContain("token.issue harbor");
  });

  test("add a site that is not there, once, with its audit row", async () => {
    expect((await issueSiteToken(ground, "newborn", by())).assetAdded).toBe(true);
    expect((await issueSiteToken(ground, "newborn", by())).assetAdded).toBe(false);
    expect(findAsset(ground.store.db, "newborn")).toMatchObject({
      lifecycle: "live",
      addedBy: "operator:ada",
    });
    expect(acts().filter((act) => act === "asset.add newborn")).toHaveLength(1);
  });

  test("are known again after a restart", async () => {
    const issued = await issueSiteToken(ground, "harbor", by());
    const again = loadTokenBook(ground.store.db, []);
    expect([again.find(issued.token)?.asset, again.find(HARBOR_TOKEN)]).toEqual(["harbor", undefined]);
  });

  test("are refused from the moment they are revoked, also after a restart; revoking twice is no act", async () => {
    const issued = await issueSiteToken(ground, "harbor", by());
    expect(await revokeSiteToken(ground, issued.id, by())).toBe(true);
    expect(ground.siteTokens.find(issued.token)).toBeUndefined();
    expect(loadTokenBook(ground.store.db, []).find(issued.token)).toBeUndefined();
    const first = listTokens(ground.store.db, { revoked: true })[0];
    ground.clock.advance(1_000);
    expect(await revokeSiteToken(ground, issued.id, { ...by(), actor: "operator:eve" })).toBe(false);
    expect(listTokens(ground.store.db, { revoked: true })[0]).toEqual(first as NonNullable<typeof first>);
    expect(await revokeSiteToken(ground, "nothing", by())).toBe(false);
    expect(acts().filter((act) => act.startsWith("token.revoke"))).toEqual(["token.revoke harbor"]);
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

test("uses that could not be written down are not forgotten", async () => {
  const known = ground.siteTokens.find(HARBOR_TOKEN);
  if (known === undefined) throw new TypeError("the token is unknown");
  ground.siteTokens.noteUse(known, 9);
  const refusing = {
    write: () => Promise.reject(new Error("the disk is full")),
  } as unknown as typeof ground.writer;
  await flushUses(refusing, ground.siteTokens).catch(() => undefined);
  await flushUses(ground.writer, ground.siteTokens);
  expect(settingTokenUses(ground.store.db).get(known.digest)).toBe(9);
});

test("making sure that sites exist adds each missing one once", async () => {
  const made = await ground.writer.write((tx) => ensureAssets(tx, ["harbor", "a", "a", "b"], by()));
  expect(made).toEqual(["a", "b"]);
});
