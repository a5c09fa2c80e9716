/** Google's exchange of tokens as it is simulated: what is checked, in which order, and what it answers. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { ANALYTICS, assertionOf, authorized, exchange, GRANT } from "../../support/simulated_google.ts";

const START = Date.UTC(2026, 10, 22, 8);
let now = START;
const simulators = startSimulators({
  now: () => now,
  seed: 1,
  world: { sites: [], accounts: [{ name: "tower" }, { name: "gone" }] },
});
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});
const key = simulators.serviceAccount();
const seconds = START / 1_000;

const CHECKS: readonly (readonly [
  what: string,
  form: () => Record<string, string>,
  error: string,
  description: string,
])[] = [
  [
    "another grant",
    () => ({ grant_type: "password", assertion: "" }),
    "unsupported_grant_type",
    "Invalid grant_type: password",
  ],
  ["no assertion", () => ({ grant_type: GRANT }), "invalid_request", "Bad Request"],
  [
    "an assertion of two parts",
    () => ({ grant_type: GRANT, assertion: "e30.e30" }),
    "invalid_request",
    "Bad Request",
  ],
  [
    "a signature made with another key",
    () => signedBy(simulators.serviceAccount({ wrongKey: true })),
    "invalid_grant",
    "Invalid JWT Signature.",
  ],
  [
    "another algorithm than RS256, before anything that is claimed",
    () => signed({ header: { alg: "HS256" }, claims: { iat: undefined } }),
    "invalid_grant",
    "Invalid JWT Signature.",
  ],
  [
    "an account that nobody has",
    () => signed({ claims: { iss: "nobody@tower-simulated.iam.gserviceaccount.com" } }),
    "invalid_grant",
    "Invalid grant: account not found",
  ],
  [
    "no moment of issue",
    () => signed({ claims: { iat: undefined, scope: "" } }),
    "invalid_grant",
    "Invalid JWT: iat (issued at) is not set.",
  ],
  [
    "no end",
    () => signed({ claims: { exp: undefined } }),
    "invalid_grant",
    "Invalid JWT: exp (expiration time) is not set.",
  ],
  [
    "an end an hour and a minute after the issue",
    () => signed({ claims: { exp: seconds + 3_660 } }),
    "invalid_grant",
    REASONABLE(),
  ],
  [
    "a clock that is a quarter of an hour ahead",
    () => signed({ claims: { iat: seconds + 900, exp: seconds + 4_500 } }),
    "invalid_grant",
    REASONABLE(),
  ],
  [
    "what ended long ago, before its scope is looked at",
    () => signed({ claims: { iat: seconds - 9_000, exp: seconds - 5_400, scope: "" } }),
    "invalid_grant",
    REASONABLE(),
  ],
  [
    "no scope, before its audience is looked at",
    () => signed({ claims: { scope: "", aud: "https://elsewhere.example/token" } }),
    "invalid_scope",
    "Invalid OAuth scope or ID token audience provided.",
  ],
  [
    "another audience",
    () => signed({ claims: { aud: "https://elsewhere.example/token" } }),
    "invalid_grant",
    "Invalid JWT: Failed audience check.",
  ],
];

function REASONABLE(): string {
  return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.";
}
function signedBy(keyFile: string): Record<string, string> {
  return { grant_type: GRANT, assertion: assertionOf(keyFile, START) };
}
function signed(change: Parameters<typeof assertionOf>[2]): Record<string, string> {
  return { grant_type: GRANT, assertion: assertionOf(key, START, change) };
}

describe("the simulated exchange of tokens", () => {
  test.each(CHECKS)("refuses %s", async (_, form, error, description) => {
    const answer = await exchange(simulators, form());
    expect([answer.status, await answer.json()]).toEqual([400, { error, error_description: description }]);
  });

  test("gives a token for what an account's own key has signed, and counts what it gave", async () => {
    simulators.forget();
    const answer = await exchange(simulators, signedBy(key));
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^ya29\.c\.[0-9a-f]{96}$/),
        expires_in: 3_599,
        token_type: "Bearer",
      },
    ]);
    expect(simulators.exchanges).toBe(1);
  });

  test("takes its own address as the audience, which is what the key file names", async () => {
    const aud = (JSON.parse(key) as { token_uri: string }).token_uri;
    expect(aud).toBe(`${simulators.urls.token}/token`);
    expect((await exchange(simulators, signed({ claims: { aud } }))).status).toBe(200);
  });

  test.each([
    [
      "a scope that nobody knows beside a known one",
      () => signed({ claims: { scope: `${ANALYTICS} https://www.googleapis.com/auth/analytics.all` } }),
      () => undefined,
    ],
    [
      "whatever, while that is all it gives",
      () => signedBy(key),
      () => simulators.script({ kind: "id-token-only" }),
    ],
  ])("answers 200 without an access token to %s", async (_, form, before) => {
    before();
    const answer = await exchange(simulators, form());
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([200, ["id_token"]]);
  });

  test("refuses a key that was replaced, and an account that was deleted", async () => {
    const own = simulators.serviceAccount({ account: "gone" });
    simulators.accounts.rotateKey("gone");
    const said = async (keyFile: string) =>
      ((await (await exchange(simulators, signedBy(keyFile))).json()) as { error_description?: string })
        .error_description;
    expect(await said(own)).toBe("Invalid JWT Signature.");
    const next = simulators.serviceAccount({ account: "gone" });
    expect(await said(next)).toBeUndefined();
    simulators.accounts.deleteAccount("gone");
    expect(await said(next)).toBe("Invalid grant: account not found");
  });

  test("is a page for people while what lies behind it is away", async () => {
    simulators.script({ kind: "html", status: 502 }, { server: "token" });
    const answer = await exchange(simulators, signedBy(key));
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      502,
      "text/html; charset=UTF-8",
      expect.stringContaining("Error 502 (Server Error)!!1"),
    ]);
  });

  test("gives tokens that end by the clock", async () => {
    const headers = await authorized(simulators, now);
    const ask = async () =>
      (await fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites`, { headers })).status;
    now = START + 3_598_000;
    expect(await ask()).toBe(200);
    now = START + 3_599_000;
    expect(await ask()).toBe(401);
  });
});
