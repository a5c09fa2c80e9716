/** The page of integrations, from views as the one projection makes them. */

import { describe, expect, test } from "bun:test";
import { HEALTH_STATES } from "../../../src/health/health.ts";
import type { Entry } from "../../../src/integrations/attention.ts";
import type { HealthView } from "../../../src/integrations/integrations.ts";
import type { ActGround } from "../../../src/tower/integrations/acts_of.tsx";
import { type IntegrationsQuery, integrationsAddress } from "../../../src/tower/integrations/coverage.tsx";
import { AllPage, ProblemsPage, problemsOf } from "../../../src/tower/integrations/integrations.tsx";
import { SiteIntegrationsPage } from "../../../src/tower/integrations/site_integrations.tsx";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import type { Safe } from "../../../src/tower/jsx/safe.ts";
import { STATE_WORDS } from "../../../src/tower/kit/glyph.tsx";
import { healthCapability, healthFixture, healthTarget, OBSERVED_AT } from "../../support/health.ts";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { inPage, SITE } from "../../support/tower_data.ts";
import { entryOf } from "../../support/wall_facts.ts";

const NOW = OBSERVED_AT + 3_600_000;
const GROUND: ActGround = { accountOf: () => undefined, senderOf: () => undefined };
const OWED = { code: "check_sender", text: "Check at the site that its nightly job still runs." } as const;

const rendered = (page: Parameters<typeof inPage>[0]) =>
  parsed(renderDocument(inPage(page, { now: NOW, here: "/integrations" }) as Safe));
const problems = (view: HealthView, entries: readonly Entry[] = []) =>
  rendered(() => (
    <ProblemsPage
      view={view}
      problems={problemsOf({ view, accounts: new Map() }, entries, NOW)}
      ground={GROUND}
    />
  ));
const page = (view: HealthView, query: Partial<IntegrationsQuery> = {}) =>
  rendered(() => (
    <AllPage
      view={view}
      sites={view.sites}
      query={{ ...integrationsAddress.usual, ...query }}
      ground={GROUND}
    />
  ));

const words = (...of: Parameters<typeof problems>) => textOf(byId(problems(...of), "main"));

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

  test("where all is read and works, it says so, and that nothing needs action", () => {
    const told = words(healthFixture({ capabilities: one }));
    expect(told).toContain("1 of 1 data source is working.");
    expect(told).toContain("No problems.");
  });

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

  test("a part is told as a part, with why", () => {
    const told = words(
      healthFixture({ capabilities: one, coverage: { state: "partial", reason: "A job did not run." } }),
    );
    expect(told).toContain("Not everything is watched. A job did not run.");
    expect(told).toContain("Something else that should be watched is not.");
    expect(told).not.toContain("No problems.");
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
    expect(textOf(title)).toStartWith("Integrations: 1 failing");
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

  test("a state in the address narrows the matrix to it, and its chip takes itself off", () => {
    const html = page(everyState(), { state: "stale" });
    expect(rowsOf(html, "Sites by capabilities, the worst first").flat().join()).not.toContain(
      "failing.example",
    );
    const [chip] = elements(html, (one) => attribute(one, "aria-current") === "true");
    expect(chip && attribute(chip, "href")).toBe("/integrations/all");
  });

  test("a cell leads to what proves it, which also stands in its title", () => {
    const [cell] = tagged(byId(page(everyState()), "matrix-working.example"), "a").slice(1);
    expect(cell && [attribute(cell, "href"), attribute(cell, "title")]).toEqual([
      "/sites/working.example/integrations#capability-ingest-nightly",
      "Last accepted 19 Nov 12:15, covers to 18 Nov.",
    ]);
  });
});

describe("a problem", () => {
  const failing = (asset: string, minutes: number) =>
    healthTarget({
      asset,
      state: "failing",
      category: "access",
      why: "The account may not see the property, or there is no such property.",
      action: { code: "check_setup", text: "Check the property." },
      connectionRevision: "one",
      since: OBSERVED_AT - 3_600_000,
      lastAttemptStartedAt: OBSERVED_AT + minutes * 60_000,
      nextRetryAt: NOW + 22 * 3_600_000,
      nextRetryReason: "provider_asked",
    });
  const view = (...targets: ReturnType<typeof failing>[]) =>
    healthFixture({
      capabilities: [
        healthCapability({ capability: "search-console.daily", label: "Search console, daily", targets }),
      ],
    });

  test("has the cause with what to do, whom it hits, since when, the last success and the next retry", () => {
    const html = problems(view(failing("harbor.example", 5)));
    const [, row = []] = rowsOf(html, "Needs attention");
    expect(row).toEqual([
      "Failing",
      "Search console, daily: The account may not see the property, or there is no such property Check the property. The provider asked for a pause. Attempts",
      "harbor.example Search console, daily",
      "2 h",
      "1 h ago covers 18 Nov",
      "20 Nov 11:15",
      "Properties",
    ]);
    const links = tagged(byId(html, "needs"), "a").map((link) => attribute(link, "href"));
    expect(links).toEqual([
      "/integrations/attempts?asset=harbor.example&provider=search-console",
      "/sites/harbor.example/integrations#capability-search-console-daily",
      "/settings/credentials/attachments?provider=search-console&q=harbor.example",
    ]);
  });

  test("of one account opens to its sites and data sources", () => {
    const html = problems(view(failing("a.example", 5), failing("b.example", 9)));
    const [, row = [], ...others] = rowsOf(html, "Needs attention");
    expect(others).toEqual([]);
    expect(row[2]).toBe("2 sitesa.exampleb.example Search console, daily");
    expect(tagged(byId(html, "needs"), "summary").map(textOf)).toEqual(["2 sites"]);
  });

  test("stands in the order of the ranking with its one act, what is retried apart", () => {
    const html = problems(
      healthFixture({
        capabilities: ["first", "second", "third"].map((asset) =>
          healthCapability({
            capability: `${asset}.daily`,
            targets: [{ ...failing(asset, 5), connectionRevision: asset }],
          }),
        ),
      }),
      [
        entryOf("third", { cause: "third.daily third" }),
        entryOf("first", { cause: "first.daily first" }),
        entryOf("second", { cause: "second.daily second", acts: "waits" }),
      ],
    );
    const namesIn = (table: string) =>
      rowsOf(html, table)
        .slice(1)
        .map((row) => [row[2]?.split(" ")[0], row[6]]);
    expect(namesIn("Needs attention")).toEqual([
      ["third", "Review flag"],
      ["first", "Review flag"],
    ]);
    expect(namesIn("Retrying automatically")).toEqual([["second", undefined]]);
    expect(textOf(html)).toContain("2 problems need you.");
  });

  test("that was disconnected on purpose stands apart, and needs nobody", () => {
    const html = problems(view({ ...failing("a.example", 5), state: "disconnected", category: null }));
    expect(rowsOf(html, "Disconnected").slice(1)).toHaveLength(1);
    expect(textOf(html)).toContain("No problems.");
    expect(textOf(html)).not.toContain("you.");
  });
});

test("sites that have yet to send a first report are named apart, and are no problem", () => {
  const action = { code: "set_up_sending", text: "Set up the site's nightly report." } as const;
  const targets = [healthTarget({ asset: "new.example", state: "never_run", action })];
  const html = problems(
    healthFixture({ capabilities: [healthCapability({ capability: "ingest.nightly", targets })] }),
  );
  expect(textOf(byId(html, "main"))).toContain("Waiting for a first report: new.example");
  expect(textOf(byId(html, "needs"))).toContain("No problems.");
});

describe("what is apart", () => {
  test("checks, live feeds and senders have tables of their own and no column", () => {
    const idle = (asset: string) => [healthTarget({ asset, state: "idle", dueAt: null })];
    const html = page(
      healthFixture({
        capabilities: [
          healthCapability({ capability: "ingest.nightly", targets: [healthTarget({ asset: "a.example" })] }),
          healthCapability({
            capability: "analytics.realtime",
            kind: "on_demand",
            targets: idle("a.example"),
          }),
          healthCapability({
            capability: "analytics.connection-test",
            kind: "connection_test",
            targets: idle(""),
          }),
          healthCapability({ capability: "annotations.post", targets: idle("") }),
        ],
      }),
    );
    expect(textOf(byId(html, "feeds"))).toContain("a.example");
    expect(textOf(byId(html, "checks"))).toContain("Connection tests don't change site status.");
    expect(textOf(byId(html, "senders"))).toContain("Idle");
    expect(tagged(byId(html, "matrix-a.example"), "td")).toHaveLength(1);
  });
});

describe("the tab of a site", () => {
  const tab = (view: HealthView, of: { isService?: boolean; lifecycle?: "live" | "retired" } = {}) =>
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
              pauses={[]}
              ground={GROUND}
            />
          ),
          { now: NOW },
        ),
      ),
    );
  const told = (...of: Parameters<typeof tab>) => textOf(byId(tab(...of), "main"));

  test("has every capability of the site in its state, with its proof, its cause and what to do", () => {
    const stale = healthTarget({
      asset: SITE.asset,
      state: "stale",
      why: "The site has been silent for longer than it may be.",
      action: OWED,
      dueAt: OBSERVED_AT,
    });
    const html = tab(
      healthFixture({
        capabilities: [
          healthCapability({ capability: "ingest.nightly", label: "Nightly reports", targets: [stale] }),
        ],
      }),
    );
    const row = textOf(byId(html, "capability-ingest-nightly"));
    for (const part of [
      "Stale",
      "Nightly reports",
      "The site has been silent for longer than it may be.",
      "Last accepted 19 Nov 12:15, covers to 18 Nov, was due 19 Nov 12:15.",
      "Check at the site that its nightly job still runs. How it sends",
    ]) {
      expect(row).toContain(part);
    }
    expect(textOf(html)).toContain("Analytics is not set up");
  });

  test("says that nothing is known where nothing is set up, that nothing is watched of a retired site", () => {
    expect(told(healthFixture())).toContain("Nothing is set up for this site");
    expect(told(healthFixture(), { lifecycle: "retired" })).toContain("nothing is expected of it");
    expect(told(healthFixture({ coverage: { state: "unknown", reason: "Not readable." } }))).toContain(
      "This is not an all-clear.",
    );
  });

  test("of Tower's own site leads to the health of the system", () => {
    const html = tab(healthFixture(), { isService: true });
    expect(tagged(byId(html, "main"), "a").map((link) => attribute(link, "href"))).toContain("/health");
  });
});
