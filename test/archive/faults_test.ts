/** What a run of the archive does where a provider refuses, limits or falls silent, and where nothing can be stored (spec, Errors). */

import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { listSkips } from "../../src/archive/record_attempt.ts";
import type { SimulatedSite, World } from "../../src/demo/simulator/world.ts";
import { pause } from "../../src/health/pauses.ts";
import { familiesOf } from "../../src/providers/report_families.ts";
import { StoreFault } from "../../src/store/objects.ts";
import { type Archived, type ArchivedRow, archivedTower } from "../support/archive_run.ts";
import { pulledWorld } from "../support/pulled.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let archived: Archived | undefined;
afterEach(async () => {
  await archived?.close();
  archived = undefined;
});

type Of = "analytics" | "searchConsole" | "webmasterTools";

/** Sites that have one provider alone. */
function worldOf(
  provider: Of,
  names: readonly string[] = ["harbor.example"],
  change: (site: SimulatedSite) => SimulatedSite = (site) => site,
): World {
  const { sites } = pulledWorld(names);
  return {
    sites: sites.map((site) => {
      const { analytics, searchConsole, webmasterTools, ...bare } = change(site);
      const all = { analytics, searchConsole, webmasterTools };
      const own = all[provider];
      return own === undefined ? bare : ({ ...bare, [provider]: own } as SimulatedSite);
    }),
  };
}

async function started(world: World): Promise<Archived> {
  archived = await archivedTower({ world });
  return archived;
}

/** How many rows there are of each outcome with each fault. */
function tally(rows: readonly ArchivedRow[]): Record<string, number> {
  const told = rows.map(({ outcome, fault }) => (fault === "" ? outcome : `${outcome} ${fault}`));
  return Object.fromEntries([...Map.groupBy(told, (one) => one)].map(([one, all]) => [one, all.length]));
}

const SEARCH_REPORTS = 4 * familiesOf("search-console").length;

describe("a property that refuses", () => {
  test("is asked once a run; every report of it has its row, and all of them are asked for once it is open again", async () => {
    const { simulators, clock, run, rows } = await started(worldOf("searchConsole"));
    simulators.script({ kind: "error", error: "forbidden" }, { server: "searchConsole", times: 99 });
    const report = await run("analysis");
    expect([report.outcome, report.reports]).toEqual(["failed", { failed: SEARCH_REPORTS }]);
    const refused = rows();
    expect(tally(refused)).toEqual({ "failed access property_denied": SEARCH_REPORTS });
    expect(refused.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(3);
    simulators.calm();
    // Five days later none of those dates is among the latest four.
    clock.advance(5 * DAY);
    expect((await run("analysis")).outcome).toBe("done");
    const again = new Set(
      rows()
        .filter(({ fault }) => fault === "")
        .map(({ report: name }) => name),
    );
    expect(refused.filter(({ report: name }) => !again.has(name)).map(({ report: name }) => name)).toEqual(
      [],
    );
  });

  test("one report alone, stops that report alone", async () => {
    const { simulators, run, rows } = await started(worldOf("analytics"));
    simulators.script({ kind: "error", error: "invalid-argument" }, { asking: '"landingPage"', times: 1 });
    await run("analysis");
    const failed = rows().filter(({ outcome }) => outcome === "failed");
    expect(new Set(failed.map(({ report: name }) => name.split(" ")[0])).size).toBe(1);
    expect(tally(failed)).toEqual({ "failed configuration request_refused": 4 });
  });
});

describe("js-errors (spec, Archive report families)", () => {
  const registered = (names: string[]) =>
    worldOf("analytics", ["harbor.example"], (site) => ({
      ...site,
      ...(site.analytics && { analytics: { ...site.analytics, customDimensions: names } }),
    }));
  const jsErrors = (all: readonly ArchivedRow[]) =>
    all.filter(({ report: name }) => name.startsWith("js-errors"));

  test("is left out without a row where its parameters are not registered, and told until they are", async () => {
    const world = registered(["error_message"]);
    const { clock, run, rows, tower } = await started(world);
    const report = await run("analysis");
    expect([report.outcome, report.reports["skipped"]]).toEqual(["done", 4]);
    expect(jsErrors(rows())).toStrictEqual([]);
    expect(listSkips(tower.deps.store.db)).toMatchObject([
      { target: { family: "js-errors" }, reason: "parameter_unregistered" },
    ]);
    world.sites[0]?.analytics?.customDimensions?.push("error_source");
    clock.advance(DAY);
    await run("analysis");
    expect(jsErrors(rows()).map(({ outcome }) => outcome)).toEqual(["stored", "stored", "stored", "stored"]);
    expect(listSkips(tower.deps.store.db)).toStrictEqual([]);
  });

  test("that the provider refuses all the same is one failed row a run, never an empty success", async () => {
    const { simulators, run, rows } = await started(registered(["error_message", "error_source"]));
    simulators.script({ kind: "error", error: "unregistered" }, { asking: "customEvent", times: 99 });
    const report = await run("analysis");
    expect(tally(jsErrors(rows()))).toEqual({
      "failed configuration analytics_custom_dimension_unregistered": 1,
    });
    expect([report.outcome, report.reports["skipped"]]).toEqual(["partial", 3]);
  });

  test("is simply asked for where nobody says what is registered", async () => {
    const { simulators, run, rows } = await started(registered(["error_message", "error_source"]));
    simulators.script({ kind: "error", error: "internal" }, { operation: "customDimensions", times: 9 });
    await run("analysis");
    expect(tally(jsErrors(rows()))).toEqual({ stored: 4 });
  });
});

describe("a limit", () => {
  test("of a property ends what is asked of it, without rows, until its time", async () => {
    const names = ["harbor.example", "orchard.example"];
    const { simulators, clock, run, rows, world } = await started(worldOf("analytics", names));
    const property = world.sites[0]?.analytics?.property ?? "";
    simulators.script({ kind: "error", error: "tokens-hour" }, { operation: "runReport", property });
    const report = await run("analysis");
    expect(report.outcome).toBe("partial");
    const all = Map.groupBy(rows(), ({ report: name }) => name.split(" ")[0] ?? "");
    expect(tally(all.get("harbor.example") ?? [])).toEqual({ "failed exhausted_budget hourly_quota": 1 });
    expect(Object.keys(tally(all.get("orchard.example") ?? []))).not.toContain("failed");
    expect(report.reports["held"]).toBe(32);
    const soon = await run("analysis");
    expect([soon.reports["failed"], soon.reports["held"]]).toEqual([undefined, 33]);
    rows();
    clock.advance(DAY);
    expect((await run("analysis")).outcome).toBe("done");
  });

  test("of the account holds every property of it, and what is asked for charts", async () => {
    const names = ["harbor.example", "orchard.example"];
    const { simulators, run, rows } = await started(worldOf("searchConsole", names));
    simulators.script({ kind: "error", error: "qps-429" }, { server: "searchConsole" });
    const report = await run("analysis");
    expect([report.outcome, report.reports]).toEqual(["failed", { failed: 1, held: 2 * SEARCH_REPORTS - 1 }]);
    expect(tally(rows())).toEqual({ "failed rate_limit rate_limited": 1 });
    expect((await run("sense")).reports).toEqual({ held: 2 });
  });

  test("that is met by pulls holds the archive, too", async () => {
    const { simulators, run, rows } = await started(worldOf("searchConsole"));
    simulators.script({ kind: "error", error: "qps-429" }, { server: "searchConsole" });
    await run("sense");
    expect((await run("analysis")).reports).toEqual({ held: SEARCH_REPORTS });
    expect(rows()).toStrictEqual([]);
  });
});

test("a token that is refused in the middle of a run is another one after it", async () => {
  const { simulators, run, rows } = await started(worldOf("analytics"));
  simulators.script({ kind: "error", error: "bad-token" }, { asking: '"eventName"' });
  expect((await run("analysis")).outcome).toBe("done");
  expect(rows().filter(({ fault }) => fault !== "")).toStrictEqual([]);
});

test("an account that is signed out fails once, holds the rest, and needs no more than a person", async () => {
  const names = ["harbor.example", "orchard.example"];
  const { simulators, run, rows } = await started(worldOf("searchConsole", names));
  simulators.script({ kind: "error", error: "bad-token" }, { server: "searchConsole", times: 999 });
  expect((await run("analysis")).reports).toEqual({ failed: 1, held: 2 * SEARCH_REPORTS - 1 });
  expect(tally(rows())).toEqual({ "failed access signed_out": 1 });
  simulators.calm();
  expect((await run("analysis")).reports).toEqual({ held: 2 * SEARCH_REPORTS });
  expect((await run("analysis", "command")).outcome).toBe("done");
});

test("an account that was signed out holds nobody any more once the archive was answered over it", async () => {
  const { simulators, clock, run } = await started(worldOf("searchConsole"));
  simulators.script({ kind: "error", error: "bad-token" }, { server: "searchConsole", times: 999 });
  await run("analysis");
  expect((await run("sense")).reports).toEqual({ held: 1 });
  simulators.calm();
  clock.advance(HOUR / 4);
  expect((await run("analysis", "command")).outcome).toBe("done");
  expect((await run("sense")).reports).toEqual({ changed: 1 });
});

test("a provider that nobody reaches is given up after so many in a row, and its account waits for nobody", async () => {
  const names = Array.from({ length: 8 }, (_, place) => `site-${place}.example`);
  const { simulators, clock, run, rows } = await started(worldOf("searchConsole", names));
  simulators.script({ kind: "refused" }, { server: "searchConsole", from: 0, to: clock.now() + HOUR });
  simulators.heed();
  const report = await run("analysis");
  expect(report.outcome).toBe("failed");
  expect(report.reports["failed"]).toBeLessThanOrEqual(22);
  expect(report.reports["given_up"]).toBe(8 * SEARCH_REPORTS - (report.reports["failed"] ?? 0));
  expect(Object.keys(tally(rows()))).toEqual(["failed network connection_refused"]);
});

describe("a report that is not all there", () => {
  test("is kept as what it is beside the whole one of before, and asked for again", async () => {
    const { simulators, clock, run, rows } = await started(
      worldOf("searchConsole", ["harbor.example"], (site) => ({
        ...site,
        ...(site.searchConsole && {
          searchConsole: { ...site.searchConsole, appearances: ["AMP_BLUE_LINK", "VIDEO"] },
        }),
      })),
    );
    simulators.script({ kind: "error", error: "internal" }, { asking: '"VIDEO"', times: 3 });
    await run("analysis");
    const [cut] = rows().filter(({ outcome }) => outcome === "incomplete");
    expect(cut).toMatchObject({ fault: "incomplete_report rows_not_all_fetched" });
    expect(cut?.object).not.toBeNull();
    clock.advance(HOUR);
    await run("analysis");
    const [whole] = rows().filter(({ report: name }) => name === cut?.report);
    expect(whole?.outcome).toBe("stored");
    expect(whole?.object).not.toBe(cut?.object ?? "");
  });

  test("since it is larger than is taken of one, is incomplete, and is not asked for once its dates are over", async () => {
    const { clock, run, rows, tower } = await started(
      worldOf("searchConsole", ["harbor.example"], (site) => ({
        ...site,
        ...(site.searchConsole && { searchConsole: { ...site.searchConsole, pages: 40 } }),
      })),
    );
    const { constants } = tower.deps;
    const { text, digest } = constants.document();
    const lower = text.replace("max_rows = 250000 ", "max_rows = 3 ");
    expect(lower).not.toBe(text);
    await constants.save(lower, { author: "test" }, digest);
    await run("analysis");
    const cut = rows().filter(({ outcome }) => outcome === "incomplete");
    expect(tally(cut)).toEqual({ "incomplete incomplete_report report_over_ceiling": cut.length });
    expect(cut.length).toBeGreaterThan(0);
    clock.advance(8 * DAY);
    await run("analysis");
    const dates = new Set(cut.map(({ report: name }) => name));
    expect(rows().filter(({ report: name }) => dates.has(name))).toStrictEqual([]);
  });
});

test.each([
  ["America/Los_Angeles", "Pacific/Auckland", ["2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17"]],
  // By the calendar that was known the newest date is over; by the one that is told it is not.
  ["Pacific/Auckland", "America/Los_Angeles", ["2026-11-19", "2026-11-18", "2026-11-17", "2026-11-16"]],
])(
  "a property that was of %s and tells %s has the dates of what it tells, each asked for once more at most",
  async (before, timeZone, dates) => {
    const world = worldOf("analytics", ["harbor.example"], (site) => ({
      ...site,
      ...(site.analytics && { analytics: { ...site.analytics, timeZone: before } }),
    }));
    const { simulators, run, rows } = await started(world);
    await run("sense");
    Object.assign(world.sites[0]?.analytics ?? {}, { timeZone });
    simulators.forget();
    expect((await run("analysis")).outcome).toBe("done");
    const names = rows().map(({ report }) => report);
    expect(new Set(names).size).toBe(names.length);
    const ofPages = names.filter((name) => name.startsWith("pages-screens "));
    expect(ofPages.sort().reverse()).toEqual(dates.map((date) => `pages-screens ${date}`));
    const asked = simulators.log.filter(({ operation }) => operation === "runReport").length;
    expect(asked).toBeLessThanOrEqual(names.length + 1);
  },
);

test("a report that tells no calendar is provisional by the one that is known", async () => {
  const world = worldOf("analytics", ["harbor.example"], (site) => ({
    ...site,
    ...(site.analytics && { analytics: { ...site.analytics, timeZone: "Pacific/Auckland" } }),
  }));
  const notes = async (bend: (answer: object) => object) => {
    const { simulators, run, rows, close } = await started(world);
    await run("sense");
    simulators.script({ kind: "bent", bend }, { operation: "runReport", times: 999 });
    await run("analysis");
    const told = rows().map(({ report, outcome, notes: said }) => `${report} ${outcome} ${said}`);
    await close();
    archived = undefined;
    return told;
  };
  const told = await notes((answer) => answer);
  expect(await notes((answer) => ({ ...answer, metadata: {} }))).toEqual(told);
});

describe("what an operator says", () => {
  test("pauses a site's archive alone, and is no failure", async () => {
    const names = ["harbor.example", "orchard.example"];
    const { clock, run, rows, tower } = await started(worldOf("searchConsole", names));
    await tower.deps.writer.write((tx) =>
      pause(
        tx,
        { capability: "search-console.archive", asset: "harbor.example", until: null },
        { actor: "ada", now: clock.now() },
      ),
    );
    const report = await run("analysis");
    expect([report.outcome, report.reports["paused"]]).toEqual(["done", SEARCH_REPORTS]);
    expect(rows().every(({ report: name }) => name.startsWith("orchard.example"))).toBe(true);
  });

  test("stops a run, which is taken up by the next one", async () => {
    const { simulators, run, rows, tower } = await started(worldOf("analytics"));
    const { jobs } = tower.deps;
    simulators.script({ kind: "slow", ms: 50 }, { operation: "runReport", times: 99 });
    const running = run("analysis");
    await until(
      async () => jobs.running()[0]?.progress?.done ?? 0,
      (done) => done >= 5,
    );
    await jobs.cancel(jobs.running()[0]?.run ?? "", { actor: "ada", now: 0 });
    const stopped = await running;
    expect([stopped.outcome, stopped.fault]).toEqual(["partial", "it was stopped"]);
    const got = rows().length;
    simulators.calm();
    const next = await run("analysis");
    expect([next.outcome, next.reports["resumed"]]).toEqual(["done", got]);
    expect(got + rows().length).toBe(29);
    // A run that came to its end is not taken up: asked again, all of it is asked for.
    expect((await run("analysis", "command")).reports).toEqual({ skipped: 4, unchanged: 29 });
  });
});

describe("where nothing can be stored", () => {
  test("the run ends, also a second time, and the next one takes both up; what breaks otherwise is one property's, and counted", async () => {
    const { clock, run, rows, tower } = await started(worldOf("analytics"));
    const { objects } = tower.deps;
    const put = objects.put.bind(objects);
    for (const many of [3, 2]) {
      let left = many;
      objects.put = (...given) =>
        left-- > 0 ? put(...given) : Promise.reject(new StoreFault("full", objects.where));
      const report = await run("analysis");
      expect([report.outcome, report.fault]).toEqual([
        "failed",
        `the archive at ${objects.where}: it is full`,
      ]);
      expect(rows().length).toBe(many);
    }
    objects.put = put;
    const next = await run("analysis");
    expect([next.outcome, next.reports["resumed"]]).toEqual(["done", 5]);
    clock.advance(86_400_000);
    objects.put = () => Promise.reject(new TypeError("no store says this"));
    expect((await run("analysis")).reports).toMatchObject({ failed: 1 });
  });

  test("an archive whose place is not mounted is not begun anew beneath it, and nobody is asked", async () => {
    const { folder, simulators, run, rows, tower } = await started(worldOf("analytics"));
    expect((await run("analysis")).outcome).toBe("done");
    rows();
    const raw = tower.deps.objects.where;
    renameSync(raw, `${folder}/away`);
    for (const mount of [() => undefined, () => mkdirSync(raw)]) {
      mount();
      simulators.forget();
      const report = await run("analysis", "command");
      expect([report.outcome, report.fault]).toEqual([
        "failed",
        `the archive at ${raw}: there is no archive: is it mounted, and the right place?`,
      ]);
      expect([rows().length, simulators.log.length]).toEqual([0, 0]);
    }
    expect(readdirSync(raw)).toStrictEqual([]);
    rmSync(raw, { recursive: true });
    renameSync(`${folder}/away`, raw);
    expect((await run("analysis", "command")).outcome).toBe("done");
  });

  test("a disk that is nearly full ends it before anything is asked, and before reports of sites are refused", async () => {
    const { simulators, run, rows, tower } = await started(worldOf("analytics"));
    const { machine } = tower.deps;
    machine.isLow = async () => true;
    simulators.forget();
    const report = await run("analysis");
    expect([report.outcome, report.fault]).toEqual([
      "failed",
      expect.stringContaining("there is little room left on the disk"),
    ]);
    expect([rows().length, simulators.log.length]).toEqual([0, 0]);
  });
});

test("a site that is retired while it is asked has no report of it, and is asked no further", async () => {
  const { simulators, clock, run, rows, tower } = await started(worldOf("analytics"));
  const { objects, store } = tower.deps;
  const put = objects.put.bind(objects);
  const now = clock.now.bind(clock);
  let [ticks, stored] = [0, 0];
  clock.now = () => now() + ++ticks;
  objects.put = async (...given) => {
    const done = await put(...given);
    if (++stored === 3) store.raw.run("UPDATE asset SET lifecycle = 'retired'");
    return done;
  };
  const { reports } = await run("analysis");
  const came = tally(rows());
  expect([came["stored"], came["failed monitoring_failure connection_changed"]]).toEqual([2, 1]);
  const asked = simulators.log.filter(({ operation }) => operation === "runReport").map(({ at }) => at);
  const spans =
    "SELECT attempted_at AS began, attempted_at + took_ms AS ended FROM archive_report ORDER BY id";
  const tried = store.raw.query<{ began: number; ended: number }, []>(spans).all();
  expect(tried.map(({ began, ended }) => asked.find((at) => began < at && at < ended))).toEqual(asked);
  expect(asked.length).toBe(3);
  expect(reports["skipped"]).toBeGreaterThan(10);
});

describe("as a run begins, and between its questions", () => {
  test("the disks are looked at: it ends in the middle where the archive's own is nearly full by then", async () => {
    const { run, rows, tower } = await started(worldOf("analytics"));
    const { machine, objects } = tower.deps;
    let left = 3;
    machine.isLow = async (path) => path === objects.where && left-- <= 0;
    const report = await run("analysis");
    expect([report.outcome, report.fault]).toEqual(["failed", expect.stringContaining("little room left")]);
    expect(rows().length).toBeGreaterThan(0);
    machine.isLow = async () => false;
    expect((await run("analysis")).outcome).toBe("done");
  });

  test("what was cut off before it is swept", async () => {
    const { run, tower } = await started(worldOf("analytics"));
    const { objects } = tower.deps;
    const folder = `${objects.where}/objects/ab`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/.tmp-half`, "half");
    await run("analysis");
    expect(await Array.fromAsync(objects.halfWritten())).toStrictEqual([]);
  });
});
