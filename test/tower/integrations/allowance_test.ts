import { describe, expect, test } from "bun:test";
import type { HealthEventView, HealthView } from "../../../src/integrations/integrations.ts";
import type { MetLimit } from "../../../src/signals/pull_standing.ts";
import { allowances } from "../../../src/tower/integrations/system_health.tsx";
import { instant } from "../../support/clock.ts";

const dayStart = instant("2026-11-20T00:00:00Z");
const now = instant("2026-11-20T14:00:00Z");
const at = (time: string) => instant(`2026-11-20T${time}:00Z`);

const QUIET = { capabilities: [], events: [] };

const told = (met: readonly MetLimit[], view: Pick<HealthView, "capabilities" | "events"> = QUIET) =>
  Object.fromEntries(
    allowances(met, view, { dayStart, now }).map(({ words, limits }) => [
      words,
      limits.map(({ since, until, holds }) => [since, until, holds]),
    ]),
  );

const met = (change: Partial<MetLimit>): MetLimit => ({
  provider: "search-console",
  category: "rate_limit",
  first: at("11:26"),
  last: at("11:28"),
  until: at("11:31"),
  attempts: 3,
  ...change,
});

const event = (change: Partial<HealthEventView>): HealthEventView => ({
  id: "one",
  at: at("11:26"),
  capability: "analytics.realtime",
  label: "",
  asset: "harbor",
  target: "t",
  family: "",
  change: "first_failure",
  category: "rate_limit",
  categoryBefore: null,
  ...change,
});

describe("the allowance of providers", () => {
  test("is told of each, daily and right now apart; a limit that was met has a beginning and an end", () => {
    expect(told([met({}), met({ provider: "analytics", until: at("15:00") })])).toEqual({
      "Analytics, daily": [[at("11:26"), at("15:00"), true]],
      "Analytics, right now": [],
      "Search console": [[at("11:26"), at("11:31"), false]],
      "Webmaster tools": [],
    });
  });

  test("right now, a limit lasts from what began it to what ended it; a failure that is none is not told", () => {
    const ended = event({ id: "two", at: at("11:31"), change: "recovery" });
    expect(told([], { ...QUIET, events: [ended, event({})] })["Analytics, right now"]).toEqual([
      [at("11:26"), at("11:31"), false],
    ]);
    const other = event({ id: "two", at: at("11:31"), change: "recovery", category: "network" });
    expect(told([], { ...QUIET, events: [other] })["Analytics, right now"]).toEqual([]);
  });
});
