/** The page of integrations, from views as the one projection makes them. */

import { describe, expect, test } from "bun:test";
import { HEALTH_STATES } from "../../../src/health/health.ts";
import type { HealthView } from "../../../src/integrations/integrations.ts";
import { panelTarget } from "../../../src/signals/panel_runs.ts";
import { panel } from "../../../src/signals/panels.ts";
import { type AccountOf, type PanelOf, panelsOf } from "../../../src/tower/integrations/acts.tsx";
import { type IntegrationsQuery, integrationsAddress } from "../../../src/tower/integrations/coverage.tsx";
import { AllPage, ProblemsPage, problemsOf } from "../../../src/tower/integrations/integrations.tsx";
import { SiteIntegrationsPage } from "../../../src/tower/integrations/site_integrations.tsx";
import { renderDocument, type Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import { STATE_WORDS } from "../../../src/tower/kit/glyph.tsx";
import { testStore } from "../../support/database.ts";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../../support/health.ts";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { inPage, SITE } from "../../support/tower_data.ts";

const NOW = OBSERVED_AT + 3_600_000;
const accountOf: AccountOf = () => undefined;
const REFUSED = { code: "replace_credential", text: "Upload a current one." } as const;
const OWED = { code: "check_sender", text: "Check at the site that its nightly job still runs." } as const;

const rendered = (page: Parameters<typeof inPage>[0]) =>
  parsed(renderDocument(inPage(page, { now: NOW, here: "/integrations" }) as Safe));
const problems = (view: HealthView) =>
  rendered(() => (
    <ProblemsPage
      view={view}
      problems={problemsOf({ view, accounts: new Map() }, [], NOW)}
      accountOf={accountOf}
    />
  ));
const page = (view: HealthView, query: Partial<IntegrationsQuery> = {}) =>
  rendered(() => (
    <AllPage
      view={view}
      sites={view.sites}
      query={{ ...integrationsAddress.usual, ...query }}
      accountOf={accountOf}
      senderOf={() => undefined}
    />
  ));

/** One site in each of the nine states. */
const everyState = () =>
  healthFixture({
    capabilities: [
      healthCapability({
        capability: "ingest.nightly",
        label: "Nightly reports",
        targets: HEALTH_STATES.map((state) =>
          healthTarget({ asset: `${state}.example`, state, action: OWED, why: `It is ${state}.` }),
        ),
      }),
    ],
  });

describe("how much is watched", () => {
  const one = [
    healthCapability({ capability: "ingest.nightly", targets: [healthTarget({ asset: "a.example" })] }),
  ];

  test("unknown is told loudly, and no part of the page is an all-clear", () => {
    const view = healthFixture({
      capabilities: one,
      coverage: { state: "unknown", reason: "The attachments cannot be read." },
    });
    const html = problems(view);
    const [alert] = elements(html, (element) => attribute(element, "role") === "alert");
    expect(alert === undefined ? "" : textOf(alert)).toContain(
      "Unknown. The attachments cannot be read. This is not an all-clear.",
    );
    expect(textOf(byId(html, "needs"))).toContain("The rest is not known.");
    expect(textOf(html)).not.toContain("No problems.");
    expect(textOf(tagged(html, "title")[0] ?? html)).toStartWith("Integrations: unknown");
  });

  test("with nothing set up it asks for that, and shows no count", () => {
    const html = problems(healthFixture());
    const told = textOf(byId(html, "main"));
    expect(told).toContain("Nothing is set up yet, so nothing is watched.");
    expect(told).toContain("Until then its state is unknown.");
    expect(told).not.toMatch(/\d/);
    const links = tagged(byId(html, "main"), "a").map((link) => attribute(link, "href"));
    expect(links).toEqual(expect.arrayContaining(["/sites/new", "/settings/credentials/new"]));
  });
});

describe("each of the nine states", () => {
  test("has its chip with its count, its cell with its word, and its row where somebody has to act", () => {
    const html = page(everyState());
    const chips = textOf(
      elements(html, (one) => attribute(one, "aria-label") === "Filter by state")[0] ?? html,
    );
    const [title = html] = tagged(problems(everyState()), "title");
    expect(textOf(title)).toStartWith("Integrations: 3 problems");
    for (const state of HEALTH_STATES) {
      expect(chips).toContain(`${STATE_WORDS[state]} 1`);
      expect(textOf(byId(html, `matrix-${state}.example`))).toContain(STATE_WORDS[state]);
    }
    expect(
      rowsOf(problems(everyState()), "Needs attention")
        .slice(1)
        .map(([state]) => state),
    ).toEqual(["Failing", "Unknown", "Stale"]);
  });
});

test("50 causes, and 50 sites of one, are listed, and of more it is said how many", () => {
  const failing = (place: number, connectionRevision = "") =>
    healthTarget({ asset: `${place}.example`, state: "failing", action: REFUSED, connectionRevision });
  const causes = (count: number) =>
    Array.from({ length: count }, (_, place) =>
      healthCapability({ capability: `c${place}.daily`, label: `c${place}`, targets: [failing(place)] }),
    );
  const sites = (count: number) => [
    healthCapability({
      capability: "analytics.daily",
      targets: Array.from({ length: count }, (_, place) => failing(place, "first")),
    }),
  ];
  const more = [causes(50), causes(52), sites(50), sites(52)].map(
    (capabilities) =>
      /\d+ more(?: causes of less urgency)?/.exec(textOf(problems(healthFixture({ capabilities }))))?.[0],
  );
  expect(more).toEqual([undefined, "2 more causes of less urgency", undefined, "2 more"]);
});

describe("the tab of a site", () => {
  const tab = (
    view: HealthView,
    of: { isService?: boolean; lifecycle?: "live" | "retired"; panelOf?: PanelOf } = {},
  ) =>
    parsed(
      renderDocument(
        inPage(
          () => (
            <SiteIntegrationsPage
              site={{ ...SITE, lifecycle: of.lifecycle ?? "live" }}
              view={view}
              together={[]}
              isService={of.isService === true}
              properties={new Map()}
              panelOf={of.panelOf ?? (() => undefined)}
              pauses={[]}
              accountOf={accountOf}
            />
          ),
          { now: NOW },
        ),
      ),
    );
  const told = (...of: Parameters<typeof tab>) => textOf(byId(tab(...of), "main"));

  test("says that nothing is known where nothing is set up, that nothing is watched of a retired site", () => {
    expect(told(healthFixture())).toContain("Nothing is set up for this site");
    expect(told(healthFixture(), { lifecycle: "retired" })).toContain("nothing is expected of it");
    expect(told(healthFixture({ coverage: { state: "unknown", reason: "Not readable." } }))).toContain(
      "This is not an all-clear.",
    );
  });

  test("names the keyword of each search panel, in a row with an address of its own", () => {
    const { db } = testStore();
    const of = { asset: SITE.asset, location: 2840, depth: 40, every: 1, created_at: NOW };
    db.insert(panel)
      .values([
        { ...of, id: "1", keyword: "boats", language: "en", device: "desktop" },
        { ...of, id: "2", keyword: "Zimmer", language: "de", device: "mobile" },
      ])
      .run();
    const targets = ["1", "2"].map((id) =>
      healthTarget({ asset: SITE.asset, target: panelTarget({ id }), state: "working" }),
    );
    const view = healthFixture({ capabilities: [healthCapability({ capability: "serp.panels", targets })] });
    const html = tab(view, { panelOf: panelsOf(db, SITE.asset) });
    expect(textOf(byId(html, "capability-serp-panels"))).toContain("boats en, desktop");
    expect(textOf(byId(html, "capability-serp-panels-2"))).toContain("Zimmer de, mobile");
  });
});
