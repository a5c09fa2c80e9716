import { describe, expect, test } from "bun:test";
import { issueServiceToken, listApiTokens, removeOperator } from "../../src/access/api_tokens.ts";
import { addOperator, findOperator, scopesOf } from "../../src/access/operators.ts";
import { signIn } from "../../src/access/sign_in.ts";
import { revokeToken } from "../../src/access/tokens.ts";
import { CALLER, GOOD_PASSWORD, OTHER_PASSWORD, operatorDeps } from "../support/operators.ts";

const BY = { actor: "operator:ada", now: 1_000 };

describe("operator API tokens (decisions 2, reliability 4.2)", () => {
  test("a token of a name nobody has makes a service operator, which cannot sign in", async () => {
    const deps = operatorDeps();
    const issued = await issueServiceToken(deps, "ci", ["annotations", "ledger"], BY);
    expect(issued).toMatchObject({ operatorAdded: true });
    expect(findOperator(deps.store.db, "ci")).toMatchObject({ kind: "service", passwordHash: null });
    expect((await issueServiceToken(deps, "ci", ["read"], BY)).operatorAdded).toBe(false);
  });

  test("a token may speak for a person", async () => {
    const deps = operatorDeps();
    await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, BY);
    const { token } = await issueServiceToken(deps, "ada", ["read"], BY);
    expect(deps.apiTokens.find(token)).toMatchObject({ operator: "ada", scopes: ["read"] });
    expect(findOperator(deps.store.db, "ada")?.kind).toBe("person");
  });

  test("an operator who is removed is let in by nothing, and whoever takes the name begins anew", async () => {
    const deps = operatorDeps();
    for (const name of ["ada", "ben"]) await addOperator(deps, { name, password: GOOD_PASSWORD }, BY);
    const { token } = await issueServiceToken(deps, "ben", ["read"], BY);
    await signIn(deps, { name: "ben", password: GOOD_PASSWORD, caller: CALLER });
    await signIn(deps, { name: "ben", password: OTHER_PASSWORD, caller: CALLER });
    await removeOperator(deps, "ben", { ...BY, byProxy: false });
    expect(deps.apiTokens.find(token)).toBeUndefined();
    const { raw } = deps.store;
    const kept = [
      "operator_session",
      "operator_device",
      "sign_in_throttle WHERE key NOT LIKE 'address:%' AND key <> 'global'",
    ];
    const left = kept.map(
      (rows) => raw.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${rows}`).get()?.rows,
    );
    expect(left).toEqual([0, 0, 0]);
  });

  test("a revoked one is listed only when asked for", async () => {
    const deps = operatorDeps();
    const { id } = await issueServiceToken(deps, "ci", ["read"], BY);
    await revokeToken(deps.writer, deps.apiTokens, id, BY);
    expect(listApiTokens(deps.store.db)).toStrictEqual([]);
    expect(listApiTokens(deps.store.db, { revoked: true })).toMatchObject([{ id, revokedAt: 1_000 }]);
  });

  test("scopes are known words, each once, at least one", () => {
    expect(scopesOf(["read", "annotations", "read"])).toEqual(["annotations", "read"]);
    expect(scopesOf([])).toBeUndefined();
    expect(scopesOf(["Read"])).toBeUndefined();
    expect(scopesOf(["read", "admin"])).toBeUndefined();
  });

  test("a name that is none, or no scope, issues nothing", async () => {
    const deps = operatorDeps();
    await expect(issueServiceToken(deps, "a,b", ["read"], BY)).rejects.toThrow(RangeError);
    await expect(issueServiceToken(deps, "ci", [], BY)).rejects.toThrow(RangeError);
    expect(listApiTokens(deps.store.db, { revoked: true })).toStrictEqual([]);
  });
});
