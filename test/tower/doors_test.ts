/**
 * The doors, as a browser with cookies meets them: setting up, signing in and out, sessions, passwords, and the password again before an act
 * that hands out access. Every answer is recorded with its headers and its page; a change that is meant is written with
 * `bun test test/tower/doors_test.ts --update-snapshots`, and the difference is to be read like code.
 */

import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { listNewest } from "../../src/access/audit.ts";
import { addOperator } from "../../src/access/operators.ts";
import { renewSetupLink } from "../../src/access/setup_link.ts";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { readConfig } from "../../src/base/config.ts";
import type { Files } from "../../src/base/files.ts";
import { addAsset } from "../../src/sites/site_changes.ts";
import { beyond } from "../support/acts.ts";
import { parsed, readAloud, tagged } from "../support/html.ts";
import { GOOD_PASSWORD, OTHER_PASSWORD } from "../support/operators.ts";
import { ORIGIN, Walk } from "../support/tower.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HEADERS = "location refresh hx-redirect retry-after www-authenticate cache-control".split(" ");
const NO_FILES: Files = {
  changedAt: async () => undefined,
  read: async () => new Uint8Array(),
  writeNew: async () => undefined,
  rename: async () => undefined,
  syncFolder: async () => undefined,
  remove: async () => undefined,
};
const ADA = { name: "ada", password: GOOD_PASSWORD };
const WRONG = { name: "ada", password: "wrong wrong wrong" };
const BY = { actor: "command-line", now: 0 };

/** A browser that writes down what it is answered. */
class Diary {
  readonly walk: Walk;
  readonly #said: string[] = [];
  readonly #before = new Map<string, readonly string[]>();

  constructor(...options: ConstructorParameters<typeof Walk>) {
    this.walk = new Walk(...options);
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#note(`GET ${path}`, await this.walk.get(path, headers));
  }

  async post(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.#note(`POST ${path} ${Object.keys(fields)}`, await this.walk.post(path, fields, headers));
  }

  /** Time goes by. A session that is used meanwhile stays. */
  async wait(ms: number, isUsed = true): Promise<void> {
    this.#said.push(`${ms} ms later`);
    for (let left = ms; left > 0 && isUsed; left -= 20 * MINUTE) {
      this.walk.deps.clock.advance(Math.min(left, 20 * MINUTE));
      await this.walk.get("/settings/sessions");
      await this.walk.deps.writer.settled();
    }
    if (!isUsed) this.walk.deps.clock.advance(ms);
  }

  async #note(what: string, answer: Response): Promise<void> {
    await this.walk.deps.writer.settled();
    const cookies = answer.headers.getSetCookie().map((line) => line.replace(/^([^=]+)=[^;]+/, "$1=…"));
    const told = HEADERS.flatMap((name) => answer.headers.get(name) ?? []);
    const page = parsed((await answer.text()).replaceAll(TOWER_COMMAND, "bun run tower"));
    const [main = page] = tagged(page, "main");
    const lines = readAloud(main);
    // Of a page that was seen before what is otherwise now.
    const [path = ""] = what.replace(/^\w+ /, "").split(/[ ?]/);
    const before = this.#before.get(path) ?? [];
    const gone = lines.length === 0 ? [] : beyond(before, lines).map((line) => `- ${line}`);
    if (lines.length > 0) this.#before.set(path, lines);
    this.#said.push([what, answer.status, ...told].join(" "), ...cookies, ...gone, ...beyond(lines, before));
  }

  recorded(): string {
    const acts = listNewest(this.walk.deps.store.db, { limit: 99 }).toReversed();
    const audit = acts.map(({ actor, act, target, detail }) => `${actor} ${act} ${target} ${detail}`);
    return `\n${[...this.#said, ...audit].join("\n")}\n`;
  }
}

/** A service with an operator who has not signed in yet. */
async function withAda(...options: ConstructorParameters<typeof Walk>): Promise<Diary> {
  const diary = new Diary(...options);
  await addOperator(diary.walk.deps, ADA, BY);
  return diary;
}

test("setting up: the link opens a form, which makes the first operator once, within half an hour", async () => {
  const diary = new Diary();
  const { walk } = diary;
  const renew = async () => {
    const deps = { ...walk.deps, config: readConfig({ DATA_DIR: tmpdir() }) };
    return new URL(await renewSetupLink(deps, ORIGIN, NO_FILES)).searchParams.get("code") ?? "";
  };
  await diary.get("/setup");
  await diary.get("/setup?code=nonsense");
  const over = await renew();
  await diary.wait(30 * MINUTE - 1, false);
  await diary.get(`/setup?code=${over}`);
  await diary.wait(1, false);
  await diary.get(`/setup?code=${over}`);
  await diary.post("/setup", { code: over, ...ADA });
  const code = await renew();
  await diary.get(`/setup?code=${code}`);
  await diary.post("/setup", { code, ...ADA, password: "short" });
  await diary.post("/setup", { code, ...ADA, name: " ", keep: "1" });
  await diary.post("/setup", { code, ...ADA }, { origin: "https://evil.example" });
  await diary.post("/setup", { code, ...ADA }, { origin: "" });
  await diary.get("/settings/tokens?q=shop");
  await diary.get("/settings/tokens", { "hx-request": "true" });
  await diary.post("/timeline");
  await diary.get("/sign-in");
  await diary.post("/setup", { code, ...ADA, keep: "1" });
  await diary.get("/settings/sessions");
  walk.forgetCookies();
  await diary.get(`/setup?code=${code}`);
  await diary.post("/setup", { code, name: "bob", password: OTHER_PASSWORD });
  await diary.post("/sign-in", { name: "bob", password: OTHER_PASSWORD });
  expect(diary.recorded()).toMatchSnapshot();
});

test("signing in and out", async () => {
  const diary = await withAda();
  const { walk } = diary;
  await addOperator(walk.deps, { name: "Zo\u00eb", password: OTHER_PASSWORD }, BY);
  await diary.post("/sign-in", { name: "Zoe\u0308", password: OTHER_PASSWORD });
  walk.forgetCookies();
  await diary.get("/sign-in?to=/flags?status=open");
  for (const done of ["not-saved", "sessions-ended", "none"]) await diary.get(`/sign-in?done=${done}`);
  for (const name of ["ada", "bob"]) await diary.post("/sign-in", { ...WRONG, name, keep: "1" });
  await diary.post("/sign-in", { ...ADA, to: "//evil.example" }, { origin: "https://evil.example" });
  for (const to of ["//evil.example", "/\\evil.example", "/flags?status=open"]) {
    walk.deps.clock.advance(MINUTE);
    await diary.post("/sign-in", { ...ADA, to });
  }
  await diary.get("/sign-in?to=/timeline");
  await diary.get("/sign-out");
  await diary.post("/sign-out", {}, { origin: "https://evil.example" });
  const kept = walk.cookie("__Host-tower") ?? "";
  await diary.post("/sign-out");
  await diary.post("/sign-out");
  await diary.get("/settings/tokens", { cookie: `__Host-tower=${kept}` });
  await diary.get("/settings/tokens", {
    "hx-request": "true",
    "hx-current-url": `${ORIGIN}/sites/shop?tab=a`,
  });
  await diary.get("/settings/tokens", { "hx-request": "true", "hx-current-url": "nonsense" });
  const elsewhere = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  await diary.get("/settings/tokens", elsewhere);
  await diary.get("/settings/tokens", { ...elsewhere, "sec-fetch-mode": "no-cors" });
  await diary.get("/settings/tokens", { ...elsewhere, "sec-fetch-site": "same-origin" });
  for (let times = 0; times < 6; times++) await diary.post("/sign-in", WRONG);
  walk.deps.clock.advance(5 * MINUTE);
  walk.deps.store.raw.run("PRAGMA query_only = ON");
  await diary.post("/sign-in", ADA);
  walk.deps.store.raw.run("PRAGMA query_only = OFF");
  await diary.post("/sign-in", { ...ADA, keep: "1" });
  await diary.wait(30 * DAY - 1, false);
  await diary.get("/settings/sessions");
  await diary.wait(1, false);
  await diary.get("/settings/sessions");
  await diary.post("/sign-in", ADA);
  await diary.wait(30 * MINUTE - 1, false);
  await diary.get("/flags");
  await diary.wait(30 * MINUTE, false);
  await diary.post("/timeline");
  expect(diary.recorded()).toMatchSnapshot();
});

test("one's own sessions and password", async () => {
  const diary = await withAda();
  const { walk } = diary;
  await addOperator(walk.deps, { name: "bob", password: OTHER_PASSWORD }, BY);
  await walk.post("/sign-in", { name: "bob", password: OTHER_PASSWORD });
  const bob = walk.cookie("__Host-tower") ?? "";
  const enter = async (agent: string, fields: Readonly<Record<string, string>> = ADA) => {
    walk.forgetCookies();
    walk.agent = agent;
    await walk.post("/sign-in", { ...ADA, ...fields });
    return walk.cookie("__Host-tower") ?? "";
  };
  const first = await enter("");
  walk.deps.clock.advance(MINUTE);
  await enter("Firefox/150 <b>", { keep: "1" });
  walk.deps.clock.advance(MINUTE);
  await enter("Chrome/150");
  await diary.get("/settings/sessions");
  const ids = async () =>
    [...(await (await walk.get("/settings/sessions")).text()).matchAll(/id="session-(\w+)"/g)].map(
      ([, id]) => id,
    );
  const last = (await ids()).at(-1);
  for (const id of [last, last, "none"]) await diary.post(`/settings/sessions/${id}/sign-out`);
  await diary.get("/settings/tokens", { cookie: `__Host-tower=${first}` });
  await diary.post("/settings/password", { current: "no", password: OTHER_PASSWORD });
  await diary.post("/settings/password", { current: GOOD_PASSWORD, password: "123456789123456789" });
  await diary.post("/settings/password", { current: GOOD_PASSWORD, password: OTHER_PASSWORD });
  await diary.get("/settings/sessions");
  for (let times = 0; times < 6; times++)
    await diary.post("/settings/password", { current: "no", password: OTHER_PASSWORD });
  walk.deps.clock.advance(5 * MINUTE);
  await enter("Kept/1", { keep: "1", password: OTHER_PASSWORD });
  await diary.post("/settings/password", { current: OTHER_PASSWORD, password: GOOD_PASSWORD });
  const mine = walk.cookie("__Host-tower") ?? "";
  await diary.post("/settings/sessions/sign-out");
  await diary.get("/settings/tokens", { cookie: `__Host-tower=${mine}` });
  await diary.get("/settings/sessions", { cookie: `__Host-tower=${bob}` });
  expect(diary.recorded()).toMatchSnapshot();
});

test("acts that hand out access ask for the password again after half an hour", async () => {
  const diary = await withAda();
  const { walk } = diary;
  await addAsset(
    walk.deps.writer,
    { id: "shop.example", url: null, lifecycle: "live", families: [] },
    { ...BY, onRetired: () => undefined },
  );
  await walk.post("/sign-in", ADA);
  const operator = { name: '"><script>alert(1)</script>', scopes: "read" };
  await diary.wait(30 * MINUTE - 1);
  await diary.post("/settings/tokens/operator", { name: "early", scopes: "read" });
  await diary.get("/settings/credentials/new?kind=webmaster-tools");
  await diary.wait(1);
  await diary.get("/settings/credentials/new?kind=webmaster-tools");
  await diary.post("/settings/tokens/operator", operator);
  const secret = { provider: "webmaster-tools", label: "one", secret: "0123456789abcdef" };
  await diary.post("/settings/credentials/new", secret);
  await diary.post("/settings/credentials/new", { ...secret, secret: "" });
  await diary.post("/sites/shop.example/settings/tokens", { confirm_password: "wrong wrong wrong" });
  await diary.post("/settings/tokens/operator", {
    name: "ci",
    scopes: "read",
    confirm_password: GOOD_PASSWORD,
  });
  await diary.post("/sites/shop.example/settings/tokens", {});
  await diary.wait(31 * MINUTE);
  const wrong = { confirm_password: "wrong wrong wrong" };
  for (let times = 0; times < 6; times++) await diary.post("/sites/shop.example/settings/tokens", wrong);
  await walk.post("/sign-in", { ...ADA, keep: "1" });
  walk.deps.clock.advance(DAY);
  await diary.post("/sites/shop.example/settings/removal", {});
  expect(diary.recorded()).toMatchSnapshot();
});

test("who is signed in by a proxy has no session, no password, and is not asked for one", async () => {
  const diary = new Diary({ header: "x-remote-user" });
  const { walk } = diary;
  walk.peer = "127.0.0.1";
  const grace = { "x-remote-user": "grace" };
  await diary.get("/settings/sessions", grace);
  await diary.get("/sign-in?to=/flags", grace);
  walk.deps.clock.advance(60 * MINUTE);
  await diary.post("/settings/tokens/operator", { name: "ci", scopes: "read" }, grace);
  await diary.post("/settings/password", { current: "", password: OTHER_PASSWORD }, grace);
  await diary.post("/settings/sessions/none/sign-out", {}, grace);
  await diary.post("/settings/sessions/sign-out", {}, grace);
  walk.peer = "192.0.2.7";
  await diary.get("/settings/sessions", grace);
  expect(diary.recorded()).toMatchSnapshot();
});
