/** Where no mark can stand: headings, controls, links, pictures, and what somebody else wrote. */

import { expect, test } from "bun:test";
import { GLOSSARY, TERMS } from "../../../src/sites/glossary.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { markTerms } from "../../../src/tower/kit/proof.tsx";
import { foreignService } from "../../support/foreign_text.ts";
import { attribute, byId, elements, parsed, tagged, textNodes, textOf } from "../../support/html.ts";
import { world } from "../../support/world.ts";

const ELSEWHERE = new Set(
  "a label option h1 h2 h3 summary textarea svg caption bdi code pre title".split(" "),
);

type Page = ReturnType<typeof parsed>;

/** The words of the rules that stand on a page before, or without, their mark. */
function unmarked(page: Page): string[] {
  const [main] = tagged(page, "main");
  if (main === undefined) throw new Error("no main");
  const texts = textNodes(main).flatMap(({ text, above }) => {
    if (above.some(({ tagName }) => ELSEWHERE.has(tagName))) return [];
    const mark = above.find((element) => attribute(element, "class") === "term");
    return [{ text: text.replaceAll(/\s+/g, " "), term: mark && attribute(mark, "popovertarget") }];
  });
  return TERMS.flatMap((name): string[] => {
    const first = texts.find(
      ({ text, term }) => (term === undefined || term === `term-${name}`) && GLOSSARY[name].says.test(text),
    );
    return first === undefined || first.term !== undefined ? [] : [`${name}: ${first.text}`];
  });
}

test("every mark of a page opens a sentence that stands on it, once", async () => {
  const site = await world();
  const page = await site.open("/settings/constants");
  await site.close();
  const marks = elements(page, (element) => attribute(element, "class") === "term");
  expect(marks.length).toBeGreaterThan(3);
  for (const mark of marks) {
    expect(attribute(mark, "type")).toBe("button");
    const target = byId(page, attribute(mark, "popovertarget") ?? "");
    expect(attribute(target, "popover")).toBe("");
    expect(attribute(mark, "aria-describedby")).toBe(attribute(target, "id"));
  }
  const ids = elements(page).flatMap((element) => attribute(element, "id") ?? []);
  expect(ids).toEqual([...new Set(ids)]);
});

test("texts are marked at the first place of each word, the longer word before the one in it", () => {
  const marked = markTerms([
    "About 3 flags expected by chance; 5 expected at alpha.",
    "Alpha again, and a window.",
  ]);
  const marks = tagged(parsed(render(<p>{marked}</p>)), "button");
  expect(marks.map((mark) => [attribute(mark, "popovertarget"), textOf(mark)])).toMatchSnapshot();
  expect(textOf(parsed(render(<p>{marked[0]}</p>)))).toBe(
    "About 3 flags expected by chance; 5 expected at alpha.",
  );
});

test("a word has at most two plain sentences, which claims no cause and calls nothing normal", () => {
  for (const name of TERMS) {
    const { sentence } = GLOSSARY[name];
    expect(sentence).toMatch(/^[A-Z][^.]*(?:\d\.\d[^.]*)*\.(?: [A-Z][^.]*\.)?$/);
    expect(sentence).not.toMatch(/normal|because of|caused|certain|prove|significan/i);
  }
});

test.each(["/sites/:asset", "/sites/:asset/codebase", "/flags/:id"])(
  "a word of the rules has its mark at its first place on %s",
  async (path) => {
    const { service, ask } = await foreignService("a-plain-word");
    const page = parsed(await (await ask("GET", path)).text());
    await service.close();
    expect(unmarked(page)).toStrictEqual([]);
  },
);
