/** The overview over figures that were pulled from simulated providers, over real HTTP. */

import { beforeAll, expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { attachProperty } from "../../../src/signals/credential_changes.ts";
import { shared } from "../../support/fresh.ts";
import { attribute, elements, rowsOf, textOf } from "../../support/html.ts";
import { pulledTower } from "../../support/pulled.ts";

const DAY_MS = 86_400_000;
const SITE = "/sites/harbor.example";

const pulled = shared(pulledTower);
beforeAll(async () => {
  await pulled.run("sense");
  pulled.clock.advance(3 * DAY_MS);
  await pulled.run("sense");
  // The rules follow behind a run, whenever they get to it.
  await pulled.tower.deps.follower.settle();
});

const open = (path: string) => pulled.tower.open(path);
const sourceLines = (tree: Awaited<ReturnType<typeof open>>) =>
  elements(tree, (element) => (attribute(element, "id") ?? "").startsWith("source-")).map(textOf);

test("the newest final day of a provider's figure stands in the table; the page of the metric shows what is not final, too", async () => {
  const rows = rowsOf(await open(SITE), "Metrics of the site");
  const sessions = rows.find(([head]) => head?.startsWith("Sessions"));
  const days = rowsOf(await open(`${SITE}/metric?source=analytics&metric=sessions`), "By day, newest first");
  expect(days[1]?.[4]).toBe("Not final yet");
  expect(days.find(([day]) => day?.endsWith("21 Nov"))?.[1]).toBe(sessions?.[1]);
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
  expect(sourceLines(await open(SITE))[0]).toBe(
    "final to 21 Nov1002 was not asked yet; the figures were collected before it was attached",
  );
  await attach("1001");
});

test("a site that an account's list matched is connected, until it is taken away", async () => {
  await pulled.run("webmaster-tools");
  expect(sourceLines(await open(SITE))[2]).toBe("final to 19 Nov");
  const form = { asset: "harbor.example", provider: "webmaster-tools" };
  expect((await pulled.tower.ask("/integrations/disconnection", { form })).status).toBe(303);
  expect(sourceLines(await open(SITE))[2]).toBe("final to 19 NovNo longer connected. Attach a property");
});

test("a provider's day that is not over is drawn by no chart, though a value of it is stored", async () => {
  // 24 November in UTC, and still the 23rd in California.
  pulled.clock.advance(8 * 3_600_000);
  await pulled.run("sense");
  const stored = await pulled.list<{ value: number }>(
    "/api/assets/harbor.example/signals?provider=analytics&metric=sessions&from=2026-11-23&to=2026-11-23",
  );
  expect(stored).toHaveLength(1);
  const tree = await open(SITE);
  const title = (day: string) =>
    elements(tree, (element) => attribute(element, "id") === `day-${day}`).map(textOf);
  expect(title("2026-11-22")).toEqual([expect.stringContaining("Active users: ")]);
  expect(title("2026-11-23")).toEqual([expect.not.stringContaining("Active users")]);
});

test("of a day that its provider left out the test says that there is no data, not that 0 were seen", async () => {
  const [site] = pulled.world.sites;
  if (site !== undefined) site.changes = [{ from: dayNumber("2026-11-23" as UtcDay), factor: 0 }];
  pulled.clock.advance(2 * DAY_MS);
  for (let run = 0; run < 2; run++) await pulled.run("sense");
  await pulled.tower.deps.follower.settle();
  expect(textOf(await open(`${SITE}/metric?source=analytics&metric=sessions`))).toContain(
    "On 23 Nov, no data came.",
  );
});
