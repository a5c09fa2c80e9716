/** The order in which an answer is judged, and what each step of it comes to. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { HttpFailureKind, HttpResponse, HttpResult } from "../../src/base/http_client.ts";
import { type ErrorTable, readAnswer } from "../../src/providers/answers.ts";
import { faultOf } from "../../src/providers/faults.ts";
import { answered, HTML_PAGE, unanswered } from "../support/http.ts";
import { recordEach } from "../support/mixtures.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
/** A provider with one error of its own. */
const errors: ErrorTable = ({ json }) =>
  typeof json === "object" && json !== null && "mine" in json ? faultOf("load_quota") : undefined;

function judged(result: HttpResult): string {
  const outcome = readAnswer(result, errors, NOW);
  return outcome.ok ? "ok" : `${outcome.fault.category} ${outcome.fault.code}`;
}

const FAILURES: Readonly<Record<HttpFailureKind, true>> = {
  ...{ refused: true, dns: true, tls: true, reset: true, connection: true, timeout: true },
  ...{ cut: true, encoding: true, aborted: true, redirect: true, address: true, "too-large": true },
};
const STATUSES = [200, 202, 304, 400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504];
/** Pages, JSON that ends early or is broken, the provider's own error, and what tells of none. */
const BODIES = [
  ...[HTML_PAGE, "", " ", "upstream error", "true story", "503 Service Unavailable", "\n<html>"],
  ...['{"rows":[{"va', "[", '{"rows":[1,2', '"half', ' {"a":tru', ' "{'],
  ...['{"rows":[1 2]}', "{rows:1}", '{"a":1}}', '{"a":1}{', "[1,]", '{"a":"\n"}'],
  ...['{"mine":1}', '{"mine":1,"rows":[', '{"rows":[', '{"else":1}', ' {"rows":[]}', "{}"],
];

test("an answer is judged in one order: the connection, a page, its end, broken JSON, the provider's own error, the status; recorded", () => {
  recordEach(Object.keys(FAILURES) as HttpFailureKind[], (failure) => judged(unanswered(failure)));
  recordEach(BODIES, (text) =>
    STATUSES.map((status) => {
      const whole = answered(status, text, { "content-type": "application/json" }) as HttpResponse;
      // One that went into a file and is too large to be looked at whole is known by its beginning.
      return `${status}: ${judged(whole)}, large ${judged({ ...whole, isWhole: false })}`;
    }),
  );
});

test("what is none of these is a body to be read, whatever its type says", () => {
  const outcome = readAnswer(answered(200, ' {"rows":[]}', { "content-type": "text/html" }), errors, NOW);
  expect(outcome).toEqual({ ok: true, value: { text: ' {"rows":[]}', json: { rows: [] } } });
});

test("what a server asks for with Retry-After goes with the fault, where it is a time ahead", () => {
  const asked = (header: string, status = 429, body: unknown = { else: 1 }) => {
    const outcome = readAnswer(answered(status, body, { "retry-after": header }), errors, NOW);
    return outcome.ok ? "ok" : outcome.fault.retryAfterMs;
  };
  expect(asked("90")).toBe(90_000);
  expect(asked("Sun, 22 Nov 2026 08:02:00 GMT")).toBe(120_000);
  expect(asked("90", 429, HTML_PAGE)).toBe(90_000);
  expect(asked("999999999")).toBe(86_400_000);
  for (const header of ["soon", "-1", "0", "Sun, 22 Nov 2026 07:00:00 GMT"])
    expect(asked(header)).toBeUndefined();
});

test("no answer whatever is a success with a status that tells of an error, and none throws", () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, text) => {
      const outcome = readAnswer(answered(status, text), errors, NOW);
      expect(outcome.ok && status >= 300).toBe(false);
    }),
  );
});
