/** What code each of Google's errors becomes, over statuses, names and reasons in both forms, recorded (`test/support/mixtures.ts`). */

import { test } from "bun:test";
import { reportErrors } from "../../src/providers/analytics.ts";
import { adminErrors } from "../../src/providers/analytics_properties.ts";
import { readAnswer } from "../../src/providers/answers.ts";
import { listErrors, queryErrors } from "../../src/providers/search_console.ts";
import { answered, errorInfo, googleError, legacyError } from "../support/http.ts";
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

test.each([
  ["reports", reportErrors()],
  ["properties", adminErrors],
  ["queries", queryErrors],
  ["sites", listErrors],
] as const)("of %s", (_, errors) => {
  recordEach(bodies, ([status, body]) => {
    const read = readAnswer(answered(status, body, { "retry-after": "90" }), errors, 0);
    return read.ok ? "good" : read.fault;
  });
});
