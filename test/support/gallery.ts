/**
 * Renders every page with canned data into a folder, with the stylesheet and scripts, and photographs them there:
 * `bun test/support/gallery.ts <folder> [name…]`. Light at 1,440 px, dark, and 390 px wide.
 */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { renderDocument } from "../../src/tower/jsx/jsx-runtime.ts";
import type { Theme } from "../../src/tower/keyboard.tsx";
import { launchBrowser } from "./browser.ts";
import { galleryPages } from "./gallery_pages.tsx";
import { shellOf } from "./tower_data.ts";

const LOOKS: readonly (readonly [suffix: string, theme: Theme, width: number])[] = [
  ["light", "light", 1440],
  ["dark", "dark", 1440],
  ["phone", "light", 390],
];

const RELATIVE = {
  css: "tower.css",
  htmx: "htmx.min.js",
  script: "tower.js",
  live: "live.js",
  wall: "wall.js",
  days: "days.js",
  keys: "keys.js",
  icon: "favicon.svg",
};

function writePages(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const source = resolve(import.meta.dir, "../../public");
  for (const name of ["tower.css", "tower.js", "live.js", "keys.js", "days.js", "favicon.svg"])
    copyFileSync(join(source, name), join(folder, name));
  copyFileSync(join(source, "vendor", "htmx.min.js"), join(folder, "htmx.min.js"));
  const names: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    for (const [name, page] of galleryPages(shellOf({ theme, assets: RELATIVE }))) {
      const html = renderDocument(page);
      writeFileSync(join(folder, `${name}-${theme}.html`), html);
      if (theme === "light") {
        names.push(name);
        console.log(name, html.length, "bytes,", Bun.gzipSync(html).length, "packed");
      }
    }
  }
  return names;
}

async function photograph(folder: string, names: readonly string[]): Promise<void> {
  const browser = await launchBrowser();
  try {
    for (const [suffix, theme, width] of LOOKS) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      for (const name of names) {
        await page.goto(`file://${join(folder, `${name}-${theme}.html`)}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) console.log(`${name} at ${width} px scrolls sideways: ${wide} px`);
        await page.screenshot({ path: join(folder, `${name}-${suffix}.png`), fullPage: true });
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

if (import.meta.main) {
  const [folder, ...wanted] = process.argv.slice(2);
  if (folder === undefined) throw new Error("usage: bun test/support/gallery.ts <folder> [name…]");
  const target = resolve(folder);
  const names = writePages(target);
  await photograph(target, wanted.length === 0 ? names : names.filter((name) => wanted.includes(name)));
}
