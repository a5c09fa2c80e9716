/** Google's exchange of tokens as it is simulated: what is checked, in which order, and what it answers, recorded. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { assertionOf, exchange, GRANT, recorded } from "../../support/simulated_google.ts";

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

type Change = Parameters<typeof assertionOf>[2];
const signed = (change: Change, by = key) => ({
  grant_type: GRANT,
  assertion: assertionOf(by, START, change),
});
const claiming = (claims: object) => signed({ claims: { ...claims } });
const ELSEWHERE = "https://elsewhere.example/token";
const CHECKS: readonly (readonly [what: string, form: () => Record<string, string>])[] = [
  ["another grant", () => ({ grant_type: "password", assertion: "" })],
  ["no assertion", () => ({ grant_type: GRANT })],
  ["an assertion of two parts", () => ({ grant_type: GRANT, assertion: "e30.e30" })],
  ["a signature made with another key", () => signed({}, simulators.serviceAccount({ wrongKey: true }))],
  [
    "another algorithm than RS256, before anything that is claimed",
    () => signed({ header: { alg: "HS256" }, claims: { iat: undefined } }),
  ],
  ["an account that nobody has", () => claiming({ iss: "nobody@tower-simulated.iam.gserviceaccount.com" })],
  ["no moment of issue", () => claiming({ iat: undefined, scope: "" })],
  ["no end", () => claiming({ exp: undefined })],
  ["an end an hour and a minute after the issue", () => claiming({ exp: seconds + 3_660 })],
  [
    "a clock that is a quarter of an hour ahead",
    () => claiming({ iat: seconds + 900, exp: seconds + 4_500 }),
  ],
  [
    "what ended long ago, before its scope is looked at",
    () => claiming({ iat: seconds - 9_000, exp: seconds - 5_400, scope: "" }),
  ],
  ["no scope, before its audience is looked at", () => claiming({ scope: "", aud: ELSEWHERE })],
  ["another audience", () => claiming({ aud: ELSEWHERE })],
];

describe("the simulated exchange of tokens", () => {
  test.each(CHECKS)("refuses %s", async (_, form) => {
    expect((await recorded(exchange(simulators, form()))).status).toBe(400);
  });

  test("refuses a key that was replaced, and an account that was deleted", async () => {
    const own = simulators.serviceAccount({ account: "gone" });
    simulators.accounts.rotateKey("gone");
    const said = async (keyFile: string) =>
      ((await (await exchange(simulators, signed({}, keyFile))).json()) as { error_description?: string })
        .error_description;
    expect(await said(own)).toBe("Invalid JWT Signature.");
    const next = simulators.serviceAccount({ account: "gone" });
    expect(await said(next)).toBeUndefined();
    simulators.accounts.deleteAccount("gone");
    expect(await said(next)).toBe("Invalid grant: account not found");
  });
});
