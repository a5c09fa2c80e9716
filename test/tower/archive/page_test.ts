/** The page of the archive and the pages of its reports, over HTTP. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type NewReport, recordReport } from "../../../src/archive/manifest.ts";
import { noteSkip } from "../../../src/archive/record_attempt.ts";
import { recordLooked } from "../../../src/archive/verify_events.ts";
import { dayNumber, parseUtcDay, type UtcDay } from "../../../src/base/time.ts";
import { pause } from "../../../src/health/pauses.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { beginRun, endRun, type RunHandle } from "../../../src/store/job_runs.ts";
import { HARBOR_PAGES, objectNumbered, reportOf } from "../../support/archive.ts";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { PROXY, type TestTower, testTower } from "../../support/test_tower.ts";

const day = (text: string): number => dayNumber(parseUtcDay(text) as UtcDay);
const CAPTION = "Attempts to get reports, newest first";
let service: TestTower;
let run: number;
beforeEach(async () => {
  service = await testTower({ settings: PROXY });
  const { writer, clock } = service.deps;
  run = await writer.write((tx) => {
    const begun = { run: "run-1", job: "analysis", startedAt: clock.now(), askedBy: "schedule" } as const;
    const row = beginRun(tx, begun, "test") ?? 0;
    const end = { finishedAt: clock.now() + 60_000, outcome: "partial", fault: null } as const;
    endRun(tx, "analysis", row, {
      ...end,
      reports: { failed: 1, stored: 2, source_lag: 3, skipped: 4, held: 5, paused: 1 },
    });
    return row;
  });
});
afterEach(() => service.close());

async function page(path: string, status = 200): Promise<ReturnType<typeof parsed>> {
  const response = await service.ask(path);
  expect(response.status).toBe(status);
  return parsed(await response.text());
}
const wordsOf = async (path: string) => textOf(byId(await page(path), "main"));

let began = 0;
const record = (changes: Partial<NewReport> = {}) =>
  service.deps.writer.write((tx) =>
    recordReport(
      tx,
      reportOf({
        run,
        date: day("2026-02-26"),
        attemptedAt: service.deps.clock.now() - 100_000 + began++,
        ...changes,
      }),
    ),
  );
const failed = { outcome: "failed", category: "access", failureCode: "property_denied" } as const;
const of = (changes: Partial<typeof HARBOR_PAGES>) => ({ target: { ...HARBOR_PAGES, ...changes } });

function attach(asset: string): void {
  const { raw } = service.deps.store;
  raw.run(
    `INSERT INTO credential (id, kind, providers, label, account, edit_revision, connection_revision, key_id, sealed, added_at, connected_at)
     VALUES ('account', 'google-service-account', '["search-console"]', 'Account', 'account', 1, 'first', 'key', 'sealed', 0, 0)`,
  );
  raw.run("INSERT INTO attachment VALUES (?, 'search-console', 'account', ?, 0)", [asset, asset]);
}

/** The titles of cells that lead somewhere, by their words. */
const cellsOf = (html: ReturnType<typeof parsed>) =>
  elements(
    html,
    (element) => element.tagName === "a" && attribute(element, "href")?.endsWith("#attempts") === true,
  )
    .filter((link) => attribute(link, "aria-label") !== undefined)
    .map((link) => [attribute(link, "title"), attribute(link, "href")]);

describe("an archive in which nothing is", () => {
  test("of one site leads to what it lacks; a name that is no site's is said to be none", async () => {
    await service.deps.writer.write((tx) => {
      ensureAssets(tx, ["harbor.example"], { actor: "test", now: service.deps.clock.now() });
    });
    const bare = byId(await page("/archive?asset=harbor.example"), "main");
    expect(textOf(bare)).toContain("None is attached.");
    expect(tagged(bare, "a").map((link) => attribute(link, "href"))).toContain(
      "/sites/harbor.example/integrations",
    );
    const none = byId(await page("/archive?asset=harbor"), "main");
    expect(textOf(none)).toContain("No site of this name");
    expect(textOf(none)).not.toContain("None is attached");
    expect(tagged(none, "a").map((link) => attribute(link, "href"))).not.toContain("/sites/harbor");
  });

  test("with a property attached shows which reports will be asked for, none of them as missing before its run", async () => {
    attach("harbor.example");
    const html = await page("/archive");
    const rows = elements(
      byId(html, "grid"),
      (element) => attribute(element, "id")?.startsWith("report-") === true,
    );
    expect(rows.map((row) => attribute(row, "id"))).toContain("report-discover-page");
    expect(rows).toHaveLength(10);
    // The run of today is to come: yesterday is not due yet.
    expect(
      tagged(rows[0] as never, "td")
        .slice(-3)
        .map(textOf),
    ).toEqual(["Before the first run", "Not due yet", "Not due yet"]);
    expect(textOf(byId(html, "attempts"))).toContain("Nothing was fetched yet.");
  });
});

describe("reports by dates", () => {
  test("of all sites: what is worst, of how many, and a way to the rows", async () => {
    await record();
    await record({ ...of({ asset: "orchard" }), ...failed });
    await record({ ...of({ asset: "ferry" }), ...failed, category: "network" });
    const html = await page("/archive");
    expect(cellsOf(html)).toEqual([
      [
        "26 Feb, Pages in search: 1 failed (access), 1 failed (network), 1 stored",
        "/archive?family=page&outcome=failed&date=2026-02-26#attempts",
      ],
    ]);
    const those = rowsOf(await page("/archive?family=page&outcome=failed&date=2026-02-26"), CAPTION);
    expect(those.slice(1).map((row) => row[1])).toEqual(["ferry", "orchard"]);
    const rows = rowsOf(await page("/archive?family=page&date=2026-02-26"), CAPTION);
    expect(rows.slice(1).map((row) => row.slice(1, 5))).toEqual([
      ["ferry", "26 Feb", "1 Mar 11:58", "FailedNetwork"],
      ["orchard", "26 Feb", "1 Mar 11:58", "FailedAccess"],
      ["harbor.example", "26 Feb", "1 Mar 11:58", "Stored"],
    ]);
  });

  test("a report that all who were asked leave out is skipped, though another site was held back", async () => {
    attach("harbor.example");
    service.deps.store.raw.run(
      "INSERT INTO attachment VALUES ('orchard', 'search-console', 'account', 'orchard', 0)",
    );
    await record();
    await service.deps.writer.write((tx) =>
      noteSkip(tx, of({ family: "query" }).target, "parameter_unregistered", service.deps.clock.now()),
    );
    const cells = async () =>
      tagged(byId(await page("/archive"), "report-query"), "td")
        .slice(-4)
        .map(textOf);
    expect((await cells())[0]).toBe("Skipped");
    await record(of({ asset: "orchard", family: "query" }));
    expect((await cells())[0]).not.toBe("Skipped");
  });

  test("of one site: each of its dates by its latest attempt", async () => {
    await record(failed);
    await record();
    await record({ ...of({ asset: "orchard" }), ...failed });
    const cells = cellsOf(await page("/archive?asset=harbor.example"));
    expect(cells.map(([words]) => words)).toEqual(["26 Feb, Pages in search: Stored"]);
    expect(cells[0]?.[1]).toBe("/archive?asset=harbor.example&family=page&date=2026-02-26#attempts");
  });

  test("of earlier dates by an address, and never beyond today", async () => {
    await record({ date: day("2025-06-10") });
    expect(cellsOf(await page("/archive")).length).toBe(0);
    const earlier = await page("/archive?to=2025-06-20");
    expect(cellsOf(earlier).map(([words]) => words)).toEqual(["10 Jun 2025, Pages in search: 1 stored"]);
    const steps = elements(earlier, (element) => ["prev", "next"].includes(attribute(element, "rel") ?? ""));
    expect(steps.slice(0, 2).map((link) => attribute(link, "href"))).toEqual([
      "/archive?to=2025-05-23",
      "/archive?to=2025-07-18",
    ]);
    expect(await wordsOf("/archive?to=2030-01-01")).toContain("2 Feb to 1 Mar");
  });
});

describe("attempts", () => {
  test.each([
    ["provider=search-console", 3],
    ["provider=analytics", 0],
    ["family=page", 2],
    ["outcome=failed", 1],
    ["category=access", 1],
    ["date=2026-02-26", 2],
    ["run=run-1", 3],
    [`object=${objectNumbered(1).sha256}`, 2],
    ["asset=orchard", 1],
  ])("are narrowed by %s", async (query, count) => {
    await record();
    await record({ ...of({ asset: "orchard", family: "query" }), ...failed });
    await record({ date: day("2026-02-25"), outcome: "unchanged" });
    const html = await page(`/archive?${query}`);
    if (count === 0) expect(textOf(byId(html, "attempts"))).toContain("None matches the filter.");
    else expect(rowsOf(html, CAPTION)).toHaveLength(count + 1);
  });

  test("beyond a page go on with the earlier ones", async () => {
    for (let at = 0; at < 27; at++) await record({ date: day("2026-02-01") + at });
    const html = await page("/archive");
    expect(rowsOf(html, CAPTION)).toHaveLength(26);
    const [next] = elements(html, (element) => attribute(element, "href")?.includes("before=") === true);
    expect(rowsOf(await page(attribute(next as never, "href") ?? ""), CAPTION)).toHaveLength(3);
  });
});

describe("where a figure comes from", () => {
  test("a failure says why and what to do, offers no bytes, and says that what was stored stays", async () => {
    await record();
    const { id } = await record({ ...failed, object: null, complete: false });
    const html = await page(`/archive/reports/${id}`);
    const words = textOf(byId(html, "main"));
    expect(words).toContain("property_denied");
    expect(words).toContain("No object");
    expect(words).toContain("Nothing was stored. What earlier attempts stored stays.");
    const links = tagged(html, "a").map((link) => attribute(link, "href") ?? "");
    expect(links.filter((href) => href.startsWith("/api/"))).toEqual([]);
  });

  test("a part of a report is called so", async () => {
    const part = { outcome: "incomplete", category: "incomplete_report", object: objectNumbered(3) } as const;
    const { id } = await record({ ...part, complete: false });
    const words = await wordsOf(`/archive/reports/${id}`);
    expect(words).toContain("no, only a part of the report");
  });

  test("of a damaged object it says what is wrong and since when, and offers no download; the archive names it", async () => {
    const { id } = await record();
    const { sha256 } = objectNumbered(1);
    const { writer, clock } = service.deps;
    await writer.write((tx) =>
      recordLooked(tx, { damaged: [{ sha256, fault: "digest" }], whole: [] }, clock.now()),
    );
    const html = await page(`/archive/reports/${id}`);
    expect(textOf(byId(html, "main"))).toContain(
      "The object does not hold what it is named for, found 1 Mar 12:00, and not served.",
    );
    const links = tagged(html, "a").map((link) => attribute(link, "href") ?? "");
    expect(links.filter((href) => href.startsWith("/api/"))).toEqual([]);
    const damage = byId(await page("/archive"), "damage");
    expect(textOf(damage)).toContain("1 object is damaged or missing and not served.");
    expect(tagged(damage, "a").map((link) => attribute(link, "href"))).toEqual([
      `/archive?object=${sha256}#attempts`,
    ]);
    await writer.write((tx) => recordLooked(tx, { damaged: [], whole: [sha256] }, clock.now()));
    expect(await wordsOf("/archive")).not.toContain("damaged");
    expect(await wordsOf(`/archive/reports/${id}`)).toContain("Download");
  });

  test("the negative: an attempt that is not there, or no number, is not found", async () => {
    await page("/archive/reports/999", 404);
    await page("/archive/reports/0x1", 404);
    await page("/archive/reports/-1", 404);
  });
});

describe("around the archive", () => {
  test("its last run is counted by outcome, and each count leads to its rows", async () => {
    const html = await page("/archive");
    const links = tagged(byId(html, "runs"), "a").map((link) => [textOf(link), attribute(link, "href")]);
    expect(links).toContainEqual(["1 failed", "/archive?outcome=failed&run=run-1#attempts"]);
    expect(links).toContainEqual(["3 lagging", "/archive?outcome=source_lag&run=run-1#attempts"]);
    expect(links).toContainEqual(["1 request paused", "/integrations/pauses"]);
    const counts = elements(byId(html, "runs"), (element) => attribute(element, "class") === "dim").map(
      textOf,
    );
    expect(counts).toEqual(["4 skipped", "5 requests on hold", "1 request paused"]);
    const ofRun = tagged(await page("/integrations/runs/run-1"), "a").map((link) => attribute(link, "href"));
    expect(ofRun).toContain("/archive?run=run-1#attempts");
    expect(ofRun).toContain("/archive?outcome=failed&run=run-1#attempts");
  });

  test("while it runs its progress stands there, no second one is offered, and what it may still bring is not missing", async () => {
    attach("harbor.example");
    const begun = Promise.withResolvers<RunHandle>();
    const over = Promise.withResolvers<void>();
    const work = async (handle: RunHandle) => {
      begun.resolve(handle);
      handle.signal.addEventListener("abort", () => over.resolve());
      await over.promise;
    };
    const { jobs, clock } = service.deps;
    clock.advance(20 * 60_000);
    jobs.register([{ name: "analysis", at: "15 12 * * *", recorded: true, work }]);
    await jobs.start("analysis", "operator:ada");
    (await begun.promise).progress(31, 800, "harbor.example: page of 27 Feb");
    const html = await page("/archive");
    const live = byId(html, "archive-run");
    expect(attribute(live, "data-ask")).toBe("/archive?part=run");
    expect(textOf(live)).toContain("31 of 800 asked, last harbor.example: page of 27 Feb.");
    const ways = (of: Parameters<typeof tagged>[0]) => tagged(of, "a").map((link) => attribute(link, "href"));
    expect(ways(live)).not.toContain("/archive/run");
    const [row] = elements(html, (element) => attribute(element, "id") === "report-page");
    expect(
      tagged(row as never, "td")
        .slice(-3)
        .map(textOf),
    ).toEqual(["Before the first run", "Not due yet", "Not due yet"]);
    await jobs.stop(5_000);
    expect(ways(byId(await page("/archive"), "archive-run"))).toContain("/archive/run");
    expect(textOf(byId(await page("/archive"), "runs"))).toContain("Stopped");
  });

  test("what is paused says so", async () => {
    const { writer, clock } = service.deps;
    const key = { capability: "search-console.archive", asset: "", until: null };
    await writer.write((tx) => pause(tx, key, { actor: "operator:ada", now: clock.now() }));
    const words = await wordsOf("/archive");
    expect(words).toContain("Paused:");
    expect(await wordsOf("/archive?asset=harbor.example")).toContain("Paused:");
  });

  test("the negative: a site's own pause is not said of another site", async () => {
    const { writer, clock } = service.deps;
    const key = { capability: "search-console.archive", asset: "orchard", until: null };
    await writer.write((tx) => pause(tx, key, { actor: "operator:ada", now: clock.now() }));
    expect(await wordsOf("/archive?asset=orchard")).toContain("Paused:");
    expect(await wordsOf("/archive?asset=harbor.example")).not.toContain("Paused:");
  });
});
