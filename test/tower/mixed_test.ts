/**
 * Sites in all mixtures of states, and what every page says of them: pages are reached as a person reaches them, link by link, so that each
 * filter, order and further page of each list is used. After a change that is meant, `bun test test/tower/mixed_test.ts --update-snapshots`
 * writes it anew; the difference is to be read like code.
 */

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { operator } from "../../src/access/operators.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { dayNumber, formatInstant, type UtcDay, utcDayOf } from "../../src/base/time.ts";
import { FLAG_KINDS, FLAG_ORIGINS, SEVERITIES } from "../../src/flags/flags.ts";
import { insertOpenFlag, resolveFlag } from "../../src/flags/store.ts";
import { CAPABILITIES } from "../../src/health/catalogue.ts";
import { pause } from "../../src/health/pauses.ts";
import { refusedStreak } from "../../src/health/refusals.ts";
import { MOST_EVENTS } from "../../src/integrations/integrations.ts";
import { currencyOf } from "../../src/ledger/amount.ts";
import { recordCost, recordRevenue } from "../../src/ledger/ledger.ts";
import { NOTICE_TYPES, readRules } from "../../src/notices/channel_settings.ts";
import { saveChannel } from "../../src/notices/channels.ts";
import { notice } from "../../src/notices/outbox.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { FAILURE_CATEGORIES } from "../../src/providers/faults.ts";
import { putAttachment, replaceProperties } from "../../src/providers/properties.ts";
import { MEASURE_KEYS, type MeasureKey } from "../../src/reports/measures.ts";
import { PULL_OUTCOMES } from "../../src/signals/attempts.ts";
import { insertResult, insertRun, panel } from "../../src/signals/panels.ts";
import { ANNOTATION_KINDS, postAnnotation } from "../../src/sites/annotations.ts";
import { calendar } from "../../src/sites/calendars.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { issueSiteToken } from "../../src/sites/site_tokens.ts";
import { LIFECYCLES, replaceFamilies, STORAGE_KINDS, setGroup, updateAsset } from "../../src/sites/sites.ts";
import { beginRun } from "../../src/store/job_runs.ts";
import { reportOf } from "../support/archive.ts";
import { brief } from "../support/brief.ts";
import { PORTFOLIO_ACCOUNTS, plantAccounts, plantAttempt, propertyOf } from "../support/health_portfolio.ts";
import { attribute, elements, filledIn, parsed, readAloud, tagged } from "../support/html.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { newFlag } from "../support/make/flag.ts";
import { plantArchive } from "../support/make/insights.ts";
import { seeded } from "../support/mixtures.ts";
import { acceptCodebase } from "../support/nightly.ts";
import { attemptOf, recordRun } from "../support/quarters.ts";
import { sendNightly } from "../support/send_nightly.ts";
import { pullSignals, told } from "../support/signals.ts";
import { PROXY, type TestTower, testTower } from "../support/test_tower.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SITES = Array.from({ length: 24 }, (_, place) => `site-${String(place).padStart(2, "0")}`);

const next = seeded(41);
const below = (most: number) => Math.floor(next() * most);
const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T;
const often = (share: number) => next() < share;
/** Moments at which something ends, and a little before and after. */
const ago = () => one(0, 1, 5 * MINUTE, HOUR, 3 * HOUR, 25 * HOUR, DAY, 2 * DAY, 8 * DAY) + one(0, 0, 1, -1);

/** A figure of so many days ago, in one of the forms that figures have. */
function figures(): (back: number) => number | undefined {
  const size = one(0, 1, 3, 40, 1_200, 2_500_000);
  const [gap, fall, rise] = [one(0, 0, 3, 11), one(-1, -1, 0, 2), one(-1, -1, 1)];
  return (back) => {
    if (gap > 0 && back % gap === 1) return undefined;
    const day = Math.round(size * (1 + (back % 7) / 10));
    return back <= fall ? Math.floor(day / 5) : back <= rise ? day * 3 : day;
  };
}

async function mix({ deps, ask }: TestTower): Promise<void> {
  const { writer, clock } = deps;
  const now = clock.now();
  const by = { actor: "operator:ada", now };
  await writer.write((tx): void => {
    ensureAssets(tx, ["tower"], { actor: "test", now: now - 90 * DAY });
    plantAccounts(tx, now - 50 * DAY);
  });
  for (const asset of SITES) {
    const of = asset as string;
    await writer.write((tx): void => {
      ensureAssets(tx, [of], { actor: "test", now: now - one(1, 20, 90) * DAY });
      if (often(0.5)) updateAsset(tx, of, { url: `https://${of}.example` }, now);
      if (often(0.6)) setGroup(tx, of, one("Coast", "Inland", "Ölkrug & Söhne"));
      const families = ["orders", "visits", "page views"].filter(() => often(0.4));
      replaceFamilies(
        tx,
        of,
        families.map((family) => ({ family, storage: one(...STORAGE_KINDS) })),
      );
    });
    await send(deps, of, now);
    await pull(deps, of, now);
    await writer.write((tx): void => {
      if (often(0.3)) {
        const until = one(null, now, now + 1, now + 3 * DAY, now - 1);
        const pausable = CAPABILITIES.filter((capability) => capability.pausable).map(({ id }) => id);
        pause(tx, { capability: often(0.4) ? "" : one(...pausable), asset: of, until }, by);
      }
      if (often(0.2)) {
        const faults = [{ pointer: "/metrics/a", rule: "count", message: "must be a count" }];
        const refused = {
          count: one(1, 2, 50),
          lastAt: now - ago(),
          status: one(401, 413, 422),
          code: "broken-contract",
        };
        tx.insert(refusedStreak)
          .values({ asset: of, route: one("/api/pulse", "/api/codebase-report"), ...refused, faults })
          .run();
      }
      raise(tx, of, now);
      if (often(0.6)) raiseAgain(tx, of, now);
      plantMoney(tx, of, now);
    });
    for (let entry = below(4); entry > 0; entry--) {
      const at = formatInstant(now - ago() - below(40) * DAY - DAY);
      const note = one("", "Short", "Two\nlines");
      await postAnnotation(
        deps,
        { asset: of, at, kind: one(...ANNOTATION_KINDS), ref: `r${entry}`, note },
        one("ada", "ci"),
      );
    }
    if (often(0.3))
      await writer.write((tx) => updateAsset(tx, of, { lifecycle: one(...LIFECYCLES) }, now - ago()));
  }
  await deps.follower.settle();
  await plantRuns(deps, now);
  await plantSettings(deps, now);
  for (const { id } of deps.store.raw.query<{ id: string }, []>("SELECT id FROM flag ORDER BY id").all()) {
    const acts: Readonly<Record<string, Record<string, string>>> = {
      acknowledgement: {},
      snooze: { days: one("1", "30", "366") },
      incident: { text: "INC-1" },
      hypothesis: { text: "Somebody changed something." },
      resolution: {},
    };
    for (const [act, form] of Object.entries(acts)) {
      if (often(act === "resolution" ? 0.3 : 0.15))
        await ask(`/flags/${id}/${act}`, { form, as: one("ada", "ben") });
    }
  }
}

/** What operators set up: several of each kind, named in no order, used and unused; and more events of one site than are listed. */
async function plantSettings(deps: TestTower["deps"], now: number): Promise<void> {
  const since = (days: number) => ({ actor: "operator:ben", now: now - days * DAY });
  for (const [place, name] of ["Porch", "attic", "Lobby"].entries()) {
    const scopes = (["ledger", "read", "annotations", "health:read"] as const).slice(place);
    await makeKioskToken(deps, name, since(place * 2));
    await issueServiceToken(deps, `${name}-ci`, scopes, since(9 - place));
    await issueSiteToken(deps, "site-03", since(place % 2 === 0 ? 0 : 40));
    const severity = SEVERITIES[place] ?? "warn";
    const hours = { from: "22:00", to: `0${place}:30` };
    const rules = [
      { severity, sites: SITES.slice(place, 3 * place + 1), quiet: hours },
      { group: "Inland", zone: "Europe/Berlin", digest: "07:15", quiet: hours, resolved: true },
      { heartbeat: true },
    ].map((given) => readRules("a name", given));
    for (const [kind, read] of [rules[place]].entries()) {
      if (read?.ok !== true) throw new Error(JSON.stringify(read));
      const settings = { kind: "webhook", url: `https://hooks.example/${kind}`, secret: null } as const;
      const saved = await saveChannel(deps, undefined, { name, rules: read.value, settings }, since(place));
      if (!saved.ok) throw new Error(JSON.stringify(saved.faults));
      await deps.writer.write((tx): void => plantNotices(tx, saved.channel.id, now - place * HOUR));
    }
    const text = `${deps.constants.current().text}# ${name}\n`;
    await deps.constants.save(text, { author: name }, deps.constants.current().digest);
  }
  await deps.writer.write((tx): void => {
    for (const [place, name] of ["zoe", "Al", "mia"].entries()) {
      const row = { id: name, name, kind: "person", created_at: now - ((place * 2) % 3) * DAY } as const;
      tx.insert(operator)
        .values({ ...row, ...(place > 0 && { password_hash: "$", password_changed_at: now }) })
        .run();
      const at = (hours: number) => now + hours * HOUR;
      const coming = [at(50), at(2), at(30)].map((at, uid) => ({
        uid: `${uid}`,
        at,
        isAllDay: uid === 1,
        title: `${name} ${uid}`,
      }));
      const sealed = { connection_revision: "1", key_id: "", sealed: "" };
      const known = {
        id: name,
        name,
        asset: ["site-02", "*", "site-01"][place] ?? "*",
        added_at: at(-place),
      };
      tx.insert(calendar)
        .values({
          ...known,
          ...sealed,
          coming: coming.slice(place),
          notes: place === 1 ? ["Left out", "Both"] : [],
        })
        .run();
    }
    for (const provider of PROVIDERS) {
      const seen = ["b", "A", "c", "site-07", "d", "site-02"].map((name, place) => ({
        provider,
        property: provider === "analytics" ? `9${place}` : `https://${name}.example/`,
        name: place === 4 ? "" : `${name} shop`,
        timeZone: place % 2 === 0 ? "Europe/Berlin" : undefined,
        usable: place % 3 > 0,
      }));
      replaceProperties(tx, { credential: PORTFOLIO_ACCOUNTS[provider], provider }, seen, now - DAY);
    }
    for (let back = 2 * MOST_EVENTS; back > 0; back--)
      plantAttempt(tx, {
        asset: "site-01",
        provider: "search-console",
        at: now - back * 100,
        failed: back % 2 === 0,
      });
    const row = { asset: "site-02", source: "shop", ref: "twice", period: "2025-12", amount: 7 } as const;
    const of = { by: "ada", now };
    recordRevenue(tx, { ...row, status: "estimated", legacy: true }, of);
    recordRevenue(tx, { ...row, status: "booked", amount: 9 }, of);
    recordCost(
      tx,
      { ...row, ref: "", kind: "operator_minutes", change: "c", minutes: 90, currency: currencyOf("EUR") },
      { ...of, rates: { EUR: 4_000 } },
    );
  });
}

/** Messages of a channel: one of each outcome, about sites and about none, written and not yet written. */
function plantNotices(tx: Tx, channel: string, at: number): void {
  for (const [place, outcome] of (["held", "delivered", "failed", "pending"] as const).entries()) {
    const of = {
      id: `${channel}-${outcome}`,
      channel,
      channel_kind: "webhook",
      type: NOTICE_TYPES[place] ?? "test",
      outcome,
      asset: place % 2 === 0 ? `site-0${place}` : null,
      attempts: place,
      created_at: at - place * DAY,
      due_at: at + place * MINUTE,
    } as const;
    const ended = { delivered: { receipt: "202", delivered_at: at }, failed: { code: "timed_out" } };
    tx.insert(notice)
      .values({ ...of, ...ended[outcome as "failed"], last_attempt_at: place === 0 ? null : at - place })
      .run();
  }
}

/** Runs of jobs, whole, failed, and one that a kill cut off. */
async function plantRuns(deps: TestTower["deps"], now: number): Promise<void> {
  const property = { asset: "site-01", connectionRevision: "1", property: "1" };
  const attempts = PULL_OUTCOMES.map((outcome, place) => {
    const category = outcome === "failed" ? one(...FAILURE_CATEGORIES) : null;
    const nextRetryAt = place % 2 === 0 ? now + HOUR : null;
    return attemptOf(now - place * MINUTE, { outcome, category, nextRetryAt, changed: place }, property);
  });
  for (const job of ["sense", "webmaster-tools", "analysis"]) {
    await recordRun(
      deps,
      attempts.slice(below(4), 3 + below(4)),
      job,
      one("schedule", "start", "operator:ben"),
    );
  }
  const cut = {
    run: "00000000-0000-7000-8000-0000000000ee",
    job: "sense",
    startedAt: now,
    askedBy: "start",
  } as const;
  await deps.writer.write((tx) => void beginRun(tx, cut, "test"));
}

/** Nightly and codebase reports. */
async function send(deps: TestTower["deps"], asset: string, now: number): Promise<void> {
  const nights = one(0, 1, 8, 15, 36, 60);
  const last = utcDayOf(now - one(0, 0, 0, 1, 2, 9) * DAY);
  const names = ["orders", "visits", "page views", "errors", "signups"].filter(() => often(0.5));
  const metrics = Object.fromEntries(names.map((name) => [name, figures()]));
  await sendNightly(deps, asset, last, nights, metrics);
  for (const back of [100, 46, 45, 30, 28, 27, 3, 0].filter(() => often(0.25))) {
    const whole = fullCodebaseReport({ asset, generatedAt: formatInstant(now - back * DAY) });
    const keys = MEASURE_KEYS.filter((key) => key !== "code_lines" || often(0.9));
    const measures: Partial<Record<MeasureKey, number>> = {};
    for (const key of keys.filter(() => often(0.8))) {
      const few = one(0, 1, 2, 5, 15);
      measures[key] = /passed$/.test(key)
        ? one(0, 1)
        : /percent|ratio|mean/.test(key)
          ? few + one(0, 0.25)
          : few;
    }
    if (often(0.9)) measures.code_lines = 4_000 + below(9) * 500;
    const findings = { ...whole.findings };
    for (const name of Object.keys(findings) as (keyof typeof findings)[]) {
      if (often(0.2)) delete findings[name];
      else if (often(0.3)) findings[name] = [];
    }
    const unmeasured = { functions: "No tool for this language", ...(often(0.5) && { files: "Left out" }) };
    const tools = { ...whole.tools, lines: one("1.2.3", "1.2.4") };
    await acceptCodebase(deps, { ...whole, measures, findings, unmeasured, tools });
  }
}

/** What providers say of a site, and what became of asking them. */
async function pull(deps: TestTower["deps"], asset: string, now: number): Promise<void> {
  const { writer } = deps;
  for (const provider of PROVIDERS) {
    if (often(0.4)) continue;
    const property = propertyOf(provider, asset);
    const newest: UtcDay = utcDayOf(now - one(0, 1, 2, 3, 9) * DAY);
    await writer.write((tx): void => {
      const credential = PORTFOLIO_ACCOUNTS[provider];
      putAttachment(tx, { asset, provider, credential, property, attachedAt: now - one(2, 40) * DAY });
      for (let attempt = below(3); attempt > 0; attempt--) {
        const at = now - attempt * DAY - ago();
        plantAttempt(tx, { asset, provider, at, failed: often(0.3) && one(...FAILURE_CATEGORIES) });
      }
      const failed = often(0.4) && one(...FAILURE_CATEGORIES);
      const nextRetryAt = failed && often(0.5) ? now + one(-1, 0, 1, MINUTE, DAY) : undefined;
      plantAttempt(tx, {
        asset,
        provider,
        at: now - one(1, 15, 45, 61, 600, 1_500) * MINUTE,
        failed,
        ...(nextRetryAt && { nextRetryAt }),
      });
      if (often(0.5)) {
        const rows = one(0, 1, 6, 60, 1_000);
        const dates = one(1, 2, 8);
        const families = often(0.3) ? ["query", "events", "feeds"] : undefined;
        plantArchive(tx, {
          asset,
          provider,
          property,
          newest,
          dates,
          ...(families && { families }),
          of: () => ({ rows }),
        });
        const limit = {
          outcome: "failed",
          category: "exhausted_budget",
          failureCode: "daily_quota",
          object: null,
        } as const;
        const target = {
          ...reportOf().target,
          asset,
          provider,
          property,
          family: one("query", "page", "events", "feeds"),
        };
        const failing = {
          run: 1,
          target,
          date: dayNumber(newest) + 1,
          attemptedAt: now - HOUR,
          complete: false,
        };
        if (often(0.4)) recordReport(tx, reportOf({ ...failing, ...limit, nextRetryAt: now + one(0, DAY) }));
      }
    });
    if (often(0.2)) continue;
    const names = {
      analytics: ["active_users", "sessions", "page_views", "event_count"],
      "search-console": ["clicks", "impressions", "ctr", "position"],
      "webmaster-tools": ["clicks", "impressions"],
    }[provider];
    const state = provider === "webmaster-tools" ? "final" : one("final", "provisional", "excluded");
    const days = one(1, 7, 36, 70);
    const series = names
      .filter(() => often(0.8))
      .map((name) => {
        const of = figures();
        return [
          name,
          (back: number) => {
            const value = of(back);
            return value === undefined ? undefined : told(value, back < 2 ? state : "final");
          },
        ] as const;
      });
    await pullSignals(deps, { asset, source: provider }, { last: newest, days }, Object.fromEntries(series));
  }
}

type Tx = Parameters<Parameters<TestTower["deps"]["writer"]["write"]>[0]>[0];

const ISSUES = ["http_5xx", "http_301", "unheard", "http_4xx", "malware", "dns_failure"];
/** Flags that a site, a provider or a rule of another release raised. */
function raise(tx: Tx, asset: string, now: number): void {
  for (let place = below(7); place > 0; place--) {
    const [severity, origin] = [one(...SEVERITIES), one(...FLAG_ORIGINS)];
    const kind = severity === "info" ? one(...FLAG_KINDS) : one("anomaly", "opportunity");
    const metric = origin === "site" ? one("orders", "visits", null) : null;
    const rule = origin === "site" ? null : origin === "provider" ? "provider-issue" : "formerly";
    const subject = origin === "provider" ? (ISSUES[place - 1] ?? "other") : `${place}`;
    const of = {
      asset,
      severity,
      origin,
      kind,
      metric,
      rule,
      subject,
      message: `Something is ${severity}.`,
    } as const;
    const source = origin === "site" ? "pulse" : origin === "provider" ? "webmaster-tools" : null;
    insertOpenFlag(
      tx,
      `${asset}-${place}`,
      newFlag({ ...of, source }),
      now - ago(),
      origin === "site" ? "site" : "rule",
    );
  }
}

/** A flag of a metric that is over, and one like it that lasts. */
function raiseAgain(tx: Tx, asset: string, now: number): void {
  const metric = one("visits", "orders");
  for (const [place, id] of [`${asset}-over`, `${asset}-lasts`].entries()) {
    const of = { asset, origin: "site", rule: null, source: "pulse", metric, severity: "warn" } as const;
    insertOpenFlag(tx, id, newFlag({ ...of, subject: id }), now - (3 - place) * DAY, "site");
    if (place === 0) resolveFlag(tx, id, "cleared", now - DAY, "site");
  }
}

/** What a site earns and costs, and where it is found. */
function plantMoney(tx: Tx, asset: string, now: number): void {
  for (let place = below(4); place > 0; place--) {
    const period = utcDayOf(now - below(150) * DAY).slice(0, one(7, 10));
    const currency = currencyOf(one("EUR", "EUR", "USD", "JPY"));
    const row = {
      asset,
      source: one("ads", "affiliate", "shop"),
      ref: one("", "a-1"),
      period,
      currency,
      amount: one(0, 1, 999, 123_456),
    };
    const of = { by: "ada", now };
    if (often(0.5)) recordRevenue(tx, { ...row, status: one("booked", "estimated") }, of);
    else
      recordCost(
        tx,
        {
          ...row,
          kind: one("inference", "external_api"),
          change: one("c-1", "os-overhead"),
        },
        of,
      );
  }
  if (often(0.7)) return;
  const where = {
    location: 2840,
    language: "en",
    device: one("desktop", "mobile"),
    depth: one(10, 20),
    every: one(1, 7),
  } as const;
  tx.insert(panel)
    .values({
      id: `panel-${asset}`,
      asset,
      keyword: `${asset} boats`,
      ...where,
      created_at: now - 9 * DAY,
      removed_at: often(0.2) ? now : null,
    })
    .run();
  for (let back = below(4); back > 0; back--) {
    const asked = {
      panel: `panel-${asset}`,
      run: 1,
      connection_revision: "1",
      asked_at: now - back * DAY,
      price: 2_000_000,
    };
    const { id } = insertRun(tx, asked);
    const outcome = one("found", "not_in_depth", "failed");
    const found =
      outcome === "found"
        ? { position: one(1, 3, 9), rank_absolute: one(3, 12), url: `https://${asset}.example/` }
        : { position: null, rank_absolute: null, url: null };
    const code = outcome === "failed" ? "timed_out" : null;
    if (often(0.8))
      insertResult(tx, {
        id,
        outcome,
        code,
        ...found,
        task: null,
        next_retry_at: null,
        cost: null,
        charged: 2_000_000,
      });
  }
}

/** What is the same of one site and another, of one day and another. */
const alike = (text: string) =>
  text
    .replaceAll(/site-\d\d|tower(?=[/&?]|$)/g, ":site")
    .replaceAll(/\d{4}-\d\d(-\d\d)?|\b[0-9a-f-]{36,64}\b|\d+/g, ":n");
/** Of addresses that are alike so many are looked at; of those that ask something each that asks what was not asked there before. */
const MOST_ALIKE = 10;

/** Where a page leads to by a click, by a search, and by itself. */
function leadsOf(page: ReturnType<typeof parsed>): string[] {
  const links = elements(page).flatMap(
    (one) => attribute(one, "hx-get") ?? (one.tagName === "a" ? (attribute(one, "href") ?? []) : []),
  );
  const asked = tagged(page, "form").flatMap((form) => {
    if (attribute(form, "method") !== "get") return [];
    const action = attribute(form, "action") ?? "";
    return [filledIn(form), filledIn(form, "site-1")].map(
      (fields) => `${action}?${new URLSearchParams(fields)}`,
    );
  });
  return [...links, ...asked].map((to) => to.replace(/#.*/, ""));
}

/** What is done to a flag without leaving its page, and what takes it back. */
const ACTS = ["acknowledgement", "snooze", "incident", "hypothesis", "resolution"].flatMap((noun) =>
  (["put", "delete"] as const).map((method) => ({ noun, method })),
);

async function actInPlace(tower: TestTower, pages: readonly Page[]): Promise<Page[]> {
  const answers: Page[] = [];
  const flags = pages.map(({ address }) => address).filter((address) => /^\/flags\/[\w-]+$/.test(address));
  for (const [place, address] of flags.slice(0, 6).entries()) {
    for (const { noun, method } of place % 2 === 0 ? ACTS : ACTS.toReversed()) {
      const page = parsed(await (await tower.ask(address)).text());
      const form = tagged(page, "form").find((one) => attribute(one, `hx-${method}`)?.includes(noun));
      if (form === undefined) continue;
      const to = attribute(form, `hx-${method}`) ?? "";
      const fields = {
        ...filledIn(form, one("", "Something broke.")),
        ...(noun === "snooze" && { days: "7" }),
      };
      const asked = { method: method.toUpperCase(), headers: { "hx-request": "true" } };
      const answer = await tower.ask(to, { ...asked, ...(method === "put" && { form: fields }) });
      const lines = readAloud(parsed(await answer.text()));
      answers.push({ address: `${asked.method} ${to} ${answer.status}`, lines });
    }
  }
  return answers;
}

interface Page {
  readonly address: string;
  readonly lines: readonly string[];
}

interface Described {
  readonly parameters?: readonly {
    in: string;
    name: string;
    schema: { enum?: string[]; default?: number };
  }[];
}

/** Every list of the API: whole in small pages, and narrowed by each value that its description names or that its items have. */
async function apiLists({ ask }: TestTower): Promise<Page[]> {
  const { paths } = (await (await ask("/openapi")).json()) as { paths: Record<string, { get?: Described }> };
  const lists: Page[] = [];
  const read = async (path: string, query: Record<string, string>) => {
    const address = `${path}?${new URLSearchParams(query)}`;
    const { items, next = null, ...rest } = await (await ask(address)).json();
    const lines = [...(items ?? []), { ...rest, isMore: next !== null }].map((one) => JSON.stringify(one));
    lists.push({ address, lines });
    if (next !== null) await read(path, { ...query, cursor: next });
    return Object.entries<unknown>(items?.[0] ?? {}).filter(([, value]) => typeof value === "string");
  };
  for (const [path, { get }] of Object.entries(paths)) {
    if (!path.startsWith("/api/") || get === undefined || /\{(?!asset)/.test(path)) continue;
    for (const asset of path.includes("{") ? ["site-01", "site-05", "site-17"] : [""]) {
      const at = path.replace("{asset}", asset);
      const day = { from: "2026-02-24", to: "2026-02-24", asset: "site-05" };
      const pages = get.parameters?.some(({ name }) => name === "limit") === true ? { limit: "40" } : {};
      const known: Record<string, unknown> = { ...Object.fromEntries(await read(at, pages)), ...day };
      for (const { in: place, name, schema } of get.parameters ?? []) {
        const values = name === "currency" ? ["EUR", "JPY"] : (schema.enum ?? known[name] ?? []);
        if (place === "query" && name !== "cursor" && name !== "limit")
          for (const value of [values].flat()) await read(at, { [name]: `${value}` });
      }
    }
  }
  return lists;
}

const STARTS = [
  ..."/ /flags /wall /timeline /integrations /health /archive /ledger /settings /nothing /sites/none /flags/none".split(
    " ",
  ),
  ..."/archive/reports/0 /sites/none/reports/2026-02-30/1 /integrations/runs/none /settings/panels/none /settings/notices/none".split(
    " ",
  ),
];

test("every page that links lead to says of sites in all states what it said before", async () => {
  const tower = await testTower({ settings: PROXY });
  await mix(tower);
  // Live traffic would be asked of a provider that is not there: when that fails is a matter of the machine.
  tower.deps.live.stop();
  const kiosk = await makeKioskToken(tower.deps, "Hall", { actor: "test", now: tower.deps.clock.now() });
  const found = [...STARTS, `/wall?link=${kiosk.token}`];
  const seen = new Set(found);
  const looked = new Map<string, number>();
  const pages: Page[] = [];
  for (const address of found) {
    const [path = "", question] = alike(address).split("?");
    // By name each report is sorted otherwise: by one name or by several.
    const asked = question
      ?.split("&")
      .map((each) => (each === "sort=name" ? question.replaceAll(/q=[^&]*&|&page=:n/g, "") : each));
    const asks = asked?.map((each) => `${path}?${each}`) ?? [path];
    const isNews = asks.some((one) => (looked.get(one) ?? 0) < (question === undefined ? MOST_ALIKE : 1));
    if (!isNews) continue;
    for (const one of asks) looked.set(one, (looked.get(one) ?? 0) + 1);
    const cookie = pages.length % 2 === 0 ? "" : "zone=America/Los_Angeles";
    const answer = await tower.ask(address, {
      headers: { cookie },
      as: address.includes("link=") ? "" : "ada",
    });
    const text = (await answer.text()).replaceAll(TOWER_COMMAND, "bun run tower");
    const status = answer.status === 200 ? "" : ` ${answer.status}`;
    const page = parsed(text);
    // The frame is the same on all: it is read once in UTC and once in another zone.
    const [main = page] = tagged(page, pages.length < 2 ? "body" : "main");
    const isPage = /html/.test(answer.headers.get("content-type") ?? "");
    pages.push({ address: `${address}${status}`, lines: isPage ? readAloud(main) : [brief(text)] });
    for (const to of leadsOf(main)) {
      if (!/^\/(?!help|api|static|wall\?link)/.test(to) || seen.has(to)) continue;
      seen.add(to);
      found.push(to);
    }
  }
  pages.push(...(await actInPlace(tower, pages)), ...(await apiLists(tower)));
  // Each line where it is first said, with how often it is on all pages together; a page's digest is of all its lines in their order.
  const times = new Map<string, number>();
  for (const line of pages.flatMap(({ lines }) => lines)) times.set(line, (times.get(line) ?? 0) + 1);
  const said = new Set<string>();
  const recorded = pages.flatMap(({ address, lines }) => {
    const news = lines.filter((line) => !said.has(line) && said.add(line));
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 6);
    return [
      `# ${address} ${digest}`,
      ...news.map((line) => `${times.get(line) === 1 ? "" : `${times.get(line)}× `}${brief(line, 160)}`),
    ];
  });
  expect(`\n${recorded.join("\n")}\n`).toMatchSnapshot();
  await tower.close();
});
