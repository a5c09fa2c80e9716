/** What of the problems no recorded service has: so many causes and sites that some are left out, traffic right now, and several channels. */

import { expect, test } from "bun:test";
import type { CapabilityView } from "../../../src/integrations/integrations.ts";
import { accountsOf } from "../../../src/tower/integrations/acts.tsx";
import { ProblemsPage, problemsOf } from "../../../src/tower/integrations/integrations.tsx";
import { renderDocument, type Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import { noticeWorld } from "../../notices/world.ts";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../../support/health.ts";
import { parsed, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = OBSERVED_AT + 3_600_000;
const failing = (place: number, connectionRevision = "") =>
  healthTarget({
    ...{ asset: `${place}.example`, state: "failing", connectionRevision },
    action: { code: "replace_credential", text: "Upload a current one." },
  });
const shown = (capabilities: readonly CapabilityView[]) => {
  const view = healthFixture({ capabilities });
  const problems = problemsOf({ view, accounts: new Map() }, [], NOW);
  const page = () => <ProblemsPage view={view} problems={problems} accountOf={() => undefined} />;
  return textOf(parsed(renderDocument(inPage(page, { now: NOW, here: "/integrations" }) as Safe)));
};

test("50 causes, and 50 sites of one, are listed, and of more it is said how many", () => {
  const causes = (count: number) =>
    Array.from({ length: count }, (_, place) =>
      healthCapability({ capability: `c${place}.daily`, label: `c${place}`, targets: [failing(place)] }),
    );
  const sites = (count: number) => {
    const targets = Array.from({ length: count }, (_, place) => failing(place, "first"));
    return [healthCapability({ capability: "analytics.daily", targets })];
  };
  const more = [causes(50), causes(52), sites(50), sites(52)].map(
    (capabilities) => /\d+ more(?: causes of less urgency)?/.exec(shown(capabilities))?.[0],
  );
  expect(more).toEqual([undefined, "2 more causes of less urgency", undefined, "2 more"]);
});

test("what was disconnected is one problem for each account, the one with most sites first", () => {
  const targets = ["one", "two", "two"].map((connectionRevision, place) =>
    healthTarget({ asset: `${place}.example`, state: "disconnected", connectionRevision }),
  );
  const view = healthFixture({
    capabilities: [healthCapability({ capability: "analytics.daily", targets })],
  });
  const problems = problemsOf({ view, accounts: new Map() }, [], NOW);
  expect(problems.map(({ all }) => all.length)).toEqual([2, 1]);
});

test("traffic right now is no problem: it is asked only while somebody looks", () => {
  const of = { capability: "analytics.realtime", kind: "on_demand", targets: [failing(1)] } as const;
  expect(shown([healthCapability(of)])).toContain("No problems.");
});

test("which of several channels fails is named, with a link to it", async () => {
  await using notices = await noticeWorld();
  for (const id of ["day", "night"]) await notices.channel(id);
  const account = accountsOf(notices.tower.deps.store.db)({ connectionRevision: "night-1" });
  expect(account).toMatchObject({ label: "night", href: "/settings/notices/night" });
});
