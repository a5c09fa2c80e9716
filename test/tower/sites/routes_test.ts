import { describe, expect, test } from "bun:test";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { findAsset } from "../../../src/sites/sites.ts";
import { attribute, byId, parsed, tagged, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";
import { PORTS, testTower } from "../../support/test_tower.ts";

const KILN = { id: "kiln", url: "kiln.example", lifecycle: "live", families: "signups", storage: "kv" };
const AT = "/sites/kiln/first-report";
const tokenIn = (text: string) => /smt_[a-z2-7]{8}_\w+/.exec(text)?.[0];

async function added(): Promise<SettingsWalk> {
  const walk = await SettingsWalk.start();
  const response = await walk.post("/sites", KILN);
  expect([response.status, response.headers.get("location")]).toEqual([303, AT]);
  return walk;
}

describe("adding a site", () => {
  test("leads to an address of its own, which shows the token again after a reload and is never kept", async () => {
    using walk = await added();
    expect(findAsset(walk.deps.store.db, "kiln")).toMatchObject({
      url: "https://kiln.example",
      families: [{ family: "signups", storage: "kv" }],
    });
    const first = await walk.get(AT);
    expect(first.headers.get("cache-control")).toBe("no-store");
    const text = await first.text();
    const token = tokenIn(text) ?? "";
    expect(walk.deps.siteTokens.find(token)?.asset).toBe("kiln");
    expect(textOf(byId(parsed(text), "way-nightly"))).toContain(`ASSET_TOKEN=${token}`);
    expect(tokenIn(await walk.page(AT))).toBe(token);
    expect(tokenIn(await walk.page("/sites/shop/first-report"))).toBeUndefined();
  });

  test("the same form sent twice leads to the same place and makes no second token", async () => {
    using walk = await added();
    const token = tokenIn(await walk.page(AT));
    const again = await walk.post("/sites", KILN);
    expect([again.status, again.headers.get("location")]).toEqual([303, AT]);
    expect(tokenIn(await walk.page(AT))).toBe(token);
  });

  test("sent while the first is under way, it waits for it: a double click adds one site with one token", async () => {
    using walk = await SettingsWalk.start();
    const answers = await Promise.all([1, 2, 3].map(() => walk.post("/sites", KILN)));
    expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual(
      Array(3).fill([303, AT]),
    );
    const page = await walk.page(AT);
    expect(walk.deps.siteTokens.find(tokenIn(page) ?? "")?.asset).toBe("kiln");
    await walk.post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
    expect(await walk.page(AT)).toContain("1 token is in force");
    await Promise.all([1, 2].map(() => walk.post(`${AT}/token`, {})));
    await walk.post("/settings/tokens/receipt", { kind: "site", name: "kiln", to: AT });
    expect(await walk.page(AT)).toContain("2 tokens are in force");
  });

  test("who has the token is shown it no more, and gets another in one click", async () => {
    using walk = await added();
    const token = tokenIn(await walk.page(AT));
    const receipt = { kind: "site", name: "kiln", to: AT };
    expect((await walk.post("/settings/tokens/receipt", receipt)).headers.get("location")).toBe(AT);
    const without = await walk.page(AT);
    expect(tokenIn(without)).toBeUndefined();
    expect(without).toContain("1 token is in force");
    expect(without).toContain("ASSET_TOKEN=your-site-token");
    expect((await walk.post(`${AT}/token`, {})).headers.get("location")).toBe(AT);
    const another = tokenIn(await walk.page(AT)) ?? "";
    expect(another).not.toBe(token ?? "");
    expect(walk.deps.siteTokens.find(another)?.asset).toBe("kiln");
  });

  test("a service that started anew shows no token, whoever asks", async () => {
    using walk = await added();
    const token = tokenIn(await walk.page(AT)) ?? "";
    const { store, writer, clock, ids, siteTokens } = walk.deps;
    const anew = await testTower({ ground: { store, writer, clock, ids, siteTokens } });
    const cookie = `${walk.cookie.name}=${walk.cookie.value}`;
    const headers = { host: "localhost:4611", cookie };
    const answer = await anew.tower(new Request(`http://localhost:4611${AT}`, { headers }));
    const text = await answer.text();
    expect(text).not.toContain(token);
    expect(text).toContain("1 token is in force");
  });

  test("an identifier that does not do is kept, has the focus, and what would do is one link away", async () => {
    using walk = await SettingsWalk.start();
    const response = await walk.post("/sites", {
      ...KILN,
      id: "https://kiln.example/",
      url: "",
      families: "signups=tape",
    });
    expect(response.status).toBe(422);
    const form = parsed(await response.text());
    expect(attribute(byId(form, "id"), "value")).toBe("https://kiln.example/");
    const focused = [...tagged(form, "input"), ...tagged(form, "textarea")].filter(
      (field) => attribute(field, "autofocus") !== undefined,
    );
    expect(focused.map((field) => attribute(field, "name"))).toEqual(["id"]);
    expect(textOf(byId(form, "families-error"))).toContain("tape is no storage kind");
    const [better] = tagged(byId(form, "id-error"), "a").map((link) => attribute(link, "href"));
    const filled = parsed(await walk.page(better ?? ""));
    expect(attribute(byId(filled, "id"), "value")).toBe("kiln.example");
    expect(attribute(byId(filled, "url"), "value")).toBe("https://kiln.example/");
    expect(textOf(byId(filled, "families"))).toContain("signups=tape");
  });

  test("of a site that is there already the way to its first report is one link away", async () => {
    using walk = await SettingsWalk.start();
    await walk.deps.writer.write((tx) => ensureAssets(tx, ["kiln"], { actor: "test", now: 0 }));
    const form = parsed(await (await walk.post("/sites", KILN)).text());
    expect(tagged(byId(form, "id-error"), "a").map((link) => attribute(link, "href"))).toEqual([AT]);
  });

  test("a family that is refused has the focus, not the first field", async () => {
    using walk = await SettingsWalk.start();
    const form = parsed(await (await walk.post("/sites", { ...KILN, families: "a=b" })).text());
    expect(attribute(byId(form, "families"), "autofocus")).toBeDefined();
    expect(attribute(byId(form, "id"), "autofocus")).toBeUndefined();
  });
});

describe("what is heard while a site waits", () => {
  test("reports that nobody can place are told of: an unknown token, and another site's", async () => {
    using walk = await added();
    const service = await testTower({ ground: walk.deps });
    const send = (token: string, body: unknown) =>
      service.ingest(
        new Request(`http://localhost:${PORTS.ingest}/api/pulse`, {
          method: "POST",
          headers: {
            host: `localhost:${PORTS.ingest}`,
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
          },
          body: JSON.stringify(body),
        }),
      );
    const report = (asset: string) => ({
      asset,
      generatedAt: new Date(walk.deps.clock.now()).toISOString(),
      metrics: {},
    });
    const heard = async () => textOf(byId(parsed(await walk.page(AT)), "first-report"));
    expect((await send("smt_no_such_token", report("kiln"))).status).toBe(401);
    expect(await heard()).toContain("A report at 12:00:00 had no token, or an unknown one");
    await walk.post("/sites/shop/first-report/token", {});
    const shops = tokenIn(await walk.page("/sites/shop/first-report")) ?? "";
    expect((await send(shops, report("kiln"))).status).toBe(403);
    expect(await heard()).toContain("had the token of shop but names another site");
    const kilns = tokenIn(await walk.page(AT)) ?? "";
    expect((await send(kilns, { ...report("kiln"), metrics: { a: { last24h: -1 } } })).status).toBe(422);
    expect(await heard()).toContain("Report refused at 12:00:00, 422: /metrics/a/last24h");
    expect((await send(kilns, report("kiln"))).status).toBe(201);
    expect(await heard()).toContain("First nightly report received at 12:00:00 UTC");
    expect(tokenIn(await walk.page(AT))).toBe(kilns);
  });
});
