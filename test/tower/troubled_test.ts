/** What pages say where nothing is as usual: sites that are paused, silent, retired or not launched; what fails, waits or met a limit; more of everything than is named. */

import { afterAll, expect, test } from "bun:test";
import { judgeFreshness } from "../../src/app/schedule.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { addDays, dayNumber, formatInstant, utcDayOf } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { MONITORING_KINDS, noteFailure } from "../../src/health/monitoring.ts";
import { pause } from "../../src/health/pauses.ts";
import { refusedStreak } from "../../src/health/refusals.ts";
import { actionFile, FORGES, gitlabFile, workflowFile } from "../../src/measure/action/workflow.ts";
import { FAULT_CODES } from "../../src/providers/faults.ts";
import { putAttachment } from "../../src/providers/properties.ts";
import { insertResult, insertRun, panel } from "../../src/signals/panels.ts";
import { postAnnotation } from "../../src/sites/annotations.ts";
import { calendar, calendarScope } from "../../src/sites/calendars.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { replaceFamilies, setGroup, updateAsset } from "../../src/sites/sites.ts";
import { objectNumbered, reportOf } from "../support/archive.ts";
import {
  PORTFOLIO_ACCOUNTS,
  plantAccounts,
  plantAttempt,
  plantOutcome,
  plantSite,
  propertyOf,
} from "../support/health_portfolio.ts";
import { parsed, readAloud, tagged, textOf } from "../support/html.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { newFlag } from "../support/make/flag.ts";
import { accept, acceptCodebase } from "../support/nightly.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { sendNightly } from "../support/send_nightly.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALIKE = Array.from({ length: 62 }, (_, place) => `alike-${String(place).padStart(2, "0")}`);

const tower = await testTower({ settings: PROXY });
afterAll(() => tower.close());
const reports = await makeTrouble(tower);

async function makeTrouble({ deps }: TestTower): Promise<number[]> {
  const { writer, clock } = deps;
  const now = clock.now();
  const by = { actor: "operator:ada", now };
  const named = "tower paused resting retired coming silent hushed back declared late empty chance".split(
    " ",
  );
  await writer.write((tx): void => {
    ensureAssets(tx, named, { actor: "test", now: now - 60 * DAY });
    plantAccounts(tx, now - 50 * DAY);
    for (const [place, asset] of ALIKE.entries()) {
      plantSite(tx, asset, now, 7 + 50 * place);
      for (const name of ["Before", `Group ${place % 14}`]) setGroup(tx, asset, name);
    }
    updateAsset(tx, "coming", { lifecycle: "pre-launch" }, now);
    updateAsset(tx, "back", { url: "https://back.example" }, now);
    const orders = { family: "orders", storage: "d1" } as const;
    replaceFamilies(tx, "declared", [orders, { family: "visits", storage: "kv" }]);
    replaceFamilies(tx, "empty", [orders]);
  });
  const nights = { silent: 9, hushed: 1, back: 0, paused: 1, resting: 1, retired: 3, declared: 0 };
  for (const [asset, last] of Object.entries(nights)) {
    await sendNightly(deps, asset, utcDayOf(now - last * DAY), asset === "back" ? 70 : 40, {
      visits: (back) => (asset === "declared" && back < 4 ? 9 : 90 + 5 * (back % 7)),
    });
  }
  // One of many that fell by no more than chance gives.
  await sendNightly(deps, "chance", utcDayOf(now), 40, {
    ...Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`m${place}`, () => 50])),
    m7: (back) => (back === 0 ? 33 : 50),
    ...{ m8: (back) => (back === 0 ? 0 : 6), m9: (back) => (back === 0 ? 400 : 50) },
  });
  for (const night of [1, 0]) {
    const generatedAt = formatInstant(Date.parse(utcDayOf(now - night * DAY)) - 10 * 60_000);
    await accept(deps, { asset: "late", generatedAt, metrics: { "9 lives": { last24h: night } } });
  }
  const { measures, ...few } = fullCodebaseReport({ asset: "late", generatedAt: formatInstant(now - HOUR) });
  await acceptCodebase(deps, { ...few, measures: { code_lines: measures.code_lines ?? 0 }, findings: {} });
  // Of days in turn one figure or the other is known.
  for (const [place, back] of [...Array.from({ length: 23 }, (_, at) => 33 - at), 2].entries()) {
    const of = fullCodebaseReport({ asset: "back", generatedAt: formatInstant(now - back * DAY) });
    const { code_lines = 0, ...others } = of.measures;
    await acceptCodebase(deps, {
      ...of,
      measures: place === 1 ? others : { code_lines: code_lines + place },
    });
  }
  await deps.follower.settle();
  await judgeFreshness(deps);
  const run = await recordRun(deps, [attemptOf(now)], "sense", "operator:ada");
  const lost = { attempt: "calendar:2", at: now - HOUR, category: "access" } as const;
  const dated = { removed_at: null, location: 2840, language: "en", device: "desktop", depth: 20 } as const;
  const ids = await writer.write((tx): number[] => {
    pause(tx, { capability: "", asset: "paused", until: now + 3 * DAY }, by);
    pause(tx, { capability: "", asset: "resting", until: null }, by);
    pause(tx, { capability: "search-console.archive", asset: "", until: now + DAY }, by);
    for (const asset of ["paused", "retired", "declared", "back"]) {
      for (const provider of ["analytics", "search-console"] as const) {
        const credential = PORTFOLIO_ACCOUNTS[provider];
        const property = propertyOf(provider, asset);
        putAttachment(tx, { asset, provider, credential, property, attachedAt: now - 9 * DAY });
      }
      plantAttempt(tx, { asset, provider: "analytics", at: now - 5 * HOUR });
      plantAttempt(tx, { asset, provider: "analytics", at: now - 4 * HOUR, failed: "network" });
    }
    updateAsset(tx, "retired", { lifecycle: "retired" }, now);
    const refused = { count: 3, lastAt: now, status: 403, code: "asset-mismatch", faults: [] };
    tx.insert(refusedStreak)
      .values({ asset: "silent", route: "/api/pulse", ...refused })
      .run();
    plantAttempt(tx, { asset: "declared", provider: "analytics", at: now - 3 * HOUR, failed: "access" });
    const limits = { rate_limit: "back", exhausted_budget: "declared" } as const;
    for (const [failed, asset] of Object.entries(limits)) {
      const limit = { failed: failed as keyof typeof limits, nextRetryAt: now + HOUR };
      plantAttempt(tx, { asset, provider: "search-console", at: now - 2 * HOUR, ...limit });
    }
    const coming = Array.from({ length: 62 }, (_, place) => {
      return {
        uid: `${place}`,
        at: now + place * 6 * HOUR + HOUR,
        isAllDay: place === 1,
        title: `Event ${place}`,
      };
    });
    const failing = { id: "failing", name: "failing", asset: "*", added_at: now - DAY, coming, notes: [] };
    const read = { ...failing, connection_revision: "1", key_id: "", sealed: "" };
    tx.insert(calendar).values(read).run();
    plantOutcome(tx, calendarScope("default", read), { attempt: "calendar:1", at: now - 3 * HOUR });
    plantOutcome(tx, calendarScope("default", read), lost);
    for (const id of ["failed", "unknown"]) {
      const every = { every: 1, created_at: now - 9 * DAY };
      tx.insert(panel)
        .values({ id, asset: "back", keyword: id, ...dated, ...every })
        .run();
      const asked = { panel: id, run: 1, connection_revision: "1", asked_at: now - DAY, price: 2_000_000 };
      const made = insertRun(tx, asked);
      const none = { position: null, rank_absolute: null, url: null, task: null, next_retry_at: null };
      const charged = id === "failed" ? 2_000_000 : null;
      insertResult(tx, { id: made.id, outcome: "failed", code: "timed_out", ...none, cost: null, charged });
    }
    for (const kind of MONITORING_KINDS) {
      const of = { kind, asset: kind === "recorder" ? "back" : "", source: "", subject: "refusals" } as const;
      noteFailure(tx, of, { reason: "it broke", now: now - HOUR });
    }
    for (let place = 0; place < 7; place++) {
      const source = place === 0 ? "analytics" : "pulse";
      const of = { kind: "rule", asset: "back", source, subject: `metric ${place}` } as const;
      noteFailure(tx, of, { reason: "It broke!", now: now - HOUR });
    }
    for (let place = 0; place < 30; place++) {
      const message = `Message ${place}.`;
      const of = { asset: "back", subject: `${place}`, severity: "info", message } as const;
      insertOpenFlag(tx, `many-${place}`, newFlag(of), now - 2 * DAY, "rule");
    }
    const sent = { asset: "chance", rule: null, origin: "site", source: "pulse", metric: "m7" } as const;
    insertOpenFlag(tx, "worse", newFlag({ ...sent, subject: "m7", severity: "error" }), now - DAY, "site");
    const silence = { asset: "tower", rule: "stale-ingest", subject: "back", severity: "error" } as const;
    insertOpenFlag(tx, "back", newFlag(silence), now - 2 * DAY, "rule");
    const target = {
      ...reportOf().target,
      asset: "declared",
      property: propertyOf("search-console", "declared"),
    };
    const today = dayNumber(utcDayOf(now));
    const failed = { outcome: "failed", category: "access", failureCode: "forbidden", object: null } as const;
    return [
      ...Array.from({ length: 11 }, (_, back) => ({ date: today - 3 - back })),
      { date: today - 2, outcome: "source_lag", object: null } as const,
      { date: today - 2, complete: false, nextRetryAt: now + HOUR, ...failed },
      {
        date: today - 15,
        object: objectNumbered(2),
        notes: ["sampled", "top_rows"],
      } as const,
    ].map((report, place) => {
      const attemptedAt = now - HOUR + place;
      return recordReport(tx, reportOf({ run: 1, target, attemptedAt, ...report })).id;
    });
  });
  const [hushed] = listFlags(deps.store.db, { rule: "stale-ingest" }, 9).filter(
    (one) => one.subject === "hushed",
  );
  await tower.ask(`/flags/${hushed?.id}/snooze`, { form: { days: "2" } });
  for (const place of [3, 4]) {
    await tower.ask(`/flags/many-${place}/snooze`, { form: { days: `${place}` } });
  }
  const at = formatInstant(now - 2 * DAY);
  const note = `${"A long note of many words. ".repeat(40)}\nIts second line.`;
  await postAnnotation(deps, { asset: "back", at, kind: "config", ref: "long", note }, "ada");
  expect(run).not.toBe("");
  return ids;
}

const OF_A_SITE = ["", "/integrations", "/flags", "/insights", "/reports"];
const SITES = "paused resting retired coming silent hushed back declared late empty chance tower".split(" ");
const DAY_BEFORE = addDays(utcDayOf(tower.deps.clock.now()), -1);
const PATHS = [
  ..."/readyz / /?show=all /?group=Group+1 /wall /wall?group=Group+1 /integrations /integrations/all /health".split(
    " ",
  ),
  ..."/flags /flags?status=snoozed /flags?asset=silent /flags?asset=paused /sites/chance/flags?status=resolved /timeline /archive".split(
    " ",
  ),
  ..."/archive?asset=coming /archive?asset=declared /integrations/runs /integrations/runs?job=sense".split(
    " ",
  ),
  ..."/integrations/runs?job=none /integrations/pauses /settings/calendars /settings/panels".split(" "),
  ..."/settings/panels/failed /settings/panels/unknown /settings/credentials /flags/back".split(" "),
  ...SITES.flatMap((site) => OF_A_SITE.map((part) => `/sites/${site}${part}`)),
  ..."/sites/chance?sort=metric /sites/chance?sort=-week /sites/chance?sort=week-change".split(" "),
  ..."/integrations/all?q=alike-00+and+another /?state=silent /?alert=error /sites/silent/codebase /sites/silent/metric?metric=visits".split(
    " ",
  ),
  ..."/integrations/runs/none /sites/late/codebase /sites/back/codebase /sites/retired/settings /sites/chance/settings /sites/back/timeline".split(
    " ",
  ),
  `/sites/late/reports/${DAY_BEFORE}/1`,
  ...[0, 11, 12, 13].map((place) => `/archive/reports/${reports[place]}`),
];

test("the words of tables that pages and answers take from", () => {
  expect({
    faults: FAULT_CODES,
    capabilities: CAPABILITIES,
    workflows: [
      ...FORGES.flatMap((forge) => [workflowFile(forge, "shop"), actionFile(forge)]),
      gitlabFile("shop"),
    ],
  }).toMatchSnapshot();
});

async function record(path: string, form?: Readonly<Record<string, string>>): Promise<void> {
  const answer = await tower.ask(path, form && { form });
  const page = parsed(await answer.text());
  const [main = page] = tagged(page, "main");
  const title = tagged(page, "title").map(textOf);
  const said = [answer.status, ...title, answer.headers.get("location") ?? "", ...readAloud(main)];
  expect(`\n${said.join("\n").replace(/"instance":"[^"]*"/, "")}\n`).toMatchSnapshot();
}
test.each(PATHS)("%s", (path) => record(path));

test("the page of one flag of each rule and severity of each site", async () => {
  const newest = listFlags(tower.deps.store.db, {}, 500).toReversed();
  const rules = new Map(newest.map(({ rule, asset, severity, id }) => [`${rule} ${asset} ${severity}`, id]));
  for (const id of rules.values()) await record(`/flags/${id}`);
});

test("acts that end what is there, or that meet nothing", async () => {
  for (const calendarName of ["failing", "none"])
    await record(`/settings/calendars/${calendarName}/removal`, {});
  for (const id of ["failed", "failed", "none"]) await record(`/settings/panels/${id}/removal`, {});
  const asked = { asset: "back", keyword: "boats", location: "2840", language: "en", device: "desktop" };
  const daily = { ...asked, depth: "20", every: "1" };
  await record("/settings/panels", daily);
  await record("/settings/panels", { ...daily, asset: "none" });
  const priced = JSON.stringify({ ...daily, location: 2840, depth: 20, every: 1 });
  for (const twice of [priced, priced]) await record("/settings/panels", { ...daily, priced: twice });
  await record("/integrations/jobs/none/runs", {});
  await record("/integrations/runs/none/stop", {});
});

test("where nothing is wrong but something is not watched it is no all-clear", async () => {
  const well = await testTower({ settings: PROXY });
  const { writer, clock } = well.deps;
  const day = utcDayOf(clock.now());
  await writer.write((tx): void => {
    ensureAssets(tx, ["harbor"], { actor: "test", now: clock.now() });
    const of = { kind: "job", asset: "", source: "", subject: "scrub" } as const;
    noteFailure(tx, of, { reason: "It broke.", now: clock.now() });
  });
  await sendNightly(well.deps, "harbor", day, 9, { visits: () => 3 });
  await well.deps.follower.settle();
  for (const path of ["/", "/wall", "/archive"]) {
    const page = parsed(await (await well.ask(path)).text());
    expect(readAloud(tagged(page, "main")[0] ?? page).join("\n")).toMatchSnapshot(path);
  }
  await well.close();
});
