/** Two browsers of ada: the walk's own, and the one whose cookie is returned. */

import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { addOperator } from "../../../src/access/operators.ts";
import { renewSetupLink } from "../../../src/access/setup_link.ts";
import { authenticate, signIn } from "../../../src/access/sign_in.ts";
import { systemFiles } from "../../../src/base/files.ts";
import { CALLER, GOOD_PASSWORD, OTHER_PASSWORD } from "../../support/operators.ts";
import { Walk } from "../../support/tower.ts";

async function twoBrowsers() {
  const walk = await new Walk().signedIn();
  const elsewhere = walk.cookie("__Host-tower") ?? "";
  walk.forgetCookies();
  walk.agent = "Another browser Firefox/150";
  await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD });
  const isElsewhereIn = async () =>
    (await walk.get("/settings/tokens", { cookie: `__Host-tower=${elsewhere}` })).status === 200;
  return { walk, elsewhere, isElsewhereIn };
}

const idsIn = (text: string) =>
  [...text.matchAll(/id="session-([0-9a-f]{16})"/g)].map((match) => match[1] ?? "");

/** What the audit says of ended sessions and changed passwords. */
const endsIn = (walk: Walk) =>
  listAudit(walk.deps.store.db, { limit: 99 }).filter(({ act }) => /^(?:session\.end|password\.)/.test(act));

describe("/settings/sessions", () => {
  test("lists one's own, says which one asks, and shows no secret", async () => {
    const { walk, elsewhere } = await twoBrowsers();
    const text = await (await walk.get("/settings/sessions")).text();
    expect(idsIn(text)).toHaveLength(2);
    expect(text).toContain("Another browser Firefox/150");
    expect(text.match(/this one/g)).toHaveLength(1);
    expect(text).not.toContain(elsewhere);
  });

  test("ends another one of one's own", async () => {
    const { walk, isElsewhereIn } = await twoBrowsers();
    const text = await (await walk.get("/settings/sessions")).text();
    const own = idsIn(text.split("this one")[0] ?? "").at(-1);
    const other = idsIn(text).find((id) => id !== own) ?? "";
    expect(await isElsewhereIn()).toBe(true);
    expect((await walk.post(`/settings/sessions/${other}/sign-out`)).headers.get("location")).toBe(
      "/settings/sessions?done=session-ended",
    );
    expect(await isElsewhereIn()).toBe(false);
    expect((await walk.get("/settings/sessions")).status).toBe(200);
    expect((await walk.post(`/settings/sessions/${other}/sign-out`)).status).toBe(404);
    expect(endsIn(walk)).toMatchObject([
      {
        actor: "operator:ada",
        act: "session.end",
        target: "ada",
        detail: JSON.stringify({ session: other }),
      },
    ]);
  });

  test("a session that is over is not listed", async () => {
    const { walk } = await twoBrowsers();
    walk.deps.clock.advance(20 * 60_000);
    await walk.get("/settings/sessions");
    await walk.deps.writer.settled();
    walk.deps.clock.advance(20 * 60_000);
    expect(idsIn(await (await walk.get("/settings/sessions")).text())).toHaveLength(1);
  });
});

describe("a session that is kept", () => {
  /** Ada, who asked to stay signed in. */
  async function kept() {
    const walk = await new Walk().signedIn();
    walk.forgetCookies();
    await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD, keep: "1" });
    return walk;
  }

  test("is shown with its end, whenever it was last used, beside one that is not", async () => {
    const walk = await kept();
    const text = await (await walk.get("/settings/sessions")).text();
    expect([text.match(/>kept</g)?.length, text.match(/>at the latest</g)?.length]).toEqual([1, 1]);
    const end = new Date(walk.deps.clock.now() + 30 * 86_400_000).toISOString();
    expect(text).toContain(`datetime="${end}"`);
    walk.deps.clock.advance(20 * 86_400_000);
    expect(idsIn(await (await walk.get("/settings/sessions")).text())).toHaveLength(1);
  });

  test("hands out nothing by itself: the password is asked for again", async () => {
    const walk = await kept();
    walk.deps.clock.advance(31 * 60_000);
    const response = await walk.post("/settings/tokens/operator", { operator: "ci", scopes: "read" });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("Your password again");
  });

  test("stays kept over a change of the password, under a new cookie", async () => {
    const walk = await kept();
    const form = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    const cookies = (await walk.post("/settings/password", form)).headers.getSetCookie();
    expect(cookies.find((line) => line.startsWith("__Host-tower="))).toEndWith("; Max-Age=2592000");
    walk.deps.clock.advance(86_400_000);
    expect((await walk.get("/settings/sessions")).status).toBe(200);
  });

  test("is made at the set-up, too", async () => {
    const walk = new Walk();
    const files = { ...systemFiles, writeNew: async () => undefined, rename: async () => undefined };
    const deps = { ...walk.deps, config: { dataDir: tmpdir() } };
    const { url } = await renewSetupLink(deps, "http://x", { ...files, syncFolder: async () => undefined });
    const code = new URL(url).searchParams.get("code") ?? "";
    await walk.post("/setup", { code, name: "ada", password: GOOD_PASSWORD, keep: "1" });
    walk.deps.clock.advance(86_400_000);
    expect((await walk.get("/settings/sessions")).status).toBe(200);
  });
});

describe("signing out everywhere", () => {
  test("ends one's sessions on every computer, kept ones too, and nobody else's", async () => {
    const { walk, isElsewhereIn } = await twoBrowsers();
    await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD, keep: "1" });
    const mine = walk.cookie("__Host-tower") ?? "";
    await addOperator(
      walk.deps,
      { name: "bob", password: OTHER_PASSWORD },
      { actor: "command-line", now: 0 },
    );
    const bob = await signIn(walk.deps, { name: "bob", password: OTHER_PASSWORD, caller: CALLER });
    const response = await walk.post("/settings/sessions/sign-out");
    expect(response.headers.get("location")).toBe("/sign-in?done=sessions-ended");
    expect(walk.cookie("__Host-tower")).toBeUndefined();
    expect(await isElsewhereIn()).toBe(false);
    expect((await walk.get("/settings/tokens", { cookie: `__Host-tower=${mine}` })).status).toBe(303);
    expect(bob.ok && authenticate(walk.deps, bob.token)?.operator.name).toBe("bob");
    expect(endsIn(walk)).toMatchObject([{ act: "session.end-all", target: "ada" }]);
    expect(await (await walk.get("/sign-in?done=sessions-ended")).text()).toContain(
      "All your sessions are ended",
    );
  });
});

describe("/settings/password", () => {
  test("changes it, ends the others and goes on under a new session", async () => {
    const { walk, isElsewhereIn } = await twoBrowsers();
    const before = walk.cookie("__Host-tower");
    const response = await walk.post("/settings/password", {
      current: GOOD_PASSWORD,
      password: OTHER_PASSWORD,
    });
    expect(response.headers.get("location")).toBe("/settings/sessions?done=password-changed");
    expect(walk.cookie("__Host-tower")).not.toBe(before);
    expect((await walk.get("/settings/sessions")).status).toBe(200);
    expect(await isElsewhereIn()).toBe(false);
    expect((await walk.get("/settings/sessions", { cookie: `__Host-tower=${before}` })).status).toBe(303);
    expect(endsIn(walk)).toMatchObject([
      {
        actor: "operator:ada",
        act: "password.change",
        target: "ada",
        detail: JSON.stringify({ address: "192.0.2.7", ended_sessions: 2 }),
      },
    ]);
  });

  test("a wrong current password and a poor new one are refused beside their fields", async () => {
    const { walk, isElsewhereIn } = await twoBrowsers();
    const wrong = await walk.post("/settings/password", {
      current: "not this one",
      password: OTHER_PASSWORD,
    });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain("This is not the current password.");
    const poor = await walk.post("/settings/password", {
      current: GOOD_PASSWORD,
      password: "123456789123456789",
    });
    expect(poor.status).toBe(422);
    expect(await isElsewhereIn()).toBe(true);
  });

  test("guessing at it is slowed down", async () => {
    const { walk } = await twoBrowsers();
    for (let i = 0; i < 5; i++)
      await walk.post("/settings/password", { current: "no", password: OTHER_PASSWORD });
    const response = await walk.post("/settings/password", {
      current: GOOD_PASSWORD,
      password: OTHER_PASSWORD,
    });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
  });

  test("is not offered to who signs in through a proxy", async () => {
    const walk = new Walk({ header: "x-remote-user" });
    walk.peer = "127.0.0.1";
    const headers = { "x-remote-user": "grace" };
    await walk.get("/settings/sessions", headers);
    await walk.deps.writer.settled();
    expect(await (await walk.get("/settings/sessions", headers)).text()).not.toContain('type="password"');
    const changed = await walk.post("/settings/password", { current: "", password: OTHER_PASSWORD }, headers);
    expect(changed.status).toBe(422);
  });
});
