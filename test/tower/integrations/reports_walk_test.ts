/** Archived reports on the pages and in the API of a service: all of a property as one, an outage as one line. */

import { beforeEach, expect, test } from "bun:test";
import { recordReport } from "../../../src/archive/manifest.ts";
import { recordReportHealth } from "../../../src/archive/report_health.ts";
import { dayNumber, utcDayOf } from "../../../src/base/time.ts";
import { reportOf } from "../../support/archive.ts";
import { fresh } from "../../support/fresh.ts";
import { readHealth, targetIn } from "../../support/health.ts";
import { plantPortfolio, propertyOf, revisionOf, siteNames } from "../../support/health_portfolio.ts";
import { byId, textOf } from "../../support/html.ts";
import { PROXY, testTower } from "../../support/test_tower.ts";

const HOUR = 3_600_000;
const SITES = siteNames(3);
const [FIRST = ""] = SITES;
const PROVIDER = "search-console";
const FAMILIES = ["page", "query"];
const FAILED = { outcome: "failed", category: "network", failureCode: "timed_out" } as const;

const service = fresh(() => testTower({ settings: PROXY }));
let runs = 0;
beforeEach(async () => {
  await service.deps.writer.write((tx) => plantPortfolio(tx, SITES.length, service.deps.clock.now()));
});

const today = () => dayNumber(utcDayOf(service.deps.clock.now()));

/** A run for some sites: every date and report, those of `fails` in vain. */
const run = (sites: readonly string[], fails: (family: string, ago: number) => boolean) =>
  service.deps.writer.write((tx) => {
    runs += 1;
    for (const asset of sites) {
      for (const family of FAMILIES) {
        for (const ago of [1, 2, 3, 4]) {
          const row = reportOf({
            run: runs,
            object: null,
            target: {
              asset,
              provider: PROVIDER,
              connectionRevision: revisionOf(PROVIDER),
              property: propertyOf(PROVIDER, asset),
              family,
            },
            date: today() - ago,
            attemptedAt: service.deps.clock.now() - 60_000 + runs,
            ...(fails(family, ago) ? FAILED : {}),
          });
          const { id } = recordReport(tx, row);
          recordReportHealth(tx, { workspace: "default", report: { ...row, id }, isOfAccount: false });
        }
      }
    }
  });

async function page(path: string) {
  const tree = await service.open(path);
  // That somebody looked is written behind the answer.
  await service.deps.writer.settled();
  return tree;
}

test("each outcome is a target of its site; without a site all of a property are one, which counts them", async () => {
  await run([FIRST], (family, ago) => family === "query" && ago === 3);
  const own = await readHealth(service, FIRST);
  const archive = own.capabilities.find(({ capability }) => capability === `${PROVIDER}.archive`);
  const targets = archive?.targets ?? [];
  const day = utcDayOf(service.deps.clock.now() - 3 * 24 * HOUR);
  expect(targets[0]).toMatchObject({
    family: JSON.stringify(["query", day, "", ""]),
    state: "failing",
    category: "network",
    counts: null,
  });
  expect(targets.filter(({ state }) => state === "working")).toHaveLength(7);
  expect(own.events.map(({ family, change }) => [family, change])).toEqual([
    [targets[0]?.family ?? "", "first_failure"],
  ]);

  const all = await readHealth(service);
  const sum = targetIn(all, `${PROVIDER}.archive`, FIRST);
  expect(sum).toMatchObject({
    family: null,
    state: "failing",
    counts: { failing: 1, working: 7, never_run: 8 },
  });
  expect(all.coverage).toMatchObject({ state: "complete", more: { archive: 15, operations: 0 } });
  expect(all.summary.failing).toBe(1);
  const due = all.capabilities.filter(({ kind }) => ["ingest", "production_read"].includes(kind));
  expect(all.coverage.configured).toBe(due.flatMap((one) => one.targets).length);
});

test("a site's tab has them as one line with its counts", async () => {
  await run([FIRST], (family, ago) => family === "query" && ago === 3);
  const html = await page(`/sites/${FIRST}/integrations`);
  const line = textOf(byId(html, "capability-search-console-archive"));
  expect(line).toContain("Failing");
  expect(line).toContain("Reports: 1 Failing, 8 Never run, 7 Working.");
  expect(line).not.toContain("Disconnect");
  const other = textOf(byId(await page(`/sites/${SITES[1]}/integrations`), "main"));
  expect(other).toContain("Nothing is archived yet.");
});

test("an outage of an archive is one event", async () => {
  await run(SITES, () => false);
  service.deps.clock.advance(24 * HOUR);
  await run(SITES, () => true);
  const happened = textOf(byId(await page("/integrations"), "events"));
  expect(happened).toContain("Search console (archive, 24 reports) began to fail on 3 sites");
});
