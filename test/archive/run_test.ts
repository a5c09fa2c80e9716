/** The job `analysis` over real HTTP, from simulated providers into a directory of the test's own. */

import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isProvisional } from "../../src/archive/record_attempt.ts";
import { siteInsights } from "../../src/archive/site_insights.ts";
import { verifyArchive } from "../../src/archive/verify_events.ts";
import { dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { CredentialQueue } from "../../src/providers/queued_request.ts";
import { findFamily, REPORT_FAMILIES } from "../../src/providers/report_families.ts";
import { type Archived, archivedTower } from "../support/archive_run.ts";
import { pulledWorld } from "../support/pulled.ts";

let archived: Archived;
afterEach(() => archived.close());

/** A service with one site. */
async function fresh(site?: SimulatedSite): Promise<Archived> {
  archived = await archivedTower(site === undefined ? {} : { world: { sites: [site] } });
  return archived;
}

/** A day that every run of the test's two days asks for. */
const REVISED = dayNumber("2026-11-18" as UtcDay);

const HOUR = 3_600_000;

test("the previous four dates of every family, what is not final yet said so, and a property that is not set up left out", async () => {
  await fresh();
  await archived.run("webmaster-tools");
  const turns = spyOn(CredentialQueue.prototype, "run");
  const report = await archived.run("analysis");
  expect([report.outcome, report.fault]).toEqual(["done", undefined]);
  // What is asked for charts goes first.
  expect([...new Set(turns.mock.calls.map(([, { priority }]) => priority))]).toEqual(["archive"]);
  turns.mockRestore();
  const rows = archived.rows();
  const outcomes = Map.groupBy(rows, ({ report: name }) => name.split(" ")[0] ?? "");
  const told = Object.fromEntries(
    [...outcomes].map(([family, of]) => [family, of.map(({ outcome }) => outcome)]),
  );
  // It is Friday noon in California: of search console the day before yesterday is final.
  expect(told["page-query"]).toEqual(["source_lag", "source_lag", "stored", "stored"]);
  expect(told["pages-screens"]).toEqual(["stored", "stored", "stored", "stored"]);
  expect(told["events-28d"]).toEqual(["stored"]);
  expect(told["js-errors"]).toBeUndefined();
  expect(told["queries"]).toEqual(["stored"]);
  expect(report.reports).toMatchObject({ skipped: 4, source_lag: 20 });
  expect(rows.filter(({ fault }) => fault !== "")).toStrictEqual([]);
  const [page] = rows.filter(({ report: name }) => name === "page 2026-11-17");
  expect(JSON.parse(archived.object(page?.object ?? "")).rows.length).toBe(page?.rows ?? -1);
  expect(readdirSync(join(archived.folder, "archive-spool"))).toStrictEqual([]);
});

test("a run is said to ask what it then asks where all of it comes, and no less than that where days are not final yet", async () => {
  const [site] = pulledWorld().sites;
  if (site === undefined) throw new Error("there is a site");
  const { searchConsole: _, ...others } = site;
  const customDimensions = ["error_message", "error_source"];
  const all = { ...others, ...(site.analytics && { analytics: { ...site.analytics, customDimensions } }) };
  for (const of of [all, site]) {
    await fresh(of);
    await archived.run("webmaster-tools");
    const { deps } = archived.tower;
    const said = await deps.archive.estimate(archived.clock.now());
    archived.simulators.forget();
    await archived.run("analysis");
    const asked = archived.simulators.log.filter(({ operation }) => operation !== "token").length;
    expect(said.sites).toBe(1);
    if (of === all) expect(said.requests).toBe(asked);
    else expect(said.requests).toBeGreaterThan(asked);
    if (of === all) await archived.close();
  }
});

test("an object has every row of its answer, whatever stands in one, and says how many secrets were taken out", async () => {
  await fresh();
  await archived.run("webmaster-tools");
  const hostile = '"AuthenticationCode":"';
  const bend = (answer: object) => {
    const [feed] = (answer as { readonly d: readonly object[] }).d;
    const Url = `https://harbor.example/${hostile}`;
    const asked = `?apikey=${archived.simulators.webmasterKey()}`;
    return { d: [1, 2, 3].map((one) => ({ ...feed, Url: Url + one })), asked };
  };
  archived.simulators.script({ kind: "bent", bend }, { operation: "GetFeeds" });
  await archived.run("analysis");
  const [row] = archived.rows().filter(({ report: name }) => name.startsWith("feeds "));
  expect([row?.outcome, row?.rows]).toEqual(["stored", 3]);
  const kept = archived.object(row?.object ?? "");
  expect(kept.split(JSON.stringify(hostile).slice(1, -1))).toHaveLength(4);
  expect(kept.split("[secret]")).toHaveLength(2);
});

test("what is fetched again and says the same points at the object that is there; what came late is another", async () => {
  await fresh();
  await archived.run("webmaster-tools");
  await archived.run("analysis");
  const first = new Map(archived.rows().map((row) => [row.report, row]));
  archived.clock.advance(24 * HOUR);
  const report = await archived.run("analysis");
  const second = archived.rows();
  const again = second.filter(({ report: name }) => first.has(name));
  expect(report.reports["unchanged"]).toBeGreaterThan(0);
  for (const row of again) {
    if (row.outcome === "unchanged") expect(row.object).toBe(first.get(row.report)?.object ?? "");
    if (row.outcome === "stored") expect(row.object).not.toBe(first.get(row.report)?.object ?? "");
  }
  // A weekly report is not due the next day, but a week after it was got, and from then on each day until it is got again.
  const weekly = (rows: readonly { readonly report: string; readonly outcome: string }[]) =>
    rows.flatMap(({ report: name, outcome }) => (name.startsWith("queries ") ? [outcome] : []));
  const after = async (days: number) => {
    archived.clock.advance(days * 24 * HOUR);
    await archived.run("webmaster-tools");
    await archived.run("analysis");
    return weekly(archived.rows());
  };
  expect([weekly([...first.values()]), weekly(second)]).toEqual([["stored"], []]);
  archived.simulators.script({ kind: "reset" }, { operation: "GetQueryStats", times: 9 });
  expect(await after(6)).toEqual(["failed"]);
  archived.simulators.calm();
  expect(await after(1)).toEqual(["stored"]);
});

test("an object that another report brings again has the row of how it lies, whatever the newest row says of it", async () => {
  const { clock, run, rows, tower } = await fresh();
  const { store, objects } = tower.deps;
  await run("analysis");
  const before = new Set(rows().map(({ object }) => object));
  // The newest row of each says that it was packed into as many other bytes, which are not what lies there.
  store.raw.run(
    `INSERT INTO archive_object (sha256, bytes, stored_bytes, stored_sha256, content, rows, stored_at)
     SELECT sha256, bytes, stored_bytes, zeroblob(32), content, rows, stored_at FROM archive_object`,
  );
  // By then all of the latest four dates are others.
  clock.advance(5 * 24 * HOUR);
  await run("analysis");
  const shared = rows().filter(({ object }) => object !== null && before.has(object));
  const { wrong } = await verifyArchive(store.db, objects);
  const damaged = new Set(wrong.map(({ object }) => object));
  expect(shared.length).toBeGreaterThan(0);
  expect(shared.filter(({ object }) => object !== null && damaged.has(object))).toStrictEqual([]);
});

describe("every family (spec, Archive report families)", () => {
  const registered = ["error_message", "error_source"];
  const [harbor] = pulledWorld().sites;
  if (harbor === undefined) throw new Error("the world has no site");
  const { analytics } = harbor;
  if (analytics === undefined) throw new Error("the site has no property");

  test("has its report; of a site that nobody comes to it is an empty one, and that is an object, too", async () => {
    const quiet = {
      ...harbor,
      name: "quiet.example",
      visitsPerDay: 0,
      analytics: { ...analytics, property: "1002", customDimensions: registered },
      searchConsole: { property: "sc-domain:quiet.example" },
      webmasterTools: { property: "https://quiet.example/" },
    };
    const busy = {
      ...harbor,
      analytics: { ...analytics, customDimensions: registered },
      searchConsole: { property: "sc-domain:harbor.example", appearances: ["VIDEO"] },
    };
    archived = await archivedTower({ world: { sites: [busy, quiet] } });
    await archived.run("webmaster-tools");
    expect((await archived.run("analysis")).outcome).toBe("done");
    const rows = archived.rows();
    const usable = (asset: string) =>
      Map.groupBy(
        rows.filter(({ report }) => report.startsWith(`${asset} `)),
        ({ report }) => report.split(" ")[1] ?? "",
      );
    const ofBusy = usable("harbor.example");
    expect([...ofBusy.keys()].sort()).toEqual(REPORT_FAMILIES.map(({ name }) => name).sort());
    for (const [family, of] of ofBusy) {
      expect([family, of.some(({ outcome, rows }) => outcome === "stored" && (rows ?? 0) > 0)]).toEqual([
        family,
        true,
      ]);
    }
    const { deps } = archived.tower;
    const insights = siteInsights(deps.store.db, "harbor.example", archived.clock.now());
    expect(insights.flatMap(({ family, shown }) => (shown === undefined ? [family.name] : []))).toStrictEqual(
      [],
    );
    const issues = listFlags(deps.store.db, { asset: "harbor.example", rule: "provider-issue" }, 9);
    expect(issues.map(({ subject }) => subject).sort()).toEqual(["http_4xx", "http_5xx"]);
    for (const [family, of] of usable("quiet.example")) {
      if (findFamily("webmaster-tools", family) !== undefined) continue;
      const [empty] = of.filter(({ outcome }) => outcome === "empty");
      expect([family, empty?.rows, of.some(({ outcome }) => outcome === "stored")]).toEqual([
        family,
        0,
        false,
      ]);
      expect(archived.object(empty?.object ?? "")).not.toBe("");
    }
  });

  test("in pages is one object of all of them; days that are told otherwise later are another object", async () => {
    const { clock } = await fresh({
      ...harbor,
      analytics: { ...analytics, mostRows: 4, pages: 9 },
      revisions: [{ from: REVISED, to: REVISED, factor: 3, at: Date.parse("2026-11-21T00:00:00Z") }],
    });
    // The first of them is asked for again with another token.
    archived.simulators.script({ kind: "error", error: "bad-token" }, { asking: '"pagePath"' });
    await archived.run("analysis");
    const first = archived.rows();
    const ofPages = first.filter(({ report }) => report.startsWith("pages-screens "));
    expect(new Set(ofPages.map(({ rows }) => rows))).toEqual(new Set([9]));
    const [paged] = first.filter(({ report }) => report === `pages-screens ${dayOfNumber(REVISED)}`);
    expect([paged?.outcome, (paged?.requests ?? 0) > 1]).toEqual(["stored", true]);
    expect(archived.object(paged?.object ?? "").split("\n{").length).toBeGreaterThan(1);
    clock.advance(24 * HOUR);
    await archived.run("analysis");
    const [late] = archived.rows().filter(({ report }) => report === paged?.report);
    expect(late?.outcome).toBe("stored");
    expect(late?.object).not.toBe(paged?.object ?? "");
    // What was told before is there as it was.
    expect(archived.object(paged?.object ?? "")).not.toBe("");
  });
});

test("analytics figures of a date may change until the second day after it", () => {
  expect([2, 1, 0].map((age) => isProvisional(REVISED - age, REVISED))).toEqual([false, true, true]);
});
