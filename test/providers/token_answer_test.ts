/** The table of the token exchange, row by row. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseToken } from "../../src/providers/google.ts";
import { answered, HTML_PAGE } from "../support/http.ts";

const NOW = 0;
const outcome = (status: number, body: unknown) => {
  const read = parseToken(answered(status, body), NOW);
  return read.ok ? "ok" : `${read.fault.category} ${read.fault.code} ${read.fault.scope}`;
};

describe("a token", () => {
  test("is the access token, for as long as it says", () => {
    const body = { access_token: "ya29.c.x", expires_in: 3_599, token_type: "Bearer" };
    expect(parseToken(answered(200, body), NOW)).toEqual({
      ok: true,
      value: { token: "ya29.c.x", lastsMs: 3_599_000 },
    });
    const lasts = (expires_in: unknown) => {
      const read = parseToken(answered(200, { access_token: "a", expires_in }), NOW);
      return read.ok && read.value.lastsMs;
    };
    expect([lasts(60), lasts("3599"), lasts(1e9)]).toEqual([60_000, 3_599_000, 86_400_000]);
    for (const unsaid of [undefined, 0, -1, "soon", null, {}]) expect(lasts(unsaid)).toBe(300_000);
  });

  test("is never something else in its place", () => {
    for (const body of [
      { id_token: "eyJ.x.y" },
      {},
      [],
      { access_token: "" },
      { access_token: null },
      { access_token: 7 },
      { access_token: "two words" },
      { access_token: "a\nb" },
      { access_token: "a", token_type: "mac" },
    ])
      expect([body, outcome(200, body)]).toEqual([body, "configuration no_access_token credential"]);
  });
});

describe("an exchange that is refused", () => {
  const grant = (error_description?: string) => ({ error: "invalid_grant", error_description });
  for (const [cause, body, fault] of [
    [
      "grant type",
      { error: "unsupported_grant_type", error_description: "Invalid grant_type: x" },
      "configuration token_request_refused",
    ],
    [
      "malformed assertion",
      { error: "invalid_request", error_description: "Bad Request" },
      "configuration token_request_refused",
    ],
    ["wrong signature", grant("Invalid JWT Signature."), "access key_refused"],
    ["unknown account", grant("Invalid grant: account not found"), "access account_gone"],
    ["no iat", grant("Invalid JWT: iat (issued at) is not set."), "configuration token_request_refused"],
    [
      "no exp",
      grant("Invalid JWT: exp (expiration time) is not set."),
      "configuration token_request_refused",
    ],
    [
      "clock skew",
      grant(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
      ),
      "configuration clock_skew",
    ],
    [
      "empty scope",
      { error: "invalid_scope", error_description: "Invalid OAuth scope or ID token audience provided." },
      "configuration token_request_refused",
    ],
    ["wrong audience", grant("Invalid JWT: Failed audience check."), "configuration token_request_refused"],
    ["a grant without words", grant(), "access key_refused"],
    ["an error nobody knows", { error: "new_error" }, "configuration token_request_refused"],
  ] as const) {
    test(`${cause}: ${fault}`, () => expect(outcome(400, body)).toBe(`${fault} credential`));
  }

  test("an outage is the provider's, whatever it is written in", () => {
    expect(outcome(502, HTML_PAGE)).toBe("provider_error not_a_report property");
    expect(outcome(500, { error: "internal_failure" })).toBe("provider_error provider_failed property");
    expect(outcome(503, { error: "invalid_grant" })).toBe("provider_error provider_failed property");
    expect(outcome(429, { error: "rate_limit_exceeded" })).toBe("rate_limit rate_limited credential");
    expect(outcome(429, { error: "invalid_grant" })).toBe("rate_limit rate_limited credential");
  });

  test("no answer whatever makes it throw", () => {
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 401, 500), fc.oneof(fc.json(), fc.string()), (status, text) => {
        expect(typeof outcome(status, text)).toBe("string");
      }),
    );
  });
});
