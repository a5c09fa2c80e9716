import { describe, expect, test } from "bun:test";
import { listAudit } from "../../../src/audit/mod.ts";
import { GOOD_PASSWORD, OTHER_PASSWORD } from "../../support/operators.ts";
import { Walk } from "../../support/tower.ts";

/** Two browsers of ada: the walk's own, and the one whose cookie is returned. */
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
