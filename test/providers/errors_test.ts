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

const data = reportErrors();
const TABLES = { data, adminErrors, queryErrors, listErrors };

describe("errors of every Google API", () => {
  for (const [cause, status, body, fault] of [
    [
      "no token",
      401,
      googleError(401, "UNAUTHENTICATED", "Request is missing required authentication credential.", [
        errorInfo("CREDENTIALS_MISSING"),
      ]),
      "access signed_out credential",
    ],
    [
      "a token that ended",
      401,
      googleError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
      "access signed_out credential",
    ],
    ["an unknown path", 404, HTML_PAGE, "configuration wrong_address credential"],
    [
      "an API that is not enabled",
      403,
      googleError(
        403,
        "PERMISSION_DENIED",
        "Google Analytics Data API has not been used in project 1 before",
        [{ "@type": "type.googleapis.com/google.rpc.Help", links: [] }, errorInfo("SERVICE_DISABLED")],
      ),
      "configuration api_disabled credential",
    ],
    [
      "the same in the older form",
      403,
      legacyError(403, "accessNotConfigured", "Access Not Configured."),
      "configuration api_disabled credential",
    ],
    [
      "a scope too few",
      403,
      googleError(403, "PERMISSION_DENIED", "Request had insufficient authentication scopes.", [
        errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
      ]),
      "access scope_missing credential",
    ],
    [
      "an unknown key",
      400,
      googleError(
        400,
        "INVALID_ARGUMENT",
        'Invalid JSON payload received. Unknown name "foo": Cannot find field.',
      ),
      "configuration request_refused property",
    ],
    [
      "an error of theirs",
      500,
      googleError(500, "INTERNAL", "Internal error encountered."),
      "provider_error provider_failed property",
    ],
    [
      "a service that is away",
      503,
      googleError(503, "UNAVAILABLE", "The service is currently unavailable."),
      "provider_error provider_failed property",
    ],
    ["a gateway's page", 502, HTML_PAGE, "provider_error not_a_report property"],
    [
      "too many, in the older form",
      403,
      legacyError(403, "rateLimitExceeded", "Rate Limit Exceeded"),
      "rate_limit rate_limited credential",
    ],
    [
      "too many of a user",
      403,
      legacyError(403, "userRateLimitExceeded", "User Rate Limit Exceeded"),
      "rate_limit rate_limited credential",
    ],
    [
      "a day's allowance",
      403,
      legacyError(403, "dailyLimitExceeded", "Daily Limit Exceeded"),
      "exhausted_budget account_quota credential",
    ],
    [
      "an error of theirs in the older form",
      503,
      legacyError(503, "backendError", "Backend Error"),
      "provider_error provider_failed property",
    ],
  ] as const) {
    test(`${cause}: ${fault}`, () => {
      for (const [name, errors] of Object.entries(TABLES))
        expect([name, judged(errors, status, body)]).toEqual([name, fault]);
    });
  }

  test("an error is one with status 200, too; without a code of its own it is the provider's", () => {
    const denied = googleError(403, "PERMISSION_DENIED", "no");
    expect(judged(data, 200, denied)).toBe("access property_denied property");
    for (const error of ["broken", {}, [], true, { code: 200 }, { code: "403" }])
      expect([error, judged(data, 200, { error })]).toEqual([
        error,
        "provider_error provider_failed property",
      ]);
    expect(judged(data, 200, { error: null })).toBe("ok");
  });

  test("a name that nobody knows is no name of a table's own", () => {
    for (const name of ["toString", "constructor", "__proto__", ""]) {
      expect(judged(data, 400, googleError(400, name, ""))).toBe("configuration request_refused property");
      expect(judged(data, 403, legacyError(403, name, ""))).toBe("access property_denied property");
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
  const more =
    "To learn more, see https://developers.google.com/analytics/devguides/reporting/data/v1/quotas";
  for (const [message, fault] of [
    [
      `Exhausted property tokens for a project per hour. These quota tokens will return in under an hour. ${more}`,
      "exhausted_budget hourly_quota",
    ],
    [
      `Exhausted property tokens per hour. These quota tokens will return in under an hour. ${more}`,
      "exhausted_budget hourly_quota",
    ],
    [
      `Exhausted property tokens per day. These quota tokens will return in under 24 hours. ${more}`,
      "exhausted_budget daily_quota",
    ],
    [`Exhausted concurrent requests quota. Please try again. ${more}`, "rate_limit too_many_at_once"],
    [`Exhausted potentially thresholded requests quota. ${more}`, "exhausted_budget threshold_quota"],
    [
      "Exhausted client errors quota. These quota tokens will return in under 15 minutes.",
      "rate_limit too_many_refused",
    ],
    ["Exhausted server errors quota for a project per hour.", "provider_error too_many_failures"],
    ["Something else is used up.", "rate_limit rate_limited"],
  ] as const) {
    test(`429 "${message.slice(0, 48)}": ${fault}, of the property`, () => {
      expect(judged(data, 429, googleError(429, "RESOURCE_EXHAUSTED", message))).toBe(`${fault} property`);
      // The reason of the newer form says no more than the status.
      const named = googleError(429, "RESOURCE_EXHAUSTED", message, [errorInfo("RATE_LIMIT_EXCEEDED")]);
      expect(judged(data, 429, named)).toBe(`${fault} property`);
    });
  }

  test("a property that may not be seen, or is not there, is refused access", () => {
    const body = googleError(
      403,
      "PERMISSION_DENIED",
      "User does not have sufficient permissions for this property. To learn more about Property ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.",
    );
    expect(judged(data, 403, body)).toBe("access property_denied property");
  });

  test("the list of properties is refused to the account", () => {
    const body = googleError(403, "PERMISSION_DENIED", "The caller does not have permission");
    expect(judged(adminErrors, 403, body)).toBe("access access_refused credential");
    expect(judged(adminErrors, 429, googleError(429, "RESOURCE_EXHAUSTED", "Quota exceeded"))).toBe(
      "rate_limit rate_limited credential",
    );
  });

  for (const message of [
    "Please remove dateHour to make the request compatible. The request's dimensions & metrics are incompatible.",
    "A dateRange is required.",
    "start_date must be less than or equal to end_date. start_date = 2026-01-02 and end_date = 2026-01-01",
    "Invalid startDate : xx. startDate must be YYYY-MM-DD, NdaysAgo, yesterday, or today.",
    "Requests are limited to 4 dateRanges.\n  This request contains 5 dateRanges.",
    "Requests are limited to 9 dimensions within a nested request. ",
    "Found duplicate dimensions: X",
    "Requests require dimensions and/or metrics. Most requests include both.",
    "limit must be positive. The API received limit = -1",
    "Batch requests are limited to 5 requests.\n  This batch request contains 6 requests.",
    "Invalid property ID: abc. A numeric Property ID is required. To learn more about Property ID, see https://developers.google.com/analytics/devguides/reporting/data/v1/property-id.",
    "Field customEvent:not_asked is not a valid dimension. ",
  ]) {
    test(`400 "${message.slice(0, 40).replace("\n", " ")}": a question that is not taken`, () => {
      const body = googleError(400, "INVALID_ARGUMENT", message);
      expect(judged(data, 400, body)).toBe("configuration request_refused property");
    });
  }

  test("a custom dimension that is not registered is told apart, if it was asked for", () => {
    const field =
      "Field customEvent:error_message is not a valid dimension. For a list of valid dimensions and metrics, see https://x ";
    const asked = reportErrors(["customEvent:error_message"]);
    const fault = "configuration analytics_custom_dimension_unregistered property";
    for (const message of [field, `Did you mean isKeyEvent? ${field}`])
      expect(judged(asked, 400, googleError(400, "INVALID_ARGUMENT", message))).toBe(fault);
    const other = "configuration request_refused property";
    expect(judged(asked, 400, googleError(400, "INVALID_ARGUMENT", field.replace("error_", "other_")))).toBe(
      other,
    );
    expect(
      judged(asked, 400, googleError(400, "INVALID_ARGUMENT", field.replace("dimension", "metric"))),
    ).toBe(other);
    expect(judged(data, 400, googleError(400, "INVALID_ARGUMENT", field))).toBe(other);
  });
});

describe("errors of search console", () => {
  const refused =
    "User does not have sufficient permission for site 'sc-domain:x'. See also: https://support.google.com/webmasters/answer/2451999.";
  const learn = "Learn about usage limits: https://developers.google.com/webmaster-tools/v3/limits.";
  for (const [cause, status, body, fault] of [
    [
      "a site that may not be seen",
      403,
      legacyError(403, "forbidden", refused),
      "access property_denied property",
    ],
    [
      "insufficient permissions",
      403,
      legacyError(403, "insufficientPermissions", "Insufficient Permission"),
      "access property_denied property",
    ],
    [
      "the load quota",
      403,
      legacyError(403, "quotaExceeded", `Search Analytics load quota exceeded. ${learn}`),
      "exhausted_budget load_quota property",
    ],
    [
      "a quota without a name",
      403,
      legacyError(403, "quotaExceeded", "Quota exceeded."),
      "exhausted_budget load_quota property",
    ],
    [
      "too many a second",
      403,
      legacyError(403, "quotaExceeded", `Search Analytics QPS quota exceeded. ${learn}`),
      "rate_limit rate_limited credential",
    ],
    [
      "the same with 429",
      429,
      legacyError(429, "rateLimitExceeded", `Search Analytics QPS quota exceeded. ${learn}`),
      "rate_limit rate_limited credential",
    ],
    [
      "429 without a reason",
      429,
      googleError(429, "RESOURCE_EXHAUSTED", "Quota exceeded"),
      "rate_limit rate_limited credential",
    ],
    [
      "dimensions that do not go together",
      400,
      legacyError(400, "invalidParameter", "Duplicate dimensions are not allowed."),
      "configuration request_refused property",
    ],
    [
      "a bad value",
      400,
      legacyError(400, "badRequest", "Invalid value at 'dimension[0]'"),
      "configuration request_refused property",
    ],
    [
      "a site that is not found",
      404,
      legacyError(404, "notFound", "Not found"),
      "configuration request_refused property",
    ],
  ] as const) {
    test(`${cause}: ${fault}`, () => expect(judged(queryErrors, status, body)).toBe(fault));
  }

  test("the list of sites is refused to the account", () => {
    expect(judged(listErrors, 403, legacyError(403, "forbidden", "Forbidden"))).toBe(
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
