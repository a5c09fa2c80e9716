/** The order in which an answer is judged, and what each step of it comes to. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { HttpFailureKind, HttpResponse, HttpResult } from "../../src/base/http_client.ts";
import { type ErrorTable, readAnswer } from "../../src/providers/answers.ts";
import { faultOf } from "../../src/providers/faults.ts";
import { answered, HTML_PAGE, unanswered } from "../support/http.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
/** A provider with one error of its own. */
const errors: ErrorTable = ({ json }) =>
  typeof json === "object" && json !== null && "mine" in json ? faultOf("load_quota") : undefined;

function judged(result: HttpResult): string {
  const outcome = readAnswer(result, errors, NOW);
  return outcome.ok ? "ok" : `${outcome.fault.category} ${outcome.fault.code}`;
}

describe("an answer is judged in one order", () => {
  test("1 and 2: what the connection did, before any status", () => {
    const said: Readonly<Record<HttpFailureKind, string>> = {
      refused: "network connection_refused",
      dns: "network host_unknown",
      tls: "network no_secure_connection",
      reset: "network connection_lost",
      connection: "network connection_lost",
      timeout: "network timed_out",
      cut: "network answer_cut_off",
      encoding: "network answer_garbled",
      aborted: "monitoring_failure stopped",
      redirect: "configuration redirected",
      address: "configuration wrong_address",
      "too-large": "invalid_report report_too_large",
    };
    for (const [failure, fault] of Object.entries(said))
      expect([failure, judged(unanswered(failure as HttpFailureKind))]).toEqual([failure, fault]);
  });

  test("3: a page is no JSON, whatever its type says: four statuses speak for themselves, with every other it is a gateway's", () => {
    for (const [status, fault] of [
      [200, "provider_error not_a_report"],
      [202, "provider_error not_a_report"],
      [400, "provider_error not_a_report"],
      [401, "access signed_out"],
      [403, "access access_refused"],
      [404, "configuration wrong_address"],
      [429, "rate_limit rate_limited"],
      [500, "provider_error not_a_report"],
      [502, "provider_error not_a_report"],
      [503, "provider_error not_a_report"],
    ] as const) {
      const page = answered(status, HTML_PAGE, { "content-type": "application/json" });
      expect([status, judged(page)]).toEqual([status, fault]);
    }
    for (const text of ["", " ", "upstream error", "true story", "503 Service Unavailable", "\n<html>"])
      expect([text, judged(answered(200, text))]).toEqual([text, "provider_error not_a_report"]);
  });

  test("3, of an answer that went into a file and is too large to be looked at whole: its beginning tells a page", () => {
    const large = (status: number, text: string): HttpResult => ({
      ...(answered(status, text) as HttpResponse),
      isWhole: false,
    });
    expect(judged(large(200, '{"mine":1,"rows":['))).toBe("ok");
    expect(judged(large(200, ' "{'))).toBe("ok");
    expect(judged(large(200, HTML_PAGE))).toBe("provider_error not_a_report");
    expect(judged(large(403, HTML_PAGE))).toBe("access access_refused");
    expect(judged(large(500, '{"rows":['))).toBe("provider_error provider_failed");
    expect(judged(large(401, '{"rows":['))).toBe("access signed_out");
  });

  test("4: JSON that ends early is incomplete, JSON that is broken is invalid", () => {
    for (const text of ['{"rows":[{"va', "[", '{"rows":[1,2', '"half', ' {"a":tru'])
      expect([text, judged(answered(200, text))]).toEqual([text, "incomplete_report report_cut_off"]);
    for (const text of ['{"rows":[1 2]}', "{rows:1}", '{"a":1}}', '{"a":1}{', "[1,]", '{"a":"\n"}'])
      expect([text, judged(answered(200, text))]).toEqual([text, "invalid_report unreadable_report"]);
  });

  test("5: the provider's own error comes before the status, also with 200", () => {
    for (const status of [200, 400, 500])
      expect(judged(answered(status, { mine: 1 }))).toBe("exhausted_budget load_quota");
  });

  test("6: a status that tells of an error, with a body that does not", () => {
    for (const [status, fault] of [
      [304, "provider_error provider_failed"],
      [400, "configuration request_refused"],
      [401, "access signed_out"],
      [403, "access access_refused"],
      [404, "configuration wrong_address"],
      [408, "provider_error provider_failed"],
      [409, "configuration request_refused"],
      [429, "rate_limit rate_limited"],
      [500, "provider_error provider_failed"],
      [502, "provider_error provider_failed"],
      [503, "provider_error provider_failed"],
      [504, "provider_error provider_failed"],
    ] as const)
      expect([status, judged(answered(status, { else: 1 }))]).toEqual([status, fault]);
  });

  test("and only then it is a body to be read", () => {
    const outcome = readAnswer(answered(200, ' {"rows":[]}', { "content-type": "text/html" }), errors, NOW);
    expect(outcome).toEqual({ ok: true, value: { text: ' {"rows":[]}', json: { rows: [] } } });
    // A byte order mark is no part of the text.
    expect(judged(answered(200, "{}"))).toBe("ok");
  });
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
