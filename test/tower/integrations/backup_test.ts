/** A backup and a restore by the buttons of System health: made while pages are answered, whole, and told where they could not be made. */

import { expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyAudit, listNewest as listAudit } from "../../../src/access/audit.ts";
import { systemFiles } from "../../../src/base/files.ts";
import { putKey } from "../../../src/base/keys.ts";
import { unseal } from "../../../src/keep/seal.ts";
import { migrateStore } from "../../../src/store/migrations.ts";
import { openReadOnly, openStore } from "../../../src/store/store.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { byId, tagged, textOf } from "../../support/html.ts";
import { keysOf } from "../../support/keys.ts";
import { plantDay } from "../../support/series.ts";
import { PROXY, testTower } from "../../support/test_tower.ts";
import { until } from "../../support/until.ts";

test("it lies in the data folder under its moment, whole; a second one while it is made is none; what keeps it, and what is wrong in it, is named; it is restored beside the data that runs", async () => {
  using folder = temporaryFolder();
  const store = openStore(join(folder.path, "tower.db"));
  migrateStore(store);
  const clock = new FakeClock("2026-11-20T14:02:10Z");
  const service = await testTower({
    ground: { store, clock },
    settings: { ...PROXY, DATA_DIR: folder.path },
  });
  keyAudit(store.main, service.deps.keys.forPurpose("audit"));
  const backups = join(folder.path, "backups");
  const press = async () => (await service.ask("/health/backups", { form: {} })).headers.get("location");
  const over = async () => {
    await until(
      async () => service.deps.jobs.running().length,
      (running) => running === 0,
    );
    // What kept it is noted by a write that nobody waits for.
    await service.deps.writer.settled();
  };
  const storage = async () => textOf(byId(await service.open("/health"), "storage"));

  expect(await storage()).toContain("No backup recorded");
  const pressed = await Promise.all([press(), press()]);
  expect(pressed.toSorted()).toEqual(["/health?done=backup-begun", "/health?done=backup-busy"]);
  expect(await storage()).toContain("Backing up since 14:02:10 UTC");
  await over();
  expect(readdirSync(backups)).toEqual(["tower-2026-11-20T14-02-10Z.backup"]);
  expect(statSync(backups).mode & 0o777).toBe(0o700);
  const copy = join(folder.path, "copy.db");
  expect(unseal(join(backups, "tower-2026-11-20T14-02-10Z.backup"), copy).ok).toBe(true);
  expect(await storage()).toContain("Last backupjust now");
  const [act] = listAudit(store.db, { limit: 1 });
  expect([act?.actor, act?.act]).toEqual(["operator:ada", "backup.make"]);

  rmSync(backups, { recursive: true });
  writeFileSync(backups, "");
  await press();
  await over();
  expect(textOf(byId(await service.open("/health"), "next"))).toContain("The job “Backup”");
  rmSync(backups);
  await press();
  await over();
  expect(textOf(byId(await service.open("/health"), "next"))).not.toContain("Backup");

  clock.advance(1_000);
  plantDay(store, { asset: "harbor", metric: "signups", date: "2026-03-01" }, { last24h: 4 });
  await press();
  await over();
  expect(readdirSync(backups)).toHaveLength(2);
  expect(textOf(byId(await service.open("/health"), "next"))).toContain(
    "the backup was made, but its data has faults: readings against nightly reports",
  );

  const restore = async (name: string) =>
    (await service.ask(`/health/backups/${name}/restore`, { form: {} })).headers.get("location");
  const [older = "", newer = ""] = readdirSync(backups).toSorted();
  expect((await service.ask("/health/backups/other.backup/restore", { form: {} })).status).toBe(404);
  await putKey(systemFiles, folder.path, keysOf(7));
  expect(await restore(older)).toBe("/health?done=restore-begun");
  expect(await storage()).toContain("Restoring since 14:02:11 UTC");
  await over();
  const into = join(folder.path, "restored", older.replace(".backup", ""));
  expect(await storage()).toContain(`stopped and started with DATA_DIR=${into}`);
  const restored = openReadOnly(join(into, "tower.db"));
  expect(listAudit(restored.db, { limit: 1 }).map(({ act }) => act)).toEqual(["backup.restore"]);
  restored.close();

  await restore(newer);
  await over();
  const refused = textOf(byId(await service.open("/health"), "next"));
  expect(refused).toContain("nothing was restored: what the backup holds is not in order");
  expect(refused).toContain("The data in use is untouched");
  expect(tagged(byId(await service.open("/health"), "storage"), "form")).toHaveLength(2);
  await service.close();
});
