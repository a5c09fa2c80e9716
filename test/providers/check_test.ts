import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { attachProperty, detachProperty, detachSite } from "../../src/providers/attach.ts";
import { credentialFaults } from "../../src/providers/attachments.ts";
import { removeCredential, replaceCredential } from "../../src/providers/properties.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { accountSecret, storedCredential } from "../support/credentials.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";

let tower: TestTower;
const by = { actor: "test", now: 5 };
beforeEach(async () => {
  tower = await testTower();
  await tower.deps.writer.write((tx) => ensureAssets(tx, ["harbor", "orchard"], by));
});
afterEach(() => tower.close());

const faults = () => credentialFaults(tower.deps.store.db);
const attach = (
  asset: string,
  provider: "analytics" | "search-console",
  property: string,
  credential: string,
) => attachProperty(tower.deps, { asset, provider, property, credential, replace: true }, by);
const replace = (id: string) =>
  replaceCredential(
    tower.deps,
    id,
    { provider: "analytics", secret: accountSecret(undefined, "second"), label: "x" },
    by,
  );

/** Everything that is done to credentials and attachments. */
async function useAll(): Promise<string> {
  const { id } = await storedCredential(tower.deps);
  const other = await storedCredential(tower.deps, "webmaster-tools");
  await attach("harbor", "analytics", "1", id);
  await attach("harbor", "analytics", "2", id);
  await attach("orchard", "analytics", "2", id);
  await attach("harbor", "search-console", "sc-domain:harbor.example", id);
  await detachProperty(tower.deps, { asset: "orchard", provider: "analytics" }, by);
  const site = {
    asset: "orchard",
    provider: "webmaster-tools",
    property: "http://a/",
    replace: false,
  } as const;
  await attachProperty(tower.deps, { ...site, credential: other.id }, by);
  await removeCredential(tower.deps, other.id, by);
  await attach("orchard", "analytics", "3", id);
  await tower.deps.writer.write((tx) => detachSite(tx, "orchard", by));
  await replace(id);
  return id;
}

describe("credentials against the record of what was done to them", () => {
  test("nothing is wrong after all that can be done to them", async () => {
    await useAll();
    expect(faults()).toEqual([]);
  });

  test("a whole row put back as it was, with the revision it had, opens and is found", async () => {
    const { id } = await storedCredential(tower.deps);
    const { raw } = tower.deps.store;
    raw.run("CREATE TEMP TABLE kept AS SELECT * FROM credential");
    await replace(id);
    raw.run("DELETE FROM credential");
    raw.run("INSERT INTO credential SELECT * FROM kept");
    expect(tower.deps.credentials.open(id).ok).toBe(true);
    expect(faults()).toEqual([
      expect.stringMatching(
        new RegExp(`^credential ${id}: stored is edit revision 1, .* lead to edit revision 2`),
      ),
    ]);
  });

  test("a row or an attachment that was put in, changed or taken out past the commands is found", async () => {
    const id = await useAll();
    const { raw } = tower.deps.store;
    const found = (sql: string) => {
      raw.run("SAVEPOINT tried");
      raw.run(sql);
      const said = faults().join("\n");
      raw.run("ROLLBACK TO tried; RELEASE tried");
      return said;
    };
    expect(found("UPDATE attachment SET property = '9' WHERE provider = 'analytics'")).toContain(
      "stored is 9 with",
    );
    expect(found("DELETE FROM attachment WHERE provider = 'analytics'")).toContain("stored is none");
    expect(found(`INSERT INTO attachment VALUES ('orchard', 'analytics', '${id}', '9', 1)`)).toContain(
      "lead to none",
    );
    expect(found("UPDATE credential SET connection_revision = 'x'")).toContain("connection x");
    expect(found("DELETE FROM credential")).toContain(`credential ${id}: stored is none`);
  });
});
