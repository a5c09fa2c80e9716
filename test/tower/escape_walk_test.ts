/** Whatever anybody else than Tower writes stays text: on every page that is mounted, with the text in everything it reads. */

import { afterAll, expect, test } from "bun:test";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { attribute, elements, parsed, shapeOf, tagged, textNodes } from "../support/html.ts";
import { PAGES, ROUTES } from "../support/route_table.ts";
import { TOWER_ORIGIN, testTower } from "../support/test_tower.ts";
import { words } from "../support/words.ts";

const PLAIN = "a-plain-word";
/** A word that stands nowhere. */
const NOWHERE = "a word of nobody";
/**
 * What leaves a text, an attribute of either quotes, an element that holds only text, or a template; each page is read once for every
 * line. All begin alike, so that lists are in one order.
 */
const EVIL: readonly string[] = [
  `a'"><img src=x onerror=alert(1)><script>`,
  `a</title></textarea><form hx-get=x hx-trigger="load">`,
  `a{{constructor.constructor('x')()}} \${7*7} <%= 7 %> #{7}`,
  "a&lt;b&gt;&amp;&#60;<!--\u202Egnp.exe\u202C \u{1F600}\u0301\u200D",
];

/** Pages that show nothing that somebody else wrote. */
const OWN_WORDS = new Set(
  words(`
  /settings /help /help/:page /settings/credentials/new /flags/:id/tune
  /sites/:asset/signals/:source/:metric/tune /sites/:asset/codebase/tune /integrations
  /integrations/attempts /wall /archive /archive/run /ledger/upload
`),
);

/** Every name that a query or a form may have, with the text as its value. */
const NAMES =
  "q asset kind from to until range metric page sites seen added there told sort severity rule origin mark status before part text note ref at id url group capability lifecycle families family storage act days digest scopes name password value code flag undo theme density link provider outcome category run object date".split(
    " ",
  );
const everyField = (text: string) => Object.fromEntries(NAMES.map((name) => [name, text]));

const services = new Map<string, Promise<ForeignService>>();
const serviceOf = (text: string) => {
  const known = services.get(text) ?? foreignService(text);
  services.set(text, known);
  return known;
};
afterAll(async () => {
  for (const each of services.values()) await (await each).service.close();
});

const ACTIVE = /^(?:on|style$|srcdoc$|hx-)/;
const ENCODED = /%[0-9A-F]{2}/g;

/** What of a page is more than text, though it is the text's. */
function liveParts(html: ReturnType<typeof parsed>, text: string): string[] {
  return elements(html).flatMap((element) =>
    element.attrs
      .filter(
        ({ name, value }) =>
          (ACTIVE.test(name) && value.replaceAll(ENCODED, "").includes(text)) ||
          (/^(?:href|action|src|formaction)$/.test(name) && /^\s*(?:javascript|data|vbscript):/i.test(value)),
      )
      .map(({ name, value }) => `${element.tagName} ${name}=${value}`),
  );
}

/** Elements in which everything is text. */
const HOLDS_TEXT = new Set(["title", "option", "textarea"]);

/** Texts of the page's own part that htmx would look into. */
function unguarded(html: ReturnType<typeof parsed>, text: string): string[] {
  return textNodes(html)
    .filter(({ text: held, above }) => held.includes(text) && !HOLDS_TEXT.has(above[0]?.tagName ?? ""))
    .filter(({ above }) => !above.some((element) => attribute(element, "hx-ignore") !== undefined))
    .map(({ text: held, above }) => `${above.map(({ tagName }) => tagName).join("<")}: ${held}`);
}

test("every page of the route table is walked", () => {
  const pages = Object.entries(ROUTES).filter(
    ([name, { who, origin, isFile }]) =>
      name.startsWith("tower GET ") && who === "operator" && origin === "any" && isFile === undefined,
  );
  expect(PAGES).toEqual(expect.arrayContaining(pages.map(([name]) => name.slice("tower GET ".length))));
});

const signedIn = PAGES.filter((path) => path !== "/sign-in" && path !== "/setup");
test.each(signedIn)("GET %s, with the text in all that it reads", async (path) => {
  const page = async (held: string) => {
    const response = await (await serviceOf(held)).ask("GET", path);
    expect(response.status).toBe(200);
    return parsed(await response.text());
  };
  const plain = shapeOf(await page(PLAIN));
  for (const text of EVIL) {
    const html = await page(text);
    expect(shapeOf(html)).toBe(plain);
    expect(liveParts(html, text)).toStrictEqual([]);
    const [main = html] = tagged(html, "main");
    const written = [
      ...textNodes(main).map((node) => node.text),
      ...elements(main).flatMap((element) => element.attrs.map(({ value }) => value)),
    ];
    const inPointer = text.replaceAll("~", "~0").replaceAll("/", "~1");
    const isShown = written.some((held) => held.includes(text) || held.includes(inPointer));
    expect(isShown).toBe(!OWN_WORDS.has(path));
    expect(unguarded(main, text)).toStrictEqual([]);
  }
});

test.each(signedIn)("GET %s, with the text in its query", async (path) => {
  const { ask } = await serviceOf(PLAIN);
  const page = async (held: string) => parsed(await (await ask("GET", path, everyField(held))).text());
  const plain = shapeOf(await page(NOWHERE));
  for (const text of EVIL) {
    const html = await page(text);
    expect(liveParts(html, text)).toStrictEqual([]);
    expect(shapeOf(html)).toBe(plain);
  }
});

const forms = Object.entries(ROUTES)
  .filter(([name, { origin }]) => name.startsWith("tower ") && origin === "own" && !name.includes("/api/"))
  .map(([name]) => name.slice("tower ".length));
test.each(forms)("%s, with the text in its form", async (name) => {
  const [method = "", path = ""] = name.split(" ");
  const { ask } = await serviceOf(PLAIN);
  const page = async (held: string) => {
    const response = await ask(method, path, everyField(held));
    expect(response.status).toBeLessThan(500);
    return parsed(await response.text());
  };
  const plain = shapeOf(await page(NOWHERE));
  for (const text of EVIL) {
    const html = await page(text);
    expect(liveParts(html, text)).toStrictEqual([]);
    expect(shapeOf(html)).toBe(plain);
  }
});

test("at the door, and where there is nothing", async () => {
  const service = await testTower();
  const page = async (path: string) => {
    const headers = { host: new URL(TOWER_ORIGIN).host, accept: "text/html" };
    const response = await service.tower(new Request(`${TOWER_ORIGIN}${path}`, { headers }));
    return parsed(await response.text());
  };
  for (const path of ["/setup?code=", "/sign-in?to=/", "/nowhere/", "/static/"]) {
    const plain = shapeOf(await page(`${path}${PLAIN}`));
    for (const text of EVIL) {
      const html = await page(`${path}${encodeURIComponent(text)}`);
      expect(liveParts(html, text)).toStrictEqual([]);
      expect(shapeOf(html)).toBe(plain);
    }
  }
  await service.close();
});
