/** What proves a state, and when it is tried again, in words. */

import { describe, expect, test } from "bun:test";
import type { TargetView } from "../../../src/integrations/integrations.ts";
import { proofWords, retryWords, untimedRetry } from "../../../src/tower/integrations/target_words.tsx";
import { instant } from "../../support/clock.ts";
import { healthTarget, OBSERVED_AT } from "../../support/health.ts";

const NOW = instant("2026-11-19T14:00:00Z");
const HOUR = 3_600_000;
const of = (given: Partial<TargetView>) => healthTarget({ asset: "harbor.example", ...given });

describe("a proof line", () => {
  test("names the last useful result, the day it covers to and when the next is due", () => {
    expect(proofWords(of({ dueAt: instant("2026-11-20T12:15:00Z") }), NOW)).toBe(
      "Last success 19 Nov 12:15, covers to 18 Nov, next due 20 Nov 12:15.",
    );
  });

  test("keeps the last attempt apart from the last success, and says what was due", () => {
    const target = of({
      state: "failing",
      lastAttemptStartedAt: OBSERVED_AT + HOUR,
      dueAt: OBSERVED_AT + HOUR,
    });
    expect(proofWords(target, NOW)).toBe(
      "Last success 19 Nov 12:15, covers to 18 Nov, last attempt 19 Nov 13:15, was due 19 Nov 13:15.",
    );
  });

  test("says of what never worked that it never did, and of what was never tried no more", () => {
    const failed = of({ state: "failing", lastSuccessStartedAt: null, coveredDate: null });
    expect(proofWords(failed, NOW)).toBe("No success yet, last attempt 19 Nov 12:15.");
    expect(proofWords(of({ state: "never_run" }), NOW)).toBe("No success yet.");
  });
});

describe("the next permitted retry", () => {
  const DAILY = { capability: "analytics.daily", kind: "production_read" } as const;
  const at = instant("2026-11-21T12:15:00Z");

  test("has its moment and its reason", () => {
    const target = of({ state: "failing", nextRetryAt: at, nextRetryReason: "provider_asked" });
    expect(retryWords(target, DAILY, NOW)).toBe("Next retry 21 Nov 12:15: the provider asked for a pause.");
  });

  test("has no reason where it is only not yet time, and is not told once it has passed", () => {
    const target = of({ state: "failing", nextRetryAt: at, nextRetryReason: "schedule" });
    expect(retryWords(target, DAILY, NOW)).toBe("Next retry 21 Nov 12:15.");
    expect(retryWords(target, DAILY, at)).toBe("");
  });

  test("is that of a run where only runs ask", () => {
    const target = of({ state: "failing", nextRetryAt: at, nextRetryReason: "schedule" });
    expect(retryWords(target, { ...DAILY, capability: "analytics.archive" }, NOW)).toBe(
      "Next retry: first run after 21 Nov 12:15.",
    );
  });

  test("is nobody's to wait for while it is disconnected or paused", () => {
    for (const state of ["disconnected", "paused"] as const) {
      expect(retryWords(of({ state, nextRetryAt: at }), DAILY, NOW)).toBe("");
    }
    expect(untimedRetry(of({ state: "disconnected" }), "production_read")).toBe(
      "not while it is disconnected",
    );
    expect(untimedRetry(of({ state: "stale" }), "ingest")).toBe("when it is sent");
  });
});
