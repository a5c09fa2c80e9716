/** The overview over figures that were pulled from simulated providers, over real HTTP. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { detachProperty } from "../../../src/providers/attachments.ts";
import { attachProperty } from "../../../src/signals/connections.ts";
import { attribute, elements, rowsOf, tagged, textOf } from "../../support/html.ts";
import { type Pulled, pulledTower } from "../../support/pulled.ts";

const DAY_MS = 86_400_000;
const SITE = "/sites/harbor.example";

let pulled: Pulled;
beforeAll(async () => {
  pulled = await pulledTower();
  await pulled.run("sense");
  pulled.clock.advance(3 * DAY_MS);
  await pulled.run("sense");
  // The rules follow behind a run, whenever they get to it.
  await pulled.tower.deps.follower.settle();
});
afterAll(() => pulled.close());

const open = (path: string) => pulled.tower.open(path);
const sourceLines = (tree: Awaited<ReturnType<typeof open>>) =>
  elements(tree, (element) => (attribute(element, "id") ?? "").startsWith("source-")).map(textOf);

test("each source says to which day it is final, and when it was collected", async () => {
  expect(sourceLines(await open(SITE))).toEqual([
    "Analytics final to 21 Nov collected 23 Nov 20:00 1001",
    "Search console final to 20 Nov collected 23 Nov 20:00 sc-domain:harbor.example",
  ]);
});

test("a test of a provider's figure names the day it judged and what was seen on it: the latest value is of another", async () => {
  const rows = rowsOf(await open(SITE), "Figures of the site and their tests");
  const sessions = rows.find(([head]) => head?.startsWith("Sessions"));
  expect(sessions?.[1]).toEndWith("22 Nov, provisional");
  expect(sessions?.at(-1)).toMatch(/ ?[\d,]+ seen on \d+ Nov\. Chance of this (few|many)/);
});

test("a property that is attached in the place of another has collected nothing yet", async () => {
  const { tower, credentials, clock } = pulled;
  const attach = (property: string) =>
    attachProperty(
      tower.deps,
      {
        asset: "harbor.example",
        provider: "analytics",
        credential: credentials.google,
        property,
        replace: true,
      },
      { actor: "test", now: clock.now() },
    );
  await attach("1002");
  expect(sourceLines(await open(SITE))[0]).toMatch(
    /^Analytics final to 21 Nov ?1002 was not asked yet as it is connected now; the figures were\s+collected before$/,
  );
  await attach("1001");
});

test("a day that was provisional when first seen says what it was and what it is, on its page and with its metric", async () => {
  const rows = await pulled.list<{ value: number; revision: number }>(
    "/api/assets/harbor.example/signals?provider=analytics&metric=page_views&from=2026-11-20&to=2026-11-20&revisions=all",
  );
  const values = rows.toSorted((one, other) => one.revision - other.revision).map(({ value }) => value);
  expect(values).toHaveLength(2);
  const said = new RegExp(`20 Nov was ${values[0]} when first seen 20 Nov 20:00, ${values[1]} now\\.`);
  expect(textOf(await open(`${SITE}/days/2026-11-20`))).toMatch(said);
  const metric = await open(`${SITE}?source=analytics&metric=page_views`);
  expect(textOf(metric)).toMatch(said);
  expect(tagged(metric, "a").map((link) => attribute(link, "href"))).toContain(`${SITE}/days/2026-11-20`);
});

test("a provider's day that is not over is drawn by no chart, whatever is known of it", async () => {
  // 24 November in UTC, and still the 23rd in California.
  pulled.clock.advance(8 * 3_600_000);
  await pulled.run("sense");
  const stored = await pulled.list<{ value: number }>(
    "/api/assets/harbor.example/signals?provider=analytics&metric=sessions&from=2026-11-23&to=2026-11-23",
  );
  expect(stored).toHaveLength(1);
  const tree = await open(SITE);
  const title = (day: string) =>
    elements(tree, (element) => attribute(element, "id") === `day-${day}`).map(
      (element) => attribute(element, "title") ?? "",
    );
  expect(title("2026-11-22")).toEqual([expect.stringContaining("Sessions: ")]);
  expect(title("2026-11-23")).toEqual([expect.not.stringContaining("Sessions")]);
  expect(textOf(await open(`${SITE}/days/2026-11-23`))).toContain(String(stored[0]?.value));
});

test("a provider that is no longer connected says so over its figures, with the next step", async () => {
  const { tower, clock } = pulled;
  const of = { asset: "harbor.example", provider: "search-console" } as const;
  await detachProperty(tower.deps, of, { actor: "test", now: clock.now() });
  const tree = await open(SITE);
  expect(sourceLines(tree)[1]).toMatch(/no longer connected: attach a property$/);
  expect(tagged(tree, "a").map((link) => attribute(link, "href"))).toContain(`${SITE}/settings#sources`);
});

test("of a day that its provider left out the test says that there is no data, not that 0 were seen", async () => {
  const [site] = pulled.world.sites;
  if (site !== undefined) site.changes = [{ from: dayNumber("2026-11-23" as UtcDay), factor: 0 }];
  pulled.clock.advance(2 * DAY_MS);
  for (let run = 0; run < 2; run++) await pulled.run("sense");
  await pulled.tower.deps.follower.settle();
  const rows = rowsOf(await open(SITE), "Figures of the site and their tests");
  const sessions = rows.find(([head]) => head?.startsWith("Sessions"));
  expect(sessions?.at(-1)).toMatch(/no data on 23 Nov\. Chance of this few/);
  expect(textOf(await open(`${SITE}?source=analytics&metric=sessions`))).toMatch(/23 Nov: no data/);
  expect(textOf(await open(`${SITE}/days/2026-11-23`))).toContain("no data, counted as 0");
});
