import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { addAsset } from "../../src/sites/site_changes.ts";
import { findAsset, listAssets, type NewAsset, NewAssetSchema } from "../../src/sites/sites.ts";
import { testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";

const ground = fresh(testGround);

const by = () => ({ actor: "operator:ada", now: ground.clock.now(), onRetired: () => {} });
const newborn: NewAsset = {
  id: "newborn",
  url: "https://newborn.example",
  lifecycle: "live",
  families: [{ family: "traffic", storage: "d1" }],
};

function brokenIn(changes: object): string[] {
  const result = readContract(NewAssetSchema, { ...newborn, ...changes });
  return result.ok ? [] : result.errors.map(({ pointer, rule }) => `${pointer} ${rule}`);
}

describe("adding a site", () => {
  test("keeps its address, lifecycle and families, and who added it when", async () => {
    expect(await addAsset(ground.writer, newborn, by())).toBe("added");
    expect(findAsset(ground.store.db, "newborn")).toMatchSnapshot();
  });

  test("that is there changes it and keeps its age", async () => {
    await addAsset(ground.writer, newborn, by());
    ground.clock.advance(5_000);
    expect(
      await addAsset(
        ground.writer,
        { ...newborn, url: null, lifecycle: "retired", families: [{ family: "sales", storage: "kv" }] },
        by(),
      ),
    ).toBe("changed");
    expect(findAsset(ground.store.db, "newborn")).toMatchSnapshot();
  });

  test("may not break the contract", () => {
    expect(brokenIn({})).toStrictEqual([]);
    expect(
      brokenIn({ id: "a b", url: "ftp://x", lifecycle: "gone", families: [{ family: "", storage: "tape" }] }),
    ).toMatchSnapshot();
    const address = (length: number) => "https://x.example/".padEnd(length, "a");
    const [longest, longer] = [200, 201].map((length) => "n".repeat(length)) as [string, string];
    const families = (family: string) => [{ family, storage: "d1" }];
    expect(brokenIn({ url: address(2_048), group: longest, families: families(longest) })).toStrictEqual([]);
    expect(brokenIn({ url: address(2_049), group: longer, families: families(longer) })).toMatchSnapshot();
    // Its page would be hidden by the one that adds a site.
    expect([brokenIn({ id: "new" }), brokenIn({ id: "New" })]).toEqual([["/id asset-id"], []]);
    expect(brokenIn({ url: "https://user:pw@x.example" })).toEqual(["/url url"]);
  });
});

test("lists of sites are newest first, and pages join without a gap or a repeat", async () => {
  for (const [index, id] of ["c", "a", "b", "d"].entries()) {
    if (index === 2) ground.clock.advance(1_000);
    await addAsset(ground.writer, { ...newborn, id }, by());
  }
  const seen: string[] = [];
  let after: { addedAt: number; id: string } | undefined;
  for (let page = 0; page < 9; page++) {
    const rows = listAssets(ground.store.db, {}, 2, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    seen.push(...rows.map(({ id }) => id));
    after = { addedAt: last.addedAt, id: last.id };
  }
  expect(seen).toEqual(["b", "d", "a", "c", "harbor", "orchard"]);
  expect(listAssets(ground.store.db, { lifecycle: "retired" }, 9)).toStrictEqual([]);
});
