import { describe, expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { EVERYTHING, type PortfolioQuery, portfolioView } from "../../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../../src/tower/sites/portfolio_page.tsx";
import { attribute, parsed, rowsOf, tagged } from "../../support/html.ts";
import { CALM, inPage, siteRows } from "../../support/tower_data.ts";

function page(count: number, changes: Partial<PortfolioQuery> = {}) {
  const query = { ...EVERYTHING, ...changes };
  return parsed(
    render(
      inPage(() => <PortfolioPage {...CALM} view={portfolioView(siteRows(count), query)} query={query} />),
    ),
  );
}

describe("the portfolio page", () => {
  test("shows what is absent as absent, not as 0", () => {
    const rows = rowsOf(page(14), "Sites, most urgent first, then by identifier");
    const cellsOf = (site: string) => rows.find(([head]) => head?.startsWith(site))?.slice(1);
    expect(cellsOf("site-0009")?.[3]).toStartWith("Not measured");
    expect(cellsOf("site-0005")?.slice(0, 2)).toEqual(["Never reported", "0"]);
    expect(cellsOf("site-0006")?.[3]).toBe("No report");
  });

  test("1,000 sites stay below 120 KB a page, with links to the next page that keep the order", () => {
    const query = { ...EVERYTHING, sort: "lines" as const, page: 2 };
    const html = render(
      inPage(() => <PortfolioPage {...CALM} view={portfolioView(siteRows(1_000), query)} query={query} />),
    );
    expect(html.length).toBeLessThan(120_000);
    const next = tagged(parsed(html), "a").find((link) => attribute(link, "rel") === "next");
    expect(next === undefined ? "" : attribute(next, "href")).toBe("/?sort=lines&page=3");
  });
});

test("an address that is the identifier again is not told twice", () => {
  const rows = siteRows(2).map((row, place) => ({
    ...row,
    url: place === 0 ? `https://${row.asset}/` : "https://elsewhere.example/shop",
  }));
  const html = render(
    inPage(() => <PortfolioPage {...CALM} view={portfolioView(rows, EVERYTHING)} query={EVERYTHING} />),
  );
  const heads = rowsOf(parsed(html), "Sites, most urgent first, then by identifier").map(([head]) => head);
  expect(heads.slice(1).toSorted()).toEqual(
    [rows[0]?.asset, `${rows[1]?.asset}elsewhere.example/shop`].toSorted(),
  );
});
