/**
 * Acts of operators on rules, channels, credentials and the ledger, recorded with what pages say after each. After a change that is meant,
 * `bun test test/tower/settings_acts_test.ts --update-snapshots` writes it anew; the difference is to be read like code.
 */

import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { systemFiles } from "../../src/base/files.ts";
import { utcDayOf } from "../../src/base/time.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import { importLedger } from "../../src/ledger/csv.ts";
import { notice } from "../../src/notices/outbox.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { changeAsset, ensureAssets } from "../../src/sites/site_changes.ts";
import { type Acts, actsAt } from "../support/acts.ts";
import { FakeClock } from "../support/clock.ts";
import { testGround } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { filledIn, parsed, tagged } from "../support/html.ts";
import { sendNightly } from "../support/send_nightly.ts";
import { MISSING_DAY, pullSignals, told } from "../support/signals.ts";
import { words } from "../support/words.ts";
import { type World, world } from "../support/world.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let receives = 204;
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response("an-answer-of-theirs", { status: receives }),
});
const siteOf = (name: string, property: string) => ({
  name,
  visitsPerDay: 40,
  firstDay: 20_000,
  analytics: { property, timeZone: "Europe/Paris" },
  searchConsole: { property: `sc-domain:${name}` },
  webmasterTools: { property: `https://${name}/` },
});
const clock = new FakeClock();
const simulators = startSimulators({
  now: () => clock.now(),
  seed: 7,
  world: {
    sites: [siteOf("shop.example", "1001"), siteOf("orchard.example", "1002")],
    accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
  },
});
afterAll(async () => {
  await receiver.stop(true);
  await simulators.stop();
});

let site: World;
let acts: Acts;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  receives = 204;
  simulators.calm();
  folder = temporaryFolder();
  const settings = { ...simulators.settings, DATA_DIR: folder.path, OUTBOUND_ALLOWED_HOSTS: "127.0.0.1" };
  const ground = await testGround();
  clock.advance(ground.clock.now() - clock.now());
  site = await world({ ground: { ...ground, clock }, settings, files: systemFiles });
  acts = actsAt(site);
  const by = { actor: "command-line", now: site.clock.now() };
  await site.writer.write((tx) => ensureAssets(tx, ["shop", "shop.example", "orchard.example"], by));
});
afterEach(async () => {
  await site.close();
  folder[Symbol.dispose]();
});

/** More mistakes than are named. */
const MISTAKES = Array.from({ length: 51 }, (_, place) => `k${place} = 1\n`).join("");

test("the constants document", async () => {
  const at = "/settings/constants";
  const looser = DEFAULT_DOCUMENT.replace("alpha = 0.01 ", "alpha = 0.05 ");
  const wider = DEFAULT_DOCUMENT.replace("silent_hours = 26 ", "silent_hours = 50 ");
  const broken = looser.replace("0.05 ", "7 ").replace("growth_lines = 500 ", "growth_lnes = 500 ");
  const path = join(folder.path, "constants.toml");
  const formIn = (html: string) => {
    const [form] = tagged(parsed(html), "form").filter((one) => one.attrs.some(({ value }) => value === at));
    return form === undefined ? {} : filledIn(form);
  };
  /** Shows a text, and gives the form that saves it as it was shown. */
  const shown = async (text: string) => {
    const form = { ...(await acts.formOf(at, at)), text, act: "show" };
    await acts.send(at, at, form);
    const answer = await (await site.ask(at, { form })).text();
    return { ...form, ...formIn(answer), text, act: "save" } as Readonly<Record<string, string>>;
  };
  await acts.look(at);
  const [loose, wide] = [await shown(looser), await shown(wider)];
  await acts.send(at, at, { ...wide, shown: loose["shown"] ?? "" });
  for (const text of [DEFAULT_DOCUMENT, " ", broken]) {
    const form = await shown(text);
    if (text !== DEFAULT_DOCUMENT) await acts.send(at, at, form);
  }
  await acts.send(at, at, { ...loose, text: MISTAKES });
  site.store.raw.run("PRAGMA query_only = ON");
  await acts.send(at, at, loose);
  site.store.raw.run("PRAGMA query_only = OFF");
  await acts.look(at, "/settings");
  for (const _click of ["first", "second"]) await acts.send(at, at, loose);
  await Bun.write(path, wider);
  site.clock.advance(60_000);
  const stale = await shown(looser);
  await Bun.write(path, DEFAULT_DOCUMENT);
  site.clock.advance(60_000);
  await acts.send(at, at, stale);
  const anew = formIn(await (await site.ask(at, { form: stale })).text());
  await acts.send(at, at, { ...stale, ...anew, text: looser, act: "save" });
  await Bun.write(path, broken);
  site.clock.advance(60_000);
  await acts.look(at, "/settings");
  await acts.look("/settings", "/settings/audit");
  await acts.send(at, at, loose);
  await acts.send(at, at, await shown(DEFAULT_DOCUMENT));
  await acts.look(`${at}/versions`);
  for (const version of ["1", "2", "9", "x", "0"]) await acts.look(`${at}/versions/${version}`);
  await acts.look(`${at}?from=2`, at);
  await acts.look(`${at}?from=9`);
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("tuning", async () => {
  const metric = "sign ups/é 100%";
  const at = `/sites/shop/metrics/${encodeURIComponent(metric)}/tune`;
  await sendNightly(site.deps, "shop", utcDayOf(site.clock.now()), 100, {
    [metric]: (back) => (back === 0 ? 0 : back === 20 || back === 60 ? 19 : 40),
    alpha: () => 5,
  });
  await site.deps.follower.settle();
  await acts.look(at);
  await acts.look(`${at}?alpha=0.000000001`, at);
  await acts.submit(`${at}?alpha=0.001&max_window_days=7`, at);
  await acts.look(`${at}?alpha=2&percent=x`, at);
  await acts.send(at, at, { alpha: "2", digest: "" });
  const twice = await acts.formOf(`${at}?alpha=0.003`, at);
  for (const _click of ["first", "second"]) await acts.send(at, at, twice);
  const path = join(folder.path, "constants.toml");
  const meanwhile = await acts.formOf(`${at}?alpha=0.002`, at);
  const text = await Bun.file(path).text();
  await Bun.write(path, `${text}\n# a note\n`);
  site.clock.advance(60_000);
  await acts.send(at, at, meanwhile);
  await Bun.write(path, "alpha = ");
  site.clock.advance(60_000);
  await acts.look(`${at}?alpha=0.002`, at);
  await acts.send(at, at, meanwhile);
  await Bun.write(path, text);
  site.clock.advance(60_000);
  const flag = await acts.found("/flags?asset=shop", /"\/flags\/([0-9a-f-]{36})/);
  await acts.look(`/flags/${flag}/tune?alpha=0.005`, at);
  await acts.submit(`/flags/${flag}/tune?alpha=0.005`, `/flags/${flag}/tune`);
  await acts.submit("/sites/shop/codebase/tune?growth_percent=40", "/sites/shop/codebase/tune");
  await site.raise("repeats", { asset: "shop", rule: "codebase-duplication" });
  await acts.submit("/flags/repeats/tune?duplication_percent=12", "/flags/repeats/tune");
  // One that the report's next revision leaves out.
  for (const sent of ["gone", metric])
    await sendNightly(site.deps, "shop", utcDayOf(site.clock.now()), 1, { [sent]: () => 3 });
  await acts.look("/sites/shop/metrics/gone/tune");
  await acts.look("/sites/shop/settings");
  await acts.look("/sites/shop/metrics/alpha/tune?alpha=0.001", at);
  await site.raise("silent", { asset: "shop", rule: "stale-ingest", subject: "harbor" });
  for (const path of words(`
    /sites/shop/metrics/unheard/tune /sites/none/metrics/orders/tune /sites/none/codebase/tune
    /flags/none/tune /flags/silent/tune
  `)) {
    await acts.look(path);
  }
  await acts.look("/settings/calibration");
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});

test("a provider's figure beside a sent metric of its name", async () => {
  const today = utcDayOf(site.clock.now());
  await sendNightly(site.deps, "shop", today, 100, { clicks: () => 30 });
  const days = { last: today, days: 100 };
  await pullSignals(site.deps, { asset: "shop", source: "search-console" }, days, {
    clicks: (back) =>
      back < 3 ? told(40, "provisional") : back === 50 ? MISSING_DAY : told(back === 3 ? 20 : 60),
    ctr: (back) => told(0.1, back < 3 ? "provisional" : "final"),
  });
  await site.deps.follower.settle();
  const flag = await acts.found("/flags?asset=shop", /"\/flags\/([0-9a-f-]{36})/);
  await acts.look(`/flags/${flag}`);
  await acts.look(`/flags/${flag}/tune`);
  await acts.submit(`/flags/${flag}/tune?alpha=0.000000000001`, `/flags/${flag}/tune`);
  const at = "/sites/shop/signals/search-console/clicks/tune";
  await acts.look(`${at}?alpha=0.2`, at);
  for (const of of ["search-console/ctr", "analytics/sessions", "pulse/clicks", "search-console/visits"])
    await acts.look(`/sites/shop/signals/${of}/tune`);
  await acts.look("/settings/calibration");
  await acts.look("/sites/shop/settings");
  for (const source of ["search-console", "pulse"]) await acts.look(`/flags?source=${source}`);
  expect(site.deps.constants.current().text).toContain(
    '[assets."shop".signal_rules."search-console"."clicks"]',
  );
  expect(acts.recorded()).toMatchSnapshot();
});

test("channels", async () => {
  const list = "/settings/notices";
  const at = `${list}/new`;
  const url = `http://127.0.0.1:${receiver.port}/hidden-path`;
  await acts.send(`${at}?kind=mail`, at, {
    ...{ kind: "mail", name: "ann@shop.example", sites: "nowhere", "quiet.from": "25:00", zone: "Mars" },
    ...{ severity: "loud", host: "hidden host", port: "0", tls: "maybe", to: "hidden-to", from: "x" },
  });
  await acts.send(`${at}?kind=slack`, at, { kind: "slack", name: "Chat", url, sites: "nowhere" });
  await acts.send(`${at}?kind=slack`, at, { kind: "slack", name: "Chat", url: "http://192.0.2.1/" });
  await acts.submit(`${at}?kind=webhook`, at, { name: "Deploy bot", url, secret: SECRET });
  await acts.send(`${at}?kind=slack`, at, { kind: "slack", name: "Deploy bot", url });
  const id = await acts.found(list, /\/settings\/notices\/([0-9a-f-]{36})/);
  const own = `${list}/${id}`;
  await acts.submit(own, `${own}/test`);
  receives = 403;
  await acts.submit(own, `${own}/test`);
  await acts.submit(own, `${own}/pause`);
  await acts.look(list);
  await acts.send(own, `${own}/pause`, { undo: "1" });
  const rules = { severity: "error", sites: "harbor", "quiet.from": "22:00", "quiet.to": "07:00" };
  await acts.submit(own, own, {
    name: "Night desk",
    ...rules,
    zone: "Europe/Berlin",
    digest: "08:00",
    resolved: "1",
  });
  await acts.look(list);
  await acts.submit(own, own, { url, secret: "short" });
  await acts.submit(own, own, { url: `${url}-2`, secret: SECRET });
  await acts.submit(`${at}?kind=heartbeat`, at, { name: "Pulse", url });
  await acts.look("/", list);
  await acts.submit(own, `${own}/removal`);
  acts.audit();
  expect(acts.answered()).not.toMatch(/hidden-path|an-answer-of-theirs|hidden host|hidden-to/);
  expect(acts.recorded()).toMatchSnapshot();
});

test("deliveries of thirty days", async () => {
  const list = "/settings/notices";
  const url = `http://127.0.0.1:${receiver.port}/`;
  await acts.submit(`${list}/new?kind=slack`, `${list}/new`, { name: "Chat", url });
  const channel = await acts.found(list, /\/settings\/notices\/([0-9a-f-]{36})/);
  const now = site.clock.now();
  const row = { channel, channel_kind: "slack", type: "digest", attempts: 1 } as const;
  const at = (minutes: number) => ({ created_at: now - minutes * 60_000, due_at: now + 3_600_000 });
  const rows = [
    ...Array.from({ length: 60 }, (_, n) => ({
      id: `delivered-${n}`,
      ...at(n + 1),
      outcome: "delivered" as const,
    })),
    { id: "lost", ...at(0), outcome: "failed" as const, code: "receiver_gone" as const },
    {
      id: "tried",
      ...at(0.5),
      type: "test" as const,
      outcome: "failed" as const,
      code: "receiver_silent" as const,
    },
    { id: "late", ...at(90), outcome: "pending" as const, code: "receiver_silent" as const },
    { id: "waits", ...at(91), outcome: "held" as const },
    { id: "old", ...at(60 * 24 * 31), outcome: "failed" as const },
  ];
  await site.writer.write((tx): void => {
    for (const of of rows)
      tx.insert(notice)
        .values({ ...row, ...of })
        .run();
  });
  await acts.look(list);
  await acts.look(await acts.found(list, /rel="next" href="([^"#]*)/), list);
  for (const query of [`outcome=failed&channel=${channel}`, "channel=another"])
    await acts.look(`${list}?${query}`, list);
  expect(acts.recorded()).toMatchSnapshot();
});

test("credentials and what is attached over them", async () => {
  const list = "/settings/credentials";
  const at = `${list}/new`;
  const attach = `${list}/attachments`;
  const google = "google-service-account";
  for (const form of [
    { kind: google, providers: "analytics", secret: '{"type":"canary-user","client_email":"canary"}' },
    { kind: google, providers: "analytics", secret: "canary-no-json" },
    { kind: google, secret: "canary" },
    { kind: google, providers: "analytics" },
    { kind: "webmaster-tools-key", secret: "canary key" },
    { kind: "webmaster-tools-key" },
    { kind: "webmaster-tools-key", secret: "canary-0123456789", label: "me@canary.example" },
    { kind: "webmaster-tools-key", secret: "canary-0123456789", label: "l".repeat(201) },
    { kind: google, providers: "analytics", secret: "canary", file: "canary" },
  ]) {
    await acts.send(at, at, form as Readonly<Record<string, string>>);
  }
  const stored = async (account: string) => {
    const form = new FormData();
    form.set("kind", google);
    for (const provider of ["analytics", "search-console"]) form.append("providers", provider);
    form.set("file", new File([simulators.serviceAccount({ account })], "key.json"));
    const to = await acts.send(at, at, form);
    await acts.look(to);
    return to.replace(/\?.*/, "");
  };
  const own = await stored("tower");
  const act = (path: string, noun: string, form: Parameters<Acts["send"]>[2] = {}) =>
    acts.send(path, `${path}/${noun}`, form);
  await act(own, "test");
  await act(own, "discovery");
  await acts.look(attach);
  const credential = own.split("/").at(-1) ?? "";
  const attached = (rows: readonly (readonly [property: string, asset: string])[], more = {}) => {
    const fields = new URLSearchParams(more);
    for (const [place, [property, asset]] of rows.entries()) {
      fields.append("pick", String(place));
      fields.append(`row-${place}`, `${credential} analytics ${property}`);
      fields.append(`site-${place}`, asset);
    }
    return acts.send(attach, attach, fields);
  };
  await attached(
    [
      ["1001", "nowhere.example"],
      ["1002", ""],
    ],
    { pick: "none" },
  );
  await attached([
    ["1001", "shop.example"],
    ["1002", "shop.example"],
  ]);
  await attached([["1002", "shop.example"]]);
  await attached([["1002", "shop.example"]], { replace: "1" });
  await acts.look(`${attach}?show=attached`, attach);
  await acts.look(`${attach}?q=zzz`, attach);
  const back = "/sites/shop.example/settings";
  await acts.look(back);
  await acts.send(back, `${attach}/detachment`, { asset: "shop.example", provider: "analytics", back });
  const nobody = await stored("nobody");
  await act(nobody, "test");
  await act(nobody, "discovery");
  clock.advance(1_000);
  simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin" });
  await act(own, "test");
  await acts.look(list);
  simulators.script({ kind: "error", error: "rate-limit-403" }, { server: "analyticsAdmin" });
  clock.advance(1_000);
  for (let twice = 0; twice < 2; twice++) await act(own, "test");
  const another = new FormData();
  another.set("secret", simulators.serviceAccount({ account: "nobody" }));
  await act(own, "replacement", another);
  const bing = await acts.send(at, at, { kind: "webmaster-tools-key", secret: simulators.webmasterKey() });
  const by = { actor: "test", now: clock.now(), onRetired: () => {} };
  await changeAsset(site.writer, "shop.example", { url: "https://shop.example/" }, by);
  await site.deps.jobs.run("webmaster-tools", "command");
  await acts.look(bing.replace(/\?.*/, ""));
  await acts.look(list);
  await act(own, "removal");
  await act(own, "test");
  acts.audit();
  const file = JSON.parse(simulators.serviceAccount()) as Record<string, string>;
  const key = file["private_key"]?.slice(40, 100) ?? "";
  for (const part of [
    file["client_email"] ?? "",
    key,
    file["private_key_id"] ?? "",
    simulators.webmasterKey(),
  ])
    expect(acts.answered().includes(part)).toBe(false);
  expect(acts.answered().replaceAll("me@canary.example", "")).not.toContain("canary");
  expect(acts.recorded()).toMatchSnapshot();
});

test("rows of the ledger", async () => {
  const fileOf = (heading: string, ...lines: readonly string[]) => `${[heading, ...lines].join("\n")}\n`;
  const revenue = "asset,period,source,status,amount,currency,ref";
  const upload = async (file: string, rows: "revenue" | "costs" = "revenue") => {
    const rates = site.deps.constants.current().constants.ledger.operator_rates;
    const by = { by: "ada", now: clock.now(), rates, dryRun: false };
    const { bad } = await importLedger(site.deps, rows, new TextEncoder().encode(file), by);
    expect(bad).toStrictEqual([]);
  };
  await upload(fileOf(revenue, "shop,2026-02,adsense,booked,1000,EUR,"));
  const good = fileOf(
    revenue,
    "shop,2026-02,adsense,booked,1250,EUR,",
    "shop,2026-02,adsense,booked,-1,EUR,r",
    "shop,2026-02,stripe,booked,7,JPY,",
    "shop,2026-02,adsense,booked,1000,EUR,x",
    "shop,2025-02,adsense,booked,190411,EUR,",
    "shop,2026-01,stripe,estimated,9000,EUR,",
  );
  const at = "/ledger/upload";
  /** Shows what a file would store. */
  const preview = async (file: string | Uint8Array<ArrayBuffer>, rows = "revenue") => {
    const form = new FormData();
    form.set("rows", rows);
    form.set("file", new Blob([file], { type: "text/csv" }), "rows.csv");
    await acts.send(at, at, form);
  };
  await preview(good);
  await acts.send(at, at, {
    act: "store",
    rows: "revenue",
    csv: Buffer.from(good).toString("base64url"),
  });
  await preview(good);
  await preview(fileOf(revenue, "shop,2026-13,adsense,booked,1.5,EUR,", "nowhere,2026-02,x,booked,1,EUR,"));
  await preview("");
  await preview(good, "profit");
  for (const encoding of ["latin1", "utf16le"] as const)
    await preview(Uint8Array.from(Buffer.from(good.replace("stripe", "Café"), encoding)));
  await preview(`${revenue}\n${"x".repeat(4 * 1024 * 1024)}`);
  await preview("<img src=x onerror=alert(1)>',amount\nx,1\n");
  const ranges = ["estimated,700,EUR,20,1000", "estimated,41234,JPY,,", "booked,300,EUR,,"];
  await upload(
    fileOf(
      revenue.replace("ref", "low,high"),
      ...ranges.map((rest, place) => `shop,2026-0${place + 1},affiliate,${rest}`),
    ),
  );
  await upload(
    fileOf(
      revenue.replace("ref", "legacy"),
      "shop,2025-11,partner,estimated,600,EUR,",
      "shop,2025-11,partner,booked,650,EUR,",
      "shop,2025-11,old,booked,5,,true",
    ),
  );
  const path = join(folder.path, "constants.toml");
  for (const [month, rate] of [
    [1, 6_000],
    [2, 9_000],
  ] as const) {
    const text = await Bun.file(path).text();
    await Bun.write(
      path,
      text.replace(/(operator_rates\]\n).*/, (_, head: string) => `${head}EUR = ${rate}`),
    );
    clock.advance(60_000);
    await site.deps.constants.refresh();
    const costs = fileOf(
      "asset,kind,source,period,minutes,amount,change,currency",
      `shop,operator_minutes,ada,2026-02,60,,,EUR`,
      `shop,inference,lab,2026-0${month},,10000,v42,EUR`,
      `shop,inference,lab,2026-0${month},,500,os-overhead,EUR`,
      `,external_api,maps,2026-0${month},,100,,JPY`,
    );
    await upload(month === 1 ? costs : costs.replace("ada", "ben"), "costs");
  }
  const rows = "/ledger/rows?currency=EUR";
  for (const page of ["/ledger", "/sites/shop/ledger", "/ledger/rows", rows]) await acts.look(page);
  for (const page of [`${rows}&kind=inference`, `${rows}&kind=external_api`, "/ledger/rows?currency=XXY"])
    await acts.look(page, rows);
  acts.audit();
  expect(acts.recorded()).toMatchSnapshot();
});
