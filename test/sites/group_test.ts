import { beforeEach, describe, expect, test } from "bun:test";
import { removeSite } from "../../src/integrations/site_acts.ts";
import { addAsset, changeAsset } from "../../src/sites/site_changes.ts";
import { listGroups, listSites } from "../../src/sites/sites.ts";
import { fresh } from "../support/fresh.ts";
import { testTower } from "../support/test_tower.ts";

const tower = fresh(testTower);
const by = { actor: "operator:ada", now: 5_000, onRetired: () => {} };
beforeEach(async () => {
  await addAsset(tower.deps.writer, { id: "harbor", group: "beta" }, by);
  await addAsset(tower.deps.writer, { id: "orchard" }, by);
});

const put = (id: string, group: string | null) => changeAsset(tower.deps.writer, id, { group }, by);
const groups = () => listGroups(tower.deps.store.db);

describe("a site is in one group or in none", () => {
  test("a group is there as long as a site is in it", async () => {
    await put("orchard", "Zeta");
    expect(groups()).toEqual(["beta", "Zeta"]);
    expect((await removeSite(tower.deps, "harbor", by)).ok).toBe(true);
    expect(groups()).toEqual(["Zeta"]);
    expect(listSites(tower.deps.store.db).find(({ id }) => id === "orchard")?.group).toBe("Zeta");
  });
});
