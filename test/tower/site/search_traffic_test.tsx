import { expect, test } from "bun:test";
import { PROVIDERS } from "../../../src/providers/adapter.ts";
import { familiesOf, REPORT_FAMILIES } from "../../../src/providers/report_families.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { FAMILY_NAMES } from "../../../src/tower/site/family_words.ts";
import {
  insightAddress,
  type PanelReport,
  panelRows,
  type SitePanels,
} from "../../../src/tower/site/panel_state.ts";
import { SearchTraffic } from "../../../src/tower/site/search_traffic.tsx";
import { byId, parsed, textOf } from "../../support/html.ts";
import { insightOf } from "../../support/make/insights.ts";
import { inPage, NOW, TODAY } from "../../support/tower_data.ts";

/** A site whose accounts never answered, but for what `of` changes of a report. */
const sitePanels = (of: (name: string) => Partial<PanelReport> = () => ({})): SitePanels => ({
  asset: "trailledger",
  hosts: [],
  sources: Object.fromEntries(
    PROVIDERS.map((provider) => {
      const reports = familiesOf(provider).map((family) => ({
        ...{ family, property: undefined, shown: undefined, isProvisional: false, before: undefined },
        ...{
          earlier: undefined,
          coverage: undefined,
          latest: undefined,
          failed: undefined,
          leftOut: undefined,
        },
        ...of(family.name),
      }));
      return [provider, { provider, property: "properties/1", reports }];
    }),
  ) as unknown as SitePanels["sources"],
  issueFlags: [],
});
const shown = (site: SitePanels) =>
  parsed(render(inPage(() => <SearchTraffic site={site} query={insightAddress.usual} lanes={[]} />)));

test("every family of a report has its place", () => {
  expect(FAMILY_NAMES.toSorted()).toEqual(REPORT_FAMILIES.map(({ name }) => name).toSorted());
});

test("a row that the earlier report does not have is new, one that is not kept of it is not known", () => {
  const [family] = familiesOf("search-console");
  if (family === undefined) throw new Error("search console has no reports");
  const insight = { ...insightOf(family, "trailledger", 1, { date: TODAY }), target: 1 };
  const report = { family, shown: { insight, manifest: 1, notes: [] } } as unknown as PanelReport;
  const earlierOf = (told: "no_row" | "not_kept" | "unclear") =>
    panelRows({ ...report, earlier: [{ told }] })[0]?.earlier;
  expect([earlierOf("no_row"), earlierOf("not_kept"), earlierOf("unclear")]).toEqual([0, null, null]);
});

test("reports that are not set up for are left out, and why", () => {
  const leftOut = { reason: "parameter_unregistered", seenAt: NOW };
  const site = sitePanels((name) => (name === "js-errors" ? { leftOut } : {}));
  expect(textOf(byId(shown(site), "insights-analytics"))).toContain(
    "Script errors are left out: the property has not registered the parameters",
  );
});
