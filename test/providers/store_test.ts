import { beforeEach, describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { findConnection, listCredentials } from "../../src/providers/credentials.ts";
import {
  listAttachments,
  listAttachmentsOf,
  listProperties,
  replaceProperties,
} from "../../src/providers/properties.ts";
import { hidden, textOf } from "../../src/providers/sealing.ts";
import {
  addCredential,
  attachProperty,
  disconnect,
  removeAccount,
  replaceCredential,
} from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { accountSecret, storedCredential } from "../support/credentials.ts";
import { fresh } from "../support/fresh.ts";
import { testTower } from "../support/test_tower.ts";

const tower = fresh(testTower);
const by = { actor: "operator:ada", now: 5_000 };
beforeEach(async () => {
  await tower.deps.writer.write((tx) => ensureAssets(tx, ["harbor", "orchard"], by));
});

const rows = () =>
  tower.deps.store.raw
    .query<{ id: string; sealed: string; account: string; edit_revision: number }, []>(
      "SELECT id, sealed, account, edit_revision FROM credential ORDER BY id",
    )
    .all();
const opened = (id: string) => {
  const open = tower.deps.credentials.open(id);
  return open.ok ? textOf(open.value) : open.fault.code;
};
const acts = (count: number) =>
  listAudit(tower.deps.store.db, { limit: count }).map(({ act, target }) => `${act} ${target}`);
const secondKey = accountSecret(undefined, "second");
const add = (secret: ReturnType<typeof accountSecret>, label?: string) =>
  addCredential(tower.deps, { provider: "analytics", secret, label }, by);
const replace = (
  id: string,
  secret: Parameters<typeof replaceCredential>[2]["secret"],
  provider: "analytics" | "webmaster-tools" = "analytics",
) => replaceCredential(tower.deps, id, { provider, secret, label: undefined }, by);

describe("an account is stored once", () => {
  test("for a second provider it is tagged with both under the same id and connection; the edit revision rises", async () => {
    const first = await storedCredential(tower.deps, "analytics");
    const second = await storedCredential(tower.deps, "search-console");
    expect(second).toMatchObject({
      id: first.id,
      connectionRevision: first.connectionRevision,
      providers: ["analytics", "search-console"],
      editRevision: 2,
    });
    expect(rows()).toHaveLength(1);
    expect(opened(first.id)).toBe(textOf(accountSecret()));
    expect(acts(2)).toEqual([
      `credential.change credential:${first.id}`,
      `credential.add credential:${first.id}`,
    ]);
  });

  test("the same again changes nothing and leaves no act", async () => {
    const first = await storedCredential(tower.deps);
    const [before] = rows();
    const again = await add(accountSecret("Tower@Harbor.example".toLowerCase()));
    expect(again).toEqual({ ok: true, did: "same", credential: first });
    expect(rows()).toEqual([before as never]);
    expect(acts(1)).toEqual([`credential.add credential:${first.id}`]);
  });

  test("with another key of the account it is not overwritten: a replacement has to be asked for", async () => {
    const { id } = await storedCredential(tower.deps);
    expect(await add(secondKey)).toEqual({ ok: false, why: "other_key", id });
    expect(opened(id)).toBe(textOf(accountSecret()));
  });

  test("a label is an edit; labels that nobody gave are numbered", async () => {
    const first = await storedCredential(tower.deps);
    const other = await storedCredential(tower.deps, "analytics", accountSecret("b@harbor.example"));
    expect([first.label, other.label]).toEqual(["Google service account", "Google service account 2"]);
    const named = await add(accountSecret(), "Agency");
    expect(named).toMatchObject({ did: "changed", credential: { label: "Agency", editRevision: 2 } });
  });

  test("neither the row nor the audit holds the account, its key, or a code that another installation would make", async () => {
    await storedCredential(tower.deps);
    const text = JSON.stringify([
      tower.deps.store.raw.query("SELECT * FROM credential").all(),
      tower.deps.store.raw.query("SELECT * FROM audit").all(),
    ]);
    for (const secret of ["tower@harbor.example", "PRIVATE KEY", "id-of-first"])
      expect(text).not.toContain(secret);
  });
});

describe("a replacement is another connection", () => {
  test("with a new connection revision and the next edit revision, also with the same secret again", async () => {
    const first = await storedCredential(tower.deps);
    const replaced = await replace(first.id, secondKey);
    expect(replaced).toMatchObject({
      ok: true,
      isSameAccount: true,
      credential: { id: first.id, editRevision: 2 },
    });
    const connection = findConnection(tower.deps.store.db, first.id);
    expect(connection).not.toBe(first.connectionRevision);
    expect(opened(first.id)).toBe(textOf(secondKey));
    await replace(first.id, secondKey);
    expect(findConnection(tower.deps.store.db, first.id)).not.toBe(connection);
    expect(findConnection(tower.deps.store.db, "nobody")).toBeUndefined();
  });

  test("what was sealed before it opens in no row any more: neither put back into its own, nor moved into another", async () => {
    const first = await storedCredential(tower.deps);
    const other = await storedCredential(tower.deps, "analytics", accountSecret("b@harbor.example"));
    const before = rows().find(({ id }) => id === first.id)?.sealed ?? "";
    await replace(first.id, secondKey);
    for (const id of [first.id, other.id]) {
      tower.deps.store.raw.query("UPDATE credential SET sealed = ? WHERE id = ?").run(before, id);
      expect(opened(id)).toBe("credential_unreadable");
    }
    tower.deps.store.raw.query("UPDATE credential SET sealed = ?, edit_revision = 2").run(before);
    expect([opened(first.id), opened(other.id)]).toEqual(["credential_unreadable", "credential_unreadable"]);
  });

  test("by another account it says so, and forgets what the one before gave access to", async () => {
    const { id } = await storedCredential(tower.deps);
    const seen = { provider: "analytics", property: "1", name: "x", timeZone: "UTC", usable: true } as const;
    await tower.deps.writer.write((tx) =>
      replaceProperties(tx, { credential: id, provider: "analytics" }, [seen], 1),
    );
    await replace(id, secondKey);
    expect(listProperties(tower.deps.store.db, id)).toEqual([{ ...seen, credential: id, seenAt: 1 }]);
    expect(await replace(id, accountSecret("other@harbor.example"))).toMatchObject({ isSameAccount: false });
    expect(listProperties(tower.deps.store.db, id)).toStrictEqual([]);
  });

  test("by another kind, of what is not there, and by an account that is stored already, is refused", async () => {
    const first = await storedCredential(tower.deps);
    const other = await storedCredential(tower.deps, "analytics", accountSecret("b@harbor.example"));
    const key = hidden({ kind: "webmaster-tools-key", key: "0123456789abcdef" });
    const before = rows();
    expect([
      await replace(first.id, key, "webmaster-tools"),
      await replace("nobody", accountSecret()),
      await replace(other.id, accountSecret()),
    ]).toEqual([
      { ok: false, why: "other_kind", kind: "google-service-account" },
      { ok: false, why: "missing" },
      { ok: false, why: "taken", id: first.id },
    ]);
    expect(rows()).toEqual(before);
  });

  test("of a key of webmaster tools, nothing tells whether it is of the same user", async () => {
    const { id } = await storedCredential(tower.deps, "webmaster-tools");
    const key = hidden({ kind: "webmaster-tools-key", key: "f".repeat(32) });
    const replaced = await replace(id, key, "webmaster-tools");
    expect(replaced).toMatchObject({ ok: true, isSameAccount: undefined });
  });
});

describe("one property of each provider is attached to a site", () => {
  const ask = (asset: string, property: string, credential: string, replace = false) =>
    attachProperty(tower.deps, { asset, provider: "analytics", credential, property, replace }, by);

  test("another takes its place only when that is asked for, and each change is an act", async () => {
    const { id, connectionRevision } = await storedCredential(tower.deps);
    expect(await ask("harbor", "11", id)).toEqual({ ok: true, did: "attached", tagged: false });
    expect(await ask("harbor", "11", id)).toEqual({ ok: true, did: "same", tagged: false });
    expect(await ask("harbor", "12", id)).toMatchObject({ ok: false, why: "taken", by: { property: "11" } });
    expect(await ask("harbor", "12", id, true)).toEqual({ ok: true, did: "replaced", tagged: false });
    await ask("orchard", "11", id);
    const harbor = {
      asset: "harbor",
      provider: "analytics",
      credential: id,
      connectionRevision,
      property: "12",
    };
    expect(listAttachments(tower.deps.store.db)).toEqual([
      harbor as never,
      { ...harbor, asset: "orchard", property: "11" } as never,
    ]);
    expect(listAttachmentsOf(tower.deps.store.db, "harbor")).toEqual([harbor as never]);
    expect(await disconnect(tower.deps, { asset: "harbor", provider: "analytics" }, by)).toEqual(
      harbor as never,
    );
    expect(await disconnect(tower.deps, { asset: "harbor", provider: "analytics" }, by)).toBeUndefined();
    expect(acts(4)).toMatchSnapshot();
  });

  test("with an account that served another provider until now, it serves this one, too", async () => {
    const { id } = await storedCredential(tower.deps, "search-console");
    expect(await ask("harbor", "11", id)).toEqual({ ok: true, did: "attached", tagged: true });
    expect(listCredentials(tower.deps.store.db)).toMatchObject([
      { providers: ["analytics", "search-console"], editRevision: 2 },
    ]);
    expect(opened(id)).toBe(textOf(accountSecret()));
  });

  test("removing the credential takes its secret, its properties and its attachments along, and says which", async () => {
    const { id } = await storedCredential(tower.deps);
    const other = await storedCredential(tower.deps, "webmaster-tools");
    await ask("harbor", "11", id);
    await attachProperty(
      tower.deps,
      {
        asset: "harbor",
        provider: "webmaster-tools",
        credential: other.id,
        property: "http://a/",
        replace: false,
      },
      by,
    );
    const removed = await removeAccount(tower.deps, id, by);
    expect(removed?.detached.map(({ asset, property }) => [asset, property])).toEqual([["harbor", "11"]]);
    expect(listAttachments(tower.deps.store.db).map(({ provider }) => provider)).toEqual(["webmaster-tools"]);
    expect(opened(id)).toBe("credential_removed");
    expect(rows().map((row) => row.id)).toEqual([other.id]);
    expect(await removeAccount(tower.deps, id, by)).toBeUndefined();
  });
});
