/** What holds of every error of Google's APIs; what code each becomes is recorded in `any_answer_test.ts`. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { reportErrors } from "../../src/providers/analytics.ts";
import { adminErrors } from "../../src/providers/analytics_properties.ts";
import { type ErrorTable, readAnswer } from "../../src/providers/answers.ts";
import { listErrors, queryErrors } from "../../src/providers/search_console.ts";
import { answered, googleError, legacyError } from "../support/http.ts";

function judged(errors: ErrorTable, status: number, body: unknown): string {
  const outcome = readAnswer(answered(status, body), errors, 0);
  if (outcome.ok) return "ok";
  const { category, code, scope } = outcome.fault;
  return `${category} ${code} ${scope}`;
}

/** An error in the newer form of Google's. */
const newer = (status: number, name: string, message: string) =>
  [status, googleError(status, name, message)] as const;
/** The same in the older form. */
const older = (status: number, reason: string, message: string) =>
  [status, legacyError(status, reason, message)] as const;

const data = reportErrors();
const TABLES = { data, adminErrors, queryErrors, listErrors };

const THEIRS = "provider_error provider_failed property";
const REFUSED = "configuration request_refused property";
const DENIED = "access property_denied property";

describe("errors of every Google API", () => {
  test("an error is one with status 200, too; without a code of its own it is the provider's", () => {
    const denied = googleError(403, "PERMISSION_DENIED", "no");
    expect(judged(data, 200, denied)).toBe(DENIED);
    for (const error of ["broken", {}, [], true, { code: 200 }, { code: "403" }])
      expect([error, judged(data, 200, { error })]).toEqual([error, THEIRS]);
    expect(judged(data, 200, { error: null })).toBe("ok");
  });

  test("a name that nobody knows is no name of a table's own", () => {
    for (const name of ["toString", "constructor", "__proto__", ""]) {
      expect(judged(data, ...newer(400, name, ""))).toBe(REFUSED);
      expect(judged(data, ...older(403, name, ""))).toBe(DENIED);
    }
  });

  test("how long to wait stands in the error, where no header says it", () => {
    const body = googleError(429, "RESOURCE_EXHAUSTED", "", [{ retryDelay: "2.460s" }]);
    const wait = (headers: Record<string, string>) => {
      const outcome = readAnswer(answered(429, body, headers), data, 0);
      return outcome.ok ? undefined : outcome.fault.retryAfterMs;
    };
    expect(wait({})).toBe(2_460);
    expect(wait({ "retry-after": "7" })).toBe(7_000);
    for (const retryDelay of ["soon", "-1s", "0s", 5, "99999999999s"]) {
      const other = googleError(429, "RESOURCE_EXHAUSTED", "", [{ retryDelay }]);
      const outcome = readAnswer(answered(429, other), data, 0);
      expect(outcome).toMatchObject({ ok: false });
      expect(!outcome.ok && outcome.fault.retryAfterMs).toBeUndefined();
    }
  });
});

test("no error whatever makes a table throw, or says a word of the provider's", () => {
  const envelope = fc.record({
    error: fc.oneof(
      fc.jsonValue(),
      fc.record({
        code: fc.jsonValue(),
        message: fc.constant("s3cret"),
        status: fc.jsonValue(),
        details: fc.jsonValue(),
        errors: fc.jsonValue(),
      }),
    ),
  });
  fc.assert(
    fc.property(fc.constantFrom(200, 400, 403, 429, 500), envelope, (status, body) => {
      for (const errors of Object.values(TABLES)) {
        const outcome = readAnswer(answered(status, body), errors, 0);
        if (!outcome.ok) expect(JSON.stringify(outcome)).not.toContain("s3cret");
        else expect(body.error).toBeNull();
      }
    }),
  );
});
