/** The pages of a site over figures that were pulled from simulated providers, over real HTTP, recorded. */

import { expect, test } from "bun:test";
import { dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { attachProperty } from "../../../src/signals/credential_changes.ts";
import { actsAt } from "../../support/acts.ts";
import { shared } from "../../support/fresh.ts";
import { attribute, elements, textOf } from "../../support/html.ts";
import { pulledTower } from "../../support/pulled.ts";

const DAY_MS = 86_400_000;
const SITE = "/sites/harbor.example";
const SESSIONS = `${SITE}/metric?source=analytics&metric=sessions`;

const pulled = shared(pulledTower);

test("what is final and what is not, a property in the place of another, a site that a list matched, and a day that was left out", async () => {
  const { tower, credentials, clock } = pulled;
  const acts = actsAt(tower);
  // When live traffic answers is a matter of the machine.
  tower.deps.live.stop();
  /** The rules follow behind a run, whenever they get to it. */
  const run = async (job: "sense" | "webmaster-tools") => {
    await pulled.run(job);
    await tower.deps.follower.settle();
  };
  await run("sense");
  clock.advance(3 * DAY_MS);
  await run("sense");
  await acts.watch(SITE, SESSIONS);
  for (const property of ["1002", "1001"]) {
    const of = { asset: "harbor.example", provider: "analytics", property, replace: true } as const;
    const by = { actor: "test", now: clock.now() };
    await attachProperty(tower.deps, { ...of, credential: credentials.google }, by);
    await acts.watch(SITE);
  }
  await run("webmaster-tools");
  await acts.watch(SITE);
  await acts.send(SITE, "/integrations/disconnection", {
    asset: "harbor.example",
    provider: "webmaster-tools",
  });
  await acts.watch(SITE);
  // 24 November in UTC, and still the 23rd in California: that day is stored, and drawn by no chart.
  clock.advance(8 * 3_600_000);
  await run("sense");
  const stored = await pulled.list(
    "/api/assets/harbor.example/signals?metric=sessions&from=2026-11-23&to=2026-11-23",
  );
  expect(stored).toHaveLength(1);
  const tree = await tower.open(SITE);
  const titles = ["22", "23"].map((day) =>
    elements(tree, (element) => attribute(element, "id") === `day-2026-11-${day}`)
      .map(textOf)
      .join(),
  );
  expect(titles.map((title) => title.includes("Active users: "))).toEqual([true, false]);
  const [site] = pulled.world.sites;
  if (site !== undefined) site.changes = [{ from: dayNumber("2026-11-23" as UtcDay), factor: 0 }];
  clock.advance(2 * DAY_MS);
  for (let twice = 0; twice < 2; twice++) await run("sense");
  await acts.watch(SESSIONS);
  expect(acts.recorded()).toMatchSnapshot();
});
