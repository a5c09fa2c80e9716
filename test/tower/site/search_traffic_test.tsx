import { expect, test } from "bun:test";
import { addDays } from "../../../src/base/time.ts";
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
import type { Lane } from "../../../src/tower/site/site_days.tsx";
import { byId, elements, parsed, tagged, textOf } from "../../support/html.ts";
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
const shown = (site: SitePanels, lanes: readonly Lane[] = []) =>
  parsed(render(inPage(() => <SearchTraffic site={site} query={insightAddress.usual} lanes={lanes} />)));

const lane = (unit: Lane["unit"], values: readonly (number | null)[]): Lane => ({
  key: "analytics/sessions",
  half: "analytics",
  metric: "sessions",
  label: "Sessions",
  unit,
  days: values.map((value, place) => ({
    day: addDays(TODAY, place - values.length),
    state: value === null ? "missing" : "final",
    basis: null,
    value,
  })),
  week: undefined,
  flags: [],
  worst: undefined,
  href: "/",
});
const days = (count: number, value: number) => Array.from({ length: count }, () => value);
const totalOf = (of: Lane) => {
  const [, row] = tagged(byId(shown(sitePanels(), [of]), "block-totals"), "tr");
  return row && elements(row, ({ tagName }) => tagName === "th" || tagName === "td").map(textOf);
};

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

test("visitors of several days are no sum: their daily mean stands there", () => {
  const visitors = { ...lane("count", [...days(28, 10), ...days(28, 11)]), metric: "active_users" };
  expect(totalOf(visitors)?.slice(1)).toEqual(["11 to 19 Nov", "10", "+10%"]);
  expect(totalOf(visitors)?.[0]).toContain("a day");
});

test("where a day is missing, or days do not add up, there is no total", () => {
  const gap = [...days(28, 10), null, ...days(28, 11)];
  expect([lane("count", gap), lane("position", days(56, 11))].map(totalOf)).toEqual([undefined, undefined]);
});

test("reports that are not set up for are left out, and why", () => {
  const leftOut = { reason: "parameter_unregistered", seenAt: NOW };
  const site = sitePanels((name) => (name === "js-errors" ? { leftOut } : {}));
  expect(textOf(byId(shown(site), "insights-analytics"))).toContain(
    "Script errors are left out: the property has not registered the parameters",
  );
});
