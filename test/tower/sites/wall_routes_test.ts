/** The Wall as it is asked for: by an operator, and by a screen that was opened with a link. */

import { beforeAll, describe, expect, test } from "bun:test";
import { listKioskTokens, makeKioskToken } from "../../../src/access/kiosk_tokens.ts";
import { revokeToken } from "../../../src/access/tokens.ts";
import { formatInstant } from "../../../src/base/time.ts";
import { insertOpenFlag } from "../../../src/flags/store.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { LONGEST_GROUP, setGroup } from "../../../src/sites/sites.ts";
import { testGround } from "../../support/deps.ts";
import { shared } from "../../support/fresh.ts";
import { attribute, parsed, tagged, textOf } from "../../support/html.ts";
import { newFlag } from "../../support/make/flag.ts";
import { setLifecycle } from "../../support/sites.ts";
import { OPERATOR_HEADER, PROXY, TOWER_ORIGIN, testTower } from "../../support/test_tower.ts";

const BY = { actor: "operator:ada", now: 0 };
const EVIL = `Customer <img src=x> & Co`;
const OPERATOR = { [OPERATOR_HEADER]: "ada" };

const service = shared(async () => testTower({ ground: await testGround(), settings: PROXY }));
beforeAll(async () => {
  const { writer, clock } = service.deps;
  await writer.write((tx): void => {
    ensureAssets(tx, ["kiln", "lantern", "gone", "before"], { actor: "test", now: clock.now() });
    setGroup(tx, "kiln", EVIL);
    insertOpenFlag(tx, "one", newFlag({ asset: "kiln", severity: "error" }), clock.now(), "rule");
  });
  await setLifecycle(writer, "gone", "retired");
  await setLifecycle(writer, "before", "pre-launch");
});

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  service.ask(path, { as: "", headers });
const wall = async (path = "/wall", headers: Readonly<Record<string, string>> = OPERATOR) => {
  const response = await ask(path, headers);
  return { response, html: parsed(await response.text()) };
};
const namesOn = (html: ReturnType<typeof parsed>) =>
  tagged(html, "li").flatMap((tile) => tagged(tile, "b").map(textOf));
const hrefs = (html: ReturnType<typeof parsed>) =>
  tagged(html, "a").map((link) => attribute(link, "href") ?? "");
const cookieOf = (response: Response) => response.headers.getSetCookie()[0] ?? "";

test("only a group's sites are shown where one is named, be its name the longest; a group that there is not is all of them", async () => {
  const longest = "\u{1F3E1}".repeat(LONGEST_GROUP);
  await service.deps.writer.write((tx) => setGroup(tx, "lantern", longest));
  const names = async (group: string) =>
    namesOn((await wall(`/wall?${new URLSearchParams({ group })}`)).html);
  expect([await names(EVIL), await names(longest)]).toEqual([["kiln"], ["lantern"]]);
  // Neither a retired one nor the service's own.
  expect((await names("nobody")).toSorted()).toEqual(["before", "harbor", "kiln", "lantern", "orchard"]);
});

test("the look is the one that the address names; what it says that is not understood is as if it said nothing", async () => {
  const themeOf = async (theme: string) =>
    attribute(
      tagged((await wall(`/wall?theme=${theme}`)).html, "html")[0] ?? expect.unreachable(),
      "data-theme",
    );
  expect(await Promise.all(["dark", "light", "system"].map(themeOf))).toEqual(["dark", "light", undefined]);
  const [usual, odd] = [
    await ask("/wall", OPERATOR),
    await ask("/wall?theme=pink&density=9&page=-1", OPERATOR),
  ];
  expect(await odd.text()).toBe(await usual.text());
});

describe("a refresh of it", () => {
  test("costs one 304 while nothing is new, and tells the moment beside it; without scripts the page asks for itself", async () => {
    const first = await ask("/wall", { ...OPERATOR, "tower-refresh": "1" });
    const html = await first.text();
    expect(html).toContain('data-every="30"');
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="30"');
    service.deps.clock.advance(1_000);
    const etag = first.headers.get("etag") ?? "none";
    const again = await ask("/wall", { ...OPERATOR, "tower-refresh": "1", "if-none-match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("tower-read-at")).toBe(formatInstant(service.deps.clock.now()));
  });

  test("is the whole of it once something is new", async () => {
    const first = await ask("/wall", { ...OPERATOR, "tower-refresh": "1" });
    const { deps } = service;
    await service.report("/api/pulse", {
      asset: "harbor",
      generatedAt: formatInstant(deps.clock.now()),
      metrics: {},
    });
    const etag = first.headers.get("etag") ?? "none";
    const again = await ask("/wall", { ...OPERATOR, "tower-refresh": "1", "if-none-match": etag });
    expect(again.status).toBe(200);
    const harbor = tagged(parsed(await again.text()), "li").find((tile) => textOf(tile).startsWith("harbor"));
    expect(harbor && attribute(harbor, "data-state")).toBe("working");
  });
});

describe("a screen that was opened with a link", () => {
  test("gets a cookie for the Wall alone, and an address that holds no secret", async () => {
    const { token } = await makeKioskToken(service.deps, "hall", BY);
    const opened = await ask(`/wall?link=${token}&theme=dark&group=x`);
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/wall?theme=dark&group=x"]);
    expect(opened.headers.get("cache-control")).toBe("no-store");
    const cookie = Bun.Cookie.parse(cookieOf(opened));
    expect(cookie).toMatchObject({ path: "/wall", httpOnly: true, sameSite: "lax", value: token });
    const seen = await wall("/wall?theme=dark", { cookie: `${cookie.name}=${cookie.value}` });
    expect(seen.response.status).toBe(200);
    expect(namesOn(seen.html)).toContain("kiln");
    expect(await (await ask("/wall", { cookie: `${cookie.name}=${cookie.value}` })).text()).not.toContain(
      token,
    );
  });

  test("is shown what there is and led nowhere", async () => {
    const { token } = await makeKioskToken(service.deps, "yard", BY);
    const { html } = await wall("/wall", { cookie: `tower_wall4611=${token}` });
    expect(hrefs(html)).toStrictEqual([]);
    expect(tagged(html, "form")).toStrictEqual([]);
  });

  test("over https the cookie is sent over nothing else", async () => {
    const published = await testTower({ settings: { TOWER_PUBLIC_URL: "https://tower.example" } });
    const { token } = await makeKioskToken(published.deps, "TV", BY);
    const answer = await published.tower(
      new Request(`${TOWER_ORIGIN}/wall?link=${token}`, { headers: { host: "tower.example" } }),
    );
    expect(Bun.Cookie.parse(cookieOf(answer))).toMatchObject({ secure: true, path: "/wall" });
    await published.close();
  });

  test("is told so when its link is revoked, at its next refresh; and so is one whose link never was", async () => {
    const { id, token } = await makeKioskToken(service.deps, "roof", BY);
    const cookie = `tower_wall4611=${token}`;
    expect((await ask("/wall", { cookie, "tower-refresh": "1" })).status).toBe(200);
    await revokeToken(service.deps.writer, service.deps.kioskTokens, id, BY);
    for (const [path, headers] of [
      ["/wall", { cookie, "tower-refresh": "1" }],
      ["/wall", { cookie }],
      [`/wall?link=${token}`, {}],
      [`/wall?link=${token.slice(0, -1)}`, {}],
      ["/wall?link=", {}],
    ] as const) {
      const { response, html } = await wall(path, headers);
      expect([response.status, response.headers.get("cache-control")]).toEqual([401, "no-store"]);
      expect(tagged(html, "h1").map(textOf)).toEqual([
        "This screen is signed out: its link does not work any more.",
      ]);
      expect(response.headers.getSetCookie()).toStrictEqual([]);
    }
  });

  test("leaves word of when it was last there", async () => {
    const { id, token } = await makeKioskToken(service.deps, "cellar", BY);
    await ask("/wall", { cookie: `tower_wall4611=${token}` });
    const stored = listKioskTokens(service.deps.store.db).find((link) => link.id === id);
    expect(stored && service.deps.kioskTokens.lastUse(stored, stored.lastUsedAt)).toBe(
      service.deps.clock.now(),
    );
  });
});

test("a screen whose session is over is told so where it is; a person without one goes to sign in", async () => {
  const { html, response } = await wall("/wall", { "tower-refresh": "1" });
  expect([response.status, ...tagged(html, "h1").map(textOf)]).toEqual([
    401,
    "This screen is signed out: its session is over.",
  ]);
  expect((await ask("/wall")).status).toBe(303);
});
