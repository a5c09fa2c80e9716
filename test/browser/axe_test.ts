/** The pages as they are served, each filled: what axe finds on them, what the browser complains of, and what is too wide: nothing. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type axe from "axe-core";
import { browserPages } from "../support/browser.ts";
import { foreignService } from "../support/foreign_text.ts";
import { PAGES } from "../support/route_table.ts";

setDefaultTimeout(240_000);

const browser = browserPages();
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

test("axe finds nothing on any page: all rules in light, contrast in dark and what a narrow page may break at 390 px; none is too wide at 320 and 1440 px", async () => {
  expect(PAGES).toEqual(expect.arrayContaining(WIDE));
  const found: string[] = [];
  const todo = PAGES.entries();
  const walk = async () => {
    const page = await browser.open("about:blank");
    for (const [place, path] of todo) {
      const look = async (name: string, rules: readonly string[] | null) =>
        found.push(
          ...(await page.evaluate(findings, rules)).map((finding) => `${path}, ${name}: ${finding}`),
        );
      await page.goto(new URL(`/${place}`, server.url).href);
      await page.addScriptTag({ url: AXE });
      await look("light", null);
      await page.emulateMedia({ colorScheme: "dark" });
      if (WIDE.includes(path)) await look("dark", ["color-contrast"]);
      await page.setViewportSize({ width: 390, height: 800 });
      await look("dark, 390 px", ["color-contrast", ...NARROW]);
      for (const width of [320, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wide > 0) found.push(`${path} at ${width} px is ${wide} px too wide`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
    }
  };
  await Promise.all([walk(), walk()]);
  expect(found).toEqual([]);
});
