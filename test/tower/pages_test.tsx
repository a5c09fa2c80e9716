/** What holds for every page: it works without scripts, under the strict policy, by keyboard and by ear. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
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

describe.each([...PAGES])("%s", (path) => {
  let html: string;
  let tree: ReturnType<typeof parsed>;
  beforeAll(async () => {
    html = await (await pageOf(path)).text();
    tree = parsed(html);
  });

  test("holds no inline style, script or handler", () => {
    expect(tagged(tree, "style").length).toBe(0);
    for (const script of tagged(tree, "script")) {
      expect(attribute(script, "src")).toBeDefined();
      expect(textOf(script)).toBe("");
    }
    const names = new Set(elements(tree).flatMap((element) => element.attrs.map(({ name }) => name)));
    expect([...names].filter((name) => /^(?:on|style$|hx-on|hx-vals$)/.test(name))).toEqual([]);
  });

  test("has one heading of the first rank, a title, a language and a main part", () => {
    expect(tagged(tree, "h1").length).toBe(1);
    expect(textOf(tagged(tree, "head")[0] ?? tree)).toContain("Tower");
    expect(attribute(tagged(tree, "html")[0] ?? byId(tree, "main"), "lang")).toBe("en");
    expect(tagged(tree, "main").length).toBe(1);
  });

  test("has a space between what is code and the words beside it", () => {
    expect(html.match(/\w<code[ >]|<\/code>\w/g)).toBeNull();
  });

  test("skips no rank of headings on the way down", () => {
    const ranks = elements(tree, ({ tagName }) => /^h[1-6]$/.test(tagName)).map(({ tagName }) =>
      Number(tagName[1]),
    );
    expect(ranks.filter((rank, place) => rank > (ranks[place - 1] ?? 0) + 1)).toEqual([]);
  });

  test("names every id once, and everything that points to an id finds it", () => {
    const ids = elements(tree).flatMap((element) => attribute(element, "id") ?? []);
    expect(ids.length).toBe(new Set(ids).size);
    const pointing = [
      "for",
      "aria-labelledby",
      "aria-describedby",
      "popovertarget",
      "commandfor",
      "data-open",
      "data-copy",
    ];
    const wanted = elements(tree).flatMap((element) => [
      ...pointing.flatMap((name) => attribute(element, name)?.split(" ") ?? []),
      ...(/^#(.+)/.exec(attribute(element, "href") ?? "")?.slice(1) ?? []),
    ]);
    expect([...new Set(wanted)].filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("labels every control and every button", () => {
    const labelled = new Set(tagged(tree, "label").map((label) => attribute(label, "for")));
    const inLabel = new Set(tagged(tree, "label").flatMap((label) => tagged(label, "input")));
    for (const name of ["input", "select", "textarea"]) {
      for (const control of tagged(tree, name)) {
        if (attribute(control, "type") === "hidden" || inLabel.has(control)) continue;
        expect(labelled.has(attribute(control, "id"))).toBe(true);
      }
    }
    const unnamed = [...tagged(tree, "button"), ...tagged(tree, "a")].filter(
      (button) => textOf(button) === "" && (attribute(button, "aria-label") ?? "") === "",
    );
    expect(unnamed).toEqual([]);
  });

  test("every form works without scripts: it has a method, an address on this site and a button", () => {
    for (const form of tagged(tree, "form")) {
      if (attribute(form, "method") === "dialog") continue;
      expect(["get", "post"]).toContain(attribute(form, "method") ?? "");
      expect(attribute(form, "action")).toMatch(/^\//);
      const enter =
        tagged(form, "button").length +
        tagged(form, "input").filter((input) => attribute(input, "type") === "search").length;
      expect(enter).toBeGreaterThan(0);
    }
  });

  test("what refreshes has an id, and nothing polls beside the page's own refresh", () => {
    for (const part of elements(tree, (element) => attribute(element, "data-ask") !== undefined))
      expect([attribute(part, "id") === undefined && part.tagName, attribute(part, "data-every")]).toEqual([
        false,
        expect.stringMatching(/^(?:5|60)$/),
      ]);
    expect(elements(tree, (element) => /tick|every/.test(attribute(element, "hx-trigger") ?? ""))).toEqual(
      [],
    );
  });

  test("every table has a caption and every picture with a role a label", () => {
    // Tables of the manual stand under a heading of their own.
    if (!path.startsWith("/help/"))
      for (const table of tagged(tree, "table")) expect(tagged(table, "caption").length).toBe(1);
    for (const svg of tagged(tree, "svg")) {
      if (attribute(svg, "role") === "img") expect(attribute(svg, "aria-label")).toBeTruthy();
    }
  });

  test("stays small", () => {
    expect(html.length).toBeLessThan(200_000);
  });
});

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

  test("shows a notice when there is one", () => {
    const tree = page({ notice: { tone: "working", words: "The token is revoked." } });
    expect(textOf(byId(tree, "notice"))).toBe("The token is revoked.");
  });
});
