/** The tables of errors of Google's APIs, row by row. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { reportErrors } from "../../src/providers/analytics.ts";
import { adminErrors } from "../../src/providers/analytics_properties.ts";
import { type ErrorTable, readAnswer } from "../../src/providers/answers.ts";
import { listErrors, queryErrors } from "../../src/providers/search_console.ts";
import { answered, errorInfo, googleError, HTML_PAGE, legacyError } from "../support/http.ts";

function judged(errors: ErrorTable, status: number, body: unknown): string {
  const outcome = readAnswer(answered(status, body), errors, 0);
  if (outcome.ok) return "ok";
  const { category, code, scope } = outcome.fault;
  return `${category} ${code} ${scope}`;
}

/** An error in the newer form of Google's, with the reason in its details where one is given. */
const newer = (status: number, name: string, message: string, reason?: string, details: object[] = []) =>
  [
    status,
    googleError(status, name, message, [...details, ...(reason === undefined ? [] : [errorInfo(reason)])]),
  ] as const;
/** The same in the older form. */
const older = (status: number, reason: string, message: string) =>
  [status, legacyError(status, reason, message)] as const;

const data = reportErrors();
const TABLES = { data, adminErrors, queryErrors, listErrors };

const SIGNED_OUT = "access signed_out credential";
const NOT_ENABLED = "configuration api_disabled credential";
const TOO_MANY = "rate_limit rate_limited credential";
const THEIRS = "provider_error provider_failed property";
const REFUSED = "configuration request_refused property";
const DENIED = "access property_denied property";
const HELP = { "@type": "type.googleapis.com/google.rpc.Help", links: [] };

describe("errors of every Google API", () => {
  for (const [cause, [status, body], fault] of [
    ["no token", newer(401, "UNAUTHENTICATED", "Request is missing …", "CREDENTIALS_MISSING"), SIGNED_OUT],
    ["a token that ended", newer(401, "UNAUTHENTICATED", "Request had invalid …"), SIGNED_OUT],
    ["an unknown path", [404, HTML_PAGE], "configuration wrong_address credential"],
    [
      "an API that is not enabled",
      newer(403, "PERMISSION_DENIED", "It has not been used before", "SERVICE_DISABLED", [HELP]),
      NOT_ENABLED,
    ],
    ["the same in the older form", older(403, "accessNotConfigured", "Access Not Configured."), NOT_ENABLED],
    [
      "a scope too few",
      newer(403, "PERMISSION_DENIED", "Insufficient scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
      "access scope_missing credential",
    ],
    ["an unknown key", newer(400, "INVALID_ARGUMENT", 'Unknown name "foo": Cannot find field.'), REFUSED],
    ["an error of theirs", newer(500, "INTERNAL", "Internal error encountered."), THEIRS],
    ["a service that is away", newer(503, "UNAVAILABLE", "The service is currently unavailable."), THEIRS],
    ["a gateway's page", [502, HTML_PAGE], "provider_error not_a_report property"],
    ["too many, in the older form", older(403, "rateLimitExceeded", "Rate Limit Exceeded"), TOO_MANY],
    ["too many of a user", older(403, "userRateLimitExceeded", "User Rate Limit Exceeded"), TOO_MANY],
    [
      "a day's allowance",
      older(403, "dailyLimitExceeded", "Daily Limit Exceeded"),
      "exhausted_budget account_quota credential",
    ],
    ["an error of theirs in the older form", older(503, "backendError", "Backend Error"), THEIRS],
  ] as const) {
    test(`${cause}: ${fault}`, () => {
      for (const [name, errors] of Object.entries(TABLES))
        expect([name, judged(errors, status, body)]).toEqual([name, fault]);
    });
  }

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

describe("errors of analytics", () => {
  const hour = "These quota tokens will return in under an hour. To learn more, see https://x";
  for (const [message, fault] of [
    [`Exhausted property tokens for a project per hour. ${hour}`, "exhausted_budget hourly_quota"],
    [`Exhausted property tokens per hour. ${hour}`, "exhausted_budget hourly_quota"],
    [
      "Exhausted property tokens per day. They will return in under 24 hours.",
      "exhausted_budget daily_quota",
    ],
    ["Exhausted concurrent requests quota. Please try again.", "rate_limit too_many_at_once"],
    ["Exhausted potentially thresholded requests quota.", "exhausted_budget threshold_quota"],
    ["Exhausted client errors quota. They will return in 15 minutes.", "rate_limit too_many_refused"],
    ["Exhausted server errors quota for a project per hour.", "provider_error too_many_failures"],
    ["Something else is used up.", "rate_limit rate_limited"],
  ] as const) {
    test(`429 "${message.slice(0, 48)}": ${fault}, of the property`, () => {
      // The reason of the newer form says no more than the status.
      for (const reason of [undefined, "RATE_LIMIT_EXCEEDED"])
        expect(judged(data, ...newer(429, "RESOURCE_EXHAUSTED", message, reason))).toBe(`${fault} property`);
    });
  }

  test("a property that may not be seen, or is not there, is refused access", () => {
    const message = "User does not have sufficient permissions for this property.";
    expect(judged(data, ...newer(403, "PERMISSION_DENIED", message))).toBe(DENIED);
  });

  test("the list of properties is refused to the account", () => {
    const denied = newer(403, "PERMISSION_DENIED", "The caller does not have permission");
    expect(judged(adminErrors, ...denied)).toBe("access access_refused credential");
    expect(judged(adminErrors, ...newer(429, "RESOURCE_EXHAUSTED", "Quota exceeded"))).toBe(TOO_MANY);
  });

  test("400 is a question that is not taken, whatever is wrong with it", () => {
    for (const message of [
      "Please remove dateHour to make the request compatible.",
      "A dateRange is required.",
      "Requests are limited to 4 dateRanges.\n  This request contains 5 dateRanges.",
      "Invalid property ID: abc. A numeric Property ID is required.",
      "Field customEvent:not_asked is not a valid dimension. ",
    ])
      expect(judged(data, ...newer(400, "INVALID_ARGUMENT", message))).toBe(REFUSED);
  });

  test("a custom dimension that is not registered is told apart, if it was asked for", () => {
    const field = "Field customEvent:error_message is not a valid dimension. For a list, see https://x ";
    const asked = reportErrors(["customEvent:error_message"]);
    const of = (errors: ErrorTable, message: string) =>
      judged(errors, ...newer(400, "INVALID_ARGUMENT", message));
    for (const message of [field, `Did you mean isKeyEvent? ${field}`])
      expect(of(asked, message)).toBe("configuration analytics_custom_dimension_unregistered property");
    expect(of(asked, field.replace("error_", "other_"))).toBe(REFUSED);
    expect(of(asked, field.replace("dimension", "metric"))).toBe(REFUSED);
    expect(of(data, field)).toBe(REFUSED);
  });
});

describe("errors of search console", () => {
  const load = "exhausted_budget load_quota property";
  const learn = "Learn about usage limits: https://developers.google.com/webmaster-tools/v3/limits.";
  for (const [cause, [status, body], fault] of [
    ["a site that may not be seen", older(403, "forbidden", "No permission for site 'sc-domain:x'."), DENIED],
    ["insufficient permissions", older(403, "insufficientPermissions", "Insufficient Permission"), DENIED],
    ["the load quota", older(403, "quotaExceeded", `Search Analytics load quota exceeded. ${learn}`), load],
    ["a quota without a name", older(403, "quotaExceeded", "Quota exceeded."), load],
    [
      "too many a second",
      older(403, "quotaExceeded", `Search Analytics QPS quota exceeded. ${learn}`),
      TOO_MANY,
    ],
    [
      "a quota among other reasons",
      [
        403,
        { error: { code: 403, message: "QPS", errors: [{ reason: "other" }, { reason: "quotaExceeded" }] } },
      ],
      TOO_MANY,
    ],
    ["the same with 429", older(429, "rateLimitExceeded", "Search Analytics QPS quota exceeded."), TOO_MANY],
    ["429 without a reason", newer(429, "RESOURCE_EXHAUSTED", "Quota exceeded"), TOO_MANY],
    ["dimensions that do not go together", older(400, "invalidParameter", "Duplicate dimensions."), REFUSED],
    ["a bad value", older(400, "badRequest", "Invalid value at 'dimension[0]'"), REFUSED],
    ["a site that is not found", older(404, "notFound", "Not found"), REFUSED],
  ] as const) {
    test(`${cause}: ${fault}`, () => expect(judged(queryErrors, status, body)).toBe(fault));
  }

  test("the list of sites is refused to the account", () => {
    expect(judged(listErrors, ...older(403, "forbidden", "Forbidden"))).toBe(
      "access access_refused credential",
    );
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
