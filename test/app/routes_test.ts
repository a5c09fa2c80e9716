/** Every route of both listeners is asked as everybody who may not ask it. The routes come from the applications themselves. */

import { beforeAll, describe, expect, test } from "bun:test";
import type { Scope } from "../../src/access/access.ts";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { newFlag } from "../support/make/flag.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { expectProblem } from "../support/problem.ts";
import { addressOf, ROUTES, WALKED, type WalkedRoute } from "../support/route_table.ts";
import { PORTS, type TestTower, TOWER_ORIGIN, testTower } from "../support/test_tower.ts";

const SCOPES: readonly Scope[] = ["annotations", "ledger", "health:read", "read"];
const BY = { actor: "test", now: 0 };
const STRANGER = "203.0.113.9";
const SAFE = new Set(["GET", "HEAD"]);
const VALUES = {
  asset: "harbor",
  id: "one",
  metric: "signups",
  version: "1",
  date: "2026-03-01",
  revision: "1",
};

let tokens: Readonly<Record<Scope, string>>;
/** What a link to the Wall holds. */
let link: string;
const service = shared(async () => testTower({ ground: await testGround() }));
beforeAll(async () => {
  const { deps } = service;
  await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, BY);
  await deps.writer.write((tx): void => insertOpenFlag(tx, "one", newFlag(), deps.clock.now(), "rule"));
  const issued: [string, string][] = [];
  for (const scope of SCOPES) {
    issued.push([
      scope,
      (await issueServiceToken(deps, `only-${scope.replace(":", "-")}`, [scope], BY)).token,
    ]);
  }
  tokens = Object.fromEntries(issued) as Record<Scope, string>;
  link = (await makeKioskToken(deps, "TV", BY)).token;
});

interface Asked {
  readonly token?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly peer?: string;
  readonly method?: string;
  readonly on?: TestTower;
}

function ask(route: Pick<WalkedRoute, "listener" | "path"> & { readonly method: string }, asked: Asked = {}) {
  const { listener, path } = route;
  const method = asked.method ?? route.method;
  const headers: Record<string, string> = {
    host: `localhost:${PORTS[listener]}`,
    ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
    ...(asked.cookie === undefined ? {} : { cookie: asked.cookie }),
    ...asked.headers,
  };
  const body = SAFE.has(method)
    ? {}
    : path.startsWith("/api/")
      ? { body: "{}", headers: { "content-type": "application/json", ...headers } }
      : { body: new URLSearchParams(asked.form) };
  const request = new Request(`http://localhost:${PORTS[listener]}${addressOf(path, VALUES)}`, {
    method,
    headers,
    ...body,
  });
  return (asked.on ?? service)[listener](request, () => asked.peer ?? STRANGER);
}

const OWN = { origin: TOWER_ORIGIN, "sec-fetch-site": "same-origin" };
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  {},
  { origin: "null" },
  { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  { origin: "http://localhost:4612", "sec-fetch-site": "same-site" },
  { origin: `http://localhost:${PORTS.ingest}`, "sec-fetch-site": "same-site" },
  { origin: TOWER_ORIGIN.replace("http:", "https:") },
  { origin: TOWER_ORIGIN, "sec-fetch-site": "cross-site" },
  { origin: TOWER_ORIGIN, "sec-fetch-site": "same-site" },
];

/** A new session's cookie. */
async function signIn(): Promise<string> {
  const response = await ask(
    { listener: "tower", method: "POST", path: "/sign-in" },
    { form: { name: "ada", password: GOOD_PASSWORD }, headers: OWN },
  );
  return response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}

/** Fails unless the caller came past the door: whatever the route then made of an empty form or body is its own matter. */
function expectLetIn(response: Response): void {
  // The sign-in page itself answers 401 to a wrong password.
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  expect([...(isProblem ? [401] : []), 403, 405, 421, 500]).not.toContain(response.status);
  expect(response.headers.get("location") ?? "").not.toStartWith("/sign-in?to=");
}

async function expectTurnedAway(response: Response): Promise<void> {
  expect([response.status, response.headers.get("location")?.split("?")[0]]).toEqual([303, "/sign-in"]);
  expect(await response.text()).toBe("");
}

/** Whether a route's path fits an address. */
function fits(path: string, address: string): boolean {
  const names = path.split("/");
  const parts = address.split("/");
  return (
    names.length === parts.length && names.every((name, at) => /^(?::|\*)/.test(name) || name === parts[at])
  );
}

test("who may call each route that is mounted, and from where, is recorded", () => {
  const rules = Object.entries(ROUTES).map(([name, rule]) => `${name} ${JSON.stringify(rule)}`);
  expect(rules.sort()).toMatchSnapshot();
});

describe.each(WALKED.map((route) => [route.name, route] as const))("%s", (_, route) => {
  const { who, origin, ownMachine, confirmed } = route.rule;
  const isPage = who === "operator";

  test(`without a credential: ${who === "anyone" ? "is answered" : "is turned away"}`, async () => {
    const from = origin === "own" ? OWN : {};
    const response = await ask(route, { headers: from });
    if (who === "anyone") expectLetIn(response);
    else if (isPage) await expectTurnedAway(response);
    else await expectProblem(response, "unauthenticated");
  });

  if (who !== "anyone")
    test(`a link to the Wall ${route.rule.hasLinks === true ? "opens it" : "opens nothing here"}`, async () => {
      const headers = origin === "own" ? OWN : {};
      const withCookie = await ask(route, { headers, cookie: `tower_wall4611=${link}; tower_wall=${link}` });
      if (route.rule.hasLinks === true) expect(withCookie.status).toBe(200);
      for (const response of [
        ...(route.rule.hasLinks === true ? [] : [withCookie]),
        await ask(route, { headers, token: link }),
        await ask(route, { headers, cookie: `__Host-tower=${link}; tower_dev=${link}` }),
      ]) {
        if (isPage) await expectTurnedAway(response);
        else await expectProblem(response, "unauthenticated");
      }
    });

  test("only the right token opens it", async () => {
    const known = [
      ...SCOPES.map((scope) => [scope, tokens[scope]] as const),
      ["site", HARBOR_TOKEN] as const,
    ];
    for (const [holds, token] of known) {
      const response = await ask(route, { token, headers: origin === "own" && isPage ? OWN : {} });
      if (who === "anyone") continue;
      if (isPage) await expectTurnedAway(response);
      else if (holds === who) expectLetIn(response);
      else await expectProblem(response, "insufficient-scope");
    }
    if (who === "anyone" || isPage) return;
    for (const token of ["unknown", `${tokens.read}x`]) {
      await expectProblem(await ask(route, { token }), "unauthenticated");
    }
  });

  test(`from elsewhere: ${origin}`, async () => {
    const right = who === "site" ? HARBOR_TOKEN : isPage || who === "anyone" ? undefined : tokens[who];
    if (origin === "none") {
      for (const headers of [...ELSEWHERE.slice(1), OWN, { "sec-fetch-site": "none" }]) {
        for (const token of [right, undefined]) {
          const asked = { headers, ...(token === undefined ? {} : { token }) };
          await expectProblem(await ask(route, asked), "browser-origin");
        }
      }
      return;
    }
    const cookie = await signIn();
    for (const headers of ELSEWHERE) {
      const response = await ask(route, { cookie, headers });
      if (origin === "own") await expectProblem(response, "cross-origin");
      else expectLetIn(response);
    }
  });

  test("a session opens what is for operators, from our own pages", async () => {
    const cookie = await signIn();
    const response = await ask(route, { cookie, headers: OWN });
    if (route.listener === "ingest") await expectProblem(response, "browser-origin");
    else expectLetIn(response);
  });

  test("another host's name is refused", async () => {
    const headers = { host: "evil.example", ...(origin === "own" ? OWN : {}) };
    await expectProblem(await ask(route, { headers }), "unknown-host");
  });

  test("a method that is none of its own is 405 and says which are", async () => {
    const address = addressOf(route.path, VALUES);
    const here = WALKED.filter(({ listener, path }) => listener === route.listener && fits(path, address));
    const methods = here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const allowed = [...new Set(methods)].sort();
    const cookie = await signIn();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (allowed.includes(method)) continue;
      const response = await ask(route, { method, cookie, headers: origin === "none" ? {} : OWN });
      expect(response.headers.get("allow")).toBe(allowed.join(", "));
      await expectProblem(response, "method-not-allowed");
    }
  });

  if (confirmed !== undefined) {
    test("asks for the password again when it was last given 30 minutes ago", async () => {
      const cookie = await signIn();
      const keepAlive = { listener: "tower", method: "GET", path: "/settings" } as const;
      expectLetIn(await ask(route, { cookie, headers: OWN, form: confirmed }));
      for (let minutes = 0; minutes < 30; minutes += 15) {
        service.deps.clock.advance(15 * 60_000);
        expect((await ask(keepAlive, { cookie })).status).toBe(200);
        await service.deps.writer.settled();
      }
      const response = await ask(route, { cookie, headers: OWN, form: confirmed });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain('autocomplete="current-password"');
    });
  }

  if (ownMachine === true) {
    test("is answered on this machine, unless a proxy stands between", async () => {
      const peer = "127.0.0.1";
      expect((await ask(route, { peer })).status).toBe(200);
      for (const mark of ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip", "via"]) {
        await expectProblem(await ask(route, { peer, headers: { [mark]: "x" } }), "unauthenticated");
      }
      for (const settings of [
        { TOWER_PUBLIC_URL: "https://tower.example" },
        { TRUSTED_PROXIES: "10.0.0.2" },
        { TRUSTED_AUTH_HEADER: "x-operator" },
      ]) {
        const behind = await testTower({ settings });
        await expectProblem(await ask(route, { peer, on: behind }), "unauthenticated");
        await behind.close();
      }
    });
  }
});
