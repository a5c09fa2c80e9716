/** What needs action: one row for each cause, the most urgent first. */

import { describe, expect, test } from "bun:test";
import { HEALTH_STATES } from "../../../src/health/health.ts";
import type { TargetView } from "../../../src/integrations/integrations.ts";
import { needsOf, stretchOf } from "../../../src/tower/integrations/needs.tsx";
import { healthCapability, healthFixture, healthTarget } from "../../support/health.ts";

const needs = (...targets: readonly TargetView[]) =>
  needsOf(
    healthFixture({ capabilities: [healthCapability({ capability: "analytics.daily", targets })] }),
  ).map(({ targets: own }) => `${own[0].state} ${own.map(({ asset }) => asset).join()}`);

describe("what needs action", () => {
  test("is what fails, is unknown, stale or disconnected: what works, waits or was put aside is not", () => {
    const all = HEALTH_STATES.map((state) => healthTarget({ asset: `${state}.example`, state }));
    expect(needs(...all)).toEqual([
      "failing failing.example",
      "unknown unknown.example",
      "stale stale.example",
      "disconnected disconnected.example",
    ]);
  });

  test("is also what nothing was ever sent of, where it has to be set up", () => {
    const action = { code: "set_up_sending", text: "Set up the site's nightly report." } as const;
    expect(needs(healthTarget({ asset: "new.example", state: "never_run", action }))).toEqual([
      "never_run new.example",
    ]);
  });

  test("an account that fails on two hundred sites is one row; another account, cause or thing to do is another", () => {
    const failing = (asset: string, more: Partial<TargetView> = {}) =>
      healthTarget({ asset, state: "failing", connectionRevision: "one", ...more });
    const many = Array.from({ length: 200 }, (_, place) => failing(`s${1_000 + place}.example`));
    const rows = needs(
      failing("other.example", { connectionRevision: "two" }),
      failing("refused.example", { category: "access" }),
      failing("setup.example", { action: { code: "check_setup", text: "Check it." } }),
      ...many,
    );
    expect(rows).toHaveLength(4);
    expect(rows[0]).toBe(`failing ${many.map(({ asset }) => asset).join()}`);
  });

  test("a key that the provider rejects is one row, whatever is asked with it; what concerns one provider alone is another", () => {
    const failing = (asset: string, code: "replace_credential" | "give_access") =>
      healthTarget({
        asset,
        state: "failing",
        category: "access",
        connectionRevision: "one",
        action: { code, text: "Do it." },
        nextRetryReason: asset === "" ? null : "slow_probe",
      });
    const rows = (code: "replace_credential" | "give_access") =>
      needsOf(
        healthFixture({
          capabilities: ["analytics.daily", "analytics.archive", "search-console.daily"].map((capability) =>
            healthCapability({
              capability,
              targets: [failing("a.example", code), failing("b.example", code)],
            }),
          ),
        }),
      );
    const [row, ...others] = rows("replace_credential");
    expect([row?.targets.length, row?.ofs.length, row?.whom.map(({ asset }) => asset), others]).toEqual([
      6,
      3,
      ["a.example", "b.example"],
      [],
    ]);
    expect(rows("give_access").map(({ targets }) => targets.length)).toEqual([4, 2]);
  });

  test("traffic now is none of it: it is asked only while somebody looks", () => {
    const live = healthCapability({
      capability: "analytics.realtime",
      kind: "on_demand",
      targets: [healthTarget({ asset: "a.example", state: "failing" })],
    });
    expect(needsOf(healthFixture({ capabilities: [live] }))).toEqual([]);
  });
});

test("a stretch of what targets say keeps apart what is not known", () => {
  expect(stretchOf([3, null, 1, 2])).toEqual({ from: 1, to: 3, some: true });
  expect(stretchOf(["b", "a"])).toEqual({ from: "a", to: "b", some: false });
  expect(stretchOf<number>([null, null])).toBeUndefined();
});
