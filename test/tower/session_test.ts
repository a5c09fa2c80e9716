import { describe, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { CALLER, GOOD_PASSWORD } from "../support/operators.ts";
import { ORIGIN, Walk } from "../support/tower.ts";

const MINUTE = 60_000;
/** A page's act that changes nothing, and a route of the read API. */
/** What is typed into it is judged after who sends it: an empty form is 422. */
const ACT = "/timeline";
const READ = "/api/assets";

describe("who is signed in", () => {
  test("nobody: a page leads to the set-up while there is no operator, then to the sign-in page and back", async () => {
    const walk = new Walk();
    expect((await walk.get("/settings/tokens?q=shop")).headers.get("location")).toBe("/setup");
    await addOperator(walk.deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "command-line", now: 0 });
    const response = await walk.get("/settings/tokens?q=shop");
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/sign-in?to=%2Fsettings%2Ftokens%3Fq%3Dshop");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("nobody, by htmx: 401 with HX-Redirect, which comes back to the page and not to the fragment", async () => {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    const response = await walk.get("/settings/tokens", {
      "hx-request": "true",
      "hx-current-url": `${ORIGIN}/sites/shop?tab=a`,
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("hx-redirect")).toBe("/sign-in?to=%2Fsites%2Fshop%3Ftab%3Da");
    expect(await response.text()).toBe("");
  });

  test("an expired session is nobody", async () => {
    const walk = await new Walk().signedIn();
    expect((await walk.get("/settings/tokens")).status).toBe(200);
    walk.deps.clock.advance(30 * MINUTE);
    expect((await walk.get("/settings/tokens")).status).toBe(303);
  });

  test("a link from another site asks again from a page of ours, since the strict cookie stayed behind, and only once", async () => {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    const first = await walk.get("/settings/tokens", {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
    });
    expect(first.status).toBe(200);
    expect(first.headers.get("refresh")).toBe("0; url=/settings/tokens");
    const second = await walk.get("/settings/tokens", {
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "navigate",
    });
    expect(second.status).toBe(303);
  });

  test("what another site embeds, and does not open, leads to the sign-in page like everything else", async () => {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await walk.get("/settings/tokens", headers)).status).toBe(303);
  });

  test("an expired session on a form goes to the sign-in page, which says that nothing was saved", async () => {
    const walk = await new Walk().signedIn();
    walk.deps.clock.advance(30 * MINUTE);
    const to = (await walk.post(ACT)).headers.get("location") ?? "";
    expect(to).toBe("/sign-in?done=not-saved");
    expect(await (await walk.get(to)).text()).toContain("You were signed out, so nothing was saved.");
  });
});

describe("requests that change something (reliability 4.5)", () => {
  for (const [what, headers, status] of [
    ["from our own page", {}, 422],
    ["without Sec-Fetch-Site, as over plain http", { "sec-fetch-site": "" }, 422],
    ["typed by the operator", { "sec-fetch-site": "none" }, 422],
    ["without an Origin", { origin: "" }, 403],
    ["with Origin null", { origin: "null" }, 403],
    ["from another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    [
      "from another port of this machine",
      { origin: "http://localhost:4612", "sec-fetch-site": "same-site" },
      403,
    ],
    ["with our Origin but another site in Sec-Fetch-Site", { "sec-fetch-site": "same-site" }, 403],
    ["from https where we are http", { origin: "https://localhost:4611" }, 403],
    ["from an origin that begins like ours", { origin: `${ORIGIN}.evil.example` }, 403],
  ] as const) {
    test(`${what}: ${status}`, async () => {
      const walk = await new Walk().signedIn();
      expect((await walk.post(ACT, {}, headers)).status).toBe(status);
    });
  }

  test("the sign-in form is judged too: nobody can sign a browser in as somebody else", async () => {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    const response = await walk.post(
      "/sign-in",
      { name: "ada", password: GOOD_PASSWORD },
      { origin: "https://evil.example" },
    );
    expect(response.status).toBe(403);
    expect(walk.cookies().size).toBe(0);
  });
});

describe("programs", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const BY = { actor: "command-line", now: 0 };

  test("a token with the scope is its operator, and its use is noted", async () => {
    const walk = new Walk();
    const { id, token } = await issueServiceToken(walk.deps, "ci", ["annotations"], BY);
    const response = await walk.send("POST", "/api/annotations", {
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify({ asset: "shop", at: "2026-03-01T08:30:00Z", kind: "deploy", ref: "v1" }),
    });
    expect(await response.json()).toMatchObject({ postedBy: "ci" });
    expect(walk.deps.apiTokens.takeUses().map(({ token, at }) => [token.id, at])).toEqual([
      [id, walk.deps.clock.now()],
    ]);
  });

  test("a token without the scope is 403, an unknown one 401, a site's own 403", async () => {
    const walk = new Walk();
    const { token } = await issueServiceToken(walk.deps, "ci", ["ledger"], BY);
    walk.deps.siteTokens.setNamed([{ asset: "shop", token: "a-token-of-the-shop" }]);
    expect((await walk.get(READ, bearer(token))).status).toBe(403);
    const unknown = await walk.get(READ, bearer(`${token}x`));
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get("www-authenticate")).toBe("Bearer");
    expect((await walk.get(READ, bearer("a-token-of-the-shop"))).status).toBe(403);
    expect((await walk.get(READ)).status).toBe(401);
  });

  test("a bad token is not forgiven because a session stands beside it", async () => {
    const walk = await new Walk().signedIn();
    expect((await walk.get(READ)).status).toBe(200);
    expect((await walk.get(READ, bearer("nonsense"))).status).toBe(401);
  });

  test("a token opens no page", async () => {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    const { token } = await issueServiceToken(
      walk.deps,
      "ci",
      ["read", "annotations", "ledger", "health:read"],
      BY,
    );
    expect((await walk.get("/settings/tokens", bearer(token))).status).toBe(303);
  });
});

describe("trusted header", () => {
  test("signs in from loopback, adding the operator on first sight", async () => {
    const walk = new Walk({ header: "x-remote-user" });
    walk.peer = "127.0.0.1";
    const headers = { "x-remote-user": "grace" };
    expect((await walk.post(ACT, {}, headers)).status).toBe(422);
    await walk.deps.writer.settled();
    expect((await walk.get(READ, headers)).status).toBe(200);
    expect(await (await walk.get("/settings/sessions", headers)).text()).toContain("grace");
  });

  test("is judged for its origin as a cookie is", async () => {
    const walk = new Walk({ header: "x-remote-user" });
    walk.peer = "127.0.0.1";
    expect((await walk.post(ACT, {}, { "x-remote-user": "grace", origin: "" })).status).toBe(403);
  });

  test("opens nothing under the name of a service, which no person is", async () => {
    const walk = new Walk({ header: "x-remote-user" });
    walk.peer = "127.0.0.1";
    await issueServiceToken(walk.deps, "ci", ["read"], { actor: "command-line", now: 0 });
    const headers = { "x-remote-user": "ci" };
    expect((await walk.get("/settings/tokens", headers)).status).toBe(303);
    expect((await walk.get(READ, headers)).status).toBe(401);
    expect((await walk.post(ACT, {}, headers)).status).toBe(303);
  });

  test("means nothing from a stranger or while it is off", async () => {
    const stranger = new Walk({ header: "x-remote-user" });
    expect((await stranger.get("/settings/tokens", { "x-remote-user": "grace" })).status).toBe(303);
    const off = new Walk();
    off.peer = "127.0.0.1";
    expect((await off.get("/settings/tokens", { "x-remote-user": "grace" })).status).toBe(303);
  });
});

describe("the session's cookie", () => {
  const SAFARI =
    "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";
  const enter = async (walk: Walk, headers: Readonly<Record<string, string>> = {}) => {
    await addOperator(walk.deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "command-line", now: 0 });
    const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD }, headers);
    return response.headers.get("set-cookie") ?? "";
  };

  test("is __Host-tower on loopback where browsers take it, HttpOnly, Strict, for every path", async () => {
    const walk = new Walk();
    const cookie = await enter(walk);
    expect(cookie).toStartWith("__Host-tower=");
    for (const part of ["Path=/", "HttpOnly", "Secure", "SameSite=Strict"]) expect(cookie).toContain(part);
    expect(cookie).not.toContain("Domain");
    expect((await walk.get("/settings/tokens")).status).toBe(200);
  });

  test("is tower_dev where loopback is not treated as secure", async () => {
    const walk = new Walk();
    walk.agent = SAFARI;
    const cookie = await enter(walk);
    expect(cookie).toStartWith("tower_dev=");
    expect(cookie).not.toContain("Secure");
    expect(cookie).toContain("HttpOnly");
    expect((await walk.get("/settings/tokens")).status).toBe(200);
  });

  test("is __Host-tower under a published https address, and the other is not read there", async () => {
    const walk = new Walk({ published: "https://tower.example" });
    walk.agent = SAFARI;
    const there = { host: "tower.example", origin: "https://tower.example" };
    expect(await enter(walk, there)).toStartWith("__Host-tower=");
    expect((await walk.get("/settings/tokens", { host: "tower.example" })).status).toBe(200);
    walk.setCookie("tower_dev", walk.cookie("__Host-tower") ?? "");
    const planted = `tower_dev=${walk.cookie("__Host-tower")}`;
    expect((await walk.get("/settings/tokens", { host: "tower.example", cookie: planted })).status).toBe(303);
  });

  test("keeps the address of the browser behind a believed proxy, and the proxy's word on https", async () => {
    const walk = new Walk({ proxies: ["192.0.2.7"] });
    walk.agent = SAFARI;
    const cookie = await enter(walk, { "x-forwarded-for": "203.0.113.4", "x-forwarded-proto": "https" });
    expect(cookie).toStartWith("__Host-tower=");
    expect(await (await walk.get("/settings/sessions")).text()).toContain("203.0.113.4");
  });

  test("a stranger's word on https is not taken: the browser would not send a secure cookie back", async () => {
    const walk = new Walk();
    walk.agent = SAFARI;
    expect(await enter(walk, { "x-forwarded-proto": "https" })).toStartWith("tower_dev=");
  });

  test("is named after another port than the usual one: two Towers of one computer leave each other's alone", async () => {
    const walk = new Walk();
    await enter(walk);
    const usual = walk.cookie("__Host-tower") ?? "";
    const there = { host: "localhost:9999", origin: "http://localhost:9999" };
    walk.setCookie("__Host-tower-9999", usual);
    expect((await walk.get("/settings/tokens", { cookie: `__Host-tower-9999=${usual}` })).status).toBe(303);
    expect((await walk.get("/settings/tokens", { ...there, cookie: `__Host-tower=${usual}` })).status).toBe(
      303,
    );
    expect(
      (await walk.get("/settings/tokens", { ...there, cookie: `__Host-tower-9999=${usual}` })).status,
    ).toBe(200);
    const out = await walk.post("/sign-out", {}, there);
    expect(
      out.headers
        .getSetCookie()
        .filter((line) => line.endsWith("Max-Age=0"))
        .map((line) => line.split("=")[0]),
    ).toEqual(["__Host-tower-9999", "tower_dev-9999"]);
    expect(walk.cookie("__Host-tower")).toBe(usual);
  });

  test("a planted cookie is replaced at sign-in", async () => {
    const walk = new Walk();
    walk.setCookie("__Host-tower", "planted-by-an-attacker");
    await enter(walk);
    expect(walk.cookie("__Host-tower")).not.toBe("planted-by-an-attacker");
    expect(CALLER.agent).toContain("Chrome/");
  });
});
