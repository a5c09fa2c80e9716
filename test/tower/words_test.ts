/** What every page says, whatever it is about: words for people, counts that agree with their nouns, one title and one heading; and that it goes on saying it. */

import { afterAll, expect, test } from "bun:test";
import { recordLooked } from "../../src/archive/verify_events.ts";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { addDays, formatInstant, utcDayOf } from "../../src/base/time.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { flushRefusals } from "../../src/health/refusals.ts";
import { ANNOTATION_KINDS, postAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { beginRun, endRun } from "../../src/store/job_runs.ts";
import { disagreeing } from "../support/counted.ts";
import { ORCHARD_TOKEN, testGround } from "../support/deps.ts";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { plantAccounts, plantSite } from "../support/health_portfolio.ts";
import {
  attribute,
  elements,
  filledIn,
  isTyped,
  parsed,
  readAloud,
  tagged,
  textNodes,
  textOf,
} from "../support/html.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { newFlag } from "../support/make/flag.ts";
import { plantArchive } from "../support/make/insights.ts";
import { acceptCodebase } from "../support/nightly.ts";
import { PAGES } from "../support/route_table.ts";
import { sendNightly } from "../support/send_nightly.ts";
import { pullSignals, told as signal } from "../support/signals.ts";
import { testTower } from "../support/test_tower.ts";
import { words } from "../support/words.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = foreignService("a-plain-word").then(async (made) => {
  const { deps } = made.service;
  const { writer, clock } = deps;
  await growOrchard(deps, clock.now());
  const negativeByPage = Array.from({ length: 250 }, (_, place) => ({ page: `/p${place}`, count: place }));
  const generatedAt = formatInstant(clock.now() - 40 * DAY_MS);
  const metrics = { bookings: { last24h: 51, "last 24h": 2 } };
  const revision = { asset: "orchard", generatedAt, metrics, negativeByPage, color: "red" };
  await made.service.report("/api/pulse", revision, ORCHARD_TOKEN);
  await deps.follower.settle();
  await flushRefusals(writer, deps.refusals, "default");
  await writer.write((tx): void => {
    // More of everything than is named one by one.
    const newcomers = Array.from({ length: 8 }, (_, place) => `new-${place}`);
    ensureAssets(tx, newcomers, { actor: "test", now: clock.now() });
    const rule_inputs = { things: Array.from({ length: 60 }, (_, place) => `thing ${place}`) };
    plantAccounts(tx, clock.now());
    // The eighth of fifty fails.
    for (const [place, asset] of ["pier", "quay"].entries()) plantSite(tx, asset, clock.now(), place + 6);
    const startedAt = clock.now() - 5_000;
    const row = beginRun(tx, { run: CUT_RUN, job: "sense", startedAt, askedBy: "schedule" }, "test") ?? 0;
    const end = { finishedAt: clock.now(), outcome: "failed", reports: {}, fault: "cut_off" } as const;
    endRun(tx, "sense", row, end);
    for (const [place, severity] of (["info", "error", "warn"] as const).entries()) {
      const changes = {
        asset: "orchard",
        severity,
        subject: severity,
        message: `It is ${severity}.`,
        rule_inputs,
      };
      insertOpenFlag(tx, severity, newFlag(changes), clock.now() - place * 86_400_000, "rule");
    }
  });
  return made;
});
afterAll(async () => (await service).service.close());

/** Gives the second site a history: weeks of figures with a gap, a fall and a rise, months of code, and entries of every kind. */
async function growOrchard(deps: ForeignService["service"]["deps"], now: number): Promise<void> {
  const week = (back: number) => 40 + 5 * (back % 7);
  await sendNightly(deps, "orchard", utcDayOf(now), 75, {
    bookings: (back) => (back < 3 ? 4 : week(back)),
    errors: (back) => (back === 0 ? 90 : back % 4),
    signups: (back) => (back === 2 || back === 9 ? undefined : 1_000 + week(back)),
  });
  await deps.follower.settle();
  for (const back of [200, 160, 95, 40, 20, 1, 0.95]) {
    const generatedAt = formatInstant(now - back * DAY_MS);
    const of = fullCodebaseReport({ asset: "orchard", generatedAt });
    const measures = { ...of.measures, code_lines: 30_000 - 20 * back, duplication_percent: 3 + back / 50 };
    await acceptCodebase(deps, { ...of, measures, tools: { ...of.tools, image: `v${back < 50}` } });
  }
  const newest = utcDayOf(now - 2 * DAY_MS);
  await pullSignals(
    deps,
    { asset: "orchard", source: "search-console" },
    { last: newest, days: 35 },
    { clicks: (back) => signal(week(back)), position: (back) => signal(4 + back / 10) },
  );
  await deps.writer.write((tx): void => {
    const site = { asset: "orchard", newest };
    const search = { ...site, provider: "search-console", property: "sc-domain:orchard.example" } as const;
    const rows: Readonly<Record<string, number>> = { query: 1_000, country: 0 };
    plantArchive(tx, { ...search, of: ({ name }) => (name in rows ? { rows: rows[name] as number } : {}) });
    const visits = { ...site, provider: "analytics", property: "properties/1" } as const;
    plantArchive(tx, visits);
    const limit = { outcome: "failed", category: "exhausted_budget", failureCode: "daily_quota" } as const;
    const last = { ...limit, nextRetryAt: now + DAY_MS };
    const tomorrow = addDays(newest, 1);
    plantArchive(tx, { ...visits, newest: tomorrow, dates: 2, families: ["events", "js-errors"], last });
    // The host of the pages in the reports, which are shown as paths then.
    plantArchive(tx, { ...site, provider: "webmaster-tools", property: "https://trailledger.example/" });
    const issue = {
      asset: "orchard",
      rule: "provider-issue",
      subject: "http_5xx",
      origin: "provider",
    } as const;
    insertOpenFlag(tx, "issue", newFlag(issue), now - 3 * DAY_MS, "provider");
  });
  const [object] = deps.store.raw
    .query<{ sha256: string }, []>("SELECT lower(hex(sha256)) AS sha256 FROM archive_object")
    .all();
  const damaged = [{ sha256: object?.sha256 ?? "", fault: "digest" } as const];
  await deps.writer.write((tx) => recordLooked(tx, { damaged, whole: [] }, now - HOUR_MS));
  const early = { asset: "new-2", generatedAt: formatInstant(now - DAY_MS) };
  await acceptCodebase(deps, { ...fullCodebaseReport(early), unmeasured: {}, findings: { unused: [] } });
  for (const [back, kind] of ANNOTATION_KINDS.entries()) {
    const at = formatInstant(now - 3 * back * DAY_MS);
    await postAnnotation(
      deps,
      { asset: "orchard", at, kind, ref: `ref-${back}`, note: `Note ${back}` },
      "ada",
    );
  }
}

const CUT_RUN = "00000000-0000-7000-8000-0000000000ff";
/** Pages asked otherwise: sorted, filtered, searched, or of a thing that is not as the usual one. */
const ASKED = words(`
  /integrations/runs/${CUT_RUN} /integrations/runs/${CUT_RUN}?category=network
  /sites/orchard /sites/orchard?until=2026-02-10&range=7&sort=-change /sites/orchard?q=S
  /sites/orchard?q=nothing /sites/orchard?page=2 /sites/orchard?from=2026-02-20&to=2026-02-10
  /sites/orchard?from=2026-02-28&to=2026-02-28 /sites/orchard/reports?kind=codebase /sites/pier/reports
  /sites/pier/insights /sites/quay/codebase /sites/new-2/codebase /sites/orchard/metric?metric=signups
  /sites/orchard/metric?metric=bookings /sites/orchard/flags
  /sites/orchard/insights?report=search-console.date
  /sites/orchard/insights?report=search-console.query&sort=-position
  /sites/orchard/insights?report=search-console.page&q=/b
  /sites/orchard/insights?report=search-console.query&page=2
  /sites/orchard/insights?report=search-console.none&q=zzz
  /sites/orchard/insights?report=analytics.traffic-acquisition
  /sites/orchard/insights?report=analytics.traffic-sources
  /sites/orchard/insights?report=analytics.landing-page-acquisition
  /sites/orchard/insights?report=analytics.js-errors
  /sites/orchard/insights?report=webmaster-tools.crawl-issues
  /sites/orchard/insights?report=webmaster-tools.queries /sites/orchard/reports/2026-01-20/1
  /sites/orchard/reports/2026-01-20/2 /sites/orchard/reports/2026-01-20/9 /archive?asset=orchard
  /archive?family=events&outcome=failed /archive?asset=nobody /archive?to=2025-06-20
  /sites/orchard/codebase?range=30 /sites/orchard/codebase?range=90&until=2026-01-25 /sites/orchard/reports
  /sites/quay/integrations /integrations/all?state=failing /sites/orchard/timeline?range=30
  /integrations/attempts?outcome=failed /integrations/all?sites=all&q=harbor /?sort=first /?q=orch
  /?q=nothing&group=gone /settings/calibration?q=harb&page=2 /sites/:asset/codebase?range=365
  /flags?sort=newest /flags?status=resolved&asset=harbor /flags?severity=error /flags/info
  /timeline?kind=deploy&range=30&asset=orchard /timeline?since=2026-02-01T00:00:00Z /timeline?since=2026-03-01T23:00:00Z
  /sites/:asset/metric?range=7&metric=signups /sites/:asset?sort=-change
  /sites/:asset/insights?report=search-console.date
  /sites/:asset/insights?report=search-console.query&sort=-clicks&q=plain
  /ledger/rows?currency=EUR&kind=inference /settings/audit?act=site-token.issue
  /settings/credentials/attachments?show=unusable /settings/notices/new?kind=heartbeat
`).map((address) => {
  const [path = "", search] = address.split("?");
  return [path, search === undefined ? undefined : Object.fromEntries(new URLSearchParams(search))] as const;
});

/** What is shown as it was typed or is to be typed. */
const VERBATIM = new Set("code pre textarea bdi option style script".split(" "));
const MACHINE = /\[object|\bundefined\b|\bNaN\b|\bnull\b|Infinity|\d{4}-\d\d-\d\dT\d\d/;
/** Words that name nothing in the field, or speak of Tower's inside. Fields, states and codebase messages are a contract, and hold none. */
const RULED_OUT =
  /\b(?:told|anew|stood|comes? off|came off|nobody to ask|asked for by|keep house|strikes?|struck|not an? one|looked into|takes? (?:\w+ )?back|stands? (?:here|under|beside)|judged anew|put in)\b/i;
/** The codebase tab gives no score and no grade, and claims no cause. */
const JUDGING = /score|grade|because|caused|quality|▲|▼|↑|↓/i;
/**
 * Every fact, mark, link and field of a page, beside what it said before: a line that goes or changes unasked is a fault. After a change
 * that is meant, `bun test test/tower/words_test.ts --update-snapshots` writes them anew; the difference is to be read like code.
 */
function expectAsRecorded(path: string, page: ReturnType<typeof parsed>, first: string[] = []): void {
  if (path.startsWith("/help")) return;
  // The frame is the same on all.
  const [main = page] = tagged(page, path === "/" ? "body" : "main");
  // Commands are shown as this machine would call them.
  const said = [...first, ...readAloud(main)].join("\n").replaceAll(TOWER_COMMAND, "bun run tower");
  expect(`\n${said}\n`).toMatchSnapshot(path);
}

const signedIn = PAGES.filter((path) => path !== "/sign-in" && path !== "/setup");
test.each(signedIn)("GET %s says it in words", async (path) => {
  const { ask } = await service;
  const response = await ask("GET", path);
  const page = parsed(await response.text());
  const said = textNodes(page)
    .filter(({ above }) => !above.some(({ tagName }) => VERBATIM.has(tagName)))
    .map(({ text }) => text);
  const titles = elements(page).flatMap(({ attrs }) =>
    attrs.filter(({ name }) => name === "title" || name === "aria-label").map(({ value }) => value),
  );
  expect([...said, ...titles].filter((words) => MACHINE.test(words))).toStrictEqual([]);
  expect([...said, ...titles].filter((words) => RULED_OUT.test(words))).toStrictEqual([]);
  if (path.endsWith("/codebase")) expect(said.filter((words) => JUDGING.test(words))).toStrictEqual([]);
  const blocks = elements(page, ({ tagName }) => /^(?:p|li|dd|td|th|small|summary|h\d)$/.test(tagName)).map(
    textOf,
  );
  expect([...blocks, ...titles].flatMap(disagreeing)).toStrictEqual([]);
  const [head = page] = tagged(page, "head");
  expect(tagged(head, "title").map(textOf)).toEqual([expect.stringMatching(/^\S.* – Tower$/)]);
  expect(tagged(page, "h1").map(textOf)).toEqual([expect.stringMatching(/\S/)]);
  expectAsRecorded(path, page);
});

const asked = ASKED.map(
  ([path, fields = {}]) => [`${path}?${new URLSearchParams(fields)}`, path, fields] as const,
);
test.each(asked)("GET %s says it in words", async (_, path, fields) => {
  const { ask } = await service;
  const response = await ask("GET", path, fields);
  const page = parsed(await response.text());
  expectAsRecorded(path, page, response.status === 200 ? [] : [String(response.status)]);
});

test("every form that is typed into says what is wrong with nothing, and with nonsense", async () => {
  const { ask } = await service;
  const answers: Record<string, string[]> = {};
  for (const path of signedIn) {
    const page = parsed(await (await ask("GET", path)).text());
    for (const form of tagged(page, "form")) {
      if (attribute(form, "method") !== "post" || !elements(form).some(isTyped)) continue;
      const action = attribute(form, "action") ?? "";
      const kind = action.replace(/[0-9a-f-]{36}/, ":id");
      for (const text of ["", "non sense"]) {
        const fields = filledIn(form, text);
        const title = `${kind} ${Object.keys(fields)}: "${text}"`;
        if (answers[title] !== undefined) continue;
        const answer = await ask("POST", action.replace(/#.*/, ""), fields);
        const refusals = elements(
          parsed(await answer.text()),
          (one) => attribute(one, "role") === "alert" || attribute(one, "class") === "bad",
        );
        answers[title] = [
          `${answer.status} ${answer.headers.get("location") ?? ""}`.trim(),
          ...refusals.map(textOf),
        ];
      }
    }
  }
  expect(answers).toMatchSnapshot();
});

test("an empty installation says it in the same words", async () => {
  const empty = await testTower({ ground: await testGround() });
  for (const path of PAGES.filter((one) => !one.includes(":"))) {
    const page = parsed(await (await empty.ask(path)).text());
    const said = textNodes(page)
      .filter(({ above }) => !above.some(({ tagName }) => VERBATIM.has(tagName)))
      .map(({ text }) => text);
    expect([path, said.filter((words) => RULED_OUT.test(words))]).toEqual([path, []]);
    expectAsRecorded(path, page);
  }
  await empty.close();
});
