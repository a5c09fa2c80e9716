/** Without JavaScript nothing that is shown is dead: on every page of the route table. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { PAGES } from "../support/route_table.ts";
import { TOWER_ORIGIN } from "../support/test_tower.ts";

setDefaultTimeout(60_000);

let browser: Browser;
let held: ForeignService;
let page: Page;
/** The page that the browser is given. */
let shown: Response;

beforeAll(async () => {
  browser = await launchBrowser();
  held = await foreignService("a-plain-word");
  const context = await browser.newContext({ javaScriptEnabled: false });
  page = await context.newPage();
  await page.route("**/*", async (route) => {
    const { pathname } = new URL(route.request().url());
    const isFile = pathname.startsWith("/static/");
    const response = isFile ? await held.ask("GET", pathname) : shown.clone();
    await route.fulfill({
      status: 200,
      contentType: response.headers.get("content-type") ?? "text/plain",
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
});
afterAll(async () => {
  await browser.close();
  await held.service.close();
});

/** What is in sight, with everything unfolded, and does nothing when it is used. */
function deadControls(body: Element): string[] {
  for (const details of body.querySelectorAll("details")) details.open = true;
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
  return [...body.querySelectorAll("a, button, input, select, textarea, [role=button]")]
    .filter((element) => isShown(element) && !isAlive(element))
    .map((element) => element.outerHTML.slice(0, 200));
}

test.each([...PAGES])("%s", async (path) => {
  shown = await held.page(path);
  expect(shown.status).toBe(200);
  await page.goto(`${TOWER_ORIGIN}/`);
  expect(await page.locator("main").count()).toBe(1);
  expect(await page.locator("body").evaluate(deadControls)).toEqual([]);
});
