/** The pages of notices over real HTTP, against a real receiver: each act with its outcome, and no address or secret in any page or audit. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { readRules } from "../../../src/notices/channel_settings.ts";
import { listChannels } from "../../../src/notices/channels.ts";
import { notice } from "../../../src/notices/outbox.ts";
import { ensureAssets } from "../../../src/sites/site_changes.ts";
import { attribute, elements, parsed, tagged, textNodes, textOf } from "../../support/html.ts";
import { PROXY, type TestTower, testTower } from "../../support/test_tower.ts";

const LIST = "/settings/notices";
const NEW = `${LIST}/new`;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let tower: TestTower;
let receiver: ReturnType<typeof Bun.serve>;
let answers: number[];
let got: { path: string; body: string }[];
/** Everything that was answered: searched for addresses and secrets at the end. */
let answered: string;

beforeEach(async () => {
  answers = [];
  got = [];
  answered = "";
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      got.push({ path: new URL(request.url).pathname, body: await request.text() });
      return new Response("an-answer-of-theirs", { status: answers.shift() ?? 204 });
    },
  });
  tower = await testTower({
    settings: { ...PROXY, OUTBOUND_ALLOWED_HOSTS: "127.0.0.1", TOWER_PUBLIC_URL: "https://tower.example" },
  });
  await tower.deps.writer.write((tx): void => {
    ensureAssets(tx, ["harbor.example"], { actor: "test", now: tower.deps.clock.now() });
  });
});
afterEach(async () => {
  receiver.stop(true);
  await tower.close();
});

const address = (path: string) => `http://127.0.0.1:${receiver.port}/${path}`;

async function ask(path: string, form?: Readonly<Record<string, string>>) {
  const response = await tower.ask(path, form === undefined ? {} : { form });
  const text = await response.text();
  answered += text;
  const html = parsed(text);
  const words = tagged(html, "main")
    .flatMap(textNodes)
    .map((node) => node.text.trim());
  return {
    status: response.status,
    to: response.headers.get("location") ?? "",
    words: words.join(" "),
    html,
  };
}

/** What a page says after an act. */
async function act(path: string, fields: Readonly<Record<string, string>> = {}) {
  const { status, to } = await ask(path, fields);
  expect(status).toBe(303);
  return await ask(to);
}

async function added(fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const hook = {
    kind: "webhook",
    name: "Deploy bot",
    url: address("hidden-path"),
    secret: SECRET,
    ...fields,
  };
  const { status } = await ask(NEW, hook);
  expect(status).toBe(303);
  return `${LIST}/${listChannels(tower.deps.store.db).at(-1)?.id}`;
}

const only = () => listChannels(tower.deps.store.db)[0];
/** The sentences of refusal, by field. */
const refusals = (html: Parameters<typeof elements>[0]) =>
  Object.fromEntries(
    elements(html)
      .filter((element) => attribute(element, "class") === "bad")
      .map((element) => [
        attribute(element, "id")?.replace(/-error$/, ""),
        textNodes(element)
          .map((node) => node.text)
          .join(""),
      ]),
  );

test("a channel is added, tested, paused, resumed, changed, given another address and removed, and none of its addresses and secrets is ever shown", async () => {
  const channel = await added();
  const tested = await act(`${channel}/test`);
  expect(tested.words).toContain("Test delivered.");
  expect(tested.words).toContain("Nothing sent yet");
  expect(JSON.parse(got[0]?.body ?? "")).toMatchObject({ type: "test" });
  const { id: delivery } = JSON.parse(got[0]?.body ?? "") as { id: string };
  expect(tested.words).toContain(delivery);
  const own = elements(tested.html).map((element) => attribute(element, "id"));
  const href = /https:\/\/tower\.example\/settings\/notices#(\S+?)["\\]/.exec(got[0]?.body ?? "")?.[1];
  expect(own).toContain(href);

  expect((await act(`${channel}/pause`)).words).toContain("Paused: nothing is sent.");
  expect((await ask(LIST)).words).toContain("Paused");
  expect((await act(`${channel}/pause`, { undo: "1" })).words).not.toContain("Paused: nothing is sent.");

  const rules = { severity: "error", sites: "harbor.example", "quiet.from": "22:00", "quiet.to": "07:00" };
  await act(channel, { name: "Night desk", ...rules, zone: "Europe/Berlin", digest: "08:00", resolved: "1" });
  expect(only()).toMatchObject({
    name: "Night desk",
    edit_revision: 2,
    rules: {
      ...{ severity: "error", sites: ["harbor.example"], quiet: { from: "22:00", to: "07:00" } },
      ...{ zone: "Europe/Berlin", digest: "08:00", resolved: true },
    },
  });
  const listed = (await ask(LIST)).words;
  expect(listed).toContain("harbor.example Errors only , recoveries".replace(" ,", ","));
  expect(listed).toContain("22:00–07:00, digest 08:00 (Europe/Berlin)");

  const before = only()?.connection_revision;
  const again = { name: "Night desk", severity: "error", zone: "UTC" };
  await act(channel, { ...again, url: address("other-path"), secret: SECRET });
  expect(only()?.connection_revision).not.toBe(before);
  await act(`${channel}/test`);
  expect(got.map(({ path }) => path)).toEqual(["/hidden-path", "/other-path"]);

  const gone = await act(`${channel}/removal`);
  expect(gone.words).toContain("Nobody is notified");
  expect(gone.words).toContain(delivery);
  const audit = JSON.stringify(listAudit(tower.deps.store.db, { limit: 50 }));
  for (const hidden of ["hidden-path", "other-path", SECRET, String(receiver.port), "an-answer-of-theirs"])
    expect(answered + audit).not.toContain(hidden);
});

test("a test that fails says why and what to do, and nothing of the answer", async () => {
  const channel = await added();
  answers = [403];
  const { words } = await act(`${channel}/test`);
  expect(words).toContain("Test failed.");
  expect(words).toContain(
    "Access: The receiver refused the sign-in. Correct the channel's password, secret or token.",
  );
  expect(answered).not.toContain("an-answer-of-theirs");
});

test("every field of a form is judged as the command judges it, nothing is stored, and what was typed is kept but for addresses and secrets", async () => {
  const bad = await ask(NEW, {
    ...{ kind: "mail", name: "ann@shop.example", sites: "nowhere", "quiet.from": "25:00", zone: "Mars" },
    ...{ severity: "loud", host: "hidden host", port: "0", tls: "maybe", to: "hidden-to", from: "x" },
  });
  expect(bad.status).toBe(422);
  expect(refusals(bad.html)).toMatchObject({
    name: "It must be 1 to 100 plain characters and no address, for example On-call mail.",
    "quiet.from": "It must be an hour of the day, for example 22:00.",
    zone: "It must be an IANA time zone, for example Europe/Berlin.",
    host: "It must be a host name without a port, for example smtp.shop.example.",
    port: "It must be a port from 1 to 65535, for example 465.",
    to: "It must be up to 50 mail addresses split by commas, for example ann@shop.example.",
  });
  expect(answered).not.toMatch(/hidden(?: host|-to)/);
  const judged = readRules("ann@shop.example", { severity: "loud" });
  expect(judged.ok ? [] : judged.faults.map(({ field }) => field)).toEqual(
    Object.keys(refusals(bad.html)).filter((name) => ["name", "severity"].includes(name)),
  );
  const unknown = await ask(NEW, { kind: "slack", name: "Chat", url: address("x"), sites: "nowhere" });
  expect([unknown.status, refusals(unknown.html)]).toEqual([422, { sites: "There is no site nowhere." }]);
  expect((await ask(NEW, { kind: "slack", name: "Chat", url: "http://192.0.2.1/" })).status).toBe(422);
  expect(listChannels(tower.deps.store.db)).toEqual([]);
  const channel = await added();
  const twice = await ask(NEW, { kind: "slack", name: "Deploy bot", url: address("x") });
  expect(Object.keys(refusals(twice.html))).toEqual(["name"]);
  const short = await ask(channel, { name: "Deploy bot", url: address("x"), secret: "short" });
  expect(short.status).toBe(422);
  // What has to be changed is not folded away.
  const [folded] = tagged(short.html, "details").filter((one) => textOf(one).startsWith("Replace address"));
  expect(folded === undefined ? undefined : attribute(folded, "open")).toBe("");
  expect(only()?.edit_revision).toBe(1);
});

test("a heartbeat needs neither rules nor a secret, and is nobody who is notified", async () => {
  const channel = await added({ kind: "heartbeat", name: "Pulse", secret: "" });
  expect(only()?.rules.heartbeat).toBe(true);
  await act(channel, { name: "Dead man" });
  expect(only()).toMatchObject({ name: "Dead man", rules: { heartbeat: true } });
  expect((await ask("/")).words).toContain("Nobody is notified.");
});

test("the portfolio says that nobody is notified until a channel exists", async () => {
  const { html, words } = await ask("/");
  expect(words.split("Nobody is notified.")).toHaveLength(2);
  expect(tagged(html, "a").some((link) => attribute(link, "href") === NEW)).toBe(true);
  await added();
  expect((await ask("/")).words).not.toContain("Nobody is notified");
});

test("deliveries are listed newest first for 30 days, by channel and outcome, with a failed one said at the top", async () => {
  const channel = (await added()).slice(LIST.length + 1);
  const now = tower.deps.clock.now();
  const row = { channel, channel_kind: "webhook", type: "digest", attempts: 1 } as const;
  const at = (minutes: number) => ({ created_at: now - minutes * 60_000, due_at: now + 3_600_000 });
  await tower.deps.writer.write((tx): void => {
    for (let n = 1; n <= 60; n++)
      tx.insert(notice)
        .values({ ...row, id: `delivered-${n}`, ...at(n), outcome: "delivered" })
        .run();
    tx.insert(notice)
      .values({ ...row, id: "lost", ...at(0), outcome: "failed", code: "receiver_gone" })
      .run();
    tx.insert(notice)
      .values({ ...row, id: "tried", ...at(0.5), type: "test", outcome: "failed", code: "receiver_silent" })
      .run();
    tx.insert(notice)
      .values({ ...row, id: "late", ...at(90), outcome: "pending", code: "receiver_silent" })
      .run();
    tx.insert(notice)
      .values({ ...row, id: "waits", ...at(91), outcome: "held" })
      .run();
    tx.insert(notice)
      .values({ ...row, id: "old", ...at(60 * 24 * 31), outcome: "failed" })
      .run();
  });
  const first = await ask(LIST);
  expect(first.words).toContain("1 message of the last 30 days never arrived.");
  // Nobody retries a test.
  expect(first.words).toContain("Network: The receiver did not answer in time. Send the test again later.");
  expect(first.words).toContain("Configuration: Nothing takes notices at the receiver's address.");
  const next = tagged(first.html, "a").find((link) => attribute(link, "rel") === "next");
  const second = await ask(attribute(next ?? ({ attrs: [] } as never), "href") ?? "");
  const ids = (words: string) => words.match(/delivered-\d+|lost|late\b|waits|old\b/g) ?? [];
  expect([...ids(first.words), ...ids(second.words)]).toEqual([
    "lost",
    ...Array.from({ length: 60 }, (_, n) => `delivered-${n + 1}`),
    "late",
    "waits",
  ]);
  expect(second.words).toContain("Network: The receiver did not answer in time. Next try 1 Mar 13:00");
  expect(second.words).toContain("Until 1 Mar 13:00");
  expect(ids((await ask(`${LIST}?outcome=failed&channel=${channel}`)).words)).toEqual(["lost"]);
  expect(ids((await ask(`${LIST}?channel=another`)).words)).toEqual([]);
});
