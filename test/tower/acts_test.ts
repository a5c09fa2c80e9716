/**
 * Acts of operators on sites, tokens, the timeline, integrations and flags, recorded with what pages say after each. After a change that is
 * meant, `bun test test/tower/acts_test.ts --update-snapshots` writes it anew; the difference is to be read like code.
 */

import { beforeEach, expect, test } from "bun:test";
import { addOperator } from "../../src/access/operators.ts";
import { formatInstant, utcDayOf } from "../../src/base/time.ts";
import { holdOpen } from "../../src/flags/reconcile.ts";
import { pause } from "../../src/health/pauses.ts";
import { attachProperty } from "../../src/signals/credential_changes.ts";
import { postAnnotation } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { type Acts, actsAt } from "../support/acts.ts";
import { storedCredential } from "../support/credentials.ts";
import { HARBOR_TOKEN } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { acceptCodebase } from "../support/nightly.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { setLifecycle } from "../support/sites.ts";
import { words } from "../support/words.ts";
import { world } from "../support/world.ts";

const DAY_MS = 86_400_000;
const MONTH = "2026-03";

let acts: Acts;
const site = fresh(() => world({ settings: { TOWER_PUBLIC_URL: "https://tower.example" } }));
beforeEach(async () => {
  acts = actsAt(site);
  const by = { actor: "command-line", now: site.clock.now() };
  await site.writer.write((tx) => ensureAssets(tx, ["gone", "shop", "tower"], by));
  await setLifecycle(site.writer, "gone", "retired");
});

test("a site's settings", async () => {
  const at = "/sites/shop/settings";
  await acts.submit(at, at, {
    url: "https://new.example",
    group: '  <b>"Åsa" & عميل</b> ',
    lifecycle: "pre-launch",
  });
  await acts.send(at, at, { url: "", lifecycle: "live" });
  for (const form of [
    { url: "javascript:alert(1)", lifecycle: "asleep" },
    { url: "", lifecycle: " retired" },
    { url: "", group: "a".repeat(201), lifecycle: "live" },
    { url: "", group: "a\u0007b", lifecycle: "live" },
  ]) {
    await acts.send(at, at, form);
  }
  for (const [family, storage] of [
    ["signups", "d1"],
    ["page views", "kv"],
    ["", "d1"],
    ["a", "tape"],
    ["a", " d1"],
  ] as const) {
    await acts.send(at, `${at}/families`, { family, storage });
  }
  await acts.submit(at, `${at}/families/withdrawal`);
  await acts.submit(at, `${at}/tokens`);
  const token = await acts.found(at, /smt_([a-z2-7]{8})_/);
  await acts.send(at, "/settings/tokens/receipt", { kind: "site", name: "shop", to: at });
  await acts.send(at, "/sites/harbor/settings/tokens/none/revocation", {});
  await acts.send(at, `/sites/harbor/settings/tokens/${token}/revocation`, {});
  await acts.submit(at, `${at}/tokens/${token}/revocation`);
  await acts.send(at, `${at}/tokens/${token}/revocation`, {});
  await site.raise("own", { asset: "shop" });
  await site.raise("silence", { asset: "tower", rule: "stale-ingest", subject: "shop" });
  await acts.send(at, `${at}/removal`, {});
  await acts.submit(at, at, { lifecycle: "retired" });
  await acts.look("/flags?status=resolved");
  for (const below of [
    "",
    "/families",
    "/families/withdrawal",
    "/tokens",
    "/tokens/abc/revocation",
    "/removal",
  ])
    await acts.send(at, `/sites/none/settings${below}`, {});
  await acts.submit("/sites/gone/settings", "/sites/gone/settings/removal");
  const own = "/sites/tower/settings";
  await acts.send(own, own, { url: "", group: "", lifecycle: "retired" });
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("adding a site", async () => {
  const kiln = { id: "kiln", url: "kiln.example", lifecycle: "live" };
  const at = "/sites/kiln/first-report";
  await acts.send("/sites/new", "/sites", {
    ...kiln,
    id: "https://kiln.example/",
    url: "",
  });
  for (const id of ["harbor", "Harbor", "new", "-kiln", "k".repeat(129)])
    await acts.send("/sites/new", "/sites", { ...kiln, id });
  await acts.send("/sites/new", "/sites", { ...kiln, url: "kiln" });
  await acts.submit("/sites/new", "/sites", kiln);
  await acts.send("/sites/new", "/sites", kiln);
  await acts.send(at, "/settings/tokens/receipt", { kind: "site", name: "kiln", to: at });
  await acts.submit(at, `${at}/token`);
  const generatedAt = formatInstant(site.clock.now());
  await acts.watch("/sites/shop/first-report");
  await acceptCodebase(site, codebaseReport({ asset: "shop", generatedAt, measures: { files: 1 } }));
  await acts.watch("/sites/shop/first-report");
  const report = { asset: "kiln", generatedAt, metrics: {} };
  await acts.report(report, "smt_no_such_token");
  await acts.look(at);
  await acts.report(report, HARBOR_TOKEN);
  await acts.look(at);
  const token = await acts.found(at, /(smt_[a-z2-7]{8}_\w+)/);
  await acts.report({ ...report, metrics: { a: { last24h: -1 } } }, token);
  await acts.look(at);
  await acts.report(report, token);
  await acts.look(at);
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("tokens, links to the Wall and operators", async () => {
  const at = "/settings/tokens";
  const ofShop = "/sites/shop/settings";
  await acts.send(at, "/sites/shop.exampel/settings/tokens", {});
  await acts.submit(ofShop, `${ofShop}/tokens`);
  const token = await acts.found(ofShop, /(smt_[a-z2-7]{8}_\w+)/);
  const id = token.split("_")[1] ?? "";
  const report = { asset: "shop", generatedAt: formatInstant(site.clock.now()), metrics: {} };
  await acts.report(report, token);
  await acts.look(ofShop, "/settings");
  await acts.send(ofShop, `${at}/receipt`, { kind: "site", name: "shop", to: ofShop });
  site.clock.advance(60_000);
  await acts.send(ofShop, `${ofShop}/tokens`, {});
  await acts.send(at, `${at}/operator`, { name: "older", scopes: "read" });
  site.clock.advance(60_000);
  await acts.send(at, `${at}/operator`, { name: "newer", scopes: "read" });
  site.deps.siteTokens.setNamed([{ asset: "shop", token: "a-token-of-the-setting" }]);
  for (const page of [at, ofShop]) await acts.look(page, "/settings");
  for (let twice = 0; twice < 2; twice++) await acts.send(ofShop, `${ofShop}/tokens/${id}/revocation`, {});
  await acts.report(report, token);
  await acts.send(at, `${at}/operator`, { name: "<b>", scopes: "everything" });
  await acts.submit(at, `${at}/operator`, { name: "ci", scopes: "annotations" });
  const service = await acts.found(at, /smc_([a-z2-7]{8})_/);
  await acts.send(at, `${at}/operator/${service}/revocation`, {});
  for (const name of [" TV in the hall ", "", "two\nlines"])
    await acts.send("/settings/wall", "/settings/wall", { name });
  await acts.submit("/settings/wall", "/settings/wall", { name: "TV in the hall" });
  site.clock.advance(60_000);
  await acts.send("/settings/wall", "/settings/wall", { name: "Kitchen" });
  await acts.look("/settings/wall");
  const link = await acts.found("/settings/wall", /smw_([a-z2-7]{8})_/);
  await acts.send("/settings/wall", `${at}/receipt`, {
    kind: "wall",
    name: "TV in the hall",
    to: "/settings/wall",
  });
  await acts.submit("/settings/wall", `/settings/wall/${link}/revocation`);
  await acts.send("/settings/wall", `/settings/wall/${link}/revocation`, {});
  for (const [on, form, typed] of [
    [at, `${at}/operator`, { name: "ci", scopes: "ledger" }],
    [ofShop, `${ofShop}/tokens`, {}],
    ["/settings/wall", "/settings/wall", { name: "Porch" }],
  ] as const) {
    const twice = { ...(await acts.formOf(on, form)), ...typed };
    for (const _click of ["first", "second"]) await acts.send(on, form, twice);
  }
  await site.ask("/", { as: "ben" });
  await addOperator(site.deps, { name: "eve", password: GOOD_PASSWORD }, { actor: "test", now: 0 });
  await acts.look("/settings/operators");
  for (const name of ["ada", "ci", "ci", "ben", "eve"])
    await acts.send("/settings/operators", `/settings/operators/${name}/removal`, {});
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("entries of the timeline", async () => {
  const form = { kind: "config", asset: "harbor", at: `${MONTH}-01T10:30`, ref: "dns", note: "Two\nlines" };
  await acts.submit("/timeline", "/timeline", form);
  await acts.send("/timeline", "/timeline", { ...form, note: "other" });
  for (const changes of [
    { at: `${MONTH}-01T12:00` },
    { at: `${MONTH}-01 12:00:00.000` },
    { at: `${MONTH}-01T12:01` },
    { at: "" },
    { asset: "typo" },
    { asset: "" },
    { ref: " " },
    { kind: "" },
    { note: "n".repeat(2_001) },
  ]) {
    await acts.send("/timeline", "/timeline", { ...form, ...changes });
  }
  await acts.submit("/sites/shop/timeline", "/sites/shop/timeline", { ...form, asset: "*" });
  await acts.send("/sites/shop/timeline", "/sites/shop/timeline", form);
  await acts.send("/timeline", "/sites/nowhere/timeline", form);
  const back = "/sites/harbor/timeline?range=30";
  const id = await acts.found(back, /id="entry-([^"]+)"/);
  await acts.send(back, `/timeline/${id}/strike`, { back, reason: "x".repeat(2_001) });
  await acts.send(back, `/timeline/${id}/strike`, { back, reason: " <b>wrong</b> " });
  await acts.send(back, `/timeline/${id}/strike/withdrawal`, { back });
  await acts.send("/timeline", `/timeline/${id}/strike`, { back: "//evil.example" });
  await acts.send("/timeline", "/timeline/nope/strike", {});
  for (const [asset, daysAgo, ref] of [
    ["ghost", 3, "early"],
    ["shop", 9, "Checkout-7"],
    ["*", 400, "core"],
  ] as const) {
    const at = formatInstant(site.clock.now() - daysAgo * DAY_MS);
    await postAnnotation(site.deps, { asset, at, kind: "deploy", ref, note: "New Cart" }, "ci");
  }
  await acts.look("/timeline");
  for (const path of ["/sites/ghost/timeline", "/sites/shop/timeline", "/timeline?asset=ghost&range=365"])
    await acts.look(path);
  for (const query of words(`
    range=365 q=cart+checkout range=7&to=2026-02-25 to=2024-01-01 kind=config asset=* q=DNS q=nowhere
    range=7&to=2026-01-01 kind=incident
  `))
    await acts.look(`/timeline?${query}`, "/timeline");
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("pauses and disconnections", async () => {
  const at = "/integrations/pauses";
  const daily = { capability: "analytics.daily", asset: "shop" };
  const back = "/sites/shop/settings?page=2&done=resumed";
  await acts.submit(at, at, { ...daily, to: back });
  await acts.look(at);
  for (let twice = 0; twice < 2; twice++) await acts.send(at, `${at}/withdrawal`, { ...daily, to: back });
  await acts.send(at, at, daily);
  await acts.send(at, at, { ...daily, asset: "", until: utcDayOf(site.clock.now() + 3 * DAY_MS) });
  for (const of of [daily, { ...daily, asset: "" }, daily]) await acts.send(at, `${at}/withdrawal`, of);
  for (const wrong of [
    { capability: "analytics.weekly", asset: "shop" },
    { capability: "ingest.nightly", asset: "shop" },
    { capability: "analytics.connection-test", asset: "" },
    { ...daily, asset: "<b>" },
    { capability: "", asset: "" },
    { capability: "", asset: "tower" },
    { capability: "", asset: "gone" },
    { capability: "", asset: "shop", until: formatInstant(site.clock.now()) },
    { capability: "", asset: "shop", until: "soon" },
  ]) {
    await acts.send(at, at, { ...wrong, to: "/sites/shop" });
  }
  await acts.send(at, at, { ...daily, to: "//evil.example/x" });
  await site.writer.write((tx) => {
    for (let place = 0; place < 101; place++) {
      const of = { ...daily, asset: `site-${String(place).padStart(3, "0")}`, until: null };
      pause(tx, of, { actor: "operator:ada", now: site.clock.now() });
    }
  });
  for (const query of ["", "?page=2"]) await acts.look(`${at}${query}`, "/integrations");
  const settings = "/sites/shop/settings";
  await acts.send(settings, at, { capability: "", asset: "shop", until: `${MONTH}-04`, to: settings });
  await acts.submit(settings, settings, { lifecycle: "retired" });
  await acts.submit(settings, settings, { lifecycle: "live" });
  await acts.look("/sites/tower/settings");
  const off = "/integrations/disconnection";
  for (const [provider, property] of [
    ["analytics", "11"],
    ["webmaster-tools", "https://shop.example/"],
  ] as const) {
    const { id: credential } = await storedCredential(site.deps, provider);
    const by = { actor: "test", now: site.clock.now() };
    await attachProperty(site.deps, { asset: "shop", provider, credential, property, replace: false }, by);
    const of = { provider, asset: "shop", to: settings };
    for (const path of [`${off}/withdrawal`, off, off, `${off}/withdrawal`])
      await acts.send(settings, path, of);
  }
  for (const path of [off, `${off}/withdrawal`])
    for (const wrong of [
      { provider: "radio", asset: "shop" },
      { provider: "analytics", asset: "nowhere" },
    ])
      await acts.send(settings, path, wrong);
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("acts on a flag", async () => {
  await site.raise("one", { severity: "error" });
  site.clock.advance(3_600_000);
  for (const [noun, form] of [
    ["acknowledgement", {}],
    ["snooze", { days: "7" }],
    ["snooze", { until: "2020-01-01T00:00" }],
    ["incident", { text: "INC-7" }],
    ["incident", { text: "x\u0000y" }],
    ["hypothesis", { text: "é".repeat(2_000) }],
    ["hypothesis", { text: "é".repeat(2_001) }],
    ["resolution", {}],
    ["deletion", {}],
  ] as const) {
    await acts.send("/flags/one", `/flags/one/${noun}?severity=error`, form);
    site.clock.advance(DAY_MS);
    if (noun !== "resolution") await acts.send("/flags/one", `/flags/one/${noun}`, { undo: "1" }, "ben");
  }
  const again = await acts.send("/flags/one", "/flags/one/resolution", { undo: "1" });
  const [, , id = ""] = again.split(/[/?]/);
  const seen = await acts.found(`/flags/${id}`, /name="seen" value="([^"]*)"/);
  await acts.send(`/flags/${id}`, `/flags/${id}/acknowledgement`, { seen });
  await acts.send(`/flags/${id}`, `/flags/${id}/incident`, { seen, text: "INC-9" }, "ben");
  await acts.send("/flags", "/flags/nothing/acknowledgement", {});
  for (const told of ["hacked 1 0", "undone x", "made <b>", "acknowledge 1 0 hacked"])
    await acts.look(`/flags?told=${encodeURIComponent(told)}`, "/flags");
  expect(acts.recorded()).toMatchSnapshot();
});

test("a flag that is held open, with what was near in time", async () => {
  const now = site.clock.now();
  await site.writer.write((tx): void => {
    for (let failed = 1; failed <= 23; failed++) {
      const report = { date: "2026-02-28", revision: 2 };
      holdOpen(tx, {
        rule: "asset-pull-failed",
        asset: "tower",
        subject: "",
        severity: "error",
        kind: "anomaly",
        message: "The pull failed.",
        inputs: { failed, report, comparison: null, nested: { deep: { x: [1] } } },
        reading: { failed },
        now,
        newId: () => "held",
      });
    }
  });
  for (const [daysAgo, ref] of [
    [1, "v9"],
    [30, "long ago"],
  ] as const) {
    const at = formatInstant(now - daysAgo * DAY_MS);
    await postAnnotation(site.deps, { asset: "tower", at, kind: "deploy", ref }, "ci");
  }
  await acts.send("/flags", "/flags/held/acknowledgement", {});
  await acts.look("/flags/held");
  expect(await (await site.ask("/api/flags/held")).json()).toMatchSnapshot();
  expect(acts.recorded()).toMatchSnapshot();
});

test("the inbox, and acts on several flags", async () => {
  await site.raise("one", { severity: "error" });
  site.clock.advance(3_600_000);
  await site.raise("two", { severity: "warn", subject: "2", rule: "codebase-unused", kind: "opportunity" });
  await site.raise("three", {
    severity: "info",
    subject: "3",
    asset: "orchard",
    origin: "provider",
    rule: "x",
  });
  await site.raise("four", { severity: "error", subject: "4" });
  for (const id of ["five", "six"]) await site.raise(id, { subject: id });
  const bulk = (form: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
    const fields = new URLSearchParams(form);
    for (const flag of flags) fields.append("flag", flag);
    return acts.send("/flags", "/flags/dispositions", fields);
  };
  await bulk({ act: "acknowledge" }, "one", "gone");
  await bulk({ act: "snooze", days: "7" }, "five");
  await bulk({ act: "resolve" }, "six", "two");
  await bulk({ act: "acknowledge" }, "two", "three");
  await bulk({ act: "snooze", days: "1" });
  for (const act of ["", "delete", "incident", "tune", "reopen"]) await bulk({ act }, "one");
  await acts.look("/flags");
  for (const query of words(`
    sort=newest severity=error kind=opportunity&status=resolved asset=orchard origin=provider
    mark=acknowledged mark=unread&severity=error status=snoozed q=HARBOR q=nowhere kind=milestone
    page=99
  `)) {
    await acts.look(`/flags?${query}`, "/flags");
  }
  await acts.look("/sites/orchard/flags");
  await acts.look("/sites/shop/flags");
  expect(acts.recorded()).toMatchSnapshot();
});
