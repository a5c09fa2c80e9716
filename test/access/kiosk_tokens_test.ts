import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import {
  linkNameOf,
  listKioskTokens,
  loadKioskTokens,
  makeKioskToken,
  NameTaken,
} from "../../src/access/kiosk_tokens.ts";
import { revokeToken } from "../../src/access/tokens.ts";
import { operatorDeps } from "../support/operators.ts";

const BY = { actor: "operator:ada", now: 1_000 };
const linkDeps = () => {
  const deps = operatorDeps();
  return { ...deps, kioskTokens: loadKioskTokens(deps.store.db) };
};

describe("links to the Wall", () => {
  test("the name of a revoked one is free again; the newest is listed first", async () => {
    const deps = linkDeps();
    const { id } = await makeKioskToken(deps, "TV", BY);
    await revokeToken(deps.writer, deps.kioskTokens, id, BY);
    await makeKioskToken(deps, "TV", BY);
    expect(listKioskTokens(deps.store.db)).toMatchObject([{ name: "TV", createdBy: "operator:ada" }]);
    await makeKioskToken(deps, "Hall", { ...BY, now: 2_000 });
    expect(listKioskTokens(deps.store.db).map(({ name }) => name)).toEqual(["Hall", "TV"]);
  });

  test("two links in force have two names; a refused one leaves nothing", async () => {
    const deps = linkDeps();
    await makeKioskToken(deps, "TV", BY);
    await expect(makeKioskToken(deps, "TV", BY)).rejects.toThrow(NameTaken);
    expect(listKioskTokens(deps.store.db)).toHaveLength(1);
    expect(listAudit(deps.store.db, { limit: 9 })).toHaveLength(1);
  });

  test("a name is words on one line, at most 64 characters, in one Unicode form", () => {
    expect(linkNameOf("  TV in the hall ")).toBe("TV in the hall");
    expect(linkNameOf("cafe\u0301")).toBe("café");
    const none = ["", "   ", "two\nlines", "bell\u0007", "turned\u202Eround", "\uD800", "x".repeat(65)];
    expect(none.map(linkNameOf)).toEqual(none.map(() => undefined));
  });
});
