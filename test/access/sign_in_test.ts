import { describe, expect, spyOn, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { listNewest as listAudit, verifyChain } from "../../src/access/audit.ts";
import { addOperator, findOperator, operatorNameOf } from "../../src/access/operators.ts";
import { deviceDigest, endSession, isConfirmed, listSessions, sessionId } from "../../src/access/sessions.ts";
import {
  authenticate,
  changePassword,
  confirmPassword,
  resetPassword,
  signIn,
} from "../../src/access/sign_in.ts";
import { CALLER, GOOD_PASSWORD, OTHER_PASSWORD, operatorDeps } from "../support/operators.ts";

const MINUTE = 60_000;
const BY = { actor: "command-line", now: 0 };

async function withAda() {
  const deps = operatorDeps();
  await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, BY);
  const tryIn = (password: string, name = "ada", caller = CALLER) => signIn(deps, { name, password, caller });
  const tokenIn = async () => {
    const result = await tryIn(GOOD_PASSWORD);
    return result.ok ? result.token : "";
  };
  const change = (current = GOOD_PASSWORD, password = OTHER_PASSWORD, caller = CALLER) =>
    changePassword(deps, { name: "ada", current, password, caller });
  return { deps, tryIn, tokenIn, change };
}

describe("adding operators", () => {
  test("a name is taken once, and keeps its first password", async () => {
    const { deps, tryIn } = await withAda();
    expect(await addOperator(deps, { name: "ada", password: OTHER_PASSWORD }, BY)).toMatchObject({
      ok: false,
      field: "name",
    });
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ ok: true });
  });

  test("two at once: one gets the name", async () => {
    const deps = operatorDeps();
    const both = await Promise.all(
      [1, 2].map(() => addOperator(deps, { name: "bob", password: GOOD_PASSWORD }, BY)),
    );
    expect(both.filter((result) => result.ok)).toHaveLength(1);
  });

  test("a name has at most 64 plain characters, in one Unicode form; what is outside the rules is refused with the field", async () => {
    expect(operatorNameOf("é".repeat(64))).toBe("é".repeat(64));
    expect(operatorNameOf("e\u0301".repeat(64))).toBe("é".repeat(64));
    for (const none of ["", " ada", "ada ", "a,b", "<b>", "a\u202eb", "\ud800", "x".repeat(65), "a\nb"])
      expect(operatorNameOf(none)).toBeUndefined();
    const deps = operatorDeps();
    const fieldOf = async (name: string, password: string) => addOperator(deps, { name, password }, BY);
    expect(await fieldOf("a,b", GOOD_PASSWORD)).toMatchObject({ ok: false, field: "name" });
    expect(await fieldOf("ada", "short")).toMatchObject({ ok: false, field: "password" });
  });
});

describe("giving the password again", () => {
  test("counts for 30 minutes, signing in included, and is in the audit", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    const live = () => authenticate(deps, token);
    const confirmed = () => {
      const session = live()?.session;
      return session !== undefined && isConfirmed(session, deps.clock.now());
    };
    expect(confirmed()).toBe(true);
    // Used every ten minutes, so that the session itself lasts; a use is written down behind the answer.
    for (let used = 0; used < 3; used++) {
      deps.clock.advance(10 * MINUTE);
      expect(live()).toBeDefined();
      await deps.writer.write(() => undefined);
    }
    expect(confirmed()).toBe(false);
    const current = live();
    if (current === undefined) throw new Error("the session ended");
    const confirm = (password: string) => confirmPassword(deps, { live: current, password, caller: CALLER });
    expect(await confirm("wrong wrong wrong")).toEqual({ ok: false, reason: "wrong" });
    expect(confirmed()).toBe(false);
    expect(await confirm(GOOD_PASSWORD)).toEqual({ ok: true });
    expect(confirmed()).toBe(true);
    const acts = listAudit(deps.store.db, { limit: 2 }).map(({ act }) => act);
    expect(acts).toEqual(["password.confirm", "password.confirm.refused"]);
  });

  test("a confirmation ahead of now, of a clock that was set back, counts for nothing", () => {
    expect(isConfirmed({ confirmedAt: 1_000 }, 999)).toBe(false);
    expect(isConfirmed({ confirmedAt: 1_000 }, 1_000)).toBe(true);
    expect(isConfirmed({ confirmedAt: 0 }, 30 * MINUTE)).toBe(false);
  });

  test("a password that was changed while it was worked on confirms nothing, signs nobody in and changes nothing", async () => {
    const { deps, tokenIn } = await withAda();
    const live = authenticate(deps, await tokenIn());
    if (live === undefined) throw new Error("no session");
    const given = { name: "ada", password: GOOD_PASSWORD, caller: CALLER };
    for (const act of [
      () => confirmPassword(deps, { live, ...given }),
      () => signIn(deps, given),
      () => changePassword(deps, { ...given, current: GOOD_PASSWORD, password: OTHER_PASSWORD }),
    ]) {
      const verify = spyOn(deps.passwords, "verify").mockImplementationOnce(async () => {
        deps.store.raw.run("UPDATE operator SET password_hash = password_hash || 'x'");
        return true;
      });
      expect(await act()).toMatchObject({ ok: false });
      verify.mockRestore();
    }
    const acts = listAudit(deps.store.db, { limit: 9 }).map(({ act }) => act);
    expect(acts.filter((act) => act !== "operator.add" && act !== "sign-in")).toStrictEqual([]);
  });

  test("wrong ones are slowed down as at sign-in", async () => {
    const { deps, tokenIn } = await withAda();
    const live = authenticate(deps, await tokenIn());
    if (live === undefined) throw new Error("no session");
    const confirm = () => confirmPassword(deps, { live, password: "wrong wrong wrong", caller: CALLER });
    for (let i = 0; i < 5; i++) expect(await confirm()).toMatchObject({ reason: "wrong" });
    expect(await confirm()).toEqual({ ok: false, reason: "wait", seconds: 1 });
  });
});

describe("signing in (reliability 4.1)", () => {
  test("opens a session with 32 random bytes, of which only the digest is stored", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(authenticate(deps, token)?.operator.name).toBe("ada");
    expect(Buffer.from(deps.store.raw.serialize()).includes(token)).toBe(false);
  });

  test("neither passwords nor tokens are in the database or the audit", async () => {
    const { deps, tryIn } = await withAda();
    await tryIn("an attempt at the wrong one");
    await tryIn(GOOD_PASSWORD, "a password typed as a name");
    const stored = Buffer.from(deps.store.raw.serialize());
    for (const secret of [GOOD_PASSWORD, "an attempt at the wrong", "a password typed as a name"]) {
      expect(stored.includes(secret)).toBe(false);
    }
    expect(verifyChain(deps.store.db)).toMatchObject({ ok: true });
    expect(listAudit(deps.store.db, { limit: 9 }).map((row) => row.act)).toMatchSnapshot();
  });

  test("fixation: every sign-in makes a new session, and ends the one the browser had", async () => {
    const { deps, tokenIn } = await withAda();
    const first = await tokenIn();
    const before = authenticate(deps, first)?.session.digest ?? "";
    const given = { name: "ada", password: GOOD_PASSWORD, caller: CALLER, replaces: before };
    const again = await signIn(deps, given);
    expect(again.ok && again.token !== first).toBe(true);
    expect(authenticate(deps, first)).toBeUndefined();
  });

  test("an unknown name, a service, a person without password and a wrong password get the same answer", async () => {
    const { deps, tryIn } = await withAda();
    await issueServiceToken(deps, "ci", ["read"], BY);
    const verify = spyOn(deps.passwords, "verify");
    const answers = [
      await tryIn("wrong wrong wrong"),
      await tryIn(GOOD_PASSWORD, "nobody"),
      await tryIn("", "ci"),
      await tryIn("", "ada"),
    ];
    for (const answer of answers) expect(answer).toEqual({ ok: false, reason: "wrong" });
    expect(verify).toHaveBeenCalledTimes(4);
  });

  test("after 5 failures an account waits 1 second, known or not, and a waiting guess is not even judged", async () => {
    for (const name of ["ada", "nobody"]) {
      const { deps, tryIn } = await withAda();
      for (let i = 0; i < 5; i++)
        expect(await tryIn("wrong wrong wrong", name)).toMatchObject({ reason: "wrong" });
      const verify = spyOn(deps.passwords, "verify");
      expect(await tryIn(GOOD_PASSWORD, name)).toEqual({ ok: false, reason: "wait", seconds: 1 });
      expect(verify).not.toHaveBeenCalled();
      deps.clock.advance(1_000);
      expect((await tryIn(GOOD_PASSWORD, name)).ok).toBe(name === "ada");
    }
  });

  test("knocking while it waits does not make an account wait longer", async () => {
    const { deps, tryIn } = await withAda();
    for (let i = 0; i < 6; i++) {
      await tryIn("wrong wrong wrong");
      if (i === 4) deps.clock.advance(1_000);
    }
    for (let i = 0; i < 30; i++) expect(await tryIn("wrong wrong wrong")).toMatchObject({ seconds: 2 });
    deps.clock.advance(2_000);
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ ok: true });
  });

  test("many guesses at once are counted before they are judged", async () => {
    const { deps, tryIn } = await withAda();
    const verify = spyOn(deps.passwords, "verify");
    const answers = await Promise.all(Array.from({ length: 12 }, () => tryIn("wrong wrong wrong")));
    expect(answers.filter((answer) => !answer.ok && answer.reason === "wrong")).toHaveLength(5);
    expect(verify).toHaveBeenCalledTimes(5);
  });

  test("where all share an address, wrong guesses at other names hold out no new browser", async () => {
    const { deps, tryIn } = await withAda();
    for (let i = 0; i < 40; i++) {
      await tryIn("wrong wrong wrong", `name${i % 8}`);
      deps.clock.advance(100);
    }
    // Also an unknown name: nobody learns which there are.
    expect(await tryIn("wrong wrong wrong", "name0")).toMatchObject({ reason: "wait" });
    expect(await tryIn("wrong wrong wrong", "nobody")).toMatchObject({ reason: "wrong" });
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ ok: true });
  });

  test("an address has 20 a minute, and 60 with names that were not guessed at from there", async () => {
    const { deps, tryIn } = await withAda();
    expect(await tryIn("wrong wrong wrong")).toMatchObject({ reason: "wrong" });
    for (let i = 0; i < 19; i++)
      expect(await tryIn("wrong wrong wrong", `name${i}`)).toMatchObject({ reason: "wrong" });
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ reason: "wait", seconds: 60 });
    for (let i = 20; i < 60; i++)
      expect(await tryIn("wrong wrong wrong", `name${i}`)).toMatchObject({ reason: "wrong" });
    expect(await tryIn("wrong wrong wrong", "name60")).toMatchObject({ reason: "wait", seconds: 60 });
    expect(await tryIn(GOOD_PASSWORD, "ada", { ...CALLER, address: "192.0.2.8" })).toMatchObject({
      ok: true,
    });
    deps.clock.advance(MINUTE);
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ ok: true });
  });

  const from = (i: number, device?: string) => ({
    ...CALLER,
    address: `198.51.${i >> 8}.${i & 255}`,
    device,
  });

  test("one address that never stops guessing holds nobody else's door shut", async () => {
    const { deps, tryIn } = await withAda();
    let heard = 0;
    for (let i = 0; i < 21; i++) {
      for (let guess = 0; guess < 3; guess++) await tryIn("wrong wrong wrong", "ada", from(1));
      if ((await tryIn(GOOD_PASSWORD, "ada", from(2))).ok) heard += 1;
      deps.clock.advance(1_000);
    }
    expect(heard).toBe(21);
  });

  test("an account guessed at from 20 addresses waits, but not where it signed in before", async () => {
    const { deps, tryIn } = await withAda();
    const first = await tryIn(GOOD_PASSWORD, "ada", from(500));
    const device = deviceDigest(first.ok ? first.device : undefined);
    for (let address = 0; address < 20; address++) {
      for (let guess = 0; guess < 5; guess++) {
        expect(await tryIn("wrong wrong wrong", "ada", from(address))).toMatchObject({ reason: "wrong" });
      }
      if (address % 3 === 2) deps.clock.advance(MINUTE);
    }
    expect(await tryIn(GOOD_PASSWORD, "ada", from(501))).toMatchObject({ reason: "wait" });
    expect(await tryIn(GOOD_PASSWORD, "ada", from(0, device))).toMatchObject({ ok: true, device: undefined });
    deps.clock.advance(15 * MINUTE);
    expect(await tryIn(GOOD_PASSWORD, "ada", from(501))).toMatchObject({ ok: true });
  });

  test("everybody together has 300 a minute, of which an address takes 10 at most; a known browser passes", async () => {
    const { deps, tryIn } = await withAda();
    const first = await tryIn(GOOD_PASSWORD, "ada", from(500));
    const device = deviceDigest(first.ok ? first.device : undefined);
    for (let i = 0; i < 300; i++) await tryIn("wrong wrong wrong", `name${i}`, from(i >> 3));
    expect(await tryIn(GOOD_PASSWORD, "ada", from(501))).toMatchObject({ reason: "wait" });
    expect(await tryIn(GOOD_PASSWORD, "ada", from(502, device))).toMatchObject({ ok: true });
    deps.clock.advance(MINUTE);
    expect(await tryIn(GOOD_PASSWORD, "ada", from(501))).toMatchObject({ ok: true });
  });

  test("a browser is known for the operator who signed in with it, and for no other name", async () => {
    const { deps, tryIn } = await withAda();
    await addOperator(deps, { name: "bob", password: OTHER_PASSWORD }, BY);
    const first = await tryIn(GOOD_PASSWORD);
    const device = deviceDigest(first.ok ? first.device : undefined);
    for (let i = 0; i < 5; i++) await tryIn("wrong wrong wrong", "bob", from(1, device));
    expect(await tryIn(OTHER_PASSWORD, "bob", from(1))).toMatchObject({ reason: "wait" });
    expect(await tryIn(OTHER_PASSWORD, "bob", from(2))).toMatchObject({ ok: true });
  });

  test("a known browser's own wrong guesses are slowed down as everybody's", async () => {
    const { tryIn } = await withAda();
    const first = await tryIn(GOOD_PASSWORD);
    const device = deviceDigest(first.ok ? first.device : undefined);
    for (let i = 0; i < 5; i++)
      expect(await tryIn("wrong wrong wrong", "ada", from(i, device))).toMatchObject({ reason: "wrong" });
    expect(await tryIn(GOOD_PASSWORD, "ada", from(9, device))).toMatchSnapshot();
  });

  test("a changed password keeps the browser that changed it known, a reset one forgets all", async () => {
    const { deps, tryIn, change } = await withAda();
    const known = async () => {
      const result = await tryIn(GOOD_PASSWORD);
      return deviceDigest(result.ok ? result.device : undefined);
    };
    const [own, other] = [await known(), await known()];
    await change(GOOD_PASSWORD, OTHER_PASSWORD, { ...CALLER, device: own } as typeof CALLER);
    const isKnown = async (device: string | undefined, password: string) => {
      const result = await tryIn(password, "ada", { ...CALLER, device } as typeof CALLER);
      return result.ok && result.device === undefined;
    };
    expect([await isKnown(own, OTHER_PASSWORD), await isKnown(other, OTHER_PASSWORD)]).toEqual([true, false]);
    await resetPassword(deps, { name: "ada", password: GOOD_PASSWORD }, BY);
    expect(await isKnown(own, GOOD_PASSWORD)).toBe(false);
  });

  test("an operator has 20 known browsers, those used last, and none of their secrets is stored", async () => {
    const { deps, tryIn } = await withAda();
    const tokens: string[] = [];
    const again = () => tryIn(GOOD_PASSWORD, "ada", from(0, deviceDigest(tokens[0])));
    for (let i = 0; i < 22; i++) {
      if (i === 20) expect(await again()).toMatchObject({ ok: true, device: undefined });
      const result = await tryIn(GOOD_PASSWORD);
      tokens.push((result.ok ? result.device : undefined) ?? "");
      deps.clock.advance(1_000);
    }
    expect(deps.store.raw.query("SELECT count(*) AS n FROM operator_device").get()).toEqual({ n: 20 });
    expect(await again()).toMatchObject({ ok: true, device: undefined });
    const stored = Buffer.from(deps.store.raw.serialize());
    expect(tokens.filter((token) => token === "" || stored.includes(token))).toStrictEqual([]);
  });
});

describe("sessions (reliability 4.1, ASVS 7.3)", () => {
  test("end after 30 minutes without a request", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    deps.clock.advance(30 * MINUTE - 1);
    expect(authenticate(deps, token)).toBeDefined();
    await deps.writer.settled();
    deps.clock.advance(30 * MINUTE);
    expect(authenticate(deps, token)).toBeUndefined();
  });

  test("end 12 hours after signing in, used or not", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    for (let minutes = 0; minutes < 12 * 60; minutes += 20) {
      expect(authenticate(deps, token)).toBeDefined();
      await deps.writer.settled();
      deps.clock.advance(20 * MINUTE);
    }
    expect(authenticate(deps, token)).toBeUndefined();
  });

  test("the last use is written down at most once a minute", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    const write = spyOn(deps.writer, "write");
    deps.clock.advance(MINUTE - 1);
    authenticate(deps, token);
    expect(write).toHaveBeenCalledTimes(0);
    deps.clock.advance(1);
    authenticate(deps, token);
    await deps.writer.settled();
    authenticate(deps, token);
    expect(write).toHaveBeenCalledTimes(1);
  });

  test("a near miss of a token opens nothing", async () => {
    const { deps, tokenIn } = await withAda();
    const token = await tokenIn();
    for (const near of [`${token} `, token.toLowerCase(), token.slice(0, -1), "", "x".repeat(10_000)]) {
      expect(authenticate(deps, near)).toBeUndefined();
    }
  });

  test("one's own can be listed and ended, nobody else's", async () => {
    const { deps, tokenIn } = await withAda();
    await addOperator(deps, { name: "bob", password: OTHER_PASSWORD }, BY);
    const token = await tokenIn();
    const ada = findOperator(deps.store.db, "ada");
    const bob = findOperator(deps.store.db, "bob");
    if (ada === undefined || bob === undefined) throw new Error("both exist");
    const [own] = listSessions(deps.store.db, ada.id, deps.clock.now());
    const id = sessionId(own?.digest ?? "");
    const by = { actor: "operator:ada", now: deps.clock.now() };
    expect(own).toMatchObject({ address: CALLER.address, agent: CALLER.agent });
    expect(await endSession(deps, bob, id, by)).toBe(false);
    expect(authenticate(deps, token)).toBeDefined();
    expect(await endSession(deps, ada, id, by)).toBe(true);
    expect(authenticate(deps, token)).toBeUndefined();
    expect(await endSession(deps, ada, id, by)).toBe(false);
  });
});

describe("changing a password", () => {
  test("ends every session and opens a new one under a new secret (ASVS 7.2.4, 7.4.3)", async () => {
    const { deps, tryIn, tokenIn, change } = await withAda();
    const [here, elsewhere] = [await tokenIn(), await tokenIn()];
    const changed = await change();
    expect(changed).toMatchObject({ ok: true, endedSessions: 2 });
    expect(authenticate(deps, here)).toBeUndefined();
    expect(authenticate(deps, elsewhere)).toBeUndefined();
    expect(authenticate(deps, changed.ok ? changed.token : "")?.operator.name).toBe("ada");
    expect(await tryIn(GOOD_PASSWORD)).toMatchObject({ ok: false });
    expect(await tryIn(OTHER_PASSWORD)).toMatchObject({ ok: true });
  });

  test("needs the current one, and guessing at it is slowed down as at sign-in", async () => {
    const { deps, tokenIn, change } = await withAda();
    const token = await tokenIn();
    for (let i = 0; i < 5; i++)
      expect(await change("not this one at all")).toMatchObject({ ok: false, field: "current" });
    expect(await change()).toMatchObject({ ok: false, field: "wait", seconds: 1 });
    expect(authenticate(deps, token)).toBeDefined();
  });

  test("refuses a new one outside the rules without asking for the current one", async () => {
    const { change } = await withAda();
    expect(await change("", "short")).toMatchObject({ ok: false, field: "password" });
  });

  test("a reset sets a password, ends all sessions and forgets the failures", async () => {
    const { deps, tryIn, tokenIn } = await withAda();
    const token = await tokenIn();
    for (let i = 0; i < 7; i++) await tryIn("wrong wrong wrong");
    const by = { actor: "command-line", now: 9 };
    expect(await resetPassword(deps, { name: "ada", password: OTHER_PASSWORD }, by)).toEqual({
      ok: true,
      endedSessions: 1,
    });
    expect(listAudit(deps.store.db, { limit: 1 })).toMatchObject([
      { at: 9, actor: "command-line", act: "operator.reset", target: "ada", detail: '{"ended_sessions":1}' },
    ]);
    expect(authenticate(deps, token)).toBeUndefined();
    expect(await tryIn(OTHER_PASSWORD)).toMatchObject({ ok: true });
  });

  test("a reset refuses a name nobody has, and a service", async () => {
    const { deps } = await withAda();
    await issueServiceToken(deps, "ci", ["read"], BY);
    for (const name of ["nobody", "ci"]) {
      expect(await resetPassword(deps, { name, password: OTHER_PASSWORD }, BY)).toMatchObject({ ok: false });
    }
  });
});
