/** What a clock that once ran ahead left at the doors neither opens them for longer nor leaves them unguarded. */

import { describe, expect, test } from "bun:test";
import { addOperator } from "../../src/access/operators.ts";
import { deleteOverSessions, listSessions } from "../../src/access/sessions.ts";
import { keepSetupLink, renewSetupLink, setupLinkFault } from "../../src/access/setup_link.ts";
import { authenticate, signIn } from "../../src/access/sign_in.ts";
import { readConfig } from "../../src/base/config.ts";
import { temporaryFolder } from "../support/folder.ts";
import { CALLER, GOOD_PASSWORD, operatorDeps } from "../support/operators.ts";

const MINUTE = 60_000;
const AHEAD = 400 * 24 * 60 * MINUTE;
const URL_OF_TOWER = "http://127.0.0.1:4611";

describe("after a clock 400 days ahead was set back", () => {
  test("a session of then has ended, and is neither listed nor kept; a small step back ends none", async () => {
    const deps = operatorDeps();
    await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "command-line", now: 0 });
    const enter = async () => {
      const result = await signIn(deps, { name: "ada", password: GOOD_PASSWORD, caller: CALLER });
      return result.ok ? { token: result.token, operator: result.operator.id } : { token: "", operator: "" };
    };
    deps.clock.advance(AHEAD);
    const then = await enter();
    expect(authenticate(deps, then.token)).toBeDefined();
    deps.clock.advance(-AHEAD);
    const now = await enter();
    deps.clock.advance(-4 * MINUTE);
    expect(authenticate(deps, then.token)).toBeUndefined();
    expect(authenticate(deps, now.token)).toBeDefined();
    const { db } = deps.store;
    expect(listSessions(db, now.operator, deps.clock.now())).toHaveLength(1);
    await deps.writer.write((tx) => deleteOverSessions(tx, deps.clock.now()));
    expect(deps.store.raw.query("SELECT count(*) AS n FROM operator_session").all()).toEqual([{ n: 1 }]);
  });

  test("a set-up link of then does not work, and a new one is made", async () => {
    using folder = temporaryFolder();
    const deps = { ...operatorDeps(), config: readConfig({ DATA_DIR: folder.path }) };
    deps.clock.advance(AHEAD);
    const url = await renewSetupLink(deps, URL_OF_TOWER);
    deps.clock.advance(-AHEAD);
    expect(setupLinkFault(deps, new URL(url).searchParams.get("code") ?? "")).toBeDefined();
    expect(await keepSetupLink(deps, URL_OF_TOWER)).toBeDefined();
  });
});
