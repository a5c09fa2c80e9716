/** Every number of a kind is the same number, wherever it stands and at the same moment. */

import { beforeAll, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { updateAsset } from "../../src/sites/sites.ts";
import { shared } from "../support/fresh.ts";
import { byId, tagged, textOf } from "../support/html.ts";
import { accept } from "../support/nightly.ts";
import { world } from "../support/world.ts";

const DAY_MS = 86_400_000;
const site = shared(world);

beforeAll(async () => {
  const { writer, clock } = site;
  await writer.write((tx) =>
    ensureAssets(tx, ["wharf", "quay", "tower"], { actor: "test", now: clock.now() }),
  );
  for (const [id, asset, severity] of [
    ["a", "harbor", "error"],
    ["b", "harbor", "warn"],
    ["c", "harbor", "warn"],
    ["d", "orchard", "info"],
    ["e", "orchard", "error"],
    ["f", "wharf", "error"],
    ["g", "quay", "error"],
    // The service's own site is a site.
    ["h", "tower", "warn"],
  ] as const)
    await site.raise(id, { asset, severity, subject: id });
  const by = { by: { name: "ada", id: "operator:ada" }, now: clock.now() };
  await writer.write((tx): void => {
    performAct(tx, "acknowledge", { id: "b", ...by });
    performAct(tx, "snooze", { id: "c", ...by, until: clock.now() + DAY_MS });
    // All that this site has is snoozed.
    performAct(tx, "snooze", { id: "f", ...by, until: clock.now() + 3 * DAY_MS });
    // A snooze that is over by itself.
    performAct(tx, "snooze", { id: "e", ...by, until: clock.now() + 1_000 });
    retireFlags(tx, { asset: "quay", serviceAsset: "tower", now: clock.now(), actor: "operator:ada" });
    updateAsset(tx, "quay", { lifecycle: "retired" }, clock.now());
  });
  clock.advance(2_000);
});

const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);

/** How many flags each list of the API, each page and a scrape say are open and awake, of a site where it is named. */
async function counts(asset?: string) {
  const query = asset === undefined ? "" : `&asset=${asset}`;
  const answer = await site.ask(`/api/flags?status=open&limit=500${query}`);
  const { items } = (await answer.json()) as { items: FlagRow[] };
  const isAwake = ({ snoozed_until: until }: FlagRow) =>
    until === null || Date.parse(until) <= site.clock.now();
  const [inbox, asleep] = [asset === undefined ? "" : `/sites/${asset}`, items.length];
  const tree = await site.open(`${inbox}/flags`);
  const head = textOf(byId(tree, "flags-head"));
  const awake = items.filter(isAwake).length;
  return {
    api: awake,
    sentence: numberIn(head, /(\d+) open/),
    chip: numberIn(head, /Open (\d+)/),
    rows: tagged(tree, "li").filter((row) =>
      /^row-/.test(row.attrs.find(({ name }) => name === "id")?.value ?? ""),
    ).length,
    ...(asset === undefined
      ? {
          badge: numberIn(textOf(byId(tree, "nav")), /(\d+) open/),
          wall: numberIn(textOf(await site.open("/wall")), /(\d+) open flags/),
          scrape: [
            ...(await (await site.ask("/metrics")).text()).matchAll(
              /^tower_open_flags\{.*state="(?:unread|acknowledged)".*\} (\d+)$/gm,
            ),
          ].reduce((sum, [, count]) => sum + Number(count), 0),
        }
      : { tab: numberIn(textOf(await site.open(`/sites/${asset}`)), /Flags (\d+)/) }),
    snoozed: asleep - awake - numberIn(head, /Snoozed (\d+)/),
  };
}

test("open flags are counted alike by API, pages and a scrape, with snoozed, acknowledged, retired and the service's own", async () => {
  const same = (count: number, names: string) =>
    Object.fromEntries([...names.split(" ").map((name) => [name, count]), ["snoozed", 0]]);
  expect(await counts()).toEqual(same(5, "api sentence chip rows badge wall scrape"));
  for (const [asset, count] of [
    ["harbor", 2],
    ["orchard", 2],
    ["tower", 1],
  ] as const)
    expect(await counts(asset)).toEqual(same(count, "api sentence chip rows tab"));
});

test("a chip of a narrowed inbox counts what its link leads to", async () => {
  for (const narrowed of ["severity=error", "asset=harbor", "mark=acknowledged"]) {
    const chips = textOf(byId(await site.open(`/flags?${narrowed}`), "flags-head"));
    for (const status of ["Open", "Snoozed", "Resolved"]) {
      const led = await site.open(`/flags?status=${status.toLowerCase()}&${narrowed}`);
      const rows = tagged(led, "li").filter(({ attrs }) => attrs.some(({ value }) => /^row-/.test(value)));
      const chip = numberIn(chips, new RegExp(`${status} (\\d+)`));
      expect([narrowed, status, chip]).toEqual([narrowed, status, rows.length]);
    }
  }
});

test("what waits to be checked is one number on the portfolio, on its sites together and in a scrape", async () => {
  for (const [asset, back] of [
    ["harbor", 1],
    ["harbor", 0],
    ["orchard", 0],
  ] as const) {
    const generatedAt = formatInstant(site.clock.now() - back * DAY_MS - 20_000);
    await accept(
      site,
      { asset, generatedAt, metrics: { signups: { last24h: 3 } } },
      site.clock.now() - 10_000,
    );
  }
  const waiting = async (path: string) =>
    numberIn(textOf(await site.open(path)), /(\d+) nightly reports? waits? to be checked/);
  const seen = await Promise.all(["/sites/harbor", "/sites/orchard", "/"].map(waiting));
  expect(seen).toEqual([2, 1, 3]);
  expect(await (await site.ask("/metrics")).text()).toMatch(/^tower_reports_waiting 3$/m);
});
