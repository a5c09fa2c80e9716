/** Every number of a kind is the same number, wherever it stands and at the same moment. */

import { beforeAll, describe, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { performAct } from "../../src/flags/acts.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { reconcileFlags } from "../../src/flags/reconcile.ts";
import { retireFlags } from "../../src/flags/site_flags.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { updateAsset } from "../../src/sites/sites.ts";
import { shared } from "../support/fresh.ts";
import { attribute, byId, elements, tagged, textOf } from "../support/html.ts";
import { FIRES, judgedRule } from "../support/make/flag.ts";
import { accept } from "../support/nightly.ts";
import { world } from "../support/world.ts";

type Node = Parameters<typeof textOf>[0];
const DAY_MS = 86_400_000;
const SEVERITIES = ["error", "warn", "info"] as const;
type Counts = Record<(typeof SEVERITIES)[number], number>;

const site = shared(world);

const snoozed = (flag: FlagRow) =>
  flag.snoozed_until !== null && Date.parse(flag.snoozed_until) > site.clock.now();

beforeAll(async () => {
  const { writer, clock } = site;
  await writer.write((tx): void => {
    ensureAssets(tx, ["wharf", "quay", "tower"], { actor: "test", now: clock.now() });
  });
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
  // A lasting thing: told by one report after the other, it is one flag.
  for (let report = 0; report < 3; report++) {
    await writer.write((tx): void => {
      reconcileFlags(tx, {
        asset: "harbor",
        judged: [judgedRule("codebase-duplication", FIRES)],
        now: clock.now(),
        actor: "rules",
        origin: "rule",
        newId: () => site.ids.uuid(),
      });
    });
    clock.advance(DAY_MS);
  }
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

const sum = (counts: Counts) => counts.error + counts.warn + counts.info;
const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);

/** What the API lists as open, told apart by whether the snooze runs. */
async function told(asset?: string) {
  const query = asset === undefined ? "" : `&asset=${asset}`;
  const answer = await site.ask(`/api/flags?status=open&limit=500${query}`);
  const { items } = (await answer.json()) as { items: FlagRow[] };
  const awake = items.filter((flag) => !snoozed(flag));
  const open = { error: 0, warn: 0, info: 0 };
  for (const { severity } of awake) open[severity]++;
  return {
    open,
    snoozed: items.length - awake.length,
    acknowledged: awake.filter(({ acked_at }) => acked_at !== null).length,
    sites: new Set(awake.map(({ asset: of }) => of)).size,
  };
}

/** Counts of pennants, by what a screen reader is told. */
function pennants(node: Node): Counts {
  const counts = { error: 0, warn: 0, info: 0 };
  for (const mark of elements(node, (element) => attribute(element, "data-sev") !== undefined)) {
    const severity = attribute(mark, "data-sev") as keyof Counts;
    counts[severity] = numberIn(textOf(mark), /^\s*(\d+)/) || 0;
  }
  return counts;
}

const chip = (node: Node, words: string) => {
  const found = tagged(node, "a").find((link) => new RegExp(`^${words} \\d`).test(textOf(link).trim()));
  return found === undefined ? Number.NaN : numberIn(textOf(found), /(\d+)/);
};

/** What the tab of a site's flags counts; none is 0. */
const ofTab = (node: Node) => {
  const link = tagged(node, "a").find((a) => /^Flags( \d+)?$/.test(textOf(a).trim()));
  return link === undefined ? Number.NaN : numberIn(textOf(link), /(\d+)/) || 0;
};

const badge = (node: Node) => {
  const link = tagged(byId(node, "nav"), "a").find((item) => textOf(item).startsWith("Flags"));
  return link === undefined ? Number.NaN : numberIn(textOf(link), /(\d+) open/);
};

describe("one count of flags, with snoozed, acknowledged, renewed, retired and the service's own", () => {
  test("the situation holds one of each", async () => {
    expect(await told()).toEqual({
      open: { error: 2, warn: 3, info: 1 },
      snoozed: 2,
      acknowledged: 1,
      sites: 3,
    });
  });

  test("the badge says it on every page", async () => {
    const { open } = await told();
    for (const path of ["/", "/flags", "/flags/a", "/timeline", "/settings", "/sites/harbor", "/sites/new"])
      expect(badge(await site.open(path))).toBe(sum(open));
  });

  test("the portfolio's sentence, its entries, rows and tab of each site", async () => {
    const all = await told();
    const tree = await site.open("/");
    const answer = await site.ask("/api/attention");
    const { items } = (await answer.json()) as {
      items: { assets: string[]; flags: string[]; severity: string; title: string }[];
    };
    expect(items.flatMap(({ flags }) => flags)).toHaveLength(sum(all.open));
    expect(new Set(items.flatMap(({ assets }) => assets)).size).toBe(all.sites);
    const attention = textOf(byId(tree, "attention"));
    expect(attention).toStartWith(
      "2 sites need attention: 2 with code warnings. Tower itself has a problem.",
    );
    expect(items.filter(({ title }) => attention.includes(title))).toHaveLength(items.length);
    expect(elements(tree, (element) => /^site-/.test(attribute(element, "id") ?? "")).length).toBe(5);
    const summed = { error: 0, warn: 0, info: 0 };
    for (const asset of ["harbor", "orchard", "wharf", "quay", "tower"]) {
      const own = await told(asset);
      const row = byId(tree, `site-${asset}`);
      expect([asset, pennants(row)]).toEqual([asset, own.open]);
      expect([asset, numberIn(textOf(row), /(\d+) snoozed/) || 0]).toEqual([asset, own.snoozed]);
      for (const severity of SEVERITIES) summed[severity] += own.open[severity];
      const overview = await site.open(`/sites/${asset}`);
      const heading = elements(overview, (element) => element.tagName === "h1")[0]?.parentNode as Node;
      expect([asset, pennants(heading)]).toEqual([asset, own.open]);
      expect([asset, ofTab(overview)]).toEqual([asset, sum(own.open)]);
      const tab = await site.open(`/sites/${asset}/flags`);
      expect([asset, chip(tab, "Open"), chip(tab, "Snoozed")]).toEqual([asset, sum(own.open), own.snoozed]);
      expect(textOf(byId(tab, "flags-head"))).toContain(`${sum(own.open)} open`);
    }
    expect(summed).toEqual(all.open);
  });

  test("the Wall's foot", async () => {
    const foot = elements(await site.open("/wall"), ({ tagName }) => tagName === "footer")[0] as Node;
    const { open } = await told();
    expect([numberIn(textOf(foot), /(\d+) open flags/), pennants(foot)]).toEqual([sum(open), open]);
  });

  test("the inbox's sentence, chips, lists and title", async () => {
    const all = await told();
    const tree = await site.open("/flags");
    const head = textOf(byId(tree, "flags-head"));
    expect(head).toContain(`${sum(all.open)} open on ${all.sites} sites: 2 error, 3 warn, 1 info.`);
    expect(head).toContain(`${all.snoozed} snoozed; the next returns`);
    expect(textOf(tagged(tree, "title")[0] ?? tree)).toContain(`${all.open.error} error flags open`);
    const rows = (node: Node) => elements(node, (element) => /^row-/.test(attribute(element, "id") ?? ""));
    expect([chip(tree, "Open"), rows(tree).length]).toEqual([sum(all.open), sum(all.open)]);
    const asleep = await site.open("/flags?status=snoozed");
    expect([chip(asleep, "Snoozed"), rows(asleep).length]).toEqual([all.snoozed, all.snoozed]);
    const resolved = await site.open("/flags?status=resolved");
    expect(chip(tree, "Resolved")).toBe(rows(resolved).length);
  });

  test("a chip of a narrowed inbox counts what its link leads to", async () => {
    const rows = (node: Node) => elements(node, (element) => /^row-/.test(attribute(element, "id") ?? ""));
    for (const narrowed of ["severity=error", "asset=harbor", "mark=acknowledged"]) {
      const tree = await site.open(`/flags?${narrowed}`);
      for (const [words, status] of [
        ["Open", "open"],
        ["Snoozed", "snoozed"],
        ["Resolved", "resolved"],
      ] as const) {
        const led = rows(await site.open(`/flags?status=${status}&${narrowed}`)).length;
        expect([narrowed, words, chip(tree, words)]).toEqual([narrowed, words, led]);
      }
    }
  });

  test("a scrape", async () => {
    const all = await told();
    const text = await (await site.ask("/metrics")).text();
    const counted = (state: string) =>
      [...text.matchAll(new RegExp(`^tower_open_flags\\{[^}]*state="${state}"[^}]*\\} (\\d+)`, "gm"))].reduce(
        (total, [, count]) => total + Number(count),
        0,
      );
    expect(counted("unread") + counted("acknowledged")).toBe(sum(all.open));
    expect([counted("acknowledged"), counted("snoozed")]).toEqual([all.acknowledged, all.snoozed]);
    const assets = (await (await site.ask("/api/assets?limit=500")).json()) as { items: unknown[] };
    const counts = [...text.matchAll(/^tower_sites\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
    // Tower's own is none of the portfolio's.
    expect(counts.reduce((total, count) => total + count, 0)).toBe(assets.items.length - 1);
  });
});

test("what waits to be checked is one number on the portfolio, on its sites together and in a scrape", async () => {
  const report = (asset: string, back: number) =>
    accept(
      site,
      {
        asset,
        generatedAt: formatInstant(site.clock.now() - back * DAY_MS - 20_000),
        metrics: { signups: { last24h: 3 } },
      },
      site.clock.now() - 10_000,
    );
  for (const [asset, back] of [
    ["harbor", 1],
    ["harbor", 0],
    ["orchard", 0],
  ] as const)
    await report(asset, back);
  const waiting = async (path: string) =>
    numberIn(textOf(await site.open(path)), /(\d+) nightly reports? waits? to be checked/);
  const ofSites = await Promise.all(["harbor", "orchard"].map((asset) => waiting(`/sites/${asset}`)));
  expect(ofSites).toEqual([2, 1]);
  expect(await waiting("/")).toBe(3);
  const text = await (await site.ask("/metrics")).text();
  expect(text).toMatch(/^tower_reports_waiting 3$/m);
});

test("pages that are opened while reports arrive and flags are raised answer, and each is of one moment", async () => {
  let arrived = 0;
  const arriving = (async () => {
    for (; arrived < 50; arrived++) {
      await site.raise(`arrived-${arrived}`, { asset: "wharf", severity: "warn", subject: `s${arrived}` });
      const generatedAt = formatInstant(site.clock.now() - arrived * 1_000);
      await accept(site, { asset: "harbor", generatedAt, metrics: { signups: { last24h: arrived } } });
    }
  })();
  for (let load = 0; load < 100; load++) {
    const path = ["/", "/flags", "/sites/wharf/flags", "/wall"][load % 4] as string;
    const tree = await site.open(path);
    const text = textOf(tree);
    if (path === "/flags") expect(numberIn(text, /(\d+) open on/)).toBe(badge(tree));
    if (path === "/sites/wharf/flags") expect(chip(tree, "Open")).toBe(ofTab(tree));
    if (path === "/wall") {
      const foot = elements(tree, ({ tagName }) => tagName === "footer")[0] as Node;
      expect(sum(pennants(foot))).toBe(numberIn(textOf(foot), /(\d+) open flags/));
    }
  }
  await arriving;
  expect(badge(await site.open("/"))).toBe(sum((await told()).open));
});
