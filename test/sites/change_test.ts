import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { addAsset, changeAsset } from "../../src/sites/site_changes.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";

const BY = { actor: "operator:ada", now: 1_000, onRetired: () => {} };

async function withShop() {
  const store = testStore();
  const writer = new Writer(store);
  const families = [{ family: "signups", storage: "d1" as const }];
  await addAsset(writer, { id: "shop", url: null, lifecycle: "live", families }, BY);
  const acts = () => listAudit(store.db, { limit: 10 }).filter(({ act }) => act === "asset.change");
  return { store, writer, acts };
}

describe("changing a site", () => {
  test("sets what is named, keeps the rest, and the audit names what changed", async () => {
    const { store, writer, acts } = await withShop();
    expect(await changeAsset(writer, "shop", { lifecycle: "retired" }, BY)).toBe("changed");
    expect(findAsset(store.db, "shop")).toMatchObject({
      url: null,
      lifecycle: "retired",
      families: [{ family: "signups", storage: "d1" }],
    });
    expect(acts().map(({ actor, target, detail }) => ({ actor, target, detail }))).toEqual([
      { actor: "operator:ada", target: "shop", detail: '{"lifecycle":"retired"}' },
    ]);
  });

  test("an address can be set and taken out again", async () => {
    const { store, writer } = await withShop();
    await changeAsset(writer, "shop", { url: "https://shop.example" }, BY);
    expect(findAsset(store.db, "shop")?.url).toBe("https://shop.example");
    await changeAsset(writer, "shop", { url: null }, BY);
    expect(findAsset(store.db, "shop")?.url).toBeNull();
  });

  test("a family is declared once per name, moves to another storage kind, and the last one can be withdrawn", async () => {
    const { store, writer } = await withShop();
    await changeAsset(writer, "shop", { declare: { family: "visits", storage: "kv" } }, BY);
    await changeAsset(writer, "shop", { declare: { family: "signups", storage: "r2" } }, BY);
    expect(findAsset(store.db, "shop")?.families).toEqual([
      { family: "signups", storage: "r2" },
      { family: "visits", storage: "kv" },
    ]);
    await changeAsset(writer, "shop", { withdraw: "visits" }, BY);
    await changeAsset(writer, "shop", { withdraw: "signups" }, BY);
    expect(findAsset(store.db, "shop")?.families).toEqual([]);
  });

  test("what is already so is the same, and writes no audit row", async () => {
    const { writer, acts } = await withShop();
    const same = { url: null, lifecycle: "live", declare: { family: "signups", storage: "d1" } } as const;
    expect(await changeAsset(writer, "shop", same, BY)).toBe("same");
    expect(await changeAsset(writer, "shop", { withdraw: "unknown" }, BY)).toBe("same");
    expect(acts()).toEqual([]);
  });

  test("a site that is not in the portfolio is missing, and is not added", async () => {
    const { store, writer } = await withShop();
    expect(await changeAsset(writer, "shpo", { lifecycle: "retired" }, BY)).toBe("missing");
    expect(findAsset(store.db, "shpo")).toBeUndefined();
  });
});
