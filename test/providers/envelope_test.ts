/** The table of errors of webmaster tools, row by row. */

import { describe, expect, test } from "bun:test";
import { readAnswer } from "../../src/providers/answers.ts";
import type { FaultCode } from "../../src/providers/faults.ts";
import { serpErrors } from "../../src/providers/serp.ts";
import { webmasterToolsErrors } from "../../src/providers/webmaster_tools.ts";
import { answered, HTML_PAGE } from "../support/http.ts";

function judged(status: number, body: unknown): string {
  const outcome = readAnswer(answered(status, body), webmasterToolsErrors, 0);
  if (outcome.ok) return "ok";
  const { category, code, scope } = outcome.fault;
  return `${category} ${code} ${scope}`;
}

const CODES: readonly (readonly [code: number, name: string, fault: string])[] = [
  [1, "InternalError", "provider_error provider_failed property"],
  [2, "UnknownError", "provider_error provider_failed property"],
  [3, "InvalidApiKey", "access key_refused credential"],
  [4, "ThrottleUser", "rate_limit rate_limited credential"],
  [5, "ThrottleHost", "rate_limit rate_limited credential"],
  [6, "UserBlocked", "access account_blocked credential"],
  [7, "InvalidUrl", "configuration not_a_site property"],
  [8, "InvalidParameter", "configuration request_refused property"],
  [9, "TooManySites", "configuration too_many_sites credential"],
  [10, "UserNotFound", "access account_gone credential"],
  [11, "NotFound", "configuration request_refused property"],
  [12, "AlreadyExists", "invalid_report unexpected_report property"],
  [13, "NotAllowed", "access property_denied property"],
  [14, "NotAuthorized", "access property_denied property"],
  [15, "UnexpectedState", "provider_error provider_failed property"],
  [16, "Deprecated", "configuration request_refused property"],
  [17, "a code nobody knows", "provider_error provider_failed property"],
  [18, "InvalidToken", "access key_refused credential"],
  [999, "a code nobody knows", "provider_error provider_failed property"],
];

describe("errors of webmaster tools", () => {
  for (const [code, name, fault] of CODES) {
    test(`${code} ${name}: ${fault}, with status 400 and 200, as a number and as text, wrapped or not`, () => {
      const Message = `ERROR!!! ${name}`;
      for (const status of [400, 200]) {
        for (const ErrorCode of [code, String(code)]) {
          const body = { ErrorCode, Message };
          expect(judged(status, body)).toBe(fault);
          expect(judged(status, { d: [], ...body })).toBe(fault);
          expect(judged(status, JSON.stringify(JSON.stringify(body)))).toBe(fault);
        }
      }
    });
  }

  test("code 0 is no error; what is no code is one of theirs", () => {
    expect(judged(200, { ErrorCode: 0, d: [] })).toBe("ok");
    expect(judged(200, { ErrorCode: "0", d: [] })).toBe("ok");
    for (const ErrorCode of [null, "", "x", {}, 1.5, -3, "constructor"])
      expect([ErrorCode, judged(200, { ErrorCode })]).toEqual([
        ErrorCode,
        "provider_error provider_failed property",
      ]);
  });

  test("a page of the edge in front of it is the provider's failure", () => {
    expect(judged(503, HTML_PAGE)).toBe("provider_error not_a_report property");
    expect(judged(200, HTML_PAGE)).toBe("provider_error not_a_report property");
    expect(judged(202, "")).toBe("provider_error not_a_report property");
  });
});

/** Codes of DataForSEO by what they mean. */
const SERP: readonly (readonly [fault: FaultCode | undefined, ...codes: readonly number[]])[] = [
  [undefined, 20_000, 40_102],
  ["unexpected_report", 20_100],
  ["signed_out", 40_100],
  ["provider_failed", 40_101, 40_103, 40_106, 50_000, 50_401],
  ["balance_used_up", 40_200, 40_210],
  ["account_blocked", 40_201],
  ["rate_limited", 40_202, 40_209],
  ["account_quota", 40_203],
  ["wrong_address", 40_400, 40_401, 40_402, 40_403],
  ["report_not_ready", 40_601, 40_602],
  ["request_refused", 10_000, 40_104, 40_501, 49_999],
];

test.each(SERP)("of search panels is %s, in the envelope as in the one task: %j", (fault, ...codes) => {
  const judged = (envelope: number, task: number) => {
    const json = { status_code: envelope, tasks_error: 0, tasks: [{ status_code: task }] };
    const outcome = readAnswer(answered(200, json), serpErrors, 0);
    return outcome.ok ? undefined : outcome.fault.code;
  };
  for (const code of codes) {
    expect([code, judged(code, 20_000), judged(20_000, code)]).toEqual([code, fault, fault]);
  }
});
