/** A silent site says so on its own row, on each of its pages and on their tabs, and the flag about it is on its lists and in its counts. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayNumber, formatInstant, utcDayOf } from "../../../src/base/time.ts";
import { pause, resume } from "../../../src/health/pauses.ts";
import { addSeries, putDays } from "../../../src/reports/series.ts";
import { judgeSites } from "../../../src/rules/freshness.ts";
import { SENT } from "../../../src/sites/rule_catalogue.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { attribute, byId, elements, tagged, textOf } from "../../support/html.ts";
import { accept } from "../../support/nightly.ts";
import { type World, world } from "../../support/world.ts";

const HOUR = 3_600_000;

let site: World;
let flag = "";

const report = (asset: string, metrics = {}) =>
  accept(site, { asset, generatedAt: formatInstant(site.clock.now()), metrics }, site.clock.now());
const titleOf = async (path: string) =>
  textOf(tagged(await site.open(path), "title")[0] ?? expect.unreachable());
const links = (node: Parameters<typeof tagged>[0]) =>
  tagged(node, "a").map((link) => attribute(link, "href"));

beforeAll(async () => {
  site = await world();
  await site.writer.write((tx) =>
    ensureAssets(tx, ["tower", "calm"], { actor: "test", now: site.clock.now() }),
  );
  await report("harbor", { signups: { last24h: 3 } });
  site.clock.advance(27 * HOUR);
  await report("orchard");
  await site.raise("warned", {
    asset: "orchard",
    severity: "warn",
    subject: "w",
    source: SENT,
    metric: "visits",
  });
  const day = dayNumber(utcDayOf(site.clock.now()));
  await site.writer.write((tx): void => {
    const series = addSeries(tx, { asset: "orchard", source: SENT, metric: "visits" }, day);
    putDays(tx, series, [{ day, to: { state: "final", basis: "reported", value: 3, total: null } }]);
  });
  await judgeSites({ ...site, config: { serviceAsset: "tower" }, silentHoursOf: () => 26 });
  const open = (await (await site.ask("/api/flags?status=open&rule=stale-ingest")).json()) as {
    items: { id: string }[];
  };
  flag = open.items[0]?.id ?? "";
});
afterAll(() => site.close());

test("it stands first, says since when, and leads to the flag about it", async () => {
  const tree = await site.open("/");
  const rows = elements(tree, (element) => /^site-/.test(attribute(element, "id") ?? ""));
  expect(rows.map((row) => attribute(row, "id"))).toEqual([
    "site-harbor",
    "site-orchard",
    "site-calm",
    "site-tower",
  ]);
  const row = byId(tree, "site-harbor");
  expect(textOf(row)).toMatch(/Silent since \d+ Mar \d\d:\d\d/);
  expect(links(row)).toContain(`/flags/${flag}`);
  expect(textOf(byId(tree, "attention"))).toStartWith(
    "2 sites need attention: 1 not reporting, 1 with code warnings.",
  );
  const pictures = tagged(byId(tree, "attention"), "svg").map((svg) => attribute(svg, "aria-label"));
  expect(pictures.filter((label) => label !== undefined)).toEqual([
    "Of the last 14 nights 1 received, 0 missed",
    "3 to 3 a day on 1 day",
  ]);
  expect(await titleOf("/")).toStartWith("2 sites need attention");
  expect(textOf(byId(await site.open("/?state=silent"), "sites"))).not.toContain("orchard");
});

test("every page of it says so at its top and on its tab, and its overview names the flag", async () => {
  for (const path of ["", "/codebase", "/flags", "/timeline", "/settings", "/reports", "/integrations"]) {
    const tree = await site.open(`/sites/harbor${path}`);
    const heading = tagged(tree, "h1")[0]?.parentNode as Parameters<typeof textOf>[0];
    expect([path, textOf(heading)]).toEqual([path, expect.stringMatching(/Silent since/)]);
    // The overview says it in its first sentence.
    expect([path, links(heading)]).toEqual([path, path === "" ? [] : [`/flags/${flag}`]]);
    // Nightly reports are listed under none of the tabs.
    const [tab] = tagged(tree, "a").filter(
      (link) =>
        attribute(link, "aria-current") === "page" && (attribute(link, "href") ?? "").startsWith("/sites/"),
    );
    if (path !== "/reports")
      expect(tab === undefined ? "" : attribute(tab, "href")).toBe(`/sites/harbor${path}`);
    expect([path, await titleOf(`/sites/harbor${path}`)]).toEqual([path, expect.stringMatching(/^Silent: /)]);
  }
  expect(links(byId(await site.open("/sites/harbor"), "standing"))).toEqual([`/flags/${flag}`]);
  expect(await titleOf("/sites/orchard")).toStartWith("orchard");
  for (const path of ["/sites/harbor", "/sites/harbor/flags", "/sites/harbor/metric?metric=signups"]) {
    expect([path, textOf(await site.open(path))]).toEqual([
      path,
      expect.stringContaining("nothing has been checked since."),
    ]);
  }
});

test("the flag about it is on its lists and in its counts, wherever they are shown", async () => {
  const pennants = (tree: Parameters<typeof textOf>[0]) => textOf(tree).match(/\d+ (error|warn|info)/g) ?? [];
  expect(pennants(byId(await site.open("/"), "site-harbor"))).toEqual(["1 error"]);
  expect(textOf(byId(await site.open("/?alert=error"), "sites"))).toContain("harbor");
  expect(textOf(byId(await site.open("/flags"), "flags-head"))).toContain(
    "2 open on 2 sites: 1 error, 1 warn.",
  );
  const overview = await site.open("/sites/harbor");
  expect(pennants(tagged(overview, "h1")[0]?.parentNode as Parameters<typeof textOf>[0])).toEqual([
    "1 error",
  ]);
  expect(links(byId(overview, "stands-out"))).toEqual(["/sites/harbor/integrations"]);
  for (const path of ["/sites/harbor/flags", "/flags?asset=harbor"]) {
    const tree = await site.open(path);
    expect([path, textOf(byId(tree, "inbox"))]).toEqual([path, expect.not.stringContaining("No open flags")]);
    expect([path, textOf(byId(tree, "flags-head"))]).toEqual([path, expect.stringContaining("Open 1")]);
    expect([path, links(byId(tree, `row-${flag}`))]).toEqual([path, [expect.stringContaining(flag)]]);
  }
  expect(textOf(byId(await site.open("/flags"), "filter-asset"))).toContain("harbor");
  // It is on the service's own list, too: there it was raised.
  expect(textOf(byId(await site.open("/sites/tower/flags"), "flags-head"))).toContain("1 open: 1 error.");
  expect(textOf(byId(await site.open("/wall"), "tiles"))).toContain("1 error");
});

test("while it is snoozed the list of its open flags is no all-clear", async () => {
  await site.ask(`/flags/${flag}/snooze`, { form: { days: "1" } });
  const tree = await site.open("/sites/harbor/flags");
  expect(textOf(byId(tree, "inbox"))).toContain("No report to check");
  expect(textOf(byId(tree, "flags-head"))).toContain("Snoozed 1");
  expect(textOf(await site.open("/sites/harbor"))).not.toContain("Nothing needs attention");
  await site.ask(`/flags/${flag}/snooze`, { method: "DELETE" });
});

test("its flag leads to it", async () => {
  expect(links(byId(await site.open(`/flags/${flag}`), "flag"))).toContain("/sites/harbor");
});

test("what is refused is told beside the silence", async () => {
  await site.writer.write((tx) => {
    tx.run(
      `INSERT INTO refused_streak (asset, route, count, last_at, status, code, faults)
       VALUES ('harbor', '/api/pulse', 3, ${site.clock.now()}, 422, 'broken-contract', '[{"pointer":"/metrics/a","rule":"count","message":"must be"}]')`,
    );
  });
  const words = "Sends, but was refused 3 times since the last good one, the latest 422 /metrics/a";
  expect(textOf(byId(await site.open("/"), "site-harbor"))).toContain(words);
  expect(textOf(await site.open("/sites/harbor/codebase"))).toContain(words);
});

test("paused, it is not silent any more, and says until when", async () => {
  const by = { actor: "operator:ada", now: site.clock.now() };
  const key = { capability: "", asset: "harbor" };
  await site.writer.write((tx): void => {
    pause(tx, { ...key, until: by.now + 48 * HOUR }, by);
  });
  expect(textOf(byId(await site.open("/"), "site-harbor"))).toContain("Paused until");
  expect(await titleOf("/sites/harbor")).toStartWith("harbor");
  expect(textOf(byId(await site.open("/sites/harbor"), "standing"))).toContain(
    "no nightly report is expected before",
  );
  await site.writer.write((tx): void => {
    resume(tx, key, by);
  });
  expect(await titleOf("/sites/harbor")).toStartWith("Silent: harbor");
});

test("over, the flag is on the list of what was resolved of the site", async () => {
  const over = "/sites/harbor/flags?status=resolved";
  expect(textOf(byId(await site.open(over), "inbox"))).toContain("No resolved flags yet");
  await report("harbor");
  await judgeSites({ ...site, config: { serviceAsset: "tower" }, silentHoursOf: () => 26 });
  expect(links(byId(await site.open(over), `row-${flag}`))).toContain(
    `/flags/${flag}?status=resolved&asset=harbor`,
  );
});
