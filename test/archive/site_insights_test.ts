import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { insightFold } from "../../src/archive/insight_fold.ts";
import { type Insight, MOST_KEPT_ROWS, putInsight } from "../../src/archive/insights.ts";
import { type NewReport, recordReport } from "../../src/archive/manifest.ts";
import { noteSkip } from "../../src/archive/record_attempt.ts";
import { type InsightReport, siteInsights } from "../../src/archive/site_insights.ts";
import { addDays, dayNumber, dayOfNumber, startOfDay, type UtcDay } from "../../src/base/time.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { findFamily, REPORT_FAMILIES, type ReportRow } from "../../src/providers/report_families.ts";
import { objectNumbered, reportOf } from "../support/archive.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { differing, mend } from "../support/read_models.ts";
import { plantSeries } from "../support/series.ts";
import { told } from "../support/signals.ts";

const D = "2026-11-18" as UtcDay;
const BEFORE = addDays(D, -7);
const NOW = startOfDay(addDays(D, 10));
const AT = 1_795_000_000_000;

let ground: TestGround;
let objects = 0;
beforeEach(async () => {
  ground = await testGround();
  objects = 0;
  ground.store.raw.run("INSERT INTO job_run (run, job, started_at) VALUES ('run-1', 'analysis', 0)");
});
afterEach(() => {
  ground.store.close();
});

interface Given {
  readonly provider?: Provider;
  readonly family: string;
  readonly property?: string;
  readonly revision?: string;
  readonly date?: UtcDay;
  readonly at?: number;
}

const targetOf = ({
  provider = "search-console",
  family,
  property = "sc-domain:harbor",
  revision = "first",
}: Given) => ({
  asset: "harbor",
  provider,
  connectionRevision: revision,
  property,
  family,
});

/** An attempt that came to nothing that can be read. */
const attempt = (given: Given, changes: Partial<NewReport>) =>
  ground.writer.write((tx) =>
    recordReport(
      tx,
      reportOf({
        target: targetOf(given),
        date: dayNumber(given.date ?? D),
        attemptedAt: given.at ?? AT,
        ...changes,
      }),
    ),
  );

/** A report with its rows, as the job stores it. */
async function stored(
  given: Given,
  rows: readonly ReportRow[],
  changes: Partial<NewReport> = {},
): Promise<number> {
  const { provider = "search-console", date = D, at = AT } = given;
  const family = findFamily(provider, given.family);
  if (family === undefined) throw new Error(`no family ${given.family}`);
  const fold = insightFold(family);
  for (const row of rows) fold.add(row);
  const object = objectNumbered(++objects, { rows: rows.length });
  return ground.writer.write((tx) => {
    const { id, target } = recordReport(
      tx,
      reportOf({
        target: targetOf(given),
        date: dayNumber(date),
        attemptedAt: at,
        outcome: rows.length === 0 ? "empty" : "stored",
        object,
        ...changes,
      }),
    );
    const of = { asset: "harbor", provider, family: family.name, date, report: id, observedAt: at };
    putInsight(tx, { ...fold.body([]), ...of } satisfies Insight, target);
    return id;
  });
}

const page = (path: string, clicks: number): ReportRow => ({
  keys: [`https://harbor.example${path}`],
  values: [clicks, clicks * 10, 0.1, 4],
});
const pages = (count: number, clicks = 3) => Array.from({ length: count }, (_, n) => page(`/${n}`, clicks));

function shown(family: string, provider: Provider = "search-console"): InsightReport {
  const found = siteInsights(ground.store.db, "harbor", NOW).find(
    (one) => one.family.name === family && one.family.provider === provider,
  );
  if (found === undefined) throw new Error(`no ${family}`);
  return found;
}

/** How a report stands: what is shown of which attempt, of which day, and what is said beside it. */
function standing(family: string, provider?: Provider) {
  const { property, shown: now, before, failed, latest, leftOut, isProvisional } = shown(family, provider);
  const of = (one: typeof now) =>
    one && {
      manifest: one.manifest,
      date: one.insight.date,
      rows: one.insight.rows,
      top: one.insight.top.length,
    };
  const attempt = (one: typeof latest) =>
    one && [one.outcome, one.category, one.failureCode, dayOfNumber(one.date)].join(" ");
  const sides = { latest: attempt(latest), failed: attempt(failed), leftOut: leftOut?.seenAt };
  return { property, shown: of(now), before: of(before), ...sides, isProvisional };
}

const total = (clicks: number, state: "final" | "provisional" | "missing" | "excluded" = "final") =>
  ground.writer.write((tx) =>
    plantSeries(tx, { asset: "harbor", source: "search-console", metric: "clicks" }, [
      [D, told(clicks, state)],
    ]),
  );

test("every family of every provider has its place, also where nothing was ever tried", () => {
  const all = siteInsights(ground.store.db, "harbor", NOW);
  expect(all.map(({ family }) => family)).toEqual([...REPORT_FAMILIES]);
  const known = all.flatMap(({ shown, property, latest, failed, leftOut }) => [
    shown,
    property,
    latest,
    failed,
    leftOut,
  ]);
  expect(new Set(known)).toEqual(new Set([undefined]));
});

describe("how a report stands", () => {
  test("stored is final, and a report without rows is a valid zero", async () => {
    await stored({ family: "page" }, pages(2));
    await stored({ family: "discover-page" }, []);
    expect([standing("page"), standing("discover-page")]).toMatchSnapshot();
  });

  test("a failure is told with its category; what is kept stays shown", async () => {
    await stored({ family: "page", at: AT }, pages(2));
    const failure = { outcome: "failed", category: "access", failureCode: "property_denied" } as const;
    // Today's, too: a snapshot is of the day on which it is asked for.
    await attempt({ family: "page", date: addDays(D, 10), at: AT + 1_000 }, failure);
    expect(standing("page")).toMatchSnapshot();
  });

  test("an incomplete report is a failure, and none of its rows is shown", async () => {
    const cut = { outcome: "incomplete", category: "incomplete_report", complete: false } as const;
    await attempt({ family: "page" }, cut);
    expect(standing("page")).toMatchSnapshot();
  });

  test("a date that is not final yet hides no failure of the days before it", async () => {
    await stored({ family: "page", date: addDays(D, -2) }, pages(2));
    const failure = { outcome: "failed", category: "network", failureCode: "timed_out" } as const;
    for (const night of [1, 2]) {
      const lag = { outcome: "source_lag", object: null } as const;
      await attempt({ family: "page", date: addDays(D, night), at: AT + night * 1_000 }, lag);
      await attempt({ family: "page", date: D, at: AT + night * 1_000 + 1 }, failure);
    }
    const failing = standing("page");
    await stored({ family: "page", at: AT + 5_000 }, pages(2));
    expect([failing, standing("page")]).toMatchSnapshot();
  });

  test("provisional lasts until a later attempt finds it settled, though nothing changed", async () => {
    const given = { provider: "analytics", family: "landing-pages", property: "123" } as const;
    const rows = [{ keys: ["/"], values: [5, 4, 1, 2, 30.5, 0] }];
    await stored(given, rows, { notes: ["provisional"] });
    const first = standing("landing-pages", "analytics");
    const same = { outcome: "unchanged", object: objectNumbered(1, { rows: 1 }), complete: true } as const;
    await attempt({ ...given, at: AT + 1 }, same);
    expect([first, standing("landing-pages", "analytics")]).toMatchSnapshot();
  });

  test.each([-1, 0, 1])("a report that was left out %s ms after its last attempt", async (later) => {
    const given = { provider: "analytics", family: "js-errors", property: "123" } as const;
    await stored({ ...given, at: AT - 1 }, [{ keys: ["click"], values: [5, 4, 1] }]);
    const failure = { outcome: "failed", category: "access", failureCode: "property_denied" } as const;
    await attempt({ ...given, date: addDays(D, 1) }, failure);
    await ground.writer.write((tx) => noteSkip(tx, targetOf(given), "parameter_unregistered", AT + later));
    expect(standing("js-errors", "analytics")).toMatchSnapshot();
  });

  test("another property shows nothing of the one before; another secret of the same goes on", async () => {
    await stored({ family: "page", date: BEFORE }, pages(1));
    await stored({ family: "page", revision: "second", at: AT + 1 }, pages(1));
    const own = standing("page");
    await stored({ family: "page", property: "sc-domain:other", date: addDays(D, -1), at: AT + 2 }, pages(3));
    expect([own, standing("page"), standing("query")]).toMatchSnapshot();
  });
});

describe("the change from seven days before", () => {
  test("a row that is not there is new where all rows of that report are kept, else not known", async () => {
    await stored({ family: "page", date: BEFORE }, [page("/a", 4), page("/gone", 9)]);
    await stored({ family: "page" }, [page("/a", 7), page("/b", 2)]);
    expect(shown("page").earlier).toEqual([{ told: "values", values: [4, 40, 0.1, 4] }, { told: "no_row" }]);
    await stored({ family: "page", date: BEFORE, at: AT + 5 }, [page("/a", 4), ...pages(MOST_KEPT_ROWS, 9)]);
    expect(shown("page").earlier).toEqual([{ told: "not_kept" }, { told: "not_kept" }]);
  });

  test("no other day stands in for the seventh", async () => {
    await stored({ family: "page", date: addDays(BEFORE, 1) }, pages(1));
    await stored({ family: "page" }, pages(1));
    expect(shown("page")).toMatchObject({ before: undefined, earlier: undefined });
  });

  test("rows that are days are not held against an earlier snapshot: the change stands in themselves", async () => {
    const given = {
      provider: "webmaster-tools",
      family: "rank-traffic",
      property: "https://harbor/",
    } as const;
    await stored({ ...given, date: BEFORE }, [{ keys: [BEFORE], values: [1, 9] }]);
    await stored(given, [{ keys: [D], values: [2, 9] }]);
    const report = shown("rank-traffic", "webmaster-tools");
    expect(report.before?.insight.date).toBe(BEFORE);
    expect(report.earlier).toBeUndefined();
  });

  test("a weekly report is held against the one of the week before, by its query alone", async () => {
    const given = { provider: "webmaster-tools", family: "queries", property: "https://harbor/" } as const;
    const row = (query: string, week: string, clicks: number) => ({
      keys: [query, week],
      values: [clicks, 9, 1, 2],
    });
    await stored({ ...given, date: addDays(D, -15) }, [row("red", "2026-10-30", 1)]);
    await stored({ ...given, date: addDays(D, -8) }, [row("red", "2026-11-06", 2)]);
    // The provider had nothing newer yet.
    await stored({ ...given, date: addDays(D, -7) }, [row("red", "2026-11-13", 3)]);
    await stored(given, [row("red", "2026-11-13", 3), row("red", "2026-11-06", 2)]);
    const report = shown("queries", "webmaster-tools");
    expect(report.shown?.insight).toMatchObject({ rows: 2, among: 1 });
    expect(report.before?.insight.date).toBe(addDays(D, -8));
    expect(report.earlier).toEqual([{ told: "values", values: [2, 9, 1, 2] }]);
  });
});

describe("what rows cover", () => {
  test("the sum over all rows, held against the total of the day", async () => {
    await stored(
      { family: "query" },
      pages(MOST_KEPT_ROWS + 20, 3).map(({ keys, values }) => ({ keys, values })),
    );
    await total(1_000);
    expect(shown("query").coverage).toMatchSnapshot();
  });

  test("another search type has no total of its own", async () => {
    await total(40);
    await stored({ family: "discover-page" }, [{ keys: ["/"], values: [3, 9, 0.3] }]);
    await stored({ family: "image-page-query" }, [{ keys: ["/", "q"], values: [3, 9, 0.3, 2] }]);
    expect([shown("discover-page").coverage, shown("image-page-query").coverage]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("rebuilding", () => {
  const differences = () => differing(ground.store.db, "insights");

  test("what is of the report that stands is no difference, also after one that says the same", async () => {
    await stored({ family: "page" }, pages(2));
    await attempt(
      { family: "page", at: AT + 1 },
      { outcome: "unchanged", object: objectNumbered(1, { rows: 2 }), complete: true },
    );
    await attempt({ family: "page", at: AT + 2 }, { outcome: "failed", category: "network", object: null });
    expect(differences()).toStrictEqual([]);
  });

  test("what is of an earlier report, of none, or damaged is named and goes", async () => {
    await stored({ family: "page" }, pages(2));
    await attempt({ family: "page", at: AT + 1 }, { object: objectNumbered(77), complete: true });
    await stored({ family: "query" }, pages(2));
    await stored({ family: "device" }, pages(2));
    ground.store.raw.run("UPDATE insight SET body = zeroblob(length(body)) WHERE family = 'query'");
    ground.store.raw.run("UPDATE archive_day SET good = NULL WHERE date = ? AND target = 3", [dayNumber(D)]);
    const of = `of ${dayOfNumber(dayNumber(D))}`;
    expect(differences()).toEqual([
      `what is kept of harbor, search-console: page ${of} (row 1) is there, but the reports that stand lead to none`,
      `what is kept of harbor, search-console: query ${of} (row 2) is there, but the reports that stand lead to none`,
      `what is kept of harbor, search-console: device ${of} (row 3) is there, but the reports that stand lead to none`,
    ]);
    await ground.writer.write((tx) => mend(tx, "insights"));
    expect(differences()).toStrictEqual([]);
  });
});
