import { describe, expect, test } from "bun:test";
import { issueServiceToken, listApiTokens, loadApiTokenBook } from "../../src/access/api_tokens.ts";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { listKioskTokens, loadKioskTokens, makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { flushUses, revokeToken, type TokenBook } from "../../src/access/tokens.ts";
import { issueSiteToken, listTokens, loadTokenBook, revokeSiteToken } from "../../src/sites/site_tokens.ts";
import { testGround } from "../support/deps.ts";
import { operatorDeps } from "../support/operators.ts";

const BY = { actor: "operator:ada", now: 1_000 };

const operatorsAndWall = () => {
  const deps = operatorDeps();
  return { ...deps, kioskTokens: loadKioskTokens(deps.store.db) };
};

/** One kind of token on its own ground; `book` is typed by what every kind's tokens have. */
interface Kind {
  readonly prefix: string;
  readonly ground: Pick<ReturnType<typeof operatorsAndWall>, "store" | "writer">;
  /** In force now, and as a restart would load them. */
  readonly book: TokenBook<{ readonly digest: string }>;
  readonly reloaded: () => TokenBook<{ readonly digest: string }>;
  readonly issue: () => Promise<{ readonly id: string; readonly token: string }>;
  readonly revoke: (id: string, actor?: string) => Promise<boolean>;
  readonly list: () => { readonly id: string; readonly lastUsedAt: number | null }[];
  readonly whose: Record<string, unknown>;
  readonly acts: readonly (readonly [act: string, target: string | "its id"])[];
}

const KINDS: Record<string, () => Promise<Kind>> = {
  "of a site": async () => {
    const ground = await testGround();
    return {
      prefix: "smt",
      ground,
      book: ground.siteTokens,
      reloaded: () => loadTokenBook(ground.store.db, []),
      issue: () => issueSiteToken(ground, "harbor", BY),
      revoke: (id, actor = BY.actor) => revokeSiteToken(ground, id, { ...BY, actor }),
      list: () => listTokens(ground.store.db),
      whose: { asset: "harbor", issued: true },
      acts: [
        ["token.revoke", "harbor"],
        ["token.issue", "harbor"],
      ],
    };
  },
  "of an operator": async () => {
    const deps = operatorsAndWall();
    return {
      prefix: "smc",
      ground: deps,
      book: deps.apiTokens,
      reloaded: () => loadApiTokenBook(deps.store.db),
      issue: () => issueServiceToken(deps, "ci", ["health:read"], BY),
      revoke: async (id, actor = BY.actor) =>
        (await revokeToken(deps.writer, deps.apiTokens, id, { ...BY, actor })) !== undefined,
      list: () => listApiTokens(deps.store.db),
      whose: { operator: "ci", scopes: ["health:read"] },
      acts: [
        ["api-token.revoke", "its id"],
        ["api-token.issue", "ci"],
      ],
    };
  },
  "that opens the Wall": async () => {
    const deps = operatorsAndWall();
    return {
      prefix: "smw",
      ground: deps,
      book: deps.kioskTokens,
      reloaded: () => loadKioskTokens(deps.store.db),
      issue: () => makeKioskToken(deps, "TV in the hall", BY),
      revoke: async (id, actor = BY.actor) =>
        (await revokeToken(deps.writer, deps.kioskTokens, id, { ...BY, actor })) !== undefined,
      list: () => listKioskTokens(deps.store.db),
      whose: { name: "TV in the hall" },
      acts: [
        ["wall-link.revoke", "TV in the hall"],
        ["wall-link.make", "TV in the hall"],
      ],
    };
  },
};

describe.each(Object.entries(KINDS))("a token %s (decisions 2, reliability 4.2)", (_, made) => {
  test("is known at once, and after a restart, by its digest alone", async () => {
    const { prefix, ground, book, reloaded, issue, whose } = await made();
    const { id, token } = await issue();
    expect(token).toStartWith(`${prefix}_${id}_`);
    expect(book.find(token)).toMatchObject(whose);
    expect(reloaded().find(token)).toMatchObject(whose);
    expect(Buffer.from(ground.store.raw.serialize()).includes(token.split("_")[2] ?? "?")).toBe(false);
  });

  test("near misses open nothing: case, white space, checksum, cut, another kind", async () => {
    const { prefix, book, issue } = await made();
    const { token } = await issue();
    const near = [
      token.slice(0, -1) + (token.endsWith("0") ? "1" : "0"),
      `${token} `,
      ` ${token}`,
      token.toUpperCase(),
      token.toLowerCase(),
      token.slice(0, -7),
      token.replace(prefix, prefix === "smc" ? "smt" : "smc"),
      "",
    ];
    expect(near.map((text) => book.find(text))).toEqual(near.map(() => undefined));
  });

  test("is refused from its revocation on, also after a restart; a second one is no act", async () => {
    const { ground, book, reloaded, issue, revoke, list, acts } = await made();
    const { id, token } = await issue();
    expect(await revoke(id)).toBe(true);
    expect([book.find(token), reloaded().find(token), ...list()]).toEqual([undefined, undefined]);
    expect([await revoke(id, "operator:eve"), await revoke("aaaaaaaa")]).toEqual([false, false]);
    const audited = listAudit(ground.store.db, { limit: 9 }).filter(({ act }) => /token|link/.test(act));
    expect(audited.map(({ act, actor, target }) => [act, actor, target])).toEqual(
      acts.map(([act, target]) => [act, BY.actor, target === "its id" ? id : target]),
    );
    expect(audited[0]?.detail).toBe(JSON.stringify(audited[0]?.target === id ? {} : { id }));
  });

  test("was last used at the latest of its uses, which is written down later, and again when that failed", async () => {
    const { ground, book, issue, list } = await made();
    const known = book.find((await issue()).token);
    if (known === undefined) throw new TypeError("the token is unknown");
    for (const at of [2_000, 3_000, 2_500]) book.noteUse(known, at);
    expect([list()[0]?.lastUsedAt, book.lastUse(known, null)]).toEqual([null, 3_000]);
    const refusing = { writeEach: () => Promise.reject(new Error("the disk is full")) };
    await expect(flushUses(refusing as unknown as typeof ground.writer, book)).rejects.toThrow(
      "the disk is full",
    );
    await flushUses(ground.writer, book);
    expect(list()[0]?.lastUsedAt).toBe(3_000);
    expect(book.takeUses()).toStrictEqual([]);
  });
});
