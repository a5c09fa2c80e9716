import { expect, test } from "bun:test";
import { listMetLimits } from "../../src/signals/pull_standing.ts";
import { instant } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";

const ground = fresh(testGround);

const at = (time: string) => instant(`2026-11-20T${time}:00Z`);

test("limits that attempts met are told by provider, from the first of them to when it is asked again; other failures and days before are not", async () => {
  const limited = (time: string, until: string, category: "rate_limit" | "exhausted_budget" = "rate_limit") =>
    attemptOf(at(time), { outcome: "failed", category, nextRetryAt: at(until) });
  await recordRun(ground, [
    attemptOf(at("00:00") - 60_000, { outcome: "failed", category: "rate_limit", nextRetryAt: at("00:10") }),
    limited("11:26", "11:28"),
    limited("11:28", "11:31"),
    attemptOf(at("11:32"), { outcome: "failed", category: "access", nextRetryAt: at("17:32") }),
    attemptOf(at("11:45")),
    limited("13:00", "23:00", "exhausted_budget"),
    limited("15:00", "15:05"),
  ]);
  expect(listMetLimits(ground.store.db, at("00:00"), at("14:00"))).toEqual([
    {
      provider: "analytics",
      category: "rate_limit",
      first: at("11:26"),
      last: at("11:28"),
      until: at("11:31"),
      attempts: 2,
    },
    {
      provider: "analytics",
      category: "exhausted_budget",
      first: at("13:00"),
      last: at("13:00"),
      until: at("23:00"),
      attempts: 1,
    },
  ]);
});
