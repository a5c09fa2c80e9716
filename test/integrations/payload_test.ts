/** The payload has the same fields in every state, and says nothing by an empty text. */

import { expect, test } from "bun:test";
import { HEALTH_STATES } from "../../src/health/health.ts";
import { payloadOf } from "../../src/integrations/payload.ts";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../support/health.ts";
import { words } from "../support/words.ts";

const TARGET = words(`
  asset target family connection_revision state category last_attempt_started_at last_success_started_at
  covered_date due_at next_retry_at next_retry_reason action counts
`);

for (const state of HEALTH_STATES) {
  test(`a target that is ${state}`, () => {
    const view = healthFixture({
      capabilities: [
        healthCapability({
          capability: "analytics.daily",
          targets: [
            healthTarget({ asset: "harbor", state }),
            healthTarget({ asset: "", state, family: "[]", target: "x" }),
          ],
        }),
      ],
    });
    const payload = payloadOf(view);
    expect(Object.keys(payload)).toEqual([
      "observed_at",
      "workspace",
      "coverage",
      "summary",
      "capabilities",
      "events",
      "monitoring",
    ]);
    expect(Object.keys(payload.coverage)).toEqual([
      "state",
      "reason",
      "configured",
      "monitored",
      "unmonitored",
      "more",
    ]);
    expect(Object.keys(payload.summary)).toEqual(
      words(`
      working failing stale never_run idle paused disconnected unmonitored unknown
    `),
    );
    const [capability] = payload.capabilities;
    expect(Object.keys(capability ?? {})).toEqual([
      "capability",
      "label",
      "provider",
      "kind",
      "state",
      "affected_assets",
      "targets",
    ]);
    expect(capability?.state).toBe(state);
    for (const target of capability?.targets ?? []) {
      expect(Object.keys(target)).toEqual(TARGET);
      expect(Object.keys(target.action)).toEqual(["code", "text"]);
      expect(Object.values(target)).not.toContain("");
    }
    expect(capability?.targets.map(({ asset, target, family }) => ({ asset, target, family }))).toEqual([
      { asset: "harbor", target: null, family: null },
      { asset: null, target: "x", family: "[]" },
    ]);
  });
}

test("an event and a thing that is not watched", () => {
  const payload = payloadOf(
    healthFixture({
      events: [
        {
          id: "e",
          at: OBSERVED_AT,
          capability: "analytics.daily",
          label: "Analytics, daily",
          asset: "",
          target: "",
          family: "",
          change: "category_change",
          category: "network",
          categoryBefore: "access",
        },
      ],
      monitoring: [
        {
          kind: "job",
          asset: "",
          source: "",
          subject: "sense",
          since: OBSERVED_AT,
          reason: "It did not run.",
        },
      ],
    }),
  );
  expect(payload.events).toEqual([
    {
      id: "e",
      at: "2026-11-19T12:15:00.000Z",
      capability: "analytics.daily",
      asset: null,
      target: null,
      family: null,
      change: "category_change",
      category: "network",
    },
  ]);
  expect(payload.monitoring).toEqual([
    {
      kind: "job",
      asset: null,
      source: null,
      subject: "sense",
      since: "2026-11-19T12:15:00.000Z",
      reason: "It did not run.",
    },
  ]);
});
