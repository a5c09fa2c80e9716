/** The pages in a real browser, under the policy they are served with. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { render, renderDocument, type Safe } from "../../src/tower/jsx/jsx-runtime.ts";
import {
  FirstReport,
  FirstReportPage,
  type FirstReportState,
} from "../../src/tower/sites/add_site_routes.tsx";
import { EVERYTHING, portfolioView, type SiteRow } from "../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../src/tower/sites/portfolio_page.tsx";
import { SetupPage } from "../../src/tower/sites/setup_page.tsx";
import { readStatic } from "../../src/tower/tower.tsx";
import {
  askAnew,
  browserPages,
  type Opening,
  refreshed,
  steadyRoutes,
  widerThan,
} from "../support/browser.ts";
import {
  CALM,
  DESTINATION,
  FRESH,
  inPage,
  NOW,
  refusedReport,
  shellOf,
  siteRows,
  TODAY,
} from "../support/tower_data.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const files = readStatic(join(import.meta.dir, "../../public"));
const shell = shellOf({ addressOf: files.url });
const PAGES: Readonly<Record<string, () => Safe>> = {
  setup: () => inPage(() => <SetupPage refusal="This link was used already." />, shell),
  "site-added": () =>
    inPage(
      () => (
        <FirstReportPage
          site={{ lifecycle: "live" }}
          destination={{ ...DESTINATION, asset: "kilnandclay" }}
          fresh={FRESH}
          tokens={1}
          heard={{ state: "waiting", rejected: refusedReport() }}
        />
      ),
      shell,
    ),
};

/** What the server answers with, changed by the tests, and what it was asked. */
let rows: SiteRow[] = [];
let heard: FirstReportState = { state: "waiting", rejected: null };
const asked: string[] = [];
/** What a page that reads itself anew is answered instead. */
let refused: ResponseInit | undefined;
/** The files that the pages of the release that answers now name. */
let released = files.url;

function answer(request: Request): Response {
  const { pathname, search } = new URL(request.url);
  const file = files.find(pathname);
  if (file !== undefined) return new Response(file.body, { headers: { "content-type": file.type } });
  const html = (body: string): Response =>
    new Response(body, {
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
    });
  if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
  asked.push(`${request.method} ${pathname}${search}`);
  if (refused !== undefined && request.headers.has("tower-refresh")) return new Response(null, refused);
  if (pathname === "/") {
    return html(
      renderDocument(
        inPage(() => <PortfolioPage {...CALM} view={portfolioView(rows, EVERYTHING)} query={EVERYTHING} />, {
          ...shell,
          addressOf: released,
        }),
      ),
    );
  }
  if (pathname.endsWith("/first-report"))
    return html(render(inPage(() => <FirstReport asset="kilnandclay" heard={heard} />)));
  const page = PAGES[pathname.slice(1)];
  return page === undefined ? new Response("none", { status: 404 }) : html(renderDocument(page()));
}

// Answers that refuse, or never come, are made on purpose, and the browser notes each.
const browser = browserPages((text) => !text.includes("Failed to load resource"));
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });

afterAll(() => server.stop(true));

const open = (path: string, opening: Opening = {}) => browser.open(new URL(path, server.url).href, opening);

describe("in a browser", () => {
  test("below few rows the foot stands at the end of the screen; a value of six digits stays on one line, and no window is too narrow for the columns", async () => {
    const days = {
      firstDay: 0,
      values: Float64Array.of(780_208),
      states: Uint8Array.of(1),
      totals: new Float64Array(1),
      lastDay: 0,
    };
    const spark = { source: "site", metric: "free_disk_mb", days };
    rows = siteRows(1).map((row) => ({
      ...row,
      openFlags: { error: 1, warn: 2, info: 1 },
      standing: { ...row.standing, state: "silent" },
      sparks: { visitors: spark, clicks: spark, first: spark },
    }));
    const page = await open("/");
    const foot = await page.evaluate(() => {
      const { top, bottom } = document.querySelector(".foot")?.getBoundingClientRect() ?? new DOMRect();
      return { height: bottom - top, below: innerHeight - bottom };
    });
    expect(foot.height).toBeLessThan(60);
    expect(foot.below).toBe(0);
    const lines = page
      .locator("b", { hasText: "780,208" })
      .first()
      .evaluate((value) => {
        const text = document.createRange();
        text.selectNodeContents(value);
        return text.getClientRects().length;
      });
    expect(await lines).toBe(1);
    expect(await widerThan([1_000, 1_100, 1_180], page)).toStrictEqual([]);
  });

  test("a page that is seen ticks each period; a hidden one never asks", async () => {
    rows = siteRows(1);
    const page = await open("/setup", { isOwn: true });
    await page.clock.install();
    await page.goto(server.url.href);
    const hide = (state: string) =>
      page.evaluate(
        (held) => Object.defineProperty(document, "visibilityState", { configurable: true, value: held }),
        state,
      );
    asked.length = 0;
    await hide("hidden");
    await page.clock.runFor(180_000);
    expect(asked).toStrictEqual([]);
    await hide("visible");
    // Until it is taken in, not only answered: its patience runs by the page's clock, which is about to leap.
    const taken = page.evaluate(
      () =>
        new Promise<void>((done) => document.addEventListener("tower:fresh", () => done(), { once: true })),
    );
    await page.clock.runFor(2_000);
    await taken;
    expect(asked).toEqual(["GET /"]);
    // What was due while it was hidden is asked for once.
    await page.clock.runFor(50_000);
    expect(asked).toEqual(["GET /"]);
  });

  test("the first report turns its place and ends the asking", async () => {
    heard = { state: "waiting", rejected: null };
    const page = await open("/site-added");
    await askAnew(page);
    await page.waitForFunction(() => !document.body.textContent?.includes("Report refused"));
    refused = { status: 503 };
    await askAnew(page);
    await page.locator("#read-at").getByText("the service is not ready").waitFor();
    expect(await page.locator("#read-at").textContent()).toContain("As of");
    refused = undefined;
    heard = { state: "received", report: "codebase", receivedAt: NOW, date: TODAY, revision: 1, values: 17 };
    await askAnew(page);
    await page.waitForSelector("text=View code");
    asked.length = 0;
    await askAnew(page);
    await page.waitForTimeout(100);
    expect(asked).toStrictEqual([]);
  });

  test("a failed refresh keeps the page and says that the connection is lost", async () => {
    rows = siteRows(2);
    const page = await open("/");
    await steadyRoutes(page);
    await page.reload();
    await page.route("**/*", (route) => route.abort());
    await askAnew(page);
    await page.waitForSelector("text=connection lost");
    expect(await page.locator("#sites tbody tr").count()).toBe(2);
    await page.unroute("**/*");
    await askAnew(page);
    await page.waitForFunction(() => !document.body.textContent?.includes("connection lost"));
  });

  test("what keeps it from being renewed is said, and goes when it is over", async () => {
    rows = siteRows(1);
    const page = await open("/");
    for (const [status, words] of [
      [503, "Last update 14:02:10 UTC, the service is not ready"],
      [500, "Last update 14:02:10 UTC, the service answers 500"],
      [404, "Last update 14:02:10 UTC, it is no longer there"],
      [401, "Last update 14:02:10 UTC, signed out"],
    ] as const) {
      refused = { status };
      await askAnew(page);
      await page.locator("#read-at").getByText(words.slice("Last update 14:02:10 UTC".length)).waitFor();
      expect((await page.locator("#read-at").textContent())?.replace(/\s+/g, " ")).toBe(words);
    }
    refused = { status: 304, headers: { "tower-read-at": "2026-11-20T14:07:00.000Z" } };
    await askAnew(page);
    await page.locator("#read-at").getByText("14:07:00").waitFor();
    expect(await page.locator("#read-at").textContent()).not.toContain("Last update");
    refused = undefined;
  });

  test("whoever was signed out meanwhile is led to the door, unless something is half typed", async () => {
    rows = siteRows(1);
    const page = await open("/");
    refused = { status: 401, headers: { "hx-redirect": "/sign-in" } };
    await page.fill("#q", "half a word");
    await askAnew(page);
    await page.locator("#read-at").getByText("signed out").waitFor();
    expect(await page.inputValue("#q")).toBe("half a word");
    await page.fill("#q", "");
    await askAnew(page);
    await page.waitForURL("**/sign-in");
    refused = undefined;
  });

  test("pages of a new release are opened with its own scripts, as soon as nothing is half typed; not for a browser extension's script", async () => {
    rows = siteRows(1);
    const page = await open("/");
    await page.evaluate(() => Object.assign(window, { stayed: true }));
    const stayed = () => page.evaluate(() => "stayed" in window);
    await page.evaluate(() => {
      document.head.append(Object.assign(document.createElement("script"), { src: "/extension.js" }));
    });
    await refreshed(page);
    expect(await stayed()).toBe(true);
    await page.fill("#q", "half a word");
    released = (file) => `${files.url(file)}${file === "tower.js" ? "?next" : ""}`;
    await askAnew(page);
    await page.waitForTimeout(200);
    expect(await stayed()).toBe(true);
    await page.fill("#q", "");
    const again = page.waitForEvent("load");
    await askAnew(page);
    await again;
    expect(await stayed()).toBe(false);
    released = files.url;
  });

  test("without scripts the filter and the menu are a form and a popover", async () => {
    rows = siteRows(2);
    const page = await open("/", { scripts: false, width: 390 });
    await page.click("text=Menu");
    expect(await page.locator("#nav").isVisible()).toBe(true);
    asked.length = 0;
    await page.fill("#q", "site-0001");
    await page.press("#q", "Enter");
    await page.waitForURL("**/?q=site-0001");
    expect(await page.locator("[data-copy]:visible").count()).toBe(0);
  });

  test("keys move over the rows, find, go and list themselves, and can be switched off", async () => {
    rows = siteRows(3);
    const page = await open("/");
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await page.keyboard.press("j");
    const first = await focused();
    await page.keyboard.press("j");
    expect(await focused()).not.toBe(first ?? "");
    await page.keyboard.press("k");
    expect(await focused()).toBe(first ?? "");
    await page.keyboard.press("/");
    expect(await page.locator("#find").isVisible()).toBe(true);
    await page.keyboard.type("j?g");
    expect(await page.inputValue("#find-q")).toBe("j?g");
    // The first one empties the field, as in every search field.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.locator("#keys").isVisible()).toBe(true);
    await page.uncheck("#keys-on");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.locator("#keys").isVisible()).toBe(false);
    await page.reload();
    await page.keyboard.press("/");
    expect(await page.locator("#find").isVisible()).toBe(false);
  });

  test("g and a letter goes to that page", async () => {
    rows = siteRows(1);
    const page = await open("/site-added", { isOwn: true });
    // The second key counts for a while only, however long this machine takes between them.
    await page.clock.setFixedTime(NOW);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForURL(server.url.href);
  });

  test("a token is copied by its button", async () => {
    const page = await open("/site-added", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.click("[data-copy=token]");
    await page.waitForSelector("text=Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(FRESH.token);
  });
});
