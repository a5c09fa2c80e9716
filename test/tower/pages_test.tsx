/** What holds for every page: it works without scripts, under the strict policy, by keyboard and by ear. */

import { afterAll, describe, expect, test } from "bun:test";
import { render, renderDocument } from "../../src/tower/jsx/jsx-runtime.ts";
import { zoneOf } from "../../src/tower/keyboard.tsx";
import { Moment, When } from "../../src/tower/kit/proof.tsx";
import { EVERYTHING, portfolioView } from "../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../src/tower/sites/portfolio_page.tsx";
import { foreignService } from "../support/foreign_text.ts";
import { attribute, byId, elements, parsed, tagged, textOf } from "../support/html.ts";
import { PAGES } from "../support/route_table.ts";
import { CALM, inPage, shellOf, siteRows } from "../support/tower_data.ts";

const { service, page: pageOf } = await foreignService("a-plain-word");
afterAll(() => service.close());

/** Attributes that point to an id of the same page. */
const POINTING = "for aria-labelledby aria-describedby popovertarget commandfor data-open data-copy".split(
  " ",
);

/** What a browser finds on them is `browser/axe_test.ts`: labels, headings, landmarks, pictures. */
test.each([...PAGES])(
  "%s works without scripts, under the strict policy, and leads to what is there",
  async (path) => {
    const html = await (await pageOf(path)).text();
    const tree = parsed(html);
    const all = elements(tree);
    const names = new Set(all.flatMap(({ attrs }) => attrs.map(({ name }) => name)));
    const ids = all.flatMap((element) => attribute(element, "id") ?? []);
    const pointedTo = all.flatMap((element) => [
      ...POINTING.flatMap((name) => attribute(element, name)?.split(" ") ?? []),
      ...(/^#(.+)/.exec(attribute(element, "href") ?? "")?.slice(1) ?? []),
    ]);
    const scripts = tagged(tree, "script").filter(
      (one) => attribute(one, "src") === undefined || textOf(one) !== "",
    );
    const forms = tagged(tree, "form").filter((form) => {
      const hasButton = tagged(form, "button").length > 0;
      const isSearch = tagged(form, "input").some((input) => attribute(input, "type") === "search");
      const isSent =
        /^(?:get|post)$/.test(attribute(form, "method") ?? "") && /^\//.test(attribute(form, "action") ?? "");
      return attribute(form, "method") !== "dialog" && !(isSent && (hasButton || isSearch));
    });
    const asking = all.filter(
      (part) =>
        attribute(part, "data-ask") !== undefined &&
        (attribute(part, "id") === undefined || !/^(?:5|60)$/.test(attribute(part, "data-every") ?? "")),
    );
    const polling = all.filter((one) => /tick|every/.test(attribute(one, "hx-trigger") ?? ""));
    // Tables of the manual stand under a heading of their own.
    const tables = path.startsWith("/help/") ? [] : tagged(tree, "table");
    expect({
      "inline code": [...names].filter((name) => /^(?:on|style$|hx-on|hx-vals$)/.test(name)),
      "inline style or script": [...tagged(tree, "style"), ...scripts].length,
      "ids that stand twice": ids.filter((id, place) => ids.indexOf(id) !== place),
      "ids that are not there": [...new Set(pointedTo)].filter((id) => !ids.includes(id)),
      "forms that are dead without scripts": forms.length,
      "what asks for itself without an id or a period, or by htmx": [...asking, ...polling].length,
      "tables without a caption": tables.filter((table) => tagged(table, "caption").length !== 1).length,
      "code without a space beside it": html.match(/\w<code[ >]|<\/code>\w/g),
      "is small": html.length < 200_000,
    }).toEqual({
      "inline code": [],
      "inline style or script": 0,
      "ids that stand twice": [],
      "ids that are not there": [],
      "forms that are dead without scripts": 0,
      "what asks for itself without an id or a period, or by htmx": 0,
      "tables without a caption": 0,
      "code without a space beside it": null,
      "is small": true,
    });
  },
);

describe("the shell", () => {
  const page = (changes: Parameters<typeof shellOf>[0]) => {
    const view = portfolioView(siteRows(1), EVERYTHING);
    const made = inPage(() => <PortfolioPage {...CALM} view={view} query={EVERYTHING} />, shellOf(changes));
    return parsed(renderDocument(made));
  };

  test("shows only the pages it is given, and marks the current one", () => {
    const tree = page({ nav: [{ id: "sites", words: "Sites", href: "/", key: "s" }] });
    const links = tagged(byId(tree, "nav"), "a");
    expect(links.map(textOf)).toEqual(["Sites"]);
    expect(attribute(links[0] ?? byId(tree, "nav"), "aria-current")).toBe("page");
  });

  test("times have the operator's own clock beside UTC in their title, once the browser told its zone", () => {
    const titles = (cookie: string | undefined) => {
      const zone = zoneOf(cookie);
      const html = inPage(() => render(<Moment at={Date.parse("2026-11-18T06:12:04Z")} />), { zone });
      return attribute(tagged(parsed(html), "time")[0] as never, "title");
    };
    expect(titles("Europe/Berlin")).toBe("Wed 18 Nov 2026, 07:12:04 in Berlin (2026-11-18 06:12:04 UTC)");
    for (const none of [undefined, "UTC", "Etc/UTC", "Europe/Nowhere", "+02:00"])
      expect(titles(none)).toBe("2026-11-18 06:12:04 UTC");
  });

  test("what happened within a week is told by its age, what is older by its moment", () => {
    const now = Date.parse("2026-11-18T06:12:04Z");
    const words = (ago: number) =>
      textOf(parsed(inPage(() => render(<When at={now - ago} />), { now })) as never);
    expect(words(9 * 3_600_000)).toBe("9 h ago");
    expect(words(7 * 86_400_000 - 1)).toBe("6 d ago");
    expect(words(7 * 86_400_000)).toBe("11 Nov 06:12");
  });
});
