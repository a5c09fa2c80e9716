/** What code each provider's errors become, of Google's over statuses, names and reasons in both forms, recorded (`test/support/mixtures.ts`). */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { reportErrors } from "../../src/providers/analytics.ts";
import { adminErrors } from "../../src/providers/analytics_properties.ts";
import { readAnswer } from "../../src/providers/answers.ts";
import { listErrors, queryErrors } from "../../src/providers/search_console.ts";
import { serpErrors } from "../../src/providers/serp.ts";
import { webmasterToolsErrors } from "../../src/providers/webmaster_tools.ts";
import { answered, errorInfo, googleError, HTML_PAGE, legacyError } from "../support/http.ts";
import { recordEach } from "../support/mixtures.ts";

const STATUSES = [200, 400, 403, 404, 500];
const NAMES =
  "INVALID_ARGUMENT UNAUTHENTICATED PERMISSION_DENIED NOT_FOUND RESOURCE_EXHAUSTED INTERNAL UNAVAILABLE OTHER".split(
    " ",
  );
const REASONS = "SERVICE_DISABLED ACCESS_TOKEN_EXPIRED RATE_LIMIT_EXCEEDED OTHER".split(" ");
const LEGACY =
  "forbidden insufficientPermissions quotaExceeded rateLimitExceeded userRateLimitExceeded accessNotConfigured authError backendError other".split(
    " ",
  );
const MESSAGES = ["", "Exhausted property tokens per hour.", "Search Analytics load quota exceeded."];
/** What is told of a quota, or of a question that is not taken, in words alone. */
const TOLD = [
  "Exhausted property tokens for a project per hour. These quota tokens will return in under an hour.",
  "Exhausted property tokens per day. They will return in under 24 hours.",
  "Exhausted concurrent requests quota. Please try again.",
  "Exhausted potentially thresholded requests quota.",
  "Exhausted client errors quota. They will return in 15 minutes.",
  "Exhausted server errors quota for a project per hour.",
  "Something else is used up.",
  "Search Analytics QPS quota exceeded. Learn about usage limits: https://x",
];
const FIELD = "Field customEvent:error_message is not a valid dimension. For a list, see https://x ";
const REFUSED = [
  ...[
    "A dateRange is required.",
    "Invalid property ID: abc.",
    'Unknown name "foo": Cannot find field.',
    FIELD,
  ],
  ...[
    `Did you mean isKeyEvent? ${FIELD}`,
    FIELD.replace("error_", "other_"),
    FIELD.replace("dimension", "metric"),
  ],
];
const HELP = { "@type": "type.googleapis.com/google.rpc.Help", links: [] };

const bodies = STATUSES.flatMap((status) => [
  [status, "a text"] as const,
  [status, {}] as const,
  ...NAMES.flatMap((name) =>
    MESSAGES.map((message) => [status, googleError(status, name, message)] as const),
  ),
  ...REASONS.map(
    (reason) => [status, googleError(status, "OTHER", "", [errorInfo("FIRST"), errorInfo(reason)])] as const,
  ),
  ...LEGACY.flatMap((reason) =>
    MESSAGES.map((message) => [status, legacyError(status, reason, message)] as const),
  ),
]);

const others = [
  ...TOLD.flatMap((message) => [
    [429, googleError(429, "RESOURCE_EXHAUSTED", message)] as const,
    [429, googleError(429, "RESOURCE_EXHAUSTED", message, [errorInfo("RATE_LIMIT_EXCEEDED")])] as const,
    [403, legacyError(403, "quotaExceeded", message)] as const,
  ]),
  ...REFUSED.map((message) => [400, googleError(400, "INVALID_ARGUMENT", message)] as const),
  ...[404, 502].map((status) => [status, HTML_PAGE] as const),
  ...["SERVICE_DISABLED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"].map(
    (reason) => [403, googleError(403, "PERMISSION_DENIED", "", [HELP, errorInfo(reason)])] as const,
  ),
  [401, googleError(401, "UNAUTHENTICATED", "", [errorInfo("CREDENTIALS_MISSING")])] as const,
  ...["dailyLimitExceeded", "invalidParameter", "badRequest", "notFound"].flatMap((reason) =>
    [400, 403, 404].map((status) => [status, legacyError(status, reason, "")] as const),
  ),
  // Names that a table of names would know by itself, and errors without a code.
  ...["toString", "constructor", "__proto__", ""].flatMap((name) => [
    [400, googleError(400, name, "")] as const,
    [403, legacyError(403, name, "")] as const,
  ]),
  ...["broken", {}, [], true, null, { code: 200 }, { code: "403" }].map((error) => [200, { error }] as const),
  [
    403,
    { error: { code: 403, message: "QPS", errors: [{ reason: "other" }, { reason: "quotaExceeded" }] } },
  ] as const,
];

const TABLES = [
  ["reports", reportErrors()],
  ["reports of registered parameters", reportErrors(["customEvent:error_message"])],
  ["properties", adminErrors],
  ["queries", queryErrors],
  ["sites", listErrors],
] as const;

test.each(TABLES)("of %s", (_, errors) => {
  recordEach([...bodies, ...others], ([status, body]) => {
    const read = readAnswer(answered(status, body, { "retry-after": "90" }), errors, 0);
    return read.ok ? "good" : read.fault;
  });
});

test("how long to wait stands in the error, where no header says it: recorded", () => {
  recordEach(["2.460s", "soon", "-1s", "0s", 5, "99999999999s"], (retryDelay) =>
    [{}, { "retry-after": "7" }].map((headers) => {
      const body = googleError(429, "RESOURCE_EXHAUSTED", "", [{ retryDelay }]);
      const read = readAnswer(answered(429, body, headers), reportErrors(), 0);
      return read.ok ? "good" : [read.fault.code, read.fault.retryAfterMs];
    }),
  );
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
      for (const [, errors] of TABLES) {
        const outcome = readAnswer(answered(status, body), errors, 0);
        if (!outcome.ok) expect(JSON.stringify(outcome)).not.toContain("s3cret");
        else expect(body.error).toBeNull();
      }
    }),
  );
});

test("of webmaster tools, as a number and as text, wrapped or not, with 400 and 200", () => {
  const codes = Array.from({ length: 19 }, (_, code) => code);
  recordEach([...codes, 999, null, "", "x", {}, 1.5, -3, "constructor"], (code) =>
    [code, String(code)].flatMap((ErrorCode) =>
      [{ ErrorCode }, { ErrorCode, d: [] }, JSON.stringify(JSON.stringify({ ErrorCode }))].flatMap((body) =>
        [400, 200].map((status) => {
          const read = readAnswer(answered(status, body), webmasterToolsErrors, 0);
          return read.ok ? "good" : `${read.fault.code} ${read.fault.scope}`;
        }),
      ),
    ),
  );
});

const SERP = [
  ...[10_000, 20_000, 20_100, 40_100, 40_101, 40_102, 40_103, 40_104, 40_106, 40_200, 40_201, 40_202, 40_203],
  ...[40_209, 40_210, 40_400, 40_401, 40_402, 40_403, 40_501, 40_601, 40_602, 49_999, 50_000, 50_401],
];
test("of search panels, in the envelope as in the one task", () => {
  expect(readAnswer(answered(200, {}), serpErrors, 0)).toMatchObject({
    fault: { code: "unexpected_report" },
  });
  recordEach(SERP, (code) =>
    [
      [code, 20_000],
      [20_000, code],
    ].map(([envelope, task]) => {
      const json = { status_code: envelope, tasks_error: 0, tasks: [{ status_code: task }] };
      const read = readAnswer(answered(200, json), serpErrors, 0);
      return read.ok ? "good" : read.fault.code;
    }),
  );
});
