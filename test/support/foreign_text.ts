/** A service in which one text stands wherever anybody else than Tower can write: sites, repositories, senders, operators. */

import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { operator } from "../../src/access/operators.ts";
import { newBrowserSecret, openSession } from "../../src/access/sessions.ts";
import { putInsight } from "../../src/archive/insights.ts";
import { recordReport } from "../../src/archive/manifest.ts";
import { dayNumber, dayOfNumber, formatInstant, utcDayOf } from "../../src/base/time.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { noteFailure } from "../../src/health/monitoring.ts";
import { pause } from "../../src/health/pauses.ts";
import { currencyOf } from "../../src/ledger/amount.ts";
import { recordCost, recordRevenue } from "../../src/ledger/ledger.ts";
import { readRules } from "../../src/notices/channel_settings.ts";
import { saveChannel } from "../../src/notices/channels.ts";
import { notice } from "../../src/notices/outbox.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { replaceProperties } from "../../src/providers/properties.ts";
import { hidden } from "../../src/providers/sealing.ts";
import { MEASURE_KEYS } from "../../src/reports/measures.ts";
import { addCredential } from "../../src/signals/credential_changes.ts";
import { insertResult, insertRun, panel } from "../../src/signals/panels.ts";
import { calendar } from "../../src/sites/calendars.ts";
import { issueSiteToken } from "../../src/sites/site_tokens.ts";
import { setGroup, updateAsset } from "../../src/sites/sites.ts";
import { reportOf } from "./archive.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN, testGround } from "./deps.ts";
import { fullCodebaseReport } from "./make/codebase_report.ts";
import { newFlag } from "./make/flag.ts";
import { plantArchive } from "./make/insights.ts";
import { CALLER } from "./operators.ts";
import { attemptOf, recordRun } from "./quarters.ts";
import { addressOf } from "./route_table.ts";
import { pullSignals, told } from "./signals.ts";
import { type TestTower, TOWER_ORIGIN, testTower } from "./test_tower.ts";

const DAY_MS = 86_400_000;

/** Fills a service with the text. Everything that is sent goes through the real doors. */
export async function foreignService(text: string) {
  const ground = await testGround();
  const service = await testTower({ ground });
  const { deps } = service;
  const { writer, clock, ids } = deps;

  const person = { id: ids.uuid(), name: text, kind: "person" } as const;
  const session = newBrowserSecret(ids);
  await writer.write((tx): void => {
    tx.insert(operator)
      .values({ ...person, created_at: clock.now() })
      .run();
    updateAsset(tx, "harbor", { url: text }, clock.now());
    setGroup(tx, "harbor", text);
    const paused = { capability: "webmaster-tools.daily", asset: "harbor", until: null };
    pause(tx, paused, { actor: `operator:${text}`, now: clock.now() });
    const caller = { ...CALLER, agent: text };
    for (const secret of [session, newBrowserSecret(ids)]) {
      openSession(tx, person.id, secret, caller, clock.now());
    }
  });
  const by = { actor: `operator:${text}`, now: clock.now() };
  await issueSiteToken(deps, "harbor", by);
  await makeKioskToken(deps, text, by);
  const { token: ci } = await issueServiceToken(deps, "ci", ["annotations"], by);

  const accepted = async (path: string, token: string, body: unknown) => {
    const response = await service.report(path, body, token);
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  for (let back = 9; back >= 0; back--) {
    const generatedAt = formatInstant(clock.now() - back * DAY_MS - 1_000);
    await accepted("/api/pulse", HARBOR_TOKEN, {
      asset: "harbor",
      generatedAt,
      capabilities: [text],
      metrics: { [text]: { last24h: back, avg7d: 1.5, total: 9 }, signups: { last24h: 3 } },
      negativeByPage: [{ page: text, count: 3 }],
      flags: [
        { severity: "warn", kind: "anomaly", metric: text, msg: text },
        { severity: "info", kind: "milestone", msg: text },
      ],
    });
  }
  for (const days of [40, 0]) {
    await accepted("/api/codebase-report", HARBOR_TOKEN, {
      ...fullCodebaseReport({ generatedAt: formatInstant(clock.now() - days * DAY_MS) }),
      repository: { remote: text, ref: text },
      paths: [text],
      tools: { image: text, [text]: `${text}${days}` },
      measures: { ...fullCodebaseReport().measures, duplication_percent: 30 - days / 2 },
      unmeasured: { files: text },
      byLanguage: [{ language: text, files: 1, code_lines: 1 }],
      findings: {
        duplicates: [{ lines: days, files: [{ path: text, startLine: 1, lines: 1 }] }],
        complexFunctions: [{ path: text, name: text, line: 1, complexity: 20 + days, length: 1 }],
        unused: [{ kind: text, path: text, name: `${text}${days}`, line: 1 }],
        largestFiles: [{ path: text, code_lines: days }],
      },
      notes: Object.fromEntries(MEASURE_KEYS.map((key) => [key, `${text}${days}`])),
      dismissed: [
        { kind: text, path: text, name: text, reason: text, count: 0 },
        { kind: "path", path: text, reason: text, count: days },
      ],
    });
  }
  for (const asset of ["harbor", "*", "outside"]) {
    const at = formatInstant(clock.now() - 2 * DAY_MS);
    await accepted("/api/annotations", ci, {
      asset,
      at,
      kind: "deploy",
      ref: text,
      note: `${text}\n${text}`,
    });
  }
  await service.report("/api/pulse", {
    asset: "harbor",
    generatedAt: "x",
    metrics: { [text]: { last24h: text } },
  });
  // One of a site that sent nothing else.
  const refused = { asset: "orchard", generatedAt: formatInstant(clock.now()) };
  await service.report("/api/pulse", { ...refused, metrics: { [text]: { last24h: text } } }, ORCHARD_TOKEN);
  await deps.follower.settle();

  const changes = {
    rule: text,
    subject: text,
    metric: text,
    message: text,
    rule_inputs: { [text]: text, l: [text] },
  };
  await writer.write((tx): void => {
    insertOpenFlag(tx, "one", newFlag(changes), clock.now(), "rule");
    insertOpenFlag(tx, "old", newFlag({ ...changes, subject: `${text}2` }), clock.now(), "rule");
    const of = { kind: "constants", asset: "", source: "", subject: "constants.toml" } as const;
    noteFailure(tx, of, { reason: text, now: clock.now() });
    const metric = { kind: "rule", asset: "harbor", source: "pulse", subject: text } as const;
    noteFailure(tx, metric, { reason: text, now: clock.now() });
  });

  await writer.write((tx): void => {
    const by = { by: text, now: clock.now() };
    const row = { asset: "harbor", source: text, ref: text, currency: currencyOf("EUR"), amount: 1_200 };
    const period = utcDayOf(clock.now()).slice(0, 7);
    recordRevenue(tx, { ...row, period, status: "booked" }, by);
    recordCost(tx, { ...row, period, kind: "inference", change: text }, by);
  });

  const run = await recordRun(deps, [attemptOf(clock.now())], "sense", `operator:${text}`);
  // Names of reports are ours; those of their properties are the provider's.
  const target = {
    asset: "harbor",
    provider: "search-console",
    connectionRevision: text,
    property: text,
    family: "page",
  } as const;
  const today = dayNumber(utcDayOf(clock.now()));
  const { id: report, target: reported } = await writer.write((tx) => {
    const archived = reportOf({ target, date: today - 2, attemptedAt: clock.now() - 1_000 });
    return recordReport(tx, archived);
  });
  await writer.write((tx) => {
    const observedAt = clock.now() - 1_000;
    const top = [{ keys: [text], values: [3, 9, 0.3, 1.5] }];
    const insight = {
      asset: "harbor",
      provider: "search-console",
      family: "page",
      date: dayOfNumber(today - 2),
      report,
      observedAt,
    };
    putInsight(tx, { ...insight, rows: 1, sums: { clicks: 3 }, top, notes: [] }, reported);
  });
  const values = {
    run,
    report: String(report),
    asset: "harbor",
    id: "one",
    metric: text,
    version: "2",
    date: formatInstant(clock.now() - 1_000).slice(0, 10),
    revision: "1",
  };
  const [tunable] = listFlags(deps.store.db, { rule: "codebase-duplication" }, 1);
  // Of providers the names and ids of properties are their text; their figures are numbers under our names.
  await pullSignals(
    deps,
    { asset: "harbor", source: "search-console" },
    { last: utcDayOf(clock.now()), days: 3 },
    {
      clicks: () => told(5),
    },
  );
  // Pages, queries, campaigns and errors are whatever somebody else wrote.
  await writer.write((tx): void => {
    for (const provider of PROVIDERS) {
      plantArchive(tx, {
        asset: "harbor",
        provider,
        property: text,
        newest: utcDayOf(clock.now() - DAY_MS),
        of: () => ({ text }),
      });
    }
  });
  const secret = hidden({ kind: "webmaster-tools-key", key: "0123456789abcdef0123456789abcdef" });
  const stored = await addCredential(deps, { provider: "webmaster-tools", secret, label: text }, by);
  if (!stored.ok) throw new Error(`the credential was not stored: ${stored.why}`);
  const credential = stored.credential.id;
  await writer.write((tx): void => {
    const listed = { provider: "webmaster-tools", name: text, timeZone: undefined, usable: true } as const;
    replaceProperties(
      tx,
      { credential, provider: "webmaster-tools" },
      [
        // Not the site's own address: what it is matched by would differ from text to text.
        { ...listed, property: `other-${text}` },
        { ...listed, property: `unusable-${text}`, usable: false },
      ],
      clock.now(),
    );
  });
  const channel = await addForeignChannel(deps, text, by);
  await plantPanelAndCalendar(deps, text, clock.now());
  const own = {
    "/sites/:asset/first-report": { asset: "orchard" },
    "/settings/credentials/:id": { id: credential },
    "/settings/notices/:id": { id: channel },
    "/settings/panels/:id": { id: "panel" },
    "/flags/:id/tune": { id: tunable?.id ?? "" },
    "/help/:page": { page: "rules" },
    "/sites/:asset/signals/:source/:metric/tune": { source: "search-console", metric: "clicks" },
  };
  /** Values for the names in an address of its pages, which may be of another thing. */
  const valuesOf = (path: string): Readonly<Record<string, string>> => ({
    ...values,
    ...own[path as keyof typeof own],
  });
  const ask = (
    method: string,
    path: string,
    fields?: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const search = method === "GET" && fields !== undefined ? `?${new URLSearchParams(fields)}` : "";
    const headers = {
      ...more,
      host: new URL(TOWER_ORIGIN).host,
      origin: TOWER_ORIGIN,
      accept: "text/html",
      cookie: `tower_dev=${session.token}; __Host-tower=${session.token}`,
    };
    const body = method === "GET" || method === "DELETE" ? {} : { body: new URLSearchParams(fields) };
    const address = `${TOWER_ORIGIN}${addressOf(path, valuesOf(path))}${search}`;
    return service.tower(new Request(address, { method, headers, ...body }), () => "192.0.2.7");
  };
  const noted = async (path: string, fields: Readonly<Record<string, string>>) => {
    const response = await ask("POST", path, fields);
    if (response.status !== 303) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  for (const noun of ["incident", "hypothesis"]) await noted(`/flags/:id/${noun}`, { text });
  await noted("/flags/:id/acknowledgement", {});
  await noted("/flags/old/resolution", {});
  const { text: constants, digest } = deps.constants.current();
  const saved = await deps.constants.save(`${constants}# ${text}\n`, { author: text }, digest);
  if (!saved.ok) throw new Error(`the constants were not saved: ${JSON.stringify(saved)}`);
  /** A page as whoever needs it gets it: the doors as who is not signed in, `/setup` before there is an operator. */
  const page = async (path: string): Promise<Response> => {
    if (path !== "/sign-in" && path !== "/setup") return ask("GET", path);
    const unset = await testTower();
    const { tower } = path === "/setup" ? unset : service;
    const host = new URL(TOWER_ORIGIN).host;
    const response = await tower(
      new Request(`${TOWER_ORIGIN}${path}`, { headers: { host } }),
      () => "192.0.2.7",
    );
    await unset.close();
    return response;
  };
  return { service, values: values as Readonly<Record<string, string>>, valuesOf, ask, page };
}
export type ForeignService = Awaited<ReturnType<typeof foreignService>>;

/** A panel of this keyword with a result, and a calendar of this name with what is to come. */
async function plantPanelAndCalendar(
  { writer }: Pick<TestTower["deps"], "writer">,
  text: string,
  now: number,
): Promise<void> {
  await writer.write((tx): void => {
    const where = { location: 2840, language: "en", device: "desktop", depth: 20, every: 7 } as const;
    const of = { id: "panel", asset: "harbor", keyword: text, ...where };
    tx.insert(panel)
      .values({ ...of, created_at: now - 2_000, removed_at: null })
      .run();
    const asked = {
      panel: "panel",
      run: 1,
      connection_revision: text,
      asked_at: now - 1_000,
      price: 2_000_000,
    };
    const { id } = insertRun(tx, asked);
    const place = { position: 3, rank_absolute: 4, url: `https://shop.example/${text}` };
    const cost = { task: text, cost: "0.002", charged: 2_000_000, next_retry_at: null };
    insertResult(tx, { id, outcome: "found", code: null, ...place, ...cost });
    const coming = [{ uid: text, at: now + DAY_MS, isAllDay: false, title: text }];
    const sealed = { connection_revision: text, key_id: "", sealed: "" };
    const known = { id: "calendar", name: text, asset: "*", added_at: now, coming, notes: [text] };
    tx.insert(calendar)
      .values({ ...known, ...sealed })
      .run();
  });
}

/** A channel of this name, with a message that has it as its subject. */
async function addForeignChannel(
  deps: TestTower["deps"],
  text: string,
  by: { actor: string; now: number },
): Promise<string> {
  const rules = readRules(text, { group: text });
  if (!rules.ok) throw new Error(JSON.stringify(rules.faults));
  const settings = { kind: "slack", url: "https://hooks.example/" } as const;
  const added = await saveChannel(deps, undefined, { name: text, rules: rules.value, settings }, by);
  if (!added.ok) throw new Error(JSON.stringify(added.faults));
  const { id: channel } = added.channel;
  const at = by.now - 1_000;
  const of = { id: "sent", type: "flags.raised", asset: "harbor" } as const;
  const content = { ...of, at: formatInstant(at), subject: text, text, html: "", flags: [] };
  const times = { created_at: at, due_at: at, delivered_at: at };
  const ended = { attempts: 1, receipt: "200", outcome: "delivered" } as const;
  await deps.writer.write((tx): void => {
    tx.insert(notice)
      .values({ ...of, channel, channel_kind: "slack", ...times, ...ended, content })
      .run();
  });
  return channel;
}
