/**
 * A headless Chromium for the browser tests, on any machine with node and the npm packages: `CHROMIUM_PATH`, else
 * the system's, else the one packed in @sparticuz/chromium. A machine without its shared libraries or fonts gets
 * those the package carries.
 */

import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { temporaryFolder } from "./folder.ts";

const SYSTEM_BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * The package's own list of flags turns web security off, so it is not used. Its container of choice has no
 * sandbox and little shared memory; these two are what is left of it. The last two are for pages that live for a second: scripts
 * that are compiled for years, beside the page, cost more than they run, and a process for each page costs as much as the page.
 */
const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--font-render-hinting=none",
  "--hide-scrollbars",
  "--js-flags=--single-threaded,--no-opt,--no-maglev",
  "--renderer-process-limit=1",
];

/** Draws nothing until it is asked to, which nobody does: half of what a page that is only measured costs. Frames never come, nor does what waits for them. */
export const UNDRAWN = "--enable-begin-frame-control";

/** Starts a browser. The caller closes it. */
export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const found = systemBrowser();
  return found === undefined ? await launchPacked(flags) : await start(found, {}, flags);
}

/** How a page is opened: 1280 x 800 with scripts, where nothing else is said. */
export interface Opening extends BrowserContextOptions {
  readonly scripts?: boolean;
  readonly width?: number;
  /** A window that no other test is given, whatever is done to it. */
  readonly isOwn?: boolean;
  /** What is done before the page is loaded. */
  readonly before?: (page: Page) => Promise<void>;
}

const ORDINARY = { width: 1280, height: 800 };

/**
 * A browser for all tests of a file, to be called at its top. `open` loads an address in a window that nobody uses: an ordinary one goes
 * from test to test with nothing of the one before, since a new one costs more than most pages; others are closed after each test. What
 * their consoles complained of fails it. A complaint that a test expects is taken out of `complaints` by it.
 */
export function browserPages(
  isComplaint: (text: string) => boolean = () => true,
  flags: readonly string[] = [],
) {
  let browser: Browser | undefined;
  let ordinary: Page | undefined;
  let isInUse = false;
  const complaints: string[] = [];

  async function windowWith(options: BrowserContextOptions): Promise<Page> {
    if (browser === undefined) throw new Error("the browser is not started");
    const context = await browser.newContext({ viewport: ORDINARY, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("console", (message) => {
      if (message.type() === "error" && isComplaint(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    return page;
  }

  beforeAll(async () => {
    browser = await launchBrowser(flags);
  });
  afterEach(async () => {
    if (ordinary?.isClosed() === true) ordinary = undefined;
    for (const context of browser?.contexts() ?? [])
      if (context !== ordinary?.context()) await context.close();
    if (isInUse && ordinary !== undefined) {
      // One that ended at no address of ours cannot be cleared.
      if (ordinary.url().startsWith("http")) await clear(ordinary);
      else {
        await ordinary.context().close();
        ordinary = undefined;
      }
    }
    isInUse = false;
    expect(complaints.splice(0)).toStrictEqual([]);
  });
  afterAll(() => browser?.close());
  return {
    complaints,
    open: async (url: string, opening: Opening = {}): Promise<Page> => {
      const { scripts = true, width = ORDINARY.width, isOwn = false, before, ...options } = opening;
      let page: Page;
      if (scripts && !isOwn && !isInUse && Object.keys(options).length === 0) {
        isInUse = true;
        page = ordinary ??= await windowWith({});
        if (width !== ORDINARY.width) await page.setViewportSize({ ...ORDINARY, width });
      } else {
        page = await windowWith({ javaScriptEnabled: scripts, viewport: { ...ORDINARY, width }, ...options });
      }
      await before?.(page);
      await page.goto(url);
      return page;
    },
  };
}

/** Takes from a window what a test left in it. */
async function clear(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
  await page.goto("about:blank");
  await page.setViewportSize(ORDINARY);
}

function systemBrowser(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") return named;
  return SYSTEM_BROWSERS.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** With a temporary folder of its own: a browser that ends at once leaves files there. */
async function start(
  executablePath: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[],
): Promise<Browser> {
  const folder = temporaryFolder();
  const remove = () => folder[Symbol.dispose]();
  try {
    const browser = await chromium.launch({
      executablePath,
      headless: true,
      args: [...FLAGS, ...flags],
      env: { ...process.env, ...env, TMPDIR: folder.path },
    });
    browser.on("disconnected", remove);
    return browser;
  } catch (error) {
    remove();
    throw error;
  }
}

async function launchPacked(flags: readonly string[]): Promise<Browser> {
  const folder = await unpacked();
  const path = join(folder, "chromium");
  const fonts = existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: join(folder, "fonts") };
  try {
    return await start(path, fonts, flags);
  } catch (error) {
    if (!String(error).includes("shared libraries")) throw error;
    const own = process.env["LD_LIBRARY_PATH"] ?? "";
    const libraries = join(folder, "al2023", "lib");
    const env = { ...fonts, LD_LIBRARY_PATH: own === "" ? libraries : `${libraries}:${own}` };
    return await start(path, env, flags);
  }
}

/**
 * The package's files, unpacked once per machine. They are unpacked beside and renamed into place, so that two test
 * processes never see each other's half-written browser.
 */
async function unpacked(): Promise<string> {
  const packed = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "..", "bin");
  const version: string = (await Bun.file(join(packed, "..", "package.json")).json()).version;
  const folder = join(tmpdir(), `tower-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const beside = mkdtempSync(`${folder}-`);
  const bytes = async (name: string): Promise<Buffer> =>
    brotliDecompressSync(await Bun.file(join(packed, name)).bytes());
  writeFileSync(join(beside, "chromium"), await bytes("chromium.br"), { mode: 0o755 });
  for (const name of ["al2023", "fonts"]) {
    mkdirSync(join(beside, name));
    await new Bun.Archive(await bytes(`${name}.tar.br`)).extract(join(beside, name));
  }
  try {
    renameSync(beside, folder);
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Of the widths of a phone, a larger one, a tablet and a desk. */
export const WIDTHS = [320, 390, 800, 1_440] as const;

/** The widths at which an opened page scrolls sideways, each with how wide it is there. */
export async function widerThan(widths: readonly number[], page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) found.push(`${wide} px at ${width} px`);
  }
  return found;
}

/** Resolves when htmx has taken hold of the page: before that a key or a click sends the plain form, which is right but not the same. */
export async function htmxReady(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("[hx-get], [hx-post], [hx-put], [hx-delete]") === null ||
      document.querySelector("[data-htmx-powered]") !== null,
  );
}

/**
 * Makes whatever a test answers for the page (`page.route`) hold from the very next request. To be called before the page is opened, or
 * before it is loaded anew: a browser that is asked to intercept says yes before an open page has heard of it, so that a key pressed
 * then still reaches the service. Nor may the last route go, for the same reason: this one stays, and answers nothing.
 */
export async function steadyRoutes(page: Page): Promise<void> {
  await page.route("**/nothing-is-asked-here", (route) => route.fallback());
}

/** Has the page read itself anew, as it does once its period is over. */
export async function askAnew(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new CustomEvent("tower:ask")));
}

/** Has the page read itself anew; resolves when it shows what it read, and nothing that was asked for before. */
export async function refreshed(page: Page): Promise<void> {
  const done = page.evaluate(
    () => new Promise((resolve) => document.addEventListener("tower:fresh", resolve, { once: true })),
  );
  await askAnew(page);
  await done;
}
