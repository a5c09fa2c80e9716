import { beforeEach, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { removeSite } from "../../src/integrations/site_acts.ts";
import { forgetDetachment, listDetachments } from "../../src/providers/properties.ts";
import { attachProperty, disconnect, removeAccount } from "../../src/signals/credential_changes.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { storedCredential } from "../support/credentials.ts";
import { fresh } from "../support/fresh.ts";
import { testTower } from "../support/test_tower.ts";

let [account, webmaster] = ["", ""];
const by = { actor: "operator:ada", now: 5_000 };
const HARBOR = { asset: "harbor", provider: "analytics" } as const;
const tower = fresh(testTower);
beforeEach(async () => {
  const { deps } = tower;
  await deps.writer.write((tx) => ensureAssets(tx, ["harbor", "orchard"], by));
  account = (await storedCredential(deps, "analytics")).id;
  webmaster = (await storedCredential(deps, "webmaster-tools")).id;
  await attach("11");
});

const attach = (property: string) =>
  attachProperty(tower.deps, { ...HARBOR, credential: account, property, replace: true }, by);
const gone = () =>
  listDetachments(tower.deps.store.db).map(({ asset, provider, property }) => [asset, provider, property]);
const lastAct = () => listAudit(tower.deps.store.db, { limit: 1 })[0];

test("a property that is detached leaves who took which connection away, and when", async () => {
  await disconnect(tower.deps, HARBOR, by);
  expect(listDetachments(tower.deps.store.db)).toMatchSnapshot();
});

test("a credential that is removed leaves it for each of its sites, and for no other's", async () => {
  const { deps } = tower;
  const search = { asset: "orchard", provider: "search-console", credential: account } as const;
  await attachProperty(deps, { ...search, property: "sc-domain:orchard.example", replace: false }, by);
  const other = { asset: "orchard", provider: "webmaster-tools", credential: webmaster } as const;
  await attachProperty(deps, { ...other, property: "https://orchard.example/", replace: false }, by);
  await removeAccount(deps, account, by);
  expect(gone()).toEqual([
    ["harbor", "analytics", "11"],
    ["orchard", "search-console", "sc-domain:orchard.example"],
  ]);
});

test("another in its place takes no connection away", async () => {
  await attach("12");
  expect(gone()).toStrictEqual([]);
});

test("once attached again, over whichever credential, nothing of it is left", async () => {
  const { deps } = tower;
  await removeAccount(deps, account, by);
  account = (await storedCredential(deps, "analytics")).id;
  expect(gone()).toHaveLength(1);
  await attach("13");
  expect(gone()).toStrictEqual([]);
});

test("an operator has it forgotten once, with an act; a connection that stands cannot be", async () => {
  expect(await forgetDetachment(tower.deps, HARBOR, by)).toBeUndefined();
  await disconnect(tower.deps, HARBOR, by);
  expect(await forgetDetachment(tower.deps, HARBOR, by)).toMatchObject({ property: "11" });
  expect(lastAct()).toMatchSnapshot();
  expect(await forgetDetachment(tower.deps, HARBOR, by)).toBeUndefined();
  expect(gone()).toStrictEqual([]);
});

test("a site that is taken out of the portfolio leaves none, of what it had or had had", async () => {
  const { deps } = tower;
  await attachProperty(
    deps,
    { asset: "harbor", provider: "webmaster-tools", credential: webmaster, property: "p", replace: false },
    by,
  );
  await disconnect(deps, HARBOR, by);
  expect((await removeSite(deps, "harbor", by)).ok).toBe(true);
  expect(gone()).toStrictEqual([]);
});
