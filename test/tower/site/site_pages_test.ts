/**
 * A site's pages over histories of all kinds, recorded: its charts and its table of metrics, a metric's days, reports received and refused,
 * and what the archive keeps. After a change that is meant, `bun test test/tower/site/site_pages_test.ts --update-snapshots` writes it anew;
 * the difference is to be read like code.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { addDays, dayNumber, formatInstant, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { insertOpenFlag } from "../../../src/flags/store.ts";
import { flushRefusals, loadRefusals, REPORT_ROUTES } from "../../../src/health/refusals.ts";
import { listAllSeries, putDays } from "../../../src/reports/series.ts";
import { sendOwnPulse } from "../../../src/rules/freshness.ts";
import { appendAnnotation } from "../../../src/sites/annotations.ts";
import { PROVIDER_ISSUE } from "../../../src/sites/rule_catalogue.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { changesOf } from "../../../src/tower/site/metric_page.tsx";
import { type Acts, actsAt } from "../../support/acts.ts";
import { instant } from "../../support/clock.ts";
import { type TestGround, testGround } from "../../support/deps.ts";
import { capturingLog } from "../../support/log.ts";
import { codebaseReport, fullCodebaseReport } from "../../support/make/codebase_report.ts";
import { newFlag } from "../../support/make/flag.ts";
import { plantArchive } from "../../support/make/insights.ts";
import { accept, acceptCodebase, declare, judgeAll, sendNights, wavering } from "../../support/nightly.ts";
import { pullSignals, told } from "../../support/signals.ts";
import { setLifecycle } from "../../support/sites.ts";
import { texts, words } from "../../support/words.ts";
import { type World, world } from "../../support/world.ts";

const LAST = "2026-03-01" as UtcDay;
const day = (back: number): UtcDay => addDays(LAST, -back);
/** A name that would be part of a path. */
const ODD = "a/../b?c";
const MANY = Array.from({ length: 12 }, (_, place) => [
  `many.${String(place).padStart(2, "0")}`,
  { last24h: 1 },
]);

let ground: TestGround;
let site: World;
let acts: Acts;

/** Nights of a site up to one, of which it sends one metric. */
const nights = (asset: string, last: UtcDay, days: number, value: (back: number) => number) =>
  sendNights(ground, asset, { last, days }, (back) => ({ metrics: { visits: { last24h: value(back) } } }));

async function plantHarbor(): Promise<void> {
  await declare(ground.writer, "harbor", ["signups", "uploads"]);
  await sendNights(ground, "harbor", { last: LAST, days: 60 }, (back) =>
    back === 9
      ? null
      : {
          metrics: {
            ...Object.fromEntries(MANY),
            signups: { last24h: back === 0 ? 1 : wavering(20, back), total: 5_000, avg7d: 19.5 },
            clicks: { last24h: back === 0 ? 1 : wavering(20, back) },
            [ODD]: { last24h: 3 },
            "=cmd": { last24h: 2 },
            ...(back > 20 && { retired: { last24h: 4 } }),
          },
        },
  );
  await judgeAll(ground);
  const metrics = { signups: { last24h: 2, total: 5_001, avg7d: 19 }, clicks: { last24h: 1 } };
  await accept(ground, { asset: "harbor", generatedAt: `${LAST}T05:00:00Z`, metrics });
  const span = { last: day(1), days: 40 };
  await pullSignals(ground, { asset: "harbor", source: "search-console" }, span, {
    clicks: (back) => told(back === 4 ? 0 : 7, back < 2 ? "provisional" : back === 9 ? "excluded" : "final"),
    position: () => told(9.5),
  });
  await pullSignals(
    ground,
    { asset: "harbor", source: "analytics" },
    { last: day(2), days: 1 },
    {
      sessions: () => told(41, "provisional"),
      page_views: () => told(97, "excluded"),
    },
  );
  await acceptCodebase(
    ground,
    codebaseReport({ generatedAt: `${day(9)}T05:00:00Z`, measures: { code_lines: 900 } }),
  );
  const deploy = {
    asset: "harbor",
    at: formatInstant(startOfDay(day(2)) + 58_800_000),
    kind: "deploy",
    ref: "v4.1.0",
  };
  const by = { name: "ci", now: ground.clock.now(), newId: ground.ids.uuid };
  await ground.writer.write((tx) => void appendAnnotation(tx, deploy as never, by));
}

/** Two reports of code, with names that every object has; two of a site with visitors, of which another version of a tool made the later. */
async function plantCode(): Promise<void> {
  for (const back of [28, 0]) {
    const { repository, tools, ...rest } = fullCodebaseReport({ asset: "lagging" });
    await acceptCodebase(ground, {
      ...rest,
      generatedAt: `${day(back)}T05:00:00Z`,
      repository: { ...repository, remote: "https://ci:hunter2@github.com/acme/lagging.git" },
      tools: { ...tools, duplication: `4.${back}` },
    });
  }
  for (const back of [31, 0]) {
    const tools = { toString: `${back}`, valueOf: `${back}` } as never;
    const dismissed = [{ kind: "constructor", path: "a.ts", reason: "x", count: 1 }];
    const sent = codebaseReport({
      asset: "twice",
      generatedAt: `${day(back)}T05:00:00Z`,
      measures: { files: 0 },
    });
    // As many as a report may list: the page says that there may be more.
    const repeated = { lines: 9, files: [{ path: "a.ts", startLine: 1 }] };
    const findings = { duplicates: Array.from({ length: 20 }, () => repeated) };
    await acceptCodebase(ground, { ...sent, tools, dismissed, findings });
  }
}

/** Reports that were refused: each night of the one kind, once of the other. */
async function plantRefused(): Promise<void> {
  const book = loadRefusals(ground.store.db);
  const at = (back: number) => instant(`${day(back)}T02:30:00Z`);
  for (const [route, backs, pointer] of [
    [REPORT_ROUTES.nightly, [2, 1, 0], "/metrics/signups/last24h"],
    [REPORT_ROUTES.codebase, [2], "/measures/files"],
  ] as const) {
    const faults = [{ pointer, rule: "count", message: "must be a whole number" }];
    const kind = { asset: "refused", route, status: 422, code: "broken-contract", faults, more: 2 };
    for (const back of backs) book.note({ ...kind, at: at(back) });
  }
  await flushRefusals(ground.writer, book, "default", capturingLog().log);
}

/** What the archive keeps of sites whose account lags, whose property was another, and that an account's list matched. */
async function plantArchives(): Promise<void> {
  const search = {
    provider: "search-console",
    property: "sc-domain:lagging.example",
    asset: "lagging",
  } as const;
  const failed = {
    outcome: "failed",
    category: "rate_limit",
    failureCode: "rate_limited",
    nextRetryAt: null,
  } as const;
  const lag = { outcome: "source_lag", category: null, failureCode: null, nextRetryAt: null } as const;
  const issue = { asset: "matched", rule: PROVIDER_ISSUE, metric: null, subject: "http_5xx" } as const;
  await ground.writer.write((tx): void => {
    plantArchive(tx, { ...search, newest: day(4) });
    plantArchive(tx, { ...search, newest: day(3), dates: 1, families: ["query"], last: failed });
    plantArchive(tx, { ...search, newest: day(6), dates: 1, families: ["page"], last: failed });
    plantArchive(tx, { ...search, newest: day(1), dates: 1, last: lag });
    plantArchive(tx, {
      asset: "matched",
      provider: "webmaster-tools",
      property: "https://matched.example/",
      newest: LAST,
    });
    const inputs = { first_seen: "2026-02-02T12:16:00Z" };
    insertOpenFlag(tx, "issue", newFlag({ ...issue, rule_inputs: inputs }), ground.clock.now(), "rule");
    insertOpenFlag(tx, "elsewhere", newFlag({ ...issue, asset: "orchard" }), ground.clock.now(), "rule");
  });
  const gap = (back: number) => (back === 28 ? undefined : told(10));
  await pullSignals(
    ground,
    { asset: "lagging", source: "analytics" },
    { last: day(1), days: 57 },
    {
      active_users: (back) => told(back < 28 ? 11 : 10),
      sessions: gap,
    },
  );
}

beforeAll(async () => {
  ground = await testGround();
  const names = "tower ghost fell twice evening unchecked refused lagging matched".split(" ");
  await ground.writer.write((tx) => ensureAssets(tx, names, { actor: "test", now: 0 }));
  await plantHarbor();
  await nights("fell", LAST, 45, (back) => (back < 5 ? 0 : 20));
  for (const seen of [3, 1]) {
    await nights("twice", LAST, seen === 3 ? 45 : 1, (back) => (back === 0 ? seen : 20));
    await judgeAll(ground);
  }
  await nights("evening", day(20), 28, (back) => 100 + back);
  await judgeAll(ground);
  for (let back = 19; back >= 1; back--) {
    const metrics = { visits: { last24h: 100 + back } };
    await accept(ground, { asset: "evening", generatedAt: `${day(back)}T21:30:00Z`, metrics });
  }
  const unchecked = { asset: "unchecked", source: "search-console" } as const;
  await pullSignals(ground, unchecked, { last: day(3), days: 60 }, { clicks: () => told(100) });
  await nights("unchecked", day(1), 60, () => 100);
  await accept(ground, { asset: "refused", generatedAt: "2026-02-26T02:30:00Z", metrics: {} });
  await accept(ground, { asset: "ghost", generatedAt: "2026-01-01T03:30:00Z", metrics: {} });
  await setLifecycle(ground.writer, "ghost", "retired");
  await sendOwnPulse(ground);
  await plantCode();
  await plantRefused();
  await plantArchives();
  await judgeAll(ground);
  await nights("unchecked", LAST, 1, () => 1_180);
  await pullSignals(ground, unchecked, { last: day(1), days: 1 }, { clicks: () => told(1_180) });
  site = await world({ ground });
  acts = actsAt(site);
});
afterAll(async () => {
  await site.stop();
  ground.store.close();
});

const METRIC = "/sites/harbor/metric?metric=";
test.each([
  [
    "the overview, its orders and its searches",
    texts(
      "|?sort=latest|?sort=metric&page=2|?sort=-latest&page=2|?sort=-metric|?sort=normally|?sort=change|?sort=week",
      "?sort=-week|?sort=week-change|?q=MANY.0|?q=tire",
    ).map((query) => `/sites/harbor${query}`),
  ],
  [
    "a metric, of each source, of any name, and of none",
    [
      `${METRIC}signups`,
      `${METRIC}clicks`,
      `${METRIC}clicks&source=search-console`,
      `${METRIC}many.0`,
      `${METRIC}__proto__`,
      METRIC,
      METRIC + encodeURIComponent(ODD),
    ],
  ],
  [
    "days of all kinds",
    ["fell", "twice", "evening", "unchecked"].flatMap((asset) => [
      `/sites/${asset}`,
      `/sites/${asset}/metric?metric=visits`,
    ]),
  ],
  [
    "reports that were received, and that were refused",
    words(`
      / /sites/ghost /sites/refused /sites/refused/reports /sites/refused/reports?kind=nightly
      /sites/harbor/reports?kind=codebase /sites/ghost/reports?kind=codebase /sites/harbor/reports/2026-03-01/2 /sites/tower?q=freshness.
      /sites/twice/codebase /sites/lagging/codebase
    `),
  ],
  [
    "what the archive keeps",
    [
      "/sites/lagging/insights",
      "/sites/lagging/insights?report=search-console.page",
      "/sites/matched/insights",
      "/sites/matched/insights?report=webmaster-tools.crawl-issues",
    ],
  ],
] as const)("%s", async (_, paths) => {
  const said = actsAt(site);
  for (const [place, path] of paths.entries())
    await said.look(path, place > 0 && path.startsWith("/sites/harbor?") ? "/sites/harbor" : undefined);
  expect(said.recorded()).toMatchSnapshot();
});

test("what a clock that was ahead left behind is not the latest", async () => {
  await acts.watch("/sites/harbor");
  const series =
    listAllSeries(ground.store.db, "harbor").find(({ metric }) => metric === "position")?.id ?? 0;
  for (const ahead of [10, 400])
    await ground.writer.write((tx) =>
      putDays(tx, series, [{ day: dayNumber(addDays(LAST, ahead)), to: told(7) }]),
    );
  await acts.watch("/sites/harbor");
  expect(acts.recorded().split("GET /sites/harbor 200").at(-1)?.trim()).toBe("");
});

test("addresses that lead on, that were links once, and that are none", async () => {
  const answered = async (path: string) => {
    const answer = await site.ask(path);
    return [path, answer.status, answer.headers.get("location")].filter((one) => one !== null).join(" ");
  };
  const paths = [
    ...["?range=7&metric=signups", "/days/2026-02-27", "/days/2026-02-30", "/days/today", "/days/2026-3-1"],
    ...["?until=2026-02-20&sort=-week-change&page=9", "/insights?report=none&sort=-clicks&q=cart&page=3"],
    ...["/reports?from=2026-02-28&to=2026-03-01", "/timeline?before=2026-02-20", "/reports/2026-03-01/3"],
    ...["0", "x", "01"].map((revision) => `/reports/2026-03-01/${revision}`),
    ...["/reports/2026-02-30/1", "/reports/codebase/2026-03-01/1"],
  ].map((rest) => `/sites/harbor${rest}`);
  const once =
    "/?sort=visitors-change&page=2 /?sort=codebase&state=silent&lifecycle=live&alert=warn /timeline?before=12&range=all&until=2026-02-20 /flags?sort=newest&before=7 /sites/nowhere /sites/nowhere/reports";
  expect(await Promise.all([...paths, ...once.split(" ")].map(answered))).toMatchSnapshot();
  const { headers } = await site.ask("/sites/harbor");
  const again = { headers: { "if-none-match": headers.get("etag") ?? "" } };
  const statuses = ["/sites/harbor", "/sites/harbor?range=7"].map(
    async (path) => (await site.ask(path, again)).status,
  );
  expect(await Promise.all(statuses)).toEqual([304, 200]);
});

test("the numbers as a file are those of the charts of the same address; a name that is a formula is text", async () => {
  const { headers } = await site.ask("/sites/harbor/days.csv?range=7");
  expect(["content-type", "content-disposition"].map((name) => headers.get(name))).toEqual([
    "text/csv; charset=utf-8; header=present",
    'attachment; filename="harbor-2026-02-23-2026-03-01.csv"',
  ]);
  for (const query of [
    "range=7&q=cmd",
    "range=7&source=analytics&metric=sessions",
    "range=7&source=search-console&metric=clicks",
  ])
    expect(await (await site.ask(`/sites/harbor/days.csv?${query}`)).text()).toMatchSnapshot();
});

test("a value that came back is told as often as it held", () => {
  const seen = (values: readonly (number | null)[]) => values.map((value, seenAt) => ({ value, seenAt }));
  expect(changesOf(seen([null, 5, 5, null, 5])).map(({ value }) => value)).toEqual([5, null, 5]);
});
