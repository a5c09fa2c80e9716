/** Adding a site in a real browser under the served policy, reloaded in the middle. The same by plain forms: `tower/acts_test.ts`. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { addOperator } from "../../src/access/operators.ts";
import { formatInstant } from "../../src/base/time.ts";
import { askAnew, browserPages } from "../support/browser.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";

// The browser itself notes every 4xx answer; a refused name is one.
const browser = browserPages((text) => !text.includes("status of 4"));
let service: TestTower;
let origin: string;

beforeEach(async () => {
  service = await testTower();
  await addOperator(
    service.deps,
    { name: "ada", password: GOOD_PASSWORD },
    { actor: "command-line", now: 0 },
  );
  origin = service.listen("tower").url;
});
afterEach(() => service.close());

/** Sends the site's report as the shown command would. */
async function send(token: string): Promise<number> {
  const generatedAt = formatInstant(service.deps.clock.now());
  return (await service.report("/api/pulse", { asset: "kiln.example", generatedAt, metrics: {} }, token))
    .status;
}

test("a site is added, the page reloaded in the middle, and the first report seen beside its commands", async () => {
  const page = await browser.open(`${origin}/sign-in?to=/sites/new`);
  await page.fill("#name", "ada");
  await page.fill("#password", GOOD_PASSWORD);
  await page.click("button:text-is('Sign in')");
  await page.fill("#id", "https://kiln.example/");
  await page.click("button:text-is('Add site')");
  await page.locator("[name=id]:focus").waitFor();
  expect(await page.locator("[name=families], [name=storage]").count()).toBe(0);
  await page.fill("#id", "kiln.example");
  // The session ends beside the refused form: what was typed stays.
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await page.click("button:text-is('Add site')");
  await refused;
  expect(await page.inputValue("#id")).toBe("kiln.example");
  await page.context().addCookies(cookies);
  await page.click("button:text-is('Add site')");
  await page.waitForURL("**/sites/kiln.example/first-report");
  const token = (await page.textContent("#token"))?.trim() ?? "";
  // The first thing to copy is the command; the token itself is kept afterwards.
  expect(await page.locator("pre").first().textContent()).toContain(`ASSET_TOKEN=${token}`);
  await page.reload();
  expect((await page.textContent("#token"))?.trim()).toBe(token);
  expect(await page.textContent("#first-report")).toContain("Waiting for the first report");
  expect(await page.locator("#first-report [data-scripted]").isVisible()).toBe(true);
  expect(await page.locator("#first-report noscript").isVisible()).toBe(false);
  expect(await send(token)).toBe(201);
  await askAnew(page);
  await page.locator("#first-report >> text=First nightly report received").waitFor();
  expect(await page.textContent("#way-nightly")).toContain(token);
  await page.click("text=I've copied it");
  await page.locator("text=Issue another token").waitFor();
  expect(await page.content()).not.toContain(token);
});
