import { describe, expect, test } from "bun:test";
import { addAsset } from "../../../src/sites/site_changes.ts";
import { Walk } from "../../support/tower.ts";

async function withShop(): Promise<Walk> {
  const walk = await new Walk().signedIn();
  const shop = { id: "shop.example", url: null, lifecycle: "live", families: [] } as const;
  await addAsset(
    walk.deps.writer,
    { ...shop, families: [] },
    { actor: "command-line", now: 0, onRetired: () => {} },
  );
  return walk;
}

/** Issues a token and goes where the answer leads. */
async function issue(
  walk: Walk,
  kind: "site" | "operator",
  form: Parameters<Walk["post"]>[1],
): Promise<Response> {
  const answer = await walk.post(`/settings/tokens/${kind}`, form);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/settings/tokens"]);
  return walk.get("/settings/tokens");
}

const tokenIn = (text: string, prefix: string) =>
  new RegExp(`${prefix}_[a-z2-7]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`).exec(text)?.[0] ?? "";

describe("/settings/tokens", () => {
  test("a site token works, survives a reload on a page that is not kept, and is shown no more once it is kept", async () => {
    const walk = await withShop();
    const response = await issue(walk, "site", { asset: "shop.example" });
    expect(response.headers.get("cache-control")).toBe("no-store");
    const token = tokenIn(await response.text(), "smt");
    expect(walk.deps.siteTokens.find(token)?.asset).toBe("shop.example");
    expect(await (await walk.get("/settings/tokens")).text()).toContain(token);
    const receipt = { kind: "site", name: "shop.example", to: "/settings/tokens?q=shop" };
    const kept = await walk.post("/settings/tokens/receipt", receipt);
    expect(kept.headers.get("location")).toBe("/settings/tokens?q=shop");
    const list = await walk.get("/settings/tokens");
    expect(list.headers.get("cache-control")).toBe("private, no-cache");
    const text = await list.text();
    expect(text).toContain("shop.example");
    expect(text).not.toContain(token);
    expect(text).not.toContain(token.split("_")[2] ?? "?");
  });

  test("a site that is not in the portfolio gets none: a typo adds no site", async () => {
    const walk = await withShop();
    const response = await walk.post("/settings/tokens/site", { asset: "shop.exampel" });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("There is no site with this identifier");
  });

  test("revoking takes effect at once; twice is 404", async () => {
    const walk = await withShop();
    const token = tokenIn(await (await issue(walk, "site", { asset: "shop.example" })).text(), "smt");
    const path = `/settings/tokens/site/${token.split("_")[1]}/revocation`;
    expect((await walk.post(path)).headers.get("location")).toBe("/settings/tokens?done=token-revoked");
    expect(walk.deps.siteTokens.find(token)).toBeUndefined();
    expect((await walk.post(path)).status).toBe(404);
    expect(await (await walk.get("/settings/tokens?done=token-revoked")).text()).toContain("Token revoked.");
  });

  test("an operator token has the chosen scopes and no other, and can be revoked", async () => {
    const walk = await new Walk().signedIn();
    const form = new URLSearchParams([
      ["name", "ci"],
      ["scopes", "annotations"],
      ["scopes", "read"],
    ]);
    const response = await issue(walk, "operator", form);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const token = tokenIn(await response.text(), "smc");
    expect(walk.deps.apiTokens.find(token)).toMatchObject({
      operator: "ci",
      scopes: ["annotations", "read"],
    });
    const revoked = await walk.post(`/settings/tokens/operator/${token.split("_")[1]}/revocation`);
    expect(revoked.status).toBe(303);
    expect(walk.deps.apiTokens.find(token)).toBeUndefined();
  });

  test("an operator token needs a name and a known scope; both reasons are told at once", async () => {
    const walk = await new Walk().signedIn();
    const response = await walk.post("/settings/tokens/operator", { name: "<b>", scopes: "everything" });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain("Use at most 64 letters");
    expect(text).toContain("Choose at least one.");
  });

  test("tokens of the setting are listed beside the issued ones, filtered by site and paged", async () => {
    const walk = await withShop();
    walk.deps.siteTokens.setNamed(
      Array.from({ length: 60 }, (_, i) => ({ asset: `site-${i}`, token: `token-number-${i}` })),
    );
    const first = await (await walk.get("/settings/tokens")).text();
    expect(first.match(/<tr role="row" id="token-/g)).toHaveLength(50);
    const second = await (await walk.get("/settings/tokens?page=2")).text();
    expect(second.match(/<tr role="row" id="token-/g)).toHaveLength(10);
    const one = await (await walk.get("/settings/tokens?q=SITE-42")).text();
    expect(one.match(/<tr role="row" id="token-/g)).toHaveLength(1);
    expect(one).not.toContain("token-number-42");
    for (const page of ["0", "-3", "x", "99", "1e9"])
      expect((await walk.get(`/settings/tokens?page=${page}`)).status).toBe(200);
  });
});
