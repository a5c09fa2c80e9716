import { expect, test } from "bun:test";
import { issueServiceToken } from "../../../src/access/api_tokens.ts";
import { addOperator, findOperator } from "../../../src/access/operators.ts";
import { parsed, rowsOf } from "../../support/html.ts";
import { Walk } from "../../support/tower.ts";

const PATH = "/settings/operators";
const by = { actor: "test", now: 1 };

test("operators are listed with how they sign in; one is removed with their tokens, but not oneself", async () => {
  const walk = await new Walk().signedIn();
  const { token } = await issueServiceToken(walk.deps, "old ci", ["read"], by);
  await addOperator(walk.deps, { name: "ben", password: "green-lantern-orbit-42" }, by);
  const rows = async () => rowsOf(parsed(await (await walk.get(PATH)).text()), "Operators").slice(1);
  const listed = await rows();
  expect(listed.map(([name, kind, signsIn, tokens]) => [name, kind, signsIn, tokens])).toEqual([
    ["ada", "person", "with a password", "0"],
    ["ben", "person", "with a password", "0"],
    ["old ci", "service", "no", "1"],
  ]);
  expect(listed[0]?.at(-1)).toBe("you");
  expect((await walk.post(`${PATH}/ada/removal`)).status).toBe(409);
  const removed = await walk.post(`${PATH}/old%20ci/removal`);
  expect(removed.headers.get("location")).toBe(`${PATH}?done=operator-removed`);
  expect(walk.deps.apiTokens.find(token)).toBeUndefined();
  expect(findOperator(walk.deps.store.db, "old ci")).toBeUndefined();
  expect((await walk.post(`${PATH}/old%20ci/removal`)).status).toBe(404);
  expect((await rows()).map(([name]) => name)).toEqual(["ada", "ben"]);
});
