/** What the archive's runs teach, over real HTTP from simulated providers. */

import { afterEach, expect, test } from "bun:test";
import { listInsights } from "../../src/archive/insights.ts";
import { siteInsights } from "../../src/archive/site_insights.ts";
import type { CrawlIssue } from "../../src/demo/simulator/world.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { type Archived, archivedTower } from "../support/archive_run.ts";
import { pulledWorld } from "../support/pulled.ts";

const HOUR = 3_600_000;
const SITE = "harbor.example";

let archived: Archived;
afterEach(() => archived.close());

const insightOf = (provider: string, family: string) =>
  siteInsights(archived.tower.deps.store.db, SITE, archived.clock.now()).find(
    (one) => one.family.provider === provider && one.family.name === family,
  );

const kept = (family: string) =>
  new Map(
    listInsights(archived.tower.deps.store.db, { asset: SITE, families: [family] }).map((one) => [
      one.date,
      one,
    ]),
  );

test("an issue that webmaster tools reports is a flag while it is reported: it appears, stays through a failure, and goes", async () => {
  const world = pulledWorld([SITE]);
  const issues: CrawlIssue[] = [
    { path: "busy", issues: 8, httpCode: 503 },
    { path: "old", issues: 4, httpCode: 404 },
  ];
  const [site] = world.sites;
  if (site?.webmasterTools !== undefined) site.webmasterTools.crawlIssues = issues;
  archived = await archivedTower({ world });
  const flags = () => archived.list<FlagRow>("/api/flags?rule=provider-issue");
  const night = async () => {
    archived.clock.advance(24 * HOUR);
    await archived.run("webmaster-tools");
    await archived.run("analysis");
    const rows = archived.rows().filter(({ report }) => report.startsWith("crawl-issues"));
    return rows.map(({ outcome }) => outcome);
  };

  expect(await night()).toEqual(["stored"]);
  const first = await flags();
  expect(first.map(({ subject, severity, status }) => [subject, severity, status]).sort()).toEqual([
    ["http_4xx", "info", "open"],
    ["http_5xx", "warn", "open"],
  ]);
  const busy = first.find(({ subject }) => subject === "http_5xx");
  expect(busy).toMatchObject({
    asset: SITE,
    origin: "provider",
    kind: "opportunity",
    rule_inputs: { issue_type: "http_5xx", urls: [`https://${SITE}/busy`], property: `https://${SITE}/` },
  });
  const seen = busy?.rule_inputs?.["first_seen"];

  archived.simulators.script({ kind: "error", error: "1" }, { operation: "GetCrawlIssues", times: 9 });
  expect(await night()).toEqual(["failed"]);
  expect(await flags()).toEqual(first);
  archived.simulators.calm();

  expect(await night()).toEqual(["stored"]);
  const third = (await flags()).find(({ subject }) => subject === "http_5xx");
  expect(third).toMatchObject({ id: busy?.id ?? "", status: "open", rule_inputs: { first_seen: seen } });
  expect(String(third?.rule_inputs?.["last_seen"]) > String(seen)).toBe(true);
  expect(third?.rule_inputs?.["manifest"]).not.toBe(busy?.rule_inputs?.["manifest"]);

  issues.shift();
  expect(await night()).toEqual(["stored"]);
  issues.shift();
  expect(await night()).toEqual(["empty"]);
  expect(
    (await flags()).map(({ subject, status, resolution }) => [subject, status, resolution]).sort(),
  ).toEqual([
    ["http_4xx", "resolved", "no_longer_reported"],
    ["http_5xx", "resolved", "no_longer_reported"],
  ]);
  expect(insightOf("webmaster-tools", "crawl-issues")?.shown?.insight).toMatchObject({ rows: 0, issues: [] });
});

test("data that comes late changes what is kept of its date; what says the same stays, of the later attempt", async () => {
  archived = await archivedTower({ world: pulledWorld([SITE]) });
  await archived.run("sense");
  await archived.run("analysis");
  const newest = insightOf("analytics", "landing-pages");
  expect(newest).toMatchObject({
    isProvisional: true,
    coverage: { metric: "sessions" },
  });
  const before = kept("landing-pages");

  archived.rows();
  archived.clock.advance(24 * HOUR);
  await archived.run("analysis");
  const after = kept("landing-pages");
  const outcomes = new Map(archived.rows().map(({ report, outcome }) => [report, outcome]));
  const told = [...before].flatMap(([date, was]) => {
    const is = after.get(date);
    const outcome = outcomes.get(`landing-pages ${date}`);
    return is === undefined || outcome === undefined
      ? []
      : [{ outcome, isSame: Bun.deepEquals(is.top, was.top), isLater: is.report > was.report }];
  });
  expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(["stored", "unchanged"]));
  for (const { outcome, isSame, isLater } of told) {
    expect([outcome, isSame, isLater]).toEqual([outcome, outcome === "unchanged", true]);
  }
});
