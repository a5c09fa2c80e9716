/** What is wrong: one row for each cause, in the order of the one ranking. */

import { describe, expect, test } from "bun:test";
import { HEALTH_STATES } from "../../../src/health/health.ts";
import type { Entry } from "../../../src/integrations/attention.ts";
import type { CapabilityView, TargetView } from "../../../src/integrations/integrations.ts";
import { accountsOf } from "../../../src/tower/integrations/acts.tsx";
import { problemsOf } from "../../../src/tower/integrations/integrations.tsx";
import { noticeWorld } from "../../notices/world.ts";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../../support/health.ts";
import { entryOf } from "../../support/wall_facts.ts";

const problems = (capabilities: readonly CapabilityView[], entries: readonly Entry[] = []) =>
  problemsOf({ view: healthFixture({ capabilities }), accounts: new Map() }, entries, OBSERVED_AT);
const rows = (...targets: readonly TargetView[]) =>
  problems([healthCapability({ capability: "analytics.daily", targets })]).map(
    ({ all }) => `${all[0].target.state} ${all.map(({ target }) => target.asset).join()}`,
  );

describe("a problem", () => {
  test("is what fails, is unknown, stale or disconnected: what works, waits or was put aside is none", () => {
    const all = HEALTH_STATES.map((state) => healthTarget({ asset: `${state}.example`, state }));
    expect(rows(...all)).toEqual([
      "failing failing.example",
      "unknown unknown.example",
      "stale stale.example",
      "disconnected disconnected.example",
    ]);
  });

  test("is one for two hundred sites of an account; another account is another", () => {
    const failing = (asset: string, connectionRevision: string) =>
      healthTarget({
        ...{ asset, connectionRevision, state: "failing", category: "access" },
        action: { code: "replace_credential", text: "Upload a current key." },
      });
    const many = Array.from({ length: 200 }, (_, place) => failing(`s${1_000 + place}.example`, "one"));
    expect(rows(failing("other.example", "two"), ...many)).toEqual([
      `failing ${many.map(({ asset }) => asset).join()}`,
      "failing other.example",
    ]);
  });

  test("is each silent site, with the news and the place that the ranking has for it", () => {
    const stale = (asset: string) => healthTarget({ asset, state: "stale", why: "It is silent." });
    const silent = entryOf("b.example", { trouble: "silent", title: "No report for 9 nights" });
    const targets = [stale("a.example"), stale("b.example")];
    const found = problems(
      [healthCapability({ capability: "ingest.nightly", kind: "ingest", targets })],
      [silent],
    );
    expect(found.map(({ news, entry }) => [news, entry])).toEqual([
      ["No report for 9 nights", silent],
      ["ingest.nightly: It is silent", undefined],
    ]);
  });

  test("is none of traffic right now: it is asked only while somebody looks", () => {
    const targets = [healthTarget({ asset: "a.example", state: "failing" })];
    expect(
      problems([healthCapability({ capability: "analytics.realtime", kind: "on_demand", targets })]),
    ).toEqual([]);
  });
});

test("which of several channels fails is named, with a link to it", async () => {
  await using notices = await noticeWorld();
  for (const id of ["day", "night"]) await notices.channel(id);
  const account = accountsOf(notices.tower.deps.store.db);
  expect(account({ connectionRevision: "night-1" })).toMatchObject({
    label: "night",
    href: "/settings/notices/night",
  });
});
