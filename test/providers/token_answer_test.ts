/** What the token exchange comes to. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseToken } from "../../src/providers/google.ts";
import { answered, HTML_PAGE } from "../support/http.ts";
import { recordEach } from "../support/mixtures.ts";

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
  const words = [
    ...["Invalid JWT Signature.", "Invalid grant: account not found", "Invalid JWT: Failed audience check."],
    ...["Invalid JWT: iat (issued at) is not set.", "Invalid JWT: exp (expiration time) is not set."],
    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
  ];
  const others = [
    "unsupported_grant_type",
    "invalid_request",
    "invalid_scope",
    "new_error",
    "internal_failure",
  ];

  test("says what is wrong with the key, the account, the clock or the request; an outage is the provider's; recorded", () => {
    recordEach([...words, undefined].map(grant), (body) => outcome(400, body));
    recordEach(others, (error) => [400, 500].map((status) => outcome(status, { error })));
    recordEach([429, 503], (status) => outcome(status, grant()));
    expect(outcome(502, HTML_PAGE)).toBe("provider_error not_a_report property");
  });

  test("no answer whatever makes it throw", () => {
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 401, 500), fc.oneof(fc.json(), fc.string()), (status, text) => {
        expect(typeof outcome(status, text)).toBe("string");
      }),
    );
  });
});
