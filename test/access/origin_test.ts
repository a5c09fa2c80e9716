import { describe, expect, test } from "bun:test";
import { anchorAudit } from "../../src/access/anchor.ts";
import { type AuditRow, appendAudit, hashOf, keyAudit, verifyChain } from "../../src/access/audit_verify.ts";
import type { Store } from "../../src/store/db_open.ts";
import { Writer } from "../../src/store/db_write.ts";
import { testStore } from "../support/database.ts";
import { keysOf } from "../support/keys.ts";

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
    expect(verifyChain(store.db, own)).toEqual({
      ok: false,
      id: 2,
      reason: "its code was not made with this installation's key",
    });
  });

  test("a code taken out behind a row that carries one is found, and so is an end without codes", async () => {
    const { store, act } = opened();
    await act();
    expect(verifyChain(store.db, own)).toMatchObject({ ok: false, id: 1 });
    keyAudit(store.main, own);
    await act(2);
    store.raw.run("DROP TRIGGER audit_no_update");
    store.raw.run("UPDATE audit SET mac = NULL WHERE id = 3");
    expect(verifyChain(store.db, own)).toMatchObject({ ok: false, id: 3 });
  });

  test("rows from before there were codes go on in the same chain, fixed by one row that says so; check says from where", async () => {
    const { store, act, anchor } = opened();
    await act(2);
    keyAudit(store.main, own);
    expect(await anchor()).toBe(3);
    expect(await anchor()).toBeUndefined();
    await act();
    expect(verifyChain(store.db, own)).toMatchObject({
      ok: true,
      notes: [
        "rows 1 to 2: from before rows were keyed; fixed as they were by the row after",
        "rows 3 to 4: proven with this installation's key",
      ],
    });
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
    expect(verifyChain(store.db, other)).toMatchObject({
      ok: true,
      notes: [
        `rows 1 to 2: keyed with another key, ${own.id}; fixed as they were by the row after`,
        "row 3: proven with this installation's key",
      ],
    });
  });

  test("an audit without a row needs no fixing", async () => {
    const { store, anchor } = opened();
    keyAudit(store.main, own);
    expect(await anchor()).toBeUndefined();
    expect(verifyChain(store.db, own)).toMatchObject({ ok: true, rows: 0, notes: [] });
  });
});
