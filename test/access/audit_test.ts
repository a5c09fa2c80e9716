import { describe, expect, test } from "bun:test";
import {
  type AuditRow,
  anchorAudit,
  appendAudit,
  hashOf,
  keyAudit,
  listNewest as listAudit,
  verifyChain,
} from "../../src/access/audit.ts";
import type { Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";
import { keysOf } from "../support/keys.ts";

async function withActs(count: number) {
  const store = testStore();
  const writer = new Writer(store);
  for (let i = 1; i <= count; i++) {
    await writer.write((tx) => {
      appendAudit(tx, {
        at: i * 1000,
        actor: "operator:ada",
        act: "asset.add",
        target: `site-${i}`,
        detail: { n: i },
      });
    });
  }
  return { store, writer };
}

describe("audit (reliability 4.7)", () => {
  test("each row holds the hash of the row before it, and the chain verifies", async () => {
    const { store } = await withActs(3);
    const rows = listAudit(store.db, { limit: 10 });
    expect(rows.map((row) => row.id)).toEqual([3, 2, 1]);
    expect(rows[0]?.previous_hash).toBe(rows[1]?.hash ?? "");
    expect(rows[2]?.previous_hash).toBe("0".repeat(64));
    const notes = ["rows 1 to 3: not proven, because the key is not here"];
    expect(verifyChain(store.db)).toEqual({ ok: true, rows: 3, head: rows[0]?.hash ?? "", notes });
  });

  test("a long audit verifies page by page", async () => {
    const { store, writer } = await withActs(0);
    await writer.write((tx) => {
      for (let i = 0; i < 2001; i++) appendAudit(tx, { at: i, actor: "service", act: "tick", target: "" });
    });
    expect(verifyChain(store.db)).toMatchObject({ ok: true, rows: 2001 });
  });

  for (const [what, sql, id, reason] of [
    ["a changed row", "UPDATE audit SET target = 'other' WHERE id = 2", 2, "its content was changed"],
    ["a changed time", "UPDATE audit SET at = 1 WHERE id = 2", 2, "its content was changed"],
    ["a row taken out", "DELETE FROM audit WHERE id = 2", 3, "a row before it is missing"],
    ["the first row taken out", "DELETE FROM audit WHERE id = 1", 2, "a row before it is missing"],
    [
      "two rows swapped",
      "UPDATE audit SET id = CASE id WHEN 2 THEN -3 ELSE -2 END WHERE id > 1; UPDATE audit SET id = -id WHERE id < 0",
      2,
      "it does not follow on the row before it",
    ],
  ] as const) {
    test(`${what} breaks the chain where it happened, even with the triggers gone`, async () => {
      const { store } = await withActs(3);
      store.raw.run("DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete");
      store.raw.run(sql);
      expect(verifyChain(store.db)).toEqual({ ok: false, id, reason });
    });
  }

  test("an act that is rolled back leaves no row", async () => {
    const { store, writer } = await withActs(1);
    const failing = writer.write(() => {
      throw new Error("after all not");
    });
    expect(failing).rejects.toThrow("after all not");
    await failing.catch(() => undefined);
    expect(verifyChain(store.db)).toMatchObject({ ok: true, rows: 1 });
  });

  test("a detail that is named like a secret or looks like one is refused", async () => {
    const { writer } = await withActs(0);
    for (const detail of [
      { password: "x" },
      { token: "x" },
      { id: "smc_abcdefgh_0123456789abc" },
      { note: "$argon2id$v=19$m=8" },
      { scopes: ["read", "Bearer abc"] },
    ]) {
      const refused = writer.write((tx) => {
        appendAudit(tx, { at: 0, actor: "a", act: "b", target: "", detail });
      });
      expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(TypeError);
    }
  });
});

const own = keysOf(1).forPurpose("audit");
const other = keysOf(2).forPurpose("audit");

function opened() {
  const store = testStore();
  const writer = new Writer(store);
  const act = (times = 1) =>
    writer.write((tx) => {
      for (let i = 0; i < times; i++)
        appendAudit(tx, { at: 1_000, actor: "operator:ada", act: "tick", target: "" });
    });
  const anchor = () => writer.write((tx) => anchorAudit(tx, 2_000));
  return { store, writer, act, anchor };
}

/** Changes a row as somebody does who can write the file and has no key: its hash and those after it are taken anew. */
function rewrite(store: Store, from: number): void {
  store.raw.run("DROP TRIGGER audit_no_update");
  let previous: string | undefined;
  for (const row of store.raw.query<AuditRow, []>("SELECT * FROM audit ORDER BY id").all()) {
    if (row.id < from) continue;
    const changed = { ...row, actor: "operator:eve", previous_hash: previous ?? row.previous_hash };
    previous = hashOf(changed);
    store.raw.run("UPDATE audit SET actor = ?, hash = ?, previous_hash = ? WHERE id = ?", [
      changed.actor,
      previous,
      changed.previous_hash,
      row.id,
    ]);
  }
}

describe("who wrote the audit (a chain alone can be made anew)", () => {
  test("rows of the installation's key are proven, and a chain made anew without it is found where it begins", async () => {
    const { store, act } = opened();
    keyAudit(store.main, own);
    await act(3);
    expect(verifyChain(store.db, own)).toMatchObject({
      ok: true,
      notes: ["rows 1 to 3: proven with this installation's key"],
    });
    rewrite(store, 2);
    expect(verifyChain(store.db)).toMatchObject({ ok: true });
    expect(verifyChain(store.db, own)).toMatchSnapshot();
  });

  test("a code taken out behind a row that carries one is found, and so is an end without codes", async () => {
    const { store, act } = opened();
    await act();
    expect(verifyChain(store.db, own)).toMatchSnapshot();
    keyAudit(store.main, own);
    await act(2);
    store.raw.run("DROP TRIGGER audit_no_update");
    store.raw.run("UPDATE audit SET mac = NULL WHERE id = 3");
    expect(verifyChain(store.db, own)).toMatchSnapshot();
  });

  test("rows from before there were codes go on in the same chain, fixed by one row that says so; check says from where", async () => {
    const { store, act, anchor } = opened();
    await act(2);
    keyAudit(store.main, own);
    expect(await anchor()).toBe(3);
    expect(await anchor()).toBeUndefined();
    await act();
    expect(verifyChain(store.db, own)).toMatchSnapshot();
    rewrite(store, 1);
    expect(verifyChain(store.db, own)).toMatchObject({ ok: false, id: 3 });
  });

  test("another key goes on after a row that fixes what the first one wrote; until then its end is not proven", async () => {
    const { store, act, anchor } = opened();
    keyAudit(store.main, own);
    await act(2);
    expect(verifyChain(store.db, other)).toMatchObject({ ok: false, id: 2 });
    keyAudit(store.main, other);
    expect(await anchor()).toBe(3);
    expect(verifyChain(store.db, other)).toMatchSnapshot();
  });

  test("an audit without a row verifies, and needs no fixing", async () => {
    const { store, anchor } = opened();
    keyAudit(store.main, own);
    expect(await anchor()).toBeUndefined();
    for (const key of [own, undefined])
      expect(verifyChain(store.db, key)).toEqual({ ok: true, rows: 0, head: "0".repeat(64), notes: [] });
  });
});
