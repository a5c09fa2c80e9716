/**
 * The pages as they are served, each filled: what axe finds on them, what the browser complains of, what is too wide, and what is dead
 * without JavaScript: nothing.
 */

import { afterAll, expect, test } from "bun:test";
import type axe from "axe-core";
import { browserPages, UNDRAWN, WIDTHS, widerThan } from "../support/browser.ts";
import { foreignService } from "../support/foreign_text.ts";
import { PAGES } from "../support/route_table.ts";

const browser = browserPages(undefined, [UNDRAWN]);
const { service, ask, page: pageOf } = await foreignService("w".repeat(64));
/** A file of the same origin, which the browser compiles once. */
const AXE = "/axe.min.js";
const axeFile = new Response(Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)), {
  headers: { "cache-control": "max-age=3600" },
});

/** Pages by number, since most addresses have names in them; all else is asked for as it is. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === AXE) return axeFile.clone();
    const path = PAGES[Number(pathname.slice(1))];
    return path === undefined ? ask("GET", pathname) : pageOf(path);
  },
});
afterAll(async () => {
  await server.stop(true);
  await service.close();
});

/** What a narrow page may break. */
const NARROW = ["target-size", "nested-interactive", "scrollable-region-focusable"];
/** What a narrow page hides, each stands on one of these. */
const WIDE = ["/", "/help/:page", "/flags/:id", "/timeline"];

/** Runs in the page, which axe was brought into. */
async function findings(rules: readonly string[] | null): Promise<string[]> {
  const { axe: brought } = globalThis as typeof globalThis & { axe: typeof axe };
  const { violations } = await brought.run({
    resultTypes: ["violations"],
    // Only a rule about rotated style sheets, which is off, would read them once more.
    preload: false,
    rules: { "target-size": { enabled: true } },
    ...(rules !== null && { runOnly: [...rules] }),
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id} at ${target.join(" ")}: ${html.slice(0, 160)}`),
  );
}

/** All rules on a wide page; contrast in the other theme, and what a narrow page may break, on a narrow one. */
const LOOKS = [
  { width: 1440, colorScheme: "light", rules: null },
  { width: 320, colorScheme: "dark", rules: ["color-contrast", ...NARROW] },
] as const;

/** The sheet A4 within the margins that browsers leave, in CSS pixels, and the room that a page keeps for its scroll bar. */
const SHEET = { width: 718 + 15, height: 1_047 };

/** How far the tables and the code of a page, which scroll on a screen, reach beyond it. */
function beyond(): number {
  const parts = [...document.querySelectorAll("main :is(table, pre, code)"), document.documentElement];
  const right = Math.max(...parts.map((part) => part.getBoundingClientRect().right));
  return Math.round(right - document.documentElement.clientWidth);
}

test("axe finds nothing on any page: all rules in light at 1440 px, contrast in dark and what a narrow page may break at 320 px; nothing is lost beside a printed sheet", async () => {
  expect(PAGES).toEqual(expect.arrayContaining(WIDE));
  const found: string[] = [];
  const todo = PAGES.entries();
  const walk = async () => {
    const page = await browser.open("about:blank", { isOwn: true });
    const look = async (told: string, rules: readonly string[] | null) =>
      found.push(...(await page.evaluate(findings, rules)).map((finding) => `${told}: ${finding}`));
    // A page begins as the one before it ended: each turn has the page laid out anew.
    const looks = [...LOOKS];
    for (const [place, path] of todo) {
      await page.goto(new URL(`/${place}`, server.url).href);
      await page.addScriptTag({ url: AXE });
      for (const { width, colorScheme, rules } of looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await look(`${path}, ${colorScheme}, ${width} px`, rules);
        if (rules !== null || !WIDE.includes(path)) continue;
        await page.emulateMedia({ colorScheme: "dark" });
        await look(`${path}, dark, ${width} px`, ["color-contrast"]);
      }
      looks.reverse();
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize(SHEET);
      const lost = await page.evaluate(beyond);
      if (lost > 0) found.push(`${path} is ${lost} px wider than a sheet`);
      await page.emulateMedia({ media: null });
    }
  };
  await Promise.all([walk(), walk()]);
  expect(found).toStrictEqual([]);
});

/** What is in sight, with everything unfolded, and does nothing when it is used. */
function deadControls(): string[] {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
  const submits = (form: HTMLFormElement | null) =>
    form !== null &&
    [...form.elements].some(
      (control) => control instanceof HTMLButtonElement && control.type === "submit" && isShown(control),
    );
  const isAlive = (element: Element) => {
    // In a drawing, too.
    if (element instanceof HTMLAnchorElement || element instanceof SVGAElement)
      return element.hasAttribute("href");
    if (element instanceof HTMLButtonElement)
      return element.hasAttribute("popovertarget") || (element.type === "submit" && element.form !== null);
    return submits((element as HTMLInputElement).form);
  };
  return [...document.querySelectorAll("a, button, input, select, textarea, [role=button]")]
    .filter((element) => isShown(element) && !isAlive(element))
    .map((element) => element.outerHTML.slice(0, 200));
}

const mains = () => document.querySelectorAll("main").length;

test("without JavaScript nothing that is shown is dead on any page, and with everything unfolded none scrolls sideways at any width", async () => {
  const page = await browser.open("about:blank", { scripts: false });
  for (const [place, path] of PAGES.entries()) {
    const answer = await page.goto(new URL(`/${place}`, server.url).href);
    expect([path, answer?.status(), await page.evaluate(mains)]).toEqual([path, 200, 1]);
    expect([path, await page.evaluate(deadControls)]).toEqual([path, []]);
    expect([path, await widerThan(WIDTHS, page)]).toEqual([path, []]);
  }
});
