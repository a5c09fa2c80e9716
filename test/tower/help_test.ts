/** The manual within the Tower: every page of it, with links that lead on, and nothing in it that is markup of its own. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../src/app/prepare.ts";
import { MANUAL } from "../../src/tower/help.tsx";
import { paths } from "../../src/tower/paths.ts";
import { DOCUMENTS, manualPage } from "../support/documents.ts";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { attribute, elements, parsed, rawTextOf, tagged } from "../support/html.ts";

let filled: ForeignService;
beforeAll(async () => {
  filled = await foreignService("a-plain-word");
});
afterAll(() => filled.service.close());

async function pageAt(path: string) {
  const response = await filled.ask("GET", path);
  return { status: response.status, tree: parsed(await response.text()) };
}
type Tree = Awaited<ReturnType<typeof pageAt>>["tree"];

const idsOf = (tree: Tree) => elements(tree).flatMap((element) => attribute(element, "id") ?? []);
const helpLinksOf = (tree: Tree) =>
  tagged(tree, "a").flatMap((link) => {
    const href = attribute(link, "href") ?? "";
    return href.startsWith(`${paths.help}/`) || href.startsWith("#") ? [href] : [];
  });

test("the list names every file of the manual", async () => {
  const files = [...DOCUMENTS.keys()].filter((path) => path !== "README.md");
  expect(MANUAL.map(({ name }) => `.github/docs/${name}.md`).toSorted()).toEqual(files.toSorted());
  const { tree } = await pageAt(paths.help);
  expect(helpLinksOf(tree)).toEqual(["#main", ...MANUAL.map(({ name }) => paths.helpPage(name))]);
  expect(elements(tree, (one) => attribute(one, "data-row") !== undefined)).toHaveLength(MANUAL.length);
});

describe.each([...MANUAL])("the page $name", ({ name }) => {
  test("has every table, block and heading of its file", async () => {
    const { status, tree } = await pageAt(paths.helpPage(name));
    expect(status).toBe(200);
    const here = elements(tree, (one) => attribute(one, "aria-current") !== undefined);
    expect(here.map((link) => attribute(link, "href"))).toContain(paths.helpPage(name));
    const [article = tree] = tagged(tree, "article");
    const text = manualPage(name);
    const prose = text.replaceAll(/^```.*?^```$/gms, "");
    const count = (tag: string) => tagged(article, tag).length;
    expect(count("pre")).toBe(text.match(/^```\w/gm)?.length ?? 0);
    expect(count("table")).toBe(prose.match(/^\|(?:---\|)+$/gm)?.length ?? 0);
    expect(count("h1") + count("h2") + count("h3")).toBe(prose.match(/^#+ /gm)?.length ?? 0);
    const blocks = [...text.matchAll(/^```\w.*\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
    expect(tagged(article, "pre").map(rawTextOf)).toEqual(blocks);
    const scopes = tagged(article, "th").map((head) => attribute(head, "scope"));
    expect(scopes.filter((scope) => scope !== "col")).toStrictEqual([]);
  });

  test("leads only to pages and sections that are there", async () => {
    const { tree } = await pageAt(paths.helpPage(name));
    for (const href of helpLinksOf(tree)) {
      const [path = "", anchor] = href.split("#");
      const target = path === "" ? { status: 200, tree } : await pageAt(path);
      expect({ href, status: target.status }).toEqual({ href, status: 200 });
      if (anchor !== undefined) expect(idsOf(target.tree)).toContain(anchor);
    }
  });
});

test("sections that other pages lead to are there", async () => {
  const folder = join(ROOT, "src", "tower");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx"))
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const named = sources.flatMap((text) => [...text.matchAll(/helpAbout\(\s*"([^"]+)",\s*"([^"]+)"/g)]);
  expect(named.length).toBeGreaterThan(4);
  for (const [, page = "", section = ""] of named) {
    const { tree } = await pageAt(paths.helpPage(page));
    expect({ page, section, ids: idsOf(tree) }).toEqual({
      page,
      section,
      ids: expect.arrayContaining([section]),
    });
  }
});

test("a page that is none answers 404, whatever it is called", async () => {
  for (const name of ["nothing", "../ARCHITECTURE", "sending.md", "__proto__"]) {
    expect((await pageAt(paths.helpPage(name))).status).toBe(404);
  }
});
