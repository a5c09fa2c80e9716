import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendAudit } from "../../../src/access/audit.ts";
import { findLook } from "../../../src/access/visits.ts";
import { resolveFlag } from "../../../src/flags/store.ts";
import { PROVIDERS } from "../../../src/providers/adapter.ts";
import { plantAttempt, plantPortfolio, siteNames } from "../../support/health_portfolio.ts";
import { attribute, byId, elements, tagged, textOf } from "../../support/html.ts";
import { type World, world } from "../../support/world.ts";

const HOUR = 3_600_000;
const REFRESH = { "tower-refresh": "1" };

let site: World;
beforeEach(async () => {
  site = await world();
});
afterEach(() => site.close());

const look = async (as = "ada", headers: Readonly<Record<string, string>> = {}, path = "/") => {
  const tree = await site.open(path, { as, headers });
  await site.writer.settled();
  return byId(tree, "morning");
};
const news = (morning: Parameters<typeof textOf>[0]) =>
  elements(morning, (element) => /^news-/.test(attribute(element, "id") ?? ""));
/** The lines that tell of flags; the sites of a test are new, too. */
const ofFlags = (morning: Parameters<typeof textOf>[0]) =>
  news(morning).filter((line) => attribute(line, "data-sev") !== undefined).length;
const drop = (id: string, asset: string, metric: string, day: string) =>
  site.raise(id, {
    asset,
    rule: "flow-drop",
    source: "pulse",
    subject: metric,
    metric,
    severity: "warn",
    rule_inputs: { observed: { from: day, to: day, count: 0 }, expected: 9 },
  });

test("an outage that moves four figures of a site is one line that opens to four flags", async () => {
  await look();
  site.clock.advance(10 * HOUR);
  for (const metric of ["signups", "orders", "visits", "searches"]) {
    await drop(`drop-${metric}`, "harbor", metric, "2026-03-01");
  }
  await drop("elsewhere", "orchard", "visits", "2026-03-01");
  const morning = await look();
  expect(textOf(morning)).toContain("Since you last looked");
  const lines = news(morning);
  expect(
    lines.map(
      (line) => tagged(line, "a").filter((link) => attribute(link, "href")?.startsWith("/flags/")).length,
    ),
  ).toEqual([4, 1]);
  expect(textOf(lines[0] ?? morning)).toContain("harbor 4 figures fell below what is expected on 1 Mar");
  expect(textOf(lines[1] ?? morning)).toContain("orchard visits: 0 seen, 9 expected on 1 Mar");
});

test("a refresh is no look: what is new stays new until a person looks, half an hour after the last time", async () => {
  await look();
  const first = findLook(site.store.db, "ada");
  site.clock.advance(HOUR);
  await drop("one", "harbor", "visits", "2026-03-01");
  await look("ada", REFRESH);
  expect(findLook(site.store.db, "ada")).toEqual(first);
  expect(ofFlags(await look("ada", REFRESH))).toBe(1);
  expect(ofFlags(await look())).toBe(1);
  site.clock.advance(10 * 60_000);
  expect(ofFlags(await look())).toBe(1);
  site.clock.advance(HOUR);
  expect(ofFlags(await look())).toBe(0);
  // Each operator's looks are their own.
  expect(ofFlags(await look("grace"))).toBe(1);
});

test("seen: everything begins anew, and nothing new is no all-clear while something is not well", async () => {
  await look();
  site.clock.advance(HOUR);
  await drop("one", "harbor", "visits", "2026-03-01");
  expect(ofFlags(await look())).toBe(1);
  const answer = await site.ask("/looks", { method: "POST" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  site.clock.advance(1);
  expect(textOf(await look())).toContain("Nothing is new.");
  expect(ofFlags(await look("ada", {}, "/?since=2026-03-01"))).toBe(1);
});

test("what was raised and resolved meanwhile is one change, and what was open before is resolved", async () => {
  await drop("old", "harbor", "visits", "2026-03-01");
  site.clock.advance(30 * HOUR);
  await look();
  site.clock.advance(HOUR);
  await drop("passed", "orchard", "visits", "2026-03-02");
  site.clock.advance(HOUR);
  await site.writer.write((tx): void => {
    for (const id of ["old", "passed"]) resolveFlag(tx, id, "cleared", site.clock.now(), "rule");
  });
  const told = news(await look()).map((line) => textOf(line));
  expect(told).toEqual([
    expect.stringMatching(/^orchard visits: .*; that is over/),
    expect.stringMatching(/^harbor visits: .*; resolved/),
  ]);
});

test("many events: the most urgent are shown, and how many more there are", async () => {
  await look();
  site.clock.advance(HOUR);
  for (let index = 0; index < 40; index++) {
    await site.raise(`f-${index}`, {
      asset: `site-${index}`,
      subject: "s",
      severity: index === 39 ? "error" : "info",
    });
  }
  const morning = await look();
  expect(news(morning).length).toBe(12);
  expect(textOf(news(morning)[0] ?? morning)).toContain("site-39");
  expect(textOf(morning)).toContain("And 28 more changes, less urgent.");
});

test("everything that fails at once for 300 sites is one line, which counts all of them", async () => {
  const { store, writer, clock } = site;
  const start = clock.now();
  await writer.write((tx): void => plantPortfolio(tx, 300, start));
  await look();
  clock.advance(HOUR);
  const at = clock.now() - 60_000;
  const fail = (failed: boolean) =>
    writer.write((tx): void => {
      for (const asset of siteNames(300))
        for (const provider of PROVIDERS)
          plantAttempt(tx, { asset, provider, at: clock.now() - 60_000, failed });
    });
  await fail(true);
  const failing = news(await look()).filter((line) => attribute(line, "data-state") === "failing");
  expect(await (await site.ask("/")).text()).toContain("No flag is open. 900 integrations fail.");
  expect(failing.map((line) => textOf(line).slice(0, 40))).toEqual([
    expect.stringMatching(/^300 sites 3 integrations: failing since/),
  ]);
  const told = store.raw.query("SELECT count(*) AS events FROM health_event WHERE at >= ?").get(at);
  // The few that failed before fail on.
  expect(told).toEqual({ events: 900 - 6 });
  clock.advance(HOUR);
  await fail(false);
  const over = news(await look()).map((line) => textOf(line));
  expect(over[0]).toMatch(/^300 sites 3 integrations: /);
});

test("what an operator disconnected is no outage, though a question that was under way failed by it", async () => {
  const { writer, clock } = site;
  const start = clock.now();
  await writer.write((tx): void => plantPortfolio(tx, 2, start));
  await look();
  clock.advance(HOUR);
  const [gone = "", kept = ""] = siteNames(2);
  const connection = { provider: "analytics", asset: gone };
  expect((await site.ask("/integrations/disconnection", { form: connection })).status).toBe(303);
  await writer.write((tx): void => {
    for (const asset of [gone, kept])
      plantAttempt(tx, { asset, provider: "analytics", at: clock.now() - 60_000, failed: true });
  });
  const told = news(await look()).map((line) => textOf(line));
  expect(told).toEqual([expect.stringMatching(/^site-0001.example Analytics, daily: failing since/)]);
});

test("a site that is new is new, whatever was set of it since; Tower's own is no news", async () => {
  await look();
  site.clock.advance(HOUR);
  const now = site.clock.now();
  const acts: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ["asset.add", "fresh", {}],
    ["asset.change", "fresh", { lifecycle: "pre-launch" }],
    ["asset.change", "harbor", { lifecycle: "retired" }],
    ["asset.add", "tower", {}],
    ["asset.add", "brief", {}],
    ["asset.remove", "brief", {}],
  ];
  for (const [act, target, detail] of acts)
    await site.writer.write((tx) => appendAudit(tx, { at: now, actor: "operator:ada", act, target, detail }));
  const told = news(await look()).map((line) => textOf(line).replace(/ ?\d+ Mar.*/, ""));
  expect(told.sort()).toEqual(["brief taken out of the portfolio", "fresh added", "harbor retired"]);
});
