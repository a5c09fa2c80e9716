/** A panel from its adding to its results and its health, over a simulated provider. */

import { expect, test } from "bun:test";
import { utcDayOf } from "../../src/base/time.ts";
import { pause } from "../../src/health/pauses.ts";
import { currencyOf } from "../../src/ledger/amount.ts";
import { recordCost } from "../../src/ledger/ledger.ts";
import { listCredentials } from "../../src/providers/credentials.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { replaceCredential } from "../../src/signals/credential_changes.ts";
import {
  dueAt,
  insertRun,
  listPanels,
  type Panel,
  type PanelRun,
  removePanels,
} from "../../src/signals/panels.ts";
import { fresh } from "../support/fresh.ts";
import { DAY_MS, HOUR_MS, panelledTower, SITE } from "../support/panelled.ts";
import { words } from "../support/words.ts";

const at = fresh(panelledTower);

test("a due panel is asked once a day, its rank kept beside the absolute one, its cost as the provider wrote it", async () => {
  const panel = await at.add();
  expect(await at.ask()).toEqual({ changed: 1 });
  expect(await at.ask()).toEqual({});
  at.clock.advance(23 * HOUR_MS);
  expect(await at.ask()).toEqual({});
  expect(at.questions()).toBe(1);
  const [run, ...others] = await at.runs();
  expect(others).toStrictEqual([]);
  expect(run).toMatchObject({
    ...{ panel: panel.id, keyword: "harbour tours", location: 2840, language: "en", device: "desktop" },
    ...{ depth: 20, run_at: "2026-11-20T20:00:00.000Z", outcome: "found", position: 2, rank_absolute: 2 },
    ...{ url: "https://www.harbor.example/", cost: 0.0035, currency: "USD" },
  });
  at.clock.advance(HOUR_MS);
  await at.ask();
  expect(at.questions()).toBe(2);
  const attempts = await at.list<{ provider: string; asset: string; requests: number }>(
    "/api/runs?job=panels",
  );
  expect(attempts).toHaveLength(2);
  expect(attempts[0]).toMatchObject({ provider: "serp", asset: SITE, requests: 1, category: null });
});

test("a site below the tracked depth is not in depth, which is a complete answer", async () => {
  await at.add({ keyword: "pier", depth: 10 });
  at.simulators.script({ kind: "bent", bend: withoutSites }, { server: "serp" });
  await at.ask();
  expect((await at.runs())[0]).toMatchObject({ outcome: "not_in_depth", position: null, url: null });
  expect(at.states()).toEqual(["working null"]);
});

test("only results of the site's own host and of hosts below it count, by their rank among organic ones", async () => {
  await at.add();
  const hosts = words(`
    notharbor.example harbor.example.evil.test javascript://harbor.example also.asked.example
    blog.harbor.example harbor.example
  `);
  at.simulators.script({ kind: "bent", bend: (answer) => withHosts(answer, hosts) }, { server: "serp" });
  await at.ask();
  expect((await at.runs())[0]).toMatchObject({ position: 4, url: "https://blog.harbor.example/" });
});

test("pages, health and the lists of the API ask nobody, and neither does a test of the account", async () => {
  const panel = await at.add();
  const { tower, simulators } = at;
  for (const path of [
    "/settings/panels",
    `/settings/panels/${panel.id}`,
    "/integrations",
    "/health",
    "/wall",
  ]) {
    const answer = await tower.ask(path);
    expect([path, answer.status]).toEqual([path, 200]);
  }
  await at.runs();
  await at.list("/api/runs");
  expect(simulators.log.filter(({ server }) => server === "serp")).toStrictEqual([]);
  const { askAccount } = await import("../../src/signals/account_check.ts");
  const id = listCredentials(tower.deps.store.db).find(({ kind }) => kind === "serp-login")?.id ?? "";
  const tested = await askAccount(tower.deps, { job: "connection-test", credential: id, by: "command" });
  expect(tested).toMatchObject({ ok: true, answers: [{ provider: "serp", fault: undefined }] });
  expect(simulators.log.flatMap(({ server, operation }) => (server === "serp" ? [operation] : []))).toEqual([
    "userData",
  ]);
  expect(simulators.serpCharges).toStrictEqual([]);
  expect(at.states()).toEqual(["never_run null"]);
});

test("a panel is stale one day after it is due", async () => {
  await at.add({ every: 3 });
  await at.ask();
  at.clock.advance(4 * DAY_MS - 1);
  expect(at.states()).toEqual(["working null"]);
  at.clock.advance(1);
  expect(at.states()).toEqual(["stale null"]);
});

test("a question that does not fit the day's budget is not asked until the next UTC day, and health says that the budget is used up", async () => {
  const { constants } = at.tower.deps;
  const { text, digest } = constants.document();
  await constants.save(text.replace("daily_budget = 100", "daily_budget = 1"), { author: "test" }, digest);
  await at.add({ depth: 40 });
  const { id } = await at.add({ device: "mobile", depth: 40 });
  expect(await at.ask()).toEqual({ changed: 1, failed: 1 });
  for (const page of ["/settings/panels", `/settings/panels/${id}`])
    expect(await (await at.tower.ask(page)).text()).toContain('datetime="2026-11-21T00:00:00.000Z"');
  expect(at.questions()).toBe(1);
  expect(await at.ask()).toEqual({ held: 1 });
  expect(at.states()).toEqual(["working null", "failing exhausted_budget"]);
  at.clock.advance(4 * HOUR_MS);
  expect(await at.ask()).toEqual({ changed: 1 });
  expect(at.questions()).toBe(2);
  expect(at.states()).toEqual(["working null", "working null"]);
  // Both are due by then, and one fits: the one that has been due for longer.
  at.clock.advance(25 * HOUR_MS);
  expect(await at.ask()).toEqual({ changed: 1, failed: 1 });
  expect(at.states()).toEqual(["working null", "failing exhausted_budget"]);
});

test("the ledger has one row for each site and UTC day, which together are the exact costs rounded up to the cent", async () => {
  await at.add({ depth: 10 });
  for (let day = 0; day < 12; day++) {
    await at.ask();
    at.clock.advance(DAY_MS);
  }
  const booked = at.booked();
  expect(booked).toHaveLength(12);
  // 12 times 0.002 USD.
  expect(booked.reduce((sum, [, cents]) => sum + cents, 0)).toBe(3);
  expect(booked.map(([, cents]) => cents).slice(0, 6)).toEqual([1, 0, 0, 0, 0, 1]);
});

test("every question that an ended process left without its answer ends with the next run", async () => {
  const panel = await at.add();
  const { store, writer } = at.tower.deps;
  await writer.write((tx) => {
    const asked = { panel: panel.id, connection_revision: "", asked_at: at.clock.now() - DAY_MS, price: 7 };
    for (const run of [8, 9]) insertRun(tx, { ...asked, run });
  });
  await at.ask();
  expect(store.raw.query("SELECT id FROM panel_run EXCEPT SELECT id FROM panel_result").all()).toStrictEqual(
    [],
  );
});

test("a panel's cost stands beside what an operator booked for the same source and day, whatever its currency", async () => {
  await at.add({ depth: 10 });
  const { deps } = at.tower;
  const now = at.clock.now();
  const row = {
    asset: SITE,
    kind: "external_api",
    source: "dataforseo",
    currency: currencyOf("EUR"),
  } as const;
  await deps.writer.write((tx) =>
    recordCost(tx, { ...row, period: utcDayOf(now), amount: 5_000 }, { by: "ada", now }),
  );
  await at.ask();
  expect(at.booked()).toEqual([[utcDayOf(now), 1]]);
  const kept = deps.store.raw.query(
    "SELECT amount FROM ledger_entry WHERE currency = 'EUR' AND corrects IS NULL",
  );
  expect(kept.all()).toEqual([{ amount: 5_000 }]);
});

test("a panel that is paused, removed, of a retired site or without an account is not asked", async () => {
  const panel = await at.add();
  const { deps } = at.tower;
  const by = { actor: "test", now: at.clock.now() };
  await deps.writer.write((tx) =>
    pause(tx, { capability: "serp.panels", asset: SITE, until: by.now + 5 }, by),
  );
  expect(await at.ask()).toEqual({ paused: 1 });
  const page = async (of = "") => (await at.tower.ask(`/settings/panels${of}`)).text();
  expect(await page()).toContain(">Paused<");
  at.clock.advance(10);
  expect(await page()).not.toContain("Never: the site is retired");
  deps.store.raw.run("UPDATE asset SET lifecycle = 'retired' WHERE id = ?", [SITE]);
  expect(await at.ask()).toEqual({});
  expect(await page()).toContain("Never: the site is retired");
  deps.store.raw.run("UPDATE asset SET lifecycle = 'live' WHERE id = ?", [SITE]);
  await deps.writer.write((tx) => removePanels(tx, [panel], by));
  expect(await at.ask()).toEqual({});
  expect(listPanels(deps.store.db)).toStrictEqual([]);
  expect(await page(`/${panel.id}`)).toContain("Never: the panel is removed");
  expect(at.questions()).toBe(0);
});

test("a question that cost nothing is asked again by the hour, at once after another password, and what was paid never before it is due", async () => {
  await at.add({ every: 7 });
  at.simulators.script({ kind: "error", error: "40100-top" }, { server: "serp" });
  expect(await at.ask()).toEqual({ failed: 1 });
  expect(at.states()).toEqual(["failing access"]);
  expect(await at.ask()).toEqual({});
  const { deps } = at.tower;
  const read = await readCredentialFile(
    "serp",
    at.simulators.serpLogin().replace("}", " }"),
    deps.config.providers,
  );
  if (!read.ok) throw new Error("no login");
  const id = listCredentials(deps.store.db).find(({ kind }) => kind === "serp-login")?.id ?? "";
  const by = { actor: "test", now: at.clock.now() };
  await replaceCredential(deps, id, { provider: "serp", secret: read.secret, label: undefined }, by);
  expect(at.states()).toEqual(["never_run null"]);
  at.simulators.script({ kind: "cut-body" }, { server: "serp" });
  expect(await at.ask()).toEqual({ failed: 1 });
  at.clock.advance(6 * DAY_MS);
  expect(await at.ask()).toEqual({});
  expect(at.questions()).toBe(2);
  const [lost] = await at.runs();
  expect(lost).toMatchObject({ outcome: "failed", cost: null, task: null });
  expect(at.booked()).toEqual([["2026-11-20", 1]]);
});

interface Told {
  readonly tasks: readonly {
    readonly result: readonly { readonly items: readonly { readonly type: string }[] }[];
  }[];
}
const bentItems = (answer: Told, bend: (item: { readonly type: string }, place: number) => object) => ({
  ...answer,
  tasks: answer.tasks.map((task) => ({
    ...task,
    result: task.result.map(({ items }) => ({ items: items.map(bend) })),
  })),
});
const withoutSites = (answer: never) =>
  bentItems(answer, (item, place) => ({ ...item, url: `https://result-${place}.example/` }));
const addressOf = (host: string) => (host.includes(":") ? `${host}/` : `https://${host}/`);

const withHosts = (answer: never, hosts: readonly string[]) =>
  bentItems(answer, (item, place) => ({ ...item, url: addressOf(hosts[place] ?? "other.example") }));

test("a panel is due half an hour before its days are over: a run that is a little early is none of another day", () => {
  const panel = { created_at: 5, every: 7 } as Panel;
  const last = { panel, run: { asked_at: 1_000 }, result: null } as PanelRun;
  expect([dueAt(panel, undefined), dueAt(panel, last)]).toEqual([5, 1_000 + 7 * DAY_MS - HOUR_MS / 2]);
  expect(dueAt(panel, last, undefined, 0)).toBe(1_000 + 7 * DAY_MS);
});
