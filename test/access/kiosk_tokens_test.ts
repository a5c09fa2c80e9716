import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import {
  linkNameOf,
  listKioskTokens,
  loadKioskTokens,
  makeKioskToken,
  NameTaken,
  revokeKioskToken,
} from "../../src/access/kiosk_tokens.ts";
import { flushUses } from "../../src/access/tokens.ts";
import { operatorDeps } from "../support/operators.ts";

const BY = { actor: "operator:ada", now: 1_000 };
const linkDeps = () => {
  const deps = operatorDeps();
  return { ...deps, kioskTokens: loadKioskTokens(deps.store.db) };
};

describe("links to the Wall", () => {
  test("a link is known at once, and after a restart, by its digest alone", async () => {
    const deps = linkDeps();
    const { id, token } = await makeKioskToken(deps, "TV in the hall", BY);
    expect(token).toStartWith(`smw_${id}_`);
    expect(deps.kioskTokens.find(token)).toMatchObject({ id, name: "TV in the hall" });
    expect(loadKioskTokens(deps.store.db).find(token)).toMatchObject({ id, name: "TV in the hall" });
    expect(Buffer.from(deps.store.raw.serialize()).includes(token.split("_")[2] ?? "?")).toBe(false);
  });

  test("near misses open nothing: case, white space, checksum, cut, another kind of token", async () => {
    const deps = linkDeps();
    const { token } = await makeKioskToken(deps, "TV", BY);
    const wrongSum = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    const near = [
      wrongSum,
      `${token} `,
      token.toUpperCase(),
      token.slice(0, -7),
      token.replace("smw", "smc"),
      "",
    ];
    expect(near.map((text) => deps.kioskTokens.find(text))).toEqual(near.map(() => undefined));
    expect(deps.apiTokens.find(token)).toBeUndefined();
  });

  test("a revoked one opens nothing at once and after a restart; its name is free again, and the audit holds both acts", async () => {
    const deps = linkDeps();
    const { id, token } = await makeKioskToken(deps, "TV", BY);
    expect(await revokeKioskToken(deps, id, BY)).toBe(true);
    expect(deps.kioskTokens.find(token)).toBeUndefined();
    expect(loadKioskTokens(deps.store.db).find(token)).toBeUndefined();
    expect(await revokeKioskToken(deps, id, BY)).toBe(false);
    expect(await revokeKioskToken(deps, "aaaaaaaa", BY)).toBe(false);
    expect(listKioskTokens(deps.store.db)).toEqual([]);
    await makeKioskToken(deps, "TV", BY);
    const acts = listAudit(deps.store.db, { limit: 9 }).map(({ act, actor, target }) => [act, actor, target]);
    expect(acts).toEqual([
      ["wall-link.make", "operator:ada", "TV"],
      ["wall-link.revoke", "operator:ada", "TV"],
      ["wall-link.make", "operator:ada", "TV"],
    ]);
  });

  test("two links in force have two names; a refused one leaves nothing", async () => {
    const deps = linkDeps();
    await makeKioskToken(deps, "TV", BY);
    await expect(makeKioskToken(deps, "TV", BY)).rejects.toThrow(NameTaken);
    expect(listKioskTokens(deps.store.db)).toHaveLength(1);
    expect(listAudit(deps.store.db, { limit: 9 })).toHaveLength(1);
  });

  test("the last use is written down later, the latest of many", async () => {
    const deps = linkDeps();
    const { token } = await makeKioskToken(deps, "TV", BY);
    const known = deps.kioskTokens.find(token);
    if (known === undefined) throw new Error("it was made");
    deps.kioskTokens.noteUse(known, 2_000);
    deps.kioskTokens.noteUse(known, 3_000);
    expect(listKioskTokens(deps.store.db)).toMatchObject([
      { name: "TV", createdBy: "operator:ada", lastUsedAt: null },
    ]);
    await flushUses(deps.writer, deps.kioskTokens);
    expect(listKioskTokens(deps.store.db)).toMatchObject([{ lastUsedAt: 3_000 }]);
  });

  test("a name is words on one line, at most 64 characters, in one Unicode form", () => {
    expect(linkNameOf("  TV in the hall ")).toBe("TV in the hall");
    expect(linkNameOf("cafe\u0301")).toBe("café");
    const none = ["", "   ", "two\nlines", "bell\u0007", "turned\u202Eround", "\uD800", "x".repeat(65)];
    expect(none.map(linkNameOf)).toEqual(none.map(() => undefined));
  });
});
