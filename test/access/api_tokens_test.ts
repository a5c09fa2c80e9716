import { describe, expect, test } from "bun:test";
import {
  issueServiceToken,
  listApiTokens,
  loadApiTokenBook,
  revokeApiToken,
} from "../../src/access/api_tokens.ts";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { addOperator, findOperator, scopesOf } from "../../src/access/operators.ts";
import { flushUses } from "../../src/access/tokens.ts";
import { GOOD_PASSWORD, operatorDeps } from "../support/operators.ts";

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

  test("is known at once, and after a restart, by its digest alone", async () => {
    const deps = operatorDeps();
    const { id, token } = await issueServiceToken(deps, "ci", ["health:read"], BY);
    const expected = { id, operator: "ci", scopes: ["health:read"] };
    expect(deps.apiTokens.find(token)).toMatchObject(expected);
    expect(loadApiTokenBook(deps.store.db).find(token)).toMatchObject(expected);
    expect(Buffer.from(deps.store.raw.serialize()).includes(token.split("_")[2] ?? "?")).toBe(false);
  });

  test("near misses open nothing: case, white space, checksum, cut, another prefix", async () => {
    const deps = operatorDeps();
    const { token } = await issueServiceToken(deps, "ci", ["read"], BY);
    const wrongSum = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    for (const near of [
      wrongSum,
      `${token} `,
      ` ${token}`,
      token.toUpperCase(),
      token.toLowerCase(),
      token.slice(0, -7),
      token.replace("smc", "smt"),
      "",
    ]) {
      expect(deps.apiTokens.find(near)).toBeUndefined();
    }
  });

  test("a revoked one is refused at once and after a restart; revoking again does nothing", async () => {
    const deps = operatorDeps();
    const { id, token } = await issueServiceToken(deps, "ci", ["read"], BY);
    expect(await revokeApiToken(deps, id, BY)).toBe(true);
    expect(deps.apiTokens.find(token)).toBeUndefined();
    expect(loadApiTokenBook(deps.store.db).find(token)).toBeUndefined();
    expect(await revokeApiToken(deps, id, BY)).toBe(false);
    expect(await revokeApiToken(deps, "aaaaaaaa", BY)).toBe(false);
    expect(listApiTokens(deps.store.db)).toEqual([]);
    expect(listApiTokens(deps.store.db, { revoked: true })).toMatchObject([{ id, revokedAt: 1_000 }]);
    expect(listAudit(deps.store.db, { limit: 9 }).map((row) => row.act)).toEqual([
      "api-token.revoke",
      "api-token.issue",
      "operator.add",
    ]);
  });

  test("the last use is written down later, the latest of many", async () => {
    const deps = operatorDeps();
    const { token } = await issueServiceToken(deps, "ci", ["read"], BY);
    const known = deps.apiTokens.find(token);
    if (known === undefined) throw new Error("issued");
    deps.apiTokens.noteUse(known, 2_000);
    deps.apiTokens.noteUse(known, 3_000);
    expect(listApiTokens(deps.store.db)[0]?.lastUsedAt).toBeNull();
    await flushUses(deps.writer, deps.apiTokens);
    expect(listApiTokens(deps.store.db)[0]?.lastUsedAt).toBe(3_000);
    await flushUses(deps.writer, deps.apiTokens);
  });

  test("uses that could not be written down are not forgotten", async () => {
    const deps = operatorDeps();
    const { token } = await issueServiceToken(deps, "ci", ["read"], BY);
    const known = deps.apiTokens.find(token);
    if (known === undefined) throw new Error("issued");
    deps.apiTokens.noteUse(known, 2_000);
    const refusing = {
      write: () => Promise.reject(new Error("the disk is full")),
    } as unknown as typeof deps.writer;
    await expect(flushUses(refusing, deps.apiTokens)).rejects.toThrow("the disk is full");
    await flushUses(deps.writer, deps.apiTokens);
    expect(listApiTokens(deps.store.db)[0]?.lastUsedAt).toBe(2_000);
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
    expect(listApiTokens(deps.store.db, { revoked: true })).toEqual([]);
  });
});
