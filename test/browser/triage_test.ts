import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findFlag, listChainedFlags } from "../../src/flags/queries.ts";
import { readHistory, resolveFlag } from "../../src/flags/store.ts";
import { browserPages, htmxReady, refreshed, steadyRoutes } from "../support/browser.ts";
import { flagFaults } from "../support/read_models.ts";
import { until } from "../support/until.ts";
import { type World, world } from "../support/world.ts";

// Answers that fail or never come are made on purpose, and the browser notes each.
const browser = browserPages(() => false);
let site: World;
let base: string;

beforeEach(async () => {
  site = await world();
  base = site.listen("tower", "ada").url;
});
afterEach(async () => {
  expect(site.lines.filter(({ level }) => level === "error")).toStrictEqual([]);
  expect(flagFaults(site.store.db)).toStrictEqual([]);
  await site.close();
});

/** Raises flags that the inbox lists in the order of their ids, and opens it. */
async function inboxOf(count: number, path = "/flags"): Promise<Page> {
  for (let place = count; place >= 1; place--) {
    const id = idAt(place);
    await site.raise(id, { subject: id, message: `Flag ${id}.` });
    site.clock.advance(1_000);
  }
  site.clock.advance(3_600_000);
  const page = await browser.open(`${base}${path}`, { before: steadyRoutes });
  await htmxReady(page);
  return page;
}

const idAt = (place: number) => `f${String(place).padStart(2, "0")}`;
const stored = (place: number) => findFlag(site.store.db, idAt(place));
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "");
const told = (page: Page, words: string) => page.locator("#flags-told").getByText(words).waitFor();
const press = async (page: Page, ...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Lets the answers to acts wait. */
async function slow(page: Page) {
  const held: (() => void)[] = [];
  let isSlow = true;
  await page.route("**/flags/dispositions*", async (route) => {
    if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  return {
    waiting: async (count: number) => {
      const { seen } = await until(
        async () => held.length,
        (length) => length >= count,
      );
      expect(seen).toBeGreaterThanOrEqual(count);
    },
    release: () => {
      isSlow = false;
      for (const go of held.splice(0)) go();
    },
  };
}
test("incident, hypothesis and resolve open the flag's own form", async () => {
  const page = await inboxOf(3);
  await press(page, "j", "j", "i");
  await page.locator("#incident-text").waitFor();
  await htmxReady(page);
  await page.locator("#incident-text").fill("INC-7");
  await page.locator("#act-incident").getByRole("button", { name: "Save" }).click();
  await told(page, "The incident is linked.");
  expect(await focused(page)).toBe("flag-heading");
  await press(page, "r");
  await page.locator("#act-resolve form button").waitFor();
  await page.keyboard.press("Enter");
  await told(page, "Resolved. It stays here with its record.");
  expect([1, 2, 3].map((place) => stored(place)?.status)).toEqual(["open", "resolved", "open"]);
  await page.getByRole("button", { name: "Raise again" }).click();
  await told(page, "Raised again.");
  const [again] = listChainedFlags(site.store.db, { subject: "f02", last: true }, 9);
  expect(again).toMatchObject({ status: "open", renews: "f02" });
  expect(page.url()).toContain(again?.id ?? "nothing");
});

describe("a key never acts on a flag that nobody chose", () => {
  test("ticks do not draw an act onto their rows, and are gone after it", async () => {
    const page = await inboxOf(4);
    await press(page, "j", "x", "j", "x");
    await page.locator(".bulk").getByText("2 selected").waitFor();
    await press(page, "j", "s");
    await told(page, "Flag f03.");
    expect([1, 2, 3, 4].map((place) => stored(place)?.snoozed_until !== null)).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(await page.locator(".tick input:checked").count()).toBe(0);
    expect(await page.getByText("2 selected").count()).toBe(0);
    expect(await focused(page)).toBe("open-f04");
  });

  test("a key pressed twice while its act is under way is one act on one flag", async () => {
    const page = await inboxOf(3);
    const network = await slow(page);
    await press(page, "j", "a", "a", "a");
    await network.waiting(1);
    await press(page, "a");
    network.release();
    await told(page, "Flag f01.");
    expect([1, 2, 3].map((place) => stored(place)?.acked_by)).toEqual(["ada", null, null]);
    expect(await focused(page)).toBe("open-f02");
  });

  test("on a slow network acts are made in turn, each on the row it was pressed on", async () => {
    const page = await inboxOf(6);
    const network = await slow(page);
    // On 1, over 2, on 3.
    await press(page, "j", "a", "j", "s");
    await network.waiting(1);
    expect(await focused(page)).toBe("open-f04");
    network.release();
    await told(page, "Flag f03.");
    expect([1, 2, 3, 4].map((place) => stored(place)?.acked_by)).toEqual(["ada", null, null, null]);
    expect([1, 2, 3, 4].filter((place) => stored(place)?.snoozed_until !== null)).toEqual([3]);
  });

  test("taking back an act on the opened flag waits for it, also where the act itself had to wait", async () => {
    const page = await inboxOf(2, "/flags/f01");
    const network = await slow(page);
    await page.locator("#pick-f02").check();
    await page.locator(".bulk").getByRole("button", { name: "Snooze" }).click();
    await network.waiting(1);
    await page.locator("#flag-heading").focus();
    await press(page, "a", "u");
    network.release();
    await told(page, "No longer acknowledged.");
    expect([stored(1)?.acked_by, stored(2)?.snoozed_until]).toEqual([null, "2026-03-08T13:00:02.000Z"]);
    expect(readHistory(site.store.db, "f01", 9).acts).toHaveLength(3);
  });

  test("where no answer comes it says so, and the next act is made", async () => {
    const page = await inboxOf(3);
    await press(page, "j", "a");
    await told(page, "Flag f01.");
    await page.route("**/flags/dispositions*", (route) => route.abort());
    await press(page, "s");
    await told(page, "No answer came, so that this may not be done.");
    await page.unroute("**/flags/dispositions*");
    expect(await focused(page)).toBe("open-f03");
    await press(page, "a");
    await told(page, "Flag f03.");
    expect([1, 2, 3].map((place) => stored(place)?.acked_by)).toEqual(["ada", null, "ada"]);
  });

  test("what the service could not do is said, and the list stays", async () => {
    const page = await inboxOf(3);
    await page.route("**/flags/dispositions*", (route) =>
      route.fulfill({ status: 503, contentType: "text/html", body: "<p><b>Not ready.</b> Try again.</p>" }),
    );
    await press(page, "j", "a");
    await told(page, "Not ready. Try again.");
    expect(await page.locator("[data-row]").count()).toBe(3);
    expect(await page.locator("[aria-busy]").count()).toBe(0);
    expect(stored(1)?.acked_by).toBeNull();
  });

  test("where the session ended, what was written stays, and what was not goes to the door", async () => {
    const page = await inboxOf(2, "/flags/f01");
    await page.route("**/flags/*/hypothesis*", (route) =>
      route.fulfill({ status: 401, headers: { "hx-redirect": "/sign-in" } }),
    );
    await press(page, "h");
    await page.keyboard.type("a crawler");
    await page.locator("#act-hypothesis button").click();
    await told(page, "You are signed out. Sign in in another tab, then do it again.");
    expect(await page.inputValue("#hypothesis-text")).toBe("a crawler");
    await page.unroute("**/flags/*/hypothesis*");
    await page.locator("#act-hypothesis button").click();
    await told(page, "The hypothesis is noted.");
    await page.route("**/flags/*/acknowledgement*", (route) =>
      route.fulfill({ status: 401, headers: { "hx-redirect": "/flags/f02" } }),
    );
    await page.locator("#flag-ack").click();
    await page.waitForURL("**/flags/f02");
  });

  test("a flag that is resolved under the focus leaves it to no neighbour; j goes on from its place", async () => {
    const page = await inboxOf(4);
    await press(page, "j", "j");
    await site.writer.write((tx): void => resolveFlag(tx, "f02", "cleared", site.clock.now(), "rule"));
    await refreshed(page);
    await told(page, "The flag that had the focus left the list.");
    await press(page, "a");
    await told(page, "Choose a flag first, with j or k.");
    await press(page, "j");
    expect(await focused(page)).toBe("open-f03");
    expect([1, 3, 4].map((place) => stored(place)?.acked_by)).toEqual([null, null, null]);
  });

  test("the last row that leaves gives the focus to the one before, and an emptied list keeps it", async () => {
    const page = await inboxOf(2);
    await press(page, "j", "j", "s");
    await told(page, "Flag f02.");
    expect(await focused(page)).toBe("open-f01");
    await page.waitForTimeout(200);
    await press(page, "s");
    await told(page, "Flag f01.");
    expect(await focused(page)).toBe("flags-bulk");
    await press(page, "a");
    await told(page, "Choose a flag first, with j or k.");
  });

  test("a held key, one with a modifier and one in a field do nothing", async () => {
    const page = await inboxOf(3);
    await press(page, "j");
    for (const keys of ["Control+a", "Alt+s", "Shift+A"]) await press(page, keys);
    await page.getByLabel("Snooze for").focus();
    await press(page, "a");
    await page.locator("#open-f01").focus();
    for (let times = 0; times < 4; times++) await page.keyboard.down("x");
    await page.keyboard.up("x");
    expect(await page.locator("#pick-f01").isChecked()).toBe(true);
    await page.keyboard.down("a");
    await page.keyboard.down("a");
    await page.keyboard.down("a");
    await page.keyboard.up("a");
    await told(page, "Flag f01.");
    await page.locator("#open-f01").getByText("acknowledged by ada").waitFor();
    expect([1, 2, 3].map((place) => stored(place)?.acked_by)).toEqual(["ada", null, null]);
    expect(stored(1)?.snoozed_until).toBeNull();
  });

  test("pressed twice on an opened flag it is one act, and the flag keeps it", async () => {
    const page = await inboxOf(2, "/flags/f01");
    await press(page, "a");
    await page.waitForTimeout(200);
    await press(page, "a");
    await told(page, "Acknowledged.");
    await page.locator("#open-f01").getByText("acknowledged by ada").waitFor();
    expect([1, 2].map((place) => stored(place)?.acked_by)).toEqual(["ada", null]);
    // What it does not take is no silence.
    await page.goto(`${base}/flags/f01`);
    await press(page, "a");
    await told(page, "The opened flag takes no such act as it stands.");
  });

  test("o, a, a on a phone acts on the opened flag and on no other", async () => {
    const page = await inboxOf(3);
    await page.setViewportSize({ width: 390, height: 800 });
    await press(page, "j", "o");
    await page.locator("#flag").waitFor();
    await press(page, "a");
    await told(page, "Acknowledged.");
    await press(page, "a", "u");
    await told(page, "No longer acknowledged.");
    const acts = (place: number) => readHistory(site.store.db, idAt(place), 9).acts.map(({ type }) => type);
    expect([2, 3].map(acts)).toEqual([["raised"], ["raised"]]);
    expect(stored(1)?.acked_by).toBeNull();
  });

  test("a key on a row that was scrolled out of sight shows it first", async () => {
    const page = await inboxOf(40);
    await press(page, "j");
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await press(page, "a");
    expect(await page.locator("#open-f01").evaluate((row) => row.getBoundingClientRect().top >= 0)).toBe(
      true,
    );
    expect(await page.locator("[aria-busy]").count()).toBe(0);
    await press(page, "x");
    expect(await page.locator("#pick-f01").isChecked()).toBe(true);
    expect(stored(1)?.acked_by).toBeNull();
  });

  test("a box that was clicked is its row: keys go on from there", async () => {
    const page = await inboxOf(3);
    await page.locator("#pick-f02").click();
    await press(page, "a");
    await told(page, "Flag f02.");
    expect(await focused(page)).toBe("open-f03");
    expect([1, 2, 3].map((place) => stored(place)?.acked_by)).toEqual([null, "ada", null]);
    await page.locator("#open-f02").focus();
    await press(page, "u");
    await told(page, "No longer acknowledged.");
    expect(stored(2)?.acked_by).toBeNull();
  });
});

describe("beside the list the flag that has the focus is shown", () => {
  /** A person sees the flag and then presses: later than a key that counts as pressed twice. */
  const shown = async (page: Page, place: number) => {
    await page
      .locator("#flag")
      .getByRole("heading", { name: `Flag ${idAt(place)}.` })
      .waitFor();
    await page.locator(`#open-${idAt(place)}[aria-current]`).waitFor();
    await page.waitForTimeout(250);
  };
  const acked = () => [1, 2, 3, 4].map((place) => stored(place)?.acked_by);
  /** Four flags, the first opened beside the list and its row in focus. */
  const opened = async () => {
    const page = await inboxOf(4);
    await press(page, "j", "o");
    await shown(page, 1);
    return page;
  };

  test("two acts in a row: after each the next flag has the focus and is shown before it takes one", async () => {
    const page = await opened();
    await press(page, "a");
    await shown(page, 2);
    expect([await focused(page), new URL(page.url()).pathname]).toEqual(["open-f02", "/flags/f02"]);
    expect(await page.locator("[data-row][aria-current]").getAttribute("id")).toBe("open-f02");
    expect(acked()).toEqual(["ada", null, null, null]);
    await press(page, "a");
    await shown(page, 3);
    expect(acked()).toEqual(["ada", "ada", null, null]);
    // One that leaves the list is followed by the next one, too.
    await press(page, "s");
    await shown(page, 4);
    expect(await focused(page)).toBe("open-f04");
    expect([1, 2, 3, 4].filter((place) => stored(place)?.snoozed_until !== null)).toEqual([3]);
  });

  test("while the next flag is not shown yet, no key acts on it", async () => {
    const page = await opened();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route("**/flags/f02*", async (route) => {
      await promise;
      await route.continue();
    });
    await press(page, "a");
    await told(page, "Acknowledged.");
    await page.waitForTimeout(200);
    expect(await focused(page)).toBe("open-f02");
    await press(page, "a", "s", "u");
    resolve();
    await shown(page, 2);
    await page.waitForTimeout(200);
    expect(acked()).toEqual(["ada", null, null, null]);
    expect([1, 2, 3, 4].filter((place) => stored(place)?.snoozed_until !== null)).toStrictEqual([]);
  });

  test("j and k show their flag; a row that Tab led to is shown before a key acts on it", async () => {
    const page = await opened();
    await press(page, "j", "j");
    await shown(page, 3);
    await press(page, "k");
    await shown(page, 2);
    expect(await focused(page)).toBe("open-f02");
    await page.locator("#open-f04").focus();
    await press(page, "a");
    await shown(page, 4);
    expect(acked()).toEqual([null, null, null, null]);
    await press(page, "a");
    await told(page, "Flag f04.");
    expect(acked()).toEqual([null, null, null, "ada"]);
    // One step in the browser's history, however many flags were looked at.
    await page.goBack();
    await page.locator("#flag").waitFor({ state: "detached" });
  });
});

test("acts on thirty ticked flags are taken back together, from the site's own tab", async () => {
  const page = await inboxOf(30, "/sites/harbor/flags");
  await page.getByRole("button", { name: "Select all" }).click();
  await page.locator(".bulk").getByRole("button", { name: "Acknowledge", exact: true }).click();
  await told(page, "30 flags acknowledged.");
  expect(await page.locator(".tick input:checked").count()).toBe(0);
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: "Undo acknowledge" }).click();
  await told(page, "30 flags no longer acknowledged.");
  expect(Array.from({ length: 30 }, (_, at) => stored(at + 1)?.acked_by)).toEqual(Array(30).fill(null));
});
