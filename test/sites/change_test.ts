import { expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { addAsset, changeAsset } from "../../src/sites/site_changes.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { Writer } from "../../src/store/writer.ts";
import { testStore } from "../support/database.ts";

const BY = { actor: "operator:ada", now: 1_000, onRetired: () => {} };

test("a change sets what is named and keeps the rest; what is already so is the same and writes no act; recorded", async () => {
  const store = testStore();
  const writer = new Writer(store);
  const families = [{ family: "signups", storage: "d1" as const }];
  await addAsset(writer, { id: "shop", url: null, lifecycle: "live", families }, BY);
  const changes: readonly Parameters<typeof changeAsset>[2][] = [
    { lifecycle: "retired" },
    { url: null, lifecycle: "retired", declare: { family: "signups", storage: "d1" } },
    { withdraw: "unknown" },
    ...[{ url: "https://shop.example" }, { url: null }],
    ...[
      { group: "Acme" },
      { group: "Acme" },
      { url: "https://shop.example" },
      { group: null },
      { group: null },
    ],
    { declare: { family: "visits", storage: "kv" } },
    { declare: { family: "signups", storage: "r2" } },
    ...[{ withdraw: "visits" }, { withdraw: "signups" }],
    ...[{ lifecycle: "live" as const }, { url: null, lifecycle: "live" as const }],
  ];
  for (const [at, change] of changes.entries()) {
    const did = await changeAsset(writer, "shop", change, { ...BY, now: BY.now + at });
    expect({ change, did, site: findAsset(store.db, "shop") }).toMatchSnapshot();
  }
  expect(
    listAudit(store.db, { limit: 99 }).map(({ act, target, detail }) => [act, target, detail]),
  ).toMatchSnapshot();
  expect(await changeAsset(writer, "shpo", { lifecycle: "retired" }, BY)).toBe("missing");
  expect(findAsset(store.db, "shpo")).toBeUndefined();
});
