/** A site of webmaster tools needs no attachment to be asked for: taking its connection away is more than taking one off. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { findConnection, listCredentials } from "../../src/providers/credentials.ts";
import { findDetachment, forgetDetachment, listDetachments } from "../../src/providers/properties.ts";
import { hidden } from "../../src/providers/sealing.ts";
import {
  attachProperty,
  disconnect,
  removeAccount,
  replaceCredential,
} from "../../src/signals/credential_changes.ts";
import { lastAddress, sitesReadWith } from "../../src/signals/matched_site.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { listSites } from "../../src/sites/sites.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";

const DAY = 86_400_000;
const HARBOR = { asset: "harbor.example", provider: "webmaster-tools" } as const;
const ADDRESS = "https://harbor.example/";

let pulled: Pulled;
beforeEach(async () => {
  pulled = await pulledTower({ world: pulledWorld(["harbor.example", "orchard.example"]) });
  await night();
});
afterEach(() => pulled.close());

const by = () => ({ actor: "operator:ada", now: pulled.clock.now() });
const deps = () => pulled.tower.deps;
const attach = () =>
  attachProperty(
    deps(),
    { ...HARBOR, credential: pulled.credentials.webmaster, property: ADDRESS, replace: false },
    by(),
  );

/** The state that is told of a site's daily figures. */
const stateOf = (asset: string) =>
  deps()
    .health.read(pulled.clock.now(), asset)
    .capabilities.find(({ capability }) => capability === "webmaster-tools.daily")
    ?.targets.map(({ state }) => state);

/** Runs a night; says for which sites something was asked. */
async function night(): Promise<string[]> {
  pulled.clock.advance(DAY);
  pulled.attempts();
  await pulled.run("webmaster-tools");
  return pulled.attempts().flatMap(({ asset }) => (asset === "" ? [] : [asset]));
}

test("a site that was found by its address is disconnected, and the next night leaves it alone", async () => {
  expect(stateOf("harbor.example")).toEqual(["working"]);
  expect(await disconnect(deps(), HARBOR, by())).toMatchObject({ ...HARBOR, property: ADDRESS });
  expect(stateOf("harbor.example")).toEqual(["disconnected"]);
  expect(findDetachment(deps().store.db, HARBOR)).toMatchObject({
    detachedBy: "operator:ada",
    property: ADDRESS,
  });
  expect(listAudit(deps().store.db, { limit: 1 })).toMatchObject([
    { act: "property.detach", target: "harbor.example" },
  ]);
  expect(await disconnect(deps(), HARBOR, by())).toBeUndefined();
  expect(await night()).toEqual(["orchard.example"]);
  await changeAsset(
    deps().writer,
    "orchard.example",
    { lifecycle: "retired" },
    { ...by(), onRetired: () => undefined },
  );
  expect(await disconnect(deps(), { ...HARBOR, asset: "orchard.example" }, by())).toBeUndefined();
});

test("one whose questions only ever failed is, too", async () => {
  const where = { server: "webmasterTools", operation: "GetRankAndTrafficStats", times: 9 } as const;
  await pulled.close();
  pulled = await pulledTower({ world: pulledWorld(["harbor.example"]) });
  pulled.simulators.script({ kind: "error", error: "2" }, { ...where, property: ADDRESS });
  await night();
  expect(await disconnect(deps(), HARBOR, by())).toMatchObject({ property: ADDRESS });
});

test("one that was attached is not found by its address again once it is disconnected", async () => {
  await attach();
  await disconnect(deps(), HARBOR, by());
  expect(await night()).toEqual(["orchard.example"]);
});

test("with another secret of the account it stays disconnected; forgotten or attached, it is asked again", async () => {
  const sitesRead = () => {
    const { db } = deps().store;
    const account = listCredentials(db).filter(({ id }) => id === pulled.credentials.webmaster);
    return account.flatMap((one) => [...sitesReadWith(db, one, [])]).sort();
  };
  expect(sitesRead()).toEqual(["harbor.example", "orchard.example"]);
  await disconnect(deps(), HARBOR, by());
  const secret = hidden({ kind: "webmaster-tools-key", key: pulled.simulators.webmasterKey() });
  const asked = { provider: "webmaster-tools", secret, label: undefined } as const;
  expect((await replaceCredential(deps(), pulled.credentials.webmaster, asked, by())).ok).toBe(true);
  expect(sitesRead()).toEqual(["orchard.example"]);
  expect(await night()).toEqual(["orchard.example"]);
  await forgetDetachment(deps(), HARBOR, by());
  expect(stateOf("harbor.example")).not.toContain("disconnected");
  expect((await night()).sort()).toEqual(["harbor.example", "orchard.example"]);
  await disconnect(deps(), HARBOR, by());
  await attach();
  expect(listDetachments(deps().store.db)).toStrictEqual([]);
  expect((await night()).sort()).toEqual(["harbor.example", "orchard.example"]);
});

test("an account that is removed leaves every site disconnected that was fed by it, attached or not", async () => {
  await attach();
  const removed = await removeAccount(deps(), pulled.credentials.webmaster, by());
  expect(stateOf("orchard.example")).toEqual(["disconnected"]);
  expect(removed?.detached.map(({ asset }) => asset)).toEqual(["harbor.example"]);
  expect(listDetachments(deps().store.db).map(({ asset, property }) => [asset, property])).toEqual([
    ["harbor.example", ADDRESS],
    ["orchard.example", "https://orchard.example/"],
  ]);
});

test("a site that is listed no more keeps its address while its figures lie in the window of 97 days", () => {
  const { db } = deps().store;
  const site = listSites(db).find(({ id }) => id === HARBOR.asset);
  if (site === undefined) throw new Error("there is the site");
  const id = pulled.credentials.webmaster;
  const of = { id, connectionRevision: findConnection(db, id) ?? "" };
  const address = (later: number) =>
    lastAddress(db, site, { of, isOnly: true, now: pulled.clock.now() + later });
  expect([address(97 * DAY), address(97 * DAY + 1)]).toEqual([ADDRESS, undefined]);
});
