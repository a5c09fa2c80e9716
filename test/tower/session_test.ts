/** Who is let in beyond what `doors_test.ts` records of a browser and `app/routes_test.ts` asks of every route. */

import { describe, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { ORIGIN, Walk } from "../support/tower.ts";

/** What is typed into it is judged after who sends it: an empty form is 422. */
const ACT = "/timeline";
const READ = "/api/assets";

describe("requests that change something (reliability 4.5)", () => {
  for (const [what, headers, status] of [
    ["without Sec-Fetch-Site, as over plain http", { "sec-fetch-site": "" }, 422],
    ["typed by the operator", { "sec-fetch-site": "none" }, 422],
    ["from an origin that begins like ours", { origin: `${ORIGIN}.evil.example` }, 403],
  ] as const) {
    test(`${what}: ${status}`, async () => {
      const walk = await new Walk().signedIn();
      expect((await walk.post(ACT, {}, headers)).status).toBe(status);
    });
  }
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

  test("a bad token is not forgiven because a session stands beside it", async () => {
    const walk = await new Walk().signedIn();
    expect((await walk.get(READ)).status).toBe(200);
    expect((await walk.get(READ, bearer("nonsense"))).status).toBe(401);
  });
});

describe("trusted header", () => {
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
});
